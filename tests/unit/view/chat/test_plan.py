from __future__ import annotations

from acp_nvim.session.model import PlanEntry
from acp_nvim.session.state import Plan
from acp_nvim.view.block import BLANK, Line, Margin, VirtualText
from acp_nvim.view.chat.plan import brief, lines


def drawn(*entries: PlanEntry) -> list[Line]:
    return list(lines(Plan(1, entries)))


def look(line: Line) -> str:
    virtual = [mark for mark in line.marks if isinstance(mark, VirtualText)]
    margin = "".join(f"{mark.text} " for mark in line.marks if isinstance(mark, Margin))
    end = "".join(mark.chunks[0][0] for mark in virtual if mark.position == "eol")
    return margin + line.text + (f" {end}" if end else "")


def test_a_checklist() -> None:
    rows = drawn(
        PlanEntry("read", "medium", "completed"),
        PlanEntry("write", "high", "in_progress"),
        PlanEntry("rest", "low", "pending"),
    )
    assert [look(row) for row in rows] == [
        "Plan 1/3",
        "☑ read",
        "◐ write high priority",
        "☐ rest",
        "",
    ]
    assert [row.text for row in rows] == ["Plan 1/3", "read", "write", "rest", ""]
    assert rows[-1] is BLANK


def test_an_unknown_status_and_priority_are_neutral() -> None:
    assert look(drawn(PlanEntry("wait", "urgent", "blocked"))[1]) == "• wait"


def test_an_entry_of_two_lines() -> None:
    rows = drawn(PlanEntry("first\nsecond\n", "low", "pending"))
    assert [look(row) for row in rows[1:]] == ["☐ first", "second", ""]


def test_harmful_characters_are_visible() -> None:
    assert drawn(PlanEntry("a\u202eb\x1b", "low", "pending"))[1].text == "a<U+202E>b␛"


def test_of_a_cancelled_turn_nothing_is_in_progress() -> None:
    plan = Plan(1, (PlanEntry("do", "low", "in_progress"),))
    assert [look(row) for row in lines(plan, is_live=False)] == ["Plan 0/1", "☐ do", ""]


def test_in_brief_it_is_what_is_done_and_the_step_that_is_worked_on() -> None:
    done, begun = PlanEntry("read", "low", "completed"), PlanEntry("do\nit", "low", "in_progress")
    rest = PlanEntry("rest", "low", "pending")
    assert brief(Plan(1, (done, rest, begun))) == ("1/3", "◐ do it")
    assert brief(Plan(1, (done, rest))) == ("1/2", "☐ rest")
    assert brief(Plan(1, (done,))) == ("1/1", "")
    assert brief(Plan(1, (PlanEntry("text", "low", ""),))) == ("", "")


def test_closed_it_is_one_line() -> None:
    plan = Plan(1, (PlanEntry("do", "low", "in_progress"),))
    assert [look(row) for row in lines(plan, is_open=False)] == ["▸ Plan 0/1 ◐ do", ""]
