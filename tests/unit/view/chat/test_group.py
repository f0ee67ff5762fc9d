"""Tool calls that follow one another."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from acp_nvim.session.content import Diff, Text
from acp_nvim.session.event import ChunkReceived, ToolCallUpdated
from acp_nvim.session.log import Log
from acp_nvim.session.model import LineCount
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.state import Entry, Message, SessionState, ToolCall
from acp_nvim.view.chat import group, transcript
from acp_nvim.view.chat.transcript import Transcript, fold, render, row_of
from tests.unit.view.look import looks

NONE: frozenset[str] = frozenset()
SAID = Message("agent:1", "agent", 1, (Text("Well."),))
KINDS = ("read", "read", "search", "fetch")


def call(number: int, **fields: Any) -> ToolCall:
    known = {"title": f"T{number}", "kind": KINDS[number % 4], "status": "completed", **fields}
    return ToolCall(f"tool:{number}", str(number), 1, **known)


def calls(count: int) -> list[Entry]:
    return [call(number) for number in range(count)]


def state(*entries: Entry) -> SessionState:
    index = {entry.key: position for position, entry in enumerate(entries)}
    return replace(SessionState("tutor", "/w"), entries=Log(entries), index=index, id="s")


def drawn(view: Transcript) -> list[str]:
    return looks(line for block in view.blocks for line in block.lines)


def shown(*entries: Entry) -> list[str]:
    return drawn(render(state(*entries), NONE, None))


def test_no_blank_rows_between_them() -> None:
    assert shown(SAID, *calls(2), replace(SAID, key="m")) == [
        "Well.",
        "",
        "✓ ≡ read T0",
        "✓ ≡ read T1",
        "",
        "Well.",
        "",
    ]


def test_an_open_one_keeps_its_distance() -> None:
    failed = call(0, status="failed", content=(Text("why"),))
    assert shown(failed, call(1)) == ["✗ ≡ read T0", "│ why", "", "✓ ≡ read T1", ""]


def test_they_are_one_line_once_the_turn_goes_on() -> None:
    assert len(shown(*calls(8))) == 9
    assert shown(*calls(8), SAID) == [
        "▸ ✓ 8 calls: 4 read, 2 search, 2 fetch",
        "",
        "Well.",
        "",
    ]


def test_two_are_not_worth_a_line_of_their_own() -> None:
    assert shown(*calls(2), SAID)[:2] == ["✓ ≡ read T0", "✓ ≡ read T1"]


@pytest.mark.parametrize(
    "other",
    [
        {"status": "failed"},
        {"status": "in_progress"},
        {"status": "cancelled"},
        {"status": "ended"},
        {"content": (Diff("/w/a", "a\n", "b\n"),)},
        {"changes": (LineCount("/w/a", 1, 1),)},
        *({"kind": kind} for kind in ("execute", "edit", "delete", "move", "other", "telepathy")),
    ],
)
def test_what_is_to_be_looked_at_stays(other: dict[str, Any]) -> None:
    texts = shown(*calls(3), call(3, **other), *(call(n) for n in (4, 5, 6)), SAID)
    assert texts[0] == "▸ ✓ 3 calls: 2 read, 1 search"
    assert "T3" in texts[1]
    assert "▸ ✓ 3 calls: 2 read, 1 search" in texts[2:]


def test_a_group_opens_and_closes() -> None:
    entries = state(*calls(3), SAID)
    view = render(entries, NONE, None)
    opened = fold(view, NONE, 0, "toggle")
    view = render(entries, opened, view)
    assert drawn(view) == [
        "▾ ✓ 3 calls: 2 read, 1 search",
        "✓ ≡ read T0",
        "✓ ≡ read T1",
        "✓ ⌕ search T2",
        "",
        "Well.",
        "",
    ]
    inner = fold(view, opened, 2, "toggle")
    view = render(entries, inner, view)
    assert drawn(view)[0].startswith("▾ ")
    for action in ("toggle", "close"):
        closed = fold(view, inner, 0, action)  # type: ignore[arg-type]
        assert drawn(render(entries, closed, view))[0].startswith("▸ ")
    assert fold(view, inner, 0, "open") == inner
    everything = fold(view, inner, 0, "close_all")
    assert drawn(render(entries, everything, view))[0].startswith("▸ ")


def test_what_is_folded_away_is_found_where_its_group_is() -> None:
    view = render(state(SAID, *calls(3), replace(SAID, key="m")), NONE, None)
    assert [row_of(view, key) for key in ("tool:0", "tool:2", "m")] == [2, 2, 4]


def changed(entry: Entry, chance: random.Random) -> Entry:
    if not isinstance(entry, ToolCall):
        return entry
    status = chance.choice(["completed", "completed", "failed", "in_progress"])
    return replace(entry, status=status, kind=chance.choice([entry.kind, "read", "edit"]))


def test_step_by_step_it_looks_as_at_once() -> None:
    chance = random.Random(1)
    for _ in range(60):
        entries: list[Entry] = []
        view: Transcript | None = None
        opened = NONE
        for number in range(24):
            for _ in range(chance.choice([0, 1, 1, 3])):
                if entries:
                    at = chance.randrange(len(entries))
                    entries[at] = changed(entries[at], chance)
            if chance.random() < 0.3:
                entries.append(replace(SAID, key=f"m{number}"))
            else:
                status = chance.choice(["completed", "in_progress"])
                entries.append(call(number, status=status))
            if view and chance.random() < 0.1:
                opened = fold(view, opened, chance.randrange(view.blocks.height), "toggle")
            now = state(*entries)
            view = render(now, opened, view)
            assert drawn(view) == drawn(render(now, opened, None))


@pytest.mark.parametrize("says_before", [True, False])
def test_5_000_open_calls_of_one_turn_end_one_by_one(
    monkeypatch: pytest.MonkeyPatch, *, says_before: bool
) -> None:
    """What it takes is counted: each call that ends costs the same, be there 500 or 5,000."""
    looked = Counter[str]()
    for module, name in ((group, "is_quiet"), (transcript, "_spaced"), (group, "hidden")):
        real = getattr(module, name)

        def counted(*given: Any, real: Any = real, name: str = name) -> Any:
            looked[name] += 1
            return real(*given)

        monkeypatch.setattr(module, name, counted)

    def work(count: int, *, says_before: bool) -> int:
        looked.clear()
        said = ChunkReceived("agent", Text("I wait for them."))
        now = SessionState("tutor", "/w", id="s")
        for number in range(count):
            now = reduce(now, ToolCallUpdated(f"{number}", kind="read", status="pending"))
        now = reduce(now, said) if says_before else now
        view = render(now, NONE, None)
        for number in range(count):
            now = reduce(now, ToolCallUpdated(f"{number}", status="completed"))
            if number % 5 == 0:
                view = render(now, NONE, view)
        now = now if says_before else reduce(now, said)
        view = render(now, NONE, view)
        assert drawn(view)[0] == f"▸ ✓ {count:,} calls: {count} read"
        return looked.total()

    assert work(5_000, says_before=says_before) < 11 * work(500, says_before=says_before)


def test_another_transcript_in_the_same_place_has_groups_of_its_own() -> None:
    view = render(state(*calls(6), SAID), NONE, None)
    again = state(*calls(2), replace(SAID, key="a"), *calls(9)[4:], replace(SAID, key="b"))
    assert drawn(render(again, NONE, view)) == drawn(render(again, NONE, None))
    view = render(state(), NONE, view)
    assert drawn(render(again, NONE, view)) == drawn(render(again, NONE, None))


def test_a_long_group_drawn_in_slices_touches_what_is_new_and_its_line() -> None:
    entries = state(*calls(400), SAID)
    views = [render(entries, NONE, None, lambda: True)]
    while views[-1].paused:
        views.append(render(entries, NONE, views[-1], lambda: True))
    assert len(views) == 401
    for before, after in pairwise(views):
        assert len(list(after._drawn.blocks.changed(before._drawn.blocks))) <= 4
    assert drawn(views[-1]) == shown(*entries.entries)


def test_in_slices_it_comes_to_the_same_whatever_is_opened_or_in_another_call() -> None:
    for seed in range(100):
        chance = random.Random(seed)
        entries: list[Entry] = []
        view, opened = Transcript(), NONE
        for number in range(10):
            for _ in range(chance.randrange(7)):
                new = added(entries, chance)
                entries.append(new if chance.random() < 0.8 else replace(SAID, key=new.key))
            for at in chance.sample(range(len(entries)), min(len(entries), 2)):
                entries[at] = changed(entries[at], chance)
            if number and view.blocks.height and chance.random() < 0.3:
                opened = fold(view, opened, chance.randrange(view.blocks.height), "toggle")
            now = state(*entries)
            for _ in range(chance.randrange(1, 5)):
                view = render(now, opened, view, lambda chance=chance: chance.random() < 0.6)  # type: ignore[misc]
        while view.paused:
            view = render(now, opened, view, lambda chance=chance: chance.random() < 0.6)  # type: ignore[misc]
        assert drawn(view) == drawn(render(now, opened, None)), seed


def added(entries: list[Entry], chance: random.Random) -> ToolCall:
    """Return one more call, perhaps in one of those that are there."""
    new = call(len(entries), kind=chance.choice([*KINDS, "edit"]))
    outer = [it for it in entries if isinstance(it, ToolCall) and not it.parent]
    if outer and chance.random() < 0.15:
        parent = chance.choice(outer)
        entries[entries.index(parent)] = replace(parent, children=(*parent.children, new.key))
        new = replace(new, parent=parent.key)
    return new
