"""A ledger as text and back again; whatever else is there is no ledger."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.review import keep, reject
from acp_nvim.history.switch import redo, undo
from acp_nvim.storage import facts
from acp_nvim.storage.edits import LEDGERS, KeptLedger

ONE = Author("gemini", "s", 1, 1.5, "call", "Fix it", "Edit a")
TWO = Author("qwen", "s", 1, 2.5)
NAMES = ("text", "kept", "undone", "returned", "rejected", "gone", "created", "surrogates")


def ledger(which: str) -> File:
    """Return a ledger in which that has happened."""
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


def to_text(of: File) -> str:
    return LEDGERS.to_text(KeptLedger("/a", of))


@pytest.mark.parametrize("which", NAMES)
def test_a_ledger_comes_back_as_it_was(which: str) -> None:
    text = to_text(ledger(which))
    assert LEDGERS.from_text(text) == KeptLedger("/a", ledger(which), which != "rejected")
    assert text.isascii() and text.count("\n") == 1


def test_it_says_whether_something_waits_for_the_user() -> None:
    def waits(of: File) -> bool:
        kept = LEDGERS.from_text(to_text(of))
        assert kept is not None
        return kept.waits

    assert waits(ledger("text"))
    assert not waits(keep(ledger("text")).file)
    assert not waits(saw(ledger("created"), None, 0))
    undone = undo(wrote(begin("a\n"), "b\n", ONE, 0), ONE, "batch", 0).file
    assert waits(undone), "an undo that can be returned"
    assert waits(keep(redo(undone, "batch").file).file) is False


def broken(change: Callable[[list[Any]], object]) -> str:
    kept = json.loads(to_text(ledger("undone")))
    change(kept["ledger"])
    return json.dumps(kept)


def headed(**change: object) -> str:
    return json.dumps(json.loads(to_text(ledger("undone"))) | change)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "null",
        "[]",
        "1",
        "{}",
        '"ledger"',
        "[" * 100_000,
        '{"acp_edits": 3, "path": "/a"}',
        headed(acp_edits=4),
        headed(acp_edits=None),
        headed(path=1),
        headed(ledger=None),
        to_text(ledger("text"))[:-9],
        broken(lambda it: it.pop(0)),
        broken(lambda it: it.reverse()),
        broken(lambda it: it.clear()),
        broken(lambda it: it[0].append("more")),
        broken(lambda it: it[1].__setitem__(0, "Other")),
        broken(lambda it: it[1][1]["author"].update(turn="first")),
        broken(lambda it: it[1][1]["author"].pop("agent")),
        broken(lambda it: it[1][1].update(author=7)),
        broken(lambda it: it[1][1].update(at=None)),
        broken(lambda it: it[1][1]["hunks"][0].update(first=99)),
        broken(lambda it: it[1][1]["hunks"][0].update(lines=[1])),
        broken(lambda it: it[1][1]["hunks"][0].pop("lines")),
        broken(lambda it: it[1][1].update(form=["other: thing"])),
    ],
)
def test_another_text_is_no_ledger(text: str) -> None:
    assert LEDGERS.from_text(text) is None


def test_what_was_only_found_is_kept_as_such_and_all_else_is_named() -> None:
    found = wrote(begin("a\n"), "b\n", replace(ONE, how="found"), 3.0)
    assert LEDGERS.from_text(to_text(found)) == KeptLedger("/a", found, waits=True)
    assert '"how"' not in to_text(ledger("text"))


@pytest.mark.parametrize("which", NAMES)
def test_a_large_one_is_the_same_text_made_in_portions(
    which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = to_text(ledger(which))
    monkeypatch.setattr(facts, "PORTION", 1)
    assert json.loads(to_text(ledger(which))) == json.loads(at_once)
    assert LEDGERS.from_text(to_text(ledger(which))) == LEDGERS.from_text(at_once)
