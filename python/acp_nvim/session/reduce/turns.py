"""How turns begin, are cancelled and end, and how a session opens and closes.

A reducer of this package (v1/prompt-turn, C-117 to C-123, C-141 to C-147).
"""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import Any

from msgspec.structs import replace

from acp_nvim.session import sub_agents
from acp_nvim.session.content import Text
from acp_nvim.session.event import (
    BackgroundChanged,
    CancelRequested,
    PromptQueued,
    QueueArranged,
    SessionClosed,
    SessionOpened,
    SessionReopening,
    TranscriptRestored,
    TurnEnded,
    TurnMeasured,
    TurnStarted,
)
from acp_nvim.session.log import Index, Log
from acp_nvim.session.model import Cost, How, Severity, ToolStatus
from acp_nvim.session.options import replaced
from acp_nvim.session.origin import continued
from acp_nvim.session.reduce.entries import add, close_call, close_open, notice, put, under_new_keys
from acp_nvim.session.reduce.messages import local_prompt
from acp_nvim.session.reduce.terminals import noted
from acp_nvim.session.state import (
    NO_INDEX,
    NO_NAMES,
    NOT_SHOWN,
    Ending,
    Entry,
    Message,
    SessionState,
    ToolCall,
)

_ENDINGS: dict[str, tuple[str, Severity] | None] = {
    "end_turn": None,
    "cancelled": None,
    "refusal": (
        "The agent refused; this prompt and what followed are not part of the conversation",
        "warning",
    ),
    "max_tokens": ("The agent stopped: it has reached its limit of tokens", "warning"),
    "max_turn_requests": (
        "The agent stopped: it has reached its limit of model requests in one turn",
        "warning",
    ),
}


_HOW: dict[str | None, How] = {
    "end_turn": "done",
    "cancelled": "cancelled",
    "refusal": "refused",
}


def session_opened(state: SessionState, event: SessionOpened) -> SessionState:
    """Take what the answer says; what came before it, or is known from before, stays."""
    if event.replayed:
        state = close_open(state, since_turn=0)
    is_another = state.id not in (None, event.session_id)
    return replace(
        state,
        id=event.session_id,
        origins=continued(state.origins, state.key, state.turn) if is_another else state.origins,
        status="idle" if state.status == "loading" else state.status,
        modes=event.modes or state.modes,
        mode=event.mode or state.mode,
        config=state.config if event.config is None else replaced(state.config, event.config),
        commands=state.commands if event.commands is None else event.commands,
        cut_off=False,
        current=None,
    )


def session_closed(state: SessionState, event: SessionClosed) -> SessionState:
    """End everything but the queue."""
    if state.status == "closed":
        return state
    state = replace(state, status="closed", questions=(), background=())
    state = close_open(state, since_turn=0)
    if event.reason is None:
        return state
    return notice(state, event.reason, "warning", "cut_off" if state.cut_off else "")


def session_reopening(state: SessionState, event: SessionReopening) -> SessionState:
    """Wait for the agent again; a replay starts from an empty transcript (C-087)."""
    known = event.session_id or state.id
    state = replace(state, id=known, status="loading", questions=(), current=None)
    if not event.replay:
        return close_open(state, since_turn=0)
    return replace(
        state,
        turn=0,
        turn_started=None,
        prompted=False,
        turn_ended=None,
        stop_reason=None,
        plan=None,
        notices=0,
        entries=(),
        index=NO_INDEX,
        latest=NO_NAMES,
        shown=NOT_SHOWN,
        sub_agents=(),
    )


def transcript_restored(state: SessionState, event: TranscriptRestored) -> SessionState:
    """Show what was kept; under keys of their own, which nothing that comes later can meet."""
    entries: Log[Entry] = Log(under_new_keys(event.entries))
    asked = {question.tool_call_id for question in state.questions}
    calls = [it for it in entries if isinstance(it, ToolCall)]
    state = replace(
        state,
        entries=entries,
        index=Index({entry.key: place for place, entry in enumerate(entries)}),
        latest={f"tool:{call.id}": call.key for call in calls if call.id in asked},
        shown=NOT_SHOWN,
        turn=max((entry.turn for entry in entries), default=0),
        title=event.title or state.title,
        config=state.config or event.chosen.config,
        modes=state.modes or event.chosen.modes,
        mode=state.mode or event.chosen.mode,
        origins=event.origins or state.origins,
        plan=None,
        current=None,
    )
    state = sub_agents.restored(calls, event.sub_agents, state)
    for call in calls:
        state = noted(state, call)
    return close_open(state, since_turn=0)


def prompt_queued(state: SessionState, event: PromptQueued) -> SessionState:
    """Put a prompt at the end of the queue, or at its head."""
    queue = (event.prompt, *state.queue) if event.first else (*state.queue, event.prompt)
    return replace(state, queue=queue)


def queue_arranged(state: SessionState, event: QueueArranged) -> SessionState:
    """Let what the user has kept wait, in the order that the user gave it."""
    return replace(state, queue=event.prompts)


