from __future__ import annotations

import json

import pytest
from msgspec.structs import replace

from acp_nvim.session.content import Diff, Image, Resource, TerminalOutput, Text
from acp_nvim.session.model import LineCount, Location, ToolStatus
from acp_nvim.session.state import ToolCall
from acp_nvim.session.terminal import ExitStatus, Terminal
from acp_nvim.view.block import BLANK, Highlight, LineHighlight, VirtualText
from acp_nvim.view.chat.tool_call import entry_text, lines, locations
from tests.unit.view.look import groups, looks

CWD = "/w"


def tool(**fields: object) -> ToolCall:
    return ToolCall("tool:t", "t", 1, **fields)  # type: ignore[arg-type]


def closed(call: ToolCall) -> str:
    [line, blank] = looks(lines(call, CWD, is_open=False))
    assert blank == ""
    return line


def opened(call: ToolCall) -> list[str]:
    [_, *body, blank] = looks(lines(call, CWD, is_open=True))
    assert blank == ""
    return body


@pytest.mark.parametrize(
    ("status", "icon"),
    [
        ("pending", "○"),
        ("in_progress", "◐"),
        ("completed", "✓"),
        ("failed", "✗"),
        ("cancelled", "⊘"),
    ],
)
def test_every_status_has_its_icon(status: ToolStatus, icon: str) -> None:
    assert closed(tool(title="Look", status=status)) == f"{icon} Look"


def test_the_kind_is_a_sign_and_a_word_where_nothing_cuts_them() -> None:
    assert closed(tool(title="ls", kind="execute")) == "○ $ run ls"
    assert closed(tool(title="ls", kind="telepathy")) == "○ ls"


def test_the_location_follows_the_title_unless_it_is_there() -> None:
    place = (Location("/w/src/a.py", 12),)
    assert closed(tool(title="Read", locations=place)) == "○ Read src/a.py:12"
    assert closed(tool(title="Read src/a.py", locations=place)) == "○ Read src/a.py"
    assert closed(tool(title="Read /w/src/a.py", locations=place)) == "○ Read /w/src/a.py"
    assert closed(tool(title="Read", locations=(Location("/x/a", 0),))) == "○ Read /x/a"


def test_title_and_path_are_coloured_by_bytes() -> None:
    [line, _] = lines(tool(title="Lösche", locations=(Location("/w/ä"),)), CWD, is_open=False)
    spans = [mark for mark in line.marks if isinstance(mark, Highlight)]
    assert spans == [Highlight(0, 7, "AcpToolTitle"), Highlight(7, 10, "AcpToolPath")]


def test_a_title_of_many_lines_is_one_line() -> None:
    assert closed(tool(title="a\nb " + "x" * 300))[:8] == "○ a b xx"
    assert len(closed(tool(title="x" * 300))) == 202


def test_without_a_title_the_kind_or_the_id_stands() -> None:
    assert closed(tool(kind="edit")) == "○ ✎ edit"
    assert closed(tool(kind="")) == "○ t"


def test_closed_it_says_how_much_there_is() -> None:
    diffs = (Diff("/w/a", "a\n", "b\nc\n"), Diff("/w/b", None, "x\n"))
    assert closed(tool(title="T", content=diffs)) == "○ T ▸ +3 −1"
    assert closed(tool(title="T", content=(Text("a\nb\n"),))) == "○ T ▸ 2 lines"
    assert closed(tool(title="T", raw_output='"one"')) == "○ T ▸ 1 line"


def test_open_text_is_markdown_behind_a_bar() -> None:
    assert opened(tool(content=(Text("# a\n\nb\n"),))) == ["│ # a", "│ ", "│ b"]


def test_open_diffs_are_coloured_as_diffs() -> None:
    call = tool(content=(Diff("/w/a.py", "a\n", "b\n"),))
    assert opened(call) == ["│ a.py", "│ - a", "│ + b"]
    rows = lines(call, CWD, is_open=True)
    assert groups(rows[1]) == ["AcpDiffFile"]
    assert LineHighlight("AcpDiffAdd", under=True) in rows[3].marks


def test_other_content_has_its_line() -> None:
    content = (
        TerminalOutput("term-1"),
        Image("QUJD", "image/png"),
        Resource("file:///w/a.txt", "x\n"),
    )
    assert opened(tool(content=content)) == [
        "│ [terminal term-1]",
        "│ [image/png, 3 B]",
        "│ @a.txt  1 line",
        "│ x",
    ]


