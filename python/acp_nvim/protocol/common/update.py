"""The kinds of `session/update` that mean the same in every version of ACP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any, TypeAlias

from pydantic import ValidationError

from acp_nvim.protocol.base import compact
from acp_nvim.protocol.common import types
from acp_nvim.protocol.common.content import decode_content
from acp_nvim.protocol.common.plan import DECODERS as PLANS
from acp_nvim.session.content import Content, Text
from acp_nvim.session.event import (
    UNSET,
    ChunkReceived,
    CompactionUpdated,
    ConfigReplaced,
    Event,
    InfoChanged,
    MessageExchanged,
    Noticed,
    ReportedState,
    SubAgentUpdated,
    Unknown,
    Unset,
    UsageChanged,
)
from acp_nvim.session.model import Command, ConfigChoice, ConfigOption, Cost, RateLimit, Role
from acp_nvim.session.sub_agents import Activity


def decode_config(values: Iterable[object]) -> tuple[ConfigOption, ...]:
    """Return the options in the agent's order, without unknown types and broken ones (C-254)."""
    options = (_option(value) for value in values)
    return tuple(option for option in options if option is not None)


def _option(value: object) -> ConfigOption | None:
    try:
        told = types.ConfigOption.model_validate(value)
    except ValidationError:
        return None
    named, about = (told.config_id, told.name), (told.category, told.description)
    match told.type, told.current_value:
        case "select", str(current):
            return ConfigOption(
                *named, "select", current, *about, tuple(_choices(told.options or ()))
            )
        case "boolean", bool(current):
            return ConfigOption(*named, "boolean", current, *about)
        case _:
            return None


def _choices(values: Iterable[object]) -> Iterator[ConfigChoice]:
    """Flat and grouped choices have no tag: a group is what has a `group` or `groupId` (C-259)."""
    for value in values:
        try:
            if isinstance(value, dict) and ("group" in value or "groupId" in value):
                group = types.ConfigGroup.model_validate(value)
                for choice in group.options:
                    yield ConfigChoice(choice.value, choice.name, choice.description, group.name)
            else:
                choice = types.ConfigChoice.model_validate(value)
                yield ConfigChoice(choice.value, choice.name, choice.description)
        except ValidationError:
            continue


def decode_commands(told: Iterable[types.AvailableCommand]) -> tuple[Command, ...]:
    """Return the slash commands; some agents name them with the slash (C-272)."""
    commands = ((it, it.name.removeprefix("/")) for it in told)
    return tuple(
        Command(name, it.description or "", None if it.input is None else it.input.hint or "")
        for it, name in commands
        if name
    )


Update: TypeAlias = dict[str, Any]
Decoders: TypeAlias = Mapping[str, Callable[[Update], Event | None]]
"""By `sessionUpdate`; each may raise `ValidationError`, and None means nothing happened."""


def event_of(update: object, decoders: Decoders) -> Event | None:
    """Return what happened, if anything did; never raises: what cannot be read is `Unknown`."""
    kind = update.get("sessionUpdate") if isinstance(update, dict) else None
    decode = decoders.get(kind) if isinstance(kind, str) else None
    if decode is not None and isinstance(update, dict):
        with suppress(ValidationError):
            return decode(update)
    return Unknown(kind if isinstance(kind, str) else "", compact(update))


def _config(update: Update) -> Event:
    return ConfigReplaced(decode_config(types.ConfigOptions.model_validate(update).config_options))


def _chunk(role: Role) -> Callable[[Update], Event | None]:
    def decode(update: Update) -> Event | None:
        """Return what was said; without a model, for nothing else comes as often."""
        content, message_id = update.get("content"), update.get("messageId")
        if not isinstance(content, dict):
            return Unknown(update["sessionUpdate"], compact(update))
        said = decode_content(content)
        if isinstance(said, Text) and not said.text:
            return None
        return ChunkReceived(role, said, message_id if isinstance(message_id, str) else None)

    return decode


def _info(update: Update) -> Event:
    return InfoChanged(_patch(update, "title"), _patch(update, "updatedAt"))


def _patch(update: Update, key: str) -> str | Unset | None:
    """Return the three states of a field: absent is UNSET, null clears (C-273)."""
    value = update.get(key, UNSET)
    return value if value is None or isinstance(value, str) else UNSET


