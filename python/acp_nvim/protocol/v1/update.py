"""`session/update` of ACP v1: what happened, as events (v1/prompt-turn, schema SessionUpdate)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from pydantic import ValidationError

from acp_nvim.protocol.base import compact
from acp_nvim.protocol.common import update as common
from acp_nvim.protocol.common.plan import DECODERS as PLANS
from acp_nvim.protocol.common.plan import plan_entries
from acp_nvim.protocol.v1 import types
from acp_nvim.protocol.v1.config import decode_config
from acp_nvim.protocol.v1.terminal import told_terminals
from acp_nvim.protocol.v1.tool_call import tool_call_event
from acp_nvim.session.event import (
    CommandsReplaced,
    ConfigReplaced,
    Event,
    ModeChanged,
    PlanReplaced,
    Unknown,
)
from acp_nvim.session.model import Command

Update: TypeAlias = dict[str, Any]

_TOOL_CALLS = frozenset({"tool_call", "tool_call_update"})


def decode_update(params: object) -> tuple[str, tuple[Event, ...]]:
    """Return the session id, "" if there is none, and what happened; never raises (C-133)."""
    if not isinstance(params, dict):
        return "", (Unknown("", compact(params)),)
    session_id = params.get("sessionId")
    events = _events(params.get("update"))
    return (session_id if isinstance(session_id, str) else ""), events


def _events(update: object) -> tuple[Event, ...]:
    if not isinstance(update, dict):
        return (Unknown("", compact(update)),)
    kind = update.get("sessionUpdate")
    if not isinstance(kind, str):
        return (Unknown("", compact(update)),)
    decode = _DECODERS.get(kind)
    try:
        event = decode(update) if decode else Unknown(kind, compact(update))
    except ValidationError:
        event = Unknown(kind, compact(update))
    if event is None:
        return ()
    # before the call, so that it finds what it shows
    return (*told_terminals(update), event) if kind in _TOOL_CALLS else (event,)


def _tool_call(update: Update) -> Event:
    return tool_call_event(types.ToolCall.model_validate(update))


def _plan(update: Update) -> Event:
    plan = types.Plan.model_validate(update)
    return PlanReplaced(plan_entries(plan.entries))


def _commands(update: Update) -> Event:
    commands = types.AvailableCommands.model_validate(update).available_commands
    return CommandsReplaced(tuple(_command(command) for command in commands if command.name))


def _command(command: types.AvailableCommand) -> Command:
    # some agents name them with the slash (C-272)
    name = command.name.removeprefix("/")
    hint = None if command.input is None else command.input.hint or ""
    return Command(name, command.description or "", hint)


def _mode(update: Update) -> Event:
    current = types.CurrentMode.model_validate(update)
    mode = current.current_mode_id or current.mode_id
    return ModeChanged(mode) if mode else Unknown("current_mode_update", compact(update))


def _config(update: Update) -> Event:
    return ConfigReplaced(decode_config(types.ConfigOptions.model_validate(update).config_options))


_DECODERS: dict[str, Callable[[Update], Event | None]] = {
    "tool_call": _tool_call,
    "tool_call_update": _tool_call,
    "plan": _plan,
    "available_commands_update": _commands,
    "current_mode_update": _mode,
    "config_option_update": _config,
    **common.DECODERS,
    **PLANS,
}
