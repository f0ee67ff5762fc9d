"""Plans for the ledger of one file alone, without an editor: many, and fast.

A second, independent account is kept of what the steps mean: `shadow` is the text as it would be
had no agent ever changed it, as long as the user's edits are clear of the agents' (`is_clear`).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from hypothesis import strategies as st
from msgspec import Struct

from acp_nvim.history.author import Author, TurnKey
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.history.review import changes, keep, origin, reject
from acp_nvim.history.switch import redo, undo, undoable, undone
from tests.proof.lines import Form, agents, bodies, edited, join, split, users
from tests.proof.steps import Edit

LINES = [f"b{number}" for number in range(1, 9)]
BASE = join(LINES, Form())
NOEOL = join(LINES, Form(ended=False))


class Wrote(Struct, frozen=True):
    turn: int
    edits: tuple[Edit, ...]


class Saw(Struct, frozen=True):
    edits: tuple[Edit, ...]


class Back(Struct, frozen=True):
    """The user takes so many of the last texts back, as `u` does, and types before any look."""

    count: int
    edits: tuple[Edit, ...] = ()


class Removed(Struct, frozen=True):
    turn: int


class Decided(Struct, frozen=True):
    verdict: Literal["keep", "reject"]
    scope: Literal["hunk", "rows", "all"]
    at: int
    size: int = 1


class Undone(Struct, frozen=True):
    turn: int


class Redone(Struct, frozen=True):
    pass


class Formatted(Struct, frozen=True):
    """A formatter of the user's gives so many lines other white space, an odd number semicolons."""

    at: int
    size: int


class Converted(Struct, frozen=True):
    """An agent's tool writes the file with other line ends, and has changed one line."""

    turn: int
    edit: Edit


Act: TypeAlias = Formatted | Converted | Wrote | Saw | Back | Removed | Decided | Undone | Redone

places = st.integers(0, 11)
edit = st.builds(Edit, st.sampled_from(("insert", "amend", "replace", "delete")), places)
edits = st.lists(edit, min_size=1, max_size=3).map(tuple)
some_turn = st.integers(1, 3)
acts = st.one_of(
    st.builds(Saw, edits),
    st.builds(Wrote, some_turn, edits),
    st.builds(Wrote, some_turn, edits),
    st.builds(
        Decided,
        st.sampled_from(("keep", "reject")),
        st.sampled_from(("hunk", "rows", "all")),
        places,
        st.integers(1, 4),
    ),
    st.builds(Undone, some_turn),
    st.builds(Redone),
    st.builds(Back, st.integers(1, 3), st.just(()) | edits),
    st.builds(Removed, some_turn),
    st.builds(Formatted, places, st.integers(1, 4)),
    st.builds(Converted, some_turn, edit),
)
plans = st.lists(acts, min_size=1, max_size=14)


def author(turn: int) -> Author:
    return Author("agent", "s", turn, float(turn))


