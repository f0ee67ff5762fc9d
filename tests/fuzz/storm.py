"""Several things wrong in one talk: fields, types, order, and what no agent has said there.

Structure-aware: what is put in a message is as often as not what another message has in that place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.fuzz.talks import NEVER, Talk, golden, of_session
from tests.support.agents.voice import line
from tests.support.fakes.mutation import ODD_VALUES, Key, Mutation, mutations, paths
from tests.support.replay import Message

MOST = 6
HUGE: list[Any] = [
    "x" * 70_000,
    "a\n" * 6_000,
    [[]] * 500,
    "\x1b[2J\u202e",
    1e308,
    -(2**63),
]
"""Values that are no fault of the form."""


@dataclass(frozen=True, slots=True)
class Stray:
    """A message that comes before that of the talk at the position."""

    position: int
    message: Message


@dataclass(frozen=True, slots=True)
class Storm:
    """What is done to a talk: at most one mutation of each message."""

    mutations: tuple[Mutation, ...]
    strays: tuple[Stray, ...]

    def __call__(self, position: int, message: Message) -> list[bytes]:
        """Return what is written for that message; implements `replay.Mutate`."""
        pieces = [line(it.message) for it in self.strays if it.position == position]
        mine = next((it for it in self.mutations if it.position == position), None)
        pieces += [line(message)] if mine is None else mine(position, message)
        late = (it for it in self.mutations if it.position == position - 1)
        return [*pieces, *(held for it in late for held in it.held)]

    def reaches(self, positions: int) -> bool:
        """Tell whether it disturbs one of the first messages."""
        return any(it.position < positions for it in (*self.mutations, *self.strays))


@st.composite
def storms(draw: st.DrawFn, talk: Talk) -> Storm:
    """Draw what is done to a talk."""
    messages = talk.said()
    found = draw(
        st.lists(
            st.one_of(mutations(messages), _grafts(talk)),
            max_size=MOST,
            unique_by=lambda it: it.position,
        )
    )
    strays = draw(st.lists(_strays(talk, len(messages)), max_size=MOST))
    return Storm(tuple(found), tuple(strays))


@st.composite
def _grafts(draw: st.DrawFn, talk: Talk) -> Mutation:
    """Draw a value of another message, in its own place or anywhere."""
    messages = talk.said()
    position = draw(st.integers(0, len(messages) - 1))
    path = draw(st.sampled_from(paths(messages[position])))
    return Mutation(position, "wrong type", path, draw(_values(talk, path)))


@st.composite
def _strays(draw: st.DrawFn, talk: Talk, positions: int) -> Stray:
    """Draw a golden message that is said in this session, itself as it is or with a graft."""
    position, number = draw(st.integers(2, positions - 1)), draw(st.integers(0, 999))
    message = of_session(draw(st.sampled_from(golden(talk.version))), talk.session, number)
    if draw(st.booleans()):
        path = draw(st.sampled_from(paths(message)))
        message = Mutation(0, "wrong type", path, draw(_values(talk, path))).edited(message)
    return Stray(position, message)


def _values(talk: Talk, path: tuple[Key, ...]) -> st.SearchStrategy[Any]:
    same = _vocabulary(talk).get(_name(path), [None])
    odd = st.sampled_from([*ODD_VALUES, *HUGE])
    return odd if _name(path) == "method" else st.one_of(st.sampled_from(same), odd)


@cache
def _vocabulary(talk: Talk) -> dict[Key, list[Any]]:
    """Return the values of talk and golden messages by the names of their fields."""
    found: defaultdict[Key, list[Any]] = defaultdict(list)
    for message in (*talk.said(), *golden(talk.version)):
        for path in paths(message):
            found[_name(path)].append(_at(message, path))
    return dict(found)


def _name(path: Iterable[Key]) -> Key:
    """Return the last name in a path: what is in a list is of one kind."""
    return next((it for it in reversed(tuple(path)) if isinstance(it, str)), "")


def _at(message: Any, path: Iterable[Key]) -> Any:
    for key in path:
        message = message[key]
    return message


__all__ = ["NEVER", "Storm", "storms"]
