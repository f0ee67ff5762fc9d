"""The float of an ask as it is drawn: of a permission, or of an elicitation."""

from __future__ import annotations

from dataclasses import dataclass

from acp_nvim.view.block import Line
from acp_nvim.view.question.elicitation import FormRow


@dataclass(frozen=True, slots=True)
class Menu:
    """The text of the float, and which of its lines are options (0-based rows)."""

    id: str
    title: str
    footer: str
    lines: tuple[Line, ...]
    option_rows: tuple[int, ...]
    option_ids: tuple[str, ...]
    detail: tuple[Line, ...] = ()
    """The whole command, diff or text, for a larger float; empty when the agent said nothing."""
    detail_filetype: str = ""
    form: tuple[FormRow, ...] = ()
    """What <CR> does in the rows of an elicitation; empty for a permission."""
    comparable: int = 0
    """How many files `d` can show side by side, as they are and as they would be."""
    chat: int = 0
    """Buffer of the chat that it belongs to; the host knows, the view does not."""
