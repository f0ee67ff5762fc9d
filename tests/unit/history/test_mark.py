"""The mark before the first line is the file's, whichever line comes first."""

from __future__ import annotations

from itertools import permutations

import pytest

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.review import changes, reject
from acp_nvim.history.switch import redo, undo

ONE = Author("agent", "s", 1, 1.0, "call")
TWO = Author("agent", "s", 2, 2.0, "other")
THREE = Author("agent", "s", 3, 3.0, "third")
OLD = "a\nb\nc\n"
BOM, WIDE = "\ufeff", "\udd16\ufeff"
AGENTS = {"changed": "A\nb\nc\n", "above": "new\na\nb\nc\n", "gone": "b\nc\n", "emptied": ""}


def taken_back(ledger: File) -> list[str | None]:
    return [undo(ledger, ONE, "x", 0.0).file.text, reject(ledger, 0.0).file.text]


@pytest.mark.parametrize("mark", [BOM, WIDE])
@pytest.mark.parametrize("case", AGENTS)
def test_a_line_of_the_users_above_the_first_keeps_no_line_of_the_agents(
    mark: str, case: str
) -> None:
    after = AGENTS[case]
    ledger = wrote(begin(mark + OLD), mark + after if after else "", ONE, 0.0)
    assert taken_back(ledger) == [mark + OLD] * 2
    ledger = saw(ledger, f"{mark}mine\n{after}", 0.0)
    assert undo(ledger, ONE, "x", 0.0).file.text == f"{mark}mine\n{OLD}"
    again = redo(undo(ledger, ONE, "x", 0.0).file, "x").file
    assert again.text == ledger.text


@pytest.mark.parametrize("marks", [(BOM, ""), ("", BOM), (WIDE, "\udd16"), (WIDE, BOM)])
@pytest.mark.parametrize("case", AGENTS)
def test_what_the_user_makes_of_the_mark_stays(marks: tuple[str, str], case: str) -> None:
    before, now = marks
    after = AGENTS[case]
    if after:
        ledger = saw(wrote(begin(before + OLD), before + after, ONE, 0.0), now + after, 0.0)
        assert changes(ledger)
        assert taken_back(ledger) == [now + OLD] * 2


@pytest.mark.parametrize("marks", [(BOM, ""), ("", BOM), (WIDE, "")])
@pytest.mark.parametrize("after", [OLD, *AGENTS.values()])
def test_what_an_agent_makes_of_the_mark_is_taken_back(marks: tuple[str, str], after: str) -> None:
    before, now = marks
    ledger = wrote(begin(before + OLD), now + after, ONE, 0.0)
    assert ledger.text == now + after
    assert taken_back(ledger) == [before + OLD] * 2
    second = wrote(ledger, f"{now}{after}more\n", TWO, 0.0)
    assert undo(second, TWO, "x", 0.0).file.text == now + after


@pytest.mark.parametrize("mark", [BOM, WIDE], ids=["bom", "wide"])
@pytest.mark.parametrize("before", ["c\n", "x\n", ""])
def test_a_mark_that_went_when_its_line_had_gone_comes_back_once(mark: str, before: str) -> None:
    first = wrote(begin(mark + OLD), mark + before if before else "", ONE, 0.0)
    second = wrote(first, f"{before}more\n", TWO, 0.0)
    third = wrote(second, f"{mark}{before}more\n", THREE, 0.0)
    assert reject(second, 0.0).file.text == mark + OLD
    assert reject(third, 0.0).file.text == mark + OLD
    for order in permutations((ONE, TWO, THREE)):
        undone = third
        for author in order * 2:
            undone = undo(undone, author, author.tool_call, 0.0).file
        assert undone.text == mark + OLD
    mine = saw(second, f"mine\n{second.text}", 0.0)
    for author in (TWO, ONE):
        mine = undo(mine, author, author.tool_call, 0.0).file
    assert mine.text == f"{mark}mine\n{OLD}"


def test_a_file_of_a_mark_alone() -> None:
    for text in (BOM, WIDE, ""):
        ledger = wrote(begin(text), f"{text}a\n", ONE, 0.0)
        assert taken_back(ledger) == [text] * 2
