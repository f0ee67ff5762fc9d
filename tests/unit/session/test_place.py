from __future__ import annotations

import json
from itertools import zip_longest

import pytest
from hypothesis import given, strategies

from acp_nvim.session.content import Diff, Text
from acp_nvim.session.event import ToolCallUpdated
from acp_nvim.session.model import Location
from acp_nvim.session.place import (
    MOST_PLACES,
    PATH_KEYS,
    Place,
    commanded,
    first_change,
    line_of_change,
    named,
    placed,
    places,
)
from acp_nvim.session.state import ToolCall
from acp_nvim.session.terminal import Terminal

CHANGE = Diff("/a", "one\n", "two\n")


def told(event: ToolCallUpdated, call: ToolCall | None = None) -> tuple[Place, ...]:
    """Return the places of an update of a call, which is new if not given."""
    return places(event, call or ToolCall("tool:1", "1", 1), "/work")


def test_locations_count_most_and_all_of_them() -> None:
    where = (Location("/a", 3), Location("/b"))
    event = ToolCallUpdated("1", locations=where, content=(CHANGE,), raw_input='{"path":"/c"}')
    assert told(event) == (Place("/a", 3), Place("/b"))


def test_a_location_without_a_line_has_that_of_its_change() -> None:
    call = ToolCall("tool:1", "1", 1, content=(Text("words"), CHANGE))
    where = (Location("/a"), Location("/b"))
    event = ToolCallUpdated("1", locations=where)
    assert told(event, call) == (Place("/a", None, CHANGE), Place("/b"))


def test_without_locations_each_diff_is_a_place() -> None:
    other = Diff("/b", None, "new\n")
    event = ToolCallUpdated("1", locations=(), content=(CHANGE, Text("words"), other))
    assert told(event) == (Place("/a", None, CHANGE), Place("/b", None, other))


@pytest.mark.parametrize("key", PATH_KEYS)
@pytest.mark.parametrize("path", ["/work/x", "x"])
def test_at_last_an_argument_may_be_a_path(key: str, path: str) -> None:
    event = ToolCallUpdated("1", raw_input=f'{{"{key}":"{path}","limit":2}}')
    assert told(event) == (Place("/work/x", guessed=True),)


@pytest.mark.parametrize("raw", ["{", "[1]", '"/a"', '{"path":1}', '{"path":""}', '{"query":"/a"}'])
def test_other_arguments_are_no_place(raw: str) -> None:
    assert told(ToolCallUpdated("1", raw_input=raw)) == ()


def test_an_argument_says_nothing_where_the_place_is_known() -> None:
    event = ToolCallUpdated("1", raw_input='{"path":"/c"}')
    assert told(event, ToolCall("tool:1", "1", 1, locations=(Location("/a", 3),))) == ()
    assert told(event, ToolCall("tool:1", "1", 1, content=(CHANGE,))) == ()
    assert told(ToolCallUpdated("1", status="completed")) == ()


def test_a_completed_call_says_its_places_once_more() -> None:
    call = ToolCall("tool:1", "1", 1, content=(CHANGE,), raw_input='{"path":"/c"}')
    assert told(ToolCallUpdated("1", status="completed"), call) == (Place("/a", None, CHANGE),)
    call = ToolCall("tool:1", "1", 1, raw_input='{"path":"/c"}')
    assert told(ToolCallUpdated("1", status="completed"), call) == (Place("/c", guessed=True),)
    assert told(ToolCallUpdated("1", status="in_progress"), call) == ()


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("", "", None),
        ("a\nb\n", "a\nb\n", None),
        ("a\nb\n", "a\nB\n", 2),
        ("a\n", "a\nb\n", 2),
        ("a", "a\nb", 2),
        ("a\nb\nc\n", "a\nc\n", 2),
        ("", "a\n", 1),
    ],
)
def test_the_first_line_that_differs(old: str, new: str, line: int | None) -> None:
    assert first_change(old, new) == line


