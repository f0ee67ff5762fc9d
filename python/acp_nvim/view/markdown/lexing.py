"""The colours of code, by Pygments: which groups of ours its characters are in.

An agent's code meets regular expressions here that may try more ways through it than there is time
for, so each look has a budget. For `fence` only.
"""

from __future__ import annotations

from bisect import bisect_right
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, lru_cache
from itertools import accumulate, islice
from typing import TypeAlias

from pygments import lexers, token

from acp_nvim.budget import within

SECONDS = 0.016
"""What one look may take of the processor; a thousand times what a line of code needs."""
TOKENS = 1_000
"""Of code that is lexed as a whole, in one look: a third of that time or less."""

Span: TypeAlias = tuple[int, int, str]
Spans: TypeAlias = tuple[Span, ...]

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


class Unfinished(Exception):
    """Code is being lexed as a whole, or its lexer is loaded: to be asked for again."""


def highlights(language: str, source: str) -> tuple[Spans, ...] | None:
    """Return the coloured spans of each line of `source`; nothing for an unknown language.

    None: the lexer was not done within its budget, or failed, as it may again on more of the same.
    Raises `Unfinished` while the lexer is loaded.
    """
    lexer = _lexer(language)
    if lexer is None:
        return ()
    lexing = _Lexing(lexer, source)
    return within(SECONDS, lexing.finish)


def whole(language: str, source: str) -> tuple[Spans, ...] | None:
    """Return the same for much code, a part at each call: raises `Unfinished` before the last."""
    lexer = _lexer(language)
    if lexer is None:
        return ()
    return _begun(lexer, source).go_on()


class _Lexing:
    """One pass of a lexer over a source."""

    def __init__(self, lexer: lexers.Lexer, source: str) -> None:
        self._starts = [0, *accumulate(len(line) + 1 for line in source.split("\n"))]
        self._rows: list[list[Span]] = [[] for _ in self._starts[1:]]
        self._size = len(source)
        self._tokens = lexer.get_tokens_unprocessed(source + "\n")
        self._found: tuple[Spans, ...] | None = None
        self._ended = False

    def go_on(self) -> tuple[Spans, ...] | None:
        """Return the spans when it has come to the end, None when it never will."""
        if not self._ended:
            ended = within(SECONDS, lambda: self._take(TOKENS))
            if ended is False:
                raise Unfinished
            self._ended = True
            self._found = tuple(map(tuple, self._rows)) if ended else None
        return self._found

    def finish(self) -> tuple[Spans, ...] | None:
        """Do all at once."""
        return tuple(map(tuple, self._rows)) if self._take(None) else None

    def _take(self, count: int | None) -> bool | None:
        """Take so many tokens; return whether they were the last, None if the lexer has failed."""
        try:
            for start, token, value in islice(self._tokens, count):
                group = _group(token)
                if group:
                    end = min(start + len(value), self._size)
                    _add(self._rows, self._starts, start, end, group)
                count = None if count is None else count - 1
        except Exception:  # a lexer is somebody else's program, this text may be made against it
            return None
        return count != 0


# Parts of one source are asked for one after the other, and a closing line that is not complete
# yet asks for the same again.
_begun = lru_cache(maxsize=4)(_Lexing)


def _add(rows: list[list[Span]], starts: list[int], start: int, end: int, group: str) -> None:
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
    every = lexers.get_all_lexers(plugins=False)
    return {alias: name for name, aliases, _, _ in every for alias in aliases}


def _lexer(language: str) -> lexers.Lexer | None:
    name = _lexers().get(language)
    if name is None:
        return None
    loading = _loading(name)
    if not loading.done():
        raise Unfinished
    return loading.result()


@cache
def _loading(name: str) -> Future[lexers.Lexer]:
    """Load it in a thread: its module and its regular expressions take up to 60 ms."""
    return _loader().submit(lambda: lexers.find_lexer_class(name)())


@cache
def _loader() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "lexers")


@cache
def _group(token: token._TokenType) -> str:
    while token:
        group = _GROUPS.get(".".join(token))
        if group is not None:
            return group
        token = token.parent
    return ""
