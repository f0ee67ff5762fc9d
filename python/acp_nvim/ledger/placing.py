"""Where the lines of a new text stand among those that are gone, in one hunk. For `weave` alone."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence

from acp_nvim.hunks import Hunk, diff
from acp_nvim.ledger.ends import Key, body
from acp_nvim.ledger.span import Span


def with_other_ends(items: Sequence[Span], before: Span | None) -> int:
    """Return how many of the first lines are gone, and the one above them with another end."""
    count = 0
    if before is not None:
        above = body(before.lines[-1])
        while count < len(items) and body(items[count].lines[0]) == above:
            count += 1
    return count


def going_again(items: Sequence[Span], deltas: Container[int]) -> frozenset[int]:
    """Return which lines go that had gone by one of these deltas before."""
    return frozenset(at for at, it in enumerate(items) if it.alive and it.was in deltas)


def above(
    items: Sequence[Span], returns: Mapping[int, int], again: Container[int]
) -> Iterator[tuple[int, int]]:
    """Yield the lines that go again for what returns below them, and which of the new lines that
    is: what stands above that stands above them, too."""
    found: int | None = None
    for at in reversed(range(len(items))):
        if at in returns:
            found = returns[at]
        elif items[at].alive and at not in again:
            found = None
        if found is not None and at in again:
            yield at, found


def paired(
    texts: Mapping[int, str], lines: Sequence[str], returns: Mapping[int, int]
) -> dict[int, int]:
    """Return, by the number of a line that goes, which of the new lines is it with another end, or
    other space around it; `texts`: those of the lines without these."""
    places = _places(lines, str.strip)
    later = sorted(returns.values(), reverse=True)
    pairs: dict[int, int] = {}
    least = 0
    for at in sorted(texts):
        if at in returns:
            least = later.pop() + 1
            continue
        there = places.get(texts[at], [])
        found = bisect_left(there, least)
        if found < len(there) and there[found] < (later[-1] if later else len(lines)):
            pairs[at] = there[found]
            least = pairs[at] + 1
    return pairs


def twins(
    items: Sequence[Span], lines: Sequence[str], anchors: Mapping[int, int]
) -> dict[int, int]:
    """Return, by the number of a line that is gone, which of the new lines is like it: that stands
    in its place, so that what is above and below it is so once more when it is back."""
    places = _places(lines)
    later = sorted(anchors.values(), reverse=True)
    pairs: dict[int, int] = {}
    least = 0
    for at, item in enumerate(items):
        if at in anchors:
            least = later.pop() + 1
            continue
        there = places.get(body(item.lines[0]), []) if item.lines[0].strip() else []
        found = bisect_left(there, least)
        limit = later[-1] if later else len(lines)
        if not item.alive and found < len(there) and there[found] < limit:
            pairs[at] = there[found]
            least = pairs[at] + 1
    return pairs


def _places(lines: Sequence[str], key: Key = body) -> dict[str, list[int]]:
    """Return, by what the new lines hold, which of them do."""
    places: dict[str, list[int]] = {}
    for new, line in enumerate(lines):
        places.setdefault(key(line), []).append(new)
    return places


def slots(killed: Collection[int], anchors: Mapping[int, int], count: int) -> dict[int, int]:
    """Return, by the number of a line of the region, up to which new line is put below it."""
    later: dict[int, int] = {}
    limit = count
    for at in sorted({*killed, *anchors}, reverse=True):
        later[at] = limit
        limit = anchors.get(at, limit)
    slots: dict[int, int] = {}
    new = 0
    for at in reversed(later):
        new = anchors[at] + 1 if at in anchors else min(new + 1, later[at])
        slots[at] = new
    return slots | ({max(slots): count} if slots else {})


def returning(
    items: Sequence[Span], lines: Sequence[str], may_return: Callable[[Span], bool], key: Key
) -> dict[int, int]:
    """Return, by the number of a line that is gone, which of the new lines it is again."""
    gone = [at for at, item in enumerate(items) if not item.alive and may_return(item)]
    if not gone or not lines:
        return {}
    gone = _latest(items, gone, Counter(map(key, lines)), key)
    returns: dict[int, int] = {}
    old, new = 0, 0
    hunks = diff([key(items[at].lines[0]) for at in gone], [key(line) for line in lines])
    for hunk in (*hunks, Hunk(len(gone), len(gone), ())):
        while old < hunk.first:
            returns[gone[old]] = new
            old, new = old + 1, new + 1
        old, new = hunk.last, new + len(hunk.lines)
    return returns


def _latest(
    items: Sequence[Span], gone: Sequence[int], wanted: Mapping[str, int], key: Key
) -> list[int]:
    """Return which of the lines that are gone may be there again: of more equal ones than there
    are those that went last, as by `u`, if that is known."""
    alike: dict[str, list[int]] = {}
    for at in gone:
        alike.setdefault(key(items[at].lines[0]), []).append(at)
    older: set[int] = set()
    for line, them in alike.items():
        count = wanted.get(line, 0)
        if 0 < count < len(them) and all(items[at].died for at in them):
            older.update(sorted(them, key=lambda at: items[at].died or 0)[:-count])
    return [at for at in gone if at not in older]
