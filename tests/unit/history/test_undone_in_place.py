"""After all is undone each line of the user's is there once, where it was, unless the user took it
out."""

from __future__ import annotations

from itertools import permutations

import pytest

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.switch import redo, undo
from tests.proof.ledger_plans import turns

AGENTS = ONE, TWO = tuple(Author("agent", f"s{number}", 1, 1.0, "call") for number in (1, 2))
ORDERS = list(permutations(AGENTS))
BASE = "a\nb\nc\n"


def without_agents(ledger: File, order: tuple[Author, ...] = AGENTS) -> str | None:
    """Return the text after all is undone in that order."""
    for author in order * 3:
        if author.turn_key in turns(ledger):
            batch = f"{author.session} {len(ledger.facts)}"
            undone = undo(ledger, author, batch, 0.0).file
            assert redo(undone, batch).file.text == ledger.text
            ledger = undone
    assert turns(ledger) == ()
    return ledger.text


def test_a_last_line_comes_back_though_the_one_above_was_amended() -> None:
    ledger = saw(wrote(begin("a\nb\nc"), "a\nb", ONE, 0.0), "a\nb user", 0.0)
    assert without_agents(ledger) == "a\nb user\nc"
    ledger = saw(wrote(begin(BASE), "a\nb", ONE, 0.0), "a\nb user\n", 0.0)
    assert without_agents(ledger) == "a\nb user\nc\n"


def test_a_line_that_an_agent_had_with_another_end_stays_taken_out() -> None:
    ledger = saw(wrote(begin("a\nb\nc"), "a\nb", ONE, 0.0), "a", 0.0)
    assert without_agents(ledger) == "a\nc"
    ledger = saw(wrote(begin(BASE), BASE.replace("\n", "\r\n"), ONE, 0.0), "a\r\nc\r\n", 0.0)
    assert without_agents(ledger) == "a\nc\n"


def test_a_line_that_the_user_moved_comes_back_where_it_was() -> None:
    ledger = saw(wrote(begin(BASE), "a\r\nb\r\nc\r\n", ONE, 0.0), "b\r\na\r\nc\r\n", 0.0)
    assert sorted((without_agents(ledger) or "").split()) == ["a", "b", "c"]


@pytest.mark.parametrize(("agents", "users"), [("a\nc\n", "a\n"), ("b\nc\n", "c\n")])
def test_what_the_user_takes_out_beside_a_gone_line_and_brings_back(
    agents: str, users: str
) -> None:
    ledger = wrote(begin(BASE), agents, ONE, 0.0)
    assert without_agents(saw(saw(ledger, users, 0.0), agents, 0.0)) == BASE


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("users", "left"),
    [
        ("a\nb user\nc\n", "a\nb user\nc\n"),
        ("a\nc\n", "a\nc\n"),
        ("a\nb\nuser\nc\n", "a\nb\nuser\nc\n"),
        ("a\nuser\nb\nc\n", "a\nuser\nb\nc\n"),
    ],
)
def test_a_line_that_one_agent_takes_out_and_another_puts_in_again(
    users: str, left: str, order: tuple[Author, ...]
) -> None:
    ledger = wrote(wrote(begin(BASE), "a\nc\n", ONE, 0.0), BASE, TWO, 0.0)
    assert without_agents(saw(ledger, users, 0.0), order) == left


@pytest.mark.parametrize("order", ORDERS)
def test_such_a_line_is_there_once_though_only_one_turn_is_undone(
    order: tuple[Author, ...],
) -> None:
    ledger = wrote(wrote(begin(BASE), "a\nc\n", ONE, 0.0), BASE, TWO, 0.0)
    undone = undo(ledger, order[0], "one", 0.0).file
    assert undone.text == (BASE if order[0] is ONE else "a\nc\n")
    assert without_agents(undone, order[1:] + order) == BASE


