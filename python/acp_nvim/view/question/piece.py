"""Parts of a question that are made only where they are shown: an agent may name 20,000 changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct

from acp_nvim.view.block import Line


class Piece(Struct, frozen=True):
    """Some lines that need not be made."""

    told: object
    """What they are made of: other lines are of something else."""
    make: Callable[[], Iterable[Line]]
    size: int = 1
    """How many they are, at least."""


def made(lines: Sequence[Line]) -> Piece:
    """Return lines that there are already."""
    return Piece(tuple(lines), lambda: lines, len(lines))


def near_ends(
    pieces: Sequence[Piece],
    room: int,
    shortened: Callable[[list[Line]], Iterable[Line]] = list,
) -> tuple[list[Line], int, list[Line]]:
    """Return `room` lines of the beginning and of the end, and how many there are between at least.

    All are in the first where they are no more than that. What `shortened` takes out has no room.
    """
    above, first = _some(pieces, room, shortened)
    below, last = _some([_turned(it) for it in reversed(pieces[first:])], room, shortened)
    rest = pieces[first : len(pieces) - last]
    if not rest:
        lines = list(shortened([*above, *reversed(below)]))
        left = len(lines) - 2 * room
        return (lines[:room], left, lines[-room:]) if left > 0 else (lines, 0, [])
    begin, end = list(shortened(above)), list(shortened(below[::-1]))
    left = sum(max(len(it) - room, 0) for it in (begin, end)) + sum(it.size for it in rest)
    return begin[:room], left, end[-room:]


def _some(
    pieces: Sequence[Piece], room: int, shortened: Callable[[list[Line]], Iterable[Line]]
) -> tuple[list[Line], int]:
    """Return the lines of the first pieces that fill the room, and how many pieces that are."""
    lines: list[Line] = []
    enough = room
    for count, piece in enumerate(pieces):
        if len(lines) >= enough:
            if len(list(shortened(lines))) >= room:
                return lines, count
            enough = 2 * len(lines)  # of padding there may be much
        lines += piece.make()
    return lines, len(pieces)


def _turned(piece: Piece) -> Piece:
    return Piece(piece.told, lambda: reversed(tuple(piece.make())), piece.size)
