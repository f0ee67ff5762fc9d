"""A ledger as text and back again; whatever else is there is no ledger."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.ledger.delta import Author
from acp_nvim.ledger.ledger import Ledger, begin, saw, wrote
from acp_nvim.ledger.review import keep, reject
from acp_nvim.ledger.rewind import redo, undo
from acp_nvim.ledger.span import FILE, Span
from acp_nvim.storage import edits
from acp_nvim.storage.edits import LEDGERS, KeptLedger

ONE = Author("gemini", "s", 1, 1.5, "call", "Fix it", "Edit a")
TWO = Author("qwen", "s", 1, 2.5)
VERSION_1: dict[str, str] = json.loads(Path(__file__).with_name("version_1.json").read_text())
NAMES = ("text", "kept", "undone", "returned", "rejected", "gone", "created", "surrogates")


def first_version(ledger: Ledger) -> Ledger:
    """Return it as the first version had it: to write below a last line was to write that anew."""
    same, taken, put_in, *_ = ledger.weave
    last = (Span(("c",), died=1), Span(("c\n",), 1), Span(("d",), 1))
    same = replace(same, lines=(FILE, "a\n"))
    return replace(ledger, weave=(same, taken, put_in, *last), deltas=ledger.deltas[:1])


def ledger(which: str, begun: Callable[[Ledger], Ledger] = lambda it: it) -> Ledger:
    """Return a ledger in which that has happened."""
    first = begun(wrote(begin("a\nb\nc"), "a\nB\nc\nd", ONE, 3.0))
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


def to_text(of: Ledger) -> str:
    return LEDGERS.to_text(KeptLedger("/a", of))


@pytest.mark.parametrize("which", NAMES)
def test_a_ledger_comes_back_as_it_was(which: str) -> None:
    text = to_text(ledger(which))
    assert LEDGERS.from_text(text) == KeptLedger("/a", ledger(which), which != "rejected")
    assert text.isascii() and text.count("\n") == 1


@pytest.mark.parametrize("which", NAMES)
def test_what_the_first_version_wrote_is_read(which: str) -> None:
    # an undo left all of a hunk as it was, where the user had gone on in a line of it
    now = "text" if which in ("undone", "returned") else which
    # how the user's lines end it did not know, and a rejection passed by nothing
    text, kept = VERSION_1[which], replace(ledger(now, first_version), ends="")
    weave = (it.met_again() if it.is_passed else it for it in kept.weave)
    kept = replace(kept, weave=tuple(weave))
    assert LEDGERS.from_text(text) == KeptLedger("/a", kept, which != "rejected")


def test_it_says_whether_something_waits_for_the_user() -> None:
    def waits(of: Ledger) -> bool:
        kept = LEDGERS.from_text(to_text(of))
        assert kept is not None
        return kept.waits

    assert waits(ledger("text"))
    assert not waits(keep(ledger("text")).ledger)
    assert not waits(saw(ledger("created"), None, 0))
    undone = undo(wrote(begin("a\n"), "b\n", ONE, 0), ONE, "batch", 0).ledger
    assert waits(undone), "an undo that can be returned"
    assert waits(keep(redo(undone, "batch").ledger).ledger) is False


def broken(change: Callable[[dict[str, Any]], object]) -> str:
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
        '{"acp_edits": 2, "path": "/a"}',
        headed(acp_edits=3),
        headed(acp_edits=None),
        headed(path=1),
        headed(ledger=None),
        to_text(ledger("text"))[:-9],
        broken(lambda it: it["deltas"].pop()),
        broken(lambda it: it["deltas"].reverse()),
        broken(lambda it: it["deltas"][0]["author"].update(turn="first")),
        broken(lambda it: it["deltas"][0]["author"].pop("agent")),
        broken(lambda it: it["deltas"][0].update(author=7)),
        broken(lambda it: it["deltas"][0].update(at=None)),
        broken(lambda it: it["deltas"][0].update(kind="other")),
        broken(lambda it: it["deltas"][0].update(over=[99])),
        broken(lambda it: it["deltas"][0].update(over=[-1])),
        broken(lambda it: it["weave"][0].update(born=99)),
        broken(lambda it: it["weave"][0].update(died=-1)),
        broken(lambda it: it["weave"][0].update(died="one")),
        broken(lambda it: it["weave"][0].update(died=[1])),
        broken(lambda it: it["weave"][0].update(lines=[1])),
        broken(lambda it: it["weave"][0].pop("lines")),
    ],
)
def test_another_text_is_no_ledger(text: str) -> None:
    assert LEDGERS.from_text(text) is None


def broken_1(change: Callable[[dict[str, Any]], Any]) -> str:
    head, body, _ = VERSION_1["undone"].split("\n")
    plain = json.loads(body)
    return f"{head}\n{json.dumps(change(plain) or plain)}\n"


@pytest.mark.parametrize(
    "text",
    [
        "\n{}",
        "{\n{}",
        "null\n[]",
        VERSION_1["text"][:-9],
        VERSION_1["text"].replace('"acp_edits":1', '"acp_edits":3'),
        VERSION_1["text"].replace('"path":"/a"', '"path":1'),
        broken_1(lambda it: it["deeds"].pop() and None),
        broken_1(lambda it: it["authors"].clear()),
        broken_1(lambda it: it["authors"][0].__setitem__(2, "first")),
        broken_1(lambda it: it["authors"][0].append("more")),
        broken_1(lambda it: it["deeds"][0].__setitem__(1, 7)),
        broken_1(lambda it: it["deeds"][0].__setitem__(2, None)),
        broken_1(lambda it: it["deeds"][0].__setitem__(3, [99])),
        broken_1(lambda it: it["deeds"][0].__setitem__(3, [-1])),
        broken_1(lambda it: it["weave"][0].__setitem__(1, 99)),
        broken_1(lambda it: it["weave"][0].__setitem__(2, -1)),
        broken_1(lambda it: it["weave"][0].__setitem__(2, "one")),
        broken_1(lambda it: it["weave"][0].__setitem__(2, [1])),
        broken_1(lambda it: it["weave"][0].__setitem__(0, [1])),
        broken_1(lambda it: it["weave"][0].pop() and None),
    ],
)
def test_what_the_first_version_did_not_write_is_no_ledger(text: str) -> None:
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
    monkeypatch.setattr(edits, "PORTION", 1)
    assert json.loads(to_text(ledger(which))) == json.loads(at_once)
    assert LEDGERS.from_text(to_text(ledger(which))) == LEDGERS.from_text(at_once)
