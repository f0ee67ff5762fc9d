"""Processes that an agent has left behind: they are in a group of their own (`setsid`, `setpgid`).

Ending the agent's group does not reach them. All that an agent starts inherits a mark in its
environment, which Linux shows of each process in /proc. Elsewhere, and of a process that has
cleaned its environment, nothing is found. None is ended unless the user wants it.

`commands/agent` ends them, after the user's yes; `reactions/clients` names them.
"""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from functools import partial

import anyio
from msgspec import Struct

from acp_nvim.transport.child import KILL_SECONDS, within

VARIABLE = "ACP_NVIM_AGENT"
"""Its value is `HOST:BEGAN:SCOPE:NUMBER:AGENT`: who has started it, which of its agents it is."""

_PROC = "/proc"
_COMMAND = 4096
"""Bytes of a command line that are read."""


class Left(Struct, frozen=True):
    """A group of processes, named by the one of them that began first."""

    group: int
    pid: int
    began: int
    """When it did, in ticks since the start of the system: another process has another time."""
    command: str
    count: int = 1

    @property
    def key(self) -> str:
        """What tells it from all others of this machine."""
        return f"{self.pid}:{self.began}"


class Marks:
    """The marks of the agents of this host; an agent whose mark is `over` should have ended."""

    def __init__(self) -> None:
        self.scope = ""
        """Only hosts of the same scope, a folder for what is kept, look after one another."""
        self._host = f"{os.getpid()}:{_began(os.getpid())}"
        self._count = 0
        self._over: set[str] = set()

    def new(self, agent: str) -> str:
        """Return the value of `VARIABLE` for one more process of that agent."""
        self._count += 1
        return f"{self._host}:{_digest(self.scope)}:{self._count}:{agent}"

    def over(self, mark: str) -> None:
        """Say that nothing that has this mark should run any more."""
        self._over.add(mark)

    async def left(self, agent: str) -> tuple[Left, ...]:
        """Return what that agent has left behind, here or in a host that is gone."""
        return await anyio.to_thread.run_sync(self._left, agent)

    async def end(self, agent: str, groups: Collection[int], *, grace: float) -> tuple[Left, ...]:
        """End what it has left in these groups: TERM, then KILL; return what is there yet, and what
        has come in other groups meanwhile: it may go on in another session."""
        others = {it.group for it in await self.left(agent)}.difference(groups)
        for number, seconds in ((signal.SIGTERM, grace), (signal.SIGKILL, KILL_SECONDS)):
            members = await anyio.to_thread.run_sync(self._members, agent, groups)
            for each in members:
                _send(each, number)
            await within(seconds, partial(_are_gone, members))
        return tuple(it for it in await self.left(agent) if it.group not in others)

    def _members(self, agent: str, groups: Collection[int]) -> tuple[Left, ...]:
        return tuple(it for it in self._processes(agent) if it.group in groups)

    def _left(self, agent: str) -> tuple[Left, ...]:
        groups: dict[int, list[Left]] = {}
        for process in self._processes(agent):
            groups.setdefault(process.group, []).append(process)
        return tuple(sorted(map(_as_one, groups.values()), key=lambda it: (it.began, it.pid)))

    def _processes(self, agent: str) -> Iterator[Left]:
        return _processes(lambda mark: self._is_left(mark, agent))

    def _is_left(self, mark: str, agent: str) -> bool:
        pid, began, scope, _, name = (*mark.split(":", 4), "", "", "", "")[:5]
        if name != agent or not pid.isdecimal():
            return False
        if f"{pid}:{began}" == self._host:
            return mark in self._over
        return scope == _digest(self.scope) and str(_began(int(pid))) != began


def _digest(scope: str) -> str:
    with suppress(OSError):  # in a container, process ids are others
        scope += os.readlink(f"{_PROC}/self/ns/pid")
    return hashlib.sha256(scope.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _as_one(members: list[Left]) -> Left:
    first = min(members, key=lambda it: (it.began, it.pid))
    return Left(first.group, first.pid, first.began, first.command, len(members))


def _are_gone(members: Iterable[Left]) -> bool:
    return not any(_began(it.pid) == it.began for it in members)


def _processes(is_wanted: Callable[[str], bool]) -> Iterator[Left]:
    """Yield the processes whose mark is wanted, each as a group of one; zombies have none."""
    for name in filter(str.isdecimal, os.listdir(_PROC) if os.path.isdir(_PROC) else ()):
        mark = _mark(name)
        if mark and is_wanted(mark) and (stat := _stat(int(name))):
            command = _read(f"{_PROC}/{name}/cmdline", _COMMAND).rstrip(b"\0").replace(b"\0", b" ")
            yield Left(int(stat[2]), int(name), int(stat[19]), command.decode("utf-8", "replace"))


def _mark(pid: str) -> str:
    sought = f"{VARIABLE}=".encode()
    if sought not in (environment := _read(f"{_PROC}/{pid}/environ")):
        return ""
    found = (it for it in environment.split(b"\0") if it.startswith(sought))
    return next(found, b"").removeprefix(sought).decode("utf-8", "replace")


def _began(pid: int) -> int:
    """Return when a process began; 0 for one that is not there, and where there is no /proc."""
    stat = _stat(pid)
    return int(stat[19]) if stat else 0


def _stat(pid: int) -> list[str]:
    """Return its state, parent, group, …; nothing if it has ended."""
    # The name stands in brackets and may itself hold brackets and spaces.
    fields = _read(f"{_PROC}/{pid}/stat").decode("latin-1").rpartition(")")[2].split()
    return fields if fields and fields[0] not in "ZX" else []


def _read(path: str, most: int = -1) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(most)
    except OSError:  # it has just ended, or is not the user's
        return b""


def _send(process: Left, number: signal.Signals) -> None:
    """Signal that very process: a descriptor of it cannot come to mean another one."""
    try:
        descriptor = os.pidfd_open(process.pid)
    except OSError:  # it is gone
        return
    try:
        if _began(process.pid) == process.began:
            signal.pidfd_send_signal(descriptor, number)
    except OSError:
        return
    finally:
        os.close(descriptor)