class LedgerMachine:
    """Carries out acts and holds the ledger against what must be true."""

    def __init__(self, base: str | None = BASE) -> None:
        self.ledger = begin(base)
        self.base = base
        self.shadow: list[str] | None = bodies(base)
        self.kept = False
        self.pending: set[str] = set()
        self.history: list[str | None] = [base]
        self.went: set[str] = set()
        """Lines that were gone at some time: should the user take one out that came back, that may
        be the agent's removal again."""
        self._numbers = itertools.count(1)
        self._made_of: dict[str, set[str]] = {}
        """Of which lines a line was made, by one edit of it alone."""
        self._brought: dict[str, set[str]] = {}
        """The user's words that an undo has brought back: they may go again with its redo."""

    def run(self, plan: Iterable[Act]) -> None:
        for act in plan:
            self.step(act)
            self.check()

    def step(self, act: Act) -> None:
        match act:
            case Wrote() | Removed() | Converted():
                self._writes(act)
            case Undone() | Redone():
                self._rewind(act)
            case Saw(edits):
                for edit in edits:
                    self._edit(edit)
            case Back(count, edits):
                self._back(count, edits)
            case Formatted():
                self._formatted(act)
            case Decided():
                self._decide(act)
        self.went |= set(bodies(self.history[-1])) - set(bodies(self.ledger.text))
        self.history.append(self.ledger.text)

    def _writes(self, act: Wrote | Removed | Converted) -> None:
        before = self.ledger.text
        if isinstance(act, Removed):
            self._wrote(act.turn, None)
        elif isinstance(act, Converted):
            self._converted(act)
        else:
            text = edited(before or "", act.edits, lambda: f"g{next(self._numbers)}")
            self._wrote(act.turn, text)
            if len(act.edits) == 1:
                self._note_made_of(before, text)

    def _back(self, count: int, edits: tuple[Edit, ...]) -> None:
        text = self.history[-min(count + 1, len(self.history))]
        if edits and text is not None:
            text = edited(text, edits, lambda: f"u{next(self._numbers)}")
        self._saw(text)

    def _wrote(self, turn: int, text: str | None) -> None:
        before = self.ledger.text
        self.ledger = wrote(self.ledger, text, author(turn), 0.0)
        assert self.ledger.text == text, "the ledger has another text"
        self.pending = (self.pending | (agents(text) - agents(before))) & agents(text)

    def _edit(self, edit: Edit) -> None:
        before, word = self.ledger.text, f"u{next(self._numbers)}"
        text, shadow = edited(before or "", (edit,), lambda: word), None
        if before and self.shadow is not None and is_clear(bodies(before), self.shadow, edit):
            at = edit.at % (len(bodies(before)) + 1)
            shadow = shadowed(self.shadow, bodies(before), Edit(edit.change, at), word)
        gone = set(bodies(before)) - set(bodies(text))
        self._saw(text)
        self._note_made_of(before, text)
        self.shadow = None if gone & self.went else shadow

    def _saw(self, text: str | None) -> None:
        if text != self.ledger.text:
            self.shadow = None
        self.ledger = saw(self.ledger, text, 0.0)
        assert self.ledger.text == text, "the ledger has another text"
        self.pending &= agents(text)

    def _note_made_of(self, before: str | None, text: str | None) -> None:
        old, new = bodies(before), bodies(text)
        if len(old) == len(new):
            for was, now in zip(old, new, strict=True):
                if was != now:
                    self._made_of[now] = {was} | self._made_of.get(was, set())

    def _formatted(self, act: Formatted) -> None:
        """What has the same words has the author and the hunks that it had."""
        lines, form = split(self.ledger.text)
        if not lines:
            return
        at = act.at % len(lines)
        rows = range(at, min(at + act.size, len(lines)))
        end = ";" * (act.size % 2)
        text = join([f"  {it}{end}" if row in rows else it for row, it in enumerate(lines)], form)
        before = self.ledger
        self._saw(text)
        places = [(it.first, it.last, len(it.removed), it.authors) for it in changes(before)]
        now = [(it.first, it.last, len(it.removed), it.authors) for it in changes(self.ledger)]
        assert now == places, f"the formatter has made other hunks: {now}, not {places}"
        for turn in (1, 2, 3):
            wanted, found = (
                [it.strip(" ;") for it in bodies(undo(it, author(turn), "x", 0.0).file.text)]
                for it in (before, self.ledger)
            )
            assert found == wanted, f"turn {turn} undone after the formatter: {found}"

    def _converted(self, act: Converted) -> None:
        """The ends are a hunk of their own: no line is one for them."""
        before = self.ledger.text
        lines, form = split(before)
        if len(lines) < 2:
            return
        word = f"g{next(self._numbers)}"
        other = "\n" if form.end == "\r\n" else "\r\n"
        lines = bodies(edited(join(lines, Form()), (act.edit,), lambda: word))
        text = join(lines, Form(other, form.ended))
        count = len(changes(self.ledger))
        self._wrote(act.turn, text)
        hunks = changes(self.ledger)
        assert len(hunks) <= count + 3, f"a hunk for lines that only end otherwise: {hunks}"

    def _neither(self, before: File, after: File) -> None:
        """An old line is not put beside what the user has made of it: both together would be
        neither."""
        there, came = set(bodies(before.text)), set(bodies(after.text)) - set(bodies(before.text))
        for line in there & set(bodies(after.text)):
            beside = came & self._made_of.get(line, set()) if users(line) else set()
            assert not beside, f"{sorted(beside)} beside {line!r}, which was made of it"

    def _decide(self, act: Decided) -> None:
        before, found = self.ledger.text, changes(self.ledger)
        rows = self._rows(act, found)
        end = len(_split(before))
        touched = [it for it in found if rows is None or _meets(it, rows, found, end)]
        if act.verdict == "keep":
            decided = keep(self.ledger, rows)
            assert decided.file.text == before, "keep changed the text"
            self.pending -= agents("".join(line for it in touched for line in it.added))
            if decided.count:
                self.shadow = bodies(before) if rows is None and before else None
                self.kept = True
        else:
            decided = reject(self.ledger, 0.0, rows)
            self._check_reject(before, found, touched, decided.file, act, rows)
            self.pending &= agents(decided.file.text)
        self.ledger = decided.file
        assert decided.count <= len(touched), "more decided than was touched"
        if self._is_of_one(act, found):
            assert decided.count, "the hunk was not decided"
            left = len(changes(self.ledger))
            assert left == len(found) - decided.count, "not so many hunks less"

    def _is_of_one(self, act: Decided, found: Sequence[ReviewHunk]) -> bool:
        """Tell whether a decision is on one hunk, in the rows of which no other one is: that of how
        the file is written is in a row that a line's may be in."""
        if act.scope != "hunk" or not found:
            return False
        rows = self._rows(act, found)
        assert rows is not None
        at = found[act.at % len(found)]
        return not any(it is not at and it.form != at.form and _touches(it, rows) for it in found)

    def _rows(self, act: Decided, found: Sequence[ReviewHunk]) -> range | None:
        if act.scope == "all":
            return None
        if act.scope == "hunk" and found:
            change = found[act.at % len(found)]
            return range(change.first, max(change.last, change.first + 1))
        return range(act.at, act.at + act.size)

    def _check_reject(
        self,
        before: str | None,
        found: Sequence[ReviewHunk],
        touched: Sequence[ReviewHunk],
        after: File,
        act: Decided,
        rows: range | None,
    ) -> None:
        parts = _bodies if any(it.form for it in touched) else _split  # the ends of all lines
        gone = set(parts(before)) - set(parts(after.text))
        may = {line for it in touched for line in parts("".join(it.added))}
        assert gone <= may, f"took more than the hunk: {sorted(gone - may)}"
        if rows is None or self._is_of_one(act, found):
            wanted = parts("".join(_without(_split(before), touched)))
            assert parts(after.text) == wanted, f"not the base there: {wanted}"

    def _rewind(self, act: Undone | Redone) -> None:
        if isinstance(act, Undone):
            self._undo(act.turn)
        else:
            self._redo()

    def _undo(self, turn: int) -> None:
        before = self.ledger
        batch = f"x{next(self._numbers)}"
        back = undo(before, author(turn), batch, 0.0)
        lost = users(before.text) - users(back.file.text)
        assert not lost, f"the undo took the user's {sorted(lost)}"
        if back.count:
            again = redo(back.file, batch)
            assert again.file.text == before.text, "undo and redo are not the identity"
            assert told(again.file) == told(before), "undo and redo are not the identity"
            self._brought[batch] = users(back.file.text) - users(before.text)
        if self.kept and back.file is not before:
            self.shadow = None  # also where it waits: a kept line that is gone does not come back
        self._neither(before, back.file)
        self.ledger = back.file
        self.pending &= agents(self.ledger.text)

    def _redo(self) -> None:
        if deltas := undone(self.ledger):
            before, batch = self.ledger.text, deltas[-1].batch
            self.ledger = redo(self.ledger, batch).file
            both = (*changes(self.ledger), *changes(self.ledger, "kept"))
            removed = "".join(line for it in both for line in it.removed)
            lost = users(before) - users(self.ledger.text) - users(removed)
            lost -= self._brought.get(batch, set())
            assert not lost, f"the redo took the user's {sorted(lost)}"
            if self.kept:
                self.shadow = None

    def check(self) -> None:
        """Hold what is true after every act."""
        found = changes(self.ledger)
        lines = _split(self.ledger.text)
        for it in found:
            assert tuple(lines[it.first : it.last]) == it.added, "a hunk is not where it says"
        shown = agents("".join(line for it in found for line in it.added))
        dropped = self.pending - shown
        assert not dropped, f"dropped from the review: {sorted(dropped)}"
        rejected = reject(self.ledger, 0.0).file
        assert not changes(rejected), "something is left after rejecting all"
        if self.shadow is not None:
            assert bodies(rejected.text) == self.shadow, "rejecting all is not the base"
        kept = keep(self.ledger).file
        assert not changes(kept), "something is left after keeping all"
        assert kept.text == self.ledger.text, "keeping changed the text"


