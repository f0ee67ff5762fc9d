"""A session as it is kept for later. Values only; `storage.sessions` writes and reads them."""

from __future__ import annotations

from dataclasses import dataclass

from acp_nvim.session.content import Text
from acp_nvim.session.model import NOTHING_CHOSEN, Chosen
from acp_nvim.session.state import Entry, Message, SessionState


@dataclass(frozen=True, slots=True)
class SavedSession:
    """One session that was kept; `updated` in seconds since 1970."""

    agent: str
    id: str
    cwd: str
    title: str | None = None
    updated: float = 0.0
    entries: tuple[Entry, ...] = ()
    chosen: Chosen = NOTHING_CHOSEN


def is_worth_keeping(state: SessionState) -> bool:
    """Tell whether the user has said anything in it, and the agent has named it."""
    said = any(isinstance(entry, Message) and entry.role == "user" for entry in state.entries)
    return state.id is not None and said


def saved_of(state: SessionState, updated: float) -> SavedSession:
    """Return what is to be kept of a session; a title that it lacks is the first prompt."""
    title = state.title or _first_words(state.entries)
    chosen = Chosen(state.config, state.modes, state.mode)
    return SavedSession(
        state.agent, state.id or "", state.cwd, title, updated, state.entries, chosen
    )


def _first_words(entries: tuple[Entry, ...]) -> str | None:
    for entry in entries:
        if isinstance(entry, Message) and entry.role == "user":
            words = (block.text for block in entry.content if isinstance(block, Text))
            return " ".join(" ".join(words).split())[:80] or None
    return None
