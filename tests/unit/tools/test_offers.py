"""The socket of the relays: who may connect, and what is left of it."""

from __future__ import annotations

import errno
import os
import socket
import stat
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_nvim.config import McpServer
from acp_nvim.tools import connection, offers
from acp_nvim.tools.offers import MOST_RELAYS
from acp_nvim.wire.message import Request, Response, parse_line, to_line
from tests.support.tools.tools_rig import ToolsRig

PATIENCE = 20


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[ToolsRig]:
    (tmp_path / "p").mkdir()
    async with ToolsRig(tmp_path / "p") as started:
        yield started


def offered(rig: ToolsRig) -> tuple[McpServer, dict[str, str]]:
    server = rig.tools.over_stdio(rig.caller)
    assert server is not None
    return server, {it.name: it.value for it in server.env}


async def connected(rig: ToolsRig, token: str = "") -> anyio.abc.ByteStream:
    """Connect as a relay does, with the session's token if no other is given."""
    env = {"ACP_TOOLS_SOCKET": os.path.join(rig.offers.folder, "socket")}
    found = rig.offers.of(rig.session)
    assert found is not None
    stream = await anyio.connect_unix(env["ACP_TOOLS_SOCKET"])
    await stream.send(f"{token or found.token}\n".encode())
    return stream


async def answered(stream: anyio.abc.ByteStream, method: str = "ping") -> bool:
    """Tell whether a request is answered; False: the other side has ended."""
    with anyio.fail_after(PATIENCE):
        try:
            await stream.send(to_line(Request(1, method)))
            [message] = parse_line(await stream.receive())
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return False
    return isinstance(message, Response)


async def test_the_socket_is_the_users_alone_and_its_token_in_no_log(rig: ToolsRig) -> None:
    server, env = offered(rig)
    folder = Path(env["ACP_TOOLS_SOCKET"]).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert folder.parent == rig.run_folder
    assert env["ACP_TOOLS_TOKEN"] in rig.secrets and len(env["ACP_TOOLS_TOKEN"]) == 48
    assert (server.name, server.command) == ("editor", sys.executable)
    assert server.args == ("-I", "-S", offers.RELAY)
    assert env["ACP_TOOLS_TOKEN"] not in " ".join(server.args)


async def test_only_a_relay_with_a_token_is_served(rig: ToolsRig) -> None:
    offered(rig)
    async with await connected(rig) as stream:
        assert await answered(stream)
    for wrong in ("0" * 48, "", "x" * 10_000):
        async with await connected(rig, wrong or " ") as stream:
            assert not await answered(stream)


async def test_a_relay_that_does_not_say_who_it_is_is_let_go(
    rig: ToolsRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "INTRODUCTION", 0.01)
    _, env = offered(rig)
    async with await anyio.connect_unix(env["ACP_TOOLS_SOCKET"]) as stream:
        with anyio.fail_after(PATIENCE), pytest.raises(anyio.EndOfStream):
            await stream.receive()


async def test_of_many_that_do_not_say_who_they_are_the_first_are_let_go(rig: ToolsRig) -> None:
    """Each holds a descriptor of the host; the relays that are connected stay."""
    _, env = offered(rig)
    relay = await connected(rig)
    assert await answered(relay)
    async with AsyncExitStack() as stack:
        silent = [
            await stack.enter_async_context(await anyio.connect_unix(env["ACP_TOOLS_SOCKET"]))
            for _ in range(connection.MOST_STRANGERS + 3)
        ]
        for stream in silent[:3]:
            with anyio.fail_after(PATIENCE / 10), pytest.raises(anyio.EndOfStream):
                await stream.receive()
        token = env["ACP_TOOLS_TOKEN"]
        await silent[-1].send(f"{token}\n".encode())
        assert await answered(silent[-1]) and await answered(relay)
    await relay.aclose()


async def test_without_a_descriptor_somebody_is_let_in_later(
    rig: ToolsRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offers, "AGAIN", 0.001)
    taken, refused = socket.socket.accept, [errno.EMFILE, errno.ENFILE, errno.ECONNABORTED]

    def accept(listening: socket.socket) -> tuple[socket.socket, object]:
        if refused:
            raise OSError(refused.pop(), "no")
        return taken(listening)

    monkeypatch.setattr(socket.socket, "accept", accept)
    offered(rig)
    async with await connected(rig) as stream:
        assert await answered(stream)
    assert not refused