@pytest.mark.parametrize("order", ORDERS)
def test_a_line_typed_among_an_agents_lines_and_amended_stands_for_nothing(
    order: tuple[Author, ...],
) -> None:
    ledger = wrote(begin("a\n"), "a 1\n2\n", ONE, 0.0)
    ledger = wrote(saw(ledger, "a 1\nuser\n2\n", 0.0), "user\n2\n", TWO, 0.0)
    ledger = saw(ledger, "user more\n2\n", 0.0)
    assert without_agents(ledger, order) == "a\nuser more\n"


def test_a_line_that_an_undo_has_brought_back_and_the_user_moves_is_there_once() -> None:
    ledger = wrote(begin(BASE), "a\nc\n", ONE, 0.0)
    ledger = saw(undo(ledger, ONE, "one", 0.0).file, "b\na\nc\n", 0.0)
    ledger = saw(wrote(ledger, "b\na\nc\nx\n", TWO, 0.0), "a\nc\nb\nx\n", 0.0)
    assert without_agents(ledger) == "a\nc\nb\n"


def test_a_long_file_that_is_all_another_is_undone_at_once() -> None:
    old, new = ("".join(f"{word} {row}\n" for row in range(20_000)) for word in ("old", "new"))
    assert undo(wrote(begin(old), new, ONE, 0.0), ONE, "one", 0.0).file.text == old


def test_a_line_that_an_agent_has_changed_there_and_back_comes_back_after_the_users_u() -> None:
    there = wrote(begin("1\n2\n3\n"), "1\n2 more\n3\n", ONE, 0.0)
    ledger = saw(wrote(there, "1\n2\n3\n", ONE, 0.0), "1\n2 more\n3\n", 0.0)
    assert undo(ledger, ONE, "one", 0.0).file.text == "1\n2\n3\n"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("first", ["a\nB\nc\n", "B\nc\n"])
@pytest.mark.parametrize("last", [None, *AGENTS])
def test_a_line_that_an_agent_has_put_in_again_comes_back_though_u_takes_that_out(
    order: tuple[Author, ...], first: str, last: Author | None
) -> None:
    ledger = wrote(wrote(begin(BASE), first, ONE, 0.0), BASE, TWO, 1.0)
    ledger = saw(ledger, first, 2.0)
    if last is not None:
        ledger = wrote(ledger, first.replace("B", "other"), last, 3.0)
    assert without_agents(ledger, order) == BASE


def test_a_line_that_an_agent_has_brought_back_beside_its_own_comes_back_after_u() -> None:
    ledger = wrote(wrote(begin(BASE), "a\nb\n", ONE, 0.0), "a\nb\nnew\nc\n", ONE, 1.0)
    assert without_agents(saw(ledger, "a\nb\n", 2.0)) == BASE


def test_a_line_that_the_user_types_where_an_agent_has_only_moved_the_text_stays_there() -> None:
    """The agent has put in a line above, too: what is at the same number is another line."""
    ledger = wrote(begin(BASE), "if new:\n  a\n  b\n  c\n", ONE, 0.0)
    ledger = saw(ledger, "if new:\n  a\nuser\n  b\n  c\n", 1.0)
    assert without_agents(ledger) == "a\nuser\nb\nc\n"


def test_what_a_line_stood_for_is_back_though_the_user_has_deleted_that_line() -> None:
    ledger = wrote(begin("one\ntwo\nthree\n"), "one\nTWO\nthree\n", ONE, 0.0)
    ledger = saw(ledger, "one\nthree\n", 1.0)
    assert undo(ledger, ONE, "x", 2.0).file.text == "one\ntwo\nthree\n"


def test_a_blank_line_of_the_users_is_not_the_agents_that_goes_at_once() -> None:
    ledger = saw(wrote(begin("a\nb\n"), "a\n\nb\n", ONE, 0.0), "a\nb\n\nuser\n", 1.0)
    assert undo(ledger, ONE, "x", 2.0).file.text == "a\nb\n\nuser\n"


def test_a_paragraph_of_the_agents_that_the_user_moves_goes_with_its_blank_lines() -> None:
    base, paragraph = "a\nb\nc\nd\n", "x\n\ny\n"
    ledger = saw(wrote(begin(base), paragraph + base, ONE, 0.0), base + paragraph, 1.0)
    assert undo(ledger, ONE, "x", 2.0).file.text == base
