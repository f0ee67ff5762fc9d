"""What Lua sends with the verbs that are about questions; see `commands.payloads`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from acp_nvim.session.request import ElicitationAction


class GivenAnswer(Struct, frozen=True):
    """To an elicitation: accept, decline or cancel; without content with what its form holds."""

    action: ElicitationAction
    content: Mapping[str, Any] | None = None


class Respond(Struct, frozen=True):
    """An option answers a permission, an answer an elicitation.

    `seen` is the digest of what the user saw, None for a script that has seen no window; `inside`:
    in the window itself, where changes are marked.
    """

    ask: str
    option: str | None = None
    answer: GivenAnswer | None = None
    seen: str | None = None
    inside: bool = False


class Fill(Struct, frozen=True):
    """Field and option count from 0; without text and option the field is emptied."""

    ask: str
    field: int
    text: str | None = None
    option: int | None = None


class GoToQuestion(Struct, frozen=True):
    """The next of those that wait (`step` 1), or that before (-1), counted round."""

    step: int


class OfQuestion(Struct, frozen=True):
    """A question."""

    ask: str


class WindowMoved(Struct, frozen=True):
    """Where the window of the questions is now."""

    bufnr: int
    winid: int


class Compare(Struct, frozen=True):
    """`index` is a file, from 0, counted round."""

    ask: str
    index: int
