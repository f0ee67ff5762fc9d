"""Patches as agents write them: unified diffs, and codex's `*** Begin Patch`.

Pure. A patch that is not what it should be, in any line, is no patch: half of one would show what
nobody proposed.
"""

from __future__ import annotations

from msgspec import Struct, field
from msgspec.structs import replace

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.proposal.edit import Edit, Patch, Piece, Proposal, Remove, Whole

HUNK = lazy_pattern(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@")
NO_END = "\\ No newline at end of file"
NOWHERE = "/dev/null"
ENVELOPE = "*** Begin Patch"
GIT = "diff --git "
NOISE = (GIT, "Index: ", "====", "index ", "new file mode ", "deleted file mode ")


class NotAPatch(ValueError):
    """The text is no patch, or a broken one."""


class _Body(Struct):
    """The lines of a hunk so far."""

    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    last: str = ""
    bare: set[str] = field(default_factory=set)
    """Signs of the lines that have no end."""

    def take(self, line: str) -> None:
        sign, text = line[:1] or " ", line[1:]
        if line.startswith(NO_END[:13]) and self.last:
            self.bare.add(self.last)
            return
        if sign not in " +-":
            raise NotAPatch(line)
        if sign != "+":
            self.old.append(text)
        if sign != "-":
            self.new.append(text)
        self.last = sign

    def piece(self) -> Piece:
        ended = False if self.bare & {" ", "+"} else True if "-" in self.bare else None
        return Piece(tuple(self.old), tuple(self.new), ended=ended)


def unified(text: str, path: str = "") -> tuple[Proposal, ...]:
    """Return what a unified diff proposes for each file; () if it is none.

    `path` is the file where the diff has no header, or one only. Paths are as the diff has them,
    without git's "a/" and "b/".
    """
    try:
        found = _Unified(text).read()
    except NotAPatch:
        return ()
    if len(found) == 1 and path:
        return (replace(found[0], path=path),)
    return tuple(found) if all(it.path for it in found) else ()


class _Unified:
    """Reads a unified diff line by line."""

    def __init__(self, text: str) -> None:
        self._lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
        self._at = 0

    def read(self) -> list[Proposal]:
        found = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith(("--- ", "@@ ")):
                found.append(self._file())
            elif line.strip() and not line.startswith(NOISE):
                raise NotAPatch(line)
            else:
                self._at += 1
        heads = sum(line.startswith(GIT) for line in self._lines)
        if heads not in (0, len(found)):
            raise NotAPatch("a file is changed in another way")
        return found

    def _file(self) -> Proposal:
        old, new = self._header("--- "), self._header("+++ ")
        pieces = []
        while self._at < len(self._lines) and self._lines[self._at].startswith("@@ "):
            pieces.append(self._hunk())
        edit: Edit = _created(pieces) if old == NOWHERE else Patch(tuple(pieces))
        if new == NOWHERE:
            return Proposal(old.removeprefix("a/"), (edit, Remove()))
        is_git = old.startswith("a/") or old == NOWHERE
        return Proposal(new.removeprefix("b/") if is_git else new, (edit,))

    def _header(self, mark: str) -> str:
        if self._at < len(self._lines) and self._lines[self._at].startswith(mark):
            self._at += 1
            return self._lines[self._at - 1].removeprefix(mark).partition("\t")[0].strip()
        return ""

    def _hunk(self) -> Piece:
        head = HUNK.match(self._lines[self._at])
        if head is None:
            raise NotAPatch(self._lines[self._at])
        start, olds, news = (int(number) if number else 1 for number in head.groups())
        body = _Body()
        self._at += 1
        while len(body.old) < olds or len(body.new) < news:
            if self._at == len(self._lines):
                raise NotAPatch("it is cut off")
            body.take(self._lines[self._at])
            self._at += 1
        while self._at < len(self._lines) and self._lines[self._at].startswith(NO_END[:13]):
            body.take(self._lines[self._at])
            self._at += 1
        if (len(body.old), len(body.new)) != (olds, news):
            raise NotAPatch("it has other lines than it says")
        return replace(body.piece(), near=max(start - 1, 0) if olds else start)


def _created(pieces: list[Piece]) -> Whole:
    lines = [line for piece in pieces for line in piece.new]
    ended = all(piece.ended is not False for piece in pieces)
    return Whole("\n".join(lines) + ("\n" if lines and ended else ""))


# --- codex


def envelope(text: str) -> tuple[Proposal, ...]:
    """Return what a `*** Begin Patch` … `*** End Patch` proposes; () if it is none."""
    lines = text.replace("\r\n", "\n").strip("\n").split("\n")
    if lines[0].strip() != ENVELOPE or lines[-1].strip() != "*** End Patch":
        return ()
    try:
        return tuple(_section(part) for part in _sections(lines[1:-1]))
    except NotAPatch:
        return ()


def _sections(lines: list[str]) -> list[list[str]]:
    parts: list[list[str]] = []
    for line in lines:
        if line.startswith(("*** Add File: ", "*** Update File: ", "*** Delete File: ")):
            parts.append([])
        elif not parts:
            raise NotAPatch(line)
        parts[-1].append(line)
    return parts


def _section(lines: list[str]) -> Proposal:
    verb, _, path = lines[0].removeprefix("*** ").partition(" File: ")
    path, body = path.strip(), lines[1:]
    if verb == "Delete":
        if body:
            raise NotAPatch(body[0])
        return Proposal(path, (Remove(),))
    if verb == "Add":
        if not all(line.startswith("+") for line in body):
            raise NotAPatch(path)
        return Proposal(path, (Whole("".join(f"{line[1:]}\n" for line in body)),))
    moved = ""
    if body and body[0].startswith("*** Move to: "):
        moved = body.pop(0).removeprefix("*** Move to: ").strip()
    return Proposal(path, (Patch(tuple(_pieces(body))),), moved_to=moved)


def _pieces(lines: list[str]) -> list[Piece]:
    pieces: list[Piece] = []
    body, below = _Body(), ""
    at_end = False
    for line in [*lines, "@@"]:
        if line == "*** End of File":
            at_end = True
        elif line == "@@" or line.startswith("@@ "):
            if body.last:
                # a piece that only adds has no place of its own
                pieces.append(replace(body.piece(), below=below, at_end=at_end or not body.old))
                body, at_end = _Body(), False
            below = line.removeprefix("@@").strip()
        else:
            body.take(line)
    return pieces
