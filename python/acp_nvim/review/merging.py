"""Brings what an agent has made of a file elsewhere, in a worktree, into the user's own file.

As one change of that agent's turn: merged with what the user has by now, unsaved text included, and
under review from then on. What the user has changed, too, stays, and stands against it.
"""

from __future__ import annotations

import os
from functools import partial

from msgspec import Struct

from acp_nvim.aside import aside_if_large
from acp_nvim.errors import UserError
from acp_nvim.files.encoding import exact_text
from acp_nvim.files.event import Conflicted
from acp_nvim.files.text import reconciled
from acp_nvim.history.attributes import FileAttributes
from acp_nvim.history.author import Author
from acp_nvim.history.conflict import Conflict
from acp_nvim.hunks import ConflictRegion
from acp_nvim.review.acting import ATTEMPTS, Acting, keeps_changing, when_free


class Foreign(Struct, frozen=True):
    """What an agent has made of a file elsewhere: of `base`, None for no file, `theirs`; `mode`:
    that of a new file, 0 for the usual one."""

    path: str
    base: bytes | None
    theirs: bytes | None
    author: Author
    mode: int = 0


class Brought(Struct, frozen=True):
    """Whether the live text is another by it, and whether something of the user's stands against
    it."""

    is_new: bool
    is_conflict: bool = False


class Merging:
    """For what the user decides."""

    def __init__(self, acting: Acting) -> None:
        self._acting = acting

    async def bring(self, foreign: Foreign) -> Brought:
        """Bring it in, and count it to its author. Raises `UserError`, and then nothing has
        changed."""
        return await when_free(self._acting.sync, partial(self._bring, foreign))

    async def _bring(self, foreign: Foreign) -> Brought:
        path, author, log = foreign.path, foreign.author, self._acting.log
        for _ in range(ATTEMPTS):
            live = await self._acting.fold_in(path)
            text, encoding = live.exact, live.encoding
            base, theirs = (
                None if it is None else exact_text(it, encoding)
                for it in (foreign.base, foreign.theirs)
            )
            merging = partial(_merged, os.path.basename(path), base, text, theirs)
            now, places = await aside_if_large(merging, text or "", theirs or "")
            log.writes(path, text, now, author, encoding)
            form, is_same = FileAttributes(foreign.mode), now == text
            if await self._acting.make(live, now, form, is_done=is_same):
                log.wrote(path, text, now, author, encoding, live.attributes)
                if places:
                    at = tuple((it.first, it.last) for it in places)
                    sides = base or "", theirs or ""
                    self._acting.emit(Conflicted(Conflict(path, author, *sides, at, on_disk=False)))
                return Brought(not is_same, bool(places))
        raise keeps_changing(path)


def _merged(
    name: str, base: str | None, text: str | None, theirs: str | None
) -> tuple[str | None, tuple[ConflictRegion, ...]]:
    """Return the user's text with what fits of theirs, and where it does not. Raises `UserError`
    where a file is gone on one side and has changed on the other."""
    if theirs is None:
        if text is None or text == base:
            return None, ()
        raise UserError(f"{name} was removed there, and you have changed it: it stays")
    if text is None:
        if base is None:
            return theirs, ()
        raise UserError(f"{name} was changed there, and you have removed it: it stays away")
    return reconciled(base or "", text, theirs)
