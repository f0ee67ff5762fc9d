"""How much of an agent's text is shown in the chat: what a person reads, and an editor bears.

Nothing is dropped from what is kept: a line of ours says how much there is, and opens all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.content import Text
from acp_nvim.view.block import Line
from acp_nvim.view.styled import coloured, plural
from acp_nvim.view.visible import visible

LINES = 5_000
"""Lines of one message, thought or notice."""
CHARACTERS = 1_000_000
"""Characters of one."""
WIDTH = 65_536
"""Characters of one line."""
LAST_LINES, LAST_CHARACTERS = 100, 10_000
"""Least of the end of a message that is shown whatever is cut, if it has so much; twice that at
most."""
COUNTED = 4_000_000
"""Characters in which lines are counted, each time when there are more of them."""
PORTION = 500_000
"""Characters that an editor takes in a moment."""
ITEMS = 200
"""Steps of a plan, places of a tool call and the like."""
TOLD = 10_000
"""Characters of a text that scripts are told."""

_OPENS = ": <CR> opens all"
_REST = lazy_pattern(rf"… [\d,]++ more [a-z ]++{_OPENS}$")


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


class Beginning(Struct, frozen=True):
    """What is shown of a text that may grow: the characters before `end`."""

    whole: Text
    end: int
    lines: int | None = None
    """How many lines there was room for, if it is cut there; however it grows, it stays cut."""
    newlines: int = 0
    """How many it has, if it is cut."""

    def after(self, start: int) -> str:
        """Return what is shown from that character on."""
        return self.whole.part(start, self.end)

    def goes_on(self, other: Beginning) -> bool:
        """Tell whether it begins with all that the other one shows."""
        return other.end <= self.end and self.whole.begins_as(other.whole, other.end)


def head(text: str, lines: int = LINES) -> tuple[str, tuple[Line, ...]]:
    """Return what is shown of a text, and the line that tells of the rest: none if that is all."""
    shown, more = beginning(Text(text), lines)
    return shown.after(0), more


def beginning(
    text: Text, lines: int = LINES, before: Beginning | None = None
) -> tuple[Beginning, tuple[Line, ...]]:
    """Return the same of a text that grows; `before` is what was shown of it.

    What it costs does not depend on how much there is, once that is more than is shown.
    """
    length = text.length
    if before and before.lines == lines and text.begins_as(before.whole, before.end):
        shown = replace(before, whole=text)
    elif length <= CHARACTERS and text.newlines < lines:
        return Beginning(text, length), ()
    else:
        kept = text.part(0, CHARACTERS + 1)
        end = end_of(kept, lines)
        shown = Beginning(text, end, lines, kept.count("\n", 0, end))
    return (Beginning(text, length), ()) if shown.end == length else (shown, (_rest_of(shown),))


def end_after(text: Text, since: int) -> str:
    """Return the end of a text of which the characters before `since` are shown above it.

    Where it begins stays the same while not much comes, so that it is not drawn anew each time.
    """
    begins = max((text.length // LAST_CHARACTERS - 1) * LAST_CHARACTERS, since)
    end = text.part(begins, text.length)
    at = len(end) - end.endswith("\n")
    for _ in range(LAST_LINES + text.newlines % LAST_LINES):
        at = end.rfind("\n", 0, max(at, 0))
    if at < 0 and begins > since:  # it begins within a line
        at = end.find("\n", 0, LAST_CHARACTERS)
    return end[at + 1 :]


def rest_between(shown: Beginning, end: str) -> tuple[Line, ...]:
    """Return the line that tells how much stands between what is shown and the end; none if nothing
    does."""
    hidden = shown.whole.length - len(end)
    return (_rest_of(shown, hidden, end.count("\n")),) if hidden > shown.end else ()


def _rest_of(shown: Beginning, until: int | None = None, newlines: int = 0) -> Line:
    """Return the line that tells how much stands after it: lines, if they are soon counted.

    `until`: where more is shown, which has so many newlines.
    """
    text, length = shown.whole, shown.whole.length if until is None else until
    more, count = length - shown.end, 0
    if more < COUNTED:
        is_open = text.part(length - 1, length) != "\n"
        count = text.newlines - newlines - shown.newlines + is_open
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
    if isinstance(value, str):
        return value[:TOLD]
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, list | tuple):
        return [told(it) for it in value[:ITEMS]]
    return {key: told(it) for key, it in value.items()} if isinstance(value, Mapping) else value


def is_rest(text: str) -> bool:
    """Tell whether the text of a line says that there is more."""
    return _REST.search(text, max(0, len(text) - 100)) is not None
