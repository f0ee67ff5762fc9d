from __future__ import annotations

import random
from itertools import chain, pairwise
from typing import Any

import pytest
from msgspec.structs import replace

from acp_nvim.session.content import Diff, Resource, Text
from acp_nvim.session.event import ChunkReceived
from acp_nvim.session.model import Location, PermissionOption, PermissionQuestion, PlanEntry, Prompt
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.state import Entry, Message, Notice, Plan, SessionState, ToolCall, Usage
from acp_nvim.view.chat import transcript
from acp_nvim.view.chat.transcript import (
    Transcript,
    all_at,
    entry_text,
    fold,
    key_at,
    location_at,
    render,
)
from acp_nvim.view.patch import patch
from tests.unit.view.look import looks

NONE: frozenset[str] = frozenset()


def state(*entries: Entry, **fields: object) -> SessionState:
    index = {entry.key: position for position, entry in enumerate(entries)}
    known = {"status": "idle", "id": "s", "entries": entries, "index": index, **fields}
    return replace(SessionState("tutor", "/w"), **known)  # type: ignore[arg-type]


def said(turn: int, text: str) -> Message:
    return Message(f"agent:{turn}", "agent", turn, (Text(text),))


def asked(turn: int, text: str) -> Message:
    return Message(f"user:{turn}", "user", turn, (Text(text),))


def call(**fields: object) -> ToolCall:
    known = {"key": "tool:t", "id": "t", "turn": 1, "title": "Edit", **fields}
    return ToolCall(**known)  # type: ignore[arg-type]


def keys(transcript: Transcript) -> list[str]:
    return [block.key for block in transcript.blocks]


def drawn(transcript: Transcript) -> list[str]:
    return looks(line for block in transcript.blocks for line in block.lines)


PLAN = Plan(1, (PlanEntry("do", "low", "pending"),))


def test_entries_in_order() -> None:
    view = render(state(asked(1, "hi"), said(1, "ho"), Notice("n", 1, "end")), NONE, None)
    assert keys(view) == ["user:1", "agent:1", "n"]
    assert drawn(view) == ["▌ hi", "", "ho", "", "· end", ""]


def test_nothing_said_is_nothing_drawn() -> None:
    assert render(state(), NONE, None).blocks == ()


def test_a_session_that_starts_says_so() -> None:
    view = render(state(status="loading"), NONE, None)
    assert drawn(view) == ["Starting tutor …", ""]
    assert keys(render(state(said(1, "x"), status="loading"), NONE, None)) == ["agent:1"]


def test_the_plan_stands_behind_its_turn() -> None:
    entries = (asked(1, "a"), said(1, "b"))
    assert keys(render(state(*entries, plan=PLAN), NONE, None)) == ["user:1", "agent:1", "plan"]
    later = state(*entries, asked(2, "c"), plan=PLAN)
    assert keys(render(later, NONE, None)) == ["user:1", "agent:1", "plan", "user:2"]
    empty = state(*entries, plan=Plan(1, ()))
    assert keys(render(empty, NONE, None)) == ["user:1", "agent:1"]


def test_the_queue_stands_behind_everything() -> None:
    queue = (Prompt((Text("first"),)), Prompt((Text("second"),)))
    view = render(state(said(1, "x"), plan=PLAN, queue=queue), NONE, None)
    assert keys(view) == ["agent:1", "plan", "queue:0", "queue:1"]
    assert drawn(view)[-3:] == ["◌ queued: first", "◌ queued: second", ""]


def test_what_is_unchanged_keeps_its_block() -> None:
    before = state(asked(1, "a"), call(), plan=PLAN, queue=(Prompt((Text("q"),)),))
    first = render(before, NONE, None)
    second = render(replace(before, status="running"), NONE, first)
    assert all(a is b for a, b in zip(first.blocks, second.blocks, strict=True))
    grown = replace(before, entries=(*before.entries, said(1, "more")))
    third = render(grown, NONE, second)
    assert [block for block in third.blocks if block not in second.blocks] == [third.blocks[2]]


