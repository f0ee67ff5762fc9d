from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from acp_nvim.session.content import Diff, Image, TerminalOutput, Text
from acp_nvim.session.model import Location, PermissionOption, PermissionQuestion
from acp_nvim.session.proposal.proposal import Preview
from acp_nvim.session.state import ToolCall
from acp_nvim.session.terminal import Terminal
from acp_nvim.view.block import Highlight, Line, VirtualText
from acp_nvim.view.diff import change as diff
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.permission import changed, detail, permission_menu
from tests.unit.view.look import looks

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


def whole(view: Menu, call: ToolCall) -> list[str]:
    return [line.text for line in detail(view, call, "/w")]


def tool(**fields: object) -> ToolCall:
    return ToolCall("tool:t", "t", 1, **fields)  # type: ignore[arg-type]


def test_options_keep_the_agents_order_and_words() -> None:
    view = menu()
    assert rows(view) == [
        "Edit a.py",
        "✗ 1. Better not",
        "✓ 2. Allow once",
        "· 3. Something else",
    ]
    assert view.option_kinds == ("reject_once", "allow_once", "x")
    assert view.option_ids == ("no-1", "yes", "odd")
    assert view.id == "7"
    assert view.title == " tutor asks "


def test_options_are_coloured_by_kind_and_unknown_kinds_neutral() -> None:
    view = menu()
    groups = [
        mark.group for line in view.options for mark in line.marks if isinstance(mark, Highlight)
    ]
    assert groups == ["AcpReject", "AcpAllow", "AcpNeutral"]


def test_the_kind_is_told_where_the_words_do_not() -> None:
    always = PermissionOption("a", "Reject", "allow_always")
    plain = PermissionOption("b", "Allow", "allow_once")
    assert looks(menu(options=(always, plain)).options) == [
        "✓ 1. Reject (allow always)",
        "✓ 2. Allow",
    ]


@pytest.mark.parametrize(
    ("name", "kind", "look"),
    [
        ("Reject: do not always allow this", "allow_always", " (allow always)"),
        ("Disallow", "allow_once", " (allow once)"),
        ("Never allow this", "allow_once", " (allow once)"),
        ("Allow always", "allow_once", " (allow once)"),
        ("Allow once", "allow_always", " (allow always)"),
        ("Reject, or allow", "reject_once", " (reject once)"),
        ("Аllow", "allow_once", " (allow once)"),
        ("Yes, always allow", "allow_always", ""),
        ("Reject once", "reject_once", ""),
        ("Allow", "allow_once", ""),
    ],
)
def test_no_name_makes_an_option_look_like_one_of_another_kind(
    name: str, kind: str, look: str
) -> None:
    (shown,) = looks(menu(options=(PermissionOption("a", name, kind),)).options)
    assert shown[2:] == f"1. {name}{look}"


def test_more_options_than_digits_are_all_there() -> None:
    many = tuple(PermissionOption(f"o{n}", "Same", "allow_always") for n in range(12))
    view = menu(options=many)
    assert len(view.options) == 12
    assert rows(view)[-1] == "✓ 12. Same"


def test_the_whole_command_is_shown() -> None:
    command = "cd /tmp\n" + "x" * 500 + "\nrm -rf ."
    call = tool(title="Run", raw_input='{"command":"cd /tmp\\n' + "x" * 500 + '\\nrm -rf ."}')
    view = menu(call)
    assert whole(view, call)[:4] == ["Run", *command.split("\n")]
    assert rows(view)[1] == "! removes: . · leaves the project: /tmp"
    assert rows(view)[3] == "x⟨×500⟩"


def test_a_command_that_is_the_title_is_shown_once() -> None:
    view = menu(tool(title="ls -l", raw_input='{"command":"ls -l"}'))
    assert rows(view)[:2] == ["ls -l", "✗ 1. Better not"]


def test_a_title_that_is_all_code_is_that_code() -> None:
    view = menu(tool(title="`ls -l`", raw_input='{"command":"ls -l"}'))
    assert rows(view)[:2] == ["ls -l", "✗ 1. Better not"]


def test_a_command_as_a_list_is_joined() -> None:
    view = menu(tool(title="Run", raw_input='{"command":["bash","-c","echo hi"]}'))
    assert rows(view)[1] == "bash -c 'echo hi'"


