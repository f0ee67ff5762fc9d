"""A change of the text: which events it makes, and which it switches.

An agent's change is an event. So is one of the user's, but where switching events explains it: who
goes back with `u` switches off what they go back over, and on again with `<C-r>`. And what has the
same words is the same line, as a formatter leaves it.

New lines stand below those that they replace, one by one, so that a part of a hunk can be rejected
where it was.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.history.author import Author
from acp_nvim.history.facts import Fact, Passed, Saw, Wrote
from acp_nvim.history.file import File
from acp_nvim.history.form import LINE_ENDS, all_bare, end_of, kind, parsed, text_of
from acp_nvim.history.line import (
    FILE,
    NOBODY,
    ORIGINAL,
    Item,
    Place,
    Run,
    Runs,
    Story,
    alive_lines,
    cut,
    packed,
)
from acp_nvim.hunks import Hunk, diff

AMENDED: Final = 100
"""So many lines at most are looked for in a text that has none of them as it was."""

Step: TypeAlias = tuple[int | None, int | None]
"""The number of an old line, and of a new one: both, where the new one is the old one again, or
has the same words."""
MOST_PASSING: Final = 24
"""So many changes of a turn in one file are known step by step, as |u| takes them back."""
MOST_PASSING_LINES: Final = 20_000
"""So many lines that these have put in, at most: of a large file fewer steps are known."""
LONG_LINE: Final = 200
"""Characters that count as a line."""
MOST_AMENDED: Final = 10_000
"""So many pairs of an old and a new line are looked at: that one was amended is found among few."""

_FORMATTED: Final = str.maketrans("'", '"', ",;")

Writer: TypeAlias = Callable[[Place], Iterable[Run]]
"""Yields the lines of a place as somebody's change leaves them."""


def wrote(file: File, text: str | None, author: Author, at: float) -> File:
    """Return the file after an agent has made this text of the one that it knows; None: no file."""
    return _changed(file, text, author, at)


def saw(file: File, text: str | None, at: float) -> File:
    """Return the file after the user has made this text of the one that it knows.

    What the user changed in an agent's lines is reviewed with these; everything else is nobody's to
    review. A file that an agent has taken away is first back as it went, if a buffer has kept it.
    """
    went = None if file.is_there or not text else _as_it_went(file)
    if text and went and _goes_on(went, text):
        file = _changed(file, went, None, at)
    return _changed(file, text, None, at)


def _as_it_went(file: File) -> str | None:
    """Return the text that somebody has taken away with the file, None if nobody has."""
    gone = next(
        (run.story for run in file.runs if run.texts[0] == FILE and run.story.killers), None
    )
    if gone is None:
        return None
    went = [run for run in file.runs if run.story.killers == gone.killers]
    lines = [text for run in went for text in run.texts if text != FILE]
    return text_of(lines, file.settings)


def _goes_on(old: str, new: str) -> bool:
    """Tell whether a text was made of the other: it has a line of its, as it was or amended."""
    lines = dict.fromkeys(line.strip() for line in old.splitlines() if line.strip())
    is_there = any(line.strip() in lines for line in new.splitlines())
    return is_there or any(line in new for line in islice(lines, AMENDED))


def _changed(file: File, text: str | None, author: Author | None, at: float) -> File:
    written, before = parsed(text, file.end), file.settings
    settings = tuple(it for it in written.settings if it not in before)
    ends = (it for it in (*before, *written.settings) if it.startswith(LINE_ENDS))
    end = end_of([*ends])
    there = all_bare(alive_lines(file.runs), end)
    is_bare = bool(there) and there[0] != FILE  # who had made the file was undone
    hunks = diff(there, written.lines[1:] or written.lines if is_bare else written.lines)
    if not (hunks or settings):
        return file
    if author is None:
        return apply_change(file, Saw(hunks, settings, at))
    return apply_change(file, Wrote(author, hunks, settings, at))


def apply_change(file: File, fact: Wrote | Saw) -> File:
    """Return the file after that change."""
    number = len(file.facts)
    pieces = [*cut(file.runs, fact.hunks)]
    writer: _Agent | _User
    if isinstance(fact, Wrote):
        writer = _Agent(number, file.of_turn(fact.author.turn_key))
    else:
        writer = _User(file, number, pieces)
    runs = packed(
        run for it in pieces for run in ((it,) if isinstance(it, Run) else writer.lines(it))
    )
    facts = file.facts
    if isinstance(fact, Wrote):
        own = sorted(file.of_doers((fact.author.doer_key,)))
        if early := frozenset(own[: -_steps_of(own, file.facts)]):
            runs = _without_passing(runs, early, frozenset(own))
            facts = _without_texts(facts, early - _spoken_of(runs))
    form = file.form
    for setting in fact.form:
        form = _set(form, setting, writer.lines)
    facts = (*facts, fact)
    return replace(file, facts=facts, runs=runs, form=form, upon={**file.upon, **writer.upon})


