r"""Mentions: what `@…` in the user's own words speaks of.

Teaches the syntax: `@name`, `@"a name"` or `@a\ name` at the start of a word; `\@` is none; a name
of a file may end in lines, `@a.py:4-6`. What a name stands for is found when the prompt is sent
(`prompt/mentions.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.model import Mention

_MENTION = lazy_pattern(
    r'(?:^|(?<=[\s(\[{<]))@(?:"([^"\n]+)"|((?:\\.|[^\s\\])+))', re.MULTILINE | re.ASCII
)
_ESCAPED = lazy_pattern(r"\\(.)")
_AFTER = ".,;:!?)]}>'\""
"""What may follow a mention without being part of it."""


_LINES = lazy_pattern(r"(.+):(\d{1,9})(?:-(\d{1,9}))?", re.ASCII | re.DOTALL)


def lines_in(name: str) -> tuple[str, int, int] | None:
    """Return the file, and first and last line (1-based, inclusive), of a name like `a.py:4-6`."""
    if not (found := _LINES.fullmatch(name)):
        return None
    file, first, last = found.groups()
    return file, int(first), int(last or first)


def find_mentions(text: str) -> tuple[Mention, ...]:
    """Return the mentions of a text in order, each once."""
    return tuple(dict.fromkeys(Mention(tuple(names)) for _, names in mentions_in(text)))


def mentions_in(text: str) -> Iterator[tuple[int, dict[str, int]]]:
    """Yield where each mention begins, and what it may stand for: a name, the longest first, and
    where it ends then."""
    for found in _MENTION.finditer(text):
        quoted, bare = found.groups()
        if quoted:
            yield found.start(), {quoted: found.end()}
            continue
        names = [bare]
        while len(names[-1]) > 1 and names[-1][-1] in _AFTER:
            names.append(names[-1][:-1])
        begin = found.start() + 1
        yield found.start(), {_ESCAPED.sub(r"\1", it): begin + len(it) for it in names}
