"""How a compaction of the agent's context is shown: one entry where it began, patched from then on.

A reducer of this package. Chunks of a summary may come first, and `completed` twice.
"""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.session.content import Content
from acp_nvim.session.event import UNSET, CompactionUpdated
from acp_nvim.session.reduce.entries import add_named, put
from acp_nvim.session.reduce.messages import joined
from acp_nvim.session.state import Compaction, SessionState


def compaction_updated(state: SessionState, event: CompactionUpdated) -> SessionState:
    """Create the compaction or patch it."""
    name = f"compaction:{event.id}"
    known = state.named(name)
    if not isinstance(known, Compaction) or _begins_again(state, known, event):
        return add_named(state, name, _patched(Compaction("", state.turn), event))
    patched = _patched(known, event)
    return state if patched == known else put(state, patched, current=state.current)


def _begins_again(state: SessionState, known: Compaction, event: CompactionUpdated) -> bool:
    """Tell whether this is another one under a used id: some agents count anew in each turn."""
    is_over = known.status != "in_progress"
    return known.turn < state.turn and is_over and event.status == "in_progress"


def _patched(known: Compaction, event: CompactionUpdated) -> Compaction:
    summary: tuple[Content, ...] = known.summary if event.summary is UNSET else event.summary
    for content in event.more:
        summary = joined(summary, content)
    return replace(
        known,
        status=known.status if event.status is UNSET else event.status,
        summary=summary,
        error=known.error if event.error is UNSET else event.error,
    )