def test_only_the_changed_entry_is_drawn_again() -> None:
    entries = (asked(1, "a"), call(), said(1, "b"))
    first = render(state(*entries), NONE, None)
    changed = (entries[0], call(status="completed"), entries[2])
    second = render(state(*changed), NONE, first)
    same = [a is b for a, b in zip(first.blocks, second.blocks, strict=True)]
    assert same == [True, False, True]


def test_a_growing_message_patches_only_its_end() -> None:
    first = render(state(asked(1, "a"), said(1, "one\n\ntw")), NONE, None)
    second = render(state(asked(1, "a"), said(1, "one\n\ntwo")), NONE, first)
    [op] = patch(first.blocks, second.blocks)
    assert (op.first, op.last, [line.text for line in op.lines]) == (4, 5, ["two"])


def test_another_directory_draws_anew() -> None:
    entries = (call(locations=(Location("/w/a"),)),)
    first = render(state(*entries), NONE, None)
    second = render(state(*entries, cwd="/"), NONE, first)
    assert drawn(second)[0] == "○ Edit w/a"


def test_an_emptied_transcript() -> None:
    first = render(state(said(1, "a"), said(2, "b")), NONE, None)
    assert render(state(said(1, "c")), NONE, first).blocks[0].lines[0].text == "c"
    assert render(state(), NONE, first).blocks == ()


def test_a_thought_opens_and_closes() -> None:
    thought = Message("t", "thought", 1, (Text("one\ntwo"),))
    shut = render(state(thought), NONE, None)
    assert drawn(shut) == ["▸ Thought: one two", ""]
    opened = fold(shut, NONE, 0, "toggle")
    assert opened == {"t"}
    wide = render(state(thought), opened, shut)
    assert drawn(wide) == ["▾ Thought: one", "two", ""]
    assert fold(wide, opened, 1, "toggle") == NONE
    assert fold(wide, opened, 1, "open") == opened
    assert fold(wide, opened, 1, "close") == NONE


def test_failed_and_waiting_calls_are_open() -> None:
    failed = call(status="failed", content=(Text("why"),))
    assert drawn(render(state(failed), NONE, None)) == ["✗ Edit", "│ why", ""]
    waiting = call(content=(Text("why"),))
    question = PermissionQuestion("1", "t", (PermissionOption("y", "Yes", "allow_once"),))
    first = render(state(waiting, questions=(question,)), NONE, None)
    assert drawn(first) == ["○ Edit", "│ why", ""]
    assert drawn(render(state(waiting), NONE, first)) == ["○ Edit ▸ 1 line", ""]
    toggled = fold(first, NONE, 0, "close")
    assert drawn(render(state(waiting, questions=(question,)), toggled, first)) == [
        "○ Edit ▸ 1 line",
        "",
    ]


def test_all_open_and_all_closed() -> None:
    entries = (asked(1, "a"), Message("t", "thought", 1, (Text("x"),)), call(status="failed"))
    view = render(state(*entries), NONE, None)
    everything = fold(view, NONE, 0, "open_all")
    assert everything == {"t"}
    view = render(state(*entries), everything, view)
    assert fold(view, everything, 0, "close_all") == {"tool:t"}


def test_what_has_no_fold_stays_as_it_is() -> None:
    view = render(state(said(1, "a"), plan=PLAN), NONE, None)
    assert fold(view, NONE, 0, "toggle") == NONE
    assert fold(view, NONE, 99, "toggle") == NONE


def test_the_plan_is_whole_or_one_line() -> None:
    now = state(said(1, "a"), plan=PLAN)
    view = render(now, NONE, None)
    assert drawn(view)[2:4] == ["Plan 0/1", "☐ do"]
    closed = fold(view, NONE, 2, "toggle")
    view = render(now, closed, view)
    assert drawn(view) == ["a", "", "▸ Plan 0/1☐ do", ""]
    assert fold(view, closed, 2, "open") == NONE
    assert fold(view, closed, 0, "open_all") == NONE
    assert fold(view, closed, 2, "close") == closed


