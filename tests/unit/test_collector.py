"""Python's search for circles: what it was long about it does not look at again."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from acp_nvim import collector
from acp_nvim.collector import Collector


class Thing:
    """Something that may be in a circle."""

    other: Thing | None = None


def circle() -> weakref.ref[Thing]:
    thing = Thing()
    thing.other = thing
    return weakref.ref(thing)


@pytest.fixture
def spared() -> Iterator[Collector]:
    found = Collector()
    found.spare()
    yield found
    gc.enable()
    gc.unfreeze()


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a search pay for whatever is new."""
    monkeypatch.setattr(collector, "FEW", 0)


def is_looked_at(thing: Thing) -> bool:
    return any(it is thing for it in gc.get_objects())


def test_nothing_is_searched_before_it_is_told_to(spared: Collector) -> None:
    left = circle()
    made = [[] for _ in range(100_000)]
    assert made
    assert left() is not None


@pytest.mark.usefixtures("few")
def test_a_circle_is_found_among_what_is_new(spared: Collector) -> None:
    gone = circle()
    spared.search()
    assert gone() is None


@pytest.mark.usefixtures("few")
def test_a_search_looks_only_at_what_is_new(
    spared: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    thing = Thing()
    thing.other = thing
    gone = weakref.ref(thing)
    spared.search()
    del thing
    spared.search()
    assert gone() is not None, "it was not looked at again, nor left out for long"
    monkeypatch.setattr(collector, "SEVERAL", 0)
    spared.search()
    assert gone() is None


@pytest.mark.usefixtures("few")
def test_what_several_searches_have_seen_is_left_out(
    spared: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Thing()
    spared.search()
    assert is_looked_at(seen)
    monkeypatch.setattr(collector, "SEVERAL", 0)
    spared.search()
    assert not is_looked_at(seen)


@pytest.mark.usefixtures("few")
def test_what_is_much_is_left_out_without_a_search(
    spared: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "SEVERAL", 0)
    monkeypatch.setattr(collector, "MANY", 0)
    left, seen = circle(), Thing()
    spared.search()
    assert left() is not None
    assert not is_looked_at(seen)


def test_what_was_left_out_goes_when_nobody_has_it(spared: Collector) -> None:
    thing = Thing()
    gone = weakref.ref(thing)
    gc.freeze()
    del thing
    assert gone() is None


def test_a_circle_that_was_left_out_is_found_when_nobody_waits(spared: Collector) -> None:
    gone = circle()
    gc.freeze()
    gc.collect()
    assert gone() is not None
    spared.catch_up()
    assert gone() is None


@pytest.mark.usefixtures("few")
def test_nothing_is_searched_where_nothing_is_spared() -> None:
    gc.disable()
    try:
        left = circle()
        Collector().search()
        Collector().catch_up()
        assert left() is not None
    finally:
        gc.enable()
