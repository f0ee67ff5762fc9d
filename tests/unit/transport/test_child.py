from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from anyio.abc import ByteReceiveStream

from acp_nvim.errors import ConnectionLost, UserError
from acp_nvim.session.terminal import ExitStatus
from acp_nvim.transport import group
from acp_nvim.transport.child import Child, exit_status, spawn
from acp_nvim.transport.group import Groups
from acp_nvim.transport.stdio import read

ENV = dict(os.environ)
LONG = 30.0
"""A grace that no test may use up."""
SHORT = 0.2

STUBBORN = """
import signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
while True: signal.pause()
"""

GRANDCHILD = """
import os, signal, sys
if os.fork() == 0:
    os.closerange(0, 3)
    signal.pause()
print("ready", flush=True)
sys.stdin.read()
"""


started = Groups()


@pytest.fixture(autouse=True)
def no_leftovers() -> Iterator[None]:
    yield
    started.kill_all()


class Heard:
    """What `on_group` heard, and whether the group lived at that moment."""

    def __init__(self) -> None:
        self.calls: list[tuple[int, bool, bool]] = []

    def __call__(self, pgid: int, alive: bool) -> None:
        started.note(pgid, alive)
        self.calls.append((pgid, alive, group.alive(pgid)))


async def start(*args: str, heard: Heard | None = None, cwd: str = "/") -> Child:
    return await spawn(args[0], args[1:], env=ENV, cwd=cwd, on_group=heard or Heard())


@asynccontextmanager
async def python(code: str) -> AsyncIterator[Child]:
    child = await start(sys.executable, "-c", code)
    try:
        yield child
    finally:
        child.kill()
        await child.end(grace=LONG)


async def drain(stream: ByteReceiveStream) -> bytes:
    parts = []
    while data := await read(stream):
        parts.append(data)
    return b"".join(parts)


async def until_ready(child: Child) -> None:
    seen = b""
    while seen != b"ready\n":
        data = await read(child.stdout)
        assert data, seen
        seen += data


async def test_bytes_go_in_and_come_out() -> None:
    async with python("import sys; sys.stdout.write(sys.stdin.readline().upper())") as child:
        await child.send("grüße\n".encode())
        assert await drain(child.stdout) == "GRÜSSE\n".encode()
        assert await read(child.stdout) == b""
        assert await child.wait() == ExitStatus(0)


async def test_the_environment_is_exactly_what_was_given() -> None:
    child = await spawn("/usr/bin/env", [], env={"A": "ä"}, cwd="/", on_group=Heard())
    assert await drain(child.stdout) == "A=ä\n".encode()
    await child.end(grace=LONG)


async def test_it_runs_in_its_directory(tmp_path: Path) -> None:
    (tmp_path / "here").touch()
    child = await start("ls", cwd=str(tmp_path))
    assert await drain(child.stdout) == b"here\n"
    await child.end(grace=LONG)


async def test_it_leads_its_own_group() -> None:
    async with python("import os; print(os.getpgid(0), os.getsid(0))") as child:
        assert await drain(child.stdout) == f"{child.pid} {child.group}\n".encode()
        assert child.pid == child.group != os.getpgid(0)


async def test_c022_five_megabytes_of_stderr_are_drained() -> None:
    async with python("import sys; sys.stderr.write('x' * 5_000_000); print('done')") as child:
        assert len(await drain(child.stderr)) == 5_000_000
        assert await drain(child.stdout) == b"done\n"


async def test_c025_output_outlives_the_program() -> None:
    async with python("print('x' * 50_000, flush=True)") as child:
        assert await child.wait() == ExitStatus(0)
        assert len(await drain(child.stdout)) == 50_001


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("raise SystemExit(3)", ExitStatus(3)),
        ("raise SystemExit(143)", ExitStatus(143)),
        ("import os; os.kill(os.getpid(), 15)", ExitStatus(None, "SIGTERM")),
        ("import os; os.kill(os.getpid(), 9)", ExitStatus(None, "SIGKILL")),
    ],
)
async def test_an_exit_is_a_code_or_a_signal(code: str, expected: ExitStatus) -> None:
    async with python(code) as child:
        assert await child.wait() == expected
        assert await child.wait() == expected


def test_a_signal_without_a_name_has_its_number() -> None:
    assert exit_status(-40) == ExitStatus(None, "SIG40")


async def test_the_exit_is_known_while_a_grandchild_holds_the_pipes() -> None:
    child = await start("sh", "-c", "sleep 100 & exit 4")
    with anyio.fail_after(LONG):
        assert await child.wait() == ExitStatus(4)
    await child.end(grace=LONG)
    assert not group.alive(child.group)


async def test_sending_to_a_program_that_left_is_a_lost_connection() -> None:
    async with python("") as child:
        await child.wait()
        with pytest.raises(ConnectionLost):
            while True:
                await child.send(b"x" * 100_000)


async def test_sending_after_the_end_is_a_lost_connection() -> None:
    child = await start("cat")
    await child.end(grace=LONG)
    with pytest.raises(ConnectionLost):
        await child.send(b"x")
    assert await read(child.stdout) == b""
    assert await read(child.stderr) == b""


