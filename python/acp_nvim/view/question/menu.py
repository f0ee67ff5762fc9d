"""The float of a question as it is drawn: of a permission, or of an elicitation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from acp_nvim.view.block import Line


@dataclass(frozen=True, slots=True)
class FormRow:
    """What <CR> does in a 0-based row: change a field, take an option, or answer with `action`."""

    row: int
    kind: Literal["text", "choice", "toggle", "action"]
    field: int = -1
    """The number of the field, from 0."""
    option: int = -1
    label: str = ""
    text: str = ""
    """What stands in a text field now."""
    choices: tuple[str, ...] = ()
    action: str = ""


@dataclass(frozen=True, slots=True)
class Menu:
    """The text of the float, and which of its lines are options (0-based rows)."""

    id: str
    title: str
    footer: str
    lines: tuple[Line, ...]
    option_rows: tuple[int, ...]
    option_ids: tuple[str, ...] = ()
    """What a permission is answered with in those rows."""
    detail: tuple[Line, ...] = ()
    """The whole command, diff or text, for a larger float; empty when the agent said nothing."""
    detail_filetype: str = ""
    form: tuple[FormRow, ...] = ()
    """What <CR> does in the rows of an elicitation; empty for a permission."""
    comparable: int = 0
    """How many files `d` can show side by side, as they are and as they would be."""
    chat: int = 0
    """Buffer of the chat that it belongs to; the host knows, the view does not."""
