"""Keeps Python's search for circles from holding the loop: it looks at all there is, each time.

That is half a second in a session of some size, in which nothing is drawn and no cancel gets
through; and a thread that makes lists of 200,000 lines sets off searches that look at each of them.
But data of sessions is in no circles, and goes when nobody has it any more. So Python searches only
when it is told to, each second, among what is new; and what is much, or has taken long, is left out
of all further searches, until nobody waits.
"""

from __future__ import annotations

import gc
from time import thread_time
from typing import Final

LONG: Final = 0.003
"""Seconds of a search after which what it has looked at is left out."""
MANY: Final = 15_000
"""New objects that are left out without a search."""
FEW: Final = 700
"""New objects for which none pays."""


class Collector:
    """The searches of one process."""

    def __init__(self) -> None:
        self._searches = False
        self._new = 0

    def spare(self) -> None:
        """Leave out the program itself, and search from now on only when told to."""
        self._searches = True
        gc.disable()
        gc.freeze()

    def search(self) -> None:
        """Look at what is new, each second: a few milliseconds. Without effect before `spare`."""
        made = gc.get_count()[0]
        if not self._searches or made < FEW:
            return
        self._new += made
        began = thread_time()
        if self._new < MANY:
            gc.collect()
        if self._new >= MANY or thread_time() - began > LONG:
            gc.freeze()
            self._new = 0

    def catch_up(self) -> None:
        """Look at all there is: nobody waits for anything now. Without effect before `spare`."""
        if self._searches:
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            self._new = 0


COLLECTOR: Final = Collector()
