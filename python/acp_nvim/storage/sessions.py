"""Sessions kept on disk, so that yesterday's conversation is found again.

A file is lines of JSON: the first says which session it is, each other is an entry, or a prompt
that waits. What is new while a turn runs is written behind them in the same way: an entry takes the
place of that of its key, and the last queue counts. Reading is tolerant of each line by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Final, get_args

import msgspec
from msgspec import NODEFAULT, Struct
from msgspec.structs import fields, replace

from acp_nvim.session.content import Text, ToolContent
from acp_nvim.session.log import Log
from acp_nvim.session.model import (
    NOTHING_CHOSEN,
    Chosen,
    ConfigChoice,
    ConfigOption,
    Cost,
    LineCount,
    Location,
    Mention,
    Mode,
    Prompt,
    Selection,
)
from acp_nvim.session.origin import Origin
from acp_nvim.session.saved import SavedSession, is_worth_keeping, saved_of
from acp_nvim.session.state import Entry, Notice, SessionState, SubAgent
from acp_nvim.session.stored import KIND
from acp_nvim.session.terminal import ExitStatus, Terminal
from acp_nvim.storage.in_order import Report
from acp_nvim.storage.json_store import JsonStore
from acp_nvim.storage.record import Value, dumped, loaded

MOST_SESSIONS = 300
"""Files that are kept; the oldest go first."""
MOST_OF_ENTRY = 256_000
"""Characters of one entry; what is longer (an image, for instance) is not kept."""
MOST = 4_000_000
"""Characters of one session; the oldest entries are not kept."""
VERSION = 1
NOWHERE = -1
"""The number of no buffer: those of a Neovim that is gone are others' now."""

_HEAD = ("agent", "id", "cwd", "title", "updated", "running")
_PARTS = (
    *(Cost, LineCount, Location, Chosen, ConfigOption, ConfigChoice, Mode, Terminal, ExitStatus),
    *(Prompt, Selection, Mention),
)
_KINDS: Mapping[str, type[Struct]] = {
    kind.__name__: kind for kind in (*get_args(Entry), *get_args(ToolContent), *_PARTS)
}


