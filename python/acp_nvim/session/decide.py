"""`decide(state, action)`: what follows from what the user wants, or why it cannot be.

Pure; the caller applies the events with `reduce` and does what they stand for (a `TurnStarted` is
sent to the agent, a `CancelRequested` too). The client calls it, with no `await` in between.
"""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.session.action import (
    Action,
    ArrangeQueue,
    CancelTurn,
    Refused,
    SendQueued,
    SetMode,
    SetOption,
    SubmitPrompt,
)
from acp_nvim.session.content import Text
from acp_nvim.session.event import CancelRequested, Event, PromptQueued, QueueArranged, TurnStarted
from acp_nvim.session.model import Prompt
from acp_nvim.session.options import find, modes_of
from acp_nvim.session.state import SessionState

_CLOSED = Refused(
    "this session is closed; open it again with :Acp restart, or start with :AcpStart"
)


_OF_ITS_AGENT = Refused(
    "this is a sub-agent: it takes no prompts, its agent's session does (:Acp previous)"
)
_RUNS_ON = Refused("this sub-agent cannot be cancelled by itself: :Acp cancel in its agent's chat")


def decide(state: SessionState, action: Action) -> tuple[Event, ...] | Refused:
    """Return the events that carry the action out, in order; none: there is nothing to do.

    For `SetMode` and `SetOption` no events means that it is allowed: what is shown changes when the
    agent says so, so that nothing has to be taken back when it refuses (C-258).
    """
    match action:
        case SubmitPrompt():
            return _submit(state, action)
        case SendQueued():
            return _send_queued(state, action)
        case ArrangeQueue():
            return (QueueArranged(action.prompts),) if action.prompts != state.queue else ()
        case CancelTurn():
            return _cancel(state)
        case SetMode():
            return _set_mode(state, action)
        case SetOption():
            return _set_option(state, action)


def _submit(state: SessionState, action: SubmitPrompt) -> tuple[Event, ...] | Refused:
    if state.parent:
        return _OF_ITS_AGENT
    if state.status == "closed":
        return _CLOSED
    if _is_empty(action.prompt):
        return _submit_nothing(state, action)
    if state.status == "idle" and not state.queue:
        return (TurnStarted(action.prompt, action.at),)
    # while a session is opened again the user has not said what becomes of what was cut off
    waits = state.cut_off and state.status == "loading" and not state.queue
    prompt = replace(action.prompt, held=True, until_answer=True) if waits else action.prompt
    queued = PromptQueued(prompt, first=action.interrupt)
    if state.status == "idle":
        # A turn has just ended, or the session was just opened: nobody overtakes the queue.
        head = action.prompt if action.interrupt else state.queue[0]
        return (queued, TurnStarted(head, action.at, queued=True))
    if state.status == "running" and action.interrupt:
        return (queued, CancelRequested())
    return (queued,)


def _submit_nothing(state: SessionState, action: SubmitPrompt) -> tuple[Event, ...] | Refused:
    """Send the prompt that is held in the queue: that is how the user says so (C-054)."""
    if state.status == "idle" and state.queue:
        return (TurnStarted(state.queue[0], action.at, queued=True),)
    return Refused("the prompt is empty; write something first")


def _is_empty(prompt: Prompt) -> bool:
    blank = all(isinstance(block, Text) and not block.text.strip() for block in prompt.blocks)
    return blank and not prompt.selections


def _send_queued(state: SessionState, action: SendQueued) -> tuple[Event, ...]:
    if state.status == "idle" and state.queue and not state.queue[0].held:
        return (TurnStarted(state.queue[0], action.at, queued=True),)
    return ()


def _cancel(state: SessionState) -> tuple[Event, ...] | Refused:
    if state.status == "running":
        return _RUNS_ON if state.parent and not state.cancellable else (CancelRequested(),)
    if state.status == "cancelling":
        return ()
    return Refused("nothing is running; there is nothing to cancel")


def _set_mode(state: SessionState, action: SetMode) -> tuple[Event, ...] | Refused:
    if state.parent:
        return _OF_ITS_AGENT
    if state.status == "closed":
        return _CLOSED
    if state.status == "loading":
        return Refused("the session is still being opened; choose the mode when it is there")
    known = [mode.id for mode in modes_of(state)]
    if not known:
        return Refused(f"{state.agent} has no session modes")
    if action.mode not in known:
        return Refused(f"{state.agent} has no mode {action.mode!r}; it has {', '.join(known)}")
    return ()


def _set_option(state: SessionState, action: SetOption) -> tuple[Event, ...] | Refused:
    if state.parent:
        return _OF_ITS_AGENT
    if state.status == "closed":
        return _CLOSED
    if state.status == "loading":
        return Refused("the session is still being opened; set it when it is there")
    option = find(state.config, action.option)
    if option is None:
        known = ", ".join(each.id for each in state.config) or "none"
        return Refused(f"{state.agent} has no option {action.option!r}; it has {known}")
    if option.type == "boolean":
        return () if isinstance(action.value, bool) else Refused(f"{option.id} is on or off")
    values = [choice.value for choice in option.choices]
    if action.value in values:
        return ()
    return Refused(f"{option.id} cannot be {action.value!r}; it can be {', '.join(values)}")
