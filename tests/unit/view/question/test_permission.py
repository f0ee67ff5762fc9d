from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.session.content import Diff, Image, TerminalOutput, Text
from acp_nvim.session.model import Location, PermissionOption, PermissionQuestion
from acp_nvim.session.state import ToolCall
from acp_nvim.view.block import Highlight, VirtualText
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.permission import permission_menu

OPTIONS = (
    PermissionOption("no-1", "Better not", "reject_once"),
    PermissionOption("yes", "Allow once", "allow_once"),
    PermissionOption("odd", "Something else", "x"),
)
TOOL = ToolCall("tool:t", "t", 1, title="Edit a.py")


def menu(
    tool: ToolCall | None = TOOL,
    options: tuple[PermissionOption, ...] = OPTIONS,
    said: str = "",
    agent: str = "tutor",
) -> Menu:
    question = PermissionQuestion("7", "t", options)
    return permission_menu(question, tool, agent=agent, cwd="/w", said=said)


def rows(view: Menu) -> list[str]:
    return [line.text for line in view.lines]


def tool(**fields: object) -> ToolCall:
    return ToolCall("tool:t", "t", 1, **fields)  # type: ignore[arg-type]


def test_options_keep_the_agents_order_and_words() -> None:
    view = menu()
    assert rows(view) == ["Edit a.py", "", "1. Better not", "2. Allow once", "3. Something else"]
    assert view.option_rows == (2, 3, 4)
    assert view.option_ids == ("no-1", "yes", "odd")
    assert view.id == "7"
    assert view.title == " tutor asks "


def test_options_are_coloured_by_kind_and_unknown_kinds_neutral() -> None:
    view = menu()
    groups = [
        mark.group
        for row in view.option_rows
        for mark in view.lines[row].marks
        if isinstance(mark, Highlight)
    ]
    assert groups == ["AcpReject", "AcpAllow", "AcpNeutral"]


def test_more_options_than_digits_are_all_there() -> None:
    many = tuple(PermissionOption(f"o{n}", "Same", "allow_always") for n in range(12))
    view = menu(options=many)
    assert len(view.option_rows) == 12
    assert rows(view)[-1] == "12. Same"


def test_the_footer_names_the_keys() -> None:
    assert ":Acp permit N" in menu().footer
    assert "d details" in menu().footer


def test_the_whole_command_is_shown() -> None:
    command = "cd /tmp\n" + "x" * 500 + "\nrm -rf ."
    view = menu(tool(title="Run", raw_input='{"command":"cd /tmp\\n' + "x" * 500 + '\\nrm -rf ."}'))
    assert rows(view)[:4] == ["Run", *command.split("\n")]


def test_a_command_that_is_the_title_is_shown_once() -> None:
    view = menu(tool(title="ls -l", raw_input='{"command":"ls -l"}'))
    assert rows(view)[:2] == ["ls -l", ""]


def test_a_command_as_a_list_is_joined() -> None:
    view = menu(tool(title="Run", raw_input='{"command":["bash","-c","echo hi"]}'))
    assert rows(view)[1] == "bash -c 'echo hi'"


def test_a_long_title_is_not_cut() -> None:
    assert rows(menu(tool(title="x" * 900)))[0] == "x" * 900


def test_the_details_of_a_short_diff_are_all_of_it() -> None:
    view = menu(tool(title="Edit", content=(Diff("/w/a.py", "a\n", "b\n"),)))
    assert rows(view)[:5] == ["Edit", "a.py", "a", "b", ""]
    assert [line.text for line in view.detail] == ["Edit", "a.py", "a", "b"]


def test_a_long_diff_is_cut_and_whole_in_the_details() -> None:
    new = "".join(f"{number}\n" for number in range(40))
    view = menu(tool(title="Edit", content=(Diff("/w/a.py", None, new),)))
    assert rows(view)[12:14] == ["10", "… 29 more lines: d shows all"]
    assert len(view.detail) == 42


