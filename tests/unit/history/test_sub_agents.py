"""What sub-agents of one turn have done: undone, kept and rejected each by itself."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.fold import begin, fold
from acp_nvim.history.review import changes, keep, reject
from acp_nvim.history.switch import redo, undo, undoable
from acp_nvim.storage.entries import entry_of, text_of
from tests.proof.ledger_plans import turns

AGENT = Author("agent", "s", 1, 1.0, "call")
TESTS = replace(AGENT, sub_agent="t1", sub_name="tests", sub_title="Tests")
DOCS = replace(AGENT, sub_agent="t2", sub_name="docs", sub_title="Docs", has_session=True)
DOERS = (AGENT, TESTS, DOCS)
LATER = replace(TESTS, turn=2, began=2.0)
BASE = ["one", "two", "three", "four", "five", "six"]


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


ROUND = text("one", "TWO", "three", "FOUR", "five", "six!")
WHOLE = wrote(
    wrote(
        wrote(begin(text(*BASE)), text("one", "TWO", *BASE[2:]), TESTS, 0.0),
        text("one", "TWO", "three", "FOUR", "five", "six"),
        DOCS,
        0.0,
    ),
    ROUND,
    AGENT,
    0.0,
)


def test_one_is_undone_while_all_else_stays_and_redone() -> None:
    undone = undo(WHOLE, TESTS, "b", 0.0).file
    assert undone.text == text("one", "two", "three", "FOUR", "five", "six!")
    assert {it.sub_name for it in undoable(undone)} == {"", "docs"}
    assert redo(undone, "b").file.text == ROUND


def test_the_turn_is_all_that_agent_and_sub_agents_have_done() -> None:
    for author in DOERS:
        assert undo(WHOLE, author.whole, "b", 0.0).file.text == text(*BASE)
    assert turns(WHOLE) == (AGENT.turn_key,)


def test_its_other_turns_stay() -> None:
    after = wrote(WHOLE, ROUND.replace("three", "THREE"), LATER, 0.0)
    assert undo(after, TESTS, "b", 0.0).file.text == ROUND.replace("three", "THREE").replace(
        "TWO", "two"
    )


def test_one_is_kept_and_the_rest_rejected() -> None:
    kept = keep(WHOLE, by=(TESTS.doer_key,))
    assert (kept.count, len(changes(kept.file))) == (1, 2)
    rest = reject(kept.file, 0.0)
    assert rest.file.text == text("one", "TWO", *BASE[2:])


def test_of_a_hunk_of_several_only_its_part_is_rejected() -> None:
    both = wrote(begin(text("a", "b", "c")), text("a", "B", "c"), TESTS, 0.0)
    both = wrote(both, text("a", "B", "new", "c"), DOCS, 0.0)
    assert len(changes(both)) == 1
    assert reject(both, 0.0, by=(TESTS.doer_key,)).file.text == text("a", "b", "new", "c")
    assert reject(both, 0.0, by=(DOCS.doer_key,)).file.text == text("a", "B", "c")
    assert reject(both, 0.0, by=(LATER.doer_key,)).count == 0


def test_a_log_of_before_reads_as_the_agents_own() -> None:
    """The facts are as an older version has written them, without a word of sub-agents."""
    line = json.loads(text_of(WHOLE.facts[1]))
    for name in ("sub_agent", "sub_name", "sub_title"):
        line["author"].pop(name, None)
    fact = entry_of(line)
    assert fact == replace(WHOLE.facts[1], author=AGENT)
    assert undo(fold((WHOLE.facts[0], fact)), AGENT, "b", 0.0).file.text == text(*BASE)


Step = tuple[int, int]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=8),
    st.permutations((TESTS, DOCS)),
)
def test_each_is_undone_byte_for_byte_in_any_order(plan: list[Step], order: list[Author]) -> None:
    """Each line is one's who writes it; the user, too, has lines. The log is read between."""
    mine: dict[int, int] = {}
    file, lines = begin(text(*BASE)), [*BASE]
    for at, (who, row) in enumerate(plan):
        if mine.setdefault(row, who) != who:
            continue
        lines[row] = f"{BASE[row]} {at}"
        now = text(*lines)
        file = saw(file, now, 0.0) if who == len(DOERS) else wrote(file, now, DOERS[who], 0.0)
    for number, author in enumerate(order):
        facts = [entry_of(json.loads(text_of(fact))) for fact in file.facts]
        file = fold(it for it in facts if it is not None)  # type: ignore[misc]
        assert file.text == text(*lines)
        file = undo(file, author, f"b{number}", 0.0).file
        for row, who in mine.items():
            lines[row] = BASE[row] if DOERS[who : who + 1] == (author,) else lines[row]
        assert file.text == text(*lines)
