"""What was begun with a file and is not done, or not told (`Deferred`): the editor could not take
it yet, or something has failed in between. The next look at the file ends it.

Neovim refuses an edit in the middle of the user's command (`Busy`), and says when that is over:
`Hands` knows who waits for that."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import anyio
from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.editor import Busy
from acp_nvim.errors import FileProblem
from acp_nvim.files.baselines.baselines import DiskChange
from acp_nvim.files.baselines.snapshot import Text
from acp_nvim.files.encoding import NotRead
from acp_nvim.files.event import DiskChanged, EditsGoOn, EditWaits, Emit, NotFollowed, WriteBegun
from acp_nvim.files.knowledge import Knowledge, Known, Sure
from acp_nvim.files.live import LiveFile
from acp_nvim.files.settle import Followed, joined
from acp_nvim.files.text import reconciled
from acp_nvim.history.author import Author, SessionKey

T = TypeVar("T")

KEY = "the editor waits for a key"


class DeferredChange(Struct, frozen=True):
    """What the disk has new and the editor has not taken, or may have (`amid`): it has failed.

    `change`: None if it is not known what it was. `known`: what its author knew of the file when it
    was seen. What it reads while the change waits has that in it already. `problem`: why not.
    `sure`: whether it is its author's, if that was known then.
    """

    change: DiskChange | None
    author: Author | None
    amid: bool = False
    known: Known | None = None
    problem: FileProblem | None = None
    sure: Sure | None = None


class Deferred:
    """Knows both by path. Paths are resolved."""

    def __init__(self, emit: Emit, knowledge: Knowledge) -> None:
        self._emit = emit
        self._knowledge = knowledge
        self._late: dict[str, DeferredChange] = {}
        self._begun: dict[str, WriteBegun] = {}
        self._merged: dict[str, str] = {}
        """The stamp of the file that the editor has taken by itself last, by path."""

    def __contains__(self, path: str) -> bool:
        return path in self._late or path in self._begun

    def __iter__(self) -> Iterator[str]:
        return iter({**self._late, **self._begun})

    def over(self, path: str) -> None:
        """The file is seen as it is, and all is told."""
        self._late.pop(path, None)
        self._begun.pop(path, None)

    # --- what the disk has new

    def later(
        self, path: str, late: DeferredChange, problem: FileProblem, *, is_new: bool = False
    ) -> None:
        """The editor cannot take that now; `is_new`: as was not known before, so that a kill must
        not make it forgotten."""
        change = late.change
        if is_new and change is not None and late.author is not None:
            self._emit(WriteBegun(path, change.before, change.after, late.author))
        known = late.known
        if known is None and late.author is not None:
            known = self._knowledge.of(late.author.reader_key, path)
        self._late[path] = replace(late, amid=False, known=known, problem=problem)

    @contextmanager
    def amid(self, late: DeferredChange) -> Iterator[None]:
        """Take note of what was seen, should something fail: a change is told once."""
        try:
            yield
        except Exception:
            if late.change is not None:
                path = late.change.path
                self._late[path] = replace(_with(self._late.get(path, late), late), amid=True)
            raise

    def problem(self, path: str) -> Busy | NotRead | None:
        """Return why the buffer cannot have what the disk has, if it cannot."""
        late = self._late.get(path)
        return late.problem if late and isinstance(late.problem, Busy | NotRead) else None

    @property
    def is_busy(self) -> bool:
        """Whether something waits for the user's hands."""
        return any(isinstance(it.problem, Busy) for it in self._late.values())

    def of(self, is_meant: Callable[[Author], bool]) -> Iterator[tuple[str, FileProblem]]:
        """Yield the files that have something of these, which the editor could not take, and
        why."""
        for path, late in self._late.items():
            if late.problem and late.author and is_meant(late.author):
                yield path, late.problem

    def seen(self, path: str, known: Text) -> Text:
        """Return what the disk held when last seen; what the editor did not take does not count."""
        late = self._late.get(path)
        return known if late is None or late.change is None else late.change.before

    def with_late(self, path: str, new: DeferredChange) -> DeferredChange:
        """Return what is new, if anything is, with that which waits, and no longer does."""
        late = self._late.pop(path, None)
        return new if late is None else _with(late, new)

    def waits(self, path: str) -> bool:
        """Return whether the editor could not take something of that file yet."""
        late = self._late.get(path)
        return late is not None and late.problem is not None and late.change is not None

    def is_merged(self, path: str, stamp: str) -> bool:
        """Return whether the editor has taken the file of that stamp, "" for none, by itself; once
        of each."""
        is_new = stamp not in ("", self._merged.get(path))
        if is_new:
            self._merged[path] = stamp
        return is_new

    def take(self, path: str) -> DeferredChange:
        """Return what has waited, and does not any more."""
        return self._late.pop(path)

    # --- what we write

    def begins(self, fact: WriteBegun) -> None:
        """That is about to be written."""
        self._begun[fact.path] = fact

    def refused(self, path: str) -> None:
        """It was not written; what the disk has new waits all the same."""
        self._begun.pop(path, None)

    def told(self, path: str) -> None:
        """The log has what was written."""
        if begun := self._begun.get(path):
            self._begun[path] = replace(begun, before=begun.after)

    def without_own(self, live: LiveFile, change: DiskChange | None) -> DiskChange | None:
        """Return what the disk has new but for a write of ours whose end nobody has seen, which is
        told now."""
        begun = self._begun.pop(live.path, None)
        if begun is None or begun.after not in (live.exact, live.on_disk):
            return change
        if begun.before != begun.after:
            texts = begun.before, begun.after
            self._emit(DiskChanged(live.path, *texts, begun.author, encoding=live.encoding))
        return None if change is not None and change.after == begun.after else change