class Store:
    """The sessions that were kept; `folder` is asked at each use, for it is configured late."""

    def __init__(
        self,
        folder: Callable[[], str],
        now: Callable[[], float],
        hide: Callable[[str], str] = str,
        report: Report = lambda _error: None,
    ) -> None:
        """Take what leaves secrets out of a text, and who is told why something is not kept."""
        self.now = now
        """Seconds since 1970."""
        self._kept: Final = JsonStore(
            folder, ".jsonl", SessionCodec(hide), most=MOST_SESSIONS, report=report
        )
        self._last: dict[str, SavedSession] = {}
        """What was noted last of each session that is open, or read of it."""
        self._forgotten: set[str] = set()
        self._is_over = False

    def note(self, state: SessionState, *, now: bool = False) -> None:
        """Keep this state soon, or at once, if anything in it is worth keeping; never waits.

        Not while it is being opened: its transcript may be half a replay.
        """
        if state.status != "loading":
            self._note(state, None, now=now)

    def follow(self, state: SessionState, *, now: bool = False) -> None:
        """Keep soon, or at once, what is new in this state since it was noted last; never waits.

        Of a session that is being opened that is the queue.
        """
        last = self._last.get(_name(state))
        if state.id is None:
            return
        if state.status == "loading":
            self._follow_queue(state, last, now=now)
            return
        if last is None or len(last.entries) > len(state.entries):
            self._note(state, None, now=now)
            return
        entries, before = Log.of(state.entries), Log.of(last.entries)
        changed = (entries[position] for position in entries.changed(before))
        new = (*changed, *entries[len(before) :])
        if new or (last.queue, last.running) != (state.queue, state.is_running):
            self._note(state, new, now=now)

    def _note(self, state: SessionState, new: tuple[Entry, ...] | None, *, now: bool) -> None:
        """`new`: the entries that are not noted yet; None: all may be others."""
        if self._is_over or _name(state) in self._forgotten or not is_worth_keeping(state):
            return
        name, saved = _name(state), saved_of(state, self.now())
        last, self._last[name] = self._last.get(name), saved
        if new is None or last is None:
            self._kept.note(name, saved, now=now)
        else:
            chosen = NOTHING_CHOSEN if saved.chosen == last.chosen else saved.chosen
            self._kept.append(name, saved, replace(saved, entries=new, chosen=chosen), now=now)

    def _follow_queue(self, state: SessionState, last: SavedSession | None, *, now: bool) -> None:
        if last is None or last.queue == state.queue or self._is_over:
            return
        saved = self._last[_name(state)] = replace(last, queue=state.queue)
        self._kept.append(_name(state), saved, replace(saved, entries=()), now=now)

    def take_up(self, state: SessionState) -> None:
        """Follow the queue of a session that was closed in this state and is opened again."""
        if state.id is not None and _name(state) not in self._forgotten:
            self._last.setdefault(_name(state), saved_of(state, self.now()))

    def close(self, state: SessionState) -> None:
        """Let go of a session of which nothing more will come."""
        self._last.pop(_name(state), None)

    def leave(self, states: Iterable[SessionState]) -> None:
        """Neovim is leaving: write now how these sessions stand; what ends with it is not kept."""
        for state in states:
            if state.status != "closed":
                self.follow(state)
        self.flush()
        self._is_over = True

    async def run(self) -> None:
        """Write what was noted, for ever."""
        await self._kept.run()

    def flush(self) -> None:
        """Write now what was noted: Neovim is leaving."""
        self._kept.flush()

    def heads(self) -> list[SavedSession]:
        """Return all that is kept, newest first, without entries and what was chosen."""
        noted = self._kept.heads(head_of)
        heads = (replace(kept, entries=(), chosen=NOTHING_CHOSEN) for kept in noted)
        return sorted(heads, key=lambda head: head.updated, reverse=True)

    def read(self, agent: str, session_id: str) -> SavedSession | None:
        """Return what is kept of a session, or None."""
        name = f"{agent}\0{session_id}"
        found = self._kept.read(name)
        if found is not None:
            self._last.setdefault(name, found)
        return found

    def rename(self, agent: str, session_id: str, title: str) -> bool:
        """Keep it under another title; False if it is not kept."""
        found = self.read(agent, session_id)
        if found is not None:
            name = f"{agent}\0{session_id}"
            self._kept.note(name, replace(found, title=title))
            self._last.pop(name, None)
        return found is not None

    def delete(self, agent: str, session_id: str) -> bool:
        """Keep it no longer; False if it was not kept."""
        was_kept = self.read(agent, session_id) is not None
        self._last.pop(f"{agent}\0{session_id}", None)
        self._kept.note(f"{agent}\0{session_id}", None)
        return was_kept

    def forget(self, agent: str, session_id: str) -> None:
        """Keep nothing of it, nor of what is said in it from now on."""
        self.delete(agent, session_id)
        self._forgotten.add(f"{agent}\0{session_id}")


def _name(state: SessionState) -> str:
    return f"{state.agent}\0{state.id}"


class SessionCodec:
    """How sessions are written and read; a `json_store.Codec`. `hide` leaves secrets out."""

    def __init__(self, hide: Callable[[str], str] = str) -> None:
        self._hide = hide

    def to_text(self, saved: SavedSession) -> str:
        """Return the lines, the head first; bounded by `MOST`, and once more for the queue."""
        head = {name: getattr(saved, name) for name in _HEAD}
        lines: list[str] = []
        room = MOST
        for entry in reversed(saved.entries):
            line = self._hide(_entry_line(entry))
            room -= len(line)
            if room < 0:
                break
            lines.append(line)
        head["title"] = saved.title and self._hide(saved.title)
        head["origins"] = [[it.agent, it.session, it.last] for it in saved.origins]
        if saved.parent:
            head["parent"] = saved.parent
        if saved.sub_agents:
            head["sub_agents"] = [self._sub_agent(it) for it in saved.sub_agents]
        first = dumped({"acp": VERSION} | head | {"chosen": _plain(saved.chosen)})
        return "\n".join((first, *reversed(lines), *_queue_lines(saved.queue), ""))

    def _sub_agent(self, sub_agent: SubAgent) -> Value:
        return msgspec.to_builtins(replace(sub_agent, title=self._hide(sub_agent.title)))

    def from_text(self, text: str) -> SavedSession | None:
        """Return the session that the lines hold; None if the first line is no head of one."""
        saved: SavedSession | None = None
        entries: dict[str, Entry] = {}
        queue: list[Prompt] = []
        for value in map(loaded, filter(None, text.split("\n"))):
            if head := _head(value):
                chosen = saved.chosen if saved and head.chosen == NOTHING_CHOSEN else head.chosen
                saved = replace(head, chosen=chosen)
                queue.clear()
            elif saved is None:
                return None
            elif isinstance(value, dict) and value.get(KIND) == Prompt.__name__:
                prompt = _valid(Prompt, value)
                queue += () if prompt is None else (prompt,)
            elif entry := _valid(Entry, value):
                entries[entry.key] = entry
        if saved is None:
            return None
        return replace(saved, entries=Log(entries.values()), queue=tuple(queue))


