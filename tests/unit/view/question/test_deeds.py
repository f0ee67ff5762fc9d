from __future__ import annotations

import json
from collections.abc import Mapping

from acp_nvim.session.model import PermissionOption, PermissionQuestion
from acp_nvim.session.state import ToolCall
from acp_nvim.view.block import Highlight
from acp_nvim.view.question.deeds import Project
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.permission import permission_menu

ASKED = PermissionQuestion("7", "t", (PermissionOption("yes", "Yes", "allow_once"),))


def menu(
    given: Mapping[str, object], *, roots: tuple[str, ...] = ("/w",), within: str = ""
) -> Menu:
    call = ToolCall("tool:t", "t", 1, title="Run", kind="execute", raw_input=json.dumps(given))
    return permission_menu(
        ASKED,
        call,
        agent="claude",
        cwd="/w",
        said="",
        project=Project(roots, "/home/u"),
        within=within,
    )


def notes(view: Menu) -> list[str]:
    return [line.text for line in view.notes]


def test_a_row_marks_what_a_command_does_beyond_reading() -> None:
    view = menu({"command": "rm -rf ~/a b c d && sudo git push --force; echo x > /etc/y"})
    assert notes(view) == [
        "! runs as another user: sudo · removes: ~/a, b, … 2 more · overwrites: /etc/y"
        " · pushes: git push --force · leaves the project: ~/a, /etc/y"
    ]
    text = view.notes[0].text.encode()
    marks = [it for it in view.notes[0].marks if isinstance(it, Highlight)]
    marked = [text[it.start : it.end].decode() for it in marks]
    assert marked[1:] == [
        "runs as another user",
        "removes",
        "overwrites",
        "pushes",
        "leaves the project",
    ]
    assert {it.group for it in marks} == {"AcpEffect"}


def test_what_only_reads_has_no_row() -> None:
    assert notes(menu({"command": "git diff | head"})) == []


def test_a_command_runs_where_its_input_says() -> None:
    assert notes(menu({"command": ["bash", "-lc", "rm x"], "workdir": "/v"})) == [
        "! removes: x · leaves the project: /v"
    ]
    assert notes(menu({"command": "rm ../v/x"}, roots=("/w", "/v"))) == ["! removes: ../v/x"]


def test_a_row_that_would_be_long_has_the_words_only() -> None:
    names = " ".join(f"{'x' * 38}{at}" for at in range(3))
    view = menu({"command": f"sudo rm -rf /{names}; cat a > /{names}; git push; eval $x"})
    assert notes(view) == [
        "! runs as another user · removes · overwrites · pushes · leaves the project"
        " · cannot be read"
    ]


def test_no_name_draws_over_the_row() -> None:
    (row,) = notes(menu({"command": "rm 'a\u202e\nb'"}))
    assert "\u202e" not in row and "\n" not in row


def test_a_question_of_a_sub_agent_names_it() -> None:
    view = menu({"command": "ls"}, within="Find the callers")
    assert view.title == " claude asks · sub-agent: Find the callers "
    assert view.seen == menu({"command": "ls"}).seen
