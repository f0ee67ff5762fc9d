"""Ends what takes too long on an agent's text: `re` may try more ways than there are atoms.

A timer of the processor's time interrupts even a regular expression, which looks for signals now
and then; no thread would do, for it would hold the interpreter. So the worst costs its budget, and
no process is needed that could hang or stay behind.
"""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Callable
from functools import cache
from types import FrameType
from typing import TypeVar

T = TypeVar("T")

_AGAIN = 0.005
"""Seconds until the timer rings again, should somebody have caught what it raised."""


class _OverdueError(BaseException):
    """No `Exception`, which a lexer may catch."""


class _Alarm:
    """Rings only while it is `set`: one that comes late hits nothing else."""

    set = False

    def ring(self, _number: int, _frame: FrameType | None) -> None:
        """Raise in the middle of whatever the main thread does."""
        if self.set:
            raise _OverdueError


def within(seconds: float, work: Callable[[], T]) -> T | None:
    """Return what `work` returns, None if it has not by then; `seconds` of the processor's time.

    In a thread, where nothing can be interrupted, and nothing on screen waits, it has all the time.
    """
    if threading.current_thread() is not threading.main_thread():
        return work()
    alarm = _alarm()
    collects = gc.isenabled()
    gc.disable()  # it runs what others do at the end of things, which must not be interrupted
    try:
        try:
            alarm.set = True
            signal.setitimer(signal.ITIMER_VIRTUAL, seconds, _AGAIN)
            return work()
        finally:
            alarm.set = False
    except _OverdueError:
        return None
    finally:
        alarm.set = False
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if collects:
            gc.enable()


@cache
def _alarm() -> _Alarm:
    alarm = _Alarm()
    signal.signal(signal.SIGVTALRM, alarm.ring)
    return alarm
