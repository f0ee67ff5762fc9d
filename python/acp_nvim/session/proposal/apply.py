"""Edits of a proposal carried out on a text, or the reason why they do not fit.

Pure. Only the place of a patch's lines may differ from what the patch says, never a line.
"""

from __future__ import annotations

from collections.abc import Sequence

from acp_nvim.session.proposal.edit import Edit, Insert, NoFit, Patch, Piece, Remove, Replace, Whole

BOM = "\ufeff"
GONE = NoFit("the file is not there")


def applied(text: str | None, edits: Sequence[Edit]) -> str | NoFit | None:
    """Return the text (None: no file) after the edits, one after the other; None: the file is gone.

    A text whose lines all end in CRLF keeps that, and a byte order mark stays.
    """
    mark = BOM if text and text.startswith(BOM) else ""
    now = None if text is None else text.removeprefix(BOM)
    dos = now is not None and _is_dos(now)
    if dos and now is not None:
        now = now.replace("\r\n", "\n")
    for edit in edits:
        outcome = _edited(now, _plain(edit) if dos else edit)
        if isinstance(outcome, NoFit):
            return outcome
        now = outcome
    if now is None:
        return None
    return mark + (now.replace("\n", "\r\n") if dos else now).removeprefix(BOM)


def _is_dos(text: str) -> bool:
    return 0 < text.count("\n") == text.count("\r\n")


def _plain(edit: Edit) -> Edit:
    """Return an edit without CR, for a text that has lost them."""
    match edit:
        case Replace(old, new, everywhere):
            return Replace(old.replace("\r\n", "\n"), new.replace("\r\n", "\n"), everywhere)
        case Whole(text):
            return Whole(text.replace("\r\n", "\n"))
        case Insert(after, text):
            return Insert(after, text.replace("\r\n", "\n"))
        case _:
            return edit


def _edited(text: str | None, edit: Edit) -> str | NoFit | None:
    match edit:
        case Whole(new):
            return new
        case Replace("", new):
            return NoFit("the file is there already") if text else new
        case _ if text is None:
            return GONE
        case Replace():
            return _replaced(text, edit)
        case Insert(after, new):
            return _inserted(text, after, new)
        case Patch(pieces):
            return _patched(text, pieces)
        case Remove():
            return None


def _replaced(text: str, edit: Replace) -> str | NoFit:
    count = text.count(edit.old)
    if not count:
        return NoFit("what is to be replaced is not in it")
    if edit.everywhere or count == 1:
        return text.replace(edit.old, edit.new)
    places = [at for at in _places(text, edit.old) if _is_whole_lines(text, at, edit.old)]
    if len(places) != 1:
        return NoFit(f"what is to be replaced is in it {count} times")
    at = places[0]
    return text[:at] + edit.new + text[at + len(edit.old) :]


def _places(text: str, part: str) -> list[int]:
    places = []
    at = text.find(part)
    while at >= 0:
        places.append(at)
        at = text.find(part, at + 1)
    return places


def _is_whole_lines(text: str, at: int, part: str) -> bool:
    end = at + len(part)
    return (at == 0 or text[at - 1] == "\n") and (
        part.endswith("\n") or end == len(text) or text[end] == "\n"
    )


def _inserted(text: str, after: int, new: str) -> str | NoFit:
    rows = text.removesuffix("\n").split("\n") if text else []
    if after > len(rows):
        return NoFit(f"it has no line {after}")
    ended = text.endswith("\n") or not text
    rows[after:after] = new.removesuffix("\n").split("\n")
    return "\n".join(rows) + ("\n" if ended else "")


def _patched(text: str, pieces: Sequence[Piece]) -> str | NoFit:
    rows = text.removesuffix("\n").split("\n") if text else []
    ended, done, shift = text.endswith("\n") or not text, 0, 0
    for piece in pieces:
        at = _place_of(rows, piece, done, shift)
        if at is None:
            return NoFit("lines that the patch names are not in it")
        rows[at : at + len(piece.old)] = piece.new
        done = at + len(piece.new)
        if done == len(rows) and piece.ended is not None:
            ended = piece.ended
        if piece.near is not None:
            shift = done - piece.near - len(piece.old)
    return "\n".join(rows) + ("\n" if rows and ended else "")


def _place_of(rows: list[str], piece: Piece, start: int, shift: int) -> int | None:
    """Return the row where the lines of a piece stand, at or below `start`."""
    size = len(piece.old)
    if piece.at_end:
        at = len(rows) - size
        return at if at >= start and tuple(rows[at:]) == piece.old else None
    if piece.below:
        stands = (row for row in range(start, len(rows)) if rows[row].strip() == piece.below)
        start = next(stands, len(rows)) + 1
    near = start if piece.near is None else piece.near + shift
    fits = (
        row
        for row in range(start, len(rows) - size + 1)
        if not size or (rows[row] == piece.old[0] and tuple(rows[row : row + size]) == piece.old)
    )
    return min(fits, key=lambda row: abs(row - near), default=None)
