"""Entries of a history as lines and back again; whatever else is there is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.review import keep, reject
from acp_nvim.history.switch import redo, undo
from acp_nvim.storage import entries
from acp_nvim.storage.entries import Begun, Done, Dropped, Entry, History, Stands, entry_of, text_of
from acp_nvim.storage.record import loaded

ONE = Author("gemini", "s", 1, 1.5, "call", "Fix it", "Edit a")
TWO = Author("qwen", "s", 1, 2.5)
CONFLICT = Conflict("/w/ä\udce9", ONE, "a\n\udce9", "b\n", ((0, 1), (3, 3)), on_disk=True)
NAMES = ("text", "kept", "undone", "returned", "rejected", "gone", "created", "surrogates")


def history(which: str) -> File:
    """Return a history in which that has happened."""
    first = wrote(begin("a\nb\nc"), "a\nB\nc\nd", ONE, 3.0)
    both = wrote(saw(first, "u\na\nB!\nc\nd", 4.0), "u\na\nB!\nd", TWO, 5.0)
    undone = undo(both, ONE, "batch", 6.0).file
    return {
        "text": both,
        "kept": keep(both, range(2)).file,
        "undone": undone,
        "returned": redo(undone, "batch").file,
        "rejected": reject(both, 7.0).file,
        "gone": wrote(begin("a\n"), None, ONE, 3.0),
        "created": wrote(begin(None), "", ONE, 3.0),
        "surrogates": wrote(begin("\udcff\r\n"), "\ufeffé\u2028\0\n", ONE, 3.0),
    }[which]


def entries_of(which: str) -> list[Entry]:
    """Return all that may stand in a list in which that has happened."""
    facts = history(which).facts
    begun = Begun("host", "1", "2", facts, is_decision=True)
    return [*facts, begun, Done("host"), Dropped("host"), Stands(CONFLICT), Stands()]


def back(text: str) -> Entry | None:
    return entry_of(loaded(text))


@pytest.mark.parametrize("which", NAMES)
def test_an_entry_comes_back_as_it_was(which: str) -> None:
    for entry in entries_of(which):
        text = text_of(entry)
        assert back(text) == entry
        assert text.isascii() and "\n" not in text
        assert back(text[:-1]) is None, "cut off"


@pytest.mark.parametrize("which", NAMES)
def test_a_large_one_is_the_same_text_made_in_portions(
    which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = [json.loads(text_of(it)) for it in entries_of(which)]
    monkeypatch.setattr(entries, "PORTION", 1)
    assert [json.loads(text_of(it)) for it in entries_of(which)] == at_once


def test_it_is_told_whether_something_waits_for_the_user() -> None:
    def waits(of: File) -> bool:
        return History("/a", of).waits

    assert waits(history("text"))
    assert not waits(keep(history("text")).file)
    assert not waits(saw(history("created"), None, 0))
    undone = undo(wrote(begin("a\n"), "b\n", ONE, 0), ONE, "batch", 0).file
    assert waits(undone), "an undo that can be returned"
    assert not waits(keep(redo(undone, "batch").file).file)
    assert History("/a", conflict=CONFLICT).waits


def test_what_was_only_found_is_kept_as_such_and_all_else_is_named() -> None:
    found = wrote(begin("a\n"), "b\n", replace(ONE, how="found"), 3.0).facts
    assert [back(text_of(it)) for it in found] == [*found]
    assert not any('"how"' in text_of(it) for it in history("text").facts)


def test_what_a_newer_version_adds_is_ignored() -> None:
    said = json.loads(text_of(Stands(CONFLICT)))
    assert entry_of(said | {"more": 1}) == Stands(CONFLICT)


def broken(entry: Entry, change: Callable[[Any], object]) -> Any:
    value = json.loads(text_of(entry))
    change(value)
    return value


WROTE = history("text").facts[1]
BEGUN = Begun("host", "1", "2", history("text").facts)
STANDS = Stands(CONFLICT)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        1,
        "On",
        ["On"],
        {"type": "On"},
        {"type": "Other"},
        {"type": None},
        {"type": []},
        {"batch": "1"},
        {"type": "Done"},
        {"type": "Begun"},
        broken(WROTE, lambda it: it["author"].update(turn="first")),
        broken(WROTE, lambda it: it["author"].pop("agent")),
        broken(WROTE, lambda it: it.update(author=7)),
        broken(WROTE, lambda it: it.update(at=None)),
        broken(WROTE, lambda it: it["hunks"][0].update(first="x")),
        broken(WROTE, lambda it: it["hunks"][0].update(lines=[1])),
        broken(BEGUN, lambda it: it["facts"].append(7)),
        broken(BEGUN, lambda it: it.pop("host")),
        broken(STANDS, lambda it: it["conflict"].update(path=1)),
        broken(STANDS, lambda it: it["conflict"].update(base=None)),
        broken(STANDS, lambda it: it["conflict"].update(places=[1])),
        broken(STANDS, lambda it: it["conflict"].update(places=[["a", "b"]])),
        broken(STANDS, lambda it: it["conflict"].update(author={})),
        broken(STANDS, lambda it: it["conflict"].update(on_disk="perhaps")),
    ],
)
def test_another_value_is_none(value: Any) -> None:
    assert entry_of(value) is None


def test_what_is_nested_without_end_is_none() -> None:
    assert back("[" * 100_000) is None


def test_a_fact_of_another_text_costs_itself_alone() -> None:
    kept = History("/a").then(begin("a\n").facts[0], broken_hunk(), WROTE)
    assert kept.file is not None and len(kept.file.facts) < 3


def broken_hunk() -> Entry:
    entry = entry_of(broken(WROTE, lambda it: it["hunks"][0].update(first=99)))
    assert entry is not None
    return entry
