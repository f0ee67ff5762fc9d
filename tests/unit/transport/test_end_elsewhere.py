"""An agent that was started elsewhere ends when whoever started it is gone, even by a kill."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from acp_nvim.client.launch import Launch
from acp_nvim.paths import Paths
from acp_nvim.terminals import elsewhere
from acp_nvim.transport.stdio import Stdio
from acp_nvim.workspace.launching import start

PATIENCE = 60
WAY = """#!{python} -IS
# what runs there has a session and pipes of its own, and goes on when this is killed
import os, subprocess, sys, threading
{command}
there = subprocess.Popen(
    command,
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    stderr=subprocess.PIPE,
    start_new_session=True,
    env=dict(os.environ, SHELL="{shell}"),
)
def hand_on(source, target, at_end=lambda: None):
    while data := os.read(source, 65536):
        os.write(target, data)
    at_end()
out = threading.Thread(target=hand_on, args=(there.stdout.fileno(), 1))
out.start()
err = threading.Thread(target=hand_on, args=(there.stderr.fileno(), 2))
err.start()
threading.Thread(
    target=hand_on, args=(0, there.stdin.fileno(), there.stdin.close), daemon=True
).start()
out.join()
err.join()
os._exit(there.wait())
"""
WAYS = {
    "ssh": 'assert sys.argv[1:3] == ["-q", "host"]\ncommand = ["{shell}", "-c", sys.argv[3]]',
    "docker": 'assert sys.argv[1:4] == ["exec", "-i", "box"]\ncommand = sys.argv[4:]',
}
ARGS = {"ssh": ("-q", "host"), "docker": ("exec", "-i", "box")}

STUBBORN = """
trap '' HUP
exec 4>"$1"
echo "$2"
while read -r line; do echo "heard $line"; done
while :; do sleep 1; done
"""


@asynccontextmanager
async def started(
    folder: Path, way: str, *command: str, shell: str = "/bin/sh"
) -> AsyncIterator[Stdio]:
    program = folder / way
    words = WAYS[way].format(shell=shell)
    program.write_text(WAY.format(python=sys.executable, command=words, shell=shell))
    program.chmod(0o755)
    launch = Launch(
        name="far",
        command=str(program),
        args=(*ARGS[way], *command),
        cwd=str(folder),
        paths=Paths.of("far", {"/there": str(folder)}, str) if way == "docker" else Paths(),
    )
    link = await start(launch, lambda *_: None)
    assert isinstance(link, Stdio)
    try:
        yield link
    finally:
        await link.end(grace=5)


async def said(link: Stdio) -> str:
    with anyio.fail_after(PATIENCE):
        incoming = await link.receive()
    assert incoming is not None
    return incoming.text


@pytest.mark.parametrize("way", WAYS)
async def test_it_ends_when_the_way_there_is_killed(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elsewhere, "AGENT", elsewhere.AGENT.replace("1 2 3 4 5", "1"))
    script, life = tmp_path / "agent", tmp_path / "life"
    script.write_text(f"#!/bin/sh\n{STUBBORN}")
    script.chmod(0o755)
    os.mkfifo(life)
    held = os.open(life, os.O_RDONLY | os.O_NONBLOCK)
    async with started(tmp_path, way, str(script), str(life), "ready") as link:
        assert await said(link) == "ready"
        await link.send(b"hello\n")
        assert await said(link) == "heard hello"
        os.set_blocking(held, True)
        os.kill(link.pid, signal.SIGKILL)
        with anyio.fail_after(PATIENCE):
            # the end of this file is that of the last process that has it open
            assert await anyio.to_thread.run_sync(os.read, held, 1, abandon_on_cancel=True) == b""
    os.close(held)


@pytest.mark.parametrize("way", WAYS)
async def test_it_is_run_as_it_would_be_without(tmp_path: Path, way: str) -> None:
    command = ("sh", "-c", "'echo \"a  $0\" >&2; cat; exit 7'", "'b  c'")
    words = command if way == "ssh" else ("sh", "-c", 'echo "a  $0" >&2; cat; exit 7', "b  c")
    async with started(tmp_path, way, *words) as link:
        await link.send(b"x" * 200_000 + b"\n")
        assert len(await said(link)) == 200_000
        with anyio.fail_after(PATIENCE):
            assert await link.diagnostics() == b"a  b  c\n"


@pytest.mark.parametrize("way", WAYS)
async def test_its_own_end_is_seen_at_once(tmp_path: Path, way: str) -> None:
    words = "exit 7" if way == "docker" else "'exit 7'"
    async with started(tmp_path, way, "sh", "-c", words) as link:
        with anyio.fail_after(PATIENCE):
            assert await link.receive() is None
            assert (await link.wait()).how == "exit code 7"


@pytest.mark.parametrize("line", ["cd / && pwd", "echo / ; echo 'a  b'", "echo $((40+2)) | cat"])
async def test_a_line_for_the_shell_there_stays_one(tmp_path: Path, line: str) -> None:
    async with started(tmp_path, "ssh", *line.split(" ")) as link:
        assert await said(link) in ("/", "42")


async def test_the_shell_there_may_know_no_variables(tmp_path: Path) -> None:
    """As nushell and elvish, to which "$SHELL" is a text."""
    shell = tmp_path / "nu"
    run = "import os, shlex, sys; words = shlex.split(sys.argv[2]); os.execvp(words[0], words)"
    shell.write_text(f"#!{sys.executable} -IS\n{run}\n")
    shell.chmod(0o755)
    async with started(tmp_path, "ssh", "echo", "$SHELL", shell=str(shell)) as link:
        assert await said(link) == "$SHELL"


def argv(*args: str, command: str = "ssh", paths: bool = False) -> tuple[str, ...]:
    folders = Paths.of("a", {"/x": "/y"}, str) if paths else Paths()
    return Launch(name="a", command=command, args=args, paths=folders).argv


def test_what_has_a_terminal_or_no_command_is_run_as_it_is() -> None:
    for args in (
        ("-t", "host", "agent"),
        ("-tt", "host", "agent"),
        ("-s", "host", "acp"),
        ("host",),
    ):
        assert argv(*args) == ("ssh", *args)
    box = ("exec", "-i", "box", "agent")
    assert argv(*box, command="docker") == ("docker", *box), "it may have no shell"
    assert argv(*box, command="docker", paths=True)[4:6] == ("sh", "-c")
    assert argv("--acp", command="agent") == ("agent", "--acp")
    assert argv("a", command="~/bin/ssh")[0] == "~/bin/ssh"
