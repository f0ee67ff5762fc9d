"""Files that an agent knows by other names, for it runs in a container or on another machine.

Pure. A path *there* is the agent's, one *here* is ours. What is in no folder that both have has no
name on the other side, and none is guessed. Anyone may import it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias
from urllib.parse import quote, unquote

from msgspec import Struct

from acp_nvim.patterns import lazy_pattern

_FILE = lazy_pattern(r"(file:(?://(?:localhost)?)?)(/[^?#]*)(.*)", re.IGNORECASE | re.DOTALL)
_ADDRESS = lazy_pattern(
    r"file:(?://(?:localhost(?=/))?)?([^?#]+)(?:[?][^#]*)?(?:#(.*))?", re.IGNORECASE | re.DOTALL
)
_AT_LINE = lazy_pattern(r"(.*?[^:/]):(\d{1,9})(?:[:-]\d{1,9})*", re.DOTALL)
"""A name with the line in it, as in `src/a.py:12:5`."""
_FRAGMENT = lazy_pattern(r"L?(\d{1,9})(?!\d)")
_SCHEME = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]+://")
_DRIVE = lazy_pattern(r"/[A-Za-z]:(/|$)")
"""How a path of Windows begins in an address."""

Pair: TypeAlias = tuple[str, str]
"""Two names of a folder, normal, "" for the root: the one that is looked for, and the other."""
Found: TypeAlias = tuple[str, int]
"""The other name of a folder, and how many parts of a path the first one took."""


class Paths(Struct, frozen=True):
    """The folders that an agent has in common with us; without any, all paths are as they are."""

    agent: str = ""
    theirs: tuple[Pair, ...] = ()
    """There, and here."""
    ours: tuple[Pair, ...] = ()
    """Here, and there: also by links that lead to the same folder."""

    def __repr__(self) -> str:
        return f"Paths(agent={self.agent!r}, theirs={self.theirs!r})"

    @classmethod
    def of(cls, agent: str, option: Mapping[str, str], real: Callable[[str], str]) -> Paths:
        """Return those of the option `paths`; `real` resolves the links in a path of ours."""
        given = [(normal(there), normal(here)) for there, here in option.items()]
        theirs = [(there, normal(real(here or "/"))) for there, here in given]
        ours = {here: there for there, here in (*given, *theirs)}
        return cls(agent, tuple(theirs), tuple(ours.items()))

    def __bool__(self) -> bool:
        return bool(self.theirs)

    def here(self, path: str) -> str | None:
        """Return our name of a file of the agent's; None if we do not have it, or cannot tell."""
        parts = path.split("/")
        return _renamed(self._here(parts), parts)

    def there(self, path: str) -> str | None:
        """Return the agent's name of a file of ours; None if it does not see it."""
        parts = path.split("/")
        return _renamed(self._there(parts), parts)

    def has(self, path: str) -> bool:
        """Tell whether a path of ours is in one of the folders, as it is written, or relative."""
        return (
            not self or not path.startswith("/") or _found(self.ours, path.split("/")) is not None
        )

    def seen(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Return those of our paths that the agent sees."""
        return tuple(it for it in paths if not self or self.there(it) is not None)

    def shown_here(self, path: str) -> str:
        """Return our name of what the agent names, else its own, marked if it reads as ours."""
        parts = path.split("/")
        return _shown(path, _renamed(self._here(parts), parts), _found(self.ours, parts), "there")

    def shown_there(self, path: str) -> str:
        """Return the agent's name of what we name, else ours, marked if it reads as the agent's."""
        parts = path.split("/")
        reads = _found(self.theirs, parts)
        return _shown(path, _renamed(self._there(parts), parts), reads, "elsewhere")

    def uri_here(self, uri: str) -> str:
        """Return an address of the agent's as `shown_here` does; one of no file as it is."""
        return _readdressed(uri, self._here, self.ours, "there")

    def uri_there(self, uri: str) -> str:
        """Return an address of ours as `shown_there` does; one of no file as it is."""
        return _readdressed(uri, self._there, self.theirs, "elsewhere")

    def in_words(self, sentence: str) -> str:
        """Return a sentence of ours with the agent's names of the folders in it."""
        names = {here: there or "/" for here, there in self.ours if here}
        if not names:
            return sentence
        either = "|".join(map(re.escape, sorted(names, reverse=True)))
        name = rf"(?<![^\s'\"(])({either})(?=[/\s'\",:;.)]|$)"
        return re.sub(name, lambda found: names[found[1]], sentence)

    def unknown(self, path: str) -> str:
        """Return what to say to the agent of a path that has no name here."""
        known = ", ".join(there or "/" for there, _ in self.theirs)
        return f"{path} is in no folder that the user shares by agents.{self.agent}.paths ({known})"

    def away(self, path: str) -> str:
        """Return what to say to the user of a file that the agent names, and that is not here."""
        return f"{path} is where {self.agent} runs: it is in no folder of agents.{self.agent}.paths"

    def unseen(self, path: str) -> str:
        """Return what to say to the user of a path that the agent does not see."""
        return f"{self.agent} does not see {path}: it is in no folder of agents.{self.agent}.paths"

    def _here(self, parts: list[str]) -> Found | None:
        return _found(self.theirs, parts)

    def _there(self, parts: list[str]) -> Found | None:
        """Return it unless the agent has something else in that place."""
        found = _found(self.ours, parts)
        there = _renamed(found, parts)
        if found is None or there is None:
            return None
        back = _found(self.theirs, there.split("/"))
        return found if back is not None and back[1] == found[0].count("/") + 1 else None


SAME: Final = Paths()
"""Of an agent that knows all files by our names."""


def named(told: str) -> tuple[str, int | None]:
    """Return the path that an agent names, and the line in it: it may be an address, or `a.py:12`.

    What stands where a host would is the beginning of a path, unless it is this machine: so some
    agents make an address of a relative path.
    """
    if ":" not in told:  # a plain path, as most are
        return told, None
    address = _ADDRESS.fullmatch(told)
    path, fragment = (told, None) if address is None else (address[1], address[2])
    at_line = _AT_LINE.fullmatch(path)
    line = int(at_line[2]) if at_line else None
    if (said := _FRAGMENT.match(fragment or "")) is not None:
        line = int(said[1])
    path = at_line[1] if at_line else path
    return (path if address is None else unquote(path)), line or None


def absolute(path: str, folder: str, home: str = "") -> str:
    """Return a path that is relative to that folder as an absolute one, any other as it is, also
    the address of what is no file.

    One of the user's home is taken for a file in the folder only where it is one.
    """
    if home and path.startswith("~/") and f"{home}{path[1:]}".startswith(f"{folder}/"):
        return home + path[1:]
    if not path or path.startswith(("/", "~/", "there:")) or _SCHEME.match(path):
        return path
    return normal(f"{folder}/{path}")


def normal(path: str) -> str:
    """Return an absolute path without what says nothing: a slash at its end, two of them, a dot."""
    return "".join(f"/{part}" for part in path.split("/") if part not in ("", "."))


def _found(pairs: Iterable[Pair], parts: list[str]) -> Found | None:
    """Return the innermost of the folders that holds a path; None if it leads out of that again, or
    into another one: which of the two is meant depends on links that only the other side has."""
    pairs = tuple(pairs)
    found = _innermost(pairs, parts)
    if found is None or _climbs(parts[found[1] :]):
        return None
    meant = _innermost(pairs, _without_steps("/".join(parts).split("/")))
    return found if meant is not None and meant[0] == found[0] else None


def _innermost(pairs: Iterable[Pair], parts: list[str]) -> Found | None:
    """Return the longest of the names that a path begins with, however often its slashes and dots
    say nothing."""
    fitting = [(other, end) for name, other in pairs if (end := _end(name, parts)) is not None]
    return max(fitting, key=lambda it: it[1], default=None)


def _end(name: str, parts: list[str]) -> int | None:
    """Return how many parts of a path that normal name takes; None if it is not its beginning."""
    if parts[0] or len(parts) == 1:
        return None
    left = name.split("/")[1:]
    for place, part in enumerate(parts):
        if not left:
            return max(place, 1)
        if part == left[0]:
            del left[0]
        elif part not in ("", "."):
            return None
    return None if left else len(parts)


def _without_steps(parts: Iterable[str]) -> list[str]:
    """Return the parts of an absolute path with each `..` taken for the folder above."""
    found: list[str] = []
    for part in parts:
        if part == "..":
            del found[-1:]
        elif part not in ("", "."):
            found.append(part)
    return ["", *(found or [""])]


def _climbs(parts: Iterable[str]) -> bool:
    depth = 0
    for part in "/".join(parts).split("/"):  # a part of an address may hold an encoded slash
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return False


def _renamed(found: Found | None, parts: list[str]) -> str | None:
    return None if found is None else "/".join((found[0], *parts[found[1] :])) or "/"


def _shown(name: str, renamed: str | None, reads: Found | None, mark: str) -> str:
    if renamed is not None:
        return renamed
    return name if reads is None else f"{mark}:{name}"


def _readdressed(
    uri: str, find: Callable[[list[str]], Found | None], other: Iterable[Pair], mark: str
) -> str:
    """Return the address with another beginning of its path; the rest stays as it is encoded."""
    match = _FILE.fullmatch(uri)
    if match is None or _DRIVE.match(unquote(match[2])):
        return uri
    raw = match[2].split("/")
    parts = [unquote(part, errors="surrogateescape") for part in raw]
    found = find(parts)
    if found is None:
        return _shown(uri, None, _found(other, parts), mark)
    name = quote(found[0].encode("utf-8", "surrogateescape"), safe="/~")
    return f"{match[1]}{_renamed((name, found[1]), raw)}{match[3]}"
