"""The row that says that the agent's context is nearly full, and what helps; called by `cell`."""

from __future__ import annotations

from acp_nvim.session.state import Notice, SessionState, Usage
from acp_nvim.view.block import Block
from acp_nvim.view.chat.message import notice

KEY = "context"
FULL = 0.9
"""Of the context: who has used so much of it has to think of what comes."""


def nearly_full(state: SessionState) -> Usage | None:
    """Return how much is used, if the row is to be shown: not while the agent writes."""
    usage = state.usage
    is_over = not state.is_running and state.status not in ("closed", "loading")
    is_full = usage is not None and usage.size > 0 and usage.used >= FULL * usage.size
    return usage if is_over and is_full else None


def block(usage: Usage) -> Block:
    """Return the row, and a blank one."""
    share = usage.used * 100 // usage.size
    text = f"{share}% of the context is used: :Acp new! continues in a new session"
    return Block(KEY, notice(Notice(KEY, 0, text, "warning")))
