"""Session config options and slash commands: what their updates and the answers to them say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from acp_nvim.protocol.common import types
from acp_nvim.session.model import Command, ConfigChoice, ConfigOption


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
