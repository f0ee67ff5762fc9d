"""Diffs of ACP v2: what became of files, and a git patch that has the texts (schema Diff).

A patch is read hunk by hunk, each of which is a change of its own; paths in it are absolute. Of a
file without a hunk, which may be binary or only moved, a line says what became of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from msgspec import Struct, field

from acp_nvim.paths import named
from acp_nvim.patterns import lazy_pattern
from acp_nvim.protocol.v2 import types
from acp_nvim.session.content import Diff, FileChange, ToolContent

GIT_PATCH = "git_patch"
_HEAD = lazy_pattern(r"@@ -\d+(?:,(\d{1,9}))? \+\d+(?:,(\d{1,9}))? @@")
_ESCAPE = lazy_pattern(rb"\\([0-7]{3}|.)", re.DOTALL)
_LETTERS = {
    b"a": b"\a",
    b"b": b"\b",
    b"f": b"\f",
    b"n": b"\n",
    b"r": b"\r",
    b"t": b"\t",
    b"v": b"\v",
}


class _Hunk(Struct):
    path: str
    is_new: bool
    olds: int
    news: int
    """How many lines of the old and of the new text are still to come."""
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    sign: str = ""
    """Of the last line."""

    def takes(self, line: str) -> bool:
        """Take a line if it is of this hunk; one without a sign is an empty line that stays."""
        sign = line[:1] or " "
        if sign == "\\":
            self._unend()
            return True
        if (self.olds, self.news) == (0, 0) or sign not in " +-":
            return False
        if sign in " -":
            self.old.append(line[1:] + "\n")
            self.olds -= 1
        if sign in " +":
            self.new.append(line[1:] + "\n")
            self.news -= 1
        self.sign = sign
        return True

    def _unend(self) -> None:
        r"""Take the line end away that `\ No newline at end of file` is about: the last line's."""
        for lines, others in ((self.old, "+"), (self.new, "-")):
            if lines and self.sign != others:
                lines[-1] = lines[-1].removesuffix("\n")


def decode_diff(told: types.Diff) -> Iterator[ToolContent]:
    """Yield the hunks of the patch, and the files of which these do not say what became of them."""
    patch = told.patch
    changes = tuple(map(_plain, told.changes))
    names = {path for it in changes for path in (it.path, it.old_path) if path}
    is_git = patch is not None and patch.format == GIT_PATCH
    diffs = list(_diffs(patch.text, names)) if patch is not None and is_git else []
    shown = {diff.path for diff in diffs}
    for change in changes:
        is_text = change.file_type in (None, "text")  # where a link leads looks like a text
        if change.path not in shown or change.old_path is not None or not is_text:
            yield FileChange(
                change.path, change.operation, change.old_path, change.file_type, change.mime_type
            )
    yield from diffs


def _plain(change: types.DiffChange) -> types.DiffChange:
    """Return it with paths where it has addresses."""
    old = change.old_path and named(change.old_path)[0]
    return change.model_copy(update={"path": named(change.path)[0], "old_path": old})


def _diffs(text: str, names: Collection[str]) -> Iterator[Diff]:
    for hunk in _hunks(text):
        if not hunk.path:
            continue  # it cannot be told which file it is of
        old = None if hunk.is_new and not hunk.old else "".join(hunk.old)
        yield Diff(_of_file(hunk.path, names), old, "".join(hunk.new))


def _of_file(name: str, names: Collection[str]) -> str:
    """Return the file that a patch names, perhaps as git does: relative, behind `a/` or `b/`."""
    path, _ = named(name)
    if path.startswith("/") or path in names:
        return path
    short = path[2:] if path[:2] in ("a/", "b/") else path
    for known in (path, short):
        found = next((it for it in names if it == known or it.endswith(f"/{known}")), None)
        if found is not None:
            return found
    return short


def _hunks(text: str) -> Iterator[_Hunk]:
    """Yield the hunks; what is no line of one is passed over."""
    paths = {"--- ": "", "+++ ": ""}
    hunk: _Hunk | None = None
    for line in text.split("\n"):
        if hunk is not None and hunk.takes(line):
            continue
        if line[:4] in paths:
            paths[line[:4]] = _path(line[4:])
        elif (counts := _counts(line)) is not None:
            if hunk is not None:
                yield hunk
            old, new = paths.values()
            hunk = _Hunk(new or old, not old, *counts)
    if hunk is not None:
        yield hunk


def _path(name: str) -> str:
    """Return the path of a file header; "" for the one that stands for no file."""
    name = name.partition("\t")[0].strip()
    if len(name) > 1 and name[0] == name[-1] == '"':
        name = _ESCAPE.sub(_meant, name[1:-1].encode(errors="replace")).decode(errors="replace")
    return "" if name == "/dev/null" else name


def _meant(escape: re.Match[bytes]) -> bytes:
    """Return the byte that git writes so in a name with quotes."""
    code = escape[1]
    return bytes([int(code, 8) & 0xFF]) if len(code) == 3 else _LETTERS.get(code, code)


def _counts(line: str) -> tuple[int, int] | None:
    """Return how many lines a hunk has of the old and of the new text; None: it is no head."""
    found = _HEAD.match(line)
    return None if found is None else (int(found[1] or 1), int(found[2] or 1))
