"""What has left an agent's group is found by its mark, and ended only as it is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from acp_nvim.transport import group, left
from acp_nvim.transport.left import VARIABLE, Marks

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows environments")

READY = "import os\nos.write(1, b'ready\\n')\n"
WAITS = f"import signal\n{READY}signal.pause()"
DEAF = f"import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n{READY}signal.pause()"
LEAVES = f"""
import os, signal, time
def end(*_):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        return
    os._exit(0)
signal.signal(signal.SIGTERM, end)
{READY}
while True:
    signal.pause()
"""
TWO = f"import os, signal\nos.fork()\n{READY}signal.pause()"


@contextmanager
def program(code: str, env: Mapping[str, str], lines: int = 1) -> Iterator[subprocess.Popen[bytes]]:
    """A program in a session of its own that has begun; it is killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-S", "-c", code],
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as child:
        assert child.stdout is not None
        try:
            assert [child.stdout.readline() for _ in range(lines)] == [b"ready\n"] * lines
            yield child
        finally:
            group.kill(child.pid)


async def test_what_is_marked_is_left_once_its_agent_is_over() -> None:
    marks = Marks()
    mark = marks.new("a:b")
    with program(WAITS, {VARIABLE: mark}) as child:
        assert await marks.left("a:b") == ()
        marks.over(mark)
        found = await marks.left("a:b")
        assert [(it.group, it.pid, it.count) for it in found] == [(child.pid, child.pid, 1)]
        assert found[0].command.startswith(sys.executable)
        assert await marks.left("a") == ()


async def test_each_process_of_an_agent_has_a_mark_of_its_own() -> None:
    marks = Marks()
    before, after = marks.new("a"), marks.new("a")
    marks.over(before)
    with program(WAITS, {VARIABLE: before}) as old, program(WAITS, {VARIABLE: after}):
        assert [it.pid for it in await marks.left("a")] == [old.pid]


async def test_a_host_that_is_gone_has_left_what_it_has_marked(tmp_path: Path) -> None:
    with program(READY, {}) as host:
        host.wait()
    marks = Marks()
    with ExitStack() as stack:
        marks.scope = str(tmp_path)  # of this run alone: another one may go on beside it
        scope = marks.new("a").split(":")[2]
        dead = stack.enter_context(program(WAITS, {VARIABLE: f"{host.pid}:1:{scope}:1:a"}))
        living = f"{os.getppid()}:{left._began(os.getppid())}:{scope}:1:a"
        stack.enter_context(program(WAITS, {VARIABLE: f"{host.pid}:1:elsewhere:1:a"}))
        stack.enter_context(program(WAITS, {VARIABLE: living}))
        stack.enter_context(program(WAITS, {VARIABLE: "odd"}))
        assert [it.pid for it in await marks.left("a")] == [dead.pid]


async def test_a_group_is_one_and_ends_as_one() -> None:
    marks = Marks()
    mark = marks.new("a")
    marks.over(mark)
    with program(TWO, {VARIABLE: mark}, lines=2) as two, program(WAITS, {VARIABLE: mark}) as other:
        found = {it.group: it.count for it in await marks.left("a")}
        assert found == {two.pid: 2, other.pid: 1}
        assert await marks.end("a", [two.pid], grace=20) == ()
        assert not group.alive(two.pid)
        assert other.poll() is None


async def test_one_that_does_not_hear_is_killed() -> None:
    marks = Marks()
    mark = marks.new("a")
    marks.over(mark)
    with program(DEAF, {VARIABLE: mark}) as deaf:
        assert await marks.end("a", [deaf.pid], grace=0.01) == ()
        assert deaf.wait() == -9


def stop(pid: int) -> None:
    """Stop a program, and return once it stands still."""
    os.kill(pid, left.signal.SIGSTOP)
    os.waitpid(pid, os.WUNTRACED)


async def test_one_that_is_stopped_is_ended() -> None:
    marks = Marks()
    marks.over(mark := marks.new("a"))
    with program(WAITS, {VARIABLE: mark}) as child:
        stop(child.pid)
        assert await marks.end("a", [child.pid], grace=0.01) == ()
        assert child.wait() == -9


async def test_what_goes_on_in_another_session_as_it_is_ended_is_named() -> None:
    marks = Marks()
    marks.over(mark := marks.new("a"))
    with program(LEAVES, {VARIABLE: mark}) as leaving, program(WAITS, {VARIABLE: mark}) as other:
        still = await marks.end("a", [leaving.pid], grace=20)
        assert [it.group in (leaving.pid, other.pid) for it in still] == [False]
        assert await marks.end("a", [still[0].group], grace=0.01) == ()


def test_a_host_in_a_container_is_not_gone_because_its_number_is_none_here(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def scope() -> str:
        return Marks().new("a").split(":")[2]

    here = scope()
    (tmp_path / "self/ns").mkdir(parents=True)
    (tmp_path / "self/ns/pid").symlink_to("pid:[1]")
    monkeypatch.setattr(left, "_PROC", str(tmp_path))
    assert scope() != here


async def test_another_process_with_the_same_number_is_let_alone() -> None:
    with program(WAITS, {}) as child:
        left._send(left.Left(child.pid, child.pid, 1, "earlier"), left.signal.SIGKILL)
        assert child.poll() is None


async def test_where_no_environment_is_shown_nothing_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(left, "_PROC", "/no/such")
    marks = Marks()
    marks.over(mark := marks.new("a"))
    with program(WAITS, {VARIABLE: mark}):
        assert await marks.left("a") == ()
