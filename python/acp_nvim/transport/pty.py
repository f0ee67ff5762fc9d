"""One program on a pseudo-terminal of the host, in a session and process group of its own.

A pty of ours and not `jobstart({term = true})`, which loses the end of the output. Whoever holds a
`Pty` must `end` it. Called by `terminals`.
"""

from __future__ import annotations

import fcntl
import os
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from functools import partial

import anyio

from acp_nvim.errors import UserError
from acp_nvim.session.terminal import ExitStatus
from acp_nvim.transport import group
from acp_nvim.transport.child import KILL_SECONDS, OnGroup, exit_status, within

CHUNK = 1 << 16
"""Bytes that are read before others get their turn."""
POLL = 0.02
"""Seconds between two looks at a process, where the kernel cannot tell of its end."""


def spawn(
    argv: Sequence[str],
    *,
    env: Mapping[str, str],
    folder: int,
    on_group: OnGroup,
    rows: int,
    columns: int,
) -> Pty:
    """Start a program and return it; `argv[0]` is its path, `env` its whole environment.

    It works in the open `folder`: a name could lead elsewhere by now. `on_group` as in
    `child.spawn`. Raises `UserError` if it cannot be started.
    """
    master, slave = os.openpty()
    try:
        _set_size(slave, rows, columns)
        process = subprocess.Popen(
            list(argv),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=dict(env),
            start_new_session=True,
            preexec_fn=partial(_settle_in, folder),
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        os.close(master)
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise UserError(f"cannot start {argv[0]}: {reason}") from error
    finally:
        os.close(slave)
    os.set_blocking(master, False)
    pty = Pty(process, master, on_group)
    on_group(pty.group, True)
    return pty


class Pty:
    """A running program and its terminal; made by `spawn`."""

    def __init__(self, process: subprocess.Popen[bytes], master: int, on_group: OnGroup) -> None:
        self._process = process
        self._master = master
        self._on_group = on_group
        self._closed = False
        self._settled = False

    @property
    def group(self) -> int:
        """The process group: that of the pid, because the program leads a session."""
        return self._process.pid

    async def receive(self, turn: anyio.Lock) -> bytes:
        """Return the next bytes of its output; b"" when nobody holds the terminal any more.

        Of all that share a `turn` one is read in each pass of the loop, however many there are.
        """
        while True:
            async with turn:  # waiting for it is where a cancellation loses nothing
                data = self.rest()
            if data is not None:
                return data
            await anyio.wait_readable(self._master)

    def rest(self) -> bytes | None:
        """Return the next bytes that are there already; None if there are none by now."""
        data = bytearray()
        while len(data) < CHUNK:
            try:
                piece = os.read(self._master, CHUNK)
            except BlockingIOError:
                return bytes(data) or None
            except OSError:  # EIO: the last one has closed it
                piece = b""
            if not piece:
                break
            data += piece
        return bytes(data)

    async def send(self, data: bytes) -> None:
        """Type into it, waiting while it takes no more; without effect once it is closed."""
        while data and not self._closed:
            try:
                data = data[os.write(self._master, data) :]
            except BlockingIOError:
                await anyio.wait_writable(self._master)
            except OSError:
                return

    def resize(self, rows: int, columns: int) -> None:
        """Tell the program the size of its terminal."""
        if not self._closed:
            _set_size(self._master, rows, columns)

    async def wait(self) -> ExitStatus:
        """Return how the program ended, once it has; there may still be output to be read."""
        while (code := self._process.poll()) is None:
            await _ended(self._process.pid)
        return exit_status(code)

    async def end(self, *, grace: float) -> None:
        """End the group, and what has the terminal's foreground: TERM, then KILL.

        A second call does nothing. Cannot be cancelled; takes grace and a second at most.
        """
        if self._settled:
            return
        with anyio.CancelScope(shield=True):
            for each in self._groups():
                group.terminate(each)
            if not await within(grace, self._gone):
                for each in self._groups():
                    group.kill(each)
                await within(KILL_SECONDS, self._gone)
        self.settle()

    def close(self) -> None:
        """Close the terminal: nothing more is read of it."""
        if not self._closed:
            self._closed = True
            os.close(self._master)

    def settle(self) -> None:
        """Say that the group is empty, if it is."""
        if not self._settled and self._gone():
            self._settled = True
            self._on_group(self.group, False)

    def _gone(self) -> bool:
        return self._process.poll() is not None and not group.alive(self.group)

    def _groups(self) -> set[int]:
        groups = {self.group}
        if not self._closed:
            try:
                groups.add(os.tcgetpgrp(self._master))
            except OSError:  # nobody has it
                return groups
        return {each for each in groups if each > 1}


async def _ended(pid: int) -> None:
    """Wait until a child of ours has ended; the kernel tells on Linux only."""
    if sys.platform == "linux":
        try:
            descriptor = os.pidfd_open(pid)
        except OSError:  # an old kernel, or a sandbox
            await anyio.sleep(POLL)
            return
        try:
            await anyio.wait_readable(descriptor)
        finally:
            os.close(descriptor)
    else:
        await anyio.sleep(POLL)


def _settle_in(folder: int) -> None:
    # In the child, between fork and exec: a new session has no terminal until it takes one.
    os.fchdir(folder)
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def _set_size(descriptor: int, rows: int, columns: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
