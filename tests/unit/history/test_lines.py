"""Many lines are held small while nobody reads them, and are the same whenever somebody does."""

from __future__ import annotations

import sys
import threading
from typing import Any

import pytest

from acp_nvim import lines
from acp_nvim.history.author import Author
from acp_nvim.history.change import wrote
from acp_nvim.history.fold import begin, fold
from acp_nvim.history.review import changes
from acp_nvim.history.switch import undo
from acp_nvim.lines import MANY, Held, Lines, held
from acp_nvim.storage.entries import entry_of, text_of
from acp_nvim.storage.record import loaded

ODD = ("ends by itself\r\n", "\0", "\udc80", "ü", "")
MANY_LINES = tuple(f"line {number}" for number in range(2 * MANY)) + ODD


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing but what was read last is ready once it is packed."""
    monkeypatch.setattr(lines, "MOST_READY", 0)
    monkeypatch.setattr(lines, "READY", lines._Ready())


def bytes_of(them: Held[Any]) -> int:
    ready = them._ready or ()
    return sys.getsizeof(them._packed) + sum(map(sys.getsizeof, ready))


def test_few_lines_are_a_tuple() -> None:
    assert held(["one", "two"]) == ("one", "two")
    assert isinstance(held(("x",) * MANY), Lines)


def test_lines_are_the_same_when_they_were_packed() -> None:
    them, others = Lines(MANY_LINES), Lines(("x",) * MANY)
    lines.READY.pack()
    assert others._ready is not None
    assert bytes_of(them) < sum(map(sys.getsizeof, MANY_LINES)) / 3
    assert len(them) == len(MANY_LINES)
    assert them[0] == MANY_LINES[0]
    assert them == MANY_LINES
    assert them == MANY_LINES
    assert them != Lines((*MANY_LINES[:-1], "other"))
    assert them != MANY_LINES[1:]
    assert hash(them) == hash(MANY_LINES)
    assert [*them] == [*MANY_LINES]
    assert them[3:8] == MANY_LINES[3:8]
    assert them[-1] == MANY_LINES[-1]


def test_what_was_read_last_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    them = [Lines(tuple(f"{one} {it}" for it in range(MANY))) for one in range(4)]
    monkeypatch.setattr(lines, "MOST_READY", sum(it.size for it in them[:2]))
    assert lines.READY.is_much()
    them[1].read()
    lines.READY.pack()
    assert [it._ready is not None for it in them] == [False, True, False, True]
    assert not lines.READY.is_much()


def test_a_thread_packs_what_the_loop_leaves() -> None:
    them, others = Lines(MANY_LINES), Lines(("x",) * MANY)
    assert them._ready is not None
    thread = threading.Thread(target=Lines, args=(("y",) * MANY,))
    thread.start()
    thread.join()
    assert them._ready is others._ready is None


def test_lines_that_nobody_has_are_not_held() -> None:
    them = Lines(MANY_LINES)
    assert id(them) in lines.READY._held
    number = id(them)
    del them
    assert number not in lines.READY._held


def test_a_file_written_over_and_over_by_turns_is_small() -> None:
    file, size = begin("first\n"), 2_000
    turns = [Author("a", "s", turn, 1.0) for turn in range(4)]
    texts = [f"{turn} a line of some length\n" * size for turn in range(4)]
    for author, text in zip(turns, texts, strict=True):
        file = wrote(file, text, author, 1.0)
        lines.READY.pack()
    last = Lines(MANY_LINES)
    lines.READY.pack()
    assert last._ready is not None
    much = [it.lines for fact in file.changes for it in fact.hunks]
    assert all(isinstance(it, Held) and it._ready is None for it in (*much, file.runs))
    assert file.text == texts[-1]
    for author, text in zip(turns[:0:-1], texts[-2::-1], strict=True):
        file = undo(file, author, f"{author.turn}", 2.0).file
        lines.READY.pack()
        assert file.text == text


def test_the_list_on_disk_has_lines_as_before() -> None:
    text = "".join(f"{it}\n" for it in MANY_LINES[: 2 * MANY])
    file = wrote(begin("first\n"), text, Author("a", "s", 1, 1.0), 1.0)
    entries = [entry_of(loaded(text_of(fact))) for fact in file.facts]
    again = fold(it for it in entries if it is not None)  # type: ignore[misc]
    assert again == file
    assert changes(again) == changes(file)
    assert changes(file)[0].added == tuple(f"{it}\n" for it in MANY_LINES[: 2 * MANY])
