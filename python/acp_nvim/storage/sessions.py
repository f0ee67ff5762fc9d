"""Sessions kept on disk, so that yesterday's conversation is found again.

A file is lines of JSON: the first says which session it is, each other is an entry. Reading is
tolerant of each line by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, Final, TypeVar, get_args

from pydantic import ConfigDict, TypeAdapter

from acp_nvim.session.content import ToolContent
from acp_nvim.session.model import (
    NOTHING_CHOSEN,
    Chosen,
    ConfigChoice,
    ConfigOption,
    Location,
    Mode,
)
from acp_nvim.session.saved import SavedSession, is_worth_keeping, saved_of
from acp_nvim.session.state import Entry, Notice, SessionState
from acp_nvim.session.terminal import ExitStatus, Terminal
from acp_nvim.storage.json_store import JsonStore
from acp_nvim.storage.record import Value, dumped, loaded

MOST_SESSIONS = 300
"""Files that are kept; the oldest go first."""
MOST_OF_ENTRY = 256_000
"""Characters of one entry; what is longer (an image, for instance) is not kept."""
MOST = 4_000_000
"""Characters of one session; the oldest entries are not kept."""
VERSION = 1

T = TypeVar("T")

_PARTS = (Location, Chosen, ConfigOption, ConfigChoice, Mode, Terminal, ExitStatus)
_KINDS: Mapping[str, type[Any]] = {
    kind.__name__: kind for kind in (*get_args(Entry), *get_args(ToolContent), *_PARTS)
}


class Store:
    """The sessions that were kept; `folder` is asked at each use, for it is configured late."""

    def __init__(
        self,
        folder: Callable[[], str],
        now: Callable[[], float],
        hide: Callable[[str], str] = str,
    ) -> None:
        """Take what leaves secrets out of a text."""
        self.now = now
        """Seconds since 1970."""
        self._kept: Final = JsonStore(folder, ".jsonl", SessionCodec(hide), most=MOST_SESSIONS)

    def note(self, state: SessionState) -> None:
        """Keep this state soon, if there is anything in it worth keeping; never waits."""
        if state.id is not None and is_worth_keeping(state):
            self._kept.note(f"{state.agent}\0{state.id}", saved_of(state, self.now()))

    async def run(self) -> None:
        """Write what was noted, for ever."""
        await self._kept.run()

    def flush(self) -> None:
        """Write now what was noted: Neovim is leaving."""
        self._kept.flush()

    def heads(self) -> list[SavedSession]:
        """Return all that is kept, without entries, newest first."""
        heads = (replace(kept, entries=()) for kept in self._kept.heads())
        return sorted(heads, key=lambda head: head.updated, reverse=True)

    def read(self, agent: str, session_id: str) -> SavedSession | None:
        """Return what is kept of a session, or None."""
        return self._kept.read(f"{agent}\0{session_id}")

    def delete(self, agent: str, session_id: str) -> bool:
        """Keep it no longer; False if it was not kept."""
        was_kept = self.read(agent, session_id) is not None
        self._kept.note(f"{agent}\0{session_id}", None)
        return was_kept


class SessionCodec:
    """How sessions are written and read; a `json_store.Codec`. `hide` leaves secrets out."""

    def __init__(self, hide: Callable[[str], str] = str) -> None:
        self._hide = hide

    def to_text(self, saved: SavedSession) -> str:
        """Return the lines, the head first; bounded by `MOST`."""
        head = {name: getattr(saved, name) for name in ("agent", "id", "cwd", "title", "updated")}
        lines: list[str] = []
        room = MOST
        for entry in reversed(saved.entries):
            line = self._hide(_entry_line(entry))
            room -= len(line)
            if room < 0:
                break
            lines.append(line)
        first = dumped({"acp": VERSION} | head | {"chosen": _plain(saved.chosen)})
        return "\n".join((first, *reversed(lines), ""))

    def from_text(self, text: str) -> SavedSession | None:
        """Return the session that the lines hold; None if the first line is no head of one."""
        first, *rest = text.split("\n")
        head = loaded(first)
        if not isinstance(head, dict) or head.get("acp") != VERSION:
            return None
        agent, session_id, cwd = (str(head.get(name) or "") for name in ("agent", "id", "cwd"))
        if not (agent and session_id and cwd.startswith("/")):
            return None
        title, updated = head.get("title"), head.get("updated")
        chosen = _valid(_chosen(), head.get("chosen"))
        return SavedSession(
            agent,
            session_id,
            cwd,
            title if isinstance(title, str) else None,
            updated if isinstance(updated, float) else 0.0,
            entries=tuple(filter(None, (_valid(_entry(), loaded(line)) for line in rest if line))),
            chosen=chosen or NOTHING_CHOSEN,
        )


def _entry_line(entry: Entry) -> str:
    line = dumped(_plain(entry))
    if len(line) <= MOST_OF_ENTRY:
        return line
    said = "(this was too long to be kept)"
    return dumped(_plain(Notice(entry.key, entry.turn, said)))


def _plain(value: object) -> Value:
    """Return a dataclass as an object that names its kind, without fields at their default."""
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if type(value).__name__ not in _KINDS:
        return value
    told = {
        field.name: _plain(item)
        for field in fields(value)  # type: ignore[arg-type]
        if (item := getattr(value, field.name)) != field.default
    }
    return {"kind_": type(value).__name__} | told


def _made(value: Value) -> Any:
    """Return the value that `_plain` has made plain; None for what it cannot have made."""
    if isinstance(value, list):
        return tuple(item for item in map(_made, value) if item is not None)
    if not isinstance(value, dict):
        return value
    kind = _KINDS.get(str(value.get("kind_")))
    if kind is None:
        return None
    known = {field.name for field in fields(kind)}
    try:
        return kind(**{name: _made(item) for name, item in value.items() if name in known})
    except TypeError:
        return None


def _valid(adapter: TypeAdapter[T], value: Value) -> T | None:
    """Return the value that `_plain` has made plain, if it is right all the way down."""
    try:
        return adapter.validate_python(_made(value))
    except (ValueError, RecursionError):
        return None


# The kinds stand in the file, for some have the same fields: what is made by them is looked at.
_ALL = ConfigDict(strict=True, revalidate_instances="always")


@cache
def _entry() -> TypeAdapter[Entry]:
    return TypeAdapter(Entry, config=_ALL)


@cache
def _chosen() -> TypeAdapter[Chosen | None]:
    return TypeAdapter(Chosen | None, config=_ALL)
