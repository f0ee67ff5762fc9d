"""Session config options and commands of ACP v2 (schema SessionConfigOption, AvailableCommand)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from acp_nvim.protocol.v2 import types
from acp_nvim.session.model import Command, ConfigChoice, ConfigOption


def decode_config(values: Iterable[object]) -> tuple[ConfigOption, ...]:
    """Return the options in the agent's order, without unknown types and broken ones."""
    options = (_option(value) for value in values)
    return tuple(option for option in options if option is not None)


def _option(value: object) -> ConfigOption | None:
    try:
        told = types.ConfigOption.model_validate(value)
    except ValidationError:
        return None
    match told.type, told.current_value:
        case "select", str(current):
            choices = tuple(_choices(told.options or ()))
            return ConfigOption(
                told.config_id,
                told.name,
                "select",
                current,
                told.category,
                told.description,
                choices,
            )
        case "boolean", bool(current):
            return ConfigOption(
                told.config_id, told.name, "boolean", current, told.category, told.description
            )
        case _:
            return None


def _choices(values: Iterable[object]) -> Iterator[ConfigChoice]:
    """Flat and grouped choices have no tag: a group is what has a `groupId`."""
    for value in values:
        try:
            if isinstance(value, dict) and "groupId" in value:
                group = types.ConfigGroup.model_validate(value)
                for choice in group.options:
                    yield ConfigChoice(choice.value, choice.name, choice.description, group.name)
            else:
                choice = types.ConfigChoice.model_validate(value)
                yield ConfigChoice(choice.value, choice.name, choice.description)
        except ValidationError:
            continue


def decode_commands(told: Iterable[types.AvailableCommand]) -> tuple[Command, ...]:
    """Return the slash commands; one of an unknown type is a name and words like any other."""
    commands = ((it, it.name.removeprefix("/")) for it in told)
    return tuple(
        Command(name, it.description or "", None if it.input is None else it.input.hint or "")
        for it, name in commands
        if name and not any(map(str.isspace, name))
    )
