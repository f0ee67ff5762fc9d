"""What is to be looked at, and for whom: so whose a change of the disk is, is known."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct, field

from acp_nvim.errors import FileProblem
from acp_nvim.files.following.supposed import EndedTurns, surest
from acp_nvim.files.knowledge import Sure
from acp_nvim.files.roots import Roots
from acp_nvim.history.author import Author
from acp_nvim.patterns import lazy_pattern

OF_EDITOR = lazy_pattern(r"/(\.[^/]*\.(sw[a-p]|un~)|%([^/%]+%)+[^/]*)$")
"""Swap and undo files, which the editor writes as the user types: nobody's."""


class Looks(Struct):
    """Resolved paths, and folders, each with whose turn asked for it, None: nobody's.

    `sure`: those of which a tool call says that it changes them.
    """

    paths: dict[str, Author | None] = field(default_factory=dict)
    roots: dict[Roots, Author | None] = field(default_factory=dict)
    sure: set[str] = field(default_factory=set)


class Asked:
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
        self.ended = EndedTurns()

    def look(
        self, author: Author | None, roots: Roots, paths: Iterable[str], *, sure: bool
    ) -> bool:
        """A tool call names these files; return whether one of them is in the roots."""
        found = list(inside(roots, paths))
        for path in found:
            self._looks.paths[path] = surest(author, self._looks.paths.get(path))
        self._looks.sure.update(found if sure else ())
        return bool(found)

    def sweep(self, author: Author | None, roots: Roots) -> None:
        """Anything below the roots may have changed."""
        self._looks.roots[roots] = author or self._looks.roots.get(roots)

    def again(self, paths: Iterable[str]) -> None:
        """These are to be looked at once more, for whom they were before."""
        for path in paths:
            self._looks.paths.setdefault(path, None)

    def take(self) -> Looks:
        """Return all that was asked for until now; it is the caller's to do."""
        taken, self._looks = self._looks, Looks()
        return taken

    def whose(
        self, path: str, author: Author | None, writer: Author | None = None
    ) -> Author | None:
        """Return who changed that path just now; `author`: who is said to, `writer`: who has
        written through us what the disk has."""
        looks = self._looks
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


def inside(roots: Roots, paths: Iterable[str]) -> Iterable[str]:
    """Return the resolved paths of those that are in the roots; others are none of ours."""
    folders = roots.folders()
    for path in paths:
        try:
            yield roots.resolve(path, folders)
        except FileProblem:
            continue
