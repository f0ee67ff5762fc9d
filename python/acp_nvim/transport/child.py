"""One child process with three pipes, in a process group of its own.

Shows how little is needed to own a process: whoever holds a `Child` must `end` it, and after that
nothing of its group runs. `stdio` makes a link of it, one for each agent.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from subprocess import PIPE

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, Process

from acp_nvim.errors import ConnectionLost, UserError
from acp_nvim.programs import start
from acp_nvim.session.terminal import ExitStatus
from acp_nvim.transport import group

OnGroup = Callable[[int, bool], None]

PIECE = 1 << 20
"""Bytes that are handed over at once: the loop copies what the pipe does not take."""
KILL_SECONDS = 1.0
"""How long a killed group may take to vanish; the kernel needs milliseconds."""


def exit_status(returncode: int) -> ExitStatus:
    """Return what a code of `subprocess` says, where a signal is negative."""
    if returncode >= 0:
        return ExitStatus(returncode)
    try:
        return ExitStatus(signal=signal.Signals(-returncode).name)
    except ValueError:  # most real-time signals have no name
        return ExitStatus(signal=f"SIG{-returncode}")


async def spawn(
    command: str,
    args: Sequence[str],
    *,
    env: Mapping[str, str],
    cwd: str,
    on_group: OnGroup,
    install: str = "",
) -> Child:
    """Start a program and return it.

    `command` is a name to be found in env's PATH, or a path if it holds a slash. `env` is the whole
    environment of the child. `on_group` hears (pgid, True) at once, and (pgid, False) when the
    group is empty. `install` is the shell command to suggest when the program is missing. Raises
    `UserError` if it cannot be started.
    """
    program = _find(command, env, cwd, install)
    try:
        process = await start(
            [program, *args], stdin=PIPE, stderr=PIPE, cwd=cwd, env=env, leads=True
        )
    except (OSError, ValueError) as error:
        raise UserError(f"cannot start {program}: {_reason(error)}") from error
    child = Child(process, on_group)
    on_group(child.group, True)
    return child


class Child:
    """A running program; made by `spawn`."""

    def __init__(self, process: Process, on_group: OnGroup) -> None:
        self._process = process
        self._on_group = on_group
        self._settled = False

    @property
    def pid(self) -> int:
        """The process id of the program itself."""
        return self._process.pid

    @property
    def group(self) -> int:
        """The process group: that of the pid, because the child leads a session."""
        return self._process.pid

    @property
    def stdout(self) -> ByteReceiveStream:
        """What it writes."""
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def stderr(self) -> ByteReceiveStream:
        """What it complains of; must be read, or it blocks."""
        assert self._process.stderr is not None
        return self._process.stderr

    async def send(self, data: bytes) -> None:
        """Write to its stdin, waiting while the pipe is full; raises `ConnectionLost`."""
        stdin: ByteSendStream | None = self._process.stdin
        assert stdin is not None
        try:
            for at in range(0, len(data), PIECE):
                await stdin.send(data[at : at + PIECE])
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError) as error:
            raise ConnectionLost("the agent has closed its input") from error

    async def wait(self) -> ExitStatus:
        """Return how the program ended, once it has; its pipes may still hold output."""
        return exit_status(await self._process.wait())

    def kill(self) -> None:
        """Kill the group now; `end` must still follow."""
        if not self._settled:
            group.kill(self.group)

    async def end(self, *, grace: float) -> None:
        """End the group: close stdin, then TERM, then KILL, with `grace` seconds after each.

        What is left of the group when the program has exited gets TERM at once. Unread output is
        lost. A second call does nothing. Cannot be cancelled; takes two graces and a second at
        most.
        """
        if self._settled:
            return
        with anyio.CancelScope(shield=True):
            if self._process.stdin is not None:
                await self._process.stdin.aclose()
            await within(grace, self._exited)
            if not self._gone():
                group.terminate(self.group)
            if not await within(grace, self._gone):
                group.kill(self.group)
                await within(KILL_SECONDS, self._gone)
            if self._exited():
                await self._process.aclose()
        self._settle()

    def _exited(self) -> bool:
        return self._process.returncode is not None

    def _gone(self) -> bool:
        return self._exited() and not group.alive(self.group)

    def _settle(self) -> None:
        if not self._settled:
            self._settled = True
            self._on_group(self.group, False)


async def within(seconds: float, condition: Callable[[], bool]) -> bool:
    """Wait for the condition, looking ever less often: nothing tells that a group is empty.

    Returns whether it holds. For `transport` only.
    """
    pause = 0.005
    with anyio.move_on_after(seconds):
        while not condition():
            await anyio.sleep(pause)
            pause = min(2 * pause, 0.1)
    return condition()


def _find(command: str, env: Mapping[str, str], cwd: str, install: str) -> str:
    if not os.path.isdir(cwd):
        raise UserError(f"cannot start {command}: there is no directory {cwd}")
    if "/" not in command:
        path = env.get("PATH", os.defpath)
        found = shutil.which(command, path=path)
        if found is None:
            raise UserError(_missing(command, install, f"no '{command}' in PATH ({path})"))
        return os.path.abspath(found)
    program = os.path.join(cwd, os.path.expanduser(command))
    if not os.path.exists(program):
        raise UserError(_missing(command, install, f"there is no file {program}"))
    if not os.path.isfile(program) or not os.access(program, os.X_OK):
        raise UserError(f"cannot start {command}: {program} is not an executable file")
    return program


def _missing(command: str, install: str, why: str) -> str:
    """Return the sentence, with the cure before the reason: what is long is cut at its end."""
    if not install:
        return f"{command} is not installed: {why}."
    return f"{command} is not installed. Install it with: {install} ({why})"


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):  # the file is there, so it is a script
        return "the interpreter in its first line (#!) is missing"
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)