def test_the_key_of_a_row() -> None:
    view = render(state(asked(1, "a\nb"), said(1, "c"), plan=PLAN), NONE, None)
    found = [key_at(view, row) for row in range(-1, 9)]
    assert found == [None, *["user:1"] * 3, *["agent:1"] * 2, *["plan"] * 3, None]


def test_the_location_of_a_tool_call() -> None:
    entry = call(locations=(Location("/w/a.py", 3), Location("/w/b.py", 4)))
    now = state(asked(1, "x"), entry)
    view = render(now, frozenset({"tool:t"}), None)
    assert drawn(view)[2:] == ["○ Edit a.py:3", "│ a.py:3", "│ b.py:4", ""]
    rows = [location_at(now, view, row) for row in range(7)]
    first, second = entry.locations
    assert rows == [None, None, first, first, second, second, None]


def test_the_location_within_a_diff_is_its_file() -> None:
    entry = call(content=(Diff("/w/a", None, "x\n"), Diff("/w/b", None, "y\n")))
    now = state(entry)
    view = render(now, frozenset({"tool:t"}), None)
    found = [location_at(now, view, row) for row in range(5)]
    a, b = Location("/w/a"), Location("/w/b")
    assert found == [a, a, a, b, b]


def test_the_location_of_an_attachment_is_in_its_line_only() -> None:
    entry = Message("user:1", "user", 1, (Text("see"), Resource("file:///w/a.py#L2-L3", "x")))
    now = state(entry, Notice("n", 1, "end"))
    view = render(now, NONE, None)
    found = [location_at(now, view, row) for row in range(4)]
    assert found == [None, Location("/w/a.py", 2), None, None]


def test_plain_text_of_every_entry() -> None:
    assert entry_text(said(1, "a")) == "a"
    assert entry_text(Notice("n", 1, "b")) == "b"
    assert entry_text(call(content=(Text("c"),))) == "c"


def in_slices(shown: SessionState, most: int = 10_000) -> list[Transcript]:
    """Draw it with a pause as soon as there may be one."""
    found = [render(shown, NONE, None, lambda: True)]
    while found[-1].paused:
        assert len(found) < most
        found.append(render(shown, NONE, found[-1], lambda: True))
    return found


def test_drawing_in_slices_comes_to_the_same() -> None:
    code = "```python\n" + "x = f(1)\n" * 600 + "```\n"
    shown = state(
        asked(1, "hi"),
        said(1, "# one\n\n" + code + "and\nmore"),
        call(status="failed", content=(Text("a\nb\n" + code), Diff("/w/a", "1", "2"))),
        Notice("n", 1, "end"),
        plan=PLAN,
    )
    slices = in_slices(shown)
    assert len(slices) > 100
    assert drawn(slices[-1]) == drawn(render(shown, NONE, None))
    heights = [sum(len(block.lines) for block in each.blocks) for each in slices]
    assert heights == sorted(heights)


def test_a_pause_takes_nothing_away() -> None:
    before = render(state(said(1, "one"), said(2, "two"), said(3, "three")), NONE, None)
    changed = state(said(1, "ONE"), said(2, "TWO"), said(3, "THREE"))
    first = render(changed, NONE, before, lambda: True)
    assert drawn(first) == ["one", "", "two", "", "THREE", ""]
    assert first.paused
    second = render(changed, NONE, first, lambda: True)
    third = render(changed, NONE, second, lambda: True)
    assert drawn(third) == ["ONE", "", "TWO", "", "THREE", ""]
    assert not third.paused


