"""Differences between two texts as line hunks: find them, apply them, merge them.

Pure; used to show diffs, to change buffers with the fewest touched lines, and to keep both the
user's and the agent's edits. `difflib` is not an option: it needs seconds where lines repeat.
The lines that stay are found like this: what both ends share; then lines that occur once on each
side (patience), in between a greedy O(ND) search whose cost is bounded.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence, Sized
from functools import partial
from hashlib import blake2b
from operator import lt
from typing import Any, Final, TypeAlias, TypeVar, cast

from msgspec import Struct

Run: TypeAlias = tuple[int, int, int]
"""Equal lines: where they begin in the old and in the new text, and how many."""

Pair: TypeAlias = tuple[int, int]
"""One equal line: its number in the old and in the new text; or a half-open range."""

Trail: TypeAlias = "tuple[Run, Trail | None]"
"""A run and those before it."""

FIRST = 16
"""So many lines are compared at once at first."""

MAX_DEPTH = 24
"""Bounds the passes of patience over a text made to defeat it."""

FEW_EDITS, MORE_EDITS = 8, 24
"""So few are searched for at once, without anchors: the common case; in a long text more, where
anchors cost more."""

MAX_EDITS = 64
"""The search gives up minimality after so many edits and goes on from the farthest point."""


EFFORT = 300_000
"""Steps of a search after which what is left counts as changed; besides some for each line."""

M = TypeVar("M")

MOST_RECENT: Final = 24
LINES: Final = 500
CHARACTERS: Final = 10_000
"""So many make a text long,"""
VERY_LONG: Final = 100
"""and so many times as many very long: fewer of these are known."""


class Effort:
    """How much a comparison may still do; what ends early has larger hunks, and right ones."""

    def __init__(self, steps: int, whole: Effort | None = None) -> None:
        """Take the steps, and of which whole they are a part: what that has left is the limit."""
        self._left = steps
        self._whole = whole

    @property
    def is_spent(self) -> bool:
        """Whether the search was ended before its end."""
        return self._left < 0 or (self._whole is not None and self._whole.is_spent)

    def spend(self, steps: int) -> bool:
        """Do so many steps; False when there are none left."""
        self._left -= steps
        if self._whole is not None:
            self._whole.spend(steps)
        return not self.is_spent


class _Digest(bytes):
    """Stands for the bytes of a large file: they go as soon as their text is there, and of such
    texts one is known, for each may be of many megabytes."""


class Memo:
    """What was made of long texts last: one act has few texts, asks for the lines of each, and for
    their differences, again and again, and the next one asks for those of the same files.

    What is made of strings, bytes or tuples, which never change, is never changed either.
    """

    def __init__(self) -> None:
        self._known: tuple[tuple[object, object, Any], ...] = ()
        self._is_read_again = False

    def made(self, of: Sized, by: object, make: Callable[[], M]) -> M:
        """Return what is made of that, by that: by whoever asks first. What is short is made."""
        length = len(of) / (LINES if isinstance(of, tuple) else CHARACTERS)
        if length < 1:
            return make()
        is_long = length >= VERY_LONG
        key = _Digest(blake2b(of).digest()) if is_long and isinstance(of, bytes) else of
        for known, its, it in self._known:
            if _is_same(known, key) and _is_same(its, by):
                self._is_read_again = self._is_read_again or _is_digest(key)
                return cast("M", it)
        made = make()
        if not (is_long and isinstance(made, bytes)):
            kept = [it for it in self._known if not (_is_digest(key, it[0]) and it[1] == by)]
            most = MOST_RECENT // 4 if is_long else MOST_RECENT
            self._known = (*kept, (key, by, made))[-most:]
        return made

    def origin(self, made: object, by: object) -> object:
        """Return that of which this was made, None if that is not known."""
        return next((of for of, its, it in self._known if it is made and its == by), None)

    def forget(self) -> None:
        """Keep nothing any more, for some of it may be large, but for a file that is read over and
        over: each time its text would be made once more beside the one that others have."""
        is_kept, self._is_read_again = self._is_read_again, False
        self._known = tuple(it for it in self._known if is_kept and _is_digest(it[0]))


def _is_digest(*keys: object) -> bool:
    return all(isinstance(it, _Digest) for it in keys)


def _is_same(one: object, other: object) -> bool:
    """Compare texts and bytes, and of all else only which it is."""
    return one is other or (isinstance(one, (str, bytes)) and one == other)


RECENT: Final = Memo()
"""Of this process; `App` lets it forget, each second."""


def made(of: Sized, by: object, make: Callable[[], M]) -> M:
    """Return what is made of that, by that, if that was not made a moment ago."""
    return RECENT.made(of, by, make)


def split_lines(text: str) -> tuple[str, ...]:
    """Split after each line feed, and nowhere else; the ends stay on."""
    return made(text, None, partial(_ended, text))


def bare_lines(text: str, end: str) -> tuple[str, ...]:
    """Split at each end, which goes, and nowhere else."""
    return made(text, end, partial(_bare, text, end))


def join_lines(lines: tuple[str, ...], end: str, last: str) -> str:
    """Return the text of lines that have no ends; `last`: the one behind the last line."""
    known = RECENT.origin(lines, end) if last == end else None
    if isinstance(known, str):
        return known
    return made(lines, f"{end}, {last}", lambda: end.join(lines) + last)


def _bare(text: str, end: str) -> tuple[str, ...]:
    *lines, rest = text.split(end)
    return (*lines, rest) if rest else tuple(lines)


def _ended(text: str) -> tuple[str, ...]:
    *lines, rest = text.split("\n")
    return (*[line + "\n" for line in lines], *([rest] if rest else []))


class Hunk(Struct, frozen=True):
    """Put `lines` in place of the 0-based lines [first, last) of the old text."""

    first: int
    last: int
    lines: tuple[str, ...]


class ConflictRegion(Struct, frozen=True):
    """Both sides changed the same place: the 0-based lines [first, last) of ours.

    `lines` is what theirs has there.
    """

    first: int
    last: int
    lines: tuple[str, ...]


class Reconciled(Struct, frozen=True):
    """`hunks` bring into ours what fits of theirs; at the `conflicts` ours stays.

    Both are ascending, and in the line numbers of ours before the hunks.
    """

    hunks: tuple[Hunk, ...]
    conflicts: tuple[ConflictRegion, ...]


Hunks: TypeAlias = list[Hunk]


def diff(old: Sequence[str], new: Sequence[str], effort: Effort | None = None) -> tuple[Hunk, ...]:
    """Return the hunks, ascending and never touching, that make `new` of `old`.

    Few and small, but minimal only where that is cheap, and as large as what is left of the texts
    where `effort` is spent.
    """
    if type(old) is not type(new):  # parts of both are compared as a whole
        old, new = tuple(old), tuple(new)
    is_kept = effort is None and isinstance(old, tuple) and isinstance(new, tuple)
    differing = partial(_diff, old, new, effort or Effort(EFFORT + 8 * (len(old) + len(new))))
    hunks = _at_once(old, new)
    if hunks is None:
        hunks = made(old, new, differing) if is_kept else differing()
    if (
        is_kept and hunks
    ):  # who makes this change has these very lines, and all that is known of them
        made(old, hunks, lambda: new)
    return hunks


def _at_once(old: Sequence[str], new: Sequence[str]) -> tuple[Hunk, ...] | None:
    """Return the hunks if nothing differs, or one place of which nothing stays."""
    head, tail = ends_in_common(old, new, (0, len(old)), (0, len(new)))
    last, end = len(old) - tail, len(new) - tail
    if head in (last, end) or last - head == end - head == 1:
        is_other = head < last or head < end
        return (Hunk(head, last, tuple(new[head:end])),) if is_other else ()
    return None


def _diff(old: Sequence[str], new: Sequence[str], effort: Effort) -> tuple[Hunk, ...]:
    hunks: list[Hunk] = []
    first = begin = 0
    end: Run = (len(old), len(new), 0)
    for at_old, at_new, size in (*_runs(old, new, effort), end):
        if first < at_old or begin < at_new:
            hunks.append(Hunk(first, at_old, tuple(new[begin:at_new])))
        first, begin = at_old + size, at_new + size
    return tuple(hunks)


def apply(old: Sequence[str], hunks: Sequence[Hunk]) -> list[str]:
    """Return the new text; the hunks are ascending and do not overlap."""
    new: list[str] = []
    done = 0
    for hunk in hunks:
        new += old[done : hunk.first]
        new += hunk.lines
        done = hunk.last
    new += old[done:]
    return new


def applied(old: tuple[str, ...], hunks: Sequence[Hunk]) -> tuple[str, ...]:
    """Return the same; those very lines whose difference the hunks are, if that is still known."""
    return made(old, hunks, lambda: tuple(apply(old, hunks)))


def moved(rows: range, hunks: Sequence[Hunk]) -> range:
    """Return where these rows are after the hunks, with all of each hunk that is in them.

    At least one row: where none is left, the one below.
    """
    start, stop = rows.start, max(rows.stop, rows.start + 1)
    above = [hunk for hunk in hunks if max(hunk.last, hunk.first + 1) <= start]
    inside = [hunk for hunk in hunks[len(above) :] if hunk.first < stop]
    first = min([start, *(hunk.first for hunk in inside)]) + _growth(above)
    last = max([rows.stop, *(hunk.last for hunk in inside)]) + _growth((*above, *inside))
    return range(first, max(last, first + 1))


def _growth(hunks: Sequence[Hunk]) -> int:
    return sum(len(hunk.lines) - (hunk.last - hunk.first) for hunk in hunks)


def reconcile(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> Reconciled:
    """Bring those edits base → theirs into ours that fit, as `git merge-file --ours` does.

    Edits that neither overlap nor touch are both kept, equal ones once; anything else conflicts.
    """
    hunks: list[Hunk] = []
    conflicts: list[ConflictRegion] = []
    shift = 0
    for mine, other in _groups(diff(base, ours), diff(base, theirs)):
        grown = _growth(mine)
        first = min(hunk.first for hunk in (*mine, *other))
        last = max(hunk.last for hunk in (*mine, *other))
        if not mine:
            hunks += [Hunk(h.first + shift, h.last + shift, h.lines) for h in other]
        elif other:
            wanted = _part(base, other, first, last)
            if wanted != _part(base, mine, first, last):
                conflicts.append(ConflictRegion(first + shift, last + shift + grown, tuple(wanted)))
        shift += grown
    return Reconciled(tuple(hunks), tuple(conflicts))


def _groups(mine: Sequence[Hunk], other: Sequence[Hunk]) -> Iterator[tuple[Hunks, Hunks]]:
    """Split both lists where nothing overlaps or touches; at least one part is not empty."""
    marked = sorted(
        [(hunk.first, hunk.last, 0, hunk) for hunk in mine]
        + [(hunk.first, hunk.last, 1, hunk) for hunk in other],
        key=lambda row: row[:3],
    )
    group: tuple[Hunks, Hunks] = ([], [])
    end = -1
    for first, last, side, hunk in marked:
        if first > end and (group[0] or group[1]):
            yield group
            group = ([], [])
        group[side].append(hunk)
        end = max(end, last)
    if group[0] or group[1]:
        yield group


def _part(base: Sequence[str], hunks: Sequence[Hunk], first: int, last: int) -> list[str]:
    """Return what the base lines [first, last) become."""
    moved = [Hunk(hunk.first - first, hunk.last - first, hunk.lines) for hunk in hunks]
    return apply(base[first:last], moved)


def _runs(old: Sequence[str], new: Sequence[str], effort: Effort) -> list[Run]:
    """Return the equal stretches of both texts, ascending in both."""
    found: list[Run] = []
    _match(_Texts(old, new, effort), (0, len(old)), (0, len(new)), 0, found)
    return found


class _Texts(Struct, frozen=True):
    old: Sequence[str]
    new: Sequence[str]
    effort: Effort


def _match(texts: _Texts, left: Pair, right: Pair, depth: int, found: list[Run]) -> None:
    """Add the runs that the ranges of both texts share."""
    old, new, effort = texts.old, texts.new, texts.effort
    head, tail = ends_in_common(old, new, left, right)
    if head:
        found.append((left[0], right[0], head))
    i, j = left[0] + head, right[0] + head
    end_i, end_j = left[1] - tail, right[1] - tail
    some = i < end_i and j < end_j and effort.spend(end_i - i + end_j - j)
    if some and not _few(texts, (i, end_i), (j, end_j), found):
        anchors = _anchors(old, new, (i, end_i), (j, end_j)) if depth < MAX_DEPTH else []
        if not anchors:
            found += _search(texts, (i, end_i), (j, end_j))
        for x, y in (*anchors, (end_i, end_j)) if anchors else ():
            if i < x and j < y:
                _match(texts, (i, x), (j, y), depth + 1, found)
            if x < end_i:
                found.append((x, y, 1))
            i, j = x + 1, y + 1
    if tail:
        found.append((end_i, end_j, tail))


def _few(texts: _Texts, left: Pair, right: Pair, found: list[Run]) -> bool:
    """Add the runs if few edits lead from end to end; False, and nothing added, if not."""
    a, b = texts.old[slice(*left)], texts.new[slice(*right)]
    most = min(FEW_EDITS + (len(a) + len(b)) // 500, MORE_EDITS)
    end_a, end_b, path = _farthest((a, b), 0, 0, most, texts.effort)
    if end_a < len(a) or end_b < len(b):
        return False
    found += ((left[0] + i, right[0] + j, n) for i, j, n in reversed(list(_steps(path))))
    return True


def ends_in_common(old: Sequence[str], new: Sequence[str], left: Pair, right: Pair) -> Pair:
    """Return how many lines are equal at the beginning and, of the rest, at the end; both are of
    one type."""
    most = min(left[1] - left[0], right[1] - right[0])
    if old is new and left == right:
        return most, 0
    head = _in_common(old, new, left[0], right[0], most)
    if head == most or old[left[1] - 1] != new[right[1] - 1]:
        return head, 0
    tail, step = 1, FIRST
    while tail < most - head:
        step = min(step, most - head - tail)
        i, j = left[1] - tail, right[1] - tail
        if old[i - step : i] == new[j - step : j]:
            tail, step = tail + step, 2 * step
        elif step > 1:
            step = max(step // 8, 1)
        else:
            break
    return head, tail


def _in_common(old: Sequence[str], new: Sequence[str], i: int, j: int, most: int) -> int:
    """Return how many lines are equal from there on: whole stretches are compared at once, longer
    ones as long as they are equal, and shorter ones to find the end."""
    if not most or old[i] != new[j]:
        return 0
    found, step = 1, FIRST
    while found < most:
        step = min(step, most - found)
        if old[i + found : i + found + step] == new[j + found : j + found + step]:
            found, step = found + step, 2 * step
        elif step > 1:
            step = max(step // 8, 1)
        else:
            break
    return found


def _once(lines: Sequence[str], span: Pair) -> dict[str, int]:
    """Return the numbers of the lines that occur once in the span."""
    seen: dict[str, int] = {}
    for number in range(*span):
        line = lines[number]
        seen[line] = -1 if line in seen else number
    return {line: number for line, number in seen.items() if number >= 0}


def _anchors(old: Sequence[str], new: Sequence[str], left: Pair, right: Pair) -> list[Pair]:
    """Return the longest ascending list of lines that are unique on both sides."""
    there = _once(new, right)
    pairs = [(i, there[line]) for line, i in _once(old, left).items() if line in there]
    after = [j for _, j in pairs]
    if all(map(lt, after, after[1:])):  # as is mostly so
        return pairs
    tails: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        pile = bisect_left(tails, j)
        before.append(piles[pile - 1] if pile else -1)
        tails[pile : pile + 1] = [j]
        piles[pile : pile + 1] = [number]
    chain: list[Pair] = []
    number = piles[-1] if piles else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _search(texts: _Texts, left: Pair, right: Pair) -> Iterator[Run]:
    """Yield runs of equal lines; lines that the other side lacks are left out beforehand."""
    old, new = texts.old, texts.new
    common = set(old[slice(*left)]) & set(new[slice(*right)])
    rows = [i for i in range(*left) if old[i] in common]
    columns = [j for j in range(*right) if new[j] in common]
    a, b = [old[i] for i in rows], [new[j] for j in columns]
    i = j = 0
    while i < len(a) and j < len(b) and not texts.effort.is_spent:
        i, j, path = _farthest((a, b), i, j, MAX_EDITS, texts.effort)
        for x, y, size in reversed(list(_steps(path))):
            yield from ((rows[x + n], columns[y + n], 1) for n in range(size))


def _steps(path: Trail | None) -> Iterator[Run]:
    """Yield the runs of a path, the last one first."""
    while path is not None:
        run, path = path
        yield run


def _farthest(
    texts: tuple[Sequence[str], Sequence[str]], x: int, y: int, most: int, effort: Effort
) -> tuple[int, int, Trail | None]:
    """Search from (x, y), by ever more edits (Myers); return where it ended and how it got there.

    It ends where either text does, or after `most` edits at the farthest point.
    """
    a, b = texts
    reach: dict[int, tuple[int, Trail | None]] = {y - x - 1: (x, None)}
    for edits in range(most):
        for k in range(y - x - edits, y - x + edits + 1, 2):
            start = _next(reach, k, len(a), len(b))
            if start is None:
                reach.pop(k, None)
                continue
            i, path = start
            begin = i
            limit = min(len(a), len(b) - k)
            while i < limit and a[i] == b[i + k]:
                i += 1
                if i - begin == FIRST:
                    i += _in_common(a, b, i, i + k, limit - i)
            if i > begin:
                path = ((begin, begin + k, i - begin), path)
            reach[k] = (i, path)
            effort.spend(1)
            if i == len(a) and i + k == len(b):
                return i, i + k, path
    k = max(reach, key=lambda k: 2 * reach[k][0] + k)
    i, path = reach[k]
    return i, i + k, path


def _next(
    reach: dict[int, tuple[int, Trail | None]], k: int, size_a: int, size_b: int
) -> tuple[int, Trail | None] | None:
    """Return the farthest start on diagonal k (j - i) that one more edit leads to, if any."""
    inserted, deleted = reach.get(k - 1), reach.get(k + 1)
    if inserted is not None and inserted[0] + k > size_b:
        inserted = None
    if deleted is None or deleted[0] == size_a or (inserted and inserted[0] > deleted[0]):
        return inserted
    return deleted[0] + 1, deleted[1]
