"""What the user decides on agents' changes: keep, reject, take a turn back, return it.

Each act first folds in what the user and the disk have done since; it changes the live text, as
one step of undo in a buffer, and then the books.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from uuid import uuid4

import anyio

from acp_nvim.editor import Files
from acp_nvim.errors import RequestFailed, UserError
from acp_nvim.files.standing import Standing, put, stand
from acp_nvim.files.sync import DiskSync
from acp_nvim.files.text import apart, reconciled, with_theirs
from acp_nvim.ledger import review, rewind
from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import Author, SessionKey
from acp_nvim.ledger.hunk import ReviewHunk
from acp_nvim.ledger.ledger import Ledger
from acp_nvim.ledger.rewind import Rewound
from acp_nvim.review.log import EditLog, Turn
from acp_nvim.view.review.marks import FileReview

ATTEMPTS = 5
"""How often an act begins anew because the user types meanwhile."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The hunks of a file, and the changedtick of its buffer for which they are right."""

    review: FileReview
    tick: int | None = None
    """None: it is in no buffer."""


@dataclass(frozen=True, slots=True)
class Undone:
    """What became of an undo or a redo."""

    author: Author | None
    paths: tuple[str, ...] = ()
    """Files that were changed."""
    left: tuple[tuple[str, int], ...] = ()
    """Places, as path and 0-based row, that somebody has changed since: they stay as they are."""
    unsaved: tuple[str, ...] = ()
    """Files that had unsaved edits, so that they were not saved."""
    failed: tuple[str, ...] = ()
    """What could not be done, in sentences."""


def unlearned(session: SessionKey, path: str, theirs: str | None) -> None:
    """Tell no agent."""


