"""A session as it is kept for later. Values only; `storage.sessions` writes and reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from acp_nvim.session.content import Text
from acp_nvim.session.event import Event, Noticed, PromptQueued, TranscriptRestored
from acp_nvim.session.model import NOTHING_CHOSEN, Chosen, Prompt
from acp_nvim.session.state import Entry, Message, Notice, SessionState, ToolCall

CUT_OFF: Final = "This turn was cut off: Neovim or its host ended. What had come until then is kept"
WAITS: Final = (
    "What waited in the queue is not sent by itself: sending the empty prompt sends it, and so "
    "does the next prompt"
)


@dataclass(frozen=True, slots=True)
class SavedSession:
    """One session that was kept; `updated` in seconds since 1970."""

    agent: str
    id: str
    cwd: str
    title: str | None = None
    updated: float = 0.0
    entries: Sequence[Entry] = ()
    chosen: Chosen = NOTHING_CHOSEN
    queue: tuple[Prompt, ...] = ()
    running: bool = False
    """A turn ran: it is cut off if nothing was kept after this."""


def is_worth_keeping(state: SessionState) -> bool:
    """Tell whether the user has said anything in it, and the agent has named it."""
    said = any(isinstance(entry, Message) and entry.role == "user" for entry in state.entries)
    return state.id is not None and (said or bool(state.queue))


def title_of(state: SessionState) -> str | None:
    """Return what the session is called: its title, else the first words of the user."""
    return state.title or _first_words(state.entries)


def saved_of(state: SessionState, updated: float) -> SavedSession:
    """Return what is to be kept of a session; a title that it lacks is the first prompt."""
    title = title_of(state)
    chosen = Chosen(state.config, state.modes, state.mode)
    return SavedSession(
        state.agent,
        state.id or "",
        state.cwd,
        title,
        updated,
        state.entries,
        chosen,
        state.queue,
        state.is_running,
    )


def restored(saved: SavedSession) -> tuple[Event, ...]:
    """Return what brings it back into a session; what waited goes on waiting, for the user."""
    first, *more = saved.queue or (None,)
    queue = (replace(first, held=True), *more) if first is not None else ()
    is_told = any(isinstance(it, Notice) and it.text == WAITS for it in saved.entries[-1:])
    return (
        TranscriptRestored(saved.entries, saved.title, saved.chosen),
        *((Noticed(CUT_OFF, "warning"),) if saved.running else ()),
        *map(PromptQueued, queue),
        *((Noticed(WAITS),) if queue and not is_told else ()),
    )


def with_cut_off(replayed: Sequence[Entry], kept: Sequence[Entry]) -> Sequence[Entry]:
    """Return what an agent has replayed, with the turn that was cut off as far as we have more.

    An agent may not know the prompt that ran, or only a part of its answer.
    """
    ours, theirs = _last_turn(kept), _last_turn(replayed)
    if not any(isinstance(it, Notice) and it.text == CUT_OFF for it in ours):
        return replayed
    before = replayed[: len(replayed) - len(theirs)]
    if not _said(ours, "user") or _said(ours, "user") not in _said(theirs, "user"):
        turn = max((entry.turn for entry in replayed), default=0) + 1
        return (*replayed, *(replace(entry, turn=turn) for entry in ours))
    if _is_more(ours, theirs):
        turn = theirs[0].turn
        return (*before, *(replace(entry, turn=turn) for entry in ours))
    notices = tuple(it for it in ours if isinstance(it, Notice))
    return (*replayed, *(replace(it, turn=theirs[0].turn) for it in notices))


def _last_turn(entries: Sequence[Entry]) -> tuple[Entry, ...]:
    turn = max((entry.turn for entry in entries), default=0)
    return tuple(entry for entry in entries if entry.turn == turn)


def _said(entries: tuple[Entry, ...], role: str) -> str:
    messages = (it for it in entries if isinstance(it, Message) and it.role == role)
    texts = (block.text for it in messages for block in it.content if isinstance(block, Text))
    return " ".join(" ".join(texts).split())


def _is_more(ours: tuple[Entry, ...], theirs: tuple[Entry, ...]) -> bool:
    """Return whether we know more of what the agent has said and done."""

    def known(entries: tuple[Entry, ...]) -> tuple[int, int]:
        calls = sum(isinstance(entry, ToolCall) for entry in entries)
        return calls, len(_said(entries, "agent"))

    return all(our >= their for our, their in zip(known(ours), known(theirs), strict=True))


def _first_words(entries: Sequence[Entry]) -> str | None:
    for entry in entries:
        if isinstance(entry, Message) and entry.role == "user":
            words = (block.text for block in entry.content if isinstance(block, Text))
            return " ".join(" ".join(words).split())[:80] or None
    return None