def _steps_of(own: Sequence[int], facts: Sequence[Fact]) -> int:
    """Return of how many of these changes, the last ones, each step is known: one at least."""
    rest = MOST_PASSING_LINES
    for count, number in enumerate(reversed(own)):
        fact = facts[number]
        rest -= sum(map(_weight, fact.hunks)) if isinstance(fact, Wrote) else 0
        if count >= MOST_PASSING or (rest < 0 and count):
            return count
    return len(own) or 1


def _weight(hunk: Hunk) -> int:
    """Return how many lines it puts in, a long one for several."""
    lines = hunk.lines
    long = 0 if isinstance(lines, Passed) else sum(map(len, lines)) // LONG_LINE
    return len(lines) + long


def _without_passing(runs: Runs, early: Container[int], whole: frozenset[int]) -> Runs:
    """Leave out what of these changes, of one turn, has come and gone by them long ago: no decision
    brings it back, and an agent may write a file a thousand times."""

    def is_passing(it: Run) -> bool:
        story = it.story
        is_untouched = story.born in early and not (story.alive or story.off or story.kept)
        return is_untouched and not whole.isdisjoint(story.killers) and it.texts[0] != FILE

    return packed(it for it in runs if not is_passing(it))


def _spoken_of(runs: Runs) -> set[int]:
    """Return the events by which lines are there or were, or have come again."""
    stories = {run.story for run in runs}
    return {it.born for it in stories}.union(by for it in stories for _, by in it.off)


def _without_texts(facts: tuple[Fact, ...], passed: Container[int]) -> tuple[Fact, ...]:
    """Let go what lines said that have come and gone; the list on disk has it. That each of them
    was there stays, for what came behind it counts rows."""
    return tuple(
        _without_text(it, number) if number in passed and isinstance(it, Wrote) else it
        for number, it in enumerate(facts)
    )


def _without_text(fact: Wrote, number: int) -> Wrote:
    if any(isinstance(it.lines, Passed) for it in fact.hunks):
        return fact
    # read as the tuple that it stands for
    hunks = (Hunk(it.first, it.last, Passed(it.lines, number, FILE)) for it in fact.hunks)  # type: ignore[arg-type]
    return replace(fact, hunks=tuple(hunks))


def _set(form: Runs, setting: str, writer: Writer) -> Runs:
    """Return the settings with that one; the first one of its kind is nobody's."""
    of = kind(setting)
    mine = [(run.texts[0], run.story) for run in form if run.texts[0].startswith(of)]
    others = (run for run in form if not run.texts[0].startswith(of))
    return (*others, *(writer(Place(mine, (setting,))) if mine else (Run((setting,), ORIGINAL),)))


def _of_places(items: Sequence[Item], going: Container[int]) -> dict[int, str]:
    """Return, by the numbers of lines that are gone, the line that goes now and is of one place
    with them: it had replaced them, or they have replaced it. What comes in its place stands for
    them, too. Where the file goes, all lines are of its place."""
    found: dict[int, str] = {}
    numbers = range(len(items))
    files = takewhile(lambda at: items[at][0] == FILE, numbers)
    if any(items[at][1].alive and at in going for at in files):
        return dict.fromkeys(numbers, FILE)
    for order, is_below in ((numbers, False), (reversed(numbers), True)):
        near = -1
        for at in order:
            story = items[at][1]
            if story.alive:
                near = at
            elif near in going:
                text, by = items[near]
                if by.born in story.killers if is_below else story.born in by.deaths:
                    found[at] = text
    return found