class Decisions:
    """Carries out what the user decides. Paths are resolved, rows 0-based of the live text.

    `learned` is told, by session, the text of a file before something of the agent's was taken
    back in it.
    """

    def __init__(
        self,
        edits: EditLog,
        files: Files,
        watch: DiskSync,
        *,
        learned: Callable[[SessionKey, str, str | None], None] = unlearned,
    ) -> None:
        self._edits = edits
        self._files = files
        self._watch = watch
        self._learned = learned
        self.acts = anyio.Lock()
        """For who carries out the user's commands: one at a time, as they came."""

    async def look(self, path: str) -> Seen:
        """Return the hunks of a file as it is now; none if it holds no text any more."""
        async with self._watch.still():
            standing = await self._look(path)
        if standing is None:
            return Seen(FileReview(path, 0))
        buffer = standing.buffer
        review = FileReview(path, standing.rows, self._edits.changes(path))
        return Seen(review, None if buffer is None else buffer.changedtick)

    async def keep(self, path: str, rows: range | None = None) -> int:
        """Keep the hunks in these rows, or those of the whole file; return how many."""
        async with self._watch.still():
            await self._look(path)
            ledger = self._edits.ledger(path)
            decided = None if ledger is None else review.keep(ledger, rows)
            if decided is None or not decided.count:
                return 0
            self._edits.put(path, decided.ledger)
            return decided.count

    async def reject(self, path: str, rows: range | None = None) -> int:
        """Bring back what stood in these rows, or in the whole file; return how many hunks.

        Raises `UserError`, and then nothing has changed.
        """
        counts: list[int] = []
        sessions: set[SessionKey] = set()

        def turn_back(ledger: Ledger) -> Ledger | None:
            found = review.changes(ledger)
            if not found:
                return None
            decided = review.reject(ledger, found[-1].authors[-1], self._edits.now(), rows)
            counts.append(decided.count)
            sessions.clear()
            sessions.update(_sessions(found, review.changes(decided.ledger)))
            return decided.ledger if decided.count else None

        async with self._watch.still():
            await self._change(path, turn_back, sessions)
        return counts[-1] if counts else 0

    async def resolve(self, conflict: Conflict, *, take: bool) -> None:
        """End a conflict: take the agent's text in its places, or leave the user's there.

        Raises `UserError`, and then nothing has changed.
        """
        path = conflict.path
        async with self._watch.still():
            for _ in range(ATTEMPTS):
                standing = await self._stand(path)
                ours = standing.text or ""
                text = with_theirs(conflict.base, ours, conflict.theirs) if take else standing.text
                asks = conflict.on_disk and standing.buffer is not None and standing.buffer.modified
                is_done = text == standing.text and not asks
                if is_done or await put(self._files, standing, text, settled=conflict.on_disk):
                    await self._watch.saw(path)
                    self._edits.wrote(path, standing.text, text, conflict.author)
                    self._edits.settled(path)
                    return
        raise UserError(f"{path} keeps changing: try again")

    async def undo(self, turn: Turn) -> Undone:
        """Take back what that turn has changed, in all files."""
        batch = uuid4().hex

        def take_back(ledger: Ledger) -> Rewound:
            return rewind.undo(ledger, turn.author, batch, self._edits.now())

        return await self._rewind(turn.paths, turn.author, take_back, learns=True)

    async def redo(self, session: SessionKey) -> Undone | None:
        """Return what the session's last undo has taken back; None if there is nothing."""
        last = self._edits.last_undo(session)
        if last is None:
            return None
        batch, paths = last
        deltas = (delta for path in paths for delta in rewind.undone(self._ledger(path)))
        author = next(delta.author for delta in deltas if delta.batch == batch)

        def return_it(ledger: Ledger) -> Rewound:
            return rewind.redo(ledger, batch)

        return await self._rewind(paths, author, return_it, learns=False)

    # --- the parts of an act

    async def _rewind(
        self,
        paths: tuple[str, ...],
        author: Author,
        turn: Callable[[Ledger], Rewound],
        *,
        learns: bool,
    ) -> Undone:
        done: list[str] = []
        left: list[tuple[str, int]] = []
        unsaved: list[str] = []
        failed: list[str] = []
        # what is returned is as the agent had left it
        sessions = {(author.agent, author.session)} if learns else set()
        async with self._watch.still():
            for path in paths:
                outcomes: list[Rewound] = []

                def move(ledger: Ledger, outcomes: list[Rewound] = outcomes) -> Ledger | None:
                    outcomes.append(turn(ledger))
                    return outcomes[-1].ledger if outcomes[-1].ledger is not ledger else None

                try:
                    standing = await self._change(path, move, sessions)
                except UserError as error:
                    failed.append(str(error))
                    continue
                left += [(path, row) for row in outcomes[-1].left] if outcomes else []
                if standing is not None and outcomes[-1].count:
                    done.append(path)
                    is_unsaved = standing.buffer is not None and standing.buffer.modified
                    unsaved += [path] if is_unsaved else []
        return Undone(author, tuple(done), tuple(left), tuple(unsaved), tuple(failed))

    async def _change(
        self,
        path: str,
        turn: Callable[[Ledger], Ledger | None],
        sessions: set[SessionKey],
    ) -> Standing | None:
        """Make of the file what `turn` makes of its ledger; the caller holds `still`.

        Returns how it stood before, None if nothing was to be done. Raises `UserError`.
        """
        for _ in range(ATTEMPTS):
            standing = await self._look(path, raising=True)
            ledger = self._edits.ledger(path)
            after = None if ledger is None or standing is None else turn(ledger)
            if standing is None or after is None:
                return None
            form = after.form
            if after.text == standing.text or await put(self._files, standing, after.text, form):
                await self._watch.saw(path)
                for session in sessions:
                    self._learned(session, path, standing.text)
                went = after.text is None and standing.text is not None
                self._edits.put(path, replace(after, form=standing.form) if went else after)
                return standing
        raise UserError(f"{path} keeps changing: try again")

    async def _look(self, path: str, *, raising: bool = False) -> Standing | None:
        """Fold in what the disk and the user have done since; return how the file stands.

        The caller holds `still`: a change half taken note of would be taken for the user's.
        """
        try:
            standing = await self._stand(path)
        except UserError:
            if raising:
                raise
            return None
        conflict = self._edits.conflict(path)
        if conflict is not None and standing.text is not None:
            self._weigh(conflict, standing.text)
        self._edits.saw(path, standing.text)
        return standing

    def _weigh(self, conflict: Conflict, live: str) -> None:
        """See where both stand apart now: the user edits on, or takes over what the agent has."""
        places = apart(conflict.base, live, conflict.theirs)
        if not places:
            without, conflicts = reconciled(conflict.theirs, live, conflict.base)
            if not conflicts:  # else the user has gone on in it, so that it is the user's
                self._edits.wrote(conflict.path, without, live, conflict.author)
            self._edits.settled(conflict.path)
        elif places != conflict.places:
            self._edits.conflicted(replace(conflict, places=places))

    async def _stand(self, path: str) -> Standing:
        await self._watch.settle(path)
        try:
            return await stand(self._files, path)
        except RequestFailed as error:
            raise UserError(error.message) from error

    def _ledger(self, path: str) -> Ledger:
        return self._edits.ledger(path) or Ledger()


def _sessions(before: Iterable[ReviewHunk], after: Iterable[ReviewHunk]) -> set[SessionKey]:
    """Return whose hunks are no longer as they were."""
    hunks = Counter(replace(it, first=0) for it in before)
    hunks.subtract(replace(it, first=0) for it in after)
    return {(it.agent, it.session) for hunk in +hunks for it in hunk.authors}
