"""Messages over lines of bytes: in order, no further than they are asked for, and how it ended."""

from __future__ import annotations

import os
import sys

import anyio
import pytest

from acp_nvim.session.terminal import ExitStatus
from acp_nvim.transport.child import spawn
from acp_nvim.transport.link import Ended, Incoming
from acp_nvim.transport.stdio import Lines, Stdio
from acp_nvim.wire.message import Notification


def told(method: str) -> Incoming:
    line = f'{{"method":"{method}"}}'.encode()
    assert Incoming(line).messages == [Notification(method)]
    return Incoming(line)


async def test_each_line_is_one_and_nothing_is_read_before_it_is_wanted() -> None:
    send, receive = anyio.create_memory_object_stream[bytes](3)
    with send, receive:
        for data in (b'{"method":"a"}\n{"method":"b"}\n{"met', b'hod":"c"}', b"\n"):
            await send.send(data)
        lines = Lines(receive)
        assert await lines.receive() == told("a")
        assert await lines.receive() == told("b")
        assert receive.statistics().current_buffer_used == 2
        assert await lines.receive() == told("c")


async def test_the_last_line_needs_no_newline_and_the_end_stays_the_end() -> None:
    send, receive = anyio.create_memory_object_stream[bytes](1)
    with receive:
        with send:
            await send.send(b'{"method":"a"}')
        lines = Lines(receive)
        assert await lines.receive() == told("a")
        assert await lines.receive() is None
        assert await lines.receive() is None


@pytest.mark.parametrize(
    ("code", "ended"),
    [
        ("", Ended("exit code 0", ExitStatus(0))),
        ("; raise SystemExit(3)", Ended("exit code 3", ExitStatus(3))),
        ("; import os; os.kill(os.getpid(), 9)", Ended("SIGKILL", ExitStatus(None, "SIGKILL"))),
    ],
)
async def test_a_child_echoes_a_line_complains_and_ends(code: str, ended: Ended) -> None:
    echo = f"import sys; print(input(), flush=True); print('oh', file=sys.stderr, flush=True){code}"
    child = await spawn(
        sys.executable, ["-c", echo], env=os.environ, cwd="/", on_group=lambda *_: None
    )
    link = Stdio(child)
    await link.send(b'{"method":"a"}\n')
    assert await link.receive() == told("a")
    assert await link.receive() is None
    assert await link.diagnostics() == b"oh\n"
    assert await link.diagnostics() == b""
    assert (await link.wait(), link.pid) == (ended, child.pid)
    await link.end(grace=30.0)