def test_a_long_title_is_not_cut() -> None:
    title = "a long one " * 90
    assert rows(menu(tool(title=title)))[0] == title


def test_a_long_diff_is_handed_on_by_its_ends_and_whole_in_the_details() -> None:
    new = "".join(f"{number}\n" for number in range(400))
    call = tool(title="Edit", content=(Diff("/w/a.py", None, new),))
    view = menu(call)
    assert [len(view.body), view.omitted] == [300, 101]
    assert [view.body[0].text, view.body[1].text, view.body[-1].text] == ["a.py", "0", "399"]
    assert whole(view, call) == ["Edit", "a.py", *(str(number) for number in range(400))]


def test_lines_of_a_diff_that_stay_are_known() -> None:
    call = tool(title="Edit", content=(Diff("/w/a.py", "a\nb\nc\n", "a\nB\nc\n"), Text("why")))
    shown = menu(call)
    assert {"a", "c"} <= {line.text for line in shown.body}
    assert [it for it in shown.body if it.text not in ("a", "c")] == list(shown.changes)
    assert menu(tool(title="Run", content=(Text("a"),))).changes == ()


def test_all_files_are_named() -> None:
    content = tuple(Diff(f"/w/{name}.py", None, "x\n") for name in "abc")
    assert rows(menu(tool(title="Edit", content=content)))[1] == "3 files: a.py, b.py, c.py"


def many_diffs(count: int) -> tuple[Diff, ...]:
    return tuple(Diff(f"/w/{number}", "a\n", "b\n") for number in range(count))


def test_of_very_many_changes_only_those_near_the_ends_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = []
    lines = diff.lines

    def noted(change: Diff, cwd: str) -> tuple[Line, ...]:
        made.append(change.path)
        return lines(change, cwd)

    monkeypatch.setattr(diff, "lines", noted)
    call = tool(title="Edit", content=many_diffs(20_000))
    view = menu(call)
    assert [len(view.body), view.omitted, len(made)] == [300, 2 * 19_900, 100]
    assert [view.body[0].text, view.body[-1].text] == ["0", "b"]
    assert view.notes[0].text.startswith("20,000 files: 0, 1, 2, ")
    assert view.notes[0].text.endswith(", … 19,950 more: D shows what changes")
    told = whole(view, call)
    assert [told[1], told[-3], len(made)] == ["0", "19999", 1_767]
    assert told[2_500].endswith(" more lines: K on the tool call in the chat")


def test_a_change_that_is_not_on_screen_changes_what_is_asked() -> None:
    first = many_diffs(2_000)
    other = (*first[:1_000], Diff("/w/1000", "a\n", "c\n"), *first[1_001:])
    assert menu(tool(content=first)).seen == menu(tool(content=many_diffs(2_000))).seen
    assert menu(tool(content=first)).seen != menu(tool(content=other)).seen


def test_files_elsewhere_are_named_first() -> None:
    content = (*many_diffs(100), Diff("/etc/passwd", "a\n", "b\n"))
    note = menu(tool(content=content)).notes[0].text
    assert note.startswith("101 files: /etc/passwd, 0, 1, ")


def test_of_an_endless_line_the_ends_are_looked_through() -> None:
    command = "rm -rf ~" + " " * 50_000 + "x " * 1_000_000 + " " * 50_000 + "; true"
    line = menu(tool(title="Run", raw_input=json.dumps({"command": command}))).body[0].text
    assert line.startswith("rm -rf ~⟨50,000 blanks⟩x x ")
    assert line.endswith("x⟨50,001 blanks⟩; true")
    assert len(line) < 4_100


def test_parts_that_pad_have_no_room() -> None:
    pads = (Text(""),) * 5_000
    content = (*pads, Diff("/w/a", "one\n", "two\n"), *pads)
    body = [line.text for line in menu(tool(content=content)).body]
    assert body[2:5] == ["a", "one", "two"]
    assert len(body) == 7


def test_the_plan_text_of_a_switch_mode_is_shown() -> None:
    plan = "# Plan\n[do](http://evil)\n"
    view = menu(tool(title="Ready?", kind="switch_mode", content=(Text(plan),)))
    assert rows(view)[1:3] == ["# Plan", "[do](http://evil)"]
    assert view.body[1].marks == ()


