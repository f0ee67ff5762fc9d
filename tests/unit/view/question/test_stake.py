"""What an answer decides, and what it does not: only the former is in the digest."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from acp_nvim.session.content import Diff, FileChange, TerminalOutput, Text
from acp_nvim.session.model import Location, PermissionOption, PermissionQuestion
from acp_nvim.session.proposal.proposal import Preview
from acp_nvim.session.state import ToolCall
from acp_nvim.session.terminal import Terminal
from acp_nvim.view.chat import raw
from acp_nvim.view.question.permission import permission_menu

OPTIONS = (
    PermissionOption("yes", "Yes", "allow_once"),
    PermissionOption("no", "No", "reject_once"),
)
DIFF = Diff("/w/a.py", "one", "two")
EDIT = {"file_path": "/w/a.py", "old_string": "one", "new_string": "two"}


def seen(
    call: ToolCall,
    options: tuple[PermissionOption, ...] = OPTIONS,
    previews: tuple[Preview, ...] = (),
) -> str:
    question = PermissionQuestion("q", "t", options)
    return permission_menu(question, call, agent="a", cwd="/w", said="", previews=previews).seen


def tool(raw: Any = None, **fields: Any) -> ToolCall:
    told = None if raw is None else json.dumps(raw)
    return ToolCall("tool:t", "t", 1, raw_input=told, **fields)


RUN = tool({"command": "echo hi"}, title="echo hi")
SAME_AS_RUN = {
    "title": replace(RUN, title="$ echo hi"),
    "another title": replace(RUN, title="Say hello"),
    "code": replace(RUN, title="`echo hi`"),
    "state": replace(RUN, status="in_progress"),
    "kind": replace(RUN, kind="execute"),
    "name": replace(RUN, name="bash"),
    "words": replace(RUN, content=(Text("It is harmless"),)),
    "a terminal": replace(RUN, content=(TerminalOutput("x"),)),
    "what runs there": replace(
        RUN, content=(TerminalOutput("x"),), terminals=(Terminal("x", "echo hi", cwd="/w"),)
    ),
    "output": replace(RUN, raw_output="hi"),
    "idle members": replace(
        RUN, raw_input=json.dumps({"timeout": 5, "command": "echo hi", "description": "d"})
    ),
    "what it is for": replace(
        RUN, raw_input=json.dumps({"command": "echo hi", "_i": "greet", "title": "Greet"})
    ),
    "a line alone": replace(RUN, raw_input="echo hi"),
    "the folder": replace(RUN, raw_input=json.dumps({"command": "echo hi", "cwd": "/w/"})),
    "only the title": tool(title="echo hi"),
    "only a title with a prompt": tool(title="$ echo hi"),
    "as words": replace(RUN, raw_input=json.dumps({"command": "echo", "args": ["hi"]})),
    "as a list": replace(RUN, raw_input=json.dumps({"command": ["echo", "hi"]})),
    "the folder as a place": replace(RUN, locations=(Location("/w"),)),
}


@pytest.mark.parametrize("name", SAME_AS_RUN)
def test_what_changes_nothing_at_stake_is_not_in_it(name: str) -> None:
    assert seen(SAME_AS_RUN[name]) == seen(RUN)


OTHER_THAN_RUN = {
    "command": tool({"command": "echo ho"}),
    "arguments": tool({"command": "echo hi", "args": ["&&"]}),
    "variables": tool({"command": "echo hi", "env": {"PATH": "/tmp"}}),
    "variables as ACP has them": tool(
        {"command": "echo hi", "env": [{"name": "PATH", "value": "/tmp"}]}
    ),
    "input": tool({"command": "echo hi", "stdin": "x"}),
    "folder": tool({"command": "echo hi", "cwd": "/"}),
    "another member with the folder": tool({"command": "echo hi", "target": "/w"}),
    "diff": replace(RUN, content=(DIFF,)),
    "what becomes of a file": replace(RUN, content=(FileChange("/w/a", "delete"),)),
    "another path": replace(RUN, locations=(Location("/etc/passwd"),)),
    "what runs in a terminal": replace(
        RUN, content=(TerminalOutput("x"),), terminals=(Terminal("x", "rm -rf ~"),)
    ),
    "where it runs": replace(
        RUN, content=(TerminalOutput("x"),), terminals=(Terminal("x", "echo hi", cwd="/"),)
    ),
    "only another title": tool(title="echo ho"),
    "no object": replace(RUN, raw_input="[1]"),
    "nothing": tool(title="x"),
}


@pytest.mark.parametrize("name", OTHER_THAN_RUN)
def test_what_is_at_stake_is_in_it(name: str) -> None:
    assert seen(OTHER_THAN_RUN[name]) != seen(RUN)


def test_options_are_at_stake_with_their_order() -> None:
    yes, no = OPTIONS
    others = [
        (no, yes),
        (yes,),
        (replace(yes, name="Sure"), no),
        (replace(yes, kind="allow_always"), no),
        (replace(yes, id="y"), no),
    ]
    assert len({seen(RUN, it) for it in (OPTIONS, *others)}) == 6


@pytest.mark.parametrize("name", ["description", "reason", "explanation", "justification"])
def test_what_describes_a_command_is_at_stake_where_there_is_none(name: str) -> None:
    """The text of an issue that a tool files, for instance, is what the answer decides."""
    issue = {"repository": "a/b", name: "It hangs."}
    assert seen(tool(issue)) != seen(tool(issue | {name: "My keys are …"}))
    assert (name, "It hangs.") in raw.beside(json.dumps(issue))
    command = {"command": "make", name: "Builds it."}
    assert seen(tool(command)) == seen(tool(command | {name: "Builds all."}))


def test_where_only_words_say_what_is_done_they_count() -> None:
    plan = tool(title="Ready?", content=(Text("step one"),))
    assert seen(plan) != seen(replace(plan, content=(Text("step two"),)))
    assert seen(plan) == seen(replace(plan, title="Go on?"))
    bare = tool(title="Delete branch a")
    assert seen(bare) != seen(replace(bare, title="Delete branch b"))
    idle = tool({"description": "d"}, title="Delete branch a")
    assert seen(idle) == seen(bare)


def test_of_a_bare_input_the_kind_that_changes_it_counts() -> None:
    call = tool({"path": "/else/x"}, title="Look at x", kind="read")
    assert seen(call) == seen(replace(call, kind="other", title="Read x"))
    assert seen(call) != seen(replace(call, kind="delete"))


def test_lines_of_places_do_not_count_and_paths_do() -> None:
    call = tool({"id": 5}, title="t", locations=(Location("/w/a", 1),))
    assert seen(call) == seen(replace(call, locations=(Location("/w/a", 9), Location("/w/a"))))
    assert seen(call) != seen(replace(call, locations=(Location("/w/b", 1),)))


def test_one_change_of_a_file_is_the_same_however_it_is_told() -> None:
    shown = Preview("/w/a.py", "one", "two")
    ways = [
        (tool(EDIT, kind="edit", title="Edit"), shown),
        (tool(content=(DIFF,), title="Edit a.py"), replace(shown, told=(DIFF,))),
        (tool(EDIT, content=(DIFF,), title="a.py"), replace(shown, told=(DIFF,))),
        (
            tool(EDIT, content=(DIFF,), title="a.py", locations=(Location("/w/a.py", 4),)),
            replace(shown, told=(DIFF,)),
        ),
    ]
    assert len({seen(call, previews=(preview,)) for call, preview in ways}) == 1
    other = replace(shown, after="three")
    assert seen(ways[0][0], previews=(other,)) != seen(ways[0][0], previews=(shown,))


def test_an_input_that_the_diff_contradicts_counts() -> None:
    shown = (Preview("/w/a.py", "one", "two", told=(DIFF,), contradicted=True),)
    call = tool(EDIT | {"new_string": "three"}, content=(DIFF,))
    other = tool(EDIT | {"new_string": "four"}, content=(DIFF,))
    assert seen(call, previews=shown) != seen(other, previews=shown)


def test_an_input_that_says_what_the_diff_says_is_no_more() -> None:
    call = tool(content=(DIFF,))
    assert seen(tool(EDIT, content=(DIFF,))) == seen(call)
    swapped = EDIT | {"old_string": "two", "new_string": "one"}
    assert seen(tool(swapped, content=(DIFF,))) != seen(call)


@pytest.mark.parametrize("part", [replace(DIFF, path="/w/b"), replace(DIFF, new_text="x")])
def test_a_diff_counts_whole(part: Diff) -> None:
    swapped = Diff("/w/a.py", "two", "one")
    found = {seen(tool(content=(it,))) for it in (DIFF, part, swapped)}
    assert len(found) == 3
