"""The user's comments on lines of files: kept until an agent was told, and where they are now."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from uuid import uuid4

import anyio

from acp_nvim.editor import Files
from acp_nvim.errors import FileProblem
from acp_nvim.files.live import load
from acp_nvim.files.roots import inside
from acp_nvim.history.comment import Comment, overlaps, placed, rows_of
from acp_nvim.storage.json_store import JsonStore


class Comments:
    """Of all projects; `changed` is told each path whose comments are others now."""

    def __init__(
        self, files: Files, kept: JsonStore[Comment], changed: Callable[[str], None]
    ) -> None:
        self._files = files
        self._kept = kept
        self._changed = changed
        self._comments: dict[str, Comment] = {}
        """By key, in the order in which they were made."""
        self._rows: dict[str, Sequence[str]] = {}
        """By key the lines of the file in which a comment was last at its place."""
        self._underway: set[str] = set()
        """Those that a prompt has taken along which the agent has not answered yet."""

    async def restore(self) -> None:
        """Take up what an earlier host has kept; only the first call does anything."""
        kept = await self._kept.restore()
        self._comments = {it.key: it for it in kept} | self._comments
        for path in {it.path for it in kept}:
            self._changed(path)

    async def refresh(self) -> bool:
        """Take up what another Neovim has said and taken back; return whether it had."""
        before = set(self._comments)
        await self.restore()
        kept = await anyio.to_thread.run_sync(self._kept.read_all)
        is_there = self._kept.has
        new = {it.key: it for it in kept if it.key not in self._comments and is_there(it.key)}
        gone = [it.key for it in self._pending() if not is_there(it.key)]
        self._comments |= new
        self._forget(gone)
        for path in {it.path for it in new.values()}:
            self._changed(path)
        return before != self._comments.keys()

    # --- what the user does

    def add(self, path: str, first: int, lines: Sequence[str], text: str) -> None:
        """Say that on these lines, which began with the 0-based row `first`."""
        key = uuid4().hex
        last = first + len(lines)
        self._comments[key] = Comment(key, path, first, last, tuple(lines), text)
        self._kept.note(key, self._comments[key])
        self._changed(path)

    async def remove(self, path: str, rows: Callable[[], Awaitable[range]]) -> int:
        """Take back what is said on these rows; return how many comments."""
        there = await self.look(path)
        at = await rows()
        found = [it.key for it in there if overlaps(it, at.start, at.stop)]
        self._forget(found)
        return len(found)

    # --- what there is

    def paths(self) -> tuple[str, ...]:
        """Return the files with comments, in alphabetical order."""
        return tuple(sorted({it.path for it in self._pending()})) if self._comments else ()

    async def look(self, path: str) -> tuple[Comment, ...]:
        """Return the comments on a file where they are now, by their places."""
        mine = [it for it in self._pending() if it.path == path] if self._comments else ()
        rows = await self._read(path) if mine else None
        if rows is not None:
            for key in (it.key for it in mine):
                was = self._comments.get(key)  # another look may have placed it meanwhile
                if was is None:
                    continue  # it was told, or taken back, meanwhile
                now = self._comments[key] = placed(was, rows, self._rows.get(key))
                self._rows[key] = rows
                if now != was and self._kept.has(key):
                    self._kept.note(key, now)
        found = (self._comments[it.key] for it in mine if it.key in self._comments)
        return tuple(sorted(found, key=lambda it: (it.first, it.last)))

    async def within(self, folders: Iterable[str]) -> tuple[Comment, ...]:
        """Return those on files in the folders, by path and place; none that another Neovim has
        sent."""
        self._forget(it.key for it in self._pending() if not self._kept.has(it.key))
        starts = tuple(map(inside, folders))
        wanted = [path for path in self.paths() if path.startswith(starts)]
        return tuple([it for path in wanted for it in await self.look(path)])

    # --- the prompt that takes them along

    def sent(self, comments: Iterable[Comment]) -> frozenset[str]:
        """They are on their way: return what names them for `told` or `failed`."""
        keys = frozenset(it.key for it in comments) & self._comments.keys()
        self._underway |= keys
        self._tell(keys)
        return keys

    def told(self, keys: frozenset[str]) -> None:
        """The agent has them."""
        self._forget(keys)

    def failed(self, keys: frozenset[str]) -> None:
        """The agent may not have them: they wait again."""
        self._underway -= keys
        self._tell(keys)

    # --- the parts

    def _pending(self) -> list[Comment]:
        return [it for it in self._comments.values() if it.key not in self._underway]

    async def _read(self, path: str) -> list[str] | None:
        try:
            text = (await load(self._files, path)).for_agent
        except FileProblem:
            return None
        return None if text is None else rows_of(text)

    def _forget(self, keys: Iterable[str]) -> None:
        gone = [self._comments.pop(key) for key in keys if key in self._comments]
        for it in gone:
            self._rows.pop(it.key, None)
            self._underway.discard(it.key)
            self._kept.note(it.key, None)
        for path in {it.path for it in gone}:
            self._changed(path)

    def _tell(self, keys: Iterable[str]) -> None:
        for path in {self._comments[key].path for key in keys if key in self._comments}:
            self._changed(path)
