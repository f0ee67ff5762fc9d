"""`decide(state, action)`: what follows from what the user wants, or why it cannot be.

Pure; the caller applies the events with `reduce` and does what they stand for (a `TurnStarted` is
sent to the agent, a `CancelRequested` too). The client calls it, with no `await` in between.
"""

from __future__ import annotations

from acp_nvim.session.action import (
    Action,
    CancelTurn,
    Refused,
    SendQueued,
    SetMode,
    SubmitPrompt,
)
from acp_nvim.session.content import Text
from acp_nvim.session.event import CancelRequested, Event, PromptQueued, TurnStarted
from acp_nvim.session.noun import Prompt
from acp_nvim.session.state import SessionState

_CLOSED = Refused(
    "This session is closed; open it again with :Acp restart, or start with :AcpStart"
)


def decide(state: SessionState, action: Action) -> tuple[Event, ...] | Refused:
    """Return the events that carry the action out, in order; none: there is nothing to do.

    For `SetMode` no events means that it is allowed: the mode changes when the agent says so.
    """
    match action:
        case SubmitPrompt():
            return _submit(state, action)
        case SendQueued():
            return _send_queued(state, action)
        case CancelTurn():
            return _cancel(state)
        case SetMode():
            return _set_mode(state, action)


def _submit(state: SessionState, action: SubmitPrompt) -> tuple[Event, ...] | Refused:
    if _is_empty(action.prompt):
        return Refused("The prompt is empty; write something first")
    if state.status == "closed":
        return _CLOSED
    if state.status == "idle" and not state.queue:
        return (TurnStarted(action.prompt, action.at),)
    queued = PromptQueued(action.prompt, first=action.interrupt)
    if state.status == "idle":
        # A turn has just ended, or the session was just opened: nobody overtakes the queue.
        head = action.prompt if action.interrupt else state.queue[0]
        return (queued, TurnStarted(head, action.at, queued=True))
    if state.status == "running" and action.interrupt:
        return (queued, CancelRequested())
    return (queued,)


def _is_empty(prompt: Prompt) -> bool:
    blank = all(isinstance(block, Text) and not block.text.strip() for block in prompt.blocks)
    return blank and not prompt.selections


def _send_queued(state: SessionState, action: SendQueued) -> tuple[Event, ...]:
    if state.status == "idle" and state.queue:
        return (TurnStarted(state.queue[0], action.at, queued=True),)
    return ()


def _cancel(state: SessionState) -> tuple[Event, ...] | Refused:
    if state.status == "running":
        return (CancelRequested(),)
    if state.status == "cancelling":
        return ()
    return Refused("Nothing is running; there is nothing to cancel")


def _set_mode(state: SessionState, action: SetMode) -> tuple[Event, ...] | Refused:
    if state.status == "closed":
        return _CLOSED
    if state.status == "loading":
        return Refused("The session is still being opened; choose the mode when it is there")
    if not state.modes:
        return Refused(f"{state.agent} has no session modes")
    known = [mode.id for mode in state.modes]
    if action.mode not in known:
        return Refused(f"{state.agent} has no mode {action.mode!r}; it has {', '.join(known)}")
    return ()
