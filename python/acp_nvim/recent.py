"""What was made of long texts a moment ago: each of them is split, decoded and compared once.

One act has few texts, and asks for the lines of each, and for their differences, again and again.
Which text it is, is seen a hundred times sooner than it is split. Pure; forgotten each second.
"""

from __future__ import annotations

from collections.abc import Callable, Sized
from typing import Any, Final, TypeVar, cast

M = TypeVar("M")

MOST: Final = 24
LINES: Final = 500
CHARACTERS: Final = 10_000
"""So many make a text long."""


class Recent:
    """The last that was made, of whatever never changes: texts, bytes, tuples."""

    def __init__(self) -> None:
        self._known: tuple[tuple[object, object, Any], ...] = ()

    def made(self, of: Sized, by: object, make: Callable[[], M], *, size: int = 0) -> M:
        """Return what is made of that, by that: by whoever asks first. What is short is made.

        `size`: how many lines there are, if they are not those of a tuple.
        """
        is_long = size or len(of)
        if is_long < (LINES if isinstance(of, tuple) else CHARACTERS):
            return make()
        for known, its, made in self._known:
            if _is_same(known, of) and _is_same(its, by):
                return cast("M", made)
        made = make()
        self._known = (*self._known, (of, by, made))[-MOST:]
        return made

    def origin(self, made: object, by: object) -> object:
        """Return that of which this was made, None if that is not known."""
        return next((of for of, its, it in self._known if it is made and its == by), None)

    def forget(self) -> None:
        """Keep nothing: some of it may be large."""
        self._known = ()


def _is_same(one: object, other: object) -> bool:
    """Compare texts and bytes, and of all else only which it is."""
    return one is other or (isinstance(one, (str, bytes)) and one == other)


RECENT: Final = Recent()