def test_the_end_is_drawn_first_and_what_is_above_it_later() -> None:
    shown = state(*(said(number, f"answer {number}") for number in range(1, 1_001)))
    first = render(shown, NONE, None, lambda: True)
    assert drawn(first) == ["answer 1000", ""]
    more = said(1_001, "answer 1001")
    later = render(state(*shown.entries, more), NONE, first, lambda: True)
    assert drawn(later) == ["answer 1000", "", "answer 1001", ""]
    slices = in_slices(shown)
    assert drawn(slices[-1]) == drawn(render(shown, NONE, None))
    for before, after in pairwise(slices):
        (op,) = patch(before.blocks, after.blocks)
        assert (op.first, op.last, len(op.lines)) == (0, 0, 2)  # nothing else is touched


def test_slices_of_any_transcript_come_to_the_same() -> None:
    chance = random.Random(1)
    for _ in range(50):
        view: Transcript | None = None
        entries: list[Entry] = []
        for number in range(12):
            for _ in range(chance.randrange(5)):
                key = f"k{len(entries)}"
                status = chance.choice(["pending", "completed", "failed"])
                calls = replace(call(status=status, kind=chance.choice(["read", "edit"])), key=key)
                entries.append(
                    chance.choice([calls, calls, replace(said(1, f"{key}\n\nb"), key=key)])
                )
            if entries and chance.random() < 0.7:
                at = chance.randrange(len(entries))
                if isinstance(known := entries[at], ToolCall):
                    entries[at] = replace(known, status="completed", title=f"T{number}")
            shown = state(*entries)
            for _ in range(chance.randrange(1, 6)):
                view = render(shown, NONE, view, lambda: chance.random() < 0.6)
        while view is not None and view.paused:
            view = render(shown, NONE, view, lambda: chance.random() < 0.6)
        assert view is not None
        assert drawn(view) == drawn(render(shown, NONE, None))


def test_a_long_message_is_cut_and_all_of_it_can_be_opened() -> None:
    text = "line\n" * 6_999 + "the end\n"
    shown = state(asked(1, "hi"), said(1, text))
    view = render(shown, NONE, None)
    assert drawn(view)[5_001:5_004] == ["line", "… 1,900 more lines: <CR> opens all", "line"]
    assert drawn(view)[-3:] == ["line", "the end", ""]
    assert len(drawn(view)) == 2 + 5_000 + 1 + 100 + 1
    assert all_at(shown, view, 5_002) == text
    assert all_at(shown, view, 5_001) is None


def test_a_message_that_grows_beyond_what_is_shown_shows_its_end() -> None:
    now = SessionState("tutor", "/w", id="s")
    view: Transcript | None = None
    changed = []
    for number in range(700):
        more = "".join(f"line {number * 10 + it} of *words*\n" for it in range(10))
        now = reduce(now, ChunkReceived("agent", Text(f"{more}the last of {number}")))
        before, view = view, render(now, NONE, view)
        block, row = view.blocks.at(view.blocks.height - 2) or (view.blocks[0], 0)
        assert block.lines[row].text == f"the last of {number}"
        if before:
            changed.append(sum(len(op.lines) for op in patch(before.blocks, view.blocks)))
    assert drawn(view) == drawn(render(now, NONE, None))
    assert sum(changed) < 700 * 30
    assert sum(it > 50 for it in changed) < 30


@pytest.mark.parametrize("text", ["x" * 3_000_000, "\n" * 9_000, "a" * 30_000 + "\n" * 6_000])
def test_the_end_of_odd_texts_is_shown(text: str) -> None:
    view = render(state(said(1, text + "the end")), NONE, None)
    assert drawn(view)[-2].endswith("the end")
    assert len(drawn(view)) < 5_300


def test_of_a_message_of_many_parts_the_end_of_the_last_is_shown() -> None:
    long, last = Text("line\n" * 6_000), Text("and\nthe end")
    parts = (long, Resource("file:///w/a", "x"), last)
    view = render(state(Message("m", "agent", 1, parts)), NONE, None)
    rests = ["… 1,000 more lines: <CR> opens all", "… 2 more parts: <CR> opens all"]
    assert drawn(view)[5_000:] == [*rests, "and", "the end", ""]