@pytest.mark.parametrize(
    ("raw", "rows"),
    [
        ('"a\\nb"', ["│ a", "│ b"]),
        ("[1]", ["│ [", "│   1", "│ ]"]),
        ("7", ["│ 7"]),
        ("null", []),
        ("{broken", ["│ {broken"]),
    ],
)
def test_raw_output_is_the_fallback(raw: str, rows: list[str]) -> None:
    assert opened(tool(raw_output=raw)) == rows


def test_raw_output_is_not_shown_beside_content() -> None:
    assert opened(tool(content=(Text("said"),), raw_output='"raw"')) == ["│ said"]


def test_raw_input_and_output_without_content() -> None:
    assert opened(tool(raw_input='{"a":1}', raw_output='"x"')) == [
        "│ {",
        '│   "a": 1',
        "│ }",
        "│ x",
    ]


def test_the_whole_command_is_shown_unless_it_is_the_title() -> None:
    command = '{"command":"echo a\\necho b"}'
    assert opened(tool(title="Run", raw_input=command)) == ["│ echo a", "│ echo b"]
    assert opened(tool(title="echo a\necho b", raw_input=command)) == []


def test_several_places_are_listed() -> None:
    places = (Location("/w/a.py", 1), Location("/w/b.py"))
    assert opened(tool(locations=places)) == ["│ a.py:1", "│ b.py"]


def test_long_output_folds_to_its_end() -> None:
    text = "".join(f"{number}\n" for number in range(599))
    for call in (tool(content=(Text(text),)), tool(raw_output=json.dumps(text))):
        body = opened(replace(call, status="failed"))
        assert body[0] == "│ … 579 more lines: <CR> opens all"
        assert body[1:] == [f"│ {number}" for number in range(579, 599)]
    assert opened(tool(content=(Text("x\n" * 20),))) == ["│ x"] * 20


def test_what_a_colour_was_set_for_keeps_it_where_it_is_folded() -> None:
    text = "\x1b[31m" + "red\n" * 30
    [first, *_] = lines(tool(content=(Text(text),)), CWD, is_open=True)[2:]
    assert "AcpAnsiRed" in groups(first)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("```console\nPASS\nFAIL\n```", ["│ PASS", "│ FAIL"]),
        ("```\nPASS\n```\n", ["│ PASS"]),
        ("~~~sh\nls\n~~~", ["│ ls"]),
        ("```console\nstill ru", ["│ still ru"]),
        ("````\n```\n````", ["│ ```"]),
        ("```\n```", []),
        ("```console\n" + "x\n" * 30 + "```", ["│ … 10 more lines: <CR> opens all", *["│ x"] * 20]),
    ],
)
def test_a_fence_around_all_of_an_output_is_not_shown(text: str, shown: list[str]) -> None:
    assert opened(tool(content=(Text(text),))) == shown


def test_the_end_of_a_report_is_code_where_it_was() -> None:
    report = "Well.\n```python\n" + "x = 1\n" * 30 + "```\nDone."
    shown = lines(tool(content=(Text(report),)), CWD, is_open=True)
    assert looks(shown)[-3:] == ["│ ```", "│ Done.", ""]
    assert any(isinstance(mark, LineHighlight) for mark in shown[2].marks)


def test_what_a_command_prints_is_seen_while_it_runs() -> None:
    running = replace(shell("".join(f"{number}\n" for number in range(9))), status="in_progress")
    shown = looks(lines(running, CWD, is_open=False))
    assert shown[1:] == [*(f"│ {number}" for number in range(4, 9)), ""]
    over = replace(running, terminals=(replace(running.terminals[0], exit=ExitStatus(0)),))
    assert len(lines(over, CWD, is_open=False)) == 2


def test_what_we_have_seen_it_change_stands_behind_a_call() -> None:
    one = (LineCount("/w/a", 3, 1),)
    assert closed(tool(title="Edit a", kind="edit", changes=one)) == "○ ✎ Edit a +3 −1"
    two = (*one, LineCount("/w/b", 0, 2))
    assert closed(tool(title="fmt", kind="execute", changes=two)) == "○ $ run fmt 2 files +3 −3"
    said = (Diff("/w/a", "a\n", "b\n"),)
    assert closed(tool(title="T", content=said, changes=two)) == "○ T ▸ +1 −1"


def test_the_limit_is_one_for_all_content() -> None:
    new = "".join(f"{number}\n" for number in range(1_500))
    diffs = (Diff("/w/a", None, new), Diff("/w/b", None, new))
    body = opened(tool(content=(*diffs, Text("y"))))
    assert len(body) == 2_001
    assert body[-1] == "│ … 1,003 more lines: <CR> opens all"


def test_plain_text() -> None:
    call = tool(content=(Text("a"), Diff("/w/a", "x\n", "y\n"), TerminalOutput("t")))
    assert entry_text(call) == "a\n/w/a\n-x\n+y\n[terminal t]"
    assert entry_text(tool(raw_output='"out"')) == "out"
    assert entry_text(tool()) == ""


