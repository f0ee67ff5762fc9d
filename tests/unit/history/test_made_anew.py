"""A file that one agent has taken away and another one has made anew: both can be taken back."""

from __future__ import annotations

from itertools import permutations

import pytest

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.review import changes, keep, reject
from acp_nvim.history.switch import redo, undo
from tests.proof.ledger_plans import turns

ONE, TWO, THREE = (Author("agent", f"s{number}", 1, 1.0, "call") for number in (1, 2, 3))
EMPTY, LINES = "", "a\nb\n"


def made(base: str | None, *texts: str | None) -> File:
    """Return the ledger after each of the agents in turn has made one of the texts."""
    ledger = begin(base)
    for author, text in zip((ONE, TWO, THREE), texts, strict=False):
        ledger = wrote(ledger, text, author, 0.0)
    return ledger


@pytest.mark.parametrize("base", [EMPTY, LINES, None])
@pytest.mark.parametrize("anew", [EMPTY, "x\n", LINES])
@pytest.mark.parametrize("last", [EMPTY, "y\n", None])
@pytest.mark.parametrize("order", list(permutations((ONE, TWO, THREE))))
def test_after_all_is_undone_it_is_as_it_was(
    base: str | None, anew: str, last: str | None, order: tuple[Author, ...]
) -> None:
    ledger = made(base, None, anew, last)
    for author in order * 3:
        if author.turn_key in turns(ledger):
            ledger = undo(ledger, author, author.session, 0.0).file
    assert (ledger.text, turns(ledger)) == (base, ())


@pytest.mark.parametrize("base", [EMPTY, LINES])
@pytest.mark.parametrize("anew", [EMPTY, "x\n"])
def test_it_is_gone_again_as_the_one_who_made_it_is_undone(base: str, anew: str) -> None:
    ledger = undo(made(base, None, anew), TWO, "two", 0.0).file
    assert ledger.text is None
    assert redo(ledger, "two").file.text == anew


@pytest.mark.parametrize("base", [EMPTY, LINES])
def test_it_is_there_still_as_the_one_who_took_it_away_is_undone(base: str) -> None:
    anew = made(base, None, EMPTY)
    ledger = undo(anew, ONE, "one", 0.0).file
    assert ledger.text == base
    assert undo(ledger, TWO, "two", 0.0).file.text == base
    assert redo(ledger, "one").file.text == anew.text


@pytest.mark.parametrize("base", [EMPTY, LINES])
def test_rejecting_all_brings_back_what_was_there(base: str) -> None:
    ledger = reject(made(base, None, EMPTY), 0.0).file
    assert (ledger.text, changes(ledger)) == (base, ())


def test_a_file_that_is_as_empty_as_it_was_is_nothing_to_review() -> None:
    assert changes(made(EMPTY, None, EMPTY)) == ()


@pytest.mark.parametrize("base", [EMPTY, LINES])
def test_it_comes_back_where_the_user_has_rejected_what_another_had_made_anew(base: str) -> None:
    ledger = wrote(keep(made(base, None)).file, "x\n", TWO, 0.0)
    ledger = reject(ledger, 0.0).file
    assert ledger.text is None
    assert undo(ledger, ONE, "one", 0.0).file.text == base


@pytest.mark.parametrize("order", [(ONE, TWO), (TWO, ONE)])
def test_what_the_user_took_away_then_stays_gone(order: tuple[Author, ...]) -> None:
    ledger = saw(made(EMPTY, None, EMPTY), None, 0.0)
    for author in order:
        ledger = undo(ledger, author, author.session, 0.0).file
        assert ledger.text is None


def test_an_undo_is_not_returned_in_a_file_that_another_has_taken_away() -> None:
    undone = undo(wrote(begin(LINES), "a 1\nb\n", ONE, 0.0), ONE, "one", 0.0).file
    ledger = wrote(undone, None, TWO, 0.0)
    redone = redo(ledger, "one")
    assert (redone.file.text, redone.missing) == (None, True)
    assert undo(ledger, TWO, "two", 0.0).file.text == LINES
    assert undo(redone.file, TWO, "two", 0.0).file.text == "a 1\nb\n"


def test_what_the_user_had_in_a_file_that_its_maker_took_away_comes_back() -> None:
    ledger = wrote(saw(made(None, EMPTY), "user\n", 0.0), None, ONE, 0.0)
    ledger = undo(ledger, ONE, "one", 0.0).file
    assert ledger.text == "user\n"


def test_what_stood_in_an_amended_line_that_went_with_the_file_comes_back() -> None:
    ledger = saw(wrote(begin("a\n"), "x\na 1\n", ONE, 0.0), "x\nuser\na 1\n", 0.0)
    ledger = undo(wrote(ledger, None, ONE, 0.0), ONE, "one", 0.0).file
    assert ledger.text == "user\na\n"


def test_what_the_user_amends_in_a_file_that_an_agent_has_taken_away_waits_with_its_line() -> None:
    ledger = wrote(wrote(begin(None), "x\n", ONE, 0.0), None, ONE, 0.0)
    ledger = saw(ledger, "x user\n", 0.0)
    assert [it.added for it in changes(ledger)] == [("x user\n",)]
    assert undo(ledger, ONE, "one", 0.0).file.text == "x user\n"


def test_what_the_user_adds_to_a_file_that_an_agent_has_taken_away_is_the_users_alone() -> None:
    ledger = saw(wrote(begin(LINES), None, ONE, 0.0), "a\nb\nuser\n", 0.0)
    assert changes(ledger) == ()
    assert changes(saw(ledger, LINES, 0.0)) == ()


def test_another_text_where_an_agent_has_taken_the_file_away_is_the_users_alone() -> None:
    ledger = wrote(wrote(begin(None), "x\n\n", ONE, 0.0), None, ONE, 0.0)
    ledger = saw(ledger, "user\n\n", 0.0)
    assert changes(ledger) == ()
    assert reject(ledger, 0.0).file.text == "user\n\n"
    assert undo(ledger, ONE, "one", 0.0).file.text == "user\n\n"


@pytest.mark.parametrize("who", [TWO, None])
def test_no_scrap_of_a_file_that_another_has_taken_away_comes_back(who: Author | None) -> None:
    ledger = made("a\nb\nc\n", "a\nc\n")
    ledger = wrote(ledger, None, who, 1.0) if who else saw(ledger, None, 1.0)
    assert undo(ledger, ONE, "x", 2.0).file.text is None


def test_a_file_whose_maker_was_undone_is_not_created_by_who_writes_it() -> None:
    ledger = undo(saw(made(None, "a\n"), "a\nuser\n", 0.0), ONE, "x", 1.0).file
    ledger = wrote(ledger, "new\n", TWO, 2.0)
    assert [(it.removed, it.added, it.whole) for it in changes(ledger)] == [
        (("user\n",), ("new\n",), "")
    ]
