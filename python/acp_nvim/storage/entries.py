"""What stands in the list of a file, as JSON, and what follows from it: the `History` of the file.

Besides facts that is what a host is about to do, and where the user and an agent differ.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Final, TypeAlias

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from acp_nvim.history.conflict import Conflict
from acp_nvim.history.facts import Began, Fact, Off, Saw, Tagged, Wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import apply
from acp_nvim.history.review import changes
from acp_nvim.history.switch import undone
from acp_nvim.hunks import made
from acp_nvim.storage.record import Value, dumped, dumped_text

PORTION: Final = 2_000
"""Hunks that are made JSON of at once: more would hold the interpreter, and so the loop."""


class Begun(Tagged, frozen=True):
    """A host is about to make a file hold `after`: then these facts count. Exact texts' digests."""

    host: str
    before: str
    after: str
    facts: tuple[Fact, ...] = ()
    is_decision: bool = False
    """It is the user's decision, not a write of an agent's."""


class Done(Tagged, frozen=True):
    """What that host had begun is done."""

    host: str


class Dropped(Tagged, frozen=True):
    """What that host had begun was not done; if it changed the file, other facts say how."""

    host: str


class Stands(Tagged, frozen=True):
    """The user and an agent have changed the same place; None: no more."""

    conflict: Conflict | None = None


class Restored(Tagged, frozen=True):
    """What the agent had removed below the user's unsaved text is on the disk again by an undo."""

    undo: Off
    conflict: Conflict


Entry: TypeAlias = Fact | Begun | Done | Dropped | Stands | Restored


class History(Struct, frozen=True):
    """What the list of a file says: the file as its facts have left it, a conflict, what hosts have
    begun in it and not ended."""

    path: str
    file: File | None = None
    conflict: Conflict | None = None
    begun: Mapping[str, Begun] = field(default_factory=dict)
    restored: Restored | None = None
    """What a redo removes again."""

    def then(self, *entries: Entry) -> History:
        """Return it with these entries behind the others."""
        file, conflict, begun = self.file, self.conflict, {**self.begun}
        restored = self.restored
        for entry in entries:
            match entry:
                case Begun(host):
                    begun[host] = entry
                case Done(host) | Dropped(host):
                    ended = begun.pop(host, None)
                    if ended is not None and isinstance(entry, Done):
                        file = _with(file, *ended.facts)
                case Stands(conflict):
                    restored = None
                case Restored():
                    conflict, restored = None, entry
                case _:
                    file = _with(file, entry)
        return History(self.path, file, conflict, begun, restored)

    @property
    def waits(self) -> bool:
        """Whether something in it waits for the user: a hunk, a conflict, an undo to be redone."""
        file = self.file
        waits = self.conflict or self.begun or self.restored
        return bool(waits or (file and (undone(file) or changes(file))))


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
    return made(text, "digest", partial(_digest, text))


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def text_of(entry: Entry) -> str:
    """Return the entry as one line, which takes long for none of its parts at a time."""
    match entry:
        case Began(text) if text is not None:
            return _filled_in(Began(""), '"text":""', f'"text":{dumped_text(text)}')
        case Wrote() | Saw() if len(entry.hunks) > PORTION:
            starts = range(0, len(entry.hunks), PORTION)
            portions = (entry.hunks[start : start + PORTION] for start in starts)
            hunks = ",".join(
                dumped(msgspec.to_builtins(it, enc_hook=list))[1:-1] for it in portions
            )
            return _filled_in(replace(entry, hunks=()), '"hunks":[]', f'"hunks":[{hunks}]')
        case Begun() if entry.facts:
            facts = ",".join(map(text_of, entry.facts))
            return _filled_in(replace(entry, facts=()), "}", f',"facts":[{facts}]}}')
        case _:
            return _json(entry)


def _json(value: object) -> str:
    """Return it as one line; lines whose text is let go are written as such."""
    return dumped(msgspec.to_builtins(value, enc_hook=list))


def _filled_in(rest: Entry, place: str, text: str) -> str:
    """Return the rest as one line, with the text in that place of it."""
    before, _, after = _json(rest).rpartition(place)
    return before + text + after


def entry_of(value: Value) -> Entry | None:
    """Return the entry that `text_of` has made JSON of, None if it is none."""
    try:
        entry: Entry = msgspec.convert(value, Entry)
    except (msgspec.ValidationError, RecursionError):
        return None
    return entry
