"""`reduce(state, event)`: the one way in which a session changes.

Teaches what every event means. Total: any event in any state gives a state, because agents send
anything at any time; it never raises. What an event does not touch stays the same object, and an
event that changes nothing gives the very same state. Anyone may call it; the client does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import replace

from acp_nvim.session import options, sub_agents
from acp_nvim.session.event import (
    UNSET,
    BackgroundChanged,
    CallChangedFile,
    CancelRequested,
    ChunkReceived,
    CommandsReplaced,
    CompactionUpdated,
    ConfigReplaced,
    Event,
    InfoChanged,
    MessageExchanged,
    MessageUpdated,
    ModeChanged,
    Noticed,
    NoticeOver,
    PlanReplaced,
    PromptQueued,
    PromptSent,
    PromptSteered,
    QuestionClosed,
    QuestionOpened,
    QueueArranged,
    SessionClosed,
    SessionOpened,
    SessionReopening,
    SubAgentUpdated,
    TerminalUpdated,
    ToolCallUpdated,
    TranscriptRestored,
    TurnEnded,
    TurnMeasured,
    TurnStarted,
    Unknown,
    UsageChanged,
)
from acp_nvim.session.model import PermissionQuestion
from acp_nvim.session.reduce import messages, terminals, tool_calls, turns
from acp_nvim.session.reduce.entries import close_call, notice, put
from acp_nvim.session.state import Notice, Plan, SessionState, Usage

MOST_NOTICES = 200
"""Notices of one turn that are shown."""
RECENT = 1_000
"""A notice is looked for among so many of the last entries."""
MORE_NOTICES = "There are more notices in this turn than are shown: :Acp log has what was said"


def reduce(state: SessionState, event: Event) -> SessionState:
    """Return the state after the event."""
    return _REDUCERS[type(event)](state, event)


def _plan_replaced(state: SessionState, event: PlanReplaced) -> SessionState:
    """Take the whole plan; no entries, no plan (C-265). It ends the current message (C-126)."""
    if event.entries:
        plan: Plan | None = Plan(state.turn, event.entries, event.plan_id)
    else:
        # of several plans only the newest is shown; the end of another one leaves it alone
        plan = state.plan if state.plan and state.plan.id != event.plan_id else None
    return replace(state, plan=plan, current=None)


def _commands_replaced(state: SessionState, event: CommandsReplaced) -> SessionState:
    return replace(state, commands=event.commands)


def _mode_changed(state: SessionState, event: ModeChanged) -> SessionState:
    """Take the mode, also for an option of that category whose agent tells it the old way."""
    option = options.mode_option(state)
    if option is None or event.mode not in [choice.value for choice in option.choices]:
        return replace(state, mode=event.mode)
    config = options.with_value(state.config, option.id, event.mode)
    return replace(state, mode=event.mode, config=config)


def _config_replaced(state: SessionState, event: ConfigReplaced) -> SessionState:
    return replace(state, config=options.replaced(state.config, event.options))


def _info_changed(state: SessionState, event: InfoChanged) -> SessionState:
    title = state.title if event.title is UNSET else event.title
    updated_at = state.updated_at if event.updated_at is UNSET else event.updated_at
    return replace(state, title=title, updated_at=updated_at)


def _usage_changed(state: SessionState, event: UsageChanged) -> SessionState:
    last = state.usage or Usage(0, 0)
    usage = Usage(event.used, event.size, event.cost or last.cost, event.limits or last.limits)
    return turns.cost_told(replace(state, usage=usage))


def _noticed(state: SessionState, event: Noticed) -> SessionState:
    """Show the notice; of those of one turn only the first, for an agent may make any number."""
    if state.notices >= MOST_NOTICES:
        return state
    state = replace(state, notices=state.notices + 1)
    if state.notices == MOST_NOTICES:
        return notice(state, MORE_NOTICES, "warning")
    return notice(state, event.text, event.severity, event.mark)


def _notice_over(state: SessionState, event: NoticeOver) -> SessionState:
    """Empty that notice: nothing is shown of it any more."""
    recent = reversed(state.entries[-RECENT:])
    notices = (it for it in recent if isinstance(it, Notice) and it.mark == "passing")
    found = next((it for it in notices if it.text == event.text), None)
    return state if found is None else put(state, replace(found, text=""), current=state.current)


def _unknown(state: SessionState, _event: Unknown) -> SessionState:
    return state


def _question_opened(state: SessionState, event: QuestionOpened) -> SessionState:
    others = tuple(question for question in state.questions if question.id != event.question.id)
    return replace(state, questions=(*others, event.question))


def _question_closed(state: SessionState, event: QuestionClosed) -> SessionState:
    closed = next((question for question in state.questions if question.id == event.id), None)
    if closed is None:
        return state
    questions = tuple(question for question in state.questions if question is not closed)
    state = replace(state, questions=questions)
    if isinstance(closed, PermissionQuestion) and _is_refused(closed, event):
        # agents often say no more of it; what they say still wins
        return close_call(state, closed.tool_call_id, "cancelled")
    return state


def _is_refused(question: PermissionQuestion, event: QuestionClosed) -> bool:
    kinds = (option.kind for option in question.options if option.id == event.option_id)
    return next(kinds, "").startswith("reject")


_REDUCERS: Mapping[type[Any], Callable[[SessionState, Any], SessionState]] = {
    SessionOpened: turns.session_opened,
    ChunkReceived: messages.chunk_received,
    MessageUpdated: messages.message_updated,
    BackgroundChanged: turns.background_changed,
    ToolCallUpdated: tool_calls.tool_call_updated,
    TerminalUpdated: terminals.terminal_updated,
    PlanReplaced: _plan_replaced,
    CommandsReplaced: _commands_replaced,
    ModeChanged: _mode_changed,
    ConfigReplaced: _config_replaced,
    InfoChanged: _info_changed,
    UsageChanged: _usage_changed,
    Noticed: _noticed,
    NoticeOver: _notice_over,
    CompactionUpdated: messages.compaction_updated,
    SubAgentUpdated: sub_agents.updated,
    MessageExchanged: messages.message_exchanged,
    Unknown: _unknown,
    PromptQueued: turns.prompt_queued,
    QueueArranged: turns.queue_arranged,
    TurnStarted: turns.turn_started,
    PromptSent: messages.prompt_sent,
    PromptSteered: messages.prompt_steered,
    CancelRequested: turns.cancel_requested,
    TurnEnded: turns.turn_ended,
    CallChangedFile: tool_calls.call_changed_file,
    TurnMeasured: turns.turn_measured,
    QuestionOpened: _question_opened,
    QuestionClosed: _question_closed,
    SessionClosed: turns.session_closed,
    SessionReopening: turns.session_reopening,
    TranscriptRestored: turns.transcript_restored,
}
