"""Fenced code: its lines coloured by Pygments, a diff's by their first character.

While the fence is open each line is lexed by itself; when it closes, the whole of it once more, so
that strings and comments over several lines come out right. For `markdown_block` only.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.patterns import lazy_pattern
from acp_nvim.view.block import Highlight, Line, LineHighlight, Mark
from acp_nvim.view.markdown.columns import INLINE_LIMIT, marked
from acp_nvim.view.markdown.lexing import Span, highlights, whole
from acp_nvim.view.styled import indents

WHOLE_LIMIT = 1000
"""A fence of more lines is never lexed as a whole."""
LEXED_LIMIT = 2000
"""Lines after these are not lexed at all."""
_WHOLE_CHARACTERS = 100_000

_OPENING = lazy_pattern(r"[ \t]*+(?P<marker>`{3,}+(?=[^`]*+$)|~{3,}+)[ \t]*+(?P<info>.*)")
_CLOSING = lazy_pattern(r"(?P<indent>[ \t]*+)(?P<marker>`{3,}+|~{3,}+)[ \t]*+$")
_LANGUAGE = lazy_pattern(r"[{. ]*([\w+#.-]+)")
_DIFF = {"+": "AcpDiffAdd", "-": "AcpDiffDelete", "@": "AcpDiffHunk"}


class Code(Struct, frozen=True):
    """A visible line of the body; the code in it begins at character `start`."""

    text: str
    start: int
    marks: tuple[Mark, ...] = ()
    """What the quotes before the code are drawn with."""


class Fence(Struct, frozen=True):
    """An open fence; `body` is what can still change."""

    marker: str
    indent: int
    depth: int
    """How many quotes the fence stands in."""
    language: str
    body: tuple[Code, ...] = ()
    lines: tuple[Line, ...] = ()
    """The lines of `body`, each lexed by itself."""
    settled: int = 0
    """Number of lines that came before `body` and will not change."""
    is_plain: bool = False
    """It was too much for its lexer, so no more of it is coloured."""

    def with_drawn(self, lines: tuple[Line, ...]) -> Fence:
        """Return the same fence with these lines, which are equal to its own."""
        return replace(self, lines=lines)

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
        line = self._line(code)
        grown = replace(self, is_plain=self.is_plain or line is None)
        line = line or _code_line(code, ())
        if self.settled:
            return (line,), replace(grown, settled=self.settled + 1)
        grown = replace(grown, body=(*self.body, code), lines=(*self.lines, line))
        if len(grown.body) <= WHOLE_LIMIT:
            return (), grown
        return grown.lines, replace(grown, body=(), lines=(), settled=len(grown.body))

    def closed_lines(self) -> tuple[Line, ...]:
        """Return the lines of `body`, lexed as a whole if that is not too much.

        Raises `Unfinished` while that goes on: it is to be asked again.
        """
        source = "\n".join(code.text[code.start :] for code in self.body)
        longest = max((len(code.text) for code in self.body), default=0)
        if longest > INLINE_LIMIT or len(source) > _WHOLE_CHARACTERS:
            return self.lines
        if not self.body or self.is_plain or self._is_diff:
            return self.lines
        found = whole(self.language, source)
        if not found:
            return self.lines
        return tuple(_code_line(code, spans) for code, spans in zip(self.body, found, strict=True))

    def _line(self, code: Code) -> Line | None:
        """Return the line by itself; None if it was too much for the lexer."""
        if self._is_diff:
            group = _DIFF.get(code.text[code.start : code.start + 1], "AcpCodeBlock")
            return marked(code.text, (LineHighlight(group), *code.marks))
        if self.is_plain or self.settled >= LEXED_LIMIT or len(code.text) > INLINE_LIMIT:
            return _code_line(code, ())
        found = highlights(self.language, code.text[code.start :])
        return None if found is None else _code_line(code, found[0] if found else ())

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


def _code_line(code: Code, spans: Sequence[Span]) -> Line:
    moved = (Highlight(code.start + start, code.start + end, group) for start, end, group in spans)
    look = LineHighlight("AcpCodeBlock")
    return marked(code.text, (look, *indents(code.text, (look,)), *code.marks, *moved))
