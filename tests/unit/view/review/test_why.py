"""Who wrote a line, in words."""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.view.review.lists import doubt
from acp_nvim.view.review.why import KEYS, why
from tests.support.files.reviews import author


def test_it_names_the_turn_the_tool_call_and_the_prompt() -> None:
    wrote = replace(author(3, prompt="Fix\n\nthe bug"), title="Edit\nstats.py")
    lines = why(wrote, "pending", "14:02", in_chat=True)
    assert [line.text for line in lines] == [
        "gemini · turn 3  pending · 14:02",
        "Edit stats.py",
        "> Fix",
        "> the bug",
        "",
        KEYS,
    ]


def test_what_is_not_known_is_left_out() -> None:
    lines = why(author(1, prompt=""), "kept", "", in_chat=False)
    assert [line.text for line in lines] == ["gemini · turn 1  kept"]


def test_a_prompt_cannot_harm_the_screen() -> None:
    lines = why(author(prompt="a\x1b[2Jb"), "kept", "", in_chat=False)
    assert lines[1].text == "> a␛[2Jb"


def test_what_was_only_found_is_said_so() -> None:
    lines = why(replace(author(1, prompt=""), how="found"), "kept", "14:02", in_chat=False)
    assert [line.text for line in lines] == ["gemini · turn 1  kept · found, not named · 14:02"]


def test_the_question_names_the_files() -> None:
    one = "1 file was changed while gemini worked, but no tool call named it: a. Undo that as well?"
    assert doubt(["gemini"], ["a"]) == one
    assert doubt(["gemini", "qwen"], ["a", "b\nc", "d", "e"]) == (
        "4 files were changed while agents worked, but no tool call named them: a, b c, d, …."
        " Undo that as well?"
    )
