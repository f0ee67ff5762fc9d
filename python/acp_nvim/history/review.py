"""What is to be reviewed in a file, and what the user decides on it.

A hunk is a stretch of lines that pending events make come or go, with nothing in between that is
there anyhow; or a setting that they have changed. What the user has changed inside is a part of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, TypeAlias

from msgspec.structs import replace

from acp_nvim.history.author import Author, DoerKey
from acp_nvim.history.facts import Kept, Rejected, Rows, Wrote
from acp_nvim.history.file import File, Turned
from acp_nvim.history.form import LAST, LINE_ENDS, joined, kind, parsed, shown
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.history.line import FILE, Run, Story, alive_lines, packed
from acp_nvim.hunks import diff

State: TypeAlias = Literal["pending", "kept"]
Group: TypeAlias = list[int]
"""The numbers of the runs of one hunk, in which each is a single line."""


class _Reviewed:
    """The lines of a file as its hunks have them: each line that has changed is a run of its own.

    `groups` has the row of each hunk; a setting that has changed is in `form`, at its row. `by`:
    only what these have done, and the user upon it.
    """

    def __init__(self, file: File, state: State = "pending", by: Collection[DoerKey] = ()) -> None:
        self.file = file
        self.is_kept = state == "kept"
        self.agents = file.of_doers(by) if by else file.agents()
        upon = (it for it, of in file.upon.items() if not by or of <= self.agents)
        self.events = self.agents | frozenset(upon)
        known: dict[Story, bool] = {}
        runs: list[Run] = []
        changed: list[bool] = []
        for run in file.runs:
            if run.story not in known:
                known[run.story] = self.is_changed(run.story)
            new = [Run((it,), run.story) for it in run.texts] if known[run.story] else [run]
            runs += new
            changed += [known[run.story]] * len(new)
        self.runs = runs
        self.groups = [it for it in self._grouped(changed) if self._counts(it[1])]
        self.whole = {group[0]: group for _, group in self.groups}
        self.total = sum(len(it.texts) - (it.texts[0] == FILE) for it in runs if it.story.alive)
        self.form = [*self._form()]

    def waiting(self, story: Story) -> frozenset[int]:
        """Return the events of a line that are to be reviewed, or were."""
        found = story.on & self.events
        return found & story.kept if self.is_kept else found - story.kept

    def is_changed(self, story: Story) -> bool:
        """Tell whether it is in only one of: the text, and the text without these events."""
        waiting = self.waiting(story)
        return bool(waiting) and story.without(waiting) != story.alive

    def _grouped(self, changed: Sequence[bool]) -> Iterator[tuple[int, Group]]:
        group: Group = []
        row = first = 0
        for at, run in enumerate(self.runs):
            if changed[at]:
                first = first if group else row
                group.append(at)
            elif run.story.alive and group:
                yield first, group
                group = []
            row += len(run.texts) - (run.texts[0] == FILE) if run.story.alive else 0
        if group:
            yield first, group

    def _counts(self, group: Group) -> bool:
        """Tell whether a stretch of changed lines is a hunk to speak of."""
        come, gone = self.sides(group)
        if come == gone:
            return False
        # a file that is there for the sake of other lines
        return (come, gone) != ([FILE], []) or not any(
            run.story.alive and at not in group for at, run in enumerate(self.runs)
        )

    def sides(self, group: Group) -> tuple[list[str], list[str]]:
        """Return the lines of a hunk that are there, and those that are gone."""
        runs = [self.runs[at] for at in group]
        come, gone = (
            [it.texts[0] for it in runs if it.story.alive is alive] for alive in (True, False)
        )
        return come, gone

    def gone_beside(self, group: Group) -> Iterator[int]:
        """Yield what is gone, and was before, among the lines of a hunk, and beside all of it; but
        for what the user has written, which others have taken out."""
        first, last = group[0], group[-1]
        is_whole = self.whole.get(first) == group
        while is_whole and first and not self.runs[first - 1].story.alive:
            first -= 1
        while is_whole and last + 1 < len(self.runs) and not self.runs[last + 1].story.alive:
            last += 1
        for at in range(first, last + 1):
            story = self.runs[at].story
            if not (story.alive or self.is_changed(story) or story.born in self.file.upon):
                yield at

    def _form(self) -> Iterator[tuple[int, str, str]]:
        """Yield the row, and what the setting was, and is."""
        before: dict[str, str] = {}
        for run in self.file.form:
            of = kind(run.texts[0])
            if of not in before or run.story.without(self.waiting(run.story)):
                before[of] = run.texts[0]
        for now in self.file.settings:
            was = before[kind(now)]
            if was != now:
                yield (max(self.total - 1, 0) if now.startswith(LAST) else 0), was, now

    def authors(self, stories: Sequence[Story]) -> tuple[Author, ...]:
        """Return whose the lines are, in the order of their changes."""
        events = frozenset[int]().union(*(it.on & self.events for it in stories))
        theirs = events & self.agents
        for event in () if theirs else events:
            theirs |= self.file.upon.get(event, frozenset())
        changes = (self.file.change(it) for it in sorted(theirs))
        return tuple(dict.fromkeys(it.author for it in changes if it is not None))


def changes(file: File, state: State = "pending") -> tuple[ReviewHunk, ...]:
    """Return the hunks: those that wait for the user, or those that were kept."""
    reviewed = _Reviewed(file, state)
    settings = tuple(it for it in file.settings if it.startswith((LINE_ENDS, LAST)))
    found = [_hunk(reviewed, *it, settings, state) for it in reviewed.groups]
    for row, before, after in reviewed.form:
        stories = [it.story for it in file.form if kind(it.texts[0]) == kind(after)]
        authors = reviewed.authors(stories)
        found.append(ReviewHunk(row, (), (), state, authors, form=shown(before, after)))
    return tuple(sorted(found, key=lambda it: (it.first, it.last)))


def _hunk(
    reviewed: _Reviewed,
    row: int,
    group: Group,
    settings: Sequence[str],
    state: State,
) -> ReviewHunk:
    come, gone = reviewed.sides(group)
    is_new, is_gone = FILE in come, FILE in gone
    ends = [it for it in settings if it.startswith(LINE_ENDS)]
    last = row + len(come) - is_new
    is_last = last >= reviewed.total  # else even a last line without an end has one
    added, removed = (
        joined([it for it in side if it != FILE], settings if is_last else ends)
        for side in (come, gone)
    )
    return ReviewHunk(
        row,
        tuple(added),
        tuple(removed),
        state,
        reviewed.authors([reviewed.runs[at].story for at in group]),
        "" if is_new == is_gone else "created" if is_new else "deleted",
    )


def keep(file: File, rows: range | None = None, by: tuple[DoerKey, ...] = ()) -> Turned:
    """Let these rows be as they are: nothing of them is to be reviewed any more.

    `rows`: 0-based, of the text as it is; None: all. Of a hunk that is only partly in the rows,
    that part is decided; of one that others have made, too, what `by` have done.
    """
    return _decide(file, Kept(_bounds(rows), by))


def reject(
    file: File,
    at: float,
    rows: range | None = None,
    *,
    found: bool = True,
    by: tuple[DoerKey, ...] = (),
) -> Turned:
    """Bring back what stood in these rows before the agents, and take out what they put there.

    Without `found` a hunk stays in which an agent is only supposed to have had a hand.
    """
    return _decide(file, Rejected(_bounds(rows), found, at, by))


def _bounds(rows: range | None) -> Rows:
    return None if rows is None else (rows.start, rows.stop)


def _decide(file: File, fact: Kept | Rejected) -> Turned:
    """Return the file after that decision; the same one if there was nothing to decide."""
    reviewed = _Reviewed(file, by=fact.by)
    groups, kinds = _chosen(reviewed, None if fact.rows is None else range(*fact.rows))
    number = len(file.facts)

    def verdict(story: Story) -> Story:
        waiting = reviewed.waiting(story)
        if isinstance(fact, Rejected):
            return story.switched_off(waiting, number)
        return replace(story, kept=story.kept | waiting)

    if isinstance(fact, Rejected) and not fact.found:  # a hunk stays in which one is but found
        unsure, runs = file.found(), reviewed.runs
        waiting = {it: reviewed.waiting(it) for it in {run.story for run in runs}}
        groups = [it for it in groups if not any(waiting[runs[at].story] & unsure for at in it)]
    if not (groups or kinds):
        return Turned(file)
    runs = [*reviewed.runs]
    for group in groups:
        for at in reviewed.gone_beside(group) if isinstance(fact, Rejected) else ():
            runs[at] = Run(runs[at].texts, verdict(runs[at].story))
        for at in group:
            runs[at] = Run(runs[at].texts, verdict(runs[at].story))
    form = tuple(
        Run(it.texts, verdict(it.story)) if kind(it.texts[0]) in kinds else it for it in file.form
    )
    facts = (*file.facts, fact)
    decided = replace(file, facts=facts, runs=packed(runs), form=form)
    return Turned(decided, len(groups) + len(kinds))


def apply_decision(file: File, fact: Kept | Rejected) -> File:
    """Return the file after that decision."""
    return _decide(file, fact).file


def _chosen(reviewed: _Reviewed, rows: range | None) -> tuple[list[Group], set[str]]:
    """Return what the rows mean of each hunk, and which settings."""
    if rows is None:
        return [group for _, group in reviewed.groups], {kind(it) for _, _, it in reviewed.form}
    meant = _meant(reviewed, rows)
    groups = [_in_rows(reviewed, group, row, meant) for row, group in reviewed.groups]
    return [it for it in groups if it], {kind(it) for row, _, it in reviewed.form if row in rows}


def _meant(reviewed: _Reviewed, rows: range) -> range:
    """Return the rows with the one below the end of the file, if the last row means that.

    It does where only lines are gone there, and no other hunk is in the last row.
    """
    groups, end = reviewed.groups, reviewed.total
    if not end or end - 1 not in rows or not groups:
        return rows
    (last_row, last), before = groups[-1], groups[-2] if len(groups) > 1 else None
    is_gone = last_row == end and not reviewed.sides(last)[0]
    is_taken = before is not None and before[0] + max(len(reviewed.sides(before[1])[0]), 1) >= end
    return range(rows.start, end + 1) if is_gone and not is_taken else rows


def _in_rows(reviewed: _Reviewed, group: Group, first: int, rows: range) -> Group:
    """Return those lines of a hunk that the rows mean.

    A line that is gone goes with the one that stands below it, else with the last. Where only
    lines are gone, the row below them means them; see `_meant` for the end of the file.
    """
    runs = reviewed.runs
    lines = [at for at in group if runs[at].texts[0] != FILE]
    count = sum(runs[at].story.alive for at in lines)
    chosen: set[int] = set()
    passed = 0
    for at in lines:
        if first + min(passed, max(count - 1, 0)) in rows:
            chosen.add(at)
        passed += runs[at].story.alive
    is_whole = len(chosen) == len(lines) and (bool(lines) or first in rows)
    return [at for at in group if at in chosen or (runs[at].texts[0] == FILE and is_whole)]


def differs_by_agents(file: File, text: str) -> bool:
    """Tell whether another text of the file has nothing more or less than lines of agents, by what
    they have done and what was taken back of it."""
    written = parsed(text, file.end)
    if any(it not in file.settings for it in written.settings):
        return False
    there = [it for run in file.runs if run.story.alive for it in [run.story] * len(run.texts)]
    agents = file.agents()
    gone = {
        text
        for run in file.runs
        if not run.story.alive and (run.story.deaths | {run.story.born}) & agents
        for text in run.texts
    }
    return all(
        gone.issuperset(hunk.lines)
        and all(it.born in agents for it in there[hunk.first : hunk.last])
        for hunk in diff(alive_lines(file.runs), written.lines)
    )


def origin(file: File, row: int) -> Wrote | None:
    """Return what put the 0-based row into the text; None if no agent did."""
    runs = [run for run in file.runs if run.story.alive]
    rest = row + (bool(runs) and runs[0].texts[0] == FILE)
    for run in runs:
        if rest < len(run.texts):
            return file.change(run.story.born)
        rest -= len(run.texts)
    return None
