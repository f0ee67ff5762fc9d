"""The merge base of a change of the disk: of which text it was made. Pure.

Nobody says whether a program that writes a file had read what the disk held, or has an older text
in mind and writes all of it anew: see `history.versions`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

from acp_nvim.files.encoding import WIDE, Misfit, clean, encoded, is_misread
from acp_nvim.history.versions import nearest


class Candidate(Struct, frozen=True):
    """A text that a change may have been made of, as agents read it.

    `encoding`: that of the buffer by which it was read, "" without one.
    """

    text: str
    encoding: str


class Lineage(Struct, frozen=True):
    """The texts that a change of the disk may have been made of, besides what the disk held; of two
    that are as near the first counts. `repeated`: a whole text that an agent wrote through us, with
    which nothing is new."""

    candidates: tuple[Candidate, ...] = ()
    repeated: str | None = None

    def knows(self, text: str, encoding: str) -> bool:
        """Return whether an exact text of a buffer with that encoding is one of these."""
        read = clean(text, encoding)
        return any(it.text == read for it in self.candidates)

    def base(self, before: str, after: str, encoding: str) -> str:
        """Return what `after` was made of, where the disk held `before`: both exact texts, of a
        buffer with that encoding."""
        if before and after and (before[:1] in WIDE) != (after[:1] in WIDE):
            return before  # the one has characters, the other bytes that are none
        if clean(after, encoding) == self.repeated:
            return after
        return nearest((*self._exact(before, encoding), before), after)

    def _exact(self, before: str, encoding: str) -> Iterator[str]:
        for it in self.candidates:
            if it.encoding != encoding and is_misread(it.text, before, it.encoding, encoding):
                continue  # its lines would be taken for others'
            with suppress(Misfit):  # then the change was made of none of its lines
                yield encoded("", it.text, before, encoding, sure=False)


UNKNOWN_LINEAGE = Lineage()