def test_a_long_plan_is_cut_and_all_of_it_can_be_opened() -> None:
    plan = Plan(1, tuple(PlanEntry(f"step {number}", "low", "pending") for number in range(10_000)))
    shown = state(plan=plan)
    view = render(shown, NONE, None)
    assert drawn(view)[-3:] == ["☐ step 199", "… 9,800 more steps: <CR> opens all", ""]
    assert (all_at(shown, view, 201) or "").count("\n") == 9_999


def test_all_are_opened_in_slices_and_each_is_looked_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls = [
        ToolCall(f"tool:{at}", str(at), at // 5, "Read", status="completed", content=(Text("x"),))
        for at in range(60)
    ]
    texts = [said(at, f"words {at}") for at in range(12)]
    shown = state(*chain.from_iterable(zip(*[iter(calls)] * 5, texts, strict=True)))
    shut = render(shown, NONE, None)
    opened = fold(shut, NONE, 0, "open_all")
    looked: list[Entry] = []
    of = transcript._cell

    def noted(entry: Entry, *arguments: Any, **named: Any) -> Any:
        looked.append(entry)
        return of(entry, *arguments, **named)

    monkeypatch.setattr(transcript, "_cell", noted)
    view = render(shown, opened, shut, lambda: True)
    while view.paused:
        view = render(shown, opened, view, lambda: True)
    assert drawn(view) == drawn(render(shown, opened, None))
    assert len(looked) <= 2 * len(calls) + len(texts) + len(shown.entries)


@pytest.mark.parametrize(("used", "shown"), [(89, False), (90, True), (105, True)])
def test_a_context_that_is_nearly_full_says_what_helps(used: int, *, shown: bool) -> None:
    state = replace(SessionState("tutor", "/w"), status="idle", usage=Usage(used, 100))
    text = f"! {used}% of the context is used:"
    view = render(state, NONE, None)
    assert (text in drawn(view)) == shown
    if shown:  # the command begins a row: Neovim would break it behind its colon
        next_row = drawn(view)[drawn(view).index(text) + 1]
        assert next_row == ":Acp new! continues in a new session"
    assert text not in drawn(render(replace(state, status="running"), NONE, view))
    assert text not in drawn(render(replace(state, usage=Usage(used, 0)), NONE, view))


TABLE = "|a|b|\n|-|-|\n|c|some words of a cell that is long|\n"


def test_tables_are_laid_out_for_the_window_and_nothing_else_is_drawn_again() -> None:
    whole = state(said(1, "x"), said(2, TABLE + "end"), said(3, "| a |"), said(4, TABLE))
    wide = render(whole, NONE, None)
    narrow = render(whole, NONE, wide, room=24)
    same = [old is new for old, new in zip(wide.blocks, narrow.blocks, strict=True)]
    assert same == [True, False, True, False]
    again = render(whole, NONE, narrow, room=24)
    assert all(old is new for old, new in zip(narrow.blocks, again.blocks, strict=True))
    assert render(whole, NONE, narrow, room=80).blocks == wide.blocks
    assert render(whole, NONE, None, room=24).blocks == narrow.blocks


def test_the_table_that_comes_is_laid_out_when_its_turn_ends_or_something_follows() -> None:
    laid_out = render(state(said(1, TABLE)), NONE, None, room=24).blocks
    running = state(said(1, TABLE), status="running")
    view = render(running, NONE, None, room=24)
    assert view.blocks == render(running, NONE, None).blocks != laid_out
    assert render(state(*running.entries), NONE, view, room=24).blocks == laid_out
    more = state(*running.entries, call(), status="running")
    first, *_ = render(more, NONE, view, room=24).blocks
    assert first.lines == next(iter(laid_out)).lines


def test_tables_are_laid_out_in_slices() -> None:
    whole = state(*(said(turn, TABLE + "end") for turn in range(20)))
    view = render(whole, NONE, render(whole, NONE, None), lambda: True, 24)
    assert view.paused
    for _ in range(40):
        view = render(whole, NONE, view, lambda: True, 24)
    assert view.blocks == render(whole, NONE, None, room=24).blocks
    assert not view.paused