def turn_started(state: SessionState, event: TurnStarted) -> SessionState:
    """Begin a turn with the user's prompt."""
    state = replace(
        state,
        status="running",
        turn=state.turn + 1,
        turn_started=event.at,
        prompted=False,
        turn_ended=None,
        stop_reason=None,
        cut_off=False,
        turn_tokens=None,
        spent_before=_spent(state),
        notices=0,
        queue=state.queue[1:] if event.queued else state.queue,
    )
    # an agent may begin by itself, and nobody said anything then
    return state if event.by_agent else local_prompt(state, event.prompt.blocks)


def background_changed(state: SessionState, event: BackgroundChanged) -> SessionState:
    """Take the list; what was in it, and is not any more, is over if its turn is."""
    gone = set(state.background) - set(event.work)
    state = replace(state, background=event.work)
    for work in gone:
        call = state.tool_call(work.id) if work.kind == "tool_call" else None
        if call is not None and (call.turn < state.turn or not state.is_running):
            state = close_call(state, work.id, "ended")
    return state


def cancel_requested(state: SessionState, _event: CancelRequested) -> SessionState:
    """Show at once that the turn is to end; it runs until the agent says so (C-141, C-146)."""
    if state.status != "running":
        return state
    return close_open(replace(state, status="cancelling"), since_turn=state.turn)


def turn_ended(state: SessionState, event: TurnEnded) -> SessionState:
    """End the turn and say how, unless it is the ordinary end."""
    if not state.is_running:
        return state
    cancelled = state.status == "cancelling"
    state = replace(
        state,
        status="idle",
        turn_ended=event.at,
        stop_reason=event.stop_reason,
        cut_off=event.cut_off and not cancelled,
        turn_tokens=event.tokens,
    )
    # an agent that ends its turn well has done what it began, though it may not say so
    left: ToolStatus = "ended" if event.stop_reason == "end_turn" else "cancelled"
    state = close_open(state, left, since_turn=state.turn)
    told, is_silent = _told(event, cancelled=cancelled), _is_silent(state)
    state = state if told is None else notice(state, *told)
    if event.cut_off and not cancelled:
        return state
    how: How = "cancelled" if cancelled else _HOW.get(event.stop_reason, "stopped")
    how = "failed" if event.error is not None and not cancelled else how
    is_silent = is_silent and told is None and how in ("done", "stopped")
    begun = state.turn_started
    seconds = None if begun is None else max(0.0, event.at - begun)
    key = f"end:{state.turn}"
    key = key if key not in state.index else f"{key}#{len(state.entries)}"
    ending = Ending(key, state.turn, how, seconds, turn_cost(state), is_silent=is_silent)
    # what the agent still says of this turn goes on with its message
    return add(state, ending, current=state.current) if _has_begun(state) else state


def turn_measured(state: SessionState, event: TurnMeasured) -> SessionState:
    """Say below the turn what it has changed."""
    return _with_ending(state, event.turn, changes=event.changes)


def cost_told(state: SessionState) -> SessionState:
    """Say below the last turn what it has cost, which some agents tell when it is over."""
    cost = None if state.is_running else turn_cost(state)
    return state if cost is None else _with_ending(state, state.turn, cost=cost)


def turn_cost(state: SessionState) -> Cost | None:
    """Return what the last turn has cost, as far as that is known."""
    total = state.usage.cost if state.usage else None
    if total is None or state.spent_before is None or total.amount <= state.spent_before:
        return None
    return replace(total, amount=total.amount - state.spent_before)


def _with_ending(state: SessionState, turn: int, **changes: Any) -> SessionState:
    ending = state.entry(f"end:{turn}")
    if not isinstance(ending, Ending):
        return state
    changed = replace(ending, **changes)
    return state if changed == ending else put(state, changed, current=state.current)


def _spent(state: SessionState) -> float | None:
    """Return what the session has cost so far: nothing, if there was no turn."""
    if state.usage and state.usage.cost:
        return state.usage.cost.amount
    return None if state.turn or state.origins else 0.0


def _has_begun(state: SessionState) -> bool:
    """Tell whether anything of the last turn is to be seen: an agent may begin by itself."""
    return bool(state.entries) and state.entries[-1].turn == state.turn


def _is_silent(state: SessionState) -> bool:
    """Tell whether the turn has a prompt, and nothing to be seen after it."""
    start = bisect_left(state.entries, state.turn, key=attrgetter("turn"))
    entries = state.entries[start:]
    has_plan = state.plan is not None and state.plan.turn == state.turn
    return bool(entries) and not has_plan and not any(map(_shows, entries))


def _shows(entry: Entry) -> bool:
    """Tell whether something of an entry, which is not the user's, is to be seen."""
    if not isinstance(entry, Message):
        return True
    blank = (isinstance(it, Text) and not it.text.strip() for it in entry.content)
    return entry.role != "user" and not all(blank)


def _told(event: TurnEnded, *, cancelled: bool) -> tuple[str, Severity] | None:
    if event.cut_off:
        return None
    if event.error is not None:
        if cancelled:
            return f"Cancelled; the agent said: {event.error}", "info"
        return f"The turn failed: {event.error}", "error"
    if event.stop_reason is None:
        return None
    unknown: tuple[str, Severity] = (f"The agent stopped: {event.stop_reason}", "info")
    return _ENDINGS.get(event.stop_reason, unknown)
