"""How many texts are remembered of what agents were served: a number of characters in all."""

from __future__ import annotations

import pytest

from acp_nvim.files import knowledge
from acp_nvim.files.baselines.snapshot import UNKNOWN
from acp_nvim.files.knowledge import NOTHING, Knowledge

A, B = ("a", "s1"), ("b", "s2")


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Knowledge:
    monkeypatch.setattr(knowledge, "MOST_TEXT", 1_000)
    return Knowledge()


def sizes(known: Knowledge) -> int:
    return sum(it.size for it in known._known.values())


def test_the_oldest_go_first_and_the_newest_stays(known: Knowledge) -> None:
    for number in range(12):
        known.learn(A, f"/{number}", str(number) * 300, "served")
        assert sizes(known) == known._size <= 1_000
    assert known.of(A, "/11").text == "11" * 300 and known.of(A, "/0") == NOTHING


def test_what_counts_are_bytes(known: Knowledge) -> None:
    known.learn(A, "/1", "1" * 300, "served")
    known.learn(A, "/2", "2" * 299 + "\N{PARTY POPPER}", "served")
    assert known.of(A, "/1") == NOTHING


def test_one_that_is_larger_by_itself_is_the_only_one(known: Knowledge) -> None:
    known.learn(B, "/other", "o" * 200, "served")
    known.learn(A, "/1", "1" * 300, "served")
    known.learn(A, "/2", "2" * 5_000, "served")
    assert known.of(A, "/2").base == "2" * 5_000
    assert known.of(A, "/1") == known.of(B, "/other") == NOTHING
    known.learn(A, "/3", "3", "served")
    assert known.of(A, "/2") == NOTHING and known.of(A, "/3").text == "3"


def test_what_is_forgotten_otherwise_counts_no_more(known: Knowledge) -> None:
    for number in range(3):
        known.learn(A, f"/{number}", str(number) * 100, "served")
    known.unlearn(A, "/0")
    assert known.of(A, "/0").text is UNKNOWN and sizes(known) == known._size
    known.close(A)
    assert sizes(known) == known._size
    known.forget(A)
    assert known._size == 0
