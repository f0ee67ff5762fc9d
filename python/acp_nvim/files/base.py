"""What a change was made upon: the one place that decides it. Pure.

Of a text that comes to the disk it is not known whether its writer had read what the disk held, or
knows an older text and has written all of it anew. Lines tell: where they are as the older text has
them, the writer did not know better, and what others have made of them stays.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import accumulate

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.files.baselines.snapshot import UNKNOWN, Text
from acp_nvim.files.encoding import WIDE, Misfit, clean, encoded, is_misread
from acp_nvim.files.line_ends import Even, even
from acp_nvim.files.text import with_theirs
from acp_nvim.hunks import Hunk, apply, diff, ends_in_common

MOST_COMPARED = 1_000
"""Pairs of lines of one place that are compared by their beginnings and ends."""


class Ancestor(Struct, frozen=True):
    """An older text that a change may have been made upon.

    `firm`: what others have made of it since is not to be changed without asking either.
    """

    text: str
    """As agents read it."""
    firm: bool
    encoding: str | None = None
    """That of the buffer by which it was read, "" without one; None: the one it has now."""


class Lineage(Struct, frozen=True):
    """What is known of the texts that a change of the disk may come from.

    `repeats` are whole texts that agents wrote through us: with one of them nothing is new.
    `refused`: a whole text that the agent could not write through us, and what it was made upon.
    `left`: what its own tool has left on the disk, of which perhaps not all was taken.
    """

    ancestors: tuple[Ancestor, ...] = ()
    repeats: frozenset[str] = frozenset()
    refused: tuple[str, Ancestor] | None = None
    left: Ancestor | None = None

    def knows(self, text: str, encoding: str) -> bool:
        """Return whether an exact text of a buffer with that encoding is one of the older ones."""
        read = clean(text, encoding)
        return any(it.text == read for it in self.ancestors)

    def base(self, before: str, ours: str, after: str, encoding: str) -> str:
        """Return what `after` was made upon, where the disk held `before` and the user has `ours`.

        All exact texts, of a buffer with that encoding. What only a merge has saved, and what the
        writer does not know, is not in it.
        """
        if before and after and (before[:1] in WIDE) != (after[:1] in WIDE):
            return before  # the one has characters, the other bytes that are none
        written = clean(after, encoding)
        if written in self.repeats:
            return after
        is_refused = self.refused is not None and even(self.refused[0]) == even(written)
        first = [self.refused[1]] if self.refused is not None and is_refused else []
        if self.left is not None and not written.startswith(self.left.text):  # else it is the rest
            first.append(self.left)
        for ancestor in (*first, *self.ancestors):
            old = encoding if ancestor.encoding is None else ancestor.encoding
            if old != encoding and is_misread(ancestor.text, before, old, encoding):
                continue  # its lines would be taken for others'
            with suppress(Misfit):  # then it is none of these texts' ancestors
                text = encoded("", ancestor.text, before, encoding, sure=False)
                before = _made_upon(replace(ancestor, text=text), before, ours, after)
        return before


UNKNOWN_LINEAGE = Lineage()


def base_of_write(read: Text, made: Text, content: str) -> Text:
    """Return what a whole text that an agent writes was made upon.

    `read`: what it has read or written last, `made`: what its own tools seem to have made of that.
    Where the agent's text has none of the lines that its tools seem to have put in somewhere, it is
    not known whether it had seen them: they stay.
    """
    if not isinstance(read, str) or not isinstance(made, str):
        return made if read is UNKNOWN else read
    return _made_upon(Ancestor(read, firm=False), made, made, content, seeming=True)


def agreed_by_write(agreed: str | None, base: Text, before: str | None, content: str) -> str:
    """Return what a file that an agent writes would hold without the user's unsaved edits.

    `agreed`: the same until then, `base`: what the agent's text was made upon, `before`: what the
    user had. Of the unsaved edits the agent has made those its own that it has written itself.
    """
    if agreed is None or before is None or not isinstance(base, str):
        return content
    before = clean(before)
    written = _without_unwritten(agreed, before, content)
    older = _made_upon(Ancestor(agreed, firm=False), written, written, content)
    return clean(with_theirs(base, older, content))


def _without_unwritten(agreed: str, before: str, content: str) -> str:
    """Return `before` without those lines that the user has put in and the agent has not written,
    also where it has written others of them."""
    even = Even(agreed, before, content)
    old, new, other = even.lines
    changed = _Changed(diff(new, other))
    own = (range(it.first, it.last) for it in diff(new, old) if not it.lines)
    rows = (row for hunk in own for row in hunk if changed.touch((row, row + 1)))
    return even.like(1, apply(new, [Hunk(row, row + 1, ()) for row in rows]))


def carried(text: str, before: str | None, after: str | None) -> str | None:
    """Return an older text with what somebody made of `before`, which is newer; clean.

    Nothing else of the newer text comes along, not even where the change stands beside it.
    """
    if before is None or after is None:
        return None if after is None else clean(after)
    even = Even(*map(clean, (before, text, after)))
    new, old, made = even.lines
    rows, gaps = _places(len(new), diff(new, old))
    taken: list[Hunk] = []
    for hunk in diff(new, made):
        if tuple(old[gaps[hunk.first] : gaps[hunk.last]]) == hunk.lines:
            continue  # it is as in the older text again
        gone = [row for row in rows[hunk.first : hunk.last] if row is not None]
        first = gone[0] if gone else gaps[hunk.first]
        taken.append(Hunk(first, first, hunk.lines))
        taken += (Hunk(row, row + 1, ()) for row in gone)
    return even.merged(apply(old, taken))


def returned(base: str, upon: str, now: str) -> str | None:
    """Return what somebody has written, `base`, with those places as they were before, in `upon`,
    that are so again `now`; None: there are none. All clean."""
    even = Even(base, upon, now)
    old, older, newer = even.lines
    own = {(it.first, it.last, tuple(it.lines)) for it in diff(old, older)}
    back = [it for it in diff(old, newer) if (it.first, it.last, tuple(it.lines)) in own]
    return even.like(0, apply(old, back)) if back else None


def without(text: str, kept: str, before: str | None, after: str | None) -> str:
    """Return an older text without those lines of `before` that somebody took out and that a still
    older one, `kept`, has not; clean."""
    if before is None or after is None:
        return text
    even = Even(*map(clean, (text, kept, before, after)))
    old, still_older, new, made = even.lines
    rows, _ = _places(len(new), diff(new, old))
    gone = {row for hunk in diff(new, made) for row in rows[hunk.first : hunk.last]}
    gone -= set(_places(len(still_older), diff(still_older, old))[0])
    return even.like(0, (line for row, line in enumerate(old) if row not in gone))


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
        shift += _grown([hunk])
    return rows, [*gaps, count + shift]


def _made_upon(
    ancestor: Ancestor, newer: str, ours: str, theirs: str, *, seeming: bool = False
) -> str:
    """Return `newer`, with the ancestor's lines where `theirs` comes from those.

    `seeming`: of lines that were put in it is not sure who did.
    """
    even = Even(ancestor.text, newer, theirs, ours)
    old, new, other, mine = even.lines
    if old == new or new == other:
        return even.made_upon(new)
    changes = diff(new, other)
    from_old = _Changed(diff(old, other))
    lost = _Changed([it for it in changes if it.first < it.last])
    taken: list[Hunk] = []
    rest: list[Hunk] = []
    grown = 0
    for hunk in diff(new, old):
        there = hunk.first + grown
        grown += _grown([hunk])
        if hunk.first < hunk.last and not lost.touch(_here(hunk)):
            continue  # who has all of them knows them, and may put something in between
        if from_old.leave(there, len(hunk.lines), len(old)):
            rows = map(from_old.place, range(there, there + len(hunk.lines)))
            taken.append(replace(hunk, lines=tuple(other[row] for row in rows)))
        else:
            rest.append(hunk)
    if seeming:
        taken += (it for it in rest if _is_unsure(it, new, lost))
    elif ancestor.firm or taken:  # one place shows that the writer does not know the others
        from_new, from_mine = _Changed(changes), _Changed(diff(new, mine) if rest else ())
        places = [(it, _here(it)) for it in rest]
        taken += (it for it, at in places if from_new.touch(at) and not from_mine.touch(at))
    return even.made_upon(apply(new, sorted(taken, key=lambda it: (it.first, it.last))))


def _is_unsure(hunk: Hunk, new: Sequence[str], changed: _Changed) -> bool:
    """Tell whether all lines that were put in there are lost by what was changed, and it is not
    sure who had put them in: if in place of others, what is there now seems to be made of those."""
    first, last = _here(hunk)
    lost = changed.there(first, last)
    rows = sum(min(it.last, last) - max(it.first, first) for it in lost)
    if first == last or rows < last - first:
        return False
    made = [line for it in lost for line in it.lines]
    was, now = hunk.lines, new[first:last]
    return not was or _share(was, made) > max(0.5, _share(now, made))


def _share(lines: Sequence[str], made: Sequence[str]) -> float:
    """Return how much of these lines, from 0 to 1, is in others, which may begin or end as they do;
    of many only what is there as it was."""
    others = {it.strip() for it in made}
    looked = others if len(lines) * len(others) <= MOST_COMPARED else ()
    texts = (line.strip() for line in lines)
    shares = (
        1.0 if it in others else max((_ends(it, to) for to in looked), default=0.0) for it in texts
    )
    return sum(shares) / len(lines)


def _ends(line: str, other: str) -> float:
    """Return how much of a line another begins and ends with."""
    head, tail = ends_in_common(line, other, (0, len(line)), (0, len(other)))
    return (head + tail) / len(line) if line else 0.0


def _here(hunk: Hunk) -> tuple[int, int]:
    return hunk.first, hunk.last


class _Changed:
    """Where a text was changed, by ascending hunks."""

    def __init__(self, hunks: Sequence[Hunk]) -> None:
        self._hunks = hunks
        self._lasts = [hunk.last for hunk in hunks]
        self._grown = list(accumulate(map(_grown, zip(hunks)), initial=0))

    def touch(self, place: tuple[int, int]) -> bool:
        """Return whether one of these lines was changed; of none, whether some were put there."""
        first, last = place
        at = bisect_left(self._lasts, first)
        return any(
            (hunk.first < last and first < hunk.last) or (first == last == hunk.first == hunk.last)
            for hunk in self._hunks[at : at + 2]
        )

    def there(self, first: int, last: int) -> Sequence[Hunk]:
        """Return those that take out one of these lines."""
        begin, end = bisect_right(self._lasts, first), bisect_left(self._lasts, last) + 1
        return [it for it in self._hunks[begin:end] if it.first < last]

    def leave(self, first: int, count: int, length: int) -> bool:
        """Return whether these lines stay, be it with others in between; of none, whether that
        place does: a line beside it."""
        if count:
            return not any(self.touch((row, row + 1)) for row in range(first, first + count))
        if not length:
            return not self.touch((first, first))
        beside = (row for row in (first - 1, first) if 0 <= row < length)
        is_near = any(not self.touch((row, row + 1)) for row in beside)
        return is_near and not self.touch((first, first))

    def place(self, row: int) -> int:
        """Return where a line that stays is now."""
        return row + self._grown[bisect_right(self._lasts, row)]


def _grown(hunks: Iterable[Hunk]) -> int:
    return sum(len(hunk.lines) - (hunk.last - hunk.first) for hunk in hunks)
