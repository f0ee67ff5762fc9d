"""How lines end is as it was, after all turns are undone."""

from __future__ import annotations

from itertools import permutations

import pytest

from acp_nvim.ledger.delta import Author
from acp_nvim.ledger.ledger import Ledger, begin, wrote
from acp_nvim.ledger.rewind import turns, undo

AGENTS = tuple(Author("agent", f"s{number}", 1, 1.0, "call") for number in (1, 2))


def undone(ledger: Ledger, order: tuple[Author, ...]) -> str | None:
    """Return the text after all is undone in that order."""
    for author in order * 3:
        if author.turn_key in turns(ledger):
            ledger = undo(ledger, author, author.session, 0.0).ledger
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
