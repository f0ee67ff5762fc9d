"""What can be set in a session: config options, and modes where no option is for them (C-245 on).

Pure; the reducers, `decide` and the view ask it, so that all agree on what the current mode is.
Categories only choose what is shown where: an option without one works as well (C-252).
"""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.session.model import ConfigOption, Mode
from acp_nvim.session.state import SessionState


def find(options: tuple[ConfigOption, ...], option_id: str) -> ConfigOption | None:
    """Return the option of that id, or None."""
    return next((option for option in options if option.id == option_id), None)


def first_of(options: tuple[ConfigOption, ...], category: str) -> ConfigOption | None:
    """Return the first option of that category: the agent's order breaks ties (C-251)."""
    return next((option for option in options if option.category == category), None)


def mode_option(state: SessionState) -> ConfigOption | None:
    """Return the option that stands for the session mode, or None."""
    option = first_of(state.config, "mode")
    return option if option is not None and option.type == "select" else None


def modes_of(state: SessionState) -> tuple[Mode, ...]:
    """Return the modes to choose from: those of the option for it, else of `modes` (C-245)."""
    option = mode_option(state)
    if option is None:
        return state.modes
    return tuple(Mode(choice.value, choice.name, choice.description) for choice in option.choices)


def mode_of(state: SessionState) -> str | None:
    """Return the id of the current mode, or None."""
    option = mode_option(state)
    return state.mode if option is None else str(option.value)


def value_name(option: ConfigOption) -> str:
    """Return what to call the current value; the value itself if the agent never listed it."""
    if isinstance(option.value, bool):
        return "on" if option.value else "off"
    names = (choice.name for choice in option.choices if choice.value == option.value)
    return next(names, option.value)


def with_value(
    options: tuple[ConfigOption, ...], option_id: str, value: str | bool
) -> tuple[ConfigOption, ...]:
    """Return the options with another value of that one."""
    return tuple(
        replace(option, value=value) if option.id == option_id else option for option in options
    )


def replaced(
    old: tuple[ConfigOption, ...], new: tuple[ConfigOption, ...]
) -> tuple[ConfigOption, ...]:
    """Return the options after a whole new list (C-257).

    The list of models of the old way is none of the options, so it stays, unless an option takes
    its place.
    """
    if first_of(new, "model") is not None:
        return new
    return (*new, *(option for option in old if option.way == "set_model"))


def shown(options: tuple[ConfigOption, ...]) -> tuple[ConfigOption, ...]:
    """Return them as they are listed: in the agent's order, a model's own beside it (C-253)."""
    model = first_of(options, "model")
    if model is None:
        return options
    beside = tuple(option for option in options if option.category == "model_config")
    others = [option for option in options if option.category != "model_config"]
    place = others.index(model) + 1
    return (*others[:place], *beside, *others[place:])
