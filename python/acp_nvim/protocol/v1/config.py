"""Session config options of ACP v1 (v1/session-config-options)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pydantic import ValidationError

from acp_nvim.protocol.v1 import types
from acp_nvim.session.model import ConfigChoice, ConfigOption


def decode_config(values: Iterable[object]) -> tuple[ConfigOption, ...]:
    """Return the options in the agent's order, without unknown types and broken ones (C-254)."""
    options = (_option(value) for value in values)
    return tuple(option for option in options if option is not None)


def decode_models(models: types.SessionModelState) -> ConfigOption | None:
    """Return the models of an older agent as the option that they would be today; None if none."""
    choices = tuple(
        ConfigChoice(model.model_id, model.name, model.description)
        for model in models.available_models
    )
    if not choices:
        return None
    current = models.current_model_id
    return ConfigOption(
        "model", "Model", "select", current, "model", choices=choices, way="set_model"
    )


def _option(value: object) -> ConfigOption | None:
    kind = value.get("type") if isinstance(value, dict) else None
    try:
        match kind:
            case "select":
                return _select(types.SelectOption.model_validate(value))
            case "boolean":
                return _boolean(types.BooleanOption.model_validate(value))
            case _:
                return None
    except ValidationError:
        return None


def _select(option: types.SelectOption) -> ConfigOption:
    return ConfigOption(
        option.id,
        option.name,
        "select",
        option.current_value,
        option.category,
        option.description,
        tuple(_choices(option.options)),
    )


def _boolean(option: types.BooleanOption) -> ConfigOption:
    return ConfigOption(
        option.id,
        option.name,
        "boolean",
        option.current_value,
        option.category,
        option.description,
    )


def _choices(values: Sequence[object]) -> Iterator[ConfigChoice]:
    """Flat and grouped choices have no tag: a group is what has a `group` (C-259)."""
    for value in values:
        try:
            if isinstance(value, dict) and "group" in value:
                group = types.ConfigGroup.model_validate(value)
                for choice in group.options:
                    yield ConfigChoice(choice.value, choice.name, choice.description, group.name)
            else:
                choice = types.ConfigChoice.model_validate(value)
                yield ConfigChoice(choice.value, choice.name, choice.description)
        except ValidationError:
            continue