TEXT = "one\ntwo\nthree\ntwo\n"


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("three\ntwo\n", "three\n2\n", 4),  # not made yet
        ("three\n2\n", "three\ntwo\n", 4),  # made already
        (TEXT, "one\n2\nthree\ntwo\n", 2),
        (None, TEXT, 1),
        ("two\nand\n", "two\n", 3),  # a line was removed
        ("thr", "thre", 3),
        ("nowhere", "to be found", None),
        ("same", "same", None),
        ("gone", "", None),
    ],
)
def test_a_change_is_found_in_the_text(old: str | None, new: str, line: int | None) -> None:
    assert line_of_change(TEXT, Diff("/a", old, new)) == line


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("echo x > notes.txt", ["echo", "x", "notes.txt"]),
        ("cat a.txt|tee 'b c.txt' && rm -rf ./d", ["cat", "a.txt", "tee", "b c.txt", "rm", "./d"]),
        ("python -c \"open('x.py', 'w')\"", ["python", "open", "x.py", "w"]),
    ],
)
def test_a_command_names_the_files_among_its_words(line: str, names: list[str]) -> None:
    for call in (
        ToolCall("tool:1", "1", 1, line, "execute"),
        ToolCall("tool:1", "1", 1, "Run", "execute", raw_input=json.dumps({"command": line})),
        ToolCall("tool:1", "1", 1, "Run", "execute", raw_input=json.dumps({"cmd": ["sh", line]})),
        ToolCall("tool:1", "1", 1, "Run", terminals=(Terminal("t", line),)),
    ):
        assert set(commanded(call, "/work")) >= {f"/work/{name}" for name in names}
    assert commanded(ToolCall("tool:1", "1", 1, line, "edit"), "/work") == ()


def test_what_a_command_names_is_bounded() -> None:
    words = " ".join(f"{number}.txt" for number in range(1_000))
    call = ToolCall("tool:1", "1", 1, f"{'x' * 5_000} {words}", "execute")
    assert commanded(call, "/work")[:2] == ("/work/0.txt", "/work/1.txt")
    assert len(commanded(call, "/work")) == 100
    absolute = ToolCall("tool:1", "1", 1, "rm /etc/x", "execute")
    assert "/etc/x" in commanded(absolute, "/work")


def test_a_call_names_all_that_it_has_told() -> None:
    call = ToolCall(
        "tool:1", "1", 1, content=(CHANGE,), locations=(Location("/b"),), raw_input='{"path":"c"}'
    )
    assert named(call, "/work") == ("/b", "/a", "/work/c")


def test_of_very_many_files_the_first_are_gone_to() -> None:
    where = tuple(Location(f"/{number}") for number in range(100_000))
    event = ToolCallUpdated("1", locations=where)
    changes = tuple(Diff(it.path, None, "") for it in where)
    call = ToolCall("tool:1", "1", 1, locations=where, content=changes)
    assert [it.path for it in told(event, call)] == [it.path for it in where[:MOST_PLACES]]
    of_diffs = ToolCallUpdated("1", content=changes)
    assert [it.path for it in told(of_diffs)] == [it.path for it in where[:MOST_PLACES]]
    assert len(named(call, "/work")) == MOST_PLACES


def test_the_first_change_of_a_file_is_its_place() -> None:
    again = Diff("/a", "three\n", "four\n")
    call = ToolCall("tool:1", "1", 1, content=(CHANGE, again))
    event = ToolCallUpdated("1", locations=(Location("/a"),))
    assert told(event, call) == (Place("/a", None, CHANGE),)


def test_of_an_endless_command_the_beginning_is_read() -> None:
    call = ToolCall("tool:1", "1", 1, "first.txt " + "x " * 1_000_000 + "last.txt", "execute")
    assert commanded(call, "/work") == ("/work/first.txt", "/work/x")


def test_of_endless_input_no_path_is_guessed() -> None:
    endless = json.dumps({"path": "/a", "more": "x" * 1_000_000})
    assert told(ToolCallUpdated("1", raw_input=endless)) == ()


def first_change_by_lines(old: str, new: str) -> int | None:
    """Return what `first_change` does, as it is said."""
    if old == new:
        return None
    pairs = zip_longest(old.split("\n"), new.split("\n"))
    return next(row for row, (one, other) in enumerate(pairs, 1) if one != other)


@given(strategies.text("a\n", max_size=7), strategies.text("a\n", max_size=7))
def test_the_first_change_is_the_first_line_that_is_another(old: str, new: str) -> None:
    assert first_change(old, new) == first_change_by_lines(old, new)


@pytest.mark.parametrize("address", ["https://example.com/a", "vscode://file/a", "zipfile:///a::b"])
def test_the_address_of_no_file_is_none_of_the_project(address: str) -> None:
    told = ToolCallUpdated(
        "1", locations=(Location(address),), content=(Diff(address, None, "new\n"),)
    )
    assert placed(told, "/work", "/home/u") == told
    assert placed(ToolCallUpdated("1", locations=(Location("a.py"),)), "/work").locations == (
        Location("/work/a.py"),
    )