def test_locations_are_those_of_the_call_then_of_its_diffs() -> None:
    call = tool(locations=(Location("/w/a", 3),), content=(Diff("/w/b", None, ""),))
    assert locations(call) == (Location("/w/a", 3), Location("/w/b"))


def test_harmful_characters_are_visible_everywhere() -> None:
    bad = "\u202e\x1b"
    call = tool(
        title=bad,
        content=(Text(bad), Diff(bad, bad, ""), TerminalOutput(bad)),
        locations=(Location(bad), Location(bad + "2")),
        raw_input='{"command":"\\u202e\\u001b"}',
        raw_output='"\\u202e"',
    )
    for is_open in (True, False):
        text = "".join(looks(lines(call, CWD, is_open=is_open)))
        assert "\u202e" not in text
        assert "\x1b" not in text


def test_the_last_line_is_blank() -> None:
    assert lines(tool(), CWD, is_open=False)[-1] is BLANK


def shell(tail: str, status: ExitStatus | None = None) -> ToolCall:
    known = (Terminal("term-1", "make test", tail, status),)
    return tool(title="Test", content=(TerminalOutput("term-1"),), terminals=known)


def test_what_a_command_runs_with_is_shown() -> None:
    given = {"command": "make", "args": ["all"], "cwd": "/etc", "env": {"A": "b"}, "stdin": "x"}
    call = tool(title="make all", raw_input=json.dumps(given | {"timeout": 5}))
    assert opened(call) == ["│ cwd: /etc", "│ env.A: b", "│ stdin: x"]
    here = tool(title="Run", raw_input=json.dumps({"command": "make", "cwd": CWD}))
    assert opened(here) == ["│ make"]
    many = {"command": "make"} | {f"m{number}": "x" for number in range(12)}
    assert opened(tool(title="make", raw_input=json.dumps(many)))[-1].startswith(
        "│ … 2 more member"
    )


def test_what_a_terminal_runs_with_is_shown() -> None:
    runs = Terminal("t", "make", cwd="/", env=(("A", "b c"), ("LD_PRELOAD", "x.so")))
    call = tool(title="Test", content=(TerminalOutput("t"),), terminals=(runs,))
    assert opened(call) == ["│ $ make", "│ in /, with A=b c LD_PRELOAD=x.so"]


def test_a_terminal_is_shown_as_plain_text() -> None:
    call = shell("\x1b[32mok\x1b[0m\r\n10%\r20%\r\n", ExitStatus(2))
    assert opened(call) == ["│ $ make test", "│ ok", "│ 20%", "│ [exit 2]"]
    assert closed(call) == "○ Test ▸ exit 2  2 lines"
    assert entry_text(call) == "ok\n20%\n"


def test_a_terminal_that_runs_has_no_end() -> None:
    assert opened(shell("")) == ["│ $ make test"]
    assert closed(shell("")) == "○ Test ▸"


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (ExitStatus(0), "exit 0"),
        (ExitStatus(None, "SIGKILL"), "SIGKILL"),
        (ExitStatus(), "ended"),
    ],
)
def test_how_a_terminal_ended(status: ExitStatus, said: str) -> None:
    assert closed(shell("", status)) == f"○ Test ▸ {said}"
    assert opened(shell("", status))[-1] == f"│ [{said}]"


def test_only_the_end_of_a_terminal_is_shown() -> None:
    body = opened(shell("".join(f"{number}\n" for number in range(1000))))
    assert body[:2] == ["│ $ make test", "│ … 980 more lines: <CR> opens all"]
    assert body[2:] == [f"│ {number}" for number in range(980, 1000)]


def test_the_command_of_a_terminal_is_not_said_twice() -> None:
    assert opened(replace(shell("x"), title="make test")) == ["│ x"]


def test_a_kind_that_the_title_begins_with_is_not_said_twice() -> None:
    assert closed(tool(title="Read a.py", kind="read")) == "○ ≡ Read a.py"
    assert closed(tool(title="Run tests", kind="execute")) == "○ $ Run tests"


def test_what_was_changed_stands_before_a_long_title() -> None:
    title = "Edit " + "x" * 60
    diffs = (Diff("/w/a", "a\n", "b\nc\n"),)
    [line, _] = lines(tool(title=title, content=diffs), CWD, is_open=False)
    assert looks([line]) == [f"○ +2 −1 {title}"]
    drawn = [chunk for mark in line.marks if isinstance(mark, VirtualText) for chunk in mark.chunks]
    assert ("+2", "AcpAdded") in drawn
    assert ("−1", "AcpRemoved") in drawn
