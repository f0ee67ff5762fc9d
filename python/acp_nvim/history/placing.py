"""Where the lines of a hunk stand among those that it takes out, and those that are gone already.

New lines stand below those that they replace, one by one, so that a part of a hunk can be rejected
where it was. For `change` alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from acp_nvim.history.line import Item, Place, Story
from acp_nvim.hunks import Hunk, diff

Step: TypeAlias = tuple[int | None, int | None]
"""The number of an old line, and of a new one: both, where the new one is the old one again, or
says the same in other white space."""


MOST_AMENDED: Final = 10_000
"""So many pairs of an old and a new line are looked at: that one was amended is found among few."""


def words(text: str) -> str:
    """Return a line without its white space."""
    return "".join(text.split())


def returning(place: Place, may_return: Callable[[Story], bool]) -> dict[int, int]:
    """Return which lines that are gone come again, and which new ones they are; those of which more
    are gone may come again that went last."""
    items, lines = place.items, place.lines
    gone = [at for at, (_, story) in enumerate(items) if not story.alive and may_return(story)]
    gone = _latest(items, gone, lines) if gone else gone
    return {gone[at]: line for at, line in _equal([items[it][0] for it in gone], lines)}


def placed(place: Place, back: Mapping[int, int], going: Container[int]) -> list[Step]:
    """Return old and new lines in their order: `back` is what comes again, `going` what goes for
    what is new."""
    steps: list[Step] = []
    old = new = 0
    for at, line in (*back.items(), (len(place.items), len(place.lines))):
        steps += _gap(place, range(old, at), range(new, line), going)
        steps += [(at, line)] if at < len(place.items) else []
        old, new = at + 1, line + 1
    return steps


def _latest(items: Sequence[Item], gone: Sequence[int], lines: Sequence[str]) -> list[int]:
    """Return, of more equal lines than there are, those that went last, as by `u`."""
    wanted = Counter(lines)
    alike: dict[str, list[int]] = {}
    for at in gone:
        alike.setdefault(items[at][0], []).append(at)
    older: set[int] = set()
    for text, them in alike.items():
        if 0 < wanted[text] < len(them):
            by_time = sorted(them, key=lambda at: max(map(abs, items[at][1].on), default=0))
            older.update(by_time[: -wanted[text]])
    return [at for at in gone if at not in older]


def _equal(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the lines that both have."""
    row = line = 0
    for hunk in (*diff(old, new), Hunk(len(old), len(old), ())) if old and new else ():
        while row < hunk.first:
            yield row, line
            row, line = row + 1, line + 1
        row, line = hunk.last, line + len(hunk.lines)


def _gap(place: Place, rows: range, news: range, goes: Container[int]) -> Iterator[Step]:
    """Yield the lines between two that come again."""
    going = [at for at in rows if at in goes]
    if not going:  # above what is gone, but for what was in the place of the line above
        rest = next((at for at in rows if not _is_of_above(place, at)), rows.stop)
        yield from (*_go(range(rows.start, rest)), *_come(news), *_go(range(rest, rows.stop)))
        return
    old = [words(place.items[at][0]) for at in going]
    new = [words(it) for it in place.lines[news.start : news.stop]]
    same = {going[at]: news[line] for at, line in _equal(old, new)}
    anchors = same | dict(_amended(place, going, same, news))
    until, done = _until(going, anchors, news), news.start
    for at in rows:
        if at in anchors:
            yield from _come(range(done, anchors[at]))
            yield from ((at, anchors[at]),) if at in same else ((at, None), (None, anchors[at]))
            done = anchors[at] + 1
            continue
        stop = max(until.get(at, done), done)
        yield from ((at, None), *_come(range(done, stop)))
        done = stop
    yield from _come(range(done, news.stop))


def _come(news: range) -> Iterator[Step]:
    return ((None, it) for it in news)


def _go(rows: range) -> Iterator[Step]:
    return ((at, None) for at in rows)


def _amended(
    place: Place, going: Sequence[int], same: Mapping[int, int], news: range
) -> Iterator[tuple[int, int]]:
    """Yield the lines that go, and the new ones that have them in themselves."""
    for block, rows in _blocks(going, same, news):
        start = rows.start
        for old in block if len(block) * len(rows) <= MOST_AMENDED else ():
            text = place.items[old][0].strip()
            found = (it for it in range(start, rows.stop) if text and text in place.lines[it])
            if (line := next(found, None)) is not None:
                yield old, line
                start = line + 1


def _blocks(
    going: Sequence[int], anchors: Mapping[int, int], news: range
) -> Iterator[tuple[list[int], range]]:
    """Yield the lines that go between two anchors, and the new ones between these."""
    block: list[int] = []
    start = news.start
    for at, stop in (*((at, anchors.get(at)) for at in going), (-1, news.stop)):
        if stop is None:
            block.append(at)
            continue
        yield block, range(start, stop)
        block, start = [], stop + 1


def _is_of_above(place: Place, at: int) -> bool:
    above = next((it for _, it in reversed(place.items[:at]) if it.alive), place.above)
    return above is not None and place.items[at][1].born in above.deaths


def _until(going: Sequence[int], anchors: Mapping[int, int], news: range) -> dict[int, int]:
    """Return, by the lines that go, up to which new one stands below them: one each, of more old
    ones the last new one below them all."""
    until: dict[int, int] = {}
    for block, rows in _blocks(going, anchors, news):
        for count, old in enumerate(block, 1):
            until[old] = max(min(rows.start + count, rows.stop - 1), rows.start)
        if block:
            until[block[-1]] = rows.stop
    return until