async def test_the_end_wakes_a_reader() -> None:
    child = await start(sys.executable, "-c", GRANDCHILD)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(drain, child.stdout)
        tasks.start_soon(drain, child.stderr)
        await child.end(grace=LONG)


async def test_c023_closing_stdin_is_enough_for_a_polite_agent() -> None:
    heard = Heard()
    child = await start("cat", heard=heard)
    await child.end(grace=LONG)
    assert await child.wait() == ExitStatus(0)
    assert heard.calls == [(child.group, True, True), (child.group, False, False)]


async def test_c023_term_follows_for_one_that_does_not_read() -> None:
    child = await start("sleep", "100")
    await child.end(grace=SHORT)
    assert await child.wait() == ExitStatus(None, "SIGTERM")


async def test_c023_kill_follows_for_one_that_ignores_term() -> None:
    heard = Heard()
    child = await start(sys.executable, "-c", STUBBORN, heard=heard)
    await until_ready(child)
    await child.end(grace=SHORT)
    assert await child.wait() == ExitStatus(None, "SIGKILL")
    assert heard.calls[-1] == (child.group, False, False)


async def test_c023_a_wrapper_leaves_no_orphan() -> None:
    child = await start("sh", "-c", "sleep 100 & wait")
    await child.end(grace=SHORT)
    assert not group.alive(child.group)


async def test_c023_no_orphan_when_the_leader_left_before() -> None:
    heard = Heard()
    child = await start(sys.executable, "-c", GRANDCHILD, heard=heard)
    await until_ready(child)
    await child.end(grace=LONG)
    assert await child.wait() == ExitStatus(0)
    assert heard.calls == [(child.group, True, True), (child.group, False, False)]


async def test_a_program_blocked_on_its_output_can_be_ended() -> None:
    child = await start("yes")
    assert await read(child.stdout)
    await child.end(grace=SHORT)
    assert not group.alive(child.group)


async def test_kill_is_immediate() -> None:
    child = await start(sys.executable, "-c", STUBBORN)
    child.kill()
    assert await child.wait() == ExitStatus(None, "SIGKILL")
    await child.end(grace=LONG)
    child.kill()


async def test_a_second_end_does_nothing() -> None:
    heard = Heard()
    child = await start("cat", heard=heard)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(lambda: child.end(grace=LONG))
        tasks.start_soon(lambda: child.end(grace=LONG))
    await child.end(grace=LONG)
    assert [alive for _, alive, _ in heard.calls] == [True, False]


async def test_the_end_cannot_be_cancelled() -> None:
    child = await start("sleep", "100")
    with anyio.CancelScope() as scope:
        scope.cancel()
        await child.end(grace=SHORT)
    assert not group.alive(child.group)


# What the user reads when nothing starts


async def refusal(command: str, **more: str) -> str:
    env = {"PATH": more.pop("path", "/nowhere:/else")}
    cwd = more.pop("cwd", "/")
    heard = Heard()
    with pytest.raises(UserError) as caught:
        await spawn(command, [], env=env, cwd=cwd, on_group=heard, **more)
    assert heard.calls == []
    return str(caught.value)


async def test_a_missing_program_is_named_with_the_path_and_the_way_to_get_it() -> None:
    assert await refusal("gemini", install="npm install -g gemini") == (
        "gemini is not installed. Install it with: npm install -g gemini"
        " (no 'gemini' in PATH (/nowhere:/else))"
    )
    assert await refusal("gemini") == (
        "gemini is not installed: no 'gemini' in PATH (/nowhere:/else)."
    )


async def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert await refusal("./agent", cwd=str(tmp_path)) == (
        f"./agent is not installed: there is no file {tmp_path}/./agent."
    )


async def test_a_file_that_is_not_executable(tmp_path: Path) -> None:
    file = tmp_path / "agent"
    file.write_text("")
    file.chmod(0o644)
    expected = f"cannot start {file}: {file} is not an executable file"
    assert await refusal(str(file)) == expected


async def test_a_directory_is_no_program(tmp_path: Path) -> None:
    assert "is not an executable file" in await refusal(str(tmp_path))


async def test_a_missing_directory() -> None:
    assert await refusal("true", cwd="/no/such", path=os.defpath) == (
        "cannot start true: there is no directory /no/such"
    )


async def test_a_script_without_its_interpreter(tmp_path: Path) -> None:
    file = tmp_path / "agent"
    file.write_text("#!/no/such/interpreter\n")
    file.chmod(0o755)
    assert await refusal("agent", path=str(tmp_path)) == (
        f"cannot start {file}: the interpreter in its first line (#!) is missing"
    )


async def test_a_file_that_is_no_program(tmp_path: Path) -> None:
    file = tmp_path / "agent"
    file.write_bytes(b"\0\1\2\3")
    file.chmod(0o755)
    assert await refusal("agent", path=str(tmp_path)) == f"cannot start {file}: Exec format error"


async def test_a_nul_in_an_argument() -> None:
    with pytest.raises(UserError, match="null byte"):
        await spawn("true", ["\0"], env=ENV, cwd="/", on_group=Heard())


async def test_a_path_from_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "agent").write_text("#!/bin/sh\necho here\n")
    (tmp_path / "agent").chmod(0o755)
    child = await start("~/agent")
    assert await drain(child.stdout) == b"here\n"
    await child.end(grace=LONG)