async def test_a_relay_that_does_not_read_has_a_bound_of_answers(rig: ToolsRig) -> None:
    """Each waits with all that it holds: a request is open until its answer is sent."""
    offered(rig)
    found = rig.offers.of(rig.session)
    assert found is not None
    async with await connected(rig) as stream:
        assert await answered(stream)
        server = found.server
        assert server is not None
        asked, answer = 0, server.answer

        async def counted(*arguments: Any) -> Any:
            nonlocal asked
            asked += 1
            await answer(*arguments)
            return {"much": "x" * 100_000}

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(server, "answer", counted)
            with anyio.move_on_after(PATIENCE) as over:
                for number in range(2_000):  # until nothing more is read
                    with anyio.move_on_after(0.3) as patience:
                        await stream.send(to_line(Request(number + 2, "ping", {"x": "x" * 5_000})))
                    if patience.cancelled_caught:
                        break
            assert not over.cancelled_caught
            assert asked <= connection.MOST_OPEN + 20  # the ends of the socket hold a few


async def test_the_tools_of_a_session_end_with_it(rig: ToolsRig) -> None:
    offered(rig)
    async with await connected(rig) as stream:
        assert await answered(stream)
        rig.offers.close(rig.session)
        assert not await answered(stream)


async def test_a_session_that_is_opened_again_has_another_token(rig: ToolsRig) -> None:
    _, before = offered(rig)
    async with await connected(rig) as stream:
        assert await answered(stream)
        _, after = offered(rig)
        assert before["ACP_TOOLS_SOCKET"] == after["ACP_TOOLS_SOCKET"]
        assert before["ACP_TOOLS_TOKEN"] != after["ACP_TOOLS_TOKEN"]
        assert not await answered(stream)


async def test_a_session_has_some_relays_and_not_more(rig: ToolsRig) -> None:
    offered(rig)
    streams = [await connected(rig) for _ in range(MOST_RELAYS)]
    for stream in streams:
        assert await answered(stream)
    async with await connected(rig) as more:
        assert not await answered(more)
    for stream in streams:
        await stream.aclose()


async def test_nothing_of_the_socket_is_left(rig: ToolsRig) -> None:
    offered(rig)
    assert list(rig.run_folder.iterdir())
    rig.offers.end()
    assert not list(rig.run_folder.iterdir())


async def test_what_a_killed_host_has_left_is_removed(rig: ToolsRig) -> None:
    left = rig.run_folder / f"{offers.PREFIX}99999999-abc"
    left.mkdir()
    own = rig.run_folder / "acp.nvim-tools"
    own.mkdir()
    offered(rig)
    assert not left.exists() and own.exists()


async def test_a_folder_that_was_removed_meanwhile_is_made_again(rig: ToolsRig) -> None:
    _, env = offered(rig)
    os.remove(env["ACP_TOOLS_SOCKET"])
    offered(rig)
    async with await connected(rig) as stream:
        assert await answered(stream)


async def test_a_path_that_no_socket_can_have_is_not_used(rig: ToolsRig) -> None:
    deep = rig.run_folder / ("x" * 90)
    deep.mkdir()
    rig.run_folder = deep
    _, env = offered(rig)
    assert len(env["ACP_TOOLS_SOCKET"]) < 108
    async with await connected(rig) as stream:
        assert await answered(stream)


async def test_a_request_can_be_cancelled_and_its_id_used_again(rig: ToolsRig) -> None:
    offered(rig)
    started, ended = anyio.Event(), anyio.Event()

    async def wait(_arguments: object) -> None:
        started.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    rig.answers.answers["windows.files"] = wait
    async with await connected(rig) as stream:
        call = {"name": "open_files", "arguments": {}}
        await stream.send(to_line(Request(1, "tools/call", call)))
        with anyio.fail_after(PATIENCE):
            await started.wait()
            line = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
            await stream.send(line + b"\n")
            await ended.wait()
        assert await answered(stream)


async def test_noise_and_lines_without_an_end_do_no_harm(
    rig: ToolsRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "LONGEST_LINE", 100_000)
    offered(rig)
    async with await connected(rig) as stream:
        await stream.send(b"nonsense\n[]\n{}\n\xff\n")
        await stream.send(b"x" * 300_000 + b"\n")
        assert b"bytes at most" in await stream.receive()
        assert await answered(stream)


async def test_the_relay_ends_with_the_host_and_with_its_agent(rig: ToolsRig) -> None:
    server, env = offered(rig)
    argv = [server.command, *server.args]
    async with await anyio.open_process(argv, env=env) as process:
        assert process.stdin is not None and process.stdout is not None
        await process.stdin.send(to_line(Request(1, "ping")))
        assert b'"result"' in await process.stdout.receive()
        rig.offers.close(rig.session)
        with anyio.fail_after(PATIENCE):
            assert await process.wait() == 0
    server, env = offered(rig)
    async with await anyio.open_process(argv, env=env) as process:
        assert process.stdin is not None
        await process.stdin.aclose()
        with anyio.fail_after(PATIENCE):
            assert await process.wait() == 0
    rig.offers.end()
    async with await anyio.open_process(argv, env=env) as process:
        with anyio.fail_after(PATIENCE):
            assert await process.wait() == 1
