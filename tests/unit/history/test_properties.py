"""What holds for a ledger whatever happens: random users, agents, reviews, undos."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.history.review import changes, keep, origin, reject
from acp_nvim.history.switch import redo, undo, undone
from acp_nvim.hunks import split_lines
from tests.proof.ledger_plans import told

TURNS = [Author("agent", "s", turn, float(turn)) for turn in (1, 2, 3)]


@dataclass
class World:
    """One file, and all texts that it has had."""

    ledger: File
    numbers: itertools.count[int] = field(default_factory=itertools.count)
    past: list[str | None] = field(default_factory=list)
    brought: set[str] = field(default_factory=set)
    """What undos have brought back: it may go again with a redo."""
    jumped: bool = False
    """The user has gone back to an older text, over several changes at once."""

    @property
    def lines(self) -> list[str]:
        return list(split_lines(self.ledger.text or ""))

    def spliced(self, data: st.DataObject, mark: str) -> str:
        lines = self.lines
        for _ in range(data.draw(st.integers(1, 3), label="splices")):
            first = data.draw(st.integers(0, len(lines)))
            last = data.draw(st.integers(first, min(first + 3, len(lines))))
            count = data.draw(st.integers(0, 3))
            lines[first:last] = [f"{mark}{next(self.numbers)}\n" for _ in range(count)]
        return "".join(lines)


def applied(lines: list[str], found: tuple[ReviewHunk, ...]) -> str:
    """Return the text without the pending changes, as the changes themselves tell it."""
    for change in reversed(found):
        assert tuple(lines[change.first : change.last]) == change.added
        lines[change.first : change.last] = change.removed
    return "".join(lines)


def user_lines(text: str | None) -> set[str]:
    return {line for line in split_lines(text or "") if line.startswith("u")}


def step(world: World, data: st.DataObject) -> None:
    ledger = world.ledger
    world.past.append(ledger.text)
    match data.draw(st.sampled_from(["user", "agent", "agent", "u", "keep", "reject", "undo"])):
        case "user":
            text = world.spliced(data, "u")
            world.ledger = saw(ledger, text, 0.0)
            assert world.ledger.text == text
        case "agent":
            text = world.spliced(data, "a")
            world.ledger = wrote(ledger, text, data.draw(st.sampled_from(TURNS)), 0.0)
            assert world.ledger.text == text
        case "u":
            world.jumped = True
            text_before = data.draw(st.sampled_from(world.past))
            world.ledger = saw(ledger, text_before, 0.0)
            assert world.ledger.text == text_before
        case "keep":
            world.ledger = keep(ledger, rows(world, data)).file
            assert world.ledger.text == ledger.text
        case "reject":
            world.ledger = reject(ledger, 0.0, rows(world, data)).file
        case "undo":
            check_undo(world, data)


def rows(world: World, data: st.DataObject) -> range | None:
    first = data.draw(st.integers(0, len(world.lines)))
    last = data.draw(st.integers(first, len(world.lines) + 1))
    return data.draw(st.sampled_from([None, range(first, last)]))


def check_undo(world: World, data: st.DataObject) -> None:
    ledger = world.ledger
    pending = undone(ledger)
    if pending and data.draw(st.booleans(), label="redo"):
        returned = redo(ledger, pending[-1].batch)
        lost = user_lines(ledger.text) - user_lines(returned.file.text)
        assert lost <= world.brought
        world.ledger = returned.file
        return
    batch = str(next(world.numbers))
    taken = undo(ledger, data.draw(st.sampled_from(TURNS)), batch, 0.0)
    assert user_lines(ledger.text) <= user_lines(taken.file.text)
    world.brought |= user_lines(taken.file.text) - user_lines(ledger.text)
    returned = redo(taken.file, batch)
    assert told(returned.file) == told(ledger)
    assert (returned.file.text, returned.left) == (ledger.text, ())
    world.ledger = taken.file


def check(world: World) -> None:
    found = changes(world.ledger)
    everything = reject(world.ledger, 0.0).file
    assert changes(everything) == ()
    assert (everything.text or "") == applied(world.lines, found)
    assert changes(keep(world.ledger).file) == ()
    for change in found:
        here = range(change.first, max(change.last, change.first + 1))
        part = reject(world.ledger, 0.0, here).file
        if change.added:
            assert (part.text or "") == applied(world.lines, (change,))
    for row, line in enumerate(world.lines if not world.jumped else ()):
        assert (origin(world.ledger, row) is not None) == line.startswith("a")


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_whatever_happens_the_ledger_is_right(data: st.DataObject) -> None:
    base = data.draw(st.sampled_from([None, "", "b1\nb2\nb3\nb4\nb5\n"]))
    world = World(begin(base))
    for _ in range(data.draw(st.integers(1, 8), label="steps")):
        step(world, data)
        check(world)


@given(st.data())
def test_without_the_user_rejecting_all_is_the_base(data: st.DataObject) -> None:
    base = "b1\nb2\nb3\nb4\nb5\n"
    world = World(begin(base))
    for _ in range(data.draw(st.integers(1, 6))):
        world.ledger = wrote(
            world.ledger, world.spliced(data, "a"), data.draw(st.sampled_from(TURNS)), 0.0
        )
    assert reject(world.ledger, 0.0).file.text == base


@given(st.data())
def test_one_turn_taken_back_is_the_text_before_it(data: st.DataObject) -> None:
    world = World(begin("b1\nb2\nb3\nb4\nb5\n"))
    for turn in TURNS:
        before = world.ledger.text
        for _ in range(data.draw(st.integers(1, 3))):
            world.ledger = wrote(world.ledger, world.spliced(data, "a"), turn, 0.0)
        taken = undo(world.ledger, turn, "x", 0.0)
        assert (taken.file.text, taken.left) == (before, ())
