"""One thing wrong in one message: what an agent of tomorrow, or a broken one, may send."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from hypothesis import strategies as st

from tests.support.agents.voice import line
from tests.support.replay import Message

Kind: TypeAlias = Literal[
    "drop field",
    "null",
    "wrong type",
    "unknown enum",
    "extra key",
    "drop message",
    "duplicate",
    "reorder",
    "split",
    "broken",
    "text before",
    "text between",
]
Key: TypeAlias = str | int

ODD_VALUES: list[Any] = [5, -1, 1.5, "odd", "", True, [], {}, [None], {"a": {"b": []}}, 2**70]
TEXT = [
    b"\x1b]0;agent\x07",
    b"\x1b[2K\rLoading 40 %\r",
    b"[info] 12:00:01 {ready} ",
    b"> ",
    b"\0\xef\xbb\xbf",
    b"\xf0\x9f\x98",
    b'{"level":"info","msg":"{\\"jsonrpc\\":"}',
    b'{"jsonrpc":"2.0","method":"session/upd',
    b"\x1bP+q544e\x1b\\",
]
"""What is printed to stdout, and is no message."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """What is done to the agent's message at that position."""

    position: int
    kind: Kind
    path: tuple[Key, ...] = ()
    value: Any = None
    at: int = 0
    """Where the line is split or broken off."""
    held: list[bytes] = field(default_factory=list, compare=False, repr=False)
    """The line that comes after the next one."""

    def __call__(self, position: int, message: Message) -> list[bytes]:
        """Return what is written for that message; implements `replay.Mutate`."""
        if position == self.position + 1 and self.kind == "reorder":
            return [line(message), *self.held]
        if position != self.position:
            return [line(message)]
        return self._changed(message)

    def _changed(self, message: Message) -> list[bytes]:
        whole = line(message)
        cut = self.at % len(whole)
        match self.kind:
            case "drop message":
                return []
            case "reorder":
                self.held.append(whole)
                return []
            case "duplicate":
                return [whole, whole]
            case "split":
                return [piece for piece in (whole[:cut], whole[cut:]) if piece]
            case "text before":
                return [TEXT[self.at % len(TEXT)] + whole]
            case "text between":
                return [TEXT[self.at % len(TEXT)] + b"\n", whole]
            case "broken":
                return [whole[:cut] + b"\n"]
            case _:
                return [line(self.edited(message))]

    def edited(self, message: Message) -> Message:
        """Return the message with the field changed."""
        edited = copy.deepcopy(message)
        *above, last = self.path
        parent: Any = edited
        for key in above:
            parent = parent[key]
        match self.kind:
            case "drop field":
                del parent[last]
            case "extra key":
                parent[last] = _with_more(parent[last])
            case _:
                parent[last] = self.value
        return edited


def _with_more(value: Any) -> Any:
    return value | {"zzz": [1]} if isinstance(value, dict) else [value]


def paths(value: Any, above: tuple[Key, ...] = ()) -> list[tuple[Key, ...]]:
    """Return the path of every value within the value."""
    if isinstance(value, dict):
        inner: list[tuple[Key, Any]] = list(value.items())
    elif isinstance(value, list):
        inner = list(enumerate(value))
    else:
        return []
    return [path for key, it in inner for path in ((*above, key), *paths(it, (*above, key)))]


@st.composite
def mutations(draw: st.DrawFn, messages: list[Message]) -> Mutation:
    """Draw a mutation of one of the agent's messages."""
    position = draw(st.integers(0, len(messages) - 1))
    kind = draw(st.sampled_from(get_args(Kind)))
    path = draw(st.sampled_from(paths(messages[position])))
    value = {"null": None, "unknown enum": "zzz_unknown"}.get(
        kind, draw(st.sampled_from(ODD_VALUES))
    )
    at = draw(st.integers(1, len(json.dumps(messages[position]))))
    return Mutation(position, kind, path, value, at)
