"""What a line names in a column: a link, a file with its line, or only a word. Pure.

Whoever asks knows which names are files.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import unquote

from acp_nvim.patterns import lazy_pattern

LONGEST = 2000
"""Characters on each side of the column that are looked at: a path has fewer."""

MOST_LINES = 2**31 - 1

LINK = lazy_pattern(r"\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(((?:[^()]|\([^()]*\))*)\)")
ADDRESS = lazy_pattern(r"<([a-z][\w.+-]*:[^\s<>]*)>", re.IGNORECASE)
WEB = lazy_pattern(r"https?://[^\s<>\"`]*[^\s<>\"`.,;:!?)\]]", re.IGNORECASE)
WORD = lazy_pattern(r"\S+")
PLACED = lazy_pattern(r"(.*?)(?::(\d+)[:\d-]*|#L(\d+)[-L\d]*|\((\d+)[,\d]*\))")
NAMED = lazy_pattern(r"[^\s`\"'<>()\[\]]+(?::\d[\d:-]*|#L\d[\d\-L]*|\(\d[\d,]*\))")
PYTHON = lazy_pattern(r"File \"([^\"]+)\", line (\d+)")
BEHIND = lazy_pattern(r"[*`\"'_~)\]>]*(?::|#L|,? \(?line )(\d+)")

AROUND = "*`\"'()[]{}<>|“”„‘’‚«»‹›「」（）【】《》"
"""Signs that may stand around a file's name; behind it the end of a sentence, too."""
ENDS = AROUND + ".,;:!?…。，、：；！？"


def address(line: str, column: int) -> tuple[str, str]:
    """Return the web address there and the text of its link; the first is "" for none."""
    target, text = _target(*_seen(line, column))
    return (target, text) if target.lower().startswith(("http://", "https://")) else ("", "")


def file(
    line: str, column: int, word: str, is_file: Callable[[str], bool]
) -> tuple[str, int | None]:
    """Return the name there and the line that is told with it; `word` where there is no more."""
    line, column = _seen(line, column)
    target, _ = _target(line, column)
    if target and not target.startswith(("http:", "https:")):
        return _placed(_path(target))
    return _whole_word(line, column, is_file) or _named(line, column, word)


def _seen(line: str, column: int) -> tuple[str, int]:
    """Return the part of a line around a column of bytes, and the character there."""
    at = len(line.encode(errors="replace")[:column].decode(errors="ignore"))
    first = max(at - LONGEST, 0)
    return line[first : at + LONGEST], at - first


def _under(pattern: re.Pattern[str], line: str, column: int) -> re.Match[str] | None:
    return next((it for it in pattern.finditer(line) if it.start() <= column < it.end()), None)


def _target(line: str, column: int) -> tuple[str, str]:
    """Return where the link leads that the column is on, and its text where that is another."""
    if link := _under(LINK, line, column):
        bare = re.sub(r"\s+[\"'(].*$", "", link[2]).strip()
        return re.sub(r"^<(.*)>$", r"\1", bare), link[1]
    if plain := _under(ADDRESS, line, column):
        return plain[1], ""
    web = _under(WEB, line, column)  # it ends with a link's text; a host may stand in brackets
    return (re.sub(r"\][\[(].*$", "", web[0]), "") if web else ("", "")


def _path(target: str) -> str:
    if target.lower().startswith("file:"):
        rest = target[5:].replace("//localhost/", "/", 1).removeprefix("//")
        target = re.sub(r"\?[^#]*", "", rest)
    return unquote(target)


def _placed(name: str) -> tuple[str, int | None]:
    """Return a name without the line that it ends with, and that line."""
    found = PLACED.fullmatch(name)
    return (found[1], _number(found[found.lastindex or 0])) if found else (name, None)


def _number(digits: str) -> int:
    return min(int(digits), MOST_LINES)


def _bare(name: str) -> str:
    before = None
    while name != before:
        before = name
        name = name.lstrip(AROUND).rstrip(ENDS).removeprefix("~~").removesuffix("~~")
    return name


def _whole_word(
    line: str, column: int, is_file: Callable[[str], bool]
) -> tuple[str, int | None] | None:
    """Return what stands between white space, if that is a file: its name may have any sign."""
    word = _under(WORD, line, column)
    if word is None:
        return None
    shown = _bare(word[0])
    for name in (word[0], shown, shown.strip("_")):
        if is_file(name):
            return name, _line_behind(line, name, word.start())
        path, number = _placed(name)
        for each in (path, _bare(path), _bare(path).strip("_")):
            if number and is_file(each):
                return each, number
    return None


def _line_behind(line: str, name: str, start: int) -> int | None:
    """Return the line that is told right behind a name, as in `a.py`:8 or "a.py", line 8."""
    at = line.find(name, start)
    found = BEHIND.match(line, at + len(name)) if at >= 0 else None
    return _number(found[1]) if found else None


def _named(line: str, column: int, word: str) -> tuple[str, int | None]:
    """Return what is named there, whether or not it is a file."""
    if found := _under(NAMED, line, column):
        name, number = _placed(found[0])
        return _bare(name), number
    if traced := PYTHON.search(line):
        return traced[1], _number(traced[2])
    name = _bare(word)
    return name, _line_behind(line, name, max(column - len(name), 0))
