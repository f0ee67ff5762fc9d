"""Unified diffs as plain text, for whoever applies them: real line numbers, exact lines.

`git apply` and `patch` take them. Lines keep their own ends, so a CR stays where it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from acp_nvim.hunks import Hunk, diff, split_lines

CONTEXT = 3
NOWHERE = "/dev/null"
UNENDED = "\\ No newline at end of file\n"
ESCAPES = {'"': '\\"', "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def unified(path: str, before: str | None, after: str | None) -> str:
    """Return the diff that makes `after` of `before`; None is no file, "" comes of equal texts."""
    old = split_lines(before or "")
    changes = diff(old, split_lines(after or ""))
    if not changes and (before is None) == (after is None):
        return ""
    names = header(path, is_new=before is None, is_gone=after is None)
    return names + "".join(body(old, changes))


def header(path: str, *, is_new: bool = False, is_gone: bool = False) -> str:
    """Return the two lines that name the file on both sides, as git writes them."""
    old = NOWHERE if is_new else _name("a", path)
    new = NOWHERE if is_gone else _name("b", path)
    return f"--- {old}\n+++ {new}\n"


def body(old: Sequence[str], changes: Sequence[Hunk]) -> Iterator[str]:
    """Yield the hunks of a diff; `old` are the lines with their ends, `changes` ascending."""
    shift = 0
    for group in _groups(changes):
        first = max(group[0].first - CONTEXT, 0)
        last = min(group[-1].last + CONTEXT, len(old))
        grown = sum(growth(change) for change in group)
        size = last - first
        yield f"@@ -{_range(first, size)} +{_range(first + shift, size + grown)} @@\n"
        yield from _rows(old, group, first, last)
        shift += grown


def counts(changes: Sequence[Hunk]) -> tuple[int, int]:
    """Return how many lines come and how many go."""
    come = sum(len(change.lines) for change in changes)
    return come, sum(change.last - change.first for change in changes)


def growth(change: Hunk) -> int:
    """Return by how many lines the text grows, negative if it shrinks."""
    return len(change.lines) - (change.last - change.first)


def _groups(changes: Sequence[Hunk]) -> Iterator[list[Hunk]]:
    """Put those together whose lines of context meet."""
    group: list[Hunk] = []
    for change in changes:
        if group and change.first - group[-1].last > 2 * CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _rows(old: Sequence[str], group: Sequence[Hunk], first: int, last: int) -> Iterator[str]:
    for change in group:
        yield from (_row(" ", line) for line in old[first : change.first])
        yield from (_row("-", line) for line in old[change.first : change.last])
        yield from (_row("+", line) for line in change.lines)
        first = change.last
    yield from (_row(" ", line) for line in old[first:last])


def _row(sign: str, line: str) -> str:
    return sign + line if line.endswith("\n") else f"{sign}{line}\n{UNENDED}"


def _range(first: int, size: int) -> str:
    """Return a range of lines, 1-based; an empty one is named by the line before it."""
    if size == 1:
        return str(first + 1)
    return f"{first + 1 if size else first},{size}"


def _name(side: str, path: str) -> str:
    """Return the name of a file; quoted if it must be, ended by a tab if a space is in it."""
    name = path if path.startswith("/") else f"{side}/{path}"
    if any(character in ESCAPES or not character.isprintable() for character in name):
        return '"' + "".join(map(_escaped, name)) + '"'
    return name + "\t" if " " in name else name


def _escaped(character: str) -> str:
    if character in ESCAPES or character.isprintable():
        return ESCAPES.get(character, character)
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))
