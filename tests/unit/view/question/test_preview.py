"""The menu of a permission, with the files as they are and as they would be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from acp_nvim.session.content import Diff, Text
from acp_nvim.session.model import PermissionOption, PermissionQuestion
from acp_nvim.session.proposal.proposal import Preview
from acp_nvim.session.state import ToolCall
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.permission import detail, permission_menu
from tests.unit.view.look import looks

OLD = "".join(f"{number}\n" for number in range(1, 21))
NEW = OLD.replace("12\n", "twelve\nand a half\n")
FILE = Preview("/w/a.py", OLD, NEW)
RAW = {"path": "a.py", "old_string": "12", "new_string": "twelve\nand a half"}


def tool(content: tuple[Any, ...] = (), raw: Any = RAW) -> ToolCall:
    return ToolCall(
        "tool:t", "t", 1, title="Edit", kind="edit", content=content, raw_input=json.dumps(raw)
    )


def menu(*previews: Preview, content: tuple[Any, ...] = (), raw: Any = RAW) -> Menu:
    call = tool(content, raw)
    question = PermissionQuestion("7", "t", (PermissionOption("y", "Yes", "allow_once"),))
    return permission_menu(question, call, agent="tutor", cwd="/w", said="", previews=previews)


def test_the_change_stands_in_the_whole_file() -> None:
    assert looks(menu(FILE).lines) == [
        "Edit",
        "a.py:12  +2 −1",
        "  9",
        "  10",
        "  11",
        "- 12",
        "+ twelve",
        "+ and a half",
        "  13",
        "  14",
        "  15",
        "✓ 1. Yes (allow once)",
    ]


def test_the_details_have_the_input_too() -> None:
    shown = looks(detail(menu(FILE), tool(), "/w", [FILE]))
    assert "- 12" in shown
    assert '  "old_string": "12",' in shown


def test_the_agents_fragment_is_shown_in_its_place_instead() -> None:
    diff = Diff("/w/a.py", "12", "twelve\nand a half")
    whole = Preview("/w/a.py", OLD, NEW, told=(diff,))
    shown = looks(menu(whole, content=(Text("why"), diff, diff)).lines)
    assert shown[1:4] == ["why", "a.py:12  +2 −1", "  9"]
    assert shown.count("- 12") == 1


def test_diffs_without_a_preview_are_shown_as_they_are() -> None:
    other = Diff("/b.py", "x", "y")
    shown = looks(menu(FILE, content=(other,)).lines)
    assert shown[1:6] == ["2 files: /b.py, a.py", "/b.py", "- x", "+ y", "a.py:12  +2 −1"]


@pytest.mark.parametrize(
    ("preview", "header"),
    [
        (Preview("/w/a.py", None, "x\n"), "a.py  new file  +1 −0"),
        (Preview("/w/a.py", "x\n", None), "a.py  deleted  +0 −1"),
        (Preview("/w/a.py", None, ""), "a.py  new file"),
        (Preview("/w/a.py", "x\n", "x\n", moved_to="/w/b.py"), "a.py  → b.py"),
        (Preview("/w/a.py", "x\n", "y\n", moved_to="/b"), "a.py:1  → /b  +1 −1"),
        (Preview("/w/a.py", "x\n", "x\n"), "a.py  no change"),
    ],
)
def test_what_happens_to_the_file_itself(preview: Preview, header: str) -> None:
    assert looks(menu(preview).body)[0] == header


def test_a_file_that_only_moves_is_not_shown() -> None:
    moved = Preview("/w/a.py", "x\n", "x\n", moved_to="/w/b.py")
    assert looks(menu(moved).lines)[1:3] == ["2 files: a.py, b.py", "a.py  → b.py"]
    assert len(menu(moved).body) == 1


def test_unsaved_edits_are_named() -> None:
    unsaved = Preview("/w/a.py", OLD, NEW, unsaved=True)
    assert looks(menu(unsaved).lines)[2] == "your unsaved edits are in it"


def test_what_does_not_fit_is_shown_as_told_and_says_so() -> None:
    diff = Diff("/w/a.py", "x", "y")
    misfit = Preview("/w/a.py", misfit="it has no line 3", told=(diff,))
    shown = looks(menu(misfit, content=(diff,)).lines)
    remark = "does not fit the file as it is now: it has no line 3"
    assert shown[1:5] == ["a.py", "- x", "+ y", remark]


def test_an_input_that_does_not_fit_is_shown_as_it_is() -> None:
    shown = looks(menu(Preview("/w/a.py", misfit="the file is not there")).lines)
    remark = "does not fit the file as it is now: the file is not there"
    assert shown[1:4] == ["a.py", remark, "{"]


def test_what_fits_can_be_compared() -> None:
    misfit = menu(Preview("/w/a.py", misfit="x"))
    assert [menu(FILE, FILE).comparable, misfit.comparable, menu().comparable] == [2, 0, 0]


@pytest.mark.parametrize("bad", ["\u202e", "\x1b", "\u200b", "\x9b", "\u2028"])
def test_no_harmful_character_passes(bad: str) -> None:
    evil = f"a{bad}b"
    shown = menu(
        Preview(evil, evil, evil + "2", moved_to=evil),
        Preview(evil, misfit="x", told=(Diff(evil, evil, "y"),)),
        raw={"x": 1},
    )
    drawn = "".join(looks(shown.lines))
    assert bad not in drawn
