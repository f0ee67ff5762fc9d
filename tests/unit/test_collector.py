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
    before = list(gc.callbacks)
    found = Collector()
    found.spare()
    yield found
    gc.callbacks[:] = before
    gc.unfreeze()


def test_what_a_long_search_has_seen_is_left_out(
    spared: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = Thing()
    monkeypatch.setattr(collector, "LONG", -1.0)
    gc.collect()
    assert not any(it is seen for it in gc.get_objects())


def test_a_short_search_leaves_nothing_out(
    spared: Collector, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collector, "LONG", 1_000.0)
    seen = Thing()
    gc.collect()
    assert any(it is seen for it in gc.get_objects())


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


def test_nothing_is_searched_where_nothing_is_spared() -> None:
    gc.disable()
    try:
        left = circle()
        Collector().catch_up()
        assert left() is not None
    finally:
        gc.enable()
