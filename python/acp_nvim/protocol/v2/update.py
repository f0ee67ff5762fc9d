"""`session/update` of ACP v2: what happened, as events (schema SessionUpdate)."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable

from pydantic import ValidationError

from acp_nvim.protocol.common import types as common
from acp_nvim.protocol.common.content import decode_content
from acp_nvim.protocol.common.update import DECODERS, Decoders, Update, event_of
from acp_nvim.protocol.records import StateTold
from acp_nvim.protocol.v2 import types
from acp_nvim.protocol.v2.tool_call import content_chunk_event, tool_call_event
from acp_nvim.session.event import (
    UNSET,
    CommandsReplaced,
    Event,
    MessageUpdated,
    TerminalUpdated,
    Unset,
)
from acp_nvim.session.model import BackgroundWork, Role
from acp_nvim.session.terminal import ExitStatus


def decode_update(update: object) -> tuple[Event, ...]:
    """Return what happened; never raises (C-133)."""
    event = event_of(update, _DECODERS)
    return () if event is None else (event,)


def decode_state(session_id: str, update: object) -> StateTold | None:
    """Return the state of the session; None for an update that says none."""
    if not isinstance(update, dict) or update.get("sessionUpdate") != "state_update":
        return None
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


def _cancellable(told: common.CanCancel | None) -> bool:
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
    told = common.AvailableCommands.model_validate(update)
    return CommandsReplaced(types.commands(told.available_commands))


_DECODERS: Decoders = {
    "user_message": _message("user"),
    "agent_message": _message("agent"),
    "agent_thought": _message("thought"),
    "tool_call_update": _tool_call,
    "tool_call_content_chunk": _tool_call_chunk,
    "terminal_update": _terminal,
    "terminal_output_chunk": _terminal_chunk,
    "available_commands_update": _commands,
    **DECODERS,
}
