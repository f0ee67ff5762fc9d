"""What a user picks from: modes, config options and their values, as labels of a picker.

Pure: the command that asks pairs the labels with what they stand for.
"""

from __future__ import annotations

from collections.abc import Iterable

from acp_nvim.session.model import ConfigChoice, ConfigOption, Mode
from acp_nvim.session.options import value_name
from acp_nvim.view.visible import one_line

CURRENT = "● "
OTHER = "  "
LONGEST = 120
"""Characters of a label; descriptions of models are whole paragraphs."""


def mode_labels(modes: Iterable[Mode], current: str | None) -> list[str]:
    """Return a label for each mode."""
    return [_label(it.name, it.description, current=it.id == current) for it in modes]


def option_labels(options: Iterable[ConfigOption]) -> list[str]:
    """Return a label for each option, with its current value."""
    return [one_line(f"{it.name}: {value_name(it)}", LONGEST) for it in options]


def value_labels(option: ConfigOption) -> list[str]:
    """Return a label for each value; a grouped one begins with the name of its group (C-259)."""
    return [
        _label(_grouped(it), it.description, current=it.value == option.value)
        for it in option.choices
    ]


def value_title(option: ConfigOption) -> str:
    """Return the question that the values answer."""
    about = f"{option.name}: {option.description}" if option.description else option.name
    return one_line(about, LONGEST)


def _grouped(choice: ConfigChoice) -> str:
    return f"{choice.group} / {choice.name}" if choice.group else choice.name


def _label(name: str, description: str | None, *, current: bool) -> str:
    text = f"{name}: {description}" if description else name
    return (CURRENT if current else OTHER) + one_line(text, LONGEST)
