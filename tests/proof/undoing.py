"""Everything undone is nothing left: plans for the ledger of one file, all taken back at the end.

Agents, decisions and the user work on one text, whose words are all unique: `b1` was there, `u2` is
the user's, `a3` an agent's. The account that is kept besides knows what the user did, not how.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.review import changes, keep, origin, reject
from acp_nvim.history.switch import redo, undo, undone
from tests.proof.ledger_plans import told, turns
from tests.proof.lines import Form, join, split
from tests.proof.steps import Edit

AGENTS = ("x", "y", "z")
TURNS = tuple(
    Author(agent, agent, turn, 10.0 * turn + at)
    for at, agent in enumerate(AGENTS)
    for turn in (1, 2)
)
LINES = [f"b{number}" for number in range(1, 7)]
FORMS = (Form(), Form(ended=False), Form("\r\n"))
BASES: tuple[str | None, ...] = (*(join(LINES, it) for it in FORMS), None, "", "b1", "b1\n")


class Wrote(Struct, frozen=True):
    turn: int
    edits: tuple[Edit, ...]


class Ended(Struct, frozen=True):
    """An agent puts a line end below the last line, or takes it away."""

    turn: int


class Removed(Struct, frozen=True):
    """An agent takes the file away, or makes it anew with nothing in it."""

    turn: int


class Typed(Struct, frozen=True):
    edits: tuple[Edit, ...]


class Moved(Struct, frozen=True):
    """The user moves lines."""

    first: int
    count: int
    to: int


class Saved(Struct, frozen=True):
    """The user has written the file: 'fixeol' puts an end to the last line."""


class Formed(Struct, frozen=True):
    """The user changes how lines end."""


class Decided(Struct, frozen=True):
    verdict: Literal["keep", "reject"]
    at: int
    size: int


class Undone(Struct, frozen=True):
    turn: int
    returns: bool = False


class Redone(Struct, frozen=True):
    """The last undo of that agent's turns is returned: another agent's may be later."""

    agent: int = 0


Act: TypeAlias = (
    Wrote | Ended | Removed | Typed | Moved | Saved | Formed | Decided | Undone | Redone
)

Plan: TypeAlias = tuple[str | None, list[Act], list[int]]

places = st.integers(0, 9)
edits = st.lists(
    st.builds(Edit, st.sampled_from(("insert", "amend", "replace", "delete")), places),
    min_size=1,
    max_size=3,
).map(tuple)
some_turn = st.integers(0, len(TURNS) - 1)
acts: st.SearchStrategy[Act] = st.one_of(
    st.builds(Wrote, some_turn, edits),
    st.builds(Typed, edits),
    st.builds(Wrote, some_turn, edits),
    st.builds(Decided, st.sampled_from(("keep", "reject")), places, st.integers(1, 9)),
    st.builds(Undone, some_turn, st.booleans()),
    st.builds(Moved, places, st.integers(1, 3), places),
    st.builds(Redone, st.integers(0, len(AGENTS) - 1)),
    st.builds(Saved),
    st.builds(Ended, some_turn),
    st.builds(Removed, some_turn),
    st.builds(Formed),
)
plans = st.tuples(
    st.sampled_from(BASES),
    st.lists(acts, min_size=1, max_size=14),
    st.permutations(range(len(TURNS))),
)


class UndoingMachine:
    """Carries out acts; `finish` takes all back and holds what is left against the account.

    `gone`: the user's words that the user has taken out; `written`: lines as the user has left
    them with an agent's word in them; `covered`: words that stood where the user has gone on in
    what an agent made of them; `raised`: words that an undo has brought, maybe once more where
    another turn's line stands for theirs, until that goes; `form`: how the user's own text ends its
    lines, as far as it is known exactly; `toggled`: an agent has changed whether the last line
    has an end.
    """

    def __init__(self, base: str | None) -> None:
        self.ledger: File = begin(base)
        lines, form = split(base)
        self.began_as_file = base is not None
        self.gone: set[str] = set()
        self.written: set[str] = set()
        self.covered: set[str] = set()
        self.raised: set[str] = set()
        self.moved: set[str] = set()
        self.known: set[str] = set(lines)
        self.orders: list[list[str]] = [lines]
        self.form: Form = form
        self.exact = base is not None and bool(lines)
        self.toggled = False
        self.opened = bool(lines) and not form.ended
        self._numbers = itertools.count(100)

    def run(self, plan: Iterable[Act], order: Sequence[int]) -> None:
        """Carry out all acts, and take everything back."""
        for act in plan:
            self.step(act)
        self.finish(order)

    def step(self, act: Act) -> None:
        """Carry out one act."""
        match act:
            case Wrote() | Ended() | Removed():
                self._writes(act)
            case Typed(edits):
                self._typed(edits)
            case Moved(first, count, to):
                self._moves(first, count, to)
            case Saved() | Formed():
                self._forms(act)
            case Decided(verdict, at, size):
                self._decides(verdict, range(at, at + size))
            case Undone() | Redone():
                self._rewinds(act)
        self.orders.append(_order(self.ledger.text))
        lines, form = split(self.ledger.text)
        self.opened = self.opened or (bool(lines) and not form.ended)

    def finish(self, order: Sequence[int]) -> None:
        """Take back all turns once, in that order, each of which there is something then."""
        for turn in (TURNS[it] for it in order):
            if turn.turn_key in turns(self.ledger):
                self._undo(turn)
        left = turns(self.ledger)
        assert not left, f"not all was taken back at once: {left} in {self.ledger.text!r}"
        self.check()

    def check(self) -> None:
        """Hold what must be true after all is undone."""
        text = self.ledger.text
        lines, there = split(text)[0], _words(text)
        for line in (text or "").splitlines():
            assert "a" not in line or line in self.written, f"an agent's line is left: {text!r}"
        lost = {it for it in self.known if it[0] != "a"} - set(there) - self.gone - self.covered
        assert not lost, f"lost {sorted(lost)}: {text!r}"
        own = [it for it in _order(text) if it not in self.moved and there.count(it) == 1]
        for order in (it for it in self.orders if len(it) == len({*it})):
            both = [it for it in order if it in own and it not in self.moved]
            assert both == [it for it in own if it in both], f"another order: {both} in {text!r}"
        if self.exact and lines and not any("a" in line for line in lines):
            self._check_ends(text or "")
        assert text is not None or self.gone or not self.began_as_file, "the file is gone"

    def _check_ends(self, text: str) -> None:
        lines, form = split(text)
        assert form.end == self.form.end or len(lines) == 1, f"other line ends: {text!r}"
        returns = {it.endswith("\r") for it in text.split("\n")[:-1]}
        assert len(returns) <= 1, f"mixed line ends: {text!r}"
        assert form.ended == self.form.ended, f"another end: {text!r}"

    # --- the acts

    def _edited(self, edits: Sequence[Edit], letter: str) -> tuple[str, set[str]]:
        """Return the text with these edits in it, and the lines that went for others."""
        lines, form = split(self.ledger.text)
        if len(lines) < 2:
            form = replace(form, end=self.form.end)
        replaced: set[str] = set()
        for edit in edits:
            row = edit.at % (len(lines) + 1)
            word = f"{letter}{next(self._numbers)}"
            if edit.change == "insert" or row == len(lines):
                lines.insert(row, word)
                continue
            if edit.change != "delete" and origin(self.ledger, row) is not None:
                replaced.add(lines[row])
            if edit.change == "amend":
                lines[row] += f" {word}"
            elif edit.change == "replace":
                lines[row] = word
            else:
                del lines[row]
        return join(lines, form), replaced

    def _writes(self, act: Wrote | Ended | Removed) -> None:
        lines, form = split(self.ledger.text)
        text: str | None
        if isinstance(act, Wrote):
            text = self._edited(act.edits, "a")[0]
        elif isinstance(act, Removed):
            text = "" if self.ledger.text is None else None
        elif not lines:
            return
        else:
            text = join(lines, replace(form, ended=not form.ended))
            self.toggled = True
        if text and split(text)[1].ended != self.form.ended:
            self.toggled = True  # of a file that it has removed, and made anew
        self.ledger = wrote(self.ledger, text, TURNS[act.turn], 0.0)
        assert self.ledger.text == text

    def _typed(self, edits: Sequence[Edit]) -> None:
        self._sure_of_end()
        for edit in edits:
            before = self.ledger
            text, replaced = self._edited((edit,), "u")
            if replaced:
                self._cover(before)
                self.exact = self.exact and split(before.text)[1].ended
            self._saw(text)
            lines, old = split(text)[0], split(before.text)[0]
            self.written |= {it for it in lines if "a" in it and it not in old}
            if lines[-1:] != old[-1:]:
                self.exact = False

    def _sure_of_end(self) -> None:
        if self.opened or not split(self.ledger.text)[1].ended:
            self.exact = False  # which line is to have no end, then?

    def _cover(self, ledger: File) -> None:
        """What agents have taken out may stay out, where the user goes on in their lines."""
        for state in ("pending", "kept"):
            for hunk in changes(ledger, state):
                self.covered |= {it for line in hunk.removed for it in line.split()}
        self.covered |= self.known - {*_words(ledger.text)}

    def _moves(self, first: int, count: int, to: int) -> None:
        lines, form = split(self.ledger.text)
        if not lines:
            return
        first %= len(lines)
        block = lines[first : first + count]
        del lines[first : first + count]
        if self.toggled:
            # whose the last line is cannot be told: an agent has made it again, with its end
            self.covered |= {it for line in (*lines, *block) for it in line.split()}
        to %= len(lines) + 1
        lines[to:to] = block
        self.moved |= {it for line in lines for it in line.split()}
        self.exact = False
        self._saw(join(lines, form))

    def _forms(self, act: Saved | Formed) -> None:
        lines, form = split(self.ledger.text)
        if not lines:
            return
        if isinstance(act, Saved):
            self._saw(join(lines, replace(form, ended=True)))
            if not form.ended:
                self.exact = self.exact and not self.toggled  # it may be one that was there
                self.form = replace(self.form, ended=True)
        elif len(lines) > 2:
            self._sure_of_end()
            end = "\n" if form.end == "\r\n" else "\r\n"
            self._saw(join(lines, replace(form, end=end)))
            self.form = replace(self.form, end=end)

    def _saw(self, text: str) -> None:
        before = self.ledger
        self.ledger = saw(before, text, 0.0)
        assert self.ledger.text == text
        self.gone |= {*(Counter(_words(before.text)) - Counter(_words(text)))}
        self.known |= set(_words(text))

    def _decides(self, verdict: str, rows: range) -> None:
        before = self.ledger
        if verdict == "keep":
            self.ledger = keep(before, rows).file
            return
        self.ledger = reject(before, 0.0, rows).file
        self.gone |= {*(Counter(_words(before.text)) - Counter(_words(self.ledger.text)))}
        if self.ledger.text is None:
            self.gone |= self.known  # with the file that an agent has made, which the user rejects

    def _rewinds(self, act: Undone | Redone) -> None:
        if isinstance(act, Undone):
            self._undo(TURNS[act.turn], returns=act.returns)
        elif found := [it for it in undone(self.ledger) if it.author.agent == AGENTS[act.agent]]:
            before = Counter(_words(self.ledger.text))
            self.ledger = redo(self.ledger, found[-1].batch).file
            after = Counter(_words(self.ledger.text))
            twice = {it for it in after if after[it] > 1 and before[it] == 1}
            assert not twice, f"the redo has made them twice: {twice}"

    def _undo(self, turn: Author, *, returns: bool = False) -> None:
        before = self.ledger
        batch = f"x{next(self._numbers)}"
        self.ledger = undo(before, turn, batch, 0.0).file
        again = redo(self.ledger, batch).file
        assert again.text == before.text, "undo and redo are not the identity"
        assert told(again) == told(before), "undo and redo are not the identity"
        lost = {it for it in _words(before.text) if it[0] == "u"} - set(_words(self.ledger.text))
        lines = {it for line in split(before.text)[0] for it in line.split() if "a" not in line}
        lost = (lost & lines) - self.gone - self.covered - self.raised
        assert not lost, f"the undo took {sorted(lost)}"
        self.raised |= {*_words(self.ledger.text)} - {*_words(before.text)}
        if returns:
            self.ledger = again


def _words(text: str | None) -> list[str]:
    return (text or "").split()


def _own(text: str | None) -> list[str]:
    return split(text)[0]


def _order(text: str | None) -> list[str]:
    """Return the words of those lines that no agent had a hand in, in their order."""
    return [word for line in _own(text) if "a" not in line for word in line.split()]
