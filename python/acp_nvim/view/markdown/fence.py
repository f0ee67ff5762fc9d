"""Fenced code: its lines coloured by Pygments, a diff's by their first character.

While the fence is open each line is lexed by itself; when it closes, the whole of it once more, so
that strings and comments over several lines come out right. For `markdown_block` only.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import accumulate
from typing import TypeAlias

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class, get_all_lexers
from pygments.token import _TokenType

from acp_nvim.view.block import Highlight, Line, LineHighlight, Mark
from acp_nvim.view.markdown.columns import INLINE_LIMIT, marked

WHOLE_LIMIT = 1000
"""A fence of more lines is never lexed as a whole."""
LEXED_LIMIT = 2000
"""Lines after these are not lexed at all."""
_WHOLE_CHARACTERS = 100_000

_OPENING = re.compile(r"[ \t]*+(?P<marker>`{3,}+(?=[^`]*+$)|~{3,}+)[ \t]*+(?P<info>.*)")
_CLOSING = re.compile(r"(?P<indent>[ \t]*+)(?P<marker>`{3,}+|~{3,}+)[ \t]*+$")
_LANGUAGE = re.compile(r"[{. ]*([\w+#.-]+)")
_DIFF = {"+": "AcpDiffAdd", "-": "AcpDiffDelete", "@": "AcpDiffHunk"}

_Span: TypeAlias = tuple[int, int, str]
_Spans: TypeAlias = tuple[_Span, ...]

_GROUPS = {
    "Keyword": "AcpSyntaxKeyword",
    "Keyword.Constant": "AcpSyntaxConstant",
    "Keyword.Type": "AcpSyntaxType",
    "Name": "",
    "Name.Attribute": "AcpSyntaxIdentifier",
    "Name.Builtin": "AcpSyntaxFunction",
    "Name.Builtin.Pseudo": "AcpSyntaxIdentifier",
    "Name.Class": "AcpSyntaxType",
    "Name.Constant": "AcpSyntaxConstant",
    "Name.Decorator": "AcpSyntaxPreproc",
    "Name.Exception": "AcpSyntaxType",
    "Name.Function": "AcpSyntaxFunction",
    "Name.Property": "AcpSyntaxIdentifier",
    "Name.Tag": "AcpSyntaxKeyword",
    "Name.Variable": "AcpSyntaxIdentifier",
    "Comment": "AcpSyntaxComment",
    "Comment.Preproc": "AcpSyntaxPreproc",
    "Literal.Number": "AcpSyntaxNumber",
    "Literal.Date": "AcpSyntaxNumber",
    "Literal.String": "AcpSyntaxString",
    "Literal.String.Escape": "AcpSyntaxConstant",
    "Operator": "AcpSyntaxOperator",
    "Operator.Word": "AcpSyntaxKeyword",
    "Generic.Prompt": "AcpSyntaxPreproc",
}


@dataclass(frozen=True, slots=True)
class Code:
    """A visible line of the body; the code in it begins at character `start`."""

    text: str
    start: int
    marks: tuple[Mark, ...] = ()
    """What the quotes before the code are drawn with."""


@dataclass(frozen=True, slots=True)
class Fence:
    """An open fence; `body` is what can still change, `drawn` its first lines as shown."""

    marker: str
    indent: int
    depth: int
    """How many quotes the fence stands in."""
    language: str
    body: tuple[Code, ...] = ()
    drawn: tuple[Line, ...] = ()
    settled: int = 0
    """Number of lines that came before `body` and will not change."""

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of `body`, each lexed by itself."""
        return self.drawn + tuple(self._line(code) for code in self.body[len(self.drawn) :])

    def with_drawn(self, lines: tuple[Line, ...]) -> Fence:
        """Return the same fence, which need not draw these lines, equal to its own, again."""
        return replace(self, drawn=lines)

    def is_closed_by(self, text: str) -> bool:
        """Tell whether the line, without its quotes, ends the fence."""
        closing = _CLOSING.match(text)
        return (
            closing is not None
            and closing["marker"].startswith(self.marker)
            and len(closing["indent"]) < self.indent + 4
        )

    def grown(self, text: str, start: int, marks: Sequence[Mark]) -> tuple[tuple[Line, ...], Fence]:
        """Return the lines that are settled by the next line of the body, and the fence after it.

        `start` is where the line goes on after its quotes.
        """
        blank = len(text) - len(text[start:].lstrip(" \t"))
        code = Code(text, min(blank, start + self.indent), tuple(marks))
        if self.settled:
            line = self._line(code, lexed=self.settled < LEXED_LIMIT)
            return (line,), replace(self, settled=self.settled + 1)
        grown = replace(self, body=(*self.body, code))
        if len(grown.body) <= WHOLE_LIMIT:
            return (), grown
        return grown.lines, replace(self, body=(), drawn=(), settled=len(grown.body))

    def closed_lines(self) -> tuple[Line, ...]:
        """Return the lines of `body`, lexed as a whole if that is not too much."""
        if not self.body:
            return ()
        source = "\n".join(code.text[code.start :] for code in self.body)
        longest = max(len(code.text) for code in self.body)
        if longest > INLINE_LIMIT or len(source) > _WHOLE_CHARACTERS or self._is_diff:
            return self.lines
        found = _highlights_once(self.language, source) or ((),) * len(self.body)
        return tuple(_code_line(code, spans) for code, spans in zip(self.body, found, strict=True))

    def _line(self, code: Code, *, lexed: bool = True) -> Line:
        if self._is_diff:
            group = _DIFF.get(code.text[code.start : code.start + 1], "AcpCodeBlock")
            return marked(code.text, (LineHighlight(group), *code.marks))
        if not lexed or len(code.text) > INLINE_LIMIT:
            return _code_line(code, ())
        found = _highlights(self.language, code.text[code.start :])
        return _code_line(code, found[0] if found else ())

    @property
    def _is_diff(self) -> bool:
        return self.language in ("diff", "patch", "udiff")