class _Agent:
    """Writes an agent's change; what its own turn has taken out, and nobody has decided on, is the
    same line when it puts it in again."""

    def __init__(self, number: int, turn: frozenset[int]) -> None:
        self.upon: dict[int, frozenset[int]] = {}
        self._number = number
        self._turn = turn
        self._new = Story(number)
        self._died: dict[Story, Story] = {}
        """Of each story what it is now, once: a file that is written again and again has as many
        stories as changes, and lines without number."""

    def lines(self, place: Place) -> Iterator[Run]:
        """Yield the lines of a place as the change leaves them."""
        number, items = self._number, place.items
        back = returning(place, self._may_return)
        like = {*place.lines}  # a line that stands for one like it, which is gone
        going = {at for at, (text, it) in enumerate(items) if it.alive or text in like}
        of_places = _of_places(items, going)
        for old, new in placed(place, back, going - back.keys()):
            text, story = items[old] if old is not None else ("", ORIGINAL)
            if old is not None and old in back:
                yield Run((text,), story.back(number))
                continue
            if old is not None:
                goes = story.alive or new is not None or old in of_places
                yield Run((text,), self._as_dead(story) if goes else story)
            if new is not None:
                yield Run((place.lines[new],), self._new)

    def _as_dead(self, story: Story) -> Story:
        found = self._died.get(story)
        if found is None:
            found = self._died[story] = story.died(self._number)
        return found

    def _may_return(self, story: Story) -> bool:
        by = story.killers
        is_born = story.born == NOBODY or story.born in story.on
        return is_born and by <= self._turn and not by & story.kept


class _Event(Struct, frozen=True):
    """What a change of the user's is in a place: the event `mine`, and events that it switches."""

    number: int
    mine: int
    off: frozenset[int]
    again: frozenset[int]
    gone: Mapping[int, int]
    """The lines that go, and by which event."""
    is_new: bool
    of_places: Mapping[int, str]

    def after(self, at: int, text: str, story: Story) -> Story:
        """Return the story of a line that goes, or is gone and stays so."""
        if at in self.gone:
            return story.died(self.gone[at])
        if story.alive:
            return story.switched_on(self.again).switched_off({story.born} & self.off, self.number)
        if at in self.of_places and (self.is_new or self.of_places[at] in (text, FILE)):
            return story.died(self.mine)
        gone = story.switched_off(self.off, self.number)
        gone = story if gone.alive else gone
        again = gone.switched_on(self.again)
        return gone if again.alive else again


class _User:
    """Writes a change of the user's."""

    def __init__(self, file: File, number: int, pieces: Sequence[Run | Place]) -> None:
        self.upon: dict[int, frozenset[int]] = {}
        self._number = number
        self._agents = file.agents()
        self._joined = file.upon
        theirs = self._agents | self._joined.keys()
        places = [it for it in pieces if isinstance(it, Place)]
        going = (it for place in places for it in place.items if it[1].alive)
        self._moving = {text: story for text, story in going if story.born in theirs}
        self._stale = {*_stale(pieces)}

    def lines(self, place: Place) -> Iterator[Run]:
        """Yield the lines of a place as the change leaves them."""
        came = _came_again(place)
        if not came and (same := _reformatted(place)):
            return iter(same)
        return self._turned(place, came)

    def _spread(self, place: Place) -> Story | None:
        """Return whose lines a formatter has spread, None: there is more to it than blank lines
        between two of one change of an agent's."""
        above, below = place.above, place.below
        if above is None or below is None or above.born != below.born:
            return None
        is_blank = not (_said(place.lines) or any(story.alive for _, story in place.items))
        return above if is_blank and above.born in self._agents else None

    def _turned(self, place: Place, came: Mapping[int, int]) -> Iterator[Run]:
        items, moved = place.items, self._spread(place)
        off = frozenset[int]().union(*(items[it][1].killers for it in came))
        event, steps = self._event(place, came, off, self._again(place, came))
        for old, new in steps:
            if old is None:
                text = place.lines[new or 0]
                moved = self._moving.get(text) if text.strip() else moved
                yield Run(
                    (text,), Story(moved.born, kept=moved.kept) if moved else Story(event.mine)
                )
            elif new is not None:
                story = items[old][1]
                yield Run((place.lines[new],), story if story.alive else story.back(self._number))
            else:
                yield Run((items[old][0],), event.after(old, *items[old]))

    def _event(
        self, place: Place, came: Mapping[int, int], off: frozenset[int], on: frozenset[int]
    ) -> tuple[_Event, list[Step]]:
        """Return what the change is in that place, and its steps."""
        stories = dict(enumerate(story for _, story in place.items))
        there = {at for at, it in stories.items() if it.alive and it.born not in off}
        going = {at for at in there if stories[at].switched_on(on).alive}
        steps = placed(place, came, going)
        gone = going.difference(old for old, new in steps if new is not None)
        mine = self._named(place, gone, is_inside=not (going or came))
        is_new = any(old is None for old, _ in steps)
        by = {
            at: mine if is_new or self._agents_of(stories[at].on) else -self._number for at in gone
        }
        of_places = _of_places(place.items, gone)
        return _Event(self._number, mine, off, on, by, is_new, of_places), steps

    def _again(self, place: Place, back: Mapping[int, int]) -> frozenset[int]:
        """Return the facts that are done again here: switching on what they have switched off makes
        of all lines what they are now, and either lines come by that or nothing else is new."""
        came = {by for at in back for _, by in place.items[at][1].off}
        goes = {by for _, story in place.items if story.alive for _, by in story.off}
        done = came if len(back) < len(place.lines) else came | goes
        return frozenset(done - self._stale)

    def _named(self, place: Place, gone: Iterable[int], *, is_inside: bool) -> int:
        """Return the event that the place is: upon agents' lines it is reviewed with these."""
        stories = [place.items[at][1] for at in gone]
        upon = frozenset[int]().union(*(self._agents_of(it.on - it.kept) for it in stories))
        if is_inside and place.above is not None and place.below is not None:
            around = (place.above, place.below)
            theirs = [self._agents_of(frozenset({it.born}) - it.kept) for it in around]
            upon = theirs[0] | theirs[1] if all(theirs) else upon
        if not upon:
            return -self._number
        self.upon[self._number] = self.upon.get(self._number, frozenset()) | upon
        return self._number

    def _agents_of(self, events: frozenset[int]) -> frozenset[int]:
        below = (self._joined[it] for it in events if it in self._joined)
        return (events & self._agents).union(*below)


