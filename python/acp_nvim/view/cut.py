"""How much of an agent's text is shown in the chat: what a person reads, and an editor bears.

Nothing is dropped from what is kept: a line of ours says how much there is, and opens all of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from acp_nvim.view.block import Line
from acp_nvim.view.styled import coloured, plural
from acp_nvim.view.visible import visible

LINES = 5_000
"""Lines of one message, thought or notice."""
CHARACTERS = 1_000_000
"""Characters of one."""
WIDTH = 65_536
"""Characters of one line."""
COUNTED = 4_000_000
"""Characters in which lines are counted, each time when there are more of them."""
PORTION = 500_000
"""Characters that an editor takes in a moment."""
ITEMS = 200
"""Steps of a plan, places of a tool call and the like."""
TOLD = 10_000
"""Characters of a text that scripts are told."""

_OPENS = ": <CR> opens all"
_REST = re.compile(rf"… [\d,]++ more [a-z ]++{_OPENS}$")


def end_of(text: str, lines: int = LINES) -> int:
    """Return where the part of the text ends that is shown: after a line, if there is one."""
    limit = len(text)
    if limit > CHARACTERS:
        limit = text.rfind("\n", 0, CHARACTERS) + 1 or CHARACTERS
    if text.count("\n", 0, limit) < lines:
        return limit
    at = 0
    for _ in range(lines):
        at = text.find("\n", at, limit) + 1
        if not at:
            return limit
    return at


def head(text: str, lines: int = LINES, before: str | None = None) -> tuple[str, tuple[Line, ...]]:
    """Return what is shown of a text, and the line that tells of the rest: none if that is all.

    `before` is what was shown of it when it was shorter: all, if that was as much as is shown.
    """
    full = before is not None and before.count("\n") == lines and text.startswith(before)
    end = len(before) if before is not None and full else end_of(text, lines)
    return (text, ()) if end == len(text) else (text[:end], (rest_of(text, end),))


def rest_of(text: str, end: int) -> Line:
    """Return the line that tells how much stands after `end`: lines, if they are soon counted."""
    more = len(text) - end
    count = text.count("\n", end) + (not text.endswith("\n")) if more < COUNTED else 0
    return rest(count, "more line") if count > 1 else rest(more, "more character")


def rest(count: int, noun: str) -> Line:
    """Return the line that tells of what is not shown; `noun` as "more line"."""
    return coloured(f"… {plural(count, noun)}{_OPENS}", "AcpDim")


def narrowed(line: str) -> str:
    """Return what is shown of one line, with how much it goes on, in two digits.

    A line that grows would be drawn anew, all of it, for each character that it has more.
    """
    if len(line) <= WIDTH:
        return line
    more = len(line) - WIDTH
    more = round(more, 2 - len(str(more)))
    return f"{line[:WIDTH]} … {more:,} more characters of this line{_OPENS}"


def visible_lines(text: str) -> list[str]:
    """Return the lines, safe to show, and none longer than an editor bears."""
    return [visible(narrowed(line)) for line in text.removesuffix("\n").split("\n")]


def portions(text: str) -> Iterator[list[str]]:
    """Yield all its lines, safe to show, in portions; a line that is too long in pieces."""
    lines: list[str] = []
    size = at = 0
    while at < len(text):
        line = text.find("\n", at, at + WIDTH)
        end = min(at + WIDTH, len(text)) if line < 0 else line
        lines.append(visible(text[at:end].removesuffix("\r")))
        size += end - at
        at = end + (text[end : end + 1] == "\n")
        if size > PORTION or len(lines) >= LINES // 5:
            yield lines
            lines, size = [], 0
    yield lines


def told(value: Any) -> Any:
    """Return plain data for scripts: of each text and each list as much as anybody reads."""
    match value:
        case str():
            return value[:TOLD]
        case Mapping():
            return {key: told(it) for key, it in value.items()}
        case list() | tuple():
            return [told(it) for it in value[:ITEMS]]
        case _:
            return value


def is_rest(text: str) -> bool:
    """Tell whether the text of a line says that there is more."""
    return _REST.search(text, max(0, len(text) - 100)) is not None
