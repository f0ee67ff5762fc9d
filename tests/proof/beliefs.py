"""Success means done: what an agent was answered to have written is there, or somebody edited it.

Each line that comes, goes or moves is noted with who did it last: an edit of anybody's, or a
decision of the user's (undo, redo, reject, `u`), which an agent must be told of or refused for.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from tests.proof.lines import bodies, join, split

By: TypeAlias = Literal["edit", "decision"]
Key: TypeAlias = tuple[int, str]


class Beliefs:
    """What each agent may believe of each file, by session and name.

    `read`: what it has last read there, whose lines it has not written; `repeated`: what it has
    last written in the turn that runs: of a second copy nothing comes; `taken`: the lines that the
    user's decisions have taken out of each file, `since`: how many of these it was told of.
    """

    def __init__(self, texts: Mapping[str, str | None]) -> None:
        self._lives = dict(texts)
        self._movers: dict[str, dict[str, By]] = {name: {} for name in texts}
        self._read: dict[Key, str] = {}
        self._repeated: dict[Key, str] = {}
        self._taken: dict[str, list[str]] = {name: [] for name in texts}
        self._since: dict[Key, int] = {}

    def on_disk(self, name: str, before: str | None, after: str | None) -> None:
        """Somebody has edited the disk. What the user has decided to be gone, and the disk has
        again, is gone until it is in the live text."""
        movers = self._movers[name]
        gone, came = _differing(before, after)
        movers |= dict.fromkeys((it for it in came if movers.get(it) != "decision"), "edit")
        movers |= dict.fromkeys(gone, "edit")

    def live(self, name: str, text: str | None, by: By = "edit") -> None:
        """Note who has made the live text what it is now."""
        gone, came = _differing(self._lives[name], text)
        self._movers[name] |= dict.fromkeys((*gone, *came), by)
        self._taken[name] += gone if by == "decision" else ()
        self._lives[name] = text

    def reads(self, key: Key, text: str) -> None:
        """The agent has read that."""
        self._read[key] = text
        self._repeated.pop(key, None)
        self._since[key] = len(self._taken[key[1]])

    def begins(self, key: Key, known: str) -> None:
        """The agent is about to write, and takes the file for that."""
        self._read.setdefault(key, known)

    def wrote(self, key: Key, text: str) -> None:
        """The agent was answered that this is written."""
        self._repeated[key] = text

    def forget(self, key: Key) -> None:
        """The agent has to read the file anew."""
        self._read.pop(key, None)
        self._repeated.pop(key, None)

    def end_turn(self, session: int) -> None:
        """The session's next turn begins: what it writes now is no copy."""
        for key in [it for it in self._repeated if it[0] == session]:
            del self._repeated[key]

    def end_all(self) -> None:
        """The agents are gone."""
        self._read.clear()
        self._repeated.clear()

    def missing(self, key: Key, text: str, *there: str | None) -> list[str]:
        """Return what the agent has asked for with this text, and believes to be done, though it is
        in neither of the texts that are there, and nobody has edited it since, or put another line
        in its place."""
        if self._repeated.get(key) == text:
            return []
        movers = self._movers[key[1]]
        put, gone = self._asked(key, text)
        texts = [bodies(it) for it in there]
        lost = [f"+{it}" for it in put if not any(it in lines for lines in texts)]
        lost += [f"-{it}" for it in gone if all(it in lines for lines in texts)]
        edited = _edited(text, there[0], movers) if lost else set()
        return [it for it in lost if movers.get(it[1:]) != "edit" and it not in edited]

    def is_taken_back(self, key: Key, known: str, live: str | None) -> bool:
        """Return whether not all that the agent has written until now is there any more, or what
        its tool has made was taken back, though another text of the disk may have brought it in
        again."""
        put, gone = self._asked(key, known)
        lines, movers = bodies(live), self._movers[key[1]]
        if not {*bodies(known)}.isdisjoint(self._taken[key[1]][self._since.get(key, 0) :]):
            return True
        if any(it not in lines and movers.get(it) == "decision" for it in bodies(known)):
            return True
        return any(it not in lines for it in put) or any(it in lines for it in gone)

    def told(self, key: Key, known: str, live: str | None) -> str:
        """Return what an agent has in mind with what the user's decisions have made of it."""
        movers = self._movers[key[1]]
        self._since[key] = len(self._taken[key[1]])
        old, (new, _) = bodies(known), split(live)
        found: list[str] = []
        for tag, start, stop, first, last in changes(old, new):
            same = tag == "equal"
            found += [it for it in old[start:stop] if same or movers.get(it) != "decision"]
            found += [] if same else [it for it in new[first:last] if movers.get(it) == "decision"]
        return join(found, split(known)[1])

    def _asked(self, key: Key, text: str) -> tuple[list[str], list[str]]:
        """Return the lines that it has put in since it read the file, and those taken out."""
        read, lines = bodies(self._read.get(key, text)), bodies(text)
        return [it for it in lines if it not in read], [it for it in read if it not in lines]


def _edited(text: str, live: str | None, movers: Mapping[str, By]) -> set[str]:
    """Return the lines of a text that somebody has put others in the place of, each as "+line"."""
    old, new = bodies(text), bodies(live)
    return {
        f"+{line}"
        for tag, start, stop, first, last in changes(old, new)
        if tag == "replace" and any(movers.get(it) == "edit" for it in new[first:last])
        for line in old[start:stop]
    }


def _differing(before: str | None, after: str | None) -> tuple[list[str], list[str]]:
    """Return the lines that go, and those that come."""
    old, new = bodies(before), bodies(after)
    places = [it for it in changes(old, new) if it[0] != "equal"]
    gone = [line for _, start, stop, _, _ in places for line in old[start:stop]]
    return gone, [line for _, _, _, first, last in places for line in new[first:last]]


def changes(old: list[str], new: list[str]) -> list[tuple[str, int, int, int, int]]:
    """Return how one list of lines becomes the other."""
    return SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
