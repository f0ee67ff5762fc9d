"""What agents have done to files: one history a file, kept on disk, in which conflicts are, too.

Whoever changes a file tells it here; nothing here touches a file. See `review.decisions` for what
the user decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, TypeAlias, get_args

import anyio
from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.aside import LARGE, aside, aside_if_large
from acp_nvim.files.event import DiskChanged, FileWritten, WriteBegun
from acp_nvim.files.roots import inside
from acp_nvim.files.text import apart, reconciled
from acp_nvim.history.attributes import UNKNOWN_ATTRIBUTES, FileAttributes
from acp_nvim.history.author import Author, DoerKey, SessionKey, TurnKey
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.facts import Fact, Off, Wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin, fold, had
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.history.line import FILE
from acp_nvim.history.review import State, changes, origin
from acp_nvim.history.switch import undoable, undone
from acp_nvim.history.versions import nearest
from acp_nvim.review.conflicts import gone_on, restorable, weighed, with_older
from acp_nvim.review.recode import recoded
from acp_nvim.session.origin import Stretch
from acp_nvim.storage.edits import EditStore
from acp_nvim.storage.entries import (
    Begun,
    Done,
    Dropped,
    Entry,
    History,
    Restored,
    Stands,
    digest,
)
from acp_nvim.storage.histories import News
from acp_nvim.view.styled import plural

MANY: Final = 5_000
"""Lines for which a thread pays."""

Encodings: TypeAlias = tuple[str, str]
"""That of the file's buffer, and the one when its lines were as they are in the history; "" without
a buffer."""


class Turn(Struct, frozen=True):
    """A turn of an agent, or what one of its sub-agents has done in it, and the changed files."""

    author: Author
    paths: tuple[str, ...]

    @property
    def key(self) -> TurnKey:
        """What names the turn."""
        return self.author.turn_key


class _Foreseen(Struct, frozen=True):
    """What is made of a file by something that is told of next, and then done."""

    by: tuple[object, ...]
    was: File | None
    file: File


class EditLog:
    """Takes note; `changed` is told each path whose history is another now."""

    def __init__(
        self,
        store: EditStore,
        *,
        now: Callable[[], float],
        changed: Callable[[str], None],
        passed: Callable[[float], None] = lambda _at: None,
    ) -> None:
        """Take who tells the time, and is told that `passed`: the newest that is in the log."""
        self._store = store
        self.now = now
        """Seconds since 1970."""
        self._changed = changed
        self._passed = passed
        self._histories: dict[str, History] = {}
        self._others: dict[str, File] = {}
        """Files as they were before other Neovims went on with them, by path."""
        self._missing: set[str] = set()
        self._encodings: dict[str, str] = {}
        self._foreseen: _Foreseen | None = None
        self._hunks: dict[tuple[str, State], tuple[ReviewHunk, ...]] = {}
        """As far as somebody has asked for them since the file's history is as it is."""
        self._restored = False
        self._restoring = anyio.Lock(fast_acquire=True)

    # --- what others have done

    async def restore(self) -> None:
        """Take up what an earlier host has kept; only the first call does anything.

        Any call returns when that is done: what is written before would be a history of its own.
        """
        async with self._restoring:
            kept = [] if self._restored else await self._store.read_all()
            self._restored = True
        # what is done from now on is newer, though the clock was set back: undo goes by that
        self._passed(max((it.file.at for it in kept if it.file), default=0.0))
        for it in kept:
            if self._history(it.path).file is None:
                self._know(it)

    async def read_on(self, path: str) -> None:
        """Take what other Neovims have added to a file's history: whoever acts knows of it."""
        histories = self._store.histories
        if histories.is_behind(path):
            self._take(await aside(partial(histories.news, self._history(path))))

    async def read_all_on(self) -> None:
        """Take what other Neovims have added to any history."""
        for path in [*self._histories]:
            await self.read_on(path)
        histories = self._store.histories
        for news in await aside(histories.unknown) if histories.has_unknown() else ():
            self._take(news)

    def _read_on(self, path: str) -> None:
        """Do it at once: most often somebody has a moment ago."""
        histories = self._store.histories
        if histories.is_behind(path):
            self._take(histories.news(self._history(path)))

    def _take(self, news: News | None) -> None:
        history = None if news is None else self._store.histories.take(news)
        if history is not None:
            file = self._history(history.path).file
            if file is None and history.file is not None:
                file = fold(history.file.facts[:1])
            if file is not None:
                self._others.setdefault(history.path, file)
            self._know(history)

    async def met(self, path: str, before: str | None, after: str | None) -> str | None:
        """Return what the file held before a change, with what other Neovims have made of it."""
        await self.read_on(path)
        history, own, now = self._history(path), self._store.journal.name, digest(after)
        if any(host != own and it.after == now for host, it in history.begun.items()):
            return after
        was, file = self._others.get(path), history.file
        if was is None or file is None or before == after:
            return before
        meeting = partial(_met, was, file, before, after)
        return await aside_if_large(meeting, before or "", after or "")

    def _history(self, path: str) -> History:
        return self._histories.get(path) or History(path)

    def _know(self, history: History) -> None:
        path = history.path
        for state in get_args(State):
            self._hunks.pop((path, state), None)
        self._histories[path] = history
        self._changed(path)

    # --- what happens

    def wrote(
        self,
        path: str,
        before: str | None,
        after: str | None,
        author: Author,
        encoding: str = "",
        left: FileAttributes | None = None,
    ) -> None:
        """An agent has made `after` of `before` (None: no file); nothing if they are equal.

        `encoding`: that of its buffer, "" without one. `left`: how the file was on disk before.
        """
        self._read_on(path)
        if before != after:
            self.weigh(path, before)  # the user may have given up the text that stood against it
            self._wrote(path, before, after, author, left or UNKNOWN_ATTRIBUTES, encoding)
            conflict = self._history(path).conflict
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
        file = self._written(path, before, after, author, encoding)
        self._encodings[path] = encoding
        self._keep(path, had(file, file.attributes.then(form, gone=after is None)))

    def _written(
        self, path: str, before: str | None, after: str | None, author: Author, encoding: str
    ) -> File:
        was, both = self._history(path).file, self._both(path, encoding)
        making = partial(_written, was, before, after, author, both, self.now)
        return self._made((before, after, author), was, making)

    async def foresee(self, fact: WriteBegun | FileWritten | DiskChanged) -> None:
        """Find out in a thread what is made of a large file, of which that is told next."""
        texts = fact.before, fact.after
        await self.read_on(fact.path)
        if fact.author is not None and _takes_long(self.file(fact.path), *texts):
            writing = partial(self._written, fact.path, *texts, fact.author, fact.encoding)
            with suppress(Exception):  # `wrote` meets it again, and all others are told
                await aside(writing)

    async def look(self, path: str, text: str | None, encoding: str = "") -> None:
        """`saw`, of which a thread does what takes long; nobody else may change the history."""
        await self.read_on(path)
        file = self._history(path).file
        if file is not None and text is not None and _takes_long(file, text):
            await aside(partial(self._seen, path, file, text, encoding))
        self.saw(path, text, encoding)

    def _seen(self, path: str, file: File, text: str, encoding: str) -> File:
        if file.text == text:
            return file
        seeing = partial(_seen, file, text, self._both(path, encoding), self.now)
        return self._made((text, encoding), file, seeing)

    def _both(self, path: str, encoding: str) -> Encodings:
        return encoding, self._encodings.get(path, "")

    def _made(self, by: tuple[object, ...], was: File | None, make: Callable[[], File]) -> File:
        """Return what is made of a file by that: once, though it is told before it is done."""
        found = self._foreseen
        if found is None or found.was is not was or found.by != by:
            found = self._foreseen = _Foreseen(by, was, make())
        return found.file

    def conflicted(self, conflict: Conflict) -> None:
        """Both have changed the same place."""
        self._read_on(conflict.path)
        older = self._history(conflict.path).conflict
        self._add(conflict.path, Stands(with_older(conflict, older)))

    def weigh(self, path: str, live: str | None) -> None:
        """See where both stand apart in the live text: the user edits on, or has taken over what
        the agent has, or given up their text, and then that is counted to it."""
        conflict = self._history(path).conflict
        if conflict is None:
            return
        now = weighed(conflict, live, self._history(path).file)
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
        if self._history(path).conflict is not None:
            self._add(path, Stands())

    def restored(self, conflict: Conflict, batch: str) -> None:
        """That undo has put back what the agent has removed below the user's text."""
        undo = Off(conflict.author, batch, self.now())
        self._add(conflict.path, Restored(undo, conflict))

    def _add(self, path: str, entry: Entry) -> None:
        history = self._history(path).then(entry)
        self._store.histories.append(path, (entry,), history.file)
        self._know(history)

    def saw(self, path: str, text: str | None, encoding: str = "") -> None:
        """The user has made this text of the file; nothing if no agent ever changed it.

        A file that the user has moved or deleted is missing: should it come back, all that was
        known of it still holds. `encoding`: that of its buffer, "" without one.
        """
        self._read_on(path)
        file = self._history(path).file
        if file is None:
            return
        if text is None and file.text is not None:
            if path not in self._missing:
                self._missing.add(path)
                self._changed(path)
        elif text is not None and file.text != text:
            against = gone_on(path, file, text)
            self._keep(path, self._seen(path, file, text, encoding))
            if against is not None:
                self.conflicted(against)
        elif path in self._missing:
            self._missing.remove(path)
            self._changed(path)
        if text is not None:
            self._encodings[path] = encoding

    def put(self, path: str, file: File) -> None:
        """Let the file be that from now on: the user has decided."""
        self._keep(path, file)
        conflict, text = self._history(path).conflict, file.text
        if conflict and text is not None and not apart(conflict.base, text, conflict.theirs):
            self.settled(path)  # that it is as the disk has it is this decision's doing

    def _keep(self, path: str, file: File) -> None:
        self._missing.discard(path)
        self._others.pop(path, None)
        self._foreseen = None
        history, histories = self._history(path), self._store.histories
        histories.append(path, histories.ended(path, _since(history.file, file)), file)
        self._know(replace(history, file=file))

    def forget(self, session: SessionKey | None) -> tuple[str, ...]:
        """Keep nothing any more of what that session has done, None: of what any has.

        Return the files of which something stays: other sessions have changed them as well.
        """
        shared: list[str] = []
        for path in self.paths():
            conflict, file = self._history(path).conflict, self._history(path).file
            if conflict is not None and session in (None, conflict.author.session_key):
                self.settled(path)
            who = {it.author.session_key for it in file.changes} if file is not None else set()
            if file is not None and (session is None or who == {session}):
                self._store.histories.forget(path)
                self._know(History(path))
            elif session in who:
                shared.append(path)
        return tuple(shared)

    def forget_below(self, folder: str) -> None:
        """Keep nothing any more of files in that folder: it is gone."""
        for path in self.paths():
            if path.startswith(inside(folder)):
                self._store.histories.forget(path)
                self._know(History(path))

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
        self._read_on(path)
        if before != after:
            was, made = (
                self._history(path).file,
                self._written(path, before, after, author, encoding),
            )
            self._store.begin(path, (before, after), _since(was, made), was)

    async def noted(self) -> None:
        """Wait until a kill cannot make it undone that these were told."""
        await self._store.noted()

    def puts(self, path: str, before: str | None, file: File) -> None:
        """The file is about to be made what this is; `put` tells when it is."""
        was, texts = self._history(path).file, (before, file.text)
        self._store.begin(path, texts, _since(was, file), was, is_decision=True)

    def begun_by(self, host: str) -> dict[str, Begun]:
        """Return what that host, which is gone, had begun, by path."""
        return {path: it.begun[host] for path, it in self._histories.items() if host in it.begun}

    def hosts(self) -> set[str]:
        """Return the hosts that have begun something and not ended it."""
        return {host for it in self._histories.values() for host in it.begun}

    def made(self, path: str, begun: Begun) -> str | None:
        """Return the text that a file has where that was done; None for no file."""
        file = self._history(path).then(Done(begun.host)).file
        return None if file is None else file.text

    def end(self, path: str, begun: Begun, *, done: bool) -> None:
        """Count what a host that is gone had begun, or drop it."""
        self._add(path, Done(begun.host) if done else Dropped(begun.host))

    # --- what there is

    def paths(self) -> tuple[str, ...]:
        """Return the files that agents have changed, or wanted to, in alphabetical order."""
        known = self._histories.items()
        return tuple(sorted(path for path, it in known if it.file is not None or it.conflict))

    def file(self, path: str) -> File | None:
        """Return a file as its history has it, None if no agent ever changed it."""
        return self._history(path).file

    def _files(self) -> dict[str, File]:
        return {path: file for path in self.paths() if (file := self.file(path)) is not None}

    def is_missing(self, path: str) -> bool:
        """Return whether the user has moved or deleted a file that agents have changed."""
        return path in self._missing

    def changes(self, path: str, state: State = "pending") -> tuple[ReviewHunk, ...]:
        """Return the hunks of a file as it was last seen; none while it is missing."""
        file = None if path in self._missing else self.file(path)
        if file is None:
            return ()
        if (path, state) not in self._hunks:
            self._hunks[path, state] = changes(file, state)
        return self._hunks[path, state]

    async def find(self, path: str, states: Sequence[State]) -> tuple[ReviewHunk, ...]:
        """Return the same in all these states, found out in a thread where the text is large."""
        file = self.file(path)
        if file is not None and path not in self._missing and file.size > MANY:
            for state in [it for it in states if (path, it) not in self._hunks]:
                found = await aside(partial(changes, file, state))
                if self.file(path) is file:
                    self._hunks[path, state] = found
        return tuple(hunk for state in states for hunk in self.changes(path, state))

    def conflict(self, path: str) -> Conflict | None:
        """Return where the user and an agent stand against each other in a file."""
        return self._history(path).conflict

    def conflicts(self) -> tuple[Conflict, ...]:
        """Return those of all files."""
        return tuple(it.conflict for it in self._histories.values() if it.conflict is not None)

    def origin(self, path: str, row: int) -> Wrote | None:
        """Return what put the 0-based row into the text as it was last seen; None: no agent."""
        file = self.file(path)
        return None if file is None else origin(file, row)

    def counts(self, path: str, author: Author) -> tuple[tuple[int, int], ...]:
        """Return how many lines each change of that turn has added to a file, and removed."""
        writes = (self.file(path) or File()).changes
        return tuple(_count(it) for it in writes if it.author.turn_key == author.turn_key)

    def written_by(self, path: str, row: int) -> tuple[Wrote, str] | None:
        """Return what an agent has done at the 0-based row, and what became of it; None: nothing.

        If no agent has put the line there, that is what took lines out above it.
        """
        pending, writes = self.changes(path), (self.file(path) or File()).changes
        if (change := self.origin(path, row)) is not None:
            waits = any(row in range(it.first, it.last) for it in pending)
            return change, "pending" if waits else "kept"
        for hunk in (*pending, *self.changes(path, "kept")):
            by = (it for it in reversed(writes) if it.author == hunk.authors[-1])
            if hunk.first == row and not hunk.added and (gone := next(by, None)):
                what = hunk.form or f"removed {plural(len(hunk.removed), 'line')} above"
                return gone, f"{hunk.state} · {what}"
        return None

    def turns(self, *stretches: Stretch, by: str = "") -> tuple[Turn, ...]:
        """Return the turns in these stretches that have something to undo, the oldest first.

        `by`: the name of a sub-agent, of which only that is meant.
        """
        changed = [(who, path) for path, it in self._files().items() for who in undoable(it)]
        is_meant = within(stretches)
        authors: dict[DoerKey, Author] = {}
        found: dict[DoerKey, dict[str, None]] = {}
        for author, path in (*changed, *restorable(self.conflicts())):
            if is_meant(author) and by in ("", author.sub_name):
                who = author if by else author.whole
                authors.setdefault(who.doer_key, who)
                found.setdefault(who.doer_key, {})[path] = None
        turns = [Turn(it, tuple(found[key])) for key, it in authors.items()]
        return tuple(sorted(turns, key=lambda it: it.author.began))

    def doers(self, path: str, name: str) -> tuple[Author, ...]:
        """Return the sub-agents of that name whose changes of a file wait to be reviewed."""
        authors = (author for hunk in self.changes(path) for author in hunk.authors)
        return tuple(dict.fromkeys(it for it in authors if it.sub_name == name))

    def last_undo(self, stretches: Sequence[Stretch] | None = None) -> str | None:
        """Return the batch of the last undo that redo can return, of turns in these stretches;
        None: of any turn."""
        is_meant = within(stretches or ())
        undos = (it for _, it in self._undos() if stretches is None or is_meant(it.author))
        last = max(undos, key=lambda it: it.at, default=None)
        return None if last is None else last.batch

    def undone_by(self, batch: str) -> dict[str, Author]:
        """Return the files that an undo of this batch has changed, and whose turn it took back."""
        return {path: undo.author for path, undo in self._undos() if undo.batch == batch}

    def restored_by(self, batch: str) -> tuple[Conflict, ...]:
        """Return what that undo has put back on the disk below the user's text."""
        found = (it.restored for it in self._histories.values())
        return tuple(it.conflict for it in found if it and it.undo.batch == batch)

    def _undos(self) -> Iterator[tuple[str, Off]]:
        """Yield the undos that can be redone, each with its file."""
        for path, it in sorted(self._histories.items(), key=lambda it: it[0]):
            yield from ((path, undo) for undo in (undone(it.file) if it.file else ()))
            if it.restored is not None:
                yield path, it.restored.undo