def _with(late: DeferredChange, new: DeferredChange) -> DeferredChange:
    """Return what waits with that which has come to it."""
    if new.change is None:
        return late
    whose = new if late.change is None or late.author is None else late
    change = joined(late.change, new.change)
    sure = whose.sure if late.sure == new.sure or whose is new else "likely"
    return replace(late, change=change, author=whose.author, known=whose.known, sure=sure)


def as_new(followed: Followed) -> Followed:
    """Return what became of a change that the buffer had already, for what was to tell has failed:
    what it was without."""
    without, conflicts = reconciled(followed.theirs, followed.after or "", followed.base)
    is_told = followed.before != followed.after or not followed.theirs or conflicts
    return followed if is_told else replace(followed, before=without)


class Patience(Struct, frozen=True):
    """Seconds. `limit`: after which an agent's write is refused. `silent`: for which the user is
    told nothing; so often it is tried again, too, should Neovim have missed the end of a mode."""

    limit: float = 60.0
    silent: float = 1.0


class Waiting(Struct, frozen=True):
    """Whose edit it is, what the user is in the middle of by now, and since when it waits."""

    session: SessionKey | None
    doing: str
    since: float


class StillBusy(FileProblem):
    """An agent's write has waited in vain."""

    def __init__(self, path: str, why: str, told: str) -> None:
        super().__init__(f"{path} was not written: {why}", told)


class Hands:
    """Knows which files wait, and tells the user once of each when it takes a while."""

    def __init__(self, emit: Emit, patience: Patience | None = None) -> None:
        self.patience = patience or Patience()
        self._emit = emit
        self._waiting: dict[str, Waiting] = {}
        self._told: dict[str, EditWaits] = {}
        self._stays: set[str] = set()
        self.freed = anyio.Event()
        """Set when a command of the user's is over next."""

    def free(self) -> None:
        """A command of the user's is over: let all who wait try again."""
        self.freed.set()
        self.freed = anyio.Event()

    def waits(self, path: str, session: SessionKey | None, busy: Busy) -> None:
        """An edit of that file must wait."""
        known = self._waiting.get(path) or Waiting(session, busy.doing, anyio.current_time())
        self._waiting[path] = replace(known, doing=busy.doing)

    def over(self, path: str) -> None:
        """No edit of that file waits any more."""
        self._waiting.pop(path, None)
        told = self._told.pop(path, None)
        if told is not None and told not in self._told.values():
            self._emit(EditsGoOn(told))

    def stays(self, path: str, problem: FileProblem | None, author: Author | None) -> None:
        """A buffer cannot have what the disk has: say so once, until that is over (`problem`)."""
        if not isinstance(problem, NotRead):
            self._stays.discard(path)
        elif path not in self._stays:
            self._stays.add(path)
            self._emit(NotFollowed(path, str(problem), author))

    def tell(self) -> None:
        """Tell of what has waited for a while, once, all of a session together."""
        latest = anyio.current_time() - self.patience.silent
        due: dict[tuple[SessionKey | None, str], list[str]] = {}
        for path, it in self._waiting.items():
            if path not in self._told and it.since <= latest:
                due.setdefault((it.session, it.doing), []).append(path)
        for (session, doing), paths in due.items():
            told = EditWaits(session, tuple(paths), doing)
            self._told.update(dict.fromkeys(paths, told))
            self._emit(told)

    async def patiently(
        self, session: SessionKey, path: str, write: Callable[[], Awaitable[T]]
    ) -> T:
        """Write as soon as the user's hands are off the file. Raises `StillBusy` at the limit; a
        write that has begun is not interrupted if it shields itself."""
        busy: Busy | None = None
        with anyio.move_on_after(self.patience.limit):
            try:
                while True:
                    freed = self.freed
                    try:
                        return await write()
                    except Busy as found:
                        busy = found
                    self.waits(path, session, busy)
                    self.tell()
                    with anyio.move_on_after(self.patience.silent):
                        await freed.wait()
            finally:
                self.over(path)
        raise _given_up(path, busy)


def _given_up(path: str, busy: Busy | None) -> StillBusy:
    if busy is None:
        return StillBusy(path, f"{KEY}: try again", f"{KEY}: the agent was told so")
    told = f"you were in the middle of a command ({busy.doing}): the agent was told so"
    return StillBusy(path, f"{busy}: try again", told)
