"""How lines end is as it was, after all turns are undone."""

from __future__ import annotations

from itertools import permutations

import pytest

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.review import keep, reject
from acp_nvim.history.switch import redo, undo
from tests.proof.ledger_plans import told, turns

AGENTS = tuple(Author("agent", f"s{number}", 1, 1.0, "call") for number in (1, 2))


def undone(ledger: File, order: tuple[Author, ...]) -> str | None:
    """Return the text after all is undone in that order."""
    for author in order * 3:
        if author.turn_key in turns(ledger):
            ledger = undo(ledger, author, author.session, 0.0).file
    assert turns(ledger) == ()
    return ledger.text


@pytest.mark.parametrize("order", list(permutations(AGENTS)))
@pytest.mark.parametrize(
    "texts",
    [
        ("q\r\np", "p\r\nq"),
        ("q\r\np", "p\r\nq", "q\r\np\r\nx\r\n"),
        ("q", "q\r\nx"),
        ("q", "q\nx", "q\r\nx"),
        ("q\nx", "q\r\nx", "x\r\nq"),
        ("x", "x\nx\np", "x\nx"),
        ("a\r\nq", "q", "q\nx"),
        ("q\n\r\np", "q\r\n\r\np"),
    ],
)
def test_a_last_line_without_an_end_has_none_again(
    texts: tuple[str, ...], order: tuple[Author, ...]
) -> None:
    base, *rest = texts
    ledger = begin(base)
    for author, text in zip(AGENTS, rest, strict=False):
        ledger = wrote(ledger, text, author, 0.0)
        assert ledger.text == text
    assert undone(ledger, order) == base


CRLF = "a\r\nb\r\nc\r\n"
LF = "a\nb\nc\n"


def as_other(text: str, base: str) -> str:
    """Return a text with the other line ends than the base has."""
    unix = text.replace("\r\n", "\n")
    return unix if "\r\n" in base else unix.replace("\n", "\r\n")


@pytest.mark.parametrize("base", [LF, CRLF])
@pytest.mark.parametrize(
    "users", ["user\na\nb\nc\n", "a\nuser\nb\nc\n", "a\nb\nc\nuser\n", "a\nb user\nc\n"]
)
@pytest.mark.parametrize("kept", [False, True])
def test_what_the_user_writes_while_an_agent_has_converted_a_file_ends_as_the_file(
    base: str, users: str, kept: bool
) -> None:
    ledger = wrote(begin(base), as_other(base, base), AGENTS[0], 0.0)
    ledger = saw(keep(ledger).file if kept else ledger, as_other(users, base), 0.0)
    before = undo(ledger, AGENTS[0], "one", 0.0).file
    assert before.text == (users if base == LF else as_other(users, LF))
    again = redo(before, "one").file
    assert told(again) == told(ledger)
    assert undone(again, AGENTS) == before.text


@pytest.mark.parametrize("base", [LF, CRLF])
def test_so_does_what_is_left_when_the_conversion_is_rejected(base: str) -> None:
    ledger = wrote(begin(base), as_other(base, base), AGENTS[0], 0.0)
    ledger = saw(ledger, as_other("user\na\nb\nc\n", base), 0.0)
    left = reject(ledger, 0.0).file
    assert left.text == ("user\n" if base == LF else "user\r\n") + base


def test_an_end_that_the_user_puts_below_a_converted_file_is_the_files() -> None:
    ledger = wrote(begin("a\nb"), "a\r\nb", AGENTS[0], 0.0)
    ledger = saw(ledger, "a\r\nb\r\n", 0.0)
    assert undone(ledger, AGENTS) == "a\nb\n"


def test_a_file_whose_ends_are_mixed_keeps_them() -> None:
    ledger = wrote(begin("a\nb\r\nc\n"), CRLF, AGENTS[0], 0.0)
    ledger = saw(ledger, "a\r\nb\r\nuser\r\nc\r\n", 0.0)
    assert undone(ledger, AGENTS) == "a\nb\r\nuser\nc\n"


def test_an_end_that_no_agent_has_made_is_the_users() -> None:
    ledger = saw(wrote(begin(LF), LF + "x\n", AGENTS[0], 0.0), "user\r\n" + LF + "x\n", 0.0)
    assert undone(ledger, AGENTS) == "user\r\n" + LF


def test_the_ends_that_the_user_has_given_to_all_lines_stay() -> None:
    ledger = saw(wrote(begin(LF), LF + "x\n", AGENTS[0], 0.0), CRLF + "x\r\n", 0.0)
    ledger = saw(wrote(ledger, LF, AGENTS[1], 0.0), LF + "user\n", 0.0)
    assert undone(ledger, AGENTS) == CRLF + "user\r\n"