def within(stretches: Iterable[Stretch]) -> Callable[[Author], bool]:
    """Return what tells of an author whether its turn is in these stretches."""
    sessions = {it.key: it for it in stretches}

    def is_within(author: Author) -> bool:
        stretch = sessions.get(author.session_key)
        return stretch is not None and stretch.has(author.turn)

    return is_within


def _takes_long(file: File | None, *texts: str | None) -> bool:
    """Return whether a thread pays: large texts, or a file that was written again and again."""
    return sum(len(it or "") for it in texts) > LARGE or (file is not None and file.size > MANY)


def _met(was: File, file: File, before: str | None, after: str | None) -> str | None:
    """Return the text before with what has come to the file since, if `after` has that."""
    base, now = was.text, file.text
    if base is None or now is None or before is None or after is None:
        return after if now == after else before
    both, conflicts = reconciled(base, before, now)
    return before if conflicts else nearest((before, both), after)


def _count(change: Wrote) -> tuple[int, int]:
    """Return how many lines were added and removed; the file itself is none."""
    added = sum(line != FILE for hunk in change.hunks for line in hunk.lines)
    return added, sum(hunk.last - max(hunk.first, 1) for hunk in change.hunks if hunk.last)


def _since(old: File | None, new: File) -> tuple[Fact, ...]:
    """Return the facts that have come; all of them where the history begins anew."""
    known = () if old is None else old.facts
    goes_on = known and len(new.facts) >= len(known) and new.facts[len(known) - 1] is known[-1]
    return new.facts[len(known) :] if goes_on else new.facts


def _seen(file: File, text: str, encodings: Encodings, now: Callable[[], float]) -> File:
    """Return the file after the user has made another text of it."""
    return saw(recoded(file, text, *encodings), text, now())


def _written(
    file: File | None,
    before: str | None,
    after: str | None,
    author: Author,
    encodings: Encodings,
    now: Callable[[], float],
) -> File:
    """Return the file, None: it has no history yet, after the agent has written it."""
    file = file or begin(before)
    text = file.text
    if before is None and text is not None:
        file = begin(before)  # the user has removed it: what comes is another file
    elif before is not None and text != before:
        file = _seen(file, before, encodings, now)
    return wrote(file, after, author, now())