def is_clear(live: Sequence[str], shadow: Sequence[str], edit: Edit) -> bool:
    """Return whether no agent has changed anything beside the line that is edited."""
    at = edit.at % (len(live) + 1)
    last = at if edit.change == "insert" or at == len(live) else at + 1
    around = [None, *live, None][at : last + 2]
    there = [None, *shadow, None]
    return any(there[it : it + len(around)] == around for it in range(len(there)))


def shadowed(shadow: Sequence[str], live: Sequence[str], edit: Edit, word: str) -> list[str]:
    """Return the shadow after the same, clear, edit."""
    lines = list(shadow)
    at = lines.index(live[edit.at]) if edit.at < len(live) else len(lines)
    return bodies(edited(join(lines, Form()), (Edit(edit.change, at),), lambda: word))


def told(ledger: File) -> tuple[object, ...]:
    """Return what a user can ask of a file: its text, its hunks, and who wrote each line."""
    origins = (origin(ledger, row) for row in range(len(_split(ledger.text))))
    return (
        ledger.text,
        changes(ledger),
        changes(ledger, "kept"),
        [it and it.author for it in origins],
    )


def turns(ledger: File) -> tuple[TurnKey, ...]:
    """Return the turns that have something in this file that can be undone, in their order."""
    return tuple(dict.fromkeys(it.turn_key for it in undoable(ledger)))


def _bodies(text: str | None) -> list[str]:
    return (text or "").splitlines()


def _split(text: str | None) -> list[str]:
    return (text or "").splitlines(keepends=True)


def _meets(change: ReviewHunk, rows: range, found: Sequence[ReviewHunk], end: int) -> bool:
    """Return whether any row of the hunk is meant: of a removal the one below it.

    At the end of the file that is the last one, if there is no other hunk in it.
    """
    met = range(change.first, max(change.last, change.first + 1))
    if change.first == change.last == end and not change.form:
        taken = any(max(it.last, it.first + 1) >= end for it in found if it is not change)
        met = range(end - (not taken), end + 1)
    return any(row in rows for row in met)


def _touches(change: ReviewHunk, rows: range) -> bool:
    return change.first < rows.stop and rows.start < max(change.last, change.first + 1)


def _without(lines: Sequence[str], touched: Sequence[ReviewHunk]) -> list[str]:
    new = list(lines)
    for it in sorted(touched, key=lambda change: change.first, reverse=True):
        new[it.first : it.last] = it.removed
    return new
