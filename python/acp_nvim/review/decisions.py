"""What the user decides on agents' changes: keep, reject, undo a turn, redo it.

Each act first folds in what the user and the disk have done since; it changes the live text, as
one step of undo in a buffer, and then the history.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Collection, Container, Iterable
from contextlib import suppress
from functools import partial
from typing import TypeAlias, TypeVar
from uuid import uuid4

import anyio
from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.aside import aside_if_large
from acp_nvim.editor import Busy, Files, OpenFile
from acp_nvim.errors import FileProblem, UserError
from acp_nvim.files import disk
from acp_nvim.files.baselines.snapshot import UNKNOWN
from acp_nvim.files.encoding import NotRead, decoded, guess
from acp_nvim.files.event import Emit, FilePut, TakenBack
from acp_nvim.files.live import LiveFile, load
from acp_nvim.files.sync import DiskSync
from acp_nvim.files.text import buffer_text, taken, with_theirs
from acp_nvim.files.write import left_by_put, put, stays
from acp_nvim.history import review, switch
from acp_nvim.history.attributes import UNKNOWN_ATTRIBUTES, FileAttributes
from acp_nvim.history.author import Author, DoerKey, TurnKey
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.file import File
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.review.acting import (
    ATTEMPTS,
    Held,
    Place,
    Rows,
    keeps_changing,
    when_free,
    why_not,
)
from acp_nvim.review.conflicts import is_removal
from acp_nvim.review.log import EditLog, Turn
from acp_nvim.review.merging import Merging
from acp_nvim.review.outcome import (
    Lost,
    Turned,
    Turning,
    Undone,
    all_of,
    leaving,
    made,
    missing,
    not_removed,
    sessions_of,
)
from acp_nvim.review.restoring import Restoring
from acp_nvim.view.review.marks import FileReview

Doers: TypeAlias = tuple[DoerKey, ...]
L = TypeVar("L", LiveFile, LiveFile | None)


class Seen(Struct, frozen=True):
    """The hunks of a file, and the changedtick of its buffer for which they are right."""

    review: FileReview
    tick: int | None = None
    """None: it is in no buffer."""


class Decisions:
    """Carries out what the user decides. Paths are resolved, rows 0-based of the live text."""

    def __init__(self, log: EditLog, files: Files, sync: DiskSync, emit: Emit) -> None:
        self._log = log
        self._files = files
        self._sync = sync
        self._emit = emit
        self._restoring = Restoring(log, files, sync, emit)
        self.merging = Merging(log, sync, emit, self._look, self._put)
        self.acts = anyio.Lock()
        """For who carries out the user's commands: one at a time, as they came."""
        self.left: set[TurnKey] = set()
        """Turns of which the user was asked what to do with the rest, and has left it."""
        self.lost = Lost()
        self._looked: dict[str, tuple[int, int, str]] = {}
        """By path, the buffer and its changedtick and encoding when the log had its text last; of
        a file without one 0, 0 and its stamp."""

    async def catch_up(self, paths: Collection[str], *, closed: bool = False) -> None:
        """Fold in what the user has done since in those of these files that are open: one call of
        the editor tells which are as they were. `closed`: in the others, too."""
        opened = {it.path: it for it in await self._files.survey(["/"])} if paths else {}
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
        return self._looked.get(path) == now and self._sync.is_in_step(path, synced)

    async def look(
        self, path: str, *, kept: bool = False, found: Callable[[], object] = lambda: None
    ) -> Seen:
        """Return the hunks of a file as it is now; none if it holds no text any more.

        `kept`: also those that the user has kept. `found` is called when the log has what disk
        and user have done since: they tell of that, too, and of all that comes afterwards.
        """
        async with self._sync.exclusive():
            live = await self._seen_now(path)
            found()
        review = await self._seen(path, live, kept=kept)
        buffer = None if live is None else live.buffer
        return Seen(review, None if buffer is None else buffer.changedtick)

    async def told(self, path: str, *, found: Callable[[], object] = lambda: None) -> Seen:
        """Return the hunks of a file as the log has it, if its buffer was left with that text, or
        agents have nothing in it: it is not looked at, and who draws them learns whether they are
        stale. Else `look`."""
        buffer, file = self._files.known(path), self._log.file(path)
        if buffer is None or self._log.is_missing(path):
            return await self.look(path, found=found)
        if file is not None:
            if file.text != buffer_text(buffer):
                return await self.look(path, found=found)
            self._looked[path] = buffer.number, buffer.changedtick, buffer.encoding
        found()
        return Seen(await self._seen(path, LiveFile(path, buffer=buffer)), buffer.changedtick)

    async def _seen(self, path: str, live: LiveFile | None, *, kept: bool = False) -> FileReview:
        if live is None:
            return FileReview(path, 0)
        hunks = await self._log.find(path, ("pending", "kept") if kept else ("pending",))
        return await aside_if_large(partial(_as_read, live, hunks), live.read_text)

    async def keep(self, path: str, rows: Rows = None, *, by: Doers = ()) -> int:
        """Keep the hunks in these rows, or those of the whole file; return how many.

        `by`: only what these have done. Raises `UserError`, and then nothing has changed.
        """
        async with self._sync.exclusive():
            live, at = await self._placed(path, rows, self._seen_now)
            return await self._keep(path, at, "" if live is None else live.read_text, by)

    async def _keep(self, path: str, rows: range | None, text: str, by: Doers = ()) -> int:
        file = None if self._log.is_missing(path) else self._log.file(path)
        keeping = partial(review.keep, file or File(), rows, by)
        decided = await aside_if_large(keeping, text)
        if decided.count:
            self._log.put(path, decided.file)
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
            decided = review.reject(file, self._log.now(), rows, found=found, by=by)
            if not decided.count:
                return Turned(file)
            sessions = sessions_of(hunks, review.changes(decided.file))
            return Turned(decided.file, decided.count, sessions)

        changing = partial(self._change, path, turn_back, rows, because=because)
        turned = await when_free(self._sync, changing)
        if turned.missing:
            raise UserError(missing(path))
        return turned.count

    async def conflict(self, path: str, rows: Rows = None) -> Conflict | None:
        """Return the conflict of a file if it has a place in these rows. Raises `UserError`."""
        if self._log.conflict(path) is None:
            return None
        async with self._sync.exclusive():
            _, at = await self._placed(path, rows, self._seen_now)
        found = self._log.conflict(path)
        is_meant = at is None or any(
            first < at.stop and at.start < max(last, first + 1)
            for first, last in (() if found is None else found.places)
        )
        return found if is_meant else None

    async def resolve(self, conflict: Conflict, *, take: bool) -> None:
        """End a conflict: take the agent's text in its places, or leave the user's there.

        Raises `UserError`, and then nothing has changed.
        """
        await when_free(self._sync, partial(self._resolve, conflict, take=take))

    async def take(self, conflict: Conflict, rows: Rows) -> int:
        """End a conflict: take the agent's text in its places, and keep that.

        Keep what else is in these rows as well; None: in all. Return how many hunks were kept.
        Raises `UserError`, and then nothing has changed.
        """
        return await when_free(self._sync, partial(self._take, conflict, rows))

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
        if not take and is_removal(conflict):
            await self._restoring.restore(conflict)
            return None, None
        for _ in range(ATTEMPTS):
            live, at = await self._placed(path, rows, partial(self._load, changing=True))
            text = live.exact
            if take and text is None and conflict.base:
                raise UserError(missing(path))
            now = with_theirs(conflict.base, text or "", conflict.theirs) if take else text
            asks = conflict.on_disk and live.buffer is not None and live.buffer.modified
            is_done = now == text and not asks
            self._log.writes(path, text, now, conflict.author)
            await self._log.noted()
            if is_done or await self._put(live, now, settled=conflict.on_disk):
                self._sync.decided(path, UNKNOWN if is_done else left_by_put(live, now))
                self._emit(FilePut(path, live.read(text), live.read(now)))
                self._log.wrote(path, text, now, conflict.author)
                self._log.settled(path)
                return text, at
        raise keeps_changing(path)

    async def theirs(self, conflict: Conflict) -> str:
        """Return the agent's text of a conflict as it is read."""
        live = await load(self._files, conflict.path)
        return live.read(conflict.theirs) or ""

    async def undo(self, turn: Turn, *, found: bool = True, batch: str = "") -> Undone:
        """Take back what that turn has changed, in all files.

        Without `found` what the agent is only supposed to have done stays as it is.
        `batch` is that of an undo without: what this takes back more is one with it.
        """
        lost = () if batch else self.lost.told(turn.author.has, known=turn.paths)
        waits = () if batch else self.waiting(turn.author.has, known=turn.paths)
        conflicts = () if batch else self.on_disk(turn)
        batch = batch or uuid4().hex
        sessions = frozenset({turn.author.session_key})

        def take_back(file: File, _rows: range | None) -> Turned:
            whole = switch.redo(file, batch).file
            rewound = switch.undo(whole, turn.author, batch, self._log.now(), found=found)
            is_idle = rewound.file is whole
            return made(replace(rewound, file=file) if is_idle else rewound, sessions)

        undone = await self._rewind(turn.paths, turn.author, take_back)
        undone = replace(undone, batch=batch, failed=(*undone.failed, *lost, *waits))
        undone = await self._restoring.of_turn(undone, turn, found=found)
        still = [
            it for it in conflicts if it.path not in undone.found
        ]  # the user is asked of these
        return replace(undone, failed=(*undone.failed, *await self.stands(still)))

    def waiting(
        self, is_meant: Callable[[Author], bool], *, known: Container[str] = ()
    ) -> list[str]:
        """Name what these have changed and the editor could not take yet; `known`: files that are
        tried anyhow."""
        found = self._sync.deferred.of(is_meant)
        return [why_not(path, problem) for path, problem in found if path not in known]

    def on_disk(self, turn: Turn) -> tuple[Conflict, ...]:
        """Return the conflicts of that turn in which the disk has the agent's text."""
        conflicts = self._log.conflicts()
        return tuple(it for it in conflicts if it.on_disk and turn.author.has(it.author))

    async def stands(self, conflicts: Iterable[Conflict]) -> list[str]:
        """Name what the disk still has of these against what the user has not saved."""
        files = [(it, await load(self._files, it.path)) for it in conflicts]
        there = (it.path for it, live in files if live.unsaved and live.read_text == it.theirs)
        return [f"{it} is on the disk as the agent left it until you write yours" for it in there]

    async def redo(self, batch: str) -> Undone | None:
        """Return what the undo of this batch has taken back; None if there is nothing."""
        undone = self._log.undone_by(batch)
        if not undone:
            return None

        def bring_back(file: File, _rows: range | None) -> Turned:
            # what is redone is as the agent had left it: nothing for it to learn
            return made(switch.redo(file, batch), frozenset())

        return await self._rewind(tuple(undone), next(iter(undone.values())), bring_back)

    # --- the parts of an act

    async def _rewind(self, paths: tuple[str, ...], author: Author, turn: Turning) -> Undone:
        done: list[Turned] = []
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
            await when_free(self._sync, change_rest)
        return all_of(author, done, {path: str(error) for path, error in failed.items()})

    async def _change(
        self,
        path: str,
        turn: Turning,
        rows: Rows = None,
        *,
        because: str = "",
        saves: bool = False,
    ) -> Turned:
        """Make of the file what `turn` makes of its history; the caller holds `exclusive`.

        `saves`: also a modified buffer, of which nothing is unsaved but what agents have done.
        Returns what became of it, with the file as it was before. Raises `UserError`.
        """
        self._make_room(path, turn, rows)
        for _ in range(ATTEMPTS):
            live, at = await self._placed(path, rows, self._look)
            file = self._log.file(path)
            if file is None:
                return Turned(file or File(), path=path)
            turning = partial(turn, file, at)
            is_theirs = saves and await self._is_theirs(live, file)
            turned = await aside_if_large(turning, live.read_text)
            turned = self._not_removed(turned, file, live)
            turned = replace(turned, path=path, saves=is_theirs)
            after = turned.file
            if after is file:
                return turned
            if self._log.is_missing(path):
                if live.problem is not None:
                    raise UserError(str(live.problem)) from live.problem
                return Turned(file, missing=True, path=path)
            after = leaving(live, after)
            form = replace(after.attributes, mode=switch.mode_after(file, after, live.mode))
            self._log.puts(path, live.exact, after)
            await self._log.noted()
            is_same = after.text == live.exact
            if is_same or await self._put(live, after.text, form, saves=is_theirs):
                left = UNKNOWN if is_same else left_by_put(live, after.text, saves=is_theirs)
                self._sync.decided(path, left)
                theirs, ours = live.read(live.exact), live.read(after.text)
                self._emit(FilePut(path, theirs, ours))
                for session in turned.sessions if turned.count else ():
                    self._emit(TakenBack(session, path, theirs, ours, because))
                self._log.put(path, after)
                return replace(turned, live=live)
        raise keeps_changing(path)

    async def _is_theirs(self, live: LiveFile, file: File) -> bool:
        """Tell whether what is not saved in a modified buffer is nothing but agents' doing."""
        is_open = live.buffer is not None and live.buffer.modified
        if not is_open or live.disk is None or self._log.conflict(live.path) is not None:
            return False
        telling = partial(review.differs_by_agents, file, live.disk)
        return await aside_if_large(telling, live.read_text)

    def _make_room(self, path: str, turn: Turning, rows: Rows) -> None:
        """Remove an empty folder, or a link that leads nowhere, where a file that is gone is to be
        again: a link to something may be the user's own. Raises `UserError`."""
        file = self._log.file(path)
        leads = os.path.islink(path) and os.path.exists(path)
        if rows is None and file is not None and file.text is None and not leads:
            try:
                if turn(file, None).file.text is not None:
                    disk.make_room(path)
            except FileProblem as problem:
                raise UserError(str(problem)) from problem

    def _not_removed(self, turned: Turned, file: File, live: LiveFile) -> Turned:
        """Return it so that no file goes that has on the disk what stands against the buffer."""
        conflict, buffer = self._log.conflict(live.path), live.buffer
        if conflict is None or live.disk is None or buffer is None:
            return turned
        stands = conflict.on_disk and buffer.modified
        return not_removed(turned, file, live, self._log.now()) if stands else turned

    async def _placed(
        self, path: str, rows: Rows, look: Callable[[str], Awaitable[L]]
    ) -> tuple[L, range | None]:
        """Look at the file so, and return it and where the rows are in it. Raises `UserError`."""
        for _ in range(ATTEMPTS):
            live = await look(path)
            if rows is None or isinstance(rows, range):
                return live, rows
            if not isinstance(rows, Place):
                return live, rows(await self._seen(path, live))
            at = await rows.at(None if live is None else live.buffer)
            if at is not None:
                return live, at
        raise keeps_changing(path)

    async def _seen_now(self, path: str) -> LiveFile | None:
        """Do the same for who changes nothing; None for a file that holds no text."""
        try:
            return await self._look(path, changing=False)
        except UserError:
            return None

    async def _look(self, path: str, *, changing: bool = True) -> LiveFile:
        """Fold in what the disk and the user have done since; return the file as it is now.

        The caller holds `exclusive`: a change half taken note of would be taken for the user's.
        Raises `UserError`, as `_load` does.
        """
        live = await self._load(path, changing=changing)
        self._log.weigh(path, live.exact)
        await self._log.look(path, live.exact, live.encoding)
        at = live.buffer
        self._looked[path] = (
            (0, 0, live.stamp) if at is None else (at.number, at.changedtick, at.encoding)
        )
        return live

    async def _load(self, path: str, *, changing: bool) -> LiveFile:
        """Return the file with what the disk has new. Raises `UserError` if it is no text, or if it
        is to be changed and the user is in the middle of a command in it."""
        synced = await self._sync.sync(path)
        if changing and isinstance(synced.problem, Busy):
            raise Held(path, synced.problem)
        if changing and isinstance(synced.problem, NotRead):
            raise UserError(str(stays(path, synced.problem)))
        live = synced.live
        if live.buffer is None and live.problem is not None:
            raise UserError(str(live.problem)) from live.problem
        return live

    async def _put(
        self,
        live: LiveFile,
        text: str | None,
        attributes: FileAttributes = UNKNOWN_ATTRIBUTES,
        *,
        settled: bool = False,
        saves: bool = False,
    ) -> bool:
        """See `put`; raises `UserError`."""
        try:
            return await put(self._files, live, text, attributes, settled=settled, saves=saves)
        except Busy as busy:
            raise Held(live.path, busy) from busy
        except FileProblem as problem:
            raise UserError(str(problem)) from problem


def _as_read(live: LiveFile, found: Iterable[ReviewHunk]) -> FileReview:
    """Return the hunks as they are read, in their order: the history has exact lines."""
    encoding = live.encoding or guess(live.exact or "")
    hunks = sorted(found, key=lambda it: (it.first, it.last))
    return FileReview(live.path, live.rows, tuple(_read(it, encoding) for it in hunks))


def _read(hunk: ReviewHunk, encoding: str) -> ReviewHunk:
    """Return a hunk with its lines as they are read."""
    added, removed = (
        tuple(decoded(line, encoding) for line in lines) for lines in (hunk.added, hunk.removed)
    )
    return replace(hunk, added=added, removed=removed)
