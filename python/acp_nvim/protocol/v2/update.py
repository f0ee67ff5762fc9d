"""`session/update` of ACP v2: what happened, as events (schema SessionUpdate)."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

from pydantic import ValidationError

from acp_nvim.protocol.base import compact
from acp_nvim.protocol.common import plan
from acp_nvim.protocol.common import update as common
from acp_nvim.protocol.common.content import decode_content
from acp_nvim.protocol.dialect import AgentNotification, SessionUpdated, StateTold
from acp_nvim.protocol.v2 import types
from acp_nvim.protocol.v2.config import decode_commands, decode_config
from acp_nvim.protocol.v2.tool_call import content_chunk_event, tool_call_event
from acp_nvim.session.event import (
    UNSET,
    CommandsReplaced,
    ConfigReplaced,
    Event,
    MessageUpdated,
    TerminalUpdated,
    Unknown,
    Unset,
)
from acp_nvim.session.model import BackgroundWork, Role
from acp_nvim.session.terminal import ExitStatus

Update: TypeAlias = dict[str, Any]

STATE = "state_update"


def decode_update(params: object) -> AgentNotification:
    """Return what happened, and in which session: "" if none is named. Never raises (C-133)."""
    if not isinstance(params, dict):
        return SessionUpdated("", (Unknown("", compact(params)),))
    named, update = params.get("sessionId"), params.get("update")
    session_id = named if isinstance(named, str) else ""
    if isinstance(update, dict) and update.get("sessionUpdate") == STATE:
        state = _state(session_id, update)
        if state is not None:
            return state
    event = _event(update)
    return SessionUpdated(session_id, () if event is None else (event,))


def _event(update: object) -> Event | None:
    kind = update.get("sessionUpdate") if isinstance(update, dict) else None
    decode = _DECODERS.get(kind) if isinstance(kind, str) else None
    if decode is not None and isinstance(update, dict):
        with suppress(ValidationError):
            return decode(update)
    return Unknown(kind if isinstance(kind, str) else "", compact(update))


def _state(session_id: str, update: Update) -> StateTold | None:
    """Return the state of the session; None for one that says none."""
    try:
        told = types.State.model_validate(update)
    except ValidationError:
        return None
    error = None
    if told.stop_reason == "error":
        error = (told.error and told.error.message) or "the agent does not say why"
    work = tuple(
        BackgroundWork(it.type, it.tool_call_id or it.terminal_id or "")
        for it in told.background or ()
    )
    return StateTold(session_id, told.state, told.stop_reason, error, work)


def _message(role: Role) -> Callable[[Update], Event]:
    def decode(update: Update) -> Event:
        told = types.WholeMessage.model_validate(update)
        if "content" not in told.model_fields_set:
            return MessageUpdated(role, told.message_id)
        blocks = (it for it in told.content or () if isinstance(it, dict))
        return MessageUpdated(role, told.message_id, tuple(map(decode_content, blocks)))

    return decode


def _tool_call(update: Update) -> Event:
    return tool_call_event(types.ToolCall.model_validate(update))


def _tool_call_chunk(update: Update) -> Event:
    return content_chunk_event(types.ToolCallContentChunk.model_validate(update))


def _terminal(update: Update) -> Event:
    told = types.TerminalUpdate.model_validate(update)
    given = told.model_fields_set
    output = _text(told.output.data) if told.output is not None else ""
    ended = told.exit_status
    exit_status = None if ended is None else ExitStatus(ended.exit_code, ended.signal)
    size = None if told.size is None else (told.size.cols, told.size.rows)
    return TerminalUpdated(
        told.terminal_id,
        command=(told.command or "") if "command" in given else UNSET,
        tail=_given(output, "output" in given),
        exit=exit_status if "exit_status" in given else UNSET,
        cancellable=_cancellable(told.capabilities) if "capabilities" in given else UNSET,
        cwd=(told.cwd or "") if "cwd" in given else UNSET,
        size=size if "size" in given else UNSET,
    )


def _cancellable(told: types.WorkCapabilities | None) -> bool:
    return told is not None and told.cancel is not None


def _given(text: str | None, is_given: bool) -> str | Unset:
    """Return the output; one that cannot be read changes nothing."""
    return text if is_given and text is not None else UNSET


def _terminal_chunk(update: Update) -> Event | None:
    told = types.TerminalChunk.model_validate(update)
    more = _text(told.data)
    return TerminalUpdated(told.terminal_id, more=more) if more else None


def _text(data: str) -> str | None:
    """Return the bytes as text, with a surrogate for each that is no whole character (yet)."""
    try:
        return b64decode(data, validate=True).decode("utf-8", "surrogateescape")
    except ValueError:
        return None


def _commands(update: Update) -> Event:
    told = types.AvailableCommands.model_validate(update)
    return CommandsReplaced(decode_commands(told.available_commands))


def _config(update: Update) -> Event:
    return ConfigReplaced(decode_config(types.ConfigOptions.model_validate(update).config_options))


_DECODERS: dict[str, Callable[[Update], Event | None]] = {
    "user_message": _message("user"),
    "agent_message": _message("agent"),
    "agent_thought": _message("thought"),
    "tool_call_update": _tool_call,
    "tool_call_content_chunk": _tool_call_chunk,
    "terminal_update": _terminal,
    "terminal_output_chunk": _terminal_chunk,
    **plan.DECODERS,
    "available_commands_update": _commands,
    "config_option_update": _config,
    **common.DECODERS,
}
