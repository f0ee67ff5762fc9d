"""The books of what agents have done to files: one ledger a file, kept on disk, and the conflicts.

Whoever changes a file tells it here; nothing here touches a file. See `review.decisions` for what
the user decides.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, get_args

import anyio
from msgspec import Struct

from acp_nvim.aside import LARGE, aside
from acp_nvim.files.event import DiskChanged, FileWritten, WriteBegun
from acp_nvim.files.text import apart
from acp_nvim.history.attributes import UNKNOWN_ATTRIBUTES, FileAttributes
from acp_nvim.history.author import Author, SessionKey, TurnKey
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.facts import Fact, Off, Wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import had
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.history.review import State, changes, origin
from acp_nvim.history.switch import turns, undone
from acp_nvim.review.removed import gone_on, removals
from acp_nvim.review.standing import rewritten, weighed, with_older
from acp_nvim.review.told import Encodings, seen, written
from acp_nvim.session.origin import Stretch
from acp_nvim.storage.edits import EditStore
from acp_nvim.storage.entries import Begun, Done, Dropped, Stands, digest
from acp_nvim.storage.histories import Book

MANY: Final = 5_000
"""Lines for which a thread pays."""


class Turn(Struct, frozen=True):
    """A turn of an agent, and the files that it has changed."""

    key: TurnKey
    author: Author
    paths: tuple[str, ...]


class _Foreseen(Struct, frozen=True):
    """What is made of a ledger by something that is told of next."""

    by: tuple[object, ...]
    was: File | None
    ledger: File


class EditLog:
    """Takes note; `changed` is told each path whose ledger, or conflict, is another now."""

    def __init__(
        self,
        store: EditStore,
        *,
        now: Callable[[], float],
        changed: Callable[[str], None],
        passed: Callable[[float], None] = lambda _at: None,
    ) -> None:
        """Take who tells the time, and is told that `passed`: the newest that is in the books."""
        self._store = store
        self.now = now
        """Seconds since 1970."""
        self._changed = changed
        self._passed = passed
        self._ledgers: dict[str, File] = {}
        self._conflicts: dict[str, Conflict] = {}
        self._begun: dict[str, list[Begun]] = {}
        """What hosts had begun and not ended when the histories were read."""
        self._left: dict[str, FileAttributes] = {}
        self._missing: set[str] = set()
        self._encodings: dict[str, str] = {}
        self._foreseen: _Foreseen | None = None
        self._last: tuple[File, str | None] = File(), None
        self._hunks: dict[tuple[str, State], tuple[ReviewHunk, ...]] = {}
        """As far as somebody has asked for them since the file's ledger is as it is."""
        self._restored = False
        self._restoring = anyio.Lock()

    async def restore(self) -> None:
        """Take up what an earlier host has kept; only the first call does anything.

        Any call returns when that is done: what is written before would be in books of its own.
        """
        async with self._restoring:
            kept = [] if self._restored else await self._store.read_all()
            self._restored = True
        # what is done from now on is newer, though the clock was set back: undo goes by that
        self._passed(max((book.file.at for book in kept if book.file), default=0.0))
        for book in kept:
            if book.path not in self._ledgers:
                self._take(book)

    def read_on(self, path: str) -> None:
        """Take what other Neovims have added to a file's history: whoever acts knows of it."""
        book = self._store.histories.read_on(path)
        if book is not None:
            self._take(book)

    def read_all_on(self) -> None:
        """Take what other Neovims have added to any history."""
        for path in self.paths():
            self.read_on(path)
        for book in self._store.histories.unknown():
            self._take(book)

    def _take(self, book: Book) -> None:
        path = book.path
        self._begun[path] = [*book.begun.values()]
        self._forget_hunks(path)
        if book.file is not None:
            self._ledgers[path] = book.file
        else:
            self._ledgers.pop(path, None)
        if book.conflict is not None:
            self._conflicts[path] = book.conflict
        else:
            self._conflicts.pop(path, None)
        self._changed(path)

    # --- what happens

    def wrote(
        self, path: str, before: str | None, after: str | None, author: Author, encoding: str = ""
    ) -> None:
        """An agent has made `after` of `before` (None: no file); nothing if they are equal.

        `encoding`: that of its buffer, "" without one.
        """
        self.read_on(path)
        if before != after:
            self.weigh(path, before)  # the user may have given up the text that stood against it
            form = self._left.pop(path, UNKNOWN_ATTRIBUTES)
            self._wrote(path, before, after, author, form, encoding)
            conflict = self._conflicts.get(path)
            if conflict and after and not apart(conflict.base, after, conflict.theirs):
                self.settled(path)  # what stood against the user's text is counted by this

    def _wrote(
        self,
        path: str,
        before: str | None,
        after: str | None,
        author: Author,
        form: FileAttributes,
        encoding: str,
    ) -> None:
        was, both = self._ledgers.get(path), self._both(path, encoding)
        making = partial(written, was, before, after, author, both, self.now)
        ledger = self._made((path, before, after, author), was, making)
        self._encodings[path] = encoding
        self._keep(path, had(ledger, ledger.attributes.then(form, gone=after is None)))

    async def foresee(self, fact: WriteBegun | FileWritten | DiskChanged) -> None:
        """Find out in a thread what is made of a large file, of which that is told next."""
        path, before, after, author = fact.path, fact.before, fact.after, fact.author
        by = path, before, after, author
        is_known = self._foreseen is not None and self._foreseen.by == by
        if author is not None and len(before or "") + len(after or "") > LARGE and not is_known:
            was, both = self._ledgers.get(path), self._both(path, fact.encoding)
            with suppress(Exception):  # `wrote` meets it again, and all others are told
                made = await aside(partial(written, was, before, after, author, both, self.now))
                self._foreseen = _Foreseen(by, was, made)

    async def look(self, path: str, text: str | None, encoding: str = "") -> None:
        """`saw`, of which a thread does what takes long; nobody else may change the ledger."""
        self.read_on(path)
        ledger = self._ledgers.get(path)
        if ledger is not None and text is not None and len(text) > LARGE:
            seeing = partial(self._seen, path, ledger, text, encoding)
            self._foreseen = _Foreseen((path, text, encoding), ledger, await aside(seeing))
        self.saw(path, text, encoding)

    def _seen(self, path: str, ledger: File, text: str, encoding: str) -> File:
        if self._text(ledger) == text:
            return ledger
        return seen(ledger, text, self._both(path, encoding), self.now)

    def _both(self, path: str, encoding: str) -> Encodings:
        return encoding, self._encodings.get(path, "")

    def _made(self, by: tuple[object, ...], was: File | None, make: Callable[[], File]) -> File:
        found, self._foreseen = self._foreseen, None
        return found.ledger if found and found.was is was and found.by == by else make()

    def _text(self, ledger: File) -> str | None:
        """Return the text of a ledger; that of the last one is known."""
        if self._last[0] is not ledger:
            self._last = ledger, ledger.text
        return self._last[1]

    def left(self, path: str, form: FileAttributes) -> None:
        """A file was like that on disk before an agent has changed it; `wrote` is told next."""
        self._left[path] = form

    def conflicted(self, conflict: Conflict) -> None:
        """Both have changed the same place."""
        path = conflict.path
        self.read_on(path)
        conflict = with_older(conflict, self._conflicts.get(path))
        self._conflicts[path] = conflict
        self._store.histories.append(path, (Stands(conflict),), self._ledgers.get(path))
        self._changed(path)

    def rewritten(self, path: str, author: Author, live: str, theirs: str) -> None:
        """The disk has another text of that agent's, and nothing of it stands against the user."""
        older = self._conflicts.get(path)
        if older is not None and older.author.session_key == author.session_key:
            newer = rewritten(older, live, theirs)
            self.settled(path) if newer is None else self.conflicted(newer)

    def weigh(self, path: str, live: str | None) -> None:
        """See where both stand apart in the live text: the user edits on, or has taken over what
        the agent has, or given up their text, and then that is counted to it."""
        conflict = self._conflicts.get(path)
        if conflict is None:
            return
        now = weighed(conflict, live, self._ledgers.get(path))
        if isinstance(now, Conflict):
            if now is not conflict:
                self.conflicted(now)
            return
        if now is not None:
            form, encoding = FileAttributes(conflict.mode), self._encodings.get(path, "")
            self._wrote(path, *now, conflict.author, form, encoding)
        self.settled(path)

    def settled(self, path: str) -> None:
        """What the agent wrote there is in the live text now: an older conflict is over."""
        if self._conflicts.pop(path, None) is not None:
            self._store.histories.append(path, (Stands(),), self._ledgers.get(path))
            self._changed(path)

    def saw(self, path: str, text: str | None, encoding: str = "") -> None:
        """The user has made this text of the file; nothing if no agent ever changed it.

        A file that the user has moved or deleted is missing: should it come back, all that was
        known of it still holds. `encoding`: that of its buffer, "" without one.
        """
        self.read_on(path)
        ledger = self._ledgers.get(path)
        if ledger is None:
            return
        if text is None and self._text(ledger) is not None:
            if path not in self._missing:
                self._missing.add(path)
                self._changed(path)
        elif text is not None and self._text(ledger) != text:
            seeing = partial(self._seen, path, ledger, text, encoding)
            against = gone_on(path, ledger, text)
            self._keep(path, self._made((path, text, encoding), ledger, seeing))
            if against is not None:
                self.conflicted(against)
        elif path in self._missing:
            self._missing.remove(path)
            self._changed(path)
        if text is not None:
            self._encodings[path] = encoding

    def put(self, path: str, ledger: File) -> None:
        """Let this be the file's ledger from now on: the user has decided."""
        self._keep(path, ledger)
        conflict, text = self._conflicts.get(path), self._text(ledger)
        if conflict and text is not None and not apart(conflict.base, text, conflict.theirs):
            self.settled(path)  # that it is as the disk has it is this decision's doing

    def _keep(self, path: str, ledger: File) -> None:
        self._missing.discard(path)
        self._forget_hunks(path)
        facts = _since(self._ledgers.get(path), ledger)
        self._ledgers[path] = ledger
        histories = self._store.histories
        histories.append(path, histories.ended(path, facts), ledger)
        self._changed(path)

    def _forget_hunks(self, path: str) -> None:
        for state in get_args(State):
            self._hunks.pop((path, state), None)

    def forget(self, session: SessionKey | None) -> tuple[str, ...]:
        """Keep nothing any more of what that session has done, None: of what any has.

        Return the files of which something stays: other sessions have changed them as well.
        """
        shared: list[str] = []
        for path in self.paths():
            conflict = self._conflicts.get(path)
            if conflict is not None and session in (None, conflict.author.session_key):
                self.settled(path)
            ledger = self._ledgers.get(path)
            who = {it.author.session_key for it in ledger.changes} if ledger is not None else set()
            if ledger is not None and (session is None or who == {session}):
                del self._ledgers[path]
                self._forget_hunks(path)
                self._store.histories.forget(path)
                self._changed(path)
            elif session in who:
                shared.append(path)
        return tuple(shared)

    # --- before it happens, and after a kill

    def writes(
        self,
        path: str,
        before: str | None,
        after: str | None,
        author: Author,
        encoding: str = "",
    ) -> None:
        """An agent's text is about to be written; `wrote` tells when it is."""
        self.read_on(path)
        if before != after:
            was, both = self._ledgers.get(path), self._both(path, encoding)
            making = partial(written, was, before, after, author, both, self.now)
            by = path, before, after, author
            made = self._made(by, was, making)
            self._foreseen = _Foreseen(by, was, made)
            facts = _since(was, made)
            self._store.begin(path, digest(before), digest(after), facts)

    async def noted(self) -> None:
        """Wait until a kill cannot make it undone that these were told."""
        await self._store.noted()

    def puts(self, path: str, before: str | None, ledger: File) -> None:
        """The file is about to be made what this history holds; `put` tells when it is."""
        facts = _since(self._ledgers.get(path), ledger)
        self._store.begin(path, digest(before), digest(ledger.text), facts, is_decision=True)

    def begun_by(self, host: str) -> dict[str, Begun]:
        """Return what that host, which is gone, had begun, by path."""
        found = ((path, it) for path, begun in self._begun.items() for it in begun)
        return {path: it for path, it in found if it.host == host}

    def hosts(self) -> set[str]:
        """Return the hosts that have begun something and not ended it."""
        return {it.host for begun in self._begun.values() for it in begun}

    def end(self, path: str, begun: Begun, *, done: bool) -> None:
        """Count what a host that is gone had begun, or drop it."""
        self._begun[path] = [it for it in self._begun[path] if it is not begun]
        book = Book(path, self._ledgers.get(path), begun={begun.host: begun})
        entry = Done(begun.host) if done else Dropped(begun.host)
        book.take(entry)
        if book.file is not None and done:
            self._forget_hunks(path)
            self._ledgers[path] = book.file
        self._store.histories.append(path, (entry,), book.file)
        self._changed(path)

    # --- what there is

    def paths(self) -> tuple[str, ...]:
        """Return the files that agents have changed, or wanted to, in alphabetical order."""
        return tuple(sorted({*self._ledgers, *self._conflicts}))

    def ledger(self, path: str) -> File | None:
        """Return a file's ledger, None if no agent ever changed it."""
        return self._ledgers.get(path)

    def is_missing(self, path: str) -> bool:
        """Return whether the user has moved or deleted a file that agents have changed."""
        return path in self._missing

    def changes(self, path: str, state: State = "pending") -> tuple[ReviewHunk, ...]:
        """Return the hunks of a file as it was last seen; none while it is missing."""
        ledger = None if path in self._missing else self._ledgers.get(path)
        if ledger is None:
            return ()
        if (path, state) not in self._hunks:
            self._hunks[path, state] = changes(ledger, state)
        return self._hunks[path, state]

    async def find(self, path: str, states: Sequence[State]) -> tuple[ReviewHunk, ...]:
        """Return the same in all these states, found out in a thread where the text is large."""
        ledger = self._ledgers.get(path)
        if ledger is not None and path not in self._missing:
            for state in states if ledger.size > MANY else ():
                found = await aside(partial(changes, ledger, state))
                if self._ledgers.get(path) is ledger:
                    self._hunks[path, state] = found
        return tuple(hunk for state in states for hunk in self.changes(path, state))

    def conflict(self, path: str) -> Conflict | None:
        """Return where the user and an agent stand against each other in a file."""
        return self._conflicts.get(path)

    def conflicts(self) -> tuple[Conflict, ...]:
        """Return those of all files."""
        return tuple(self._conflicts.values())

    def undone(self, path: str) -> tuple[Off, ...]:
        """Return the undos in a file that can be returned."""
        ledger = self._ledgers.get(path)
        return () if ledger is None else undone(ledger)

    def origin(self, path: str, row: int) -> Wrote | None:
        """Return what put the 0-based row into the text as it was last seen; None: no agent."""
        ledger = self._ledgers.get(path)
        return None if ledger is None else origin(ledger, row)

    def remover(self, path: str, change: ReviewHunk) -> Wrote | None:
        """Return the last delta of a hunk's last author, where nothing of it stands in the text."""
        ledger = self._ledgers.get(path)
        writes = () if ledger is None else ledger.changes
        return next((it for it in reversed(writes) if it.author == change.authors[-1]), None)

    def turns(self, *stretches: Stretch) -> tuple[Turn, ...]:
        """Return the turns in these stretches that have something to undo, the oldest first."""
        sessions = {it.key: it for it in stretches}
        changed = [(key, path) for path, it in sorted(self._ledgers.items()) for key in turns(it)]
        found: dict[TurnKey, list[str]] = {}
        for key, path in (*changed, *removals(self._conflicts.values())):
            stretch = sessions.get(key[:2])
            if stretch is not None and stretch.has(key[2]):
                found.setdefault(key, []).append(path)
        return tuple(
            Turn(key, self._author(paths[0], key), tuple(paths))
            for key, paths in sorted(found.items(), key=lambda item: item[0][3])
        )

    def last_undo(self, stretches: Sequence[Stretch] | None = None) -> str | None:
        """Return the batch of the last undo that redo can return, of turns in these stretches;
        None: of any turn."""
        sessions = {it.key: it for it in stretches or ()}
        everywhere = Stretch(("", "")) if stretches is None else None
        found = [
            delta
            for ledger in self._ledgers.values()
            for delta in undone(ledger)
            if (stretch := sessions.get(delta.author.session_key, everywhere)) is not None
            if stretch.has(delta.author.turn)
        ]
        return max(found, key=lambda it: it.at).batch if found else None

    def undone_by(self, batch: str) -> dict[str, Author]:
        """Return the files that an undo of this batch has changed, and whose turn it took back."""
        return {
            path: delta.author
            for path, ledger in sorted(self._ledgers.items())
            for delta in undone(ledger)
            if delta.batch == batch
        }

    def _author(self, path: str, key: TurnKey) -> Author:
        known = (*self._ledgers.get(path, File()).changes, self._conflicts.get(path))
        return next(it.author for it in known if it and it.author.turn_key == key)


def _since(old: File | None, new: File) -> tuple[Fact, ...]:
    """Return the facts that have come; all of them where the history begins anew."""
    known = () if old is None else old.facts
    goes_on = known and len(new.facts) >= len(known) and new.facts[len(known) - 1] is known[-1]
    return new.facts[len(known) :] if goes_on else new.facts