def test_raw_input_is_shown_when_there_is_nothing_else() -> None:
    call = tool(title="mcp__delete", raw_input='{"id":5}')
    assert rows(menu(call))[:4] == ["mcp__delete", "{", '  "id": 5', "}"]


def test_details_hold_the_raw_input_behind_a_command() -> None:
    call = tool(title="Run", raw_input='{"command":"ls","cwd":"/etc"}')
    assert '  "cwd": "/etc"' in whole(menu(call), call)


def test_what_else_a_command_is_given_is_shown() -> None:
    given = {
        "command": "make",
        "description": "Build it",
        "timeout": 5,
        "cwd": "/etc",
        "env": {"LD_PRELOAD": "/tmp/x.so", "EMPTY": ""},
        "stdin": "rm -rf ~\n" + "x" * 300,
        "login": False,
    }
    call = tool(title="Run", raw_input=json.dumps(given), content=(Text("It is harmless"),))
    body = [line.text for line in menu(call).body]
    assert body[:3] == ["make", "cwd: /etc", "env.LD_PRELOAD: /tmp/x.so"]
    assert body[3].startswith("stdin: rm -rf ~ x")
    assert body[4:] == ["It is harmless"]
    other = replace(call, raw_input=json.dumps(given | {"stdin": given["stdin"] + "y"}))  # type: ignore[operator]
    assert menu(other).seen != menu(call).seen
    here = tool(title="Run", raw_input='{"command":"make","cwd":"/w"}')
    assert [line.text for line in menu(here).body] == ["make"]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"command": {"program": "rm", "args": ["-rf", "~"]}}, ["command.program: rm"]),
        ({"command": ["rm", "-rf", "~", 1]}, ['command: ["rm", "-rf", "~", 1]']),
        ({"parsed_cmd": ["rm -rf ~"]}, ['parsed_cmd: ["rm -rf ~"]']),
        ({"cmd": "ls;" + " " * 40 + "x" * 999 + "; rm -rf ~"}, ["D shows all⟩", "; rm -rf ~"]),
        ({"zzz": "y" * 1_000_001}, ["… 1,000,012 characters of input: D shows all"]),
    ],
)
@pytest.mark.parametrize("decoy", [Text("lists files"), Diff("/w/a.py", "one\n", "two\n")])
def test_no_shape_of_a_command_is_hidden(
    given: dict[str, object], shown: list[str], decoy: Text | Diff
) -> None:
    kind = "execute" if "zzz" in given or "parsed_cmd" in given else "other"
    call = tool(title="List", kind=kind, raw_input=json.dumps(given), content=(decoy,))
    body = "\n".join(line.text for line in menu(call).body)
    assert all(it in body for it in shown)
    other = replace(call, raw_input=json.dumps({**given, "z": 1}))
    assert menu(call).seen != menu(other).seen


def test_the_input_stands_before_texts_that_hide_it() -> None:
    call = tool(title="List files", raw_input='{"cmd":"rm -rf ~"}', content=(Text("lists"),))
    assert [line.text for line in menu(call).body] == ["cmd: rm -rf ~", "lists"]
    plan = tool(title="Ready?", raw_input='{"plan":"# Plan\\n"}', content=(Text("# Plan"),))
    assert [line.text for line in menu(plan).body] == ["# Plan"]


def test_many_members_do_not_push_the_command_out() -> None:
    given = {"command": COMMAND} | {f"m{number}": "x" for number in range(5000)}
    body = [line.text for line in menu(tool(title="Run", raw_input=json.dumps(given))).body]
    assert [body[0], len(body)] == [COMMAND, 22]
    assert body[-1] == "… 4,980 more of its input: D shows all"


def test_a_diff_that_is_not_what_the_tool_was_given() -> None:
    diff = Diff("/w/a", "x", "y")
    call = tool(title="Edit", raw_input='{"file_path":"/w/a"}', content=(diff,))
    question = PermissionQuestion("7", "t", OPTIONS)
    for is_it in (True, False):
        shown = [Preview("/w/a", "x", "y", told=(diff,), contradicted=is_it)]
        view = permission_menu(question, call, agent="a", cwd="/w", said="", previews=shown)
        assert any("not what the tool was given for a:" in it.text for it in view.notes) is is_it
        all_of_it = detail(view, call, "/w", shown)
        assert any("file_path" in it.text for it in all_of_it) is is_it


