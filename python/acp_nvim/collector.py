"""Keeps Python's search for circles from holding the loop: it looks at all there is, each time.

That is half a second in a session of some size, in which nothing is drawn and no cancel gets
through; and a thread that makes lists of 200,000 lines sets off searches that look at each of them.
But data of sessions is in no circles, and goes when nobody has it any more. So Python searches only
when it is told to, each second, among what is new since the last time; once more among what has
come of several times; and that, and what is much, is left out until nobody waits.
"""

from __future__ import annotations

import gc
from typing import Final

MANY: Final = 15_000
"""New objects that are left out without a search."""
FEW: Final = 700
"""New objects for which none pays."""
SEVERAL: Final = 5_000
"""New objects after which all of them are looked at once more, and then left out."""
YOUNG: Final = 1
"""The generations of what is new since the last search."""


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
        """Look at what is new, each second. Without effect before `spare`."""
        made = gc.get_count()[0]
        if not self._searches or made < FEW:
            return
        self._new += made
        if self._new < SEVERAL:
            gc.collect(YOUNG)
            return
        if self._new < MANY:
            gc.collect()
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