def _came_again(place: Place) -> dict[int, int]:
    """Return which lines the user has brought back, and which new ones they are; of a file that has
    come back with blank lines alone only that it is there: these are of another text."""
    came, items = returning(place, lambda _story: True), place.items
    if _said(items[at][0] for at in came) == FILE:
        return {at: line for at, line in came.items() if items[at][0] == FILE}
    return came


def _stale(pieces: Sequence[Run | Place]) -> Iterator[int]:
    """Yield the facts that cannot be done again, for by them a line would be otherwise."""
    comes = {text for it in pieces if isinstance(it, Place) for text in it.lines}
    for it in pieces:
        if isinstance(it, Run):
            yield from _against(it.story, it.story.alive)
            continue
        came = _came_again(it)
        for at, (text, story) in enumerate(it.items):
            yield from _against(story, at in came or (story.alive and text in comes))


def _against(story: Story, is_there: bool) -> Iterator[int]:
    """Yield the facts by which, done again, the line would be otherwise than it is."""
    for by in {by for _, by in story.off}:
        if story.switched_on({by}).alive != is_there:
            yield by


def _reformatted(place: Place) -> list[Run]:
    """Return the lines of a place where they have the same words; [] if not so.

    Lines of which one is made have to be of one story: else one would go with the other.
    """
    items = place.items
    going = [at for at, (_, story) in enumerate(items) if story.alive]
    whose = [at for at in going for _ in words(items[at][0])]
    if not whose or _said(items[at][0] for at in going) != _said(place.lines):
        return []
    made = {at: [text] for at, (text, story) in enumerate(items) if not story.alive}
    done, at = 0, going[0]
    for line in place.lines:
        of = whose[done : done + len(words(line))]
        if len({items[it][1] for it in of}) > 1:
            return []
        at = of[0] if of else at
        made.setdefault(at, []).append(line)
        done += len(of)
    return [Run(tuple(made[it]), items[it][1]) for it in sorted(made)]


def _said(lines: Iterable[str]) -> str:
    return "".join(map(words, lines))


# --- where lines stand among those that go, and those that are gone already


def words(text: str) -> str:
    """Return a line without what formatters change: white space, commas, semicolons, quotes."""
    return "".join(text.split()).translate(_FORMATTED) or text.strip()


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
    there = [at for at, (_, story) in enumerate(place.items) if story.alive]
    for at, line in (*back.items(), (len(place.items), len(place.lines))):
        steps += _gap(place, range(old, at), range(new, line), going, there)
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


def _gap(
    place: Place, rows: range, news: range, goes: Container[int], there: Sequence[int]
) -> Iterator[Step]:
    """Yield the lines between two that come again; `there`: the lines that are alive."""
    going = [at for at in rows if at in goes]
    if not going:  # above what is gone, but for what was in the place of the line above
        rest = _end_of_above(place, rows, there)
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
        yield at, None
        if (stop := until.get(at, done)) > done:
            yield from _come(range(done, stop))
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


def _end_of_above(place: Place, rows: range, there: Sequence[int]) -> int:
    """Return the first of the rows that was not in the place of the line above it."""
    known = bisect_left(there, rows.start)
    above = place.items[there[known - 1]][1] if known else place.above
    for at in rows:
        story = place.items[at][1]
        if above is None or story.born not in above.deaths:
            return at
        above = story if story.alive else above
    return rows.stop


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