def _usage(update: Update) -> Event:
    usage = types.Usage.model_validate(update)
    cost = None if usage.cost is None else Cost(usage.cost.amount, usage.cost.currency)
    told = usage.meta.limits if usage.meta else None
    return UsageChanged(usage.used, usage.size, cost, tuple(_limits(told)) if told else ())


def _limits(told: types.RateLimits) -> Iterator[RateLimit]:
    """Yield the limits by name, those that the agent does not count left out."""
    windows = {told.rate_limit_type or "": told} | (told.unified_windows or {})
    for name, window in windows.items():
        if name and window and window.utilization is not None and window.utilization >= 0:
            yield RateLimit(name, window.utilization, window.resets_at)


def _notice(update: Update) -> Event:
    """Return what the agent wants the user to read; an unknown severity is shown plainly."""
    told = types.Notice.model_validate(update)
    text = f"{told.title}: {told.description}" if told.description else told.title
    return Noticed(text, told.severity or "info")


def _compaction(update: Update) -> Event:
    """Return what has become of a compaction."""
    told = types.Compaction.model_validate(update)
    return CompactionUpdated(
        told.compaction_id,
        told.status,
        _summary(update.get("summary", UNSET)),
        error=_error(update.get("error", UNSET)),
    )


def _summary_chunk(update: Update) -> Event:
    """Return what follows in the summary of a compaction."""
    told = types.CompactionChunk.model_validate(update)
    return CompactionUpdated(told.compaction_id, more=(decode_content(told.content),))


def _sub_agent(update: Update) -> Event:
    """Return what is known of a child session; a state that cannot be read is as absent."""
    told = types.Subagent.model_validate(update)
    capabilities = told.capabilities
    can = (
        UNSET
        if "capabilities" not in update
        else bool(capabilities and capabilities.cancel is not None)
    )
    reported = UNSET if told.state is None else _reported(told.state)
    activity: Activity | Unset = UNSET
    if isinstance(reported, ReportedState):
        activity = _activity(reported)
    elif update.get("state", UNSET) is None:
        activity = ""
    return SubAgentUpdated(
        told.session_id, _patch(update, "title"), can, activity, reported, _patch(update, "cwd")
    )


def _reported(told: types.ChildState) -> ReportedState | Unset:
    error = (told.error and told.error.message) or "the agent does not say why"
    failed = error if told.stop_reason == "error" else None
    return ReportedState(told.state, told.stop_reason, failed)


def _activity(told: ReportedState) -> Activity:
    match told.state:
        case "running" | "requires_action":
            return "running"
        case "idle":
            return "done" if told.stop_reason in (None, "end_turn") else "failed"
        case _:
            return ""


def _exchanged(update: Update) -> Event:
    """Return what was said between sessions; who they are may be told later."""
    told = types.SessionMessage.model_validate(update)
    sides = _patch(update, "senderSessionId"), _patch(update, "recipientSessionId")
    return MessageExchanged(told.message_id, *sides, _summary(update.get("content", UNSET)))


def _exchanged_chunk(update: Update) -> Event:
    told = types.SessionMessage.model_validate(update)
    content = update.get("content")
    if not isinstance(content, dict):
        return Unknown(update["sessionUpdate"], compact(update))
    return MessageExchanged(told.message_id, more=(decode_content(content),))


def _summary(value: object) -> tuple[Content, ...] | Unset:
    """Return the blocks, also of a text as such; what is neither list nor null is as absent."""
    match value:
        case None:
            return ()
        case str():
            return (decode_content({"type": "text", "text": value}),)
        case list():
            return tuple(decode_content(item) for item in value if isinstance(item, dict))
        case _:
            return UNSET


def _error(value: object) -> str | Unset | None:
    """Return the sentence, also of an object that has a message."""
    said = value.get("message") if isinstance(value, dict) else value
    return said if said is None or isinstance(said, str) else UNSET


DECODERS: Decoders = {
    "user_message_chunk": _chunk("user"),
    "agent_message_chunk": _chunk("agent"),
    "agent_thought_chunk": _chunk("thought"),
    "session_info_update": _info,
    "usage_update": _usage,
    "notice": _notice,
    "compaction_update": _compaction,
    "compaction_summary_chunk": _summary_chunk,
    "subagent_update": _sub_agent,
    "session_message": _exchanged,
    "session_message_chunk": _exchanged_chunk,
    "config_option_update": _config,
    **PLANS,
}
