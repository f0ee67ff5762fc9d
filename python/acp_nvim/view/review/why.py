"""Who wrote a line: the text of the float that `:Acp why` opens."""

from __future__ import annotations

from collections.abc import Iterator

from acp_nvim.history.author import Author
from acp_nvim.view.block import BLANK, Line
from acp_nvim.view.review.lists import FOUND
from acp_nvim.view.styled import coloured, pieces
from acp_nvim.view.visible import one_line, visible

LIMIT = 200
KEYS = "<CR> shows it in the chat · q closes"


def why(author: Author, state: str, when: str, *, in_chat: bool) -> tuple[Line, ...]:
    """Return the agent, the turn and the tool call that wrote a line, and what it was asked.

    `state`: pending or kept. `when`: the time, as the user reads it. `in_chat`: whether the place
    in the chat can be shown.
    """
    return tuple(_lines(author, state, when, in_chat=in_chat))


def _lines(author: Author, state: str, when: str, *, in_chat: bool) -> Iterator[Line]:
    who = (author.agent, author.sub_title or author.sub_name, f"turn {author.turn}")
    name = " · ".join(one_line(it, LIMIT) for it in who if it)
    found = FOUND if author.how == "found" else ""
    rest = " · ".join(part for part in (state, found, when) if part)
    yield pieces([(name, "AcpToolTitle"), (f"  {rest}", "AcpDim")])
    if title := one_line(author.title, LIMIT):
        yield coloured(title, "AcpToolPath")
    for line in visible(author.prompt).strip().split("\n"):
        if line.strip():
            yield coloured("> " + line, "AcpQuote")
    if in_chat:
        yield BLANK
        yield coloured(KEYS, "AcpDim")
