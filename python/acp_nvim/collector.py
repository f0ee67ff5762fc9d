"""Keeps Python's search for circles from holding the loop: it looks at all there is, each time.

That is half a second in a session of some size, in which nothing is drawn and no cancel gets
through. But data of sessions is in no circles, and goes when nobody has it any more. So what was
there when a search took long is left out of all further ones, until nobody waits.
"""

from __future__ import annotations

import gc
from collections.abc import Mapping
from time import perf_counter
from typing import Final

LONG: Final = 0.01
"""Seconds of a search after which what it has looked at is left out."""


class Collector:
    """The watch over the searches of one process."""

    def __init__(self) -> None:
        self._watches = False
        self._began = 0.0

    def spare(self) -> None:
        """Leave out the program itself, and from now on what takes long."""
        self._watches = True
        gc.freeze()
        gc.callbacks.append(self._watch)

    def catch_up(self) -> None:
        """Look at all there is: nobody waits for anything now. Without effect before `spare`."""
        if self._watches:
            gc.unfreeze()
            gc.collect()
            gc.freeze()

    def _watch(self, phase: str, _info: Mapping[str, int]) -> None:
        now = perf_counter()
        if phase == "start":
            self._began = now
        elif now - self._began > LONG:
            gc.freeze()


COLLECTOR: Final = Collector()
