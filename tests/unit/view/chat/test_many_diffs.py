"""A tool call with many diffs, or large ones: each is compared once, and not all in one go."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from acp_nvim.session.content import Diff, Text
from acp_nvim.session.state import ToolCall
from acp_nvim.view.chat import tool_call
from acp_nvim.view.chat.message import Drawn
from acp_nvim.view.cut import ITEMS
from acp_nvim.view.diff import change
from tests.unit.view.look import looks

CWD = "/w"


def edit(count: int) -> ToolCall:
    diffs = (Diff(f"/w/{at}.py", "a\nb\n", f"a\nc{at}\n") for at in range(count))
    return ToolCall("tool:t", "t", 1, "Edit", content=tuple(diffs))


def slices(call: ToolCall, *, is_open: bool) -> Iterator[Drawn]:
    """Yield each drawing of a call where every one is interrupted as soon as it can be."""
    drawn = None
    while drawn is None or drawn.paused:
        drawn = tool_call.draw(call, CWD, drawn, lambda: True, is_open=is_open)
        yield drawn


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[Diff]:
    """Which diffs were compared."""
    found: list[Diff] = []
    of = change._compared

    def noted(diff: Diff, effort: change.hunks.Effort) -> object:
        found.append(diff)
        return of(diff, effort)

    monkeypatch.setattr(change, "_compared", noted)
    return found


@pytest.mark.parametrize("is_open", [True, False])
def test_in_slices_they_look_the_same_and_are_compared_once(
    *, is_open: bool, compared: list[Diff]
) -> None:
    call = edit(5)
    drawn = list(slices(call, is_open=is_open))
    assert len(drawn) >= 5
    assert compared == list(call.content)
    assert looks(drawn[-1].lines) == looks(tool_call.lines(call, CWD, is_open=is_open))


@pytest.mark.parametrize("is_open", [True, False])
def test_what_else_changes_compares_nothing_again(*, is_open: bool, compared: list[Diff]) -> None:
    call = edit(3)
    drawn = tool_call.draw(call, CWD, is_open=is_open)
    again = tool_call.draw(replace(call, status="completed"), CWD, drawn, is_open=is_open)
    assert len(compared) == 3
    assert looks(again.lines)[1:] == looks(drawn.lines)[1:]
    assert looks(again.lines)[0] != looks(drawn.lines)[0]


def test_opening_and_closing_goes_on_from_nothing_that_is_other() -> None:
    call = edit(2)
    shut = tool_call.draw(call, CWD, is_open=False)
    wide = tool_call.draw(call, CWD, shut, is_open=True)
    assert looks(wide.lines) == looks(tool_call.lines(call, CWD, is_open=True))
    back = tool_call.draw(call, CWD, wide, is_open=False)
    assert looks(back.lines) == looks(shut.lines)


def test_more_than_a_person_reads_are_only_counted(compared: list[Diff]) -> None:
    call = edit(20_000)
    [header, _] = looks(tool_call.lines(call, CWD, is_open=False))
    assert "20,000 parts" in header
    assert compared == []
    shown = looks(tool_call.lines(call, CWD, is_open=True))
    assert len(compared) == ITEMS
    assert any(f"… {20_000 - ITEMS:,} more parts: <CR> opens all" in line for line in shown)


def test_of_wide_lines_the_first_are_shown() -> None:
    wide = "\n".join("w" * 60_000 for _ in range(20))
    shown, more = change.first_lines(Diff("/w/a", None, wide), CWD, 100)
    assert (len(shown), more) == (1 + 4, 16)
    assert len(change.lines(Diff("/w/a", None, wide), CWD)) == 1 + 20


def test_coloured_output_is_drawn_in_slices_too() -> None:
    text = "".join(f"\x1b[31mline {at}\x1b[0m \x1b[1mand\n" for at in range(5))
    call = ToolCall("tool:t", "t", 1, "Run", content=(Text(text),))
    drawn = list(slices(call, is_open=True))
    assert len(drawn) >= 5
    assert looks(drawn[-1].lines) == looks(tool_call.lines(call, CWD, is_open=True))
