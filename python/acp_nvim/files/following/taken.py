"""What follows once the live text has what the disk had new: the author knows it, all are told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from acp_nvim.aside import aside_if_large
from acp_nvim.files.baselines.baselines import Baselines, DiskChange
from acp_nvim.files.baselines.snapshot import UNKNOWN, Text, Unknown
from acp_nvim.files.conflicts import Conflicts
from acp_nvim.files.event import DiskChanged
from acp_nvim.files.following.unfinished import Late
from acp_nvim.files.knowledge import Knowledge, Sure
from acp_nvim.files.live import LiveFile
from acp_nvim.files.settle import Followed
from acp_nvim.files.text import reconciled
from acp_nvim.history.author import Author


class Taken:
    """Only `sync` calls."""

    def __init__(
        self,
        knowledge: Knowledge,
        baselines: Baselines,
        conflicts: Conflicts,
        tell: Callable[[DiskChanged], Awaitable[None]],
    ) -> None:
        self._knowledge = knowledge
        self._baselines = baselines
        self._conflicts = conflicts
        self._tell = tell

    async def took(
        self,
        live: LiveFile,
        author: Author | None,
        followed: Followed,
        change: DiskChange | None,
        is_sure: Sure,
        *,
        left: Text = UNKNOWN,
    ) -> None:
        """Tell of it; `left`: what the author left on the disk, `UNKNOWN`: what was seen there."""
        path, before, after = live.path, followed.before, followed.after
        is_new = before != after or (change is not None and change.after is None)
        if is_new or followed.conflicts:
            learning = partial(self._learn, live, author, followed, is_sure, left)
            await aside_if_large(learning, before or "", after or "")
        if is_new:
            form = None if change is None else change.form
            await self._tell(DiskChanged(path, before, after, author, form, live.encoding))
        self._conflicts.note(live, author, followed, change)

    async def took_merged(self, live: LiveFile, late: Late) -> None:
        """Tell of a change that waited, and that the editor has taken before the user wrote."""
        change, text = late.change, live.exact or ""
        if change is not None and change.after is not None:
            # beside what the user has written the rest of it may stand against that
            base = change.before or ""
            without, _ = reconciled(change.after, text, base)
            _, conflicts = reconciled(base, without, change.after)
            found = Followed(without, text, base, change.after, conflicts)
            sure = late.sure or "unlikely"
            await self.took(live, late.author, found, change, sure, left=change.after)

    def _learn(
        self, live: LiveFile, author: Author | None, followed: Followed, is_sure: Sure, left: Text
    ) -> None:
        """What an agent has made on disk it knows."""
        text = self._baselines.text(live.path, live.encoding) if left is UNKNOWN else left
        read = followed.read(live)
        self._knowledge.followed(live.path, author, read)
        is_idle = followed.before == followed.after and not followed.conflicts
        if author is None or is_idle or isinstance(text, Unknown):
            return
        self._knowledge.left(author.session_key, live, live.read(text), read, is_sure)
