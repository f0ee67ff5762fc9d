"""What the user decides on agents' changes: keep, reject, undo a turn, redo it.

Each act first folds in what the user and the disk have done since; it changes the live text, as
one step of undo in a buffer, and then the history.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Container, Iterable
from contextlib import suppress
from functools import partial
from typing import TypeAlias
from uuid import uuid4

import anyio
from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.aside import aside_if_large
from acp_nvim.editor import Files, OpenFile
from acp_nvim.errors import FileProblem, UserError
from acp_nvim.files import disk
from acp_nvim.files.event import Emit, TakenBack
from acp_nvim.files.live import LiveFile, load
from acp_nvim.files.sync import DiskSync
from acp_nvim.files.text import buffer_text, taken, with_theirs
from acp_nvim.history import review, switch
from acp_nvim.history.author import Author, DoerKey, TurnKey
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.file import File, Turned
from acp_nvim.review.acting import (
    ATTEMPTS,
    Acting,
    Held,
    Rows,
    keeps_changing,
    when_free,
    why_not,
)
from acp_nvim.review.log import EditLog, Turn
from acp_nvim.review.merging import Merging
from acp_nvim.review.outcome import (
    Acted,
    Lost,
    Turning,
    Undone,
    all_of,
    leaving,
    missing,
    not_removed,
    sessions_of,
    unrecoverable,
)
from acp_nvim.review.restoring import Restoring
from acp_nvim.view.review.marks import FileReview

Doers: TypeAlias = tuple[DoerKey, ...]


class Seen(Struct, frozen=True):
    """The hunks of a file, and the changedtick of its buffer for which they are right."""

    review: FileReview
    tick: int | None = None
    """None: it is in no buffer."""


class Decisions(Acting):
    """Carries out what the user decides. Paths are resolved, rows 0-based of the live text."""

    def __init__(self, log: EditLog, files: Files, sync: DiskSync, emit: Emit) -> None:
        super().__init__(log, files, sync, emit)
        self._restoring = Restoring(self)
        self.merging = Merging(self)
        self.acts = anyio.Lock(fast_acquire=True)
        """For who carries out the user's commands: one at a time, as they came."""
        self.left: set[TurnKey] = set()
        """Turns of which the user was asked what to do with the rest, and has left it."""
        self.lost = Lost()

    async def catch_up(self, paths: Collection[str], *, closed: bool = False) -> None:
        """Fold in what the user has done since in those of these files that are open: one call of
        the editor tells which are as they were. `closed`: in the others, too."""
        opened = {it.path: it for it in await self.files.survey(["/"])} if paths else {}
        for path in paths:
            file = opened.get(path)
            if (file or closed) and not self._is_as_seen(path, file):
                await self.look(path)

    def _is_as_seen(self, path: str, file: OpenFile | None) -> bool:
        if file is None:
            synced = disk.stamp(path)
            now = 0, 0, synced
        else:
            synced = file.synced
            now = file.number, file.changedtick, file.encoding
        return self.looked.get(path) == now and self.sync.is_in_step(path, synced)

    async def look(
        self, path: str, *, kept: bool = False, found: Callable[[], object] = lambda: None
    ) -> Seen:
        """Return the hunks of a file as it is now; none if it holds no text any more.

        `kept`: also those that the user has kept. `found` is called when the log has what disk
        and user have done since: they tell of that, too, and of all that comes afterwards.
        """
        async with self.sync.exclusive():
            live = await self.seen_now(path)
            found()
        review = await self.reviewed(path, live, kept=kept)
        buffer = None if live is None else live.buffer
        return Seen(review, None if buffer is None else buffer.changedtick)

    async def told(self, path: str, *, found: Callable[[], object] = lambda: None) -> Seen:
        """Return the hunks of a file as the log has it, if its buffer was left with that text, or
        agents have nothing in it: it is not looked at, and who draws them learns whether they are
        stale. Else `look`."""
        buffer, file = self.files.known(path), self.log.file(path)
        if buffer is None or self.log.is_missing(path):
            return await self.look(path, found=found)
        if file is not None:
            if file.text != buffer_text(buffer):
                return await self.look(path, found=found)
            self.looked[path] = buffer.number, buffer.changedtick, buffer.encoding
        found()
        return Seen(await self.reviewed(path, LiveFile(path, buffer=buffer)), buffer.changedtick)

    async def keep(self, path: str, rows: Rows = None, *, by: Doers = ()) -> int:
        """Keep the hunks in these rows, or those of the whole file; return how many.

        `by`: only what these have done. Raises `UserError`, and then nothing has changed.
        """
        async with self.sync.exclusive():
            live, at = await self.placed(path, rows, self.seen_now)
            return await self._keep(path, at, "" if live is None else live.read_text, by)

    async def _keep(self, path: str, rows: range | None, text: str, by: Doers = ()) -> int:
        file = None if self.log.is_missing(path) else self.log.file(path)
        keeping = partial(review.keep, file or File(), rows, by)
        decided = await aside_if_large(keeping, text)
        if decided.count:
            self.log.put(path, decided.file)
        return decided.count

    async def reject(
        self,
        path: str,
        rows: Rows = None,
        *,
        found: bool = True,
        because: str = "",
        by: Doers = (),
    ) -> int:
        """Bring back what stood in these rows, or in the whole file; return how many hunks.

        `because`: why, for the agent; `by`: only what these have done. Without `found` a hunk stays
        in which an agent is only supposed to have had a hand. Raises `UserError`, and then nothing
        has changed.
        """

        def turn_back(file: File, rows: range | None) -> Turned:
            hunks = review.changes(file)
            if not hunks:
                return Turned(file)
            decided = review.reject(file, self.log.now(), rows, found=found, by=by)
            if not decided.count:
                return Turned(file)
            sessions = sessions_of(hunks, review.changes(decided.file))
            return replace(decided, sessions=sessions)

        changing = partial(self._change, path, turn_back, rows, because=because)
        turned = (await when_free(self.sync, changing)).turned
        if turned.missing:
            raise UserError(missing(path))
        return turned.count

    async def conflict(self, path: str, rows: Rows = None) -> Conflict | None:
        """Return the conflict of a file if it has a place in these rows. Raises `UserError`."""
        if self.log.conflict(path) is None:
            return None
        async with self.sync.exclusive():
            _, at = await self.placed(path, rows, self.seen_now)
        found = self.log.conflict(path)
        is_meant = at is None or any(
            first < at.stop and at.start < max(last, first + 1)
            for first, last in (() if found is None else found.places)
        )
        return found if is_meant else None

    async def resolve(self, conflict: Conflict, *, take: bool) -> None:
        """End a conflict: take the agent's text in its places, or leave the user's there.

        Raises `UserError`, and then nothing has changed.
        """
        await when_free(self.sync, partial(self._resolve, conflict, take=take))

    async def take(self, conflict: Conflict, rows: Rows) -> int:
        """End a conflict: take the agent's text in its places, and keep that.

        Keep what else is in these rows as well; None: in all. Return how many hunks were kept.
        Raises `UserError`, and then nothing has changed.
        """
        return await when_free(self.sync, partial(self._take, conflict, rows))

    async def _take(self, conflict: Conflict, rows: Rows) -> int:
        path = conflict.path
        text, at = await self._resolve(conflict, rows, take=True)
        before = text or ""
        if at is None:
            return await self._keep(path, None, before)
        meant = taken(conflict.base, before, conflict.theirs, at)
        return sum([await self._keep(path, each, before) for each in meant])

    async def _resolve(
        self, conflict: Conflict, rows: Rows = None, *, take: bool
    ) -> tuple[str | None, range | None]:
        """Return the text as it was before, and where the rows were in it."""
        path = conflict.path
        if not take and await self._restoring.restore(conflict):
            return None, None
        for _ in range(ATTEMPTS):
            live, at = await self.placed(path, rows, partial(self.load, changing=True))
            text = live.exact
            if take and text is None and conflict.base:
                raise UserError(missing(path))
            now = with_theirs(conflict.base, text or "", conflict.theirs) if take else text
            asks = conflict.on_disk and live.buffer is not None and live.buffer.modified
            is_done = now == text and not asks
            self.log.writes(path, text, now, conflict.author)
            if await self.make(live, now, settled=conflict.on_disk, is_done=is_done):
                self.log.wrote(path, text, now, conflict.author)
                self.log.settled(path)
                return text, at
        raise keeps_changing(path)

    async def theirs(self, conflict: Conflict) -> str:
        """Return the agent's text of a conflict as it is read."""
        live = await load(self.files, conflict.path)
        return live.read(conflict.theirs) or ""

    async def undo(self, turn: Turn, *, found: bool = True, batch: str = "") -> Undone:
        """Take back what that turn has changed, in all files.

        Without `found` what the agent is only supposed to have done stays as it is.
        `batch` is that of an undo without: what this takes back more is one with it.
        """
        lost = {} if batch else self.lost_of(turn)
        waits = () if batch else self.waiting(turn.author.has, known=turn.paths)
        conflicts = () if batch else self.on_disk(turn)
        batch = batch or uuid4().hex
        sessions = frozenset({turn.author.session_key})

        def take_back(file: File, _rows: range | None) -> Turned:
            whole = switch.redo(file, batch).file
            rewound = switch.undo(whole, turn.author, batch, self.log.now(), found=found)
            is_idle = rewound.file is whole
            return replace(rewound, file=file if is_idle else rewound.file, sessions=sessions)

        tried = tuple(it for it in turn.paths if it not in lost)
        undone = await self._rewind(tried, turn.author, take_back)
        failed = (*undone.failed, *unrecoverable(lost), *waits)
        undone = replace(undone, batch=batch, failed=failed)
        undone = await self._restoring.of_turn(undone, turn, found=found)
        still = [
            it for it in conflicts if it.path not in undone.found
        ]  # the user is asked of these
        return replace(undone, failed=(*undone.failed, *await self.stands(still)))

    def lost_of(self, turn: Turn) -> dict[str, str]:
        """Return what of that turn cannot be undone, and why: nobody knows what it was, or it holds
        no text now."""
        lost = self.lost.of(turn.author.has)
        return {
            path: why
            for path, why in lost.items()
            if path not in turn.paths or self.sync.holds_no_text(path)
        }

    def waiting(
        self, is_meant: Callable[[Author], bool], *, known: Container[str] = ()
    ) -> list[str]:
        """Name what these have changed and the editor could not take yet; `known`: files that are
        tried anyhow."""
        found = self.sync.deferred.of(is_meant)
        return [why_not(path, problem) for path, problem in found if path not in known]

    def on_disk(self, turn: Turn) -> tuple[Conflict, ...]:
        """Return the conflicts of that turn in which the disk has the agent's text."""
        conflicts = self.log.conflicts()
        return tuple(it for it in conflicts if it.on_disk and turn.author.has(it.author))

    async def stands(self, conflicts: Iterable[Conflict]) -> list[str]:
        """Name what the disk still has of these against what the user has not saved."""
        files = [(it, await load(self.files, it.path)) for it in conflicts]
        there = (it.path for it, live in files if live.unsaved and live.read_text == it.theirs)
        return [f"{it} is on the disk as the agent left it until you write yours" for it in there]

    async def unsaved(self, is_meant: Callable[[Author], bool]) -> list[str]:
        """Return the files of which the disk has yet what these have changed, and the buffer has
        not, as after `u`."""
        modified = (it.path for it in await self.files.survey(["/"]) if it.modified)
        files = [(path, file) for path in modified if (file := self.log.file(path)) is not None]
        theirs = [it for it in files if any(is_meant(each.author) for each in it[1].changes)]
        lives = [(await load(self.files, path), file) for path, file in theirs]
        return [live.path for live, file in lives if _is_undone_here(live, file)]

    async def redo(self, batch: str) -> Undone | None:
        """Return what the undo of this batch has taken back; None if there is nothing."""
        undone = self.log.undone_by(batch)
        if not undone:
            return None

        def bring_back(file: File, _rows: range | None) -> Turned:
            # what is redone is as the agent had left it: nothing for it to learn
            return switch.redo(file, batch)

        redone = await self._rewind(tuple(undone), next(iter(undone.values())), bring_back)
        return await self._restoring.again(redone, batch)

    # --- the parts of an act

    async def _rewind(self, paths: tuple[str, ...], author: Author, turn: Turning) -> Undone:
        done: list[Acted] = []
        failed: dict[str, UserError] = dict.fromkeys(paths, UserError())

        async def change_rest() -> None:
            # twice: a file and a folder of one name make room for each other
            for path in (it for it in (*failed, *failed) if it in failed):
                try:
                    done.append(await self._change(path, turn, saves=True))
                    del failed[path]
                except UserError as error:
                    failed[path] = error
            for held in failed.values():
                if isinstance(held, Held) and held.passes:
                    raise held

        with suppress(Held):
            await when_free(self.sync, change_rest)
        return all_of(author, done, {path: str(error) for path, error in failed.items()})

    async def _change(
        self,
        path: str,
        turn: Turning,
        rows: Rows = None,
        *,
        because: str = "",
        saves: bool = False,
    ) -> Acted:
        """Make of the file what `turn` makes of its history; the caller holds `exclusive`.

        `saves`: also a modified buffer, of which nothing is unsaved but what agents have done.
        Returns what became of it, with the file as it was before. Raises `UserError`.
        """
        self._make_room(path, turn, rows)
        for _ in range(ATTEMPTS):
            live, at = await self.placed(path, rows, self.fold_in)
            file = self.log.file(path)
            if file is None:
                return Acted(path, Turned(File()))
            turning = partial(turn, file, at)
            is_theirs = saves and await self._is_theirs(live, file)
            turned = await aside_if_large(turning, live.read_text)
            turned = self._not_removed(turned, file, live)
            after = turned.file
            if after is file:
                return Acted(path, turned)
            if self.log.is_missing(path):
                if live.problem is not None:
                    raise UserError(str(live.problem)) from live.problem
                return Acted(path, Turned(file, missing=True))
            after = leaving(live, after)
            form = replace(after.attributes, mode=switch.mode_after(file, after, live.mode))
            self.log.puts(path, live.exact, after)
            is_same = after.text == live.exact
            if await self.make(live, after.text, form, saves=is_theirs, is_done=is_same):
                theirs, ours = live.read(live.exact), live.read(after.text)
                for session in turned.sessions if turned.count else ():
                    self.emit(TakenBack(session, path, theirs, ours, because))
                self.log.put(path, after)
                return Acted(path, turned, live, is_theirs)
        raise keeps_changing(path)

    async def _is_theirs(self, live: LiveFile, file: File) -> bool:
        """Tell whether what is not saved in a modified buffer is nothing but agents' doing."""
        is_open = live.buffer is not None and live.buffer.modified
        if not is_open or live.disk is None or self.log.conflict(live.path) is not None:
            return False
        telling = partial(review.differs_by_agents, file, live.disk)
        return await aside_if_large(telling, live.read_text)

    def _make_room(self, path: str, turn: Turning, rows: Rows) -> None:
        """Remove an empty folder, or a link that leads nowhere, where a file that is gone is to be
        again: a link to something may be the user's own. Raises `UserError`."""
        file = self.log.file(path)
        leads = os.path.islink(path) and os.path.exists(path)
        if rows is None and file is not None and file.text is None and not leads:
            try:
                if turn(file, None).file.text is not None:
                    disk.make_room(path)
            except FileProblem as problem:
                raise UserError(str(problem)) from problem

    def _not_removed(self, turned: Turned, file: File, live: LiveFile) -> Turned:
        """Return it so that no file goes that has on the disk what stands against the buffer."""
        conflict, buffer = self.log.conflict(live.path), live.buffer
        if conflict is None or live.disk is None or buffer is None:
            return turned
        stands = conflict.on_disk and buffer.modified
        return not_removed(turned, file, live, self.log.now()) if stands else turned


def _is_undone_here(live: LiveFile, file: File) -> bool:
    """Tell whether a change of an agent's is on the disk, and undone in the buffer."""
    there, shown = ({*(text or "").splitlines()} for text in (live.read_text, live.shown))
    return bool(file.gone_of_agents() & there - shown or file.back_of_agents() & shown - there)
