"""Each turn is undone once, in any order, and then there is nothing of it left."""

from __future__ import annotations

from itertools import permutations

import pytest

from acp_nvim.history import switch
from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.review import reject
from acp_nvim.history.switch import redo, undo
from tests.proof.ledger_plans import told, turns

AGENTS = ONE, TWO, THREE = tuple(Author("agent", f"s{at}", 1, 1.0, "call") for at in (1, 2, 3))
ORDERS = list(permutations(AGENTS))
BASE = "a\nb\nc\n"


def made(base: str | None, *texts: str | None) -> File:
    """Return the ledger after each of the agents in turn has made one of the texts."""
    ledger = begin(base)
    for author, text in zip(AGENTS, texts, strict=False):
        ledger = wrote(ledger, text, author, 0.0)
    return ledger


def without_agents(ledger: File, order: tuple[Author, ...] = AGENTS) -> str | None:
    """Return the text after each turn is undone once in that order, if it has anything then."""
    for author in order:
        if author.turn_key in turns(ledger):
            batch = f"{author.session} {len(ledger.facts)}"
            undone = undo(ledger, author, batch, 0.0).file
            assert told(redo(undone, batch).file) == told(ledger)
            ledger = undone
    assert turns(ledger) == ()
    return ledger.text


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "texts",
    [
        ("new\n" + BASE, "newer\n" + BASE, BASE),
        ("a\nB\nc\n", "a\nBB\nc\n", "a\nBBB\nc\n"),
        (BASE + "x\n", None, "y\n"),
        ("", "x\n", None),
        (None, BASE, "x\n"),
        ("a\nc\n", BASE, "x\n"),
        ("A\nc\n", "AA\nB\n", "AAA\n"),
    ],
)
def test_in_any_order(texts: tuple[str | None, ...], order: tuple[Author, ...]) -> None:
    assert without_agents(made(BASE, *texts), order) == BASE
    assert without_agents(made(None, *texts), order) is None


@pytest.mark.parametrize("order", ORDERS)
def test_that_another_writes_in_between_is_no_reason_to_come_back(
    order: tuple[Author, ...],
) -> None:
    ledger = undo(made(BASE, "new\n" + BASE, "new 2\n" + BASE), ONE, "one", 0.0).file
    assert without_agents(wrote(ledger, "new 3\n" + BASE, THREE, 0.0), order) == BASE
    ledger = undo(made(BASE, BASE + "x\n", None), ONE, "one", 0.0).file
    assert without_agents(wrote(ledger, "", THREE, 0.0), order) == BASE


def test_what_the_user_has_brought_about_again_after_an_undo_waits_for_the_next() -> None:
    ledger = made(BASE, "a\nB\nc\n")
    again = saw(undo(ledger, ONE, "one", 0.0).file, "a\nB\nc\n", 0.0)
    other = wrote(again, "a\nB\nC\n", TWO, 0.0)
    assert undo(other, TWO, "two", 0.0).file.text == "a\nB\nc\n"
    assert without_agents(other, (TWO, ONE)) == without_agents(other, (ONE, TWO)) == BASE


def test_what_is_left_to_undo_is_known_without_trying(monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = made(BASE, "a\nB\nc\n", "a\nBB\nc\n")
    monkeypatch.setattr(switch, "undo", None)
    assert turns(ledger) == (ONE.turn_key, TWO.turn_key)


# --- how the last line ends, and lines that are alike


def test_a_blank_line_that_an_agent_has_moved_to_the_end_is_not_the_users_by_fixendofline() -> None:
    assert without_agents(saw(made(" \n\nq", "\nq\n "), "\nq\n \n", 0.0)) == " \n\nq\n"


def test_a_line_that_an_agent_replaced_comes_back_though_all_ends_are_changed() -> None:
    ledger = made("mine\na\np\n", "mine\r\na\r\np\r\n", "p\r\na\r\np\r\n")
    assert without_agents(saw(ledger, "p\na\np\n", 0.0)) == "mine\na\np\n"


def test_the_users_last_line_does_not_go_with_an_agents_that_is_like_it() -> None:
    ended = saw(made(BASE, "a\nb\nc"), BASE, 0.0)  # 'fixendofline'
    ledger = saw(wrote(ended, "a\nx\nb\nc\n", ONE, 0.0), "a\nx\nb\nc more\n", 0.0)
    assert without_agents(saw(ledger, "a\nx\nb\nc\n", 0.0)) == BASE
    ledger = wrote(saw(made("a\nb", "a\nb\n"), "a\nb", 0.0), "a\nx", TWO, 0.0)
    ledger = saw(reject(ledger, 0.0).file, "a\nb\n", 0.0)
    assert "b" in (without_agents(ledger) or "")


@pytest.mark.parametrize("order", ORDERS)
def test_lines_that_are_alike_are_each_in_their_place_when_the_file_is_back(
    order: tuple[Author, ...],
) -> None:
    ledger = wrote(made(" \nq\n \n", " \r\nq\r\n \r\n", " \r\nq\r\n "), None, ONE, 0.0)
    assert without_agents(ledger, order) == " \nq\n \n"


def test_a_line_of_a_file_that_is_back_is_the_users_to_take_out() -> None:
    ledger = wrote(saw(made(BASE, None), BASE, 0.0), "a\nb\nx\nc\n", TWO, 0.0)
    assert without_agents(saw(ledger, "a\nb\nx\n", 0.0)) == "a\nb\n"
    twice = wrote(made("a\n", "a"), "a\n", ONE, 0.0)
    assert without_agents(saw(twice, "", 0.0)) == ""
