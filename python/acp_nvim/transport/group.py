"""Process groups: whether one lives, and how to end it.

Agents are wrappers of wrappers (npx, node, a shell), and killing only the first leaves orphans
(C-023): everything here works on whole groups. A group that is gone is fine everywhere. Called by
`child`, by the terminals, and by `app` when the host exits.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

_PROC = "/proc"


def alive(pgid: int) -> bool:
    """Return whether a process of the group still runs; zombies do not."""
    if not _send(pgid, 0):
        return False
    # Where process 1 reaps nothing, as in many containers, the zombies of a group stay for ever.
    states = set(_states(pgid))
    return not states or not states <= {"Z", "X"}


def terminate(pgid: int) -> None:
    """Send TERM to the group."""
    _send(pgid, signal.SIGTERM)


def kill(pgid: int) -> None:
    """Send KILL to the group."""
    _send(pgid, signal.SIGKILL)


class Groups:
    """The groups that live now, so that none outlives the host."""

    def __init__(self) -> None:
        self._live: set[int] = set()

    @property
    def live(self) -> frozenset[int]:
        """The groups noted as alive."""
        return frozenset(self._live)

    def note(self, pgid: int, alive: bool) -> None:
        """Remember a new group, or forget one that is empty (the shape of `on_group`)."""
        if alive:
            self._live.add(pgid)
        else:
            self._live.discard(pgid)

    def kill_all(self) -> None:
        """Kill every group at once; for `atexit`, so it neither waits nor raises."""
        for pgid in self._live:
            kill(pgid)
        self._live.clear()


def _send(pgid: int, number: int) -> bool:
    try:
        os.killpg(pgid, number)
    except (ProcessLookupError, PermissionError):  # macOS: PermissionError if all are zombies
        return False
    return True


def _states(pgid: int) -> Iterator[str]:
    """Yield the state letter of each member; nothing where there is no /proc."""
    numbers = filter(str.isdecimal, os.listdir(_PROC)) if os.path.isdir(_PROC) else ()
    for pid in numbers:
        try:
            with open(f"{_PROC}/{pid}/stat", encoding="latin-1") as stat:
                text = stat.read()
        except OSError:  # it has just ended
            continue
        # The name stands in brackets and may itself hold brackets and spaces.
        state, _parent, group = text.rpartition(")")[2].split()[:3]
        if int(group) == pgid:
            yield state


PATIENCE = 10.0
"""Seconds that the action may take in the thread while the main thread waits."""


LATER = 1.0
"""Seconds after the start in which what is not needed for it is loaded."""
_PR_SET_PDEATHSIG = 1


def _go_on_as_an_orphan() -> None:
    """Have the kernel let this process go on when the one that has started it ends, so that it sees
    that and ends, even if it was stopped (SIGSTOP). Linux alone can do so."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGCONT)


def at_end(action: Callable[[], None]) -> None:
    """Run the action once the main thread has ended, then end the process.

    The action must neither wait nor raise. It is run once, by whoever comes first: where no worker
    thread waits, that may be `atexit`.
    """
    ending = threading.Lock()

    def end() -> None:
        if ending.acquire(blocking=False):
            action()
        else:
            time.sleep(PATIENCE)  # the other one ends the process

    def end_after_main() -> None:
        threading.main_thread().join(LATER)
        _go_on_as_an_orphan()
        threading.main_thread().join()
        if ending.acquire(blocking=False):
            try:
                action()
            finally:
                os._exit(0)

    atexit.register(end)
    threading.Thread(target=end_after_main, name="acp: end", daemon=True).start()
