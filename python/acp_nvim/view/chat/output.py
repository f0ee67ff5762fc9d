"""What a tool has printed, folded to its end: how it came out is what one looks for. Pure.

Called by `tool_call` and `terminal`. All of it is a key away (`cut.rest`).
"""

from __future__ import annotations

import re

from msgspec import Struct

from acp_nvim.patterns import lazy_pattern
from acp_nvim.view.chat.ansi import ESCAPE

LINES = 20
"""Lines of an output that are shown."""
RUNNING = 5
"""Lines of what still runs."""
_FENCE = lazy_pattern(r"\s*^([`~]{3,})[^\n`]*$\n?", re.MULTILINE)
_FENCES = lazy_pattern(r"^ {0,3}([`~]{3,})[^\n]*$", re.MULTILINE)
_PEN = lazy_pattern(r"\x1b\[[\d;:]*m")


class End(Struct, frozen=True):
    """The last lines of an output, and how many are before them."""

    text: str
    more: int
    fence: str = ""
    """The line by which the code begins that it is in, which is not shown; "": it is in none."""


def end_of_output(text: str, most: int = LINES) -> End:
    """Return the end of an output; a fence around all of it is taken away."""
    text = text.rstrip("\r\n")
    opened = _FENCE.match(text)
    body = _inside(text, opened) if opened else None
    if opened and body is not None:
        kept, more = _last(body, most)
        return End(kept, more, opened[0].strip())
    kept, more = _last(text, most)
    return End(kept, more, _open_fence(text[: len(text) - len(kept)]) if more else "")


def _last(text: str, most: int) -> tuple[str, int]:
    """Return the last lines in the colour that was set before them, and how many are before."""
    at = len(text)
    for _ in range(most):
        at = text.rfind("\n", 0, at)
        if at < 0:
            return text, 0
    escape = text.rfind(ESCAPE, 0, at)
    pen = _PEN.match(text, escape) if escape >= 0 else None
    return (pen[0] if pen else "") + text[at + 1 :], text.count("\n", 0, at + 1)


def _inside(text: str, opened: re.Match[str]) -> str | None:
    """Return what is in the fence, if all of the text is; its end may not have come yet."""
    fence, body = opened[1], text[opened.end() :]
    if body == fence:
        return ""
    body = body.removesuffix(f"\n{fence}")
    return None if re.search(rf"^ {{0,3}}{re.escape(fence)}", body, re.MULTILINE) else body


def _open_fence(text: str) -> str:
    """Return the line of the fence that is open at the end of a text, "" if none is."""
    opened = ""
    for found in _FENCES.finditer(text) if "```" in text or "~~~" in text else ():
        if not opened:
            opened = found[0]
        elif found[1].startswith(re.sub(r"[^`~].*", "", opened.strip())):
            opened = ""
    return opened
