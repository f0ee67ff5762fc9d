"""A session as it is kept for later. Values only; `storage.sessions` writes and reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.session.content import Text
from acp_nvim.session.event import Event, Noticed, PromptQueued, TranscriptRestored
from acp_nvim.session.model import NOTHING_CHOSEN, Chosen, Prompt
from acp_nvim.session.origin import Origin, continued
from acp_nvim.session.state import Entry, Message, Notice, SessionState, SubAgent, ToolCall

CUT_OFF: Final = "This turn was cut off: Neovim or its host ended. What had come until then is kept"
WAITS: Final = (
    "Prompts still wait in the queue: the empty prompt sends them, your next prompt does so first"
)


class SavedSession(Struct, frozen=True):
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
    origins: tuple[Origin, ...] = ()
    """The sessions that it continues."""
    parent: str = ""
    """As in `SessionState`."""
    sub_agents: tuple[SubAgent, ...] = ()
    """Those that have a session."""


def is_worth_keeping(state: SessionState) -> bool:
    """Tell whether the user has said anything in it, and the agent has named it."""
    said = any(isinstance(entry, Message) and entry.role == "user" for entry in state.entries)
    return state.id is not None and (said or bool(state.queue) or _has_worked(state))


def _has_worked(state: SessionState) -> bool:
    return bool(state.parent and state.entries)


def title_of(state: SessionState) -> str | None:
    """Return what the session is called: its title, else the first words of the user in it."""
    return state.title or _said_first(state)


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
        state.origins,
        state.parent,
        tuple(it for it in state.sub_agents if not it.key),
    )


def restored(saved: SavedSession) -> tuple[Event, ...]:
    """Return what brings it back into a session; what waited goes on waiting, for the user."""
    first, *more = saved.queue or (None,)
    queue = (replace(first, held=True), *more) if first is not None else ()
    is_told = any(isinstance(it, Notice) and it.text == WAITS for it in saved.entries[-1:])
    return (
        TranscriptRestored(
            saved.entries, saved.title, saved.chosen, saved.origins, saved.sub_agents
        ),
        *((Noticed(CUT_OFF, "warning"),) if saved.running else ()),
        *map(PromptQueued, queue),
        *((Noticed(WAITS),) if queue and not is_told else ()),
    )


def carried(state: SessionState, last: int, said: str) -> tuple[Event, ...]:
    """Return what begins a session that continues another after its turn `last`; `said` tells so.

    Its agent learns of what was said with the first prompt: see `untold`.
    """
    kept = tuple(entry for entry in state.entries if entry.turn <= last)
    origins = continued(state.origins, state.key, last)
    subs = tuple(it for it in state.sub_agents if not it.key and it.turn <= last)
    named = None if state.title == _said_first(state) else state.title
    restored = TranscriptRestored(kept, named, origins=origins, sub_agents=subs)
    has_talk = any(isinstance(it, Message | ToolCall) for it in kept)  # notices alone are no talk
    return (restored, Noticed(said, mark="anew")) if has_talk else ()


def untold(entries: Sequence[Entry]) -> Sequence[Entry]:
    """Return what was said in another session before this one began, if no turn was had since.

    The agent knows nothing of it.
    """
    answered = -1
    for place in reversed(range(len(entries))):
        match entries[place]:
            case Notice(mark="anew"):
                return entries[:place]
            case Message(role="user", turn=turn) if turn == answered:
                return ()
            case ToolCall(turn=turn) | Message(role="agent" | "thought", turn=turn):
                answered = turn
            case _:
                pass
    return ()


def _said_first(state: SessionState) -> str | None:
    """Return the first words in this session, if any, else in the one that it goes on from."""
    own = [it for it in state.entries if it.turn > state.origins[-1].last] if state.origins else ()
    return _first_words(own) or _first_words(state.entries)


def _first_words(entries: Sequence[Entry]) -> str | None:
    for entry in entries:
        if isinstance(entry, Message) and entry.role == "user":
            words = (
                block.typed or block.text for block in entry.content if isinstance(block, Text)
            )
            return " ".join(" ".join(words).split())[:80] or None
    return None
