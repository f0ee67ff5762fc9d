"""Long lists in nodes, and texts in pieces, are what a tuple and a string are."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_nvim.session.content import GrowingText, Growth, Text
from acp_nvim.session.log import WIDTH, Index, Log

SIZES = st.sampled_from([0, 1, 2, WIDTH - 1, WIDTH, WIDTH + 1, 3 * WIDTH, WIDTH**2, WIDTH**2 + 1])


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
    assert (log[-3:], log[: WIDTH + 1]) == (plain[-3:], plain[: WIDTH + 1])
    for count in (0, 1, WIDTH, len(plain) + 1):
        assert log.first(count) == plain[:count]


@settings(deadline=None)  # a busy machine is no fault
@given(SIZES, st.sets(st.integers(0, WIDTH**2), max_size=9))
def test_what_has_changed_is_found(size: int, places: set[int]) -> None:
    old = new = Log([object() for _ in range(size)])
    places = {place for place in places if place < size}
    for place in places:
        new = new.put(place, object())
    at_once = old.put_all({place: new[place] for place in places})
    assert at_once == new
    assert [*at_once.changed(old)] == sorted(places)
    assert list(new.appended(object()).changed(old)) == sorted(places)
    assert [*new.changed(old, backwards=True)] == sorted(places, reverse=True)
    for at in (0, 1, size // 2, size):
        assert old.since(at, new) == (*old[:at], *new[at:])
        assert [*new.changed(old.since(at, new))] == [it for it in sorted(places) if it < at]


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


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(-1, 9), st.integers(0, 9))))
def test_who_has_had_an_index_has_it_still(acts: list[tuple[str, int, int]]) -> None:
    states: list[tuple[Index, dict[str, int]]] = [(Index(), {})]
    for key, place, back in acts:
        index, plain = states[-1 - back % len(states)]
        if place < 0:
            gone = {name: at for name, at in plain.items() if name != key}
            states.append((index.without(key), gone))
        else:
            states.append((index.put(key, place), {**plain, key: place}))
        assert all(dict(index) == plain for index, plain in states)
    assert all(index.get(key) == plain.get(key) for index, plain in states for key in "abcde")


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
    assert isinstance(text, GrowingText)
    assert len(text._growth.pieces) <= 50_000 // Growth.PIECE + 1


@settings(deadline=None)  # a busy machine is no fault
@given(st.lists(st.sampled_from(["", "a\n", "word ", "\n" * 9_000]), max_size=9), st.data())
def test_a_part_of_a_text_that_grows(parts: list[str], data: st.DataObject) -> None:
    text = Text("a")
    for part in parts:
        text = text.grown(part)
    whole = "a" + "".join(parts)
    start, end = (data.draw(st.integers(0, len(whole) + 1)) for _ in range(2))
    assert text.part(start, end) == whole[start:end]
    assert (text.length, text.newlines) == (len(whole), whole.count("\n"))


def test_two_ways_on_from_one_text_are_strangers() -> None:
    start = Text("a").grown("b")
    one, other = start.grown("c"), start.grown("d")
    assert (start.text, one.text, other.text) == ("ab", "abc", "abd")
    assert other.begins_as(start, 2)
    assert not other.begins_as(one, 3)
    assert not start.begins_as(one, 3)
