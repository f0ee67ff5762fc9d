"""How pieces of text become messages (v1/prompt-turn § Message IDs, C-124 to C-128).

A reducer of this package. Message ids are unique only within a turn with some agents, so a
key holds role, turn and id: "agent:3:m1". A message without an id is known by its position,
"agent:3#17", and the prompt as this client sent it by its turn alone, "user:3#prompt".
"""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.session.content import Content, Text
from acp_nvim.session.event import (
    UNSET,
    ChunkReceived,
    CompactionUpdated,
    MessageExchanged,
    MessageUpdated,
    PromptSent,
    PromptSteered,
)
from acp_nvim.session.model import Role
from acp_nvim.session.reduce.entries import add, add_named, put
from acp_nvim.session.state import Compaction, Message, SessionState

MOST_PARTS = 500
"""Parts of a message; what is more begins another, for each part that comes copies all of them."""
MOST_TEXT = 1_000_000
"""Characters of a text that grows; what is more begins another message, which is kept by itself."""


def chunk_received(state: SessionState, event: ChunkReceived) -> SessionState:
    """Append a chunk to its message, or start a new one."""
    if event.role == "user":
        if state.is_running and not state.parent:
            return state  # the echo of our own prompt, which is already there
        state = _replay_turn(state)
    message = _open_message(state, event)
    if message is None:
        return _start(state, event)
    content = joined(message.content, event.content)
    # Not `replace`: this is the hottest line of the program, and it costs twice as much.
    grown = Message(
        message.key, message.role, message.turn, content, message.message_id, message.local
    )
    return put(state, grown, current=message.key)


def message_updated(state: SessionState, event: MessageUpdated) -> SessionState:
    """Create the message, or put its new content in place of what was known."""
    known = _known_message(state, event)
    content = event.content
    if known is None:
        if event.role == "user":
            if state.is_running and not state.parent:
                return state  # the echo of our own prompt
            state = _replay_turn(state)
        key = f"{event.role}:{state.turn}:{event.message_id}"
        shown = () if content is UNSET else content
        return add(
            state, Message(key, event.role, state.turn, shown, event.message_id), current=key
        )
    if content is UNSET or content == known.content:
        return state
    return put(state, replace(known, content=content), current=state.current)


def message_exchanged(state: SessionState, event: MessageExchanged) -> SessionState:
    """Create or patch what was said between sessions: what a sub-agent hears is its prompt."""
    known = state.named(f"peer:{event.id}")
    message = known if isinstance(known, Message) else Message("", "agent", state.turn, ())
    content = message.content if event.content is UNSET else event.content
    for part in event.more:
        content = joined(content, part)
    message = replace(message, content=content, message_id=event.id)
    is_own = event.sender is not UNSET and event.sender == state.id
    if event.sender is not UNSET or known is None:
        role: Role = "agent" if is_own or not state.parent else "user"
        other = event.recipient if is_own else event.sender
        message = replace(message, role=role, peer=_peer(state, other, is_own=is_own))
    if known is None:
        return add(state, replace(message, key=f"peer:{event.id}"))
    return state if message == known else put(state, message, current=state.current)


def _peer(state: SessionState, session_id: object, *, is_own: bool) -> str:
    """Return whom a message is for or from, if that is a sub-agent of this session."""
    found = next((it for it in state.sub_agents if it.id == session_id), None)
    return f"{'to' if is_own else 'from'} {found.title or found.name}" if found else ""


def _known_message(state: SessionState, event: MessageUpdated) -> Message | None:
    """Return the message of that id, of the latest turn that has one."""
    for turn in range(state.turn, -1, -1):
        found = state.entry(f"{event.role}:{turn}:{event.message_id}")
        if isinstance(found, Message):
            return found
    return None


