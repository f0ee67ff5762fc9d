"""Whose a change of the disk is: what is to be looked at, and for whom.

A call that names a file, or a command, asks for a look. What is found then is counted to its turn,
explicit or inferred; not to one that was over, or a call that had not begun, when the file changed.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from time import time_ns

from msgspec import Struct, field
from msgspec.structs import replace

from acp_nvim.errors import FileProblem
from acp_nvim.files.knowledge import Sure
from acp_nvim.files.roots import Roots, inside, resolved
from acp_nvim.history.author import Author, SessionKey, TurnKey
from acp_nvim.patterns import lazy_pattern

OF_EDITOR = lazy_pattern(r"/(\.[^/]*\.(sw[a-p]|un~)|%([^/%]+%)+[^/]*)$")
"""Swap and undo files, which the editor writes as the user types: nobody's."""


LEAD = 100_000_000
"""Nanoseconds that an agent may be ahead of what we have heard of it."""
LATE = 60_000_000_000
"""Nanoseconds after the end of a turn."""
LONGEST_NAME = 255
"""Characters of the name of a file, on all systems."""
MOST_CALLS = 1000
"""Tool calls of which is known when they began."""
MOST_NAMED = 10_000
"""Files that tool calls have named and that wait to be looked at; of more all of the folders is."""


class Looks(Struct):
    """Resolved paths, and folders, each with whose turn asked for it, None: nobody's.

    `sure`: those of which a tool call says that it changes them.
    """

    paths: dict[str, Author | None] = field(default_factory=dict)
    roots: dict[Roots, Author | None] = field(default_factory=dict)
    sure: set[str] = field(default_factory=set)


class Attribution:
    """Collects what may have changed.

    Whose a change is, a turn of an agent or nobody (None), is found out in this order:

    1. for whom that path was to be looked at, however late the look is;
    2. who the caller says;
    3. for whom a folder that it is in was to be swept;
    4. whose turn runs there now, as `author` says;
    5. whose turn is only just over, if the disk has again what that has written through us.

    Of these, who has named the file goes before who is only supposed to have changed it; of those
    no turn counts that was over before. A tool call has named it only if it may have begun before.
    """

    def __init__(self, author: Callable[[str], Author | None]) -> None:
        self._author = author
        self._looks = Looks()
        self._named: defaultdict[Roots, list[tuple[str, Author | None, bool]]] = defaultdict(list)
        """What tool calls have named since, which is resolved when somebody asks."""
        self.ended = EndedTurns()

    def look(
        self, author: Author | None, roots: Roots, paths: Iterable[str], *, sure: bool
    ) -> None:
        """A tool call names these files; those outside of the roots are none of ours.

        Where too many wait, the folders are swept for it.
        """
        named, waiting = [*paths], self._named[roots]
        room = max(MOST_NAMED - len(self._looks.paths) - sum(map(len, self._named.values())), 0)
        waiting.extend((path, author, sure) for path in named[:room])
        if len(named) > room:
            self.sweep(author and replace(author, how="found"), roots)

    def _resolved(self) -> Looks:
        """Return what was asked for, with what was named until now."""
        named, looks = dict(self._named), self._looks
        self._named.clear()
        for roots, calls in named.items():
            real = resolved_within(roots, {path for path, _, _ in calls})
            for path, author, sure in calls:
                if (found := real.get(path)) is not None:
                    looks.paths[found] = _together(author, looks.paths.get(found))
                    looks.sure.update((found,) if sure else ())
        return looks

    def sweep(self, author: Author | None, roots: Roots) -> None:
        """Anything below the roots may have changed."""
        self._looks.roots[roots] = author or self._looks.roots.get(roots)

    def again(self, paths: Iterable[str]) -> None:
        """These are to be looked at once more, for whom they were before."""
        for path in paths:
            self._looks.paths.setdefault(path, None)

    def take(self) -> Looks:
        """Return all that was asked for until now; it is the caller's to do."""
        taken, self._looks = self._resolved(), Looks()
        return taken

    def whose(
        self, path: str, author: Author | None, writer: Author | None = None
    ) -> Author | None:
        """Return who changed that path just now; `author`: who is said to, `writer`: who has
        written through us what the disk has."""
        looks = self._resolved()
        asked = (it for roots, it in looks.roots.items() if roots.has(path))
        known = (looks.paths.get(path), author, *asked)
        said = surest(*(self.ended.believed(it, path) for it in known))
        if said is None and writer is not None and self.ended.is_soon_after(writer, path):
            said = writer
        if said and said.how == "named":
            return said
        return surest(said, self.ended.believed(self._author(path), path))

    def how_sure(self, path: str, author: Author | None, *, said: bool = False) -> Sure:
        """Return how sure it is that the author has changed that path; `said`: it says so.

        Where turns of several run, one that has named it counts as well as that which we name.
        """
        runs = self._author(path)
        if said or author is None or runs is None:
            return "sure" if said else "unlikely"
        is_named = author.how == "named" and not self.ended.is_over(author)
        return "likely" if is_named or runs.session_key == author.session_key else "unlikely"


