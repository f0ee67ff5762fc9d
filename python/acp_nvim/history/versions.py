"""Versions of a file: of which of them a text was made, and what became of one since. Pure.

A writer sends a whole text and says nothing of what it was made of. The candidates are few, and the
text is the smallest change of the one that its writer had in mind: that is the merge base.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from acp_nvim.history.form import Even
from acp_nvim.hunks import Hunk, apply, diff, ends_in_common

BOM = "\ufeff"
"""How a text begins that is written with a byte-order mark: it is no part of the first line."""

MOST_COMPARED = 100_000
"""Characters of lines that are compared by their beginnings and ends in one place."""


def nearest(candidates: Iterable[str], text: str) -> str:
    """Return the candidate with the fewest lines to take out and to put in for that text; of those
    with equally few the one of whose lines most is kept, and then the first.

    A tie is no rare case: a line that two have changed is one line away from both versions. Who
    amends a line keeps its beginning or its end, so letters tell whose it was; by the order alone
    either an agent's own second change would be refused, or another program's line written over.
    """
    found = tuple(dict.fromkeys(candidates))
    if len(found) == 1 or text in found:
        return text if text in found else found[0]
    return min(found, key=lambda it: distance(it, text))


def have_in_common(old: str, new: str) -> bool:
    """Return whether the texts share a line that is not blank: what shares none with a version was
    made of another, as where a command has put another file in the place of one."""
    lines, made = Even(old, new).lines
    return any(line.strip() for line in {*lines}.intersection(made))


def distance(old: str, new: str) -> tuple[int, float]:
    """Return how many lines are to be taken out and put in, and how much of the former is lost by
    that, from 0 to 1."""
    lines, made = Even(old, new).lines
    hunks = diff(lines, made)
    rows = sum(it.last - it.first + len(it.lines) for it in hunks)
    size = sum(len(line) for it in hunks for line in lines[it.first : it.last])
    kept = sum(_kept(lines[it.first : it.last], it.lines) for it in hunks)
    return rows, 1 - kept / size if size else 0.0


def _kept(gone: Sequence[str], came: Sequence[str]) -> int:
    """Return how many characters of these lines others begin or end with; of many none."""
    looked = came if sum(map(len, gone)) * len(came) <= MOST_COMPARED else ()
    return sum(max((_shared(it, to) for to in looked), default=0) for it in gone)


def _shared(line: str, other: str) -> int:
    return sum(ends_in_common(line, other, (0, len(line)), (0, len(other))))


def carried(version: str, before: str, after: str) -> str:
    """Return a version with what somebody made of `before`, which is newer.

    Nothing else of the newer text comes along, not even where the change stands beside it.
    """
    if version == before or before == after:
        return after if version == before else version
    even = Even(before, version, after)
    new, old, made = even.lines
    rows, gaps = _places(len(new), diff(new, old))
    taken: list[Hunk] = []
    for hunk in diff(new, made):
        if tuple(old[gaps[hunk.first] : gaps[hunk.last]]) == hunk.lines:
            continue  # it is as in the older text again
        gone = [row for row in rows[hunk.first : hunk.last] if row is not None]
        first = gone[0] if gone else gaps[hunk.first]
        above = gaps[hunk.first - 1] + (rows[hunk.first - 1] is not None) if hunk.first else 0
        if not _has(old[above : gaps[hunk.last]], hunk.lines):  # else they have come back
            taken.append(Hunk(first, first, hunk.lines))
        taken += (Hunk(row, row + 1, ()) for row in gone)
    return even.merged(apply(old, taken))


def _has(lines: Sequence[str], part: Sequence[str]) -> bool:
    """Return whether these lines stand together among those."""
    return any(
        tuple(lines[at : at + len(part)]) == part for at in range(len(lines) - len(part) + 1)
    )


def taken_back(version: str, upon: Sequence[str], now: str) -> str | None:
    """Return a version without those of its changes that the file does `now` not have any more:
    the places that are again as in one of those that it was made upon; None: there are none."""
    mark = BOM if version.startswith(BOM) else ""
    version, now, *upon = (it.removeprefix(BOM) for it in (version, now, *upon))
    lines, new = Even(version, now).lines
    found = diff(lines, new)
    known = [older for older in upon if any(_may_be_of(it, lines, older) for it in found)]
    if not known:  # as is mostly so: a comparison of whole texts is spared
        return None
    even = Even(version, now, *known)
    lines, new, *olders = even.lines
    own = {_place(it) for old in olders for it in diff(lines, old)}
    back = [it for it in diff(lines, new) if _place(it) in own]
    return mark + even.like(0, apply(lines, back)) if back else None


def _may_be_of(hunk: Hunk, lines: Sequence[str], older: str) -> bool:
    """Return whether an older version may have had there what the hunk puts in."""
    if hunk.lines:
        return all(line in older for line in hunk.lines)
    return any(line not in older for line in lines[hunk.first : hunk.last])


def _place(hunk: Hunk) -> tuple[int, int, tuple[str, ...]]:
    return hunk.first, hunk.last, hunk.lines


def _places(count: int, hunks: Iterable[Hunk]) -> tuple[list[int | None], list[int]]:
    """Return where each of so many lines is in the text that the hunks make, None: nowhere; and
    before which of its lines each would be, the end with them."""
    rows: list[int | None] = []
    gaps: list[int] = []
    shift = 0
    for hunk in (*hunks, Hunk(count, count, ())):
        same = range(len(rows) + shift, hunk.first + shift)
        rows += same
        gaps += same
        rows += [None] * (hunk.last - hunk.first)
        gaps += [hunk.first + shift] * (hunk.last - hunk.first)
        shift += len(hunk.lines) - (hunk.last - hunk.first)
    return rows, [*gaps, count + shift]