def _replay_turn(state: SessionState) -> SessionState:
    """In a replay, where nothing else marks a turn, what the user says after the agent begins one.

    Several messages of the user in a row are one prompt.
    """
    if state.status != "loading":
        return state
    last = state.entries[-1] if state.entries else None
    if isinstance(last, Message) and last.role == "user" and last.turn == state.turn:
        return state
    return replace(state, turn=state.turn + 1, current=None)


def _open_message(state: SessionState, event: ChunkReceived) -> Message | None:
    keys = (state.current, None if event.message_id is None else _identified(state, event))
    for key in keys:
        message = None if key is None else state.entry(key)
        if isinstance(message, Message) and _goes_on(message, event, state.turn):
            return message
    return None


def _goes_on(message: Message, event: ChunkReceived, turn: int) -> bool:
    is_named = (event.message_id, turn) == (message.message_id, message.turn)
    if message.role != event.role or message.local or not (is_named or event.message_id is None):
        return False
    if not isinstance(event.content, Text):
        return len(message.content) < MOST_PARTS
    last = message.content[-1] if message.content else None
    return not isinstance(last, Text) or last.length < MOST_TEXT


def _identified(state: SessionState, event: ChunkReceived) -> str:
    return f"{event.role}:{state.turn}:{event.message_id}"


def _start(state: SessionState, event: ChunkReceived) -> SessionState:
    key = None if event.message_id is None else _identified(state, event)
    if key is None or key in state.index:  # it is full
        key = f"{event.role}:{state.turn}#{len(state.entries)}"
    message = Message(key, event.role, state.turn, (event.content,), event.message_id)
    return add(state, message, current=key)


def joined(content: tuple[Content, ...], more: Content) -> tuple[Content, ...]:
    """Return the content and what follows it; a text goes on with the text before it."""
    last = content[-1] if content else None
    if isinstance(last, Text) and isinstance(more, Text):
        return (*content[:-1], last.grown(more.text))
    return (*content, more)


def local_prompt(state: SessionState, content: tuple[Content, ...]) -> SessionState:
    """Append what the user says in the turn that has just begun."""
    key = prompt_key(state)
    return add(state, Message(key, "user", state.turn, content, local=True))


def prompt_sent(state: SessionState, event: PromptSent) -> SessionState:
    """Show the prompt as it went out."""
    message = state.entry(prompt_key(state))
    if state.is_running:
        state = replace(state, prompted=True)
    if not isinstance(message, Message):
        return state
    return put(state, replace(message, content=event.blocks), current=state.current)


def prompt_steered(state: SessionState, event: PromptSteered) -> SessionState:
    """Show what was said into the running turn, where it was said."""
    key = f"user:{state.turn}#{len(state.entries)}"
    return add(state, Message(key, "user", state.turn, event.blocks, local=True))


def prompt_key(state: SessionState) -> str:
    """Return the key of the prompt as this client sent it, in the turn that runs."""
    return f"user:{state.turn}#prompt"


def compaction_updated(state: SessionState, event: CompactionUpdated) -> SessionState:
    """Create the compaction or patch it."""
    name = f"compaction:{event.id}"
    known = state.named(name)
    if not isinstance(known, Compaction) or _is_another(state, known, event):
        return add_named(state, name, _with_more(Compaction("", state.turn), event))
    patched = _with_more(known, event)
    return state if patched == known else put(state, patched, current=state.current)


def _is_another(state: SessionState, known: Compaction, event: CompactionUpdated) -> bool:
    """Tell whether this is another one under a used id: some agents count anew in each turn."""
    is_over = known.status != "in_progress"
    return known.turn < state.turn and is_over and event.status == "in_progress"


def _with_more(known: Compaction, event: CompactionUpdated) -> Compaction:
    summary: tuple[Content, ...] = known.summary if event.summary is UNSET else event.summary
    for content in event.more:
        summary = joined(summary, content)
    return replace(
        known,
        status=known.status if event.status is UNSET else event.status,
        summary=summary,
        error=known.error if event.error is UNSET else event.error,
    )
