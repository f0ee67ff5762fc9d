"""Long lists in pages, and texts in pieces, are what a tuple and a string are."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_nvim.session.content import Text
from acp_nvim.session.log import PAGE, Index, Log

SIZES = st.sampled_from([0, 1, 2, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE])


@settings(deadline=None)  # a busy machine is no fault
@given(SIZES, st.lists(st.tuples(st.integers(0, 10**6), st.integers(-9, -1)), max_size=20))
def test_a_log_is_a_tuple(size: int, acts: list[tuple[int, int]]) -> None:
    plain, log = tuple(range(size)), Log(range(size))
    for place, item in acts:
        at = place % (len(plain) + 1)
        before, was = log, plain
        if at == len(plain):
            plain, log = (*plain, item), log.appended(item)
        else:
            plain, log = (*plain[:at], item, *plain[at + 1 :]), log.put(at, item)
        assert (before, len(before)) == (was, len(was)), "who has had it has it still"
    assert (log, len(log), tuple(log)) == (plain, len(plain), plain)
    assert tuple(reversed(log)) == plain[::-1]
    assert (log[-3:], log[: PAGE + 1]) == (plain[-3:], plain[: PAGE + 1])
    for count in (0, 1, PAGE, len(plain) + 1):
        assert log.first(count) == plain[:count]


@settings(deadline=None)  # a busy machine is no fault
@given(SIZES, st.sets(st.integers(0, 3 * PAGE - 1), max_size=9))
def test_what_has_changed_is_found(size: int, places: set[int]) -> None:
    old = new = Log([object() for _ in range(size)])
    places = {place for place in places if place < size}
    for place in places:
        new = new.put(place, object())
    assert list(new.appended(object()).changed(old)) == sorted(places)


@settings(deadline=None)  # a busy machine is no fault
@given(st.lists(st.tuples(st.text(max_size=3), st.integers(0, 99))), st.lists(st.text(max_size=3)))
def test_an_index_is_a_dict(items: list[tuple[str, int]], gone: list[str]) -> None:
    plain: dict[str, int] = {}
    index = Index()
    for key, place in items:
        plain[key], index = place, index.put(key, place)
    for key in gone:
        if key in plain:
            del plain[key]
            index = index.without(key)
    assert (dict(index), len(index)) == (plain, len(plain))
    assert all(index.get(key) == plain.get(key) for key in [*gone, *plain])


@settings(deadline=None)  # a busy machine is no fault
@given(st.lists(st.text(max_size=9)), st.integers(0, 20))
def test_a_text_that_grows_is_its_text(parts: list[str], read: int) -> None:
    text, whole = Text("a"), "a"
    for number, part in enumerate(parts):
        before, was = text, whole
        text, whole = text.grown(part), whole + part
        if number == read:
            assert text.text == whole
        assert before.text == was
    assert (text, Text(whole)) == (Text(whole), text)
    assert hash(text) == hash(Text(whole))
    assert text != Text(whole + "x")


def test_a_text_of_many_pieces_is_joined_in_few() -> None:
    text = Text("")
    for _ in range(10_000):
        text = text.grown("word ")
    pieces = text._pieces  # type: ignore[attr-defined]  # not to be seen otherwise
    assert len(pieces) < 40