def test_raw_input_that_is_no_object() -> None:
    assert rows(menu(tool(title="T", raw_input='"text"')))[1] == "text"
    assert rows(menu(tool(title="T", raw_input="[1")))[1] == "[1"
    assert rows(menu(tool(title="T", raw_input="null")))[1] == "✗ 1. Better not"


def test_other_content_has_a_placeholder() -> None:
    content = (Image("QUJD", "image/png"), TerminalOutput("term"))
    assert rows(menu(tool(title="T", content=content)))[1:3] == [
        "[image/png, 3 B]",
        "in terminal term",
    ]


def test_what_runs_in_a_terminal_of_the_call_is_shown() -> None:
    runs = Terminal("term", "rm -rf ~", "output", cwd="/else")
    call = tool(title="Clean up", content=(TerminalOutput("term"),), terminals=(runs,))
    assert rows(menu(call))[1:4] == [
        "! removes: ~ · leaves the project: /else, ~",
        "$ rm -rf ~",
        "in terminal term, in /else",
    ]
    other = replace(call, terminals=(replace(runs, command="rm -rf /"),))
    assert menu(call).seen != menu(other).seen
    named = replace(call, title="rm -rf ~", raw_input='{"n":1}')
    assert rows(menu(named))[2:5] == ["{", '  "n": 1', "}"]  # a terminal does not say it all


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
    assert rows(view)[-1] == "✓ 1. Allow 2. Reject"


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
    lines = view.lines
    virtual = (mark for line in lines for mark in line.marks if isinstance(mark, VirtualText))
    chunks = (text for mark in virtual for text, _ in mark.chunks)
    return "".join([view.title, *(line.text.replace("\t", "") for line in lines), *chunks])


# --- padding


COMMAND = "rm -rf ~/important"


@pytest.mark.parametrize(
    "padding",
    [
        "\n" * 6000,
        " " * 6000,
        "\t \u3000\u2800" * 1500,
        "\u200b" * 6000,
        "\u200b\u2060" * 3000,
        "\x1b" * 6000,
        "\u3164" * 6000,
        "#\n" * 6000,
        "=" * 6000,
    ],
)
def test_no_padding_pushes_the_command_out(padding: str) -> None:
    said = json.dumps({"command": f"ls {padding}; {COMMAND}", "note": padding})
    view = menu(tool(title="Run", raw_input=said))
    assert any(COMMAND in line.text for line in view.body[-2:])
    assert sum(len(line.text) for line in view.body) < 300
    assert "⟨" in "".join(line.text for line in view.body), "what was left out is told"


def test_the_command_of_an_endless_input_is_shown() -> None:
    said = json.dumps({"pad": "x" * 3_000_000, "command": COMMAND})
    assert rows(menu(tool(title="Run", raw_input=said)))[2] == COMMAND


@example("=", "\n")
@given(st.text("a \n\t\u200b\u3000=", max_size=400), st.text(min_size=1, max_size=40))
def test_what_is_left_out_of_a_command_is_only_repeated(padding: str, end: str) -> None:
    call = tool(title="Run", raw_input=json.dumps({"command": padding + end}))
    shown = menu(call)
    assert len(shown.body) <= 300
    assert shown.seen != menu(replace(call, raw_input=json.dumps({"command": padding}))).seen


def test_the_digest_is_of_what_an_answer_decides() -> None:
    call = tool(title="Run", raw_input='{"command":"ls"}')
    seen = menu(call).seen
    others = (
        replace(call, raw_input='{"command":"ls ~"}'),
        replace(call, raw_input='{"command":"ls\\n"}'),
        replace(call, raw_input='{"command":"ls","args":["~"]}'),
        replace(call, raw_input='{"command":"ls","cwd":"/"}'),
        replace(call, raw_input='{"command":"ls","env":{"A":"b"}}'),
        replace(call, raw_input='{"command":"ls","stdin":"x"}'),
        replace(call, content=(Diff("/w/a", "x", "y"),)),
        replace(call, locations=(Location("/w/a"),)),
    )
    assert seen not in {menu(other).seen for other in others}
    assert seen != menu(call, OPTIONS[::-1]).seen
    assert seen == menu(call, said="more", agent="other").seen
    assert changed(menu(call)).seen == seen
    assert "changed" in changed(menu(call)).notes[0].text
