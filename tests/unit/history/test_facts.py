"""The facts of a file are the whole of it: made anew from them it is the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.facts import Saw, Wrote
from acp_nvim.history.fold import begin, fold, recoded
from acp_nvim.history.review import changes, reject
from acp_nvim.history.switch import redo, undo
from tests.proof import ledger_plans, undoing

ONE = Author("agent", "s", 1, 1.0)
TWO = Author("agent", "s", 2, 2.0)
CRLF, LF = "a\r\nb\r\nc\r\n", "a\nb\nc\n"


@settings(max_examples=100, deadline=None)
@given(ledger_plans.plans)
def test_a_file_is_made_anew_from_its_facts(plan: list[ledger_plans.Act]) -> None:
    machine = ledger_plans.LedgerMachine()
    machine.run(plan)
    assert fold(machine.ledger.facts) == machine.ledger


@settings(max_examples=100, deadline=None)
@given(undoing.plans)
def test_so_it_is_with_several_agents(plan: undoing.Plan) -> None:
    base, acts, order = plan
    machine = undoing.UndoingMachine(base)
    machine.run(acts, order)
    assert fold(machine.ledger.facts) == machine.ledger


def test_other_encodings_are_facts_too() -> None:
    file = recoded(wrote(begin("é\n"), "é\nx\n", ONE, 0.0), {"é": "\udce9"})
    assert file.text == "\udce9\nx\n"
    assert fold(file.facts) == file


def test_a_change_is_as_large_as_what_it_changes() -> None:
    lines = [f"line {row}\n" for row in range(1_000)]
    file = begin("".join(lines))
    file = wrote(file, "".join([*lines[:500], "new\n", *lines[500:]]), ONE, 0.0)
    file = saw(file, "".join(["top\n", *lines[:500], "new\n", *lines[500:]]), 0.0)
    made = [it for it in file.facts if isinstance(it, Wrote | Saw)]
    assert [[hunk.lines for hunk in it.hunks] for it in made] == [[("new",)], [("top",)]]
    assert len(file.runs) == 5


# --- how the file is written


def test_a_tool_that_changes_a_line_and_all_line_ends_makes_two_hunks() -> None:
    file = wrote(begin(CRLF), "a\nB\nc\n", ONE, 0.0)
    ends, line = changes(file)
    assert (ends.form, ends.added, ends.removed) == ("line ends: CRLF → LF", (), ())
    assert (line.first, line.added, line.form) == (1, ("B\n",), "")
    assert reject(file, 0.0).file.text == CRLF
    assert reject(file, 0.0, range(1, 2)).file.text == LF
    assert reject(file, 0.0, range(0, 1)).file.text == "a\r\nB\r\nc\r\n"
    assert undo(file, ONE, "x", 0.0).file.text == CRLF


@pytest.mark.parametrize(("before", "after"), [(LF, CRLF), (CRLF, LF)])
def test_line_ends_are_undone_each_by_its_turn(before: str, after: str) -> None:
    file = wrote(wrote(begin(before), after, ONE, 0.0), after.replace("c", "C"), TWO, 0.0)
    other = undo(file, ONE, "x", 0.0).file
    assert other.text == before.replace("c", "C")
    assert undo(other, TWO, "y", 0.0).file.text == before
    assert redo(other, "x").file == fold(redo(other, "x").file.facts)
    assert redo(other, "x").file.text == file.text


def test_line_ends_that_the_user_changes_are_the_users() -> None:
    file = saw(wrote(begin(LF), LF + "x\n", ONE, 0.0), CRLF + "x\r\n", 0.0)
    assert [it.form for it in changes(file)] == [""]
    assert undo(file, ONE, "x", 0.0).file.text == CRLF


def test_a_line_that_ends_otherwise_than_the_others_is_a_line() -> None:
    file = wrote(begin(CRLF), "a\r\nnew\nb\r\nc\r\n", ONE, 0.0)
    assert [(it.first, it.added, it.form) for it in changes(file)] == [(1, ("new\n",), "")]
    assert undo(file, ONE, "x", 0.0).file.text == CRLF


# --- a formatter on save


@pytest.mark.parametrize(
    ("agents", "formatted"),
    [
        ("def f( ):\n  return 1\n", "def f():\n    return 1\n"),
        ("f(a,\n  b)\n", "f(a, b)\n"),
        ("f(a, b, c)\n", "f(\n    a,\n    b,\n    c\n)\n"),
        ("f(a, b, c)\n", "f(\n    a,\n    b,\n    c,\n)\n"),
        ("x = 'a'\n  y()\n", 'x = "a";\ny();\n'),
        ("x = 1\ndef f(): pass\n", "x = 1\n\n\ndef f(): pass\n"),
    ],
)
def test_what_a_formatter_makes_of_an_agents_lines_is_the_agents(
    agents: str, formatted: str
) -> None:
    base = "top\nold\nend\n"
    file = saw(wrote(begin(base), f"top\n{agents}end\n", ONE, 0.0), f"top\n{formatted}end\n", 0.0)
    (hunk,) = changes(file)
    assert ("".join(hunk.added), hunk.removed, hunk.authors) == (formatted, ("old\n",), (ONE,))
    assert reject(file, 0.0).file.text == base
    undone = undo(file, ONE, "x", 0.0)
    assert (undone.file.text, undone.left) == (base, ())
    assert redo(undone.file, "x").file.text == file.text


def test_lines_of_two_authors_that_become_one_are_the_users() -> None:
    file = wrote(begin("mine,\nold\n"), "mine,\nagent\n", ONE, 0.0)
    file = saw(file, "mine, agent\n", 0.0)
    assert "mine" in (undo(file, ONE, "x", 0.0).file.text or "")
