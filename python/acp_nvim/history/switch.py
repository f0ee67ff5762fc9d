"""Undo and redo of a turn: its events are switched off, and on again.

What the user, or another turn, has changed since stays: it is an event of its own, and a death of
all that it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from acp_nvim.history.author import Author, TurnKey
from acp_nvim.history.facts import Off, On
from acp_nvim.history.file import File
from acp_nvim.history.line import FILE, NOBODY, Runs, Story, each


@dataclass(frozen=True, slots=True)
class Rewound:
    """A file after an undo or a redo."""

    file: File
    count: int = 0
    """Places that were changed."""
    left: tuple[int, ...] = ()
    """0-based rows of the new text where somebody else's change stays."""
    missing: bool = False
    """The file is gone, and not by what is turned: nothing could be changed in it."""
    doubtful: bool = False
    """Something stays because the agent is only supposed to have done it."""


def undo(file: File, author: Author, batch: str, at: float, *, found: bool = True) -> Rewound:
    """Take back what the author's turn has done, kept or not; `batch` names it for the redo.

    Without `found` what the agent is only supposed to have done stays.
    """
    unsure = frozenset[int]() if found else file.of_turn(author.turn_key) & file.found()
    doubtful = any(run.story.on & unsure for run in (*file.runs, *file.form))
    after = apply_off(file, Off(author, batch, at, found))
    rewound = _rewound(file, after, unsure)
    return replace(rewound, doubtful=doubtful, missing=rewound.missing and not doubtful)


def redo(file: File, batch: str) -> Rewound:
    """Take back the undo of that name."""
    undos = (at for at, it in enumerate(file.facts) if isinstance(it, Off) and it.batch == batch)
    return _rewound(file, apply_on(file, On(batch)), since=min(undos, default=0))


def apply_off(file: File, fact: Off) -> File:
    """Return the file after that undo; the same one if there was nothing to undo."""
    events = file.of_turn(fact.author.turn_key)
    events -= frozenset() if fact.found else file.found()
    number = len(file.facts)
    runs, form = (
        each(it, lambda story: story.switched_off(events, number)) for it in (file.runs, file.form)
    )
    if runs is file.runs and form is file.form:
        return file
    return replace(file, facts=(*file.facts, fact), runs=runs, form=form)


def apply_on(file: File, fact: On) -> File:
    """Return the file after that redo; the same one if there was none to redo."""
    facts = enumerate(file.facts)
    undos = {at for at, it in facts if isinstance(it, Off) and it.batch == fact.batch}
    if not undos or all(it.batch != fact.batch for it in undone(file)):
        return file
    runs, form = (each(it, lambda story: story.switched_on(undos)) for it in (file.runs, file.form))
    return replace(file, facts=(*file.facts, fact), runs=runs, form=form)


def undone(file: File) -> tuple[Off, ...]:
    """Return the undos that can be redone, in their order."""
    found: dict[tuple[str, int], Off] = {}
    for at, fact in enumerate(file.facts):
        if isinstance(fact, Off):
            found[fact.batch, at] = fact
        elif isinstance(fact, On):
            found = {key: it for key, it in found.items() if key[0] != fact.batch}
    return tuple(found.values())


def turns(file: File) -> tuple[TurnKey, ...]:
    """Return the turns that have something in this file that can be undone, in their order."""
    stories = {run.story for run in (*file.runs, *file.form)}
    there = frozenset[int]().union(*(it.killers if file.is_users(it) else it.on for it in stories))
    changes = (file.change(event) for event in sorted(there))
    return tuple(dict.fromkeys(it.author.turn_key for it in changes if it is not None))


def mode_after(before: File, after: File, now: int | None) -> int:
    """Return the permission bits that the file is to have when the one has become the other, 0:
    those that it has `now`; None: it is not there. What others have given it stays."""
    form = after.attributes
    if now is None:
        return form.mode
    if not form.given or now not in (form.mode, form.given):
        return 0
    was_theirs, is_theirs = bool(turns(before)), bool(turns(after))
    if was_theirs == is_theirs:
        return 0
    return form.given if is_theirs else form.mode


def _rewound(
    before: File, after: File, unsure: frozenset[int] = frozenset(), *, since: int = 0
) -> Rewound:
    """Return what became of the file. What is left is what others have put in `since` that fact in
    the place of lines that would be there; not if it is `unsure`."""
    if before is after:
        return Rewound(after)
    is_missing = not (before.is_there or after.is_there)
    there = {run.story.born for run in after.runs if run.story.alive} - {NOBODY} - unsure
    left: list[int] = []
    by = frozenset[int]()
    count, row, is_in = int(before.settings != after.settings), 0, False
    first = next((run.texts[0] for run in after.runs if run.story.alive), "")
    row -= first == FILE  # which is no row
    for size, old, new in _both(before.runs, after.runs):
        is_moved = old.alive != new.alive
        count += is_moved and not is_in
        is_in = is_moved or (is_in and not new.alive)
        is_back = new.born == NOBODY or new.born in new.on
        after_it = max(since, min(old.on ^ new.on, default=0))
        stand = {it for it in new.killers & there if abs(it) > after_it}
        if not is_moved and old != new and is_back and stand:
            left += () if by & stand else (max(row, 0),)
            by = frozenset(stand)
        elif new.alive and new.born not in by:
            by = frozenset()
        row += size if new.alive else 0
    return Rewound(after, count, tuple(left), is_missing)


def _both(before: Runs, after: Runs) -> Iterator[tuple[int, Story, Story]]:
    """Yield neighbouring lines, how many, with their stories in both."""
    old, new = ([*reversed(runs)] for runs in (before, after))
    here = there = 0
    while old and new:
        size = min(len(old[-1].texts) - here, len(new[-1].texts) - there)
        yield size, old[-1].story, new[-1].story
        here, there = here + size, there + size
        if here == len(old[-1].texts):
            old.pop()
            here = 0
        if there == len(new[-1].texts):
            new.pop()
            there = 0