def resolved_within(roots: Roots, paths: Iterable[str]) -> dict[str, str]:
    """Return the resolved path of each that is in the roots; others are none of ours.

    Of the files of one folder only that is resolved, and each that is a link.
    """
    folders, found, above = roots.folders(), dict[str, str](), dict[str, str]()
    allowed = tuple(map(inside, folders))
    for path in paths:
        folder, _, name = path.rpartition("/")
        with suppress(FileProblem):
            if not folder or not _is_file_name(name) or os.path.islink(path):
                found[path] = roots.resolve(path, folders)
                continue
            if folder not in above:
                above[folder] = inside(resolved(folder))
            if inside(real := above[folder] + name).startswith(allowed):
                found[path] = real
    return found


def _is_file_name(name: str) -> bool:
    """Return whether the name leads nowhere else, and a system opens it."""
    return name not in ("", ".", "..") and "\0" not in name and len(name) <= LONGEST_NAME


def _together(one: Author | None, other: Author | None) -> Author | None:
    """Return whose a change is that one of these has made: of several sub-agents none is sure."""
    found = surest(one, other)
    if one is None or other is None or found is None or one.doer_key == other.doer_key:
        return found
    is_one_turn = one.turn_key == other.turn_key and one.how == other.how
    return found.whole if is_one_turn else found


def surest(*authors: Author | None) -> Author | None:
    """Return the first that has named the file, else the first that there is."""
    known = [it for it in authors if it is not None]
    named = (it for it in known if it.how == "named")
    return next(named, None) or next(iter(known), None)


class EndedTurns:
    """Knows the last turn of each session that is over: a look at the disk comes later, and finds
    what others did since, too; and when tool calls began: what is older others did. `now`:
    nanoseconds since 1970."""

    def __init__(self, now: Callable[[], int] = time_ns) -> None:
        self.now = now
        self._ended: dict[SessionKey, tuple[TurnKey, int]] = {}
        self._began: dict[tuple[SessionKey, str], int] = {}

    def end(self, author: Author) -> None:
        """The author's turn is over now."""
        self._ended[author.session_key] = (author.turn_key, self.now())

    def begins(self, author: Author) -> None:
        """The author's tool call has not begun before now."""
        self._began[author.reader_key, author.tool_call] = self.now()
        if len(self._began) > MOST_CALLS:
            del self._began[next(iter(self._began))]

    def believed(self, author: Author | None, path: str) -> Author | None:
        """Return the author as having made the file as it is; None: that turn has not.

        A tool call that had not begun when the file was changed tells nothing of it by its name.
        """
        if author is not None and author.how == "named":
            began = self._began.get((author.reader_key, author.tool_call))
            if began is not None and _changed(path, began) < began - LEAD:
                author = replace(author, how="found")
        return author if self.may_be_of(author, path) else None

    def is_over(self, author: Author) -> bool:
        """Return whether the author's turn has ended."""
        return self._ended.get(author.session_key, (None, 0))[0] == author.turn_key

    def is_soon_after(self, author: Author, path: str) -> bool:
        """Return whether the file has changed so soon after the author's turn that a write of it
        may have come late, though no tool call names it."""
        turn, ended = self._ended.get(author.session_key, (None, 0))
        with suppress(OSError):
            return turn == author.turn_key and os.lstat(path).st_ctime_ns - ended < LATE
        return False

    def may_be_of(self, author: Author | None, path: str) -> bool:
        """Return whether the file as it is may be what that turn has made of it.

        A tool call that names the file may work after its turn. Of one that is gone nothing is
        known, nor by a clock that is ahead of ours.
        """
        if author is None or author.how == "named":
            return True
        turn, ended = self._ended.get(author.session_key, (None, 0))
        if turn != author.turn_key:
            return True
        return not ended < _changed(path, ended) <= self.now()


def _changed(path: str, gone: int) -> int:
    """Return when the file was changed at all; `gone` if it is not there."""
    try:
        return os.lstat(path).st_ctime_ns
    except OSError:
        return gone