def opened_fence(text: str, start: int, quoted: int, depth: int) -> Fence | None:
    """Return the fence that the visible line opens at `start`, or None.

    The line stands in `depth` quotes, whose markers end at `quoted`.
    """
    opening = _OPENING.match(text, start)
    if opening is None:
        return None
    language = _LANGUAGE.match(opening["info"])
    indent = opening.start("marker") - quoted
    return Fence(opening["marker"], indent, depth, language[1].lower() if language else "")


def _code_line(code: Code, spans: Sequence[_Span]) -> Line:
    moved = (Highlight(code.start + start, code.start + end, group) for start, end, group in spans)
    return marked(code.text, (LineHighlight("AcpCodeBlock"), *code.marks, *moved))


def _highlights(language: str, source: str) -> tuple[_Spans, ...]:
    """Return the coloured spans of each line of `source`; nothing for an unknown language."""
    lexer = _lexer(language)
    if lexer is None:
        return ()
    starts = [0, *accumulate(len(line) + 1 for line in source.split("\n"))]
    rows: list[list[_Span]] = [[] for _ in starts[1:]]
    for start, token, value in lexer.get_tokens_unprocessed(source + "\n"):
        group = _group(token)
        if group:
            _add(rows, starts, start, min(start + len(value), len(source)), group)
    return tuple(tuple(row) for row in rows)


# A closing line that is not complete yet asks for the same again and again.
_highlights_once = lru_cache(maxsize=4)(_highlights)


def _add(rows: list[list[_Span]], starts: list[int], start: int, end: int, group: str) -> None:
    """Add [start, end) of the source to the rows that it touches, joined to an equal neighbour."""
    row = bisect_right(starts, start) - 1
    while row < len(rows) and starts[row] < end:
        first = max(start - starts[row], 0)
        last = min(end, starts[row + 1] - 1) - starts[row]
        spans = rows[row]
        if first < last:
            if spans and spans[-1][1] == first and spans[-1][2] == group:
                first = spans.pop()[0]
            spans.append((first, last, group))
        row += 1


@cache
def _lexers() -> dict[str, str]:
    """Return the name of each lexer by its aliases; lexers of other packages are not asked."""
    every = get_all_lexers(plugins=False)
    return {alias: name for name, aliases, _, _ in every for alias in aliases}


def _lexer(language: str) -> Lexer | None:
    name = _lexers().get(language)
    return None if name is None else _known_lexer(name)


@cache
def _known_lexer(name: str) -> Lexer:
    return find_lexer_class(name)()


@cache
def _group(token: _TokenType) -> str:
    while token:
        group = _GROUPS.get(".".join(token))
        if group is not None:
            return group
        token = token.parent
    return ""
