"""Lines and the events that bear on them, packed into runs of one story."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from acp_nvim.hunks import Hunk

NOBODY: Final = 0
"""The event by which a line is there that was there before any agent's."""
FILE: Final = "\0file"
"""The first line of a file that exists, so that its coming and going is a line's."""


class Story(Struct, frozen=True):
    """The events that bear on a line: its birth, its deaths, and which of them do not count.

    An event has the number of its fact; that of a user's own change is negative, and nothing to
    review.
    """

    born: int = NOBODY
    deaths: frozenset[int] = frozenset()
    off: frozenset[tuple[int, int]] = frozenset()
    """The events that are switched off, each with the fact that did it."""
    kept: frozenset[int] = frozenset()
    """The events that the user has kept."""
    on: frozenset[int] = frozenset()
    """The events that count, but for `NOBODY`; made here."""
    killers: frozenset[int] = frozenset()
    """The deaths that count; made here."""
    alive: bool = True
    """Whether the line is there; made here."""

    def __post_init__(self) -> None:
        """Find out what counts."""
        off = {event for event, _ in self.off}
        killers = self.deaths - off if off else self.deaths  # the same set: there may be many
        force_setattr(self, "killers", killers)
        force_setattr(self, "alive", self.born not in off and not killers)
        is_born = self.born != NOBODY and self.born not in off
        force_setattr(self, "on", killers | {self.born} if is_born else killers)

    def died(self, event: int) -> Story:
        """Return it as that event takes the line out."""
        return replace(self, deaths=self.deaths | {event})

    def switched_off(self, events: Iterable[int], by: int) -> Story:
        """Return it without these events; those that do not bear on it, or are off, are passed."""
        off = frozenset((it, by) for it in self.on.intersection(events))
        return replace(self, off=self.off | off) if off else self

    def switched_on(self, by: Container[int]) -> Story:
        """Return it with the events again that these facts have switched off."""
        off = frozenset(it for it in self.off if it[1] not in by)
        return self if len(off) == len(self.off) else replace(self, off=off)

    def back(self, by: int) -> Story:
        """Return it as that fact brings the line back."""
        off = frozenset(it for it in self.off if it[0] != self.born)
        return replace(self, off=off | {(it, by) for it in self.killers})

    def without(self, events: frozenset[int]) -> bool:
        """Tell whether the line would be there without these events."""
        counts = self.born == NOBODY or (self.born in self.on and self.born not in events)
        return counts and self.killers <= events


ORIGINAL: Final = Story()


class Run(Struct, frozen=True):
    """Neighbouring lines, without their ends, of one story."""

    texts: tuple[str, ...]
    story: Story = ORIGINAL


Runs: TypeAlias = tuple[Run, ...]
Item: TypeAlias = tuple[str, Story]
"""One line."""


class Place(Struct, frozen=True):
    """What a hunk meets: the lines that go, and those that are gone there already."""

    items: Sequence[Item]
    lines: Sequence[str]
    """The lines that it puts in."""
    above: Story | None = None
    below: Story | None = None


def packed(items: Iterable[Run]) -> Runs:
    """Join neighbours of one story."""
    runs: list[Run] = []
    texts: list[str] = []
    story: Story | None = None
    last: Run | None = None
    """The only one of its story until now."""
    for run in items:
        its = run.story
        # most neighbours differ in their birth, which is quickly seen
        if story is its or (story is not None and its.born == story.born and its == story):
            texts, last = texts if last is None else [*last.texts], None
            texts += run.texts
            continue
        if story is not None:
            runs.append(last or Run(tuple(texts), story))
        texts, story, last = [], its, run
    if story is not None:
        runs.append(last or Run(tuple(texts), story))
    return tuple(runs)


def each(runs: Runs, change: Callable[[Story], Story]) -> Runs:
    """Return the runs with changed stories, the same ones if none changes; each story is changed
    once."""
    made: dict[Story, Story] = {}
    for run in runs:
        if run.story not in made:
            made[run.story] = change(run.story)
    if all(old is new for old, new in made.items()):
        return runs
    return tuple(Run(run.texts, made[run.story]) for run in runs)


def alive_lines(runs: Runs) -> list[str]:
    """Return the lines that are there, `FILE` among them."""
    return [text for run in runs if run.story.alive for text in run.texts]


def cut(runs: Runs, hunks: Iterable[Hunk]) -> Iterator[Run | Place]:
    """Yield what stays, and the place of each hunk."""
    rest, row = _Rest(runs), 0
    above: Story | None = None
    for hunk in hunks:
        while row < hunk.first:
            run = rest.take(hunk.first - row)
            if run.story.alive:
                above, row = run.story, row + len(run.texts)
            yield run
        items: list[Item] = []
        while (story := rest.next) and (not story.alive or row < hunk.last):
            run = rest.take(hunk.last - row)
            row += len(run.texts) if story.alive else 0
            items += [(text, story) for text in run.texts]
        yield Place(items, hunk.lines, above, rest.next)
    yield from rest.all()


class _Rest:
    """What is left of the runs as they are taken off from the beginning.

    A run that is taken in parts stays whole: cut off, its rest would be copied for each.
    """

    def __init__(self, runs: Runs) -> None:
        self._runs = [*reversed(runs)]
        self._taken = 0

    @property
    def next(self) -> Story | None:
        """The story of the next line."""
        return self._runs[-1].story if self._runs else None

    def all(self) -> Iterator[Run]:
        """Take all runs that are left."""
        if self._runs:
            run = self._runs.pop()
            yield Run(run.texts[self._taken :], run.story) if self._taken else run
        yield from reversed(self._runs)

    def take(self, most: int) -> Run:
        """Take the next run; of one that is there so many lines at most."""
        run, start = self._runs[-1], self._taken
        if run.story.alive and len(run.texts) - start > most:
            self._taken = start + most
            return Run(run.texts[start : start + most], run.story)
        self._taken = 0
        self._runs.pop()
        return Run(run.texts[start:], run.story) if start else run
