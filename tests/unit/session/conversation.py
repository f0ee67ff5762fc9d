"""Short ways to write a conversation down, for the tests beside this module."""

from __future__ import annotations

from acp_nvim.session.content import Text
from acp_nvim.session.event import ChunkReceived, Event, SessionOpened, TurnStarted
from acp_nvim.session.model import Mode, Prompt, Role
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.state import Ending, Message, Notice, SessionState, ToolCall
from acp_nvim.view.chat.ending import entry_text

MODES = (Mode("ask", "Ask"), Mode("code", "Code"))
OPENED = SessionOpened("s1", MODES, "ask")


def after(*events: Event, state: SessionState | None = None) -> SessionState:
    """Return the state after the events, from a new session or from the given one."""
    result = SessionState("tutor", "/project") if state is None else state
    for event in events:
        result = reduce(result, event)
    return result


def prompt(text: str) -> Prompt:
    return Prompt((Text(text),))


def turn(text: str = "go", at: float = 0.0, *, queued: bool = False) -> TurnStarted:
    return TurnStarted(prompt(text), at, queued)


def says(role: Role, text: str, message_id: str | None = None) -> ChunkReceived:
    return ChunkReceived(role, Text(text), message_id)


def told(state: SessionState) -> list[str]:
    """Return the transcript as lines "role: text"; other content shows as its type.

    Without the rows below turns: see `endings`.
    """
    return [_told(entry) for entry in state.entries if not isinstance(entry, Ending)]


def endings(state: SessionState) -> list[str]:
    """Return the rows below turns."""
    return [entry_text(entry) for entry in state.entries if isinstance(entry, Ending)]


def _told(entry: Message | ToolCall | Notice) -> str:
    if isinstance(entry, ToolCall):
        return f"tool: {entry.title} {entry.status}"
    if isinstance(entry, Notice):
        return f"{entry.severity}: {entry.text}"
    blocks = (
        part.text if isinstance(part, Text) else type(part).__name__ for part in entry.content
    )
    return f"{entry.role}: {'|'.join(blocks)}"