def test_the_plan_text_of_a_switch_mode_is_shown() -> None:
    plan = "# Plan\n[do](http://evil)\n"
    view = menu(tool(title="Ready?", kind="switch_mode", content=(Text(plan),)))
    assert rows(view)[1:3] == ["# Plan", "[do](http://evil)"]
    assert view.lines[2].marks == ()


def test_raw_input_is_shown_when_there_is_nothing_else() -> None:
    view = menu(tool(title="mcp__delete", raw_input='{"id":5}'))
    assert rows(view)[:5] == ["mcp__delete", "{", '  "id": 5', "}", ""]
    assert [line.text for line in view.detail] == ["mcp__delete", "{", '  "id": 5', "}"]


def test_details_hold_the_raw_input_behind_a_command() -> None:
    view = menu(tool(title="Run", raw_input='{"command":"ls","cwd":"/etc"}'))
    assert '  "cwd": "/etc"' in [line.text for line in view.detail]


def test_raw_input_that_is_no_object() -> None:
    assert rows(menu(tool(title="T", raw_input='"text"')))[1] == "text"
    assert rows(menu(tool(title="T", raw_input="[1")))[1] == "[1"
    assert rows(menu(tool(title="T", raw_input="null")))[1] == ""


def test_other_content_has_a_placeholder() -> None:
    content = (Image("QUJD", "image/png"), TerminalOutput("term"))
    assert rows(menu(tool(title="T", content=content)))[1] == "[image/png, 3 B]"


def test_locations_that_the_title_does_not_name() -> None:
    places = (Location("/w/a.py", 3), *(Location(f"/w/{n}.py") for n in range(6)))
    view = menu(tool(title="Edit a.py:3", locations=places))
    assert rows(view)[1:7] == [
        *(f"{n}.py" for n in range(5)),
        "… 1 more place",
    ]


def test_the_last_sentence_that_was_said() -> None:
    view = menu(said="First I read it. Then I change the name.\n")
    assert rows(view)[1] == "Then I change the name."


def test_a_tool_call_that_is_not_known() -> None:
    assert rows(menu(None))[0] == "(the agent did not say what for)"
    assert rows(menu(tool(kind="edit")))[0] == "edit"


def test_an_option_name_of_two_lines_stays_one_row() -> None:
    view = menu(options=(PermissionOption("a", "Allow\n2. Reject", "allow_once"),))
    assert rows(view)[-1] == "1. Allow 2. Reject"


@pytest.mark.parametrize("bad", ["\u202e", "\x1b", "\u200b", "\x9b", "\u2028", "\U000e0041"])
def test_no_harmful_character_passes(bad: str) -> None:
    evil = f"a{bad}b"
    view = menu(
        tool(
            title=evil,
            raw_input=f'{{"x":"{evil}"}}',
            content=(Diff(evil, evil, evil + "2"), Text(evil), Image("", evil)),
            locations=(Location(evil),),
        ),
        (PermissionOption("i", evil, "allow_once"),),
        evil,
        evil,
    )
    assert bad not in drawn_text(view)


@given(st.text(max_size=60))
def test_whatever_the_agent_says_can_be_seen(evil: str) -> None:
    call = tool(title=evil, content=(Text(evil), Diff(evil, evil, "x")))
    view = menu(call, (PermissionOption("i", evil, evil),), evil, evil)
    # the joiner between two emoji is the one format character that visible() keeps
    seen = drawn_text(view).replace("\u200d", "")
    assert not {unicodedata.category(letter) for letter in seen} & {"Cf", "Cc", "Cs", "Zl", "Zp"}


def drawn_text(view: Menu) -> str:
    lines = (*view.lines, *view.detail)
    virtual = (mark for line in lines for mark in line.marks if isinstance(mark, VirtualText))
    chunks = (text for mark in virtual for text, _ in mark.chunks)
    return "".join([view.title, *(line.text.replace("\t", "") for line in lines), *chunks])
