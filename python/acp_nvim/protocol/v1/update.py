"""`session/update` of ACP v1: what happened, as events (v1/prompt-turn, schema SessionUpdate)."""

from __future__ import annotations

from acp_nvim.protocol.base import compact
from acp_nvim.protocol.common import types as common
from acp_nvim.protocol.common.plan import plan_entries
from acp_nvim.protocol.common.update import DECODERS, Decoders, Update, decode_commands, event_of
from acp_nvim.protocol.v1 import types
from acp_nvim.protocol.v1.terminal import told_terminals
from acp_nvim.protocol.v1.tool_call import tool_call_event
from acp_nvim.session.event import CommandsReplaced, Event, ModeChanged, PlanReplaced, Unknown

_TOOL_CALLS = ("tool_call", "tool_call_update")


def decode_update(update: object) -> tuple[Event, ...]:
    """Return what happened; never raises (C-133)."""
    event = event_of(update, _DECODERS)
    if event is None:
        return ()
    if isinstance(update, dict) and update.get("sessionUpdate") in _TOOL_CALLS:
        # before the call, so that it finds what it shows
        return (*told_terminals(update), event)
    return (event,)


def _tool_call(update: Update) -> Event:
    return tool_call_event(types.ToolCall.model_validate(update))


def _plan(update: Update) -> Event:
    plan = types.Plan.model_validate(update)
    return PlanReplaced(plan_entries(plan.entries))


def _commands(update: Update) -> Event:
    told = common.AvailableCommands.model_validate(update)
    return CommandsReplaced(decode_commands(told.available_commands))


def _mode(update: Update) -> Event:
    current = types.CurrentMode.model_validate(update)
    mode = current.current_mode_id or current.mode_id
    return ModeChanged(mode) if mode else Unknown("current_mode_update", compact(update))


_DECODERS: Decoders = {
    "tool_call": _tool_call,
    "tool_call_update": _tool_call,
    "plan": _plan,
    "available_commands_update": _commands,
    "current_mode_update": _mode,
    **DECODERS,
}
