"""What stands within a line of Markdown: code, emphasis, links, addresses, escapes.

Line by line: a span that goes on in the next line is plain. For the Markdown modules only.
"""

from __future__ import annotations

import re

from acp_nvim.patterns import lazy_pattern
from acp_nvim.view.block import Conceal, Highlight, Mark
from acp_nvim.view.markdown.emphasis import Run, delimiter_run, emphasis

_TOKEN = lazy_pattern(
    r"\\[!-/:-@\[-`{-~]|`+|\*+|_+|~+|!?\[|<(?=[A-Za-z][A-Za-z0-9+.-]{1,31}:)|https?://"
)
_LINK = lazy_pattern(
    r"!?\[(?P<label>(?:[^\[\]\\`]|\\.|(?P<ticks>`+)[^`]*(?P=ticks)|!?\[[^\[\]]*\](?:\([^()\s]*\))?)++)\]"
    r"\(\s*+(?P<address><[^<>]*+>|[^\s()<>]*+(?:\([^\s()]*+\)[^\s()]*+)*+)"
    r"(?:\s++(?:\"[^\"]*+\"|'[^']*+'))?\s*+\)"
)
_AUTOLINK = lazy_pattern(r"<([^\s<>]*+)>")
_ADDRESS = lazy_pattern(r"https?://[^\s<>`\"\[\]|]++")
_TRAILING = ".,;:!?'*_~"


def inline(text: str, start: int, stop: int) -> list[Mark]:
    """Return the marks of [start, stop) of the line, in columns of characters."""
    marks: list[Mark] = []
    runs: list[Run] = []
    at = start
    while token := _TOKEN.search(text, at, stop):
        first = token[0][0]
        if first in "*_~":
            at = token.end()
            if first != "~" or len(token[0]) == 2:
                runs.append(delimiter_run(text, start, stop, token.start(), at))
        else:
            at = _span(text, token, stop, marks)
    return marks + emphasis(runs)


def shown(text: str, start: int, stop: int, marks: list[Mark]) -> str:
    """Return what is seen of [start, stop): its text without what `marks` conceal."""
    at = start
    pieces: list[str] = []
    hidden = (mark for mark in marks if isinstance(mark, Conceal))
    for mark in sorted(hidden, key=lambda mark: mark.start):
        pieces += (text[at : mark.start], mark.character)
        at = max(at, mark.end)
    return "".join(pieces) + text[at:stop]


def _span(text: str, token: re.Match[str], stop: int, marks: list[Mark]) -> int:
    """Add the marks of the span that begins with `token`; return where it ends."""
    match token[0][0]:
        case "\\":
            marks.append(Conceal(token.start(), token.start() + 1))
            return token.end()
        case "`":
            return _code(text, token, stop, marks)
        case "[" | "!":
            return _link(text, token, stop, marks)
        case "<":
            return _autolink(text, token, stop, marks)
        case _:
            return _address(text, token, stop, marks)


def _code(text: str, token: re.Match[str], stop: int, marks: list[Mark]) -> int:
    ticks, start = token[0], token.end()
    closing = re.compile(f"(?<!`){ticks}(?!`)").search(text, start, stop)
    if closing is None:
        return start
    marks.append(Conceal(token.start(), start))
    marks.append(Highlight(start, closing.start(), "AcpCode"))
    marks.append(Conceal(closing.start(), closing.end()))
    return closing.end()


def _link(text: str, token: re.Match[str], stop: int, marks: list[Mark]) -> int:
    link = _LINK.match(text, token.start(), stop)
    if link is None or not link["label"].strip():
        return token.end()
    start, end = link.span("label")
    marks.append(Conceal(link.start(), start))
    marks.append(Highlight(start, end, "AcpLink"))
    marks.extend(inline(text, start, end))
    marks.append(Conceal(end, link.end()))
    return link.end()


def _autolink(text: str, token: re.Match[str], stop: int, marks: list[Mark]) -> int:
    link = _AUTOLINK.match(text, token.start(), stop)
    if link is None:
        return token.end()
    marks.append(Conceal(link.start(), link.start(1)))
    marks.append(Highlight(*link.span(1), "AcpUrl"))
    marks.append(Conceal(link.end(1), link.end()))
    return link.end()


def _address(text: str, token: re.Match[str], stop: int, marks: list[Mark]) -> int:
    found = _ADDRESS.match(text, token.start(), stop)
    if found is None or (token.start() and text[token.start() - 1].isalnum()):
        return token.end()
    address = found[0].rstrip(_TRAILING)
    surplus = address.count(")") - address.count("(")
    while surplus > 0 and address.endswith(")"):
        address, surplus = address[:-1].rstrip(_TRAILING), surplus - 1
    end = token.start() + len(address)
    marks.append(Highlight(token.start(), end, "AcpUrl"))
    return end
