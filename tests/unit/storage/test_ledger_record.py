"""A ledger as text and back again; whatever else is there is no ledger."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from acp_nvim.ledger.delta import Author
from acp_nvim.ledger.ledger import Ledger, begin, saw, wrote
from acp_nvim.ledger.review import keep, reject
from acp_nvim.ledger.rewind import redo, undo
from acp_nvim.storage.ledger_record import Head, head_of, ledger_of, to_text

ONE = Author("gemini", "s", 1, 1.5, "call", "Fix it", "Edit a")
TWO = Author("qwen", "s", 1, 2.5)
NAMES = ("text", "kept", "undone", "returned", "rejected", "gone", "created", "surrogates")


def ledger(which: str) -> Ledger:
    """Return a ledger in which that has happened."""
    first = wrote(begin("a\nb\nc"), "a\nB\nc\nd", ONE, 3.0)
    both = wrote(saw(first, "u\na\nB!\nc\nd", 4.0), "u\na\nB!\nd", TWO, 5.0)
    undone = undo(both, ONE, "batch", 6.0).ledger
    return {
        "text": both,
        "kept": keep(both, range(2)).ledger,
        "undone": undone,
        "returned": redo(undone, "batch").ledger,
        "rejected": reject(both, TWO, 7.0).ledger,
        "gone": wrote(begin("a\n"), None, ONE, 3.0),
        "created": wrote(begin(None), "", ONE, 3.0),
        "surrogates": wrote(begin("\udcff\r\n"), "\ufeffé\u2028\0\n", ONE, 3.0),
    }[which]


@pytest.mark.parametrize("which", NAMES)
def test_a_ledger_comes_back_as_it_was(which: str) -> None:
    text = to_text("/a", ledger(which), 9.0)
    head, body, rest = text.split("\n")
    assert ledger_of(body) == ledger(which)
    assert (head_of(head), rest) == (Head("/a", 9.0, which != "rejected"), "")
    assert text.isascii()


def test_the_head_says_whether_something_waits_for_the_user() -> None:
    def waits(of: Ledger) -> bool:
        head = head_of(to_text("/a", of, 0).split("\n")[0])
        assert head is not None
        return head.waits

    assert waits(ledger("text"))
    assert not waits(keep(ledger("text")).ledger)
    assert not waits(saw(ledger("created"), None, 0))
    undone = undo(wrote(begin("a\n"), "b\n", ONE, 0), ONE, "batch", 0).ledger
    assert waits(undone), "an undo that can be returned"
    assert waits(keep(redo(undone, "batch").ledger).ledger) is False


@pytest.mark.parametrize(
    "line",
    [
        "",
        "{",
        "null",
        "[]",
        "1",
        '{"path": "/a", "updated": 1}',
        '{"acp_edits": 2, "path": "/a", "updated": 1}',
        '{"acp_edits": 1, "path": 1, "updated": 1}',
        '{"acp_edits": 1, "path": "/a", "updated": "now"}',
        "[" * 100_000,
    ],
)
def test_another_first_line_is_no_head(line: str) -> None:
    assert head_of(line) is None


def broken(change: Callable[[dict[str, Any]], Any]) -> str:
    body = json.loads(to_text("/a", ledger("undone"), 0).split("\n")[1])
    return json.dumps(change(body) or body)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "null",
        "[]",
        "{}",
        '"authors"',
        to_text("/a", ledger("text"), 0).split("\n")[1][:-9],
        broken(lambda it: it["deeds"].pop() and None),
        broken(lambda it: it["authors"].clear()),
        broken(lambda it: it["authors"][0].__setitem__(2, "first")),
        broken(lambda it: it["authors"][0].append("more")),
        broken(lambda it: it["deeds"][0].__setitem__(1, 7)),
        broken(lambda it: it["deeds"][0].__setitem__(2, None)),
        broken(lambda it: it["deeds"][0].__setitem__(3, [99])),
        broken(lambda it: it["deeds"][0].__setitem__(3, [-1])),
        broken(lambda it: it["weave"][0].__setitem__(1, 99)),
        broken(lambda it: it["weave"][0].__setitem__(2, -1)),
        broken(lambda it: it["weave"][0].__setitem__(2, "1")),
        broken(lambda it: it["weave"][0].__setitem__(2, [1])),
        broken(lambda it: it["weave"][0].__setitem__(0, [1])),
        broken(lambda it: it["weave"][0].pop() and None),
    ],
)
def test_another_second_line_is_no_ledger(line: str) -> None:
    assert ledger_of(line) is None
