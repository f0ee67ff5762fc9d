"""Server-sent events, however they are cut (C-347)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.wire.events import Events, TooLarge

STREAM = (
    b"\xef\xbb\xbfdata: one\n\n: awake\n\nevent: x\ndata:two\r\ndata:  three\r\n\r\n"
    b"id: 4\rdata: f\xc3\xbcnf\r\rdata\n\ndata: six"
)
TEXTS = ["one", "two\n three", "fünf"]


@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_the_cuts_do_not_matter(cuts: list[int]) -> None:
    events, told = Events(1_000), list[str]()
    places = [0, *sorted(cuts), len(STREAM)]
    for start, end in itertools.pairwise(places):
        told += events.feed(STREAM[start:end])
    assert (told, events.comments) == (TEXTS, 1)


def test_an_event_whose_lines_end_with_cr_waits_for_nothing() -> None:
    events = Events(100)
    assert events.feed(b"data: {}\r\r") == ["{}"]
    assert [events.feed(it) for it in (b"data: []\r", b"", b"\n\r", b"\n")] == [[], [], ["[]"], []]


def test_half_an_event_is_none() -> None:
    events = Events(100)
    assert events.feed(b"data: {}\n") == []
    assert events.feed(b"\n") == ["{}"]


@pytest.mark.parametrize("piece", [b"x" * 10, b"data: xx\n", b"data: x"])
def test_what_is_too_large_is_not_taken_in(piece: bytes) -> None:
    events = Events(100)
    with pytest.raises(TooLarge):
        for _ in range(100):
            events.feed(piece)


def test_many_small_ones_are_not_one_large_one() -> None:
    events = Events(100)
    assert [events.feed(b": hi\n\ndata: x\n\n") for _ in range(100)] == [["x"]] * 100


def test_lines_of_nothing_count_too() -> None:
    events = Events(1_000)
    with pytest.raises(TooLarge):
        for _ in range(1_001):
            events.feed(b"data:\n")
