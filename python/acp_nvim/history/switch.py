"""Undo and redo of a turn: its events are switched off, and on again.

What the user, or another turn, has changed since stays: it is an event of its own, and a death of
all that it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from acp_nvim.history.author import Author
from acp_nvim.history.facts import Off, On
from acp_nvim.history.file import File, Turned
from acp_nvim.history.line import FILE, NOBODY, Story, each


def undo(file: File, author: Author, batch: str, at: float, *, found: bool = True) -> Turned:
    """Take back what the author's turn, or that sub-agent in it, has done, kept or not.

    `batch` names it for the redo. Without `found` what the agent is only supposed to have done
    stays.
    """
    fact = Off(author, batch, at, found)
    unsure = frozenset[int]() if found else _meant(file, fact) & file.found()
    doubtful = any(run.story.on & unsure for run in (*file.runs, *file.form))
    after = apply_off(file, fact)
    turned = _turned(file, after, unsure)
    return replace(turned, doubtful=doubtful, missing=turned.missing and not doubtful)


def redo(file: File, batch: str) -> Turned:
    """Take back the undo of that name."""
    undos = (at for at, it in enumerate(file.facts) if isinstance(it, Off) and it.batch == batch)
    return _turned(file, apply_on(file, On(batch)), since=min(undos, default=0))


def apply_off(file: File, fact: Off) -> File:
    """Return the file after that undo; the same one if there was nothing to undo."""
    events = _meant(file, fact) - (frozenset() if fact.found else file.found())
    number = len(file.facts)
    runs, form = (
        each(it, lambda story: story.switched_off(events, number)) for it in (file.runs, file.form)
    )
    if runs is file.runs and form is file.form:
        return file
    return replace(file, facts=(*file.facts, fact), runs=runs, form=form)


def _meant(file: File, fact: Off) -> frozenset[int]:
    """Return the events that an undo is about."""
    author = fact.author
    return file.of_doers((author.doer_key,)) if author.sub_agent else file.of_turn(author.turn_key)


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


def undoable(file: File) -> tuple[Author, ...]:
    """Return who has something in this file that can be undone, in the order of their changes."""
    stories = {run.story for run in (*file.runs, *file.form)}
    there = frozenset[int]().union(*(it.killers if file.is_users(it) else it.on for it in stories))
    changes = (file.change(event) for event in sorted(there))
    return tuple(dict.fromkeys(it.author for it in changes if it is not None))


def mode_after(before: File, after: File, now: int | None) -> int:
    """Return the permission bits that the file is to have when the one has become the other, 0:
    those that it has `now`; None: it is not there. What others have given it stays."""
    form = after.attributes
    if now is None:
        return form.mode
    if not form.given or now not in (form.mode, form.given):
        return 0
    was_theirs, is_theirs = bool(undoable(before)), bool(undoable(after))
    if was_theirs == is_theirs:
        return 0
    return form.given if is_theirs else form.mode


def _turned(
    before: File, after: File, unsure: frozenset[int] = frozenset(), *, since: int = 0
) -> Turned:
    """Return what became of the file. What is left is what others have put in `since` that fact in
    the place of lines that would be there; not if it is `unsure`."""
    if before is after:
        return Turned(after)
    is_missing = not (before.is_there or after.is_there)
    left = tuple(_left(before, after, unsure, since))
    return Turned(after, _count(before, after), left, is_missing)


def _count(before: File, after: File) -> int:
    """Return how many places have changed."""
    count, is_in = int(before.settings != after.settings), False
    for old, new in zip(before.runs, after.runs, strict=True):
        is_moved = old.story.alive != new.story.alive
        count += is_moved and not is_in
        is_in = is_moved or (is_in and not new.story.alive)
    return count


def _left(before: File, after: File, unsure: frozenset[int], since: int) -> Iterator[int]:
    there = {run.story.born for run in after.runs if run.story.alive} - {NOBODY} - unsure
    by = frozenset[int]()
    row = -(after.is_there and next(it for it in after.runs if it.story.alive).texts[0] == FILE)
    for old, new in zip(before.runs, after.runs, strict=True):
        if stand := _instead(old.story, new.story, since) & there:
            if not by & stand:
                yield max(row, 0)
            by = stand
        elif new.story.alive and new.story.born not in by:
            by = frozenset()
        row += len(new.texts) if new.story.alive else 0


def _instead(old: Story, new: Story, since: int) -> frozenset[int]:
    """Return the later events for which alone a line is not back, or not gone again."""
    is_born = new.born == NOBODY or new.born in new.on
    if old == new or old.alive or not is_born:
        return frozenset()
    turned = max(since, min(old.on ^ new.on, default=0))
    return frozenset(it for it in new.killers if abs(it) > turned)
