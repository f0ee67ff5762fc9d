"""What stands in the list of a file, as JSON, and what follows from it: the `History` of the file.

Besides facts that is what a host is about to do, and where the user and an agent differ.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from acp_nvim.history.conflict import Conflict
from acp_nvim.history.facts import (
    Began,
    Fact,
    Had,
    Kept,
    Off,
    On,
    Recoded,
    Rejected,
    Saw,
    Wrote,
)
from acp_nvim.history.file import File
from acp_nvim.history.fold import apply
from acp_nvim.history.review import changes
from acp_nvim.history.switch import undone
from acp_nvim.hunks import RECENT
from acp_nvim.storage.record import Value, dumped, dumped_text, plain

PORTION: Final = 2_000
"""Hunks that are made JSON of at once: more would hold the interpreter, and so the loop."""


class Begun(Struct, frozen=True):
    """A host is about to make a file hold `after`: then these facts count. Exact texts' digests."""

    host: str
    before: str
    after: str
    facts: tuple[Fact, ...] = ()
    is_decision: bool = False
    """It is the user's decision, not a write of an agent's."""


class Done(Struct, frozen=True):
    """What that host had begun is done."""

    host: str


class Dropped(Struct, frozen=True):
    """What that host had begun was not done; if it changed the file, other facts say how."""

    host: str


class Stands(Struct, frozen=True):
    """The user and an agent have changed the same place; None: no more."""

    conflict: Conflict | None = None


Entry: TypeAlias = Fact | Begun | Done | Dropped | Stands

FACTS: Final = (Began, Wrote, Saw, Off, On, Rejected, Kept, Recoded, Had)
KINDS: Final[Mapping[str, type[Any]]] = {
    it.__name__: it for it in (*FACTS, Begun, Done, Dropped, Stands)
}


class History(Struct, frozen=True):
    """What the list of a file says: the file as its facts have left it, a conflict, what hosts have
    begun in it and not ended."""

    path: str
    file: File | None = None
    conflict: Conflict | None = None
    begun: Mapping[str, Begun] = field(default_factory=dict)

    def then(self, *entries: Entry) -> History:
        """Return it with these entries behind the others."""
        file, conflict, begun = self.file, self.conflict, {**self.begun}
        for entry in entries:
            match entry:
                case Begun(host):
                    begun[host] = entry
                case Done(host) | Dropped(host):
                    ended = begun.pop(host, None)
                    if ended is not None and isinstance(entry, Done):
                        file = _with(file, *ended.facts)
                case Stands(conflict):
                    pass
                case _:
                    file = _with(file, entry)
        return History(self.path, file, conflict, begun)

    @property
    def waits(self) -> bool:
        """Whether something in it waits for the user: a hunk, a conflict, an undo to be redone."""
        file = self.file
        return bool(self.conflict or self.begun or (file and (undone(file) or changes(file))))


def _with(file: File | None, *facts: Fact) -> File | None:
    for fact in facts:
        if file is not None or isinstance(fact, Began):
            # it may be of another text: two hosts have appended at once
            with suppress(LookupError, ValueError):
                file = apply(file or File(), fact)
    return file


def digest(text: str | None) -> str:
    """Return what tells a text from others; "" for no file."""
    if text is None:
        return ""
    return RECENT.made(text, "digest", partial(_digest, text))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def text_of(entry: Entry) -> str:
    """Return the entry as one line, which takes long for none of its parts at a time."""
    name = type(entry).__name__
    match entry:
        case Began(text) if text is not None:
            return f'["{name}",{{"text":{dumped_text(text)}}}]'
        case Wrote() | Saw() if len(entry.hunks) > PORTION:
            return f'["{name}",{_long_change(entry)}]'
        case Begun():
            rest = dumped(plain(replace(entry, facts=())))
            facts = ",".join(map(text_of, entry.facts))
            return f'["{name}",{rest.removesuffix("}")},"facts":[{facts}]}}]'
        case _:
            return dumped([name, plain(entry)])


def entry_of(value: Value) -> Entry | None:
    """Return the entry that `text_of` has made JSON of, None if it is none."""
    try:
        name, said = value
        if name == Begun.__name__:
            facts = tuple(map(entry_of, said["facts"]))
            return (
                None if None in facts else replace(_made(name, said | {"facts": ()}), facts=facts)
            )
        entry: Entry = _made(name, said)
    except (KeyError, TypeError, ValueError, msgspec.ValidationError):
        return None
    return entry


def _made(name: str, said: Value) -> Any:
    return msgspec.convert(said, KINDS[name])


def _long_change(fact: Wrote | Saw) -> str:
    rest = dumped(plain(replace(fact, hunks=())))
    starts = range(0, len(fact.hunks), PORTION)
    portions = (fact.hunks[start : start + PORTION] for start in starts)
    hunks = ",".join(dumped(msgspec.to_builtins(portion))[1:-1] for portion in portions)
    return rest.replace('"hunks":[]', f'"hunks":[{hunks}]', 1)