def head_of(line: bytes) -> SavedSession | None:
    """Return the session that the first line of a file names."""
    return _head(loaded(line.decode("utf-8", "replace")))


def _head(value: Value) -> SavedSession | None:
    if not isinstance(value, dict) or value.get("acp") != VERSION:
        return None
    agent, session_id, cwd = (str(value.get(name) or "") for name in ("agent", "id", "cwd"))
    if not (agent and session_id and cwd.startswith("/")):
        return None
    title, updated = value.get("title"), value.get("updated")
    chosen = _valid(Chosen, value.get("chosen"))
    return SavedSession(
        agent,
        session_id,
        cwd,
        title if isinstance(title, str) else None,
        updated if isinstance(updated, float) else 0.0,
        chosen=chosen or NOTHING_CHOSEN,
        running=value.get("running") is True,
        origins=tuple(_origins(value.get("origins"))),
        parent=str(value.get("parent") or ""),
        sub_agents=tuple(_sub_agents(value.get("sub_agents"))),
    )


def _origins(value: Value) -> Iterator[Origin]:
    for item in value if isinstance(value, list) else ():
        match item:
            case [str(agent), str(session), int(last)]:
                yield Origin(agent, session, last)
            case _:
                return


def _sub_agents(value: Value) -> Iterator[SubAgent]:
    for item in value if isinstance(value, list) else ():
        with suppress(msgspec.ValidationError):
            yield msgspec.convert(item, SubAgent)


def _queue_lines(queue: tuple[Prompt, ...]) -> Iterator[str]:
    room = MOST
    for prompt in queue:
        selections = tuple(replace(it, buffer=NOWHERE, mark=0) for it in prompt.selections)
        line = dumped(_plain(replace(prompt, selections=selections)))
        room -= len(line)
        if room >= 0:
            yield line


def _entry_line(entry: Entry) -> str:
    plain = _plain(entry)
    line = dumped(plain) if _length(plain) <= MOST_OF_ENTRY else None
    if line is not None and len(line) <= MOST_OF_ENTRY:
        return line
    said = "(this was too long to be kept)"
    return dumped(_plain(Notice(entry.key, entry.turn, said)))


def _length(value: Value) -> int:
    """Return how many characters there are: a text of megabytes is not made JSON to be left out."""
    if isinstance(value, dict | list):
        return sum(map(_length, value.values() if isinstance(value, dict) else value))
    return len(value) if isinstance(value, str) else 0


def _plain(value: object) -> Value:
    """Return a record as an object that names its kind, without fields at their default."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    kind = Text if isinstance(value, Text) else type(value)  # one that grows is of another class
    if _KINDS.get(kind.__name__) is not kind:
        return value
    told: dict[str, Value] = {KIND: kind.__name__}
    for field, default in _defaults(kind):
        item = getattr(value, field)
        if item is not default and item != default:
            told[field] = _plain(item)
    return told


@cache
def _defaults(kind: type[Struct]) -> tuple[tuple[str, object], ...]:
    """Return the fields of that kind, and the default of each."""
    return tuple(
        (it.name, it.default if it.default_factory is NODEFAULT else it.default_factory())
        for it in fields(kind)
    )


def _known(value: Value) -> Value:
    """Return it without what is of no known kind: a later version may have kept that."""
    if isinstance(value, list):
        return [item for item in map(_known, value) if item is not None]
    if not isinstance(value, dict):
        return value
    is_known = value.get(KIND) in _KINDS
    return {name: _known(item) for name, item in value.items()} if is_known else None


def _valid(kind: Any, value: Value) -> Any:
    """Return the value that `_plain` has made plain, if it is right all the way down."""
    try:
        return msgspec.convert(_known(value), kind)
    except (msgspec.ValidationError, TypeError, RecursionError):
        return None
