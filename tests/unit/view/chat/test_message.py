from __future__ import annotations

import pytest

from acp_nvim.session.content import (
    Audio,
    Content,
    Image,
    Resource,
    ResourceLink,
    Text,
    UnknownContent,
)
from acp_nvim.session.model import Prompt, Role, Severity
from acp_nvim.session.state import Message, Notice
from acp_nvim.view.block import BLANK, LineHighlight
from acp_nvim.view.chat.attachment import decoded_length, size
from acp_nvim.view.chat.message import draw, entry_text, is_foldable, notice, queued
from tests.unit.view.look import groups, looks

CWD = "/w"
SELECTION = Resource("file:///w/src/foo.py#L2-L3", "two\nthree\n", None, "text/x-python")


def message(role: Role, *content: Content) -> Message:
    return Message(f"{role}:1", role, 1, content)


def drawn(entry: Message, *, is_open: bool = False) -> list[str]:
    return looks(draw(entry, CWD, None, is_open=is_open).lines)


def test_the_users_lines_stand_verbatim_behind_a_bar() -> None:
    lines = draw(message("user", Text("# no *markdown*\n\n  b")), CWD, None, is_open=False).lines
    assert [line.text for line in lines] == ["# no *markdown*", "", "  b", ""]
    assert looks(lines) == ["▌ # no *markdown*", "▌ ", "▌   b", ""]
    assert all(LineHighlight("AcpUser") in line.marks for line in lines[:-1])
    assert lines[-1] is BLANK


def test_attachments_are_one_line_each() -> None:
    entry = message("user", Text("explain"), SELECTION, ResourceLink("file:///w/a%20b.md", "x"))
    lines = draw(entry, CWD, None, is_open=False).lines
    assert looks(lines) == ["▌ explain", "▌ @src/foo.py:2-3  2 lines", "▌ @a b.md", ""]
    assert groups(lines[1]) == ["AcpMention"]


def test_the_text_of_an_attachment_opens() -> None:
    entry = message("user", Text("explain"), SELECTION)
    assert is_foldable(entry)
    assert drawn(entry, is_open=True)[1:] == [
        "▌ @src/foo.py:2-3  2 lines",
        "▌ two",
        "▌ three",
        "",
    ]
    assert not is_foldable(message("user", Text("explain")))


def test_agent_text_is_in_the_buffer_line_for_line() -> None:
    text = "# Title\n\n**bold** and `code`\n- item\n  deep"
    lines = draw(message("agent", Text(text)), CWD, None, is_open=False).lines
    assert [line.text for line in lines] == [*text.split("\n"), ""]


def test_a_growing_message_keeps_its_line_objects() -> None:
    first = draw(message("agent", Text("one\n\ntwo")), CWD, None, is_open=False)
    second = draw(message("agent", Text("one\n\ntwo more\nx")), CWD, first, is_open=False)
    assert [line.text for line in second.lines] == ["one", "", "two more", "x", ""]
    assert second.lines[0] is first.lines[0]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (Image("A" * 16_000, "image/png"), "[image/png, 12 kB]"),
        (Audio("QUJD", "audio/wav"), "[audio/wav, 3 B]"),
        (ResourceLink("https://example.org/x", "x"), "@https://example.org/x"),
        (ResourceLink("file:///w/a%20b.md", "a b.md:12"), "@a b.md:12"),
        (ResourceLink("file:///w/12", "12"), "@12"),
        (Resource("file:///else/x.bin", None, "QUI=", "a/b"), "@/else/x.bin [a/b, 2 B]"),
        (Resource("file:///w/x.bin", None, "QUI="), "@x.bin [binary, 2 B]"),
        (UnknownContent("hologram", "{}"), "[hologram]"),
    ],
)
def test_content_that_is_no_text_has_a_line(content: Content, line: str) -> None:
    entry = message("agent", Text("see"), content, Text("end"))
    assert drawn(entry) == ["see", line, "end", ""]
    assert entry_text(entry).split("\n")[0::2] == ["see", "end"]


def test_a_closed_thought_is_its_first_words() -> None:
    entry = message("thought", Text("\nI wonder\nwhether " + "x" * 500))
    [line, blank] = drawn(entry)
    assert line.startswith("▸ Thought: I wonder whether xxx")
    assert line.endswith("…")
    assert blank == ""
    assert is_foldable(entry)


def test_a_closed_thought_that_grows_stays_as_it_is() -> None:
    short = draw(message("thought", Text("x " * 300)), CWD, None, is_open=False)
    long = draw(message("thought", Text("x " * 900)), CWD, short, is_open=False)
    assert short.lines == long.lines


def test_an_open_thought_shows_all_its_lines() -> None:
    lines = draw(message("thought", Text("one\n\n**two**")), CWD, None, is_open=True).lines
    assert looks(lines) == ["▾ Thought: one", "", "**two**", ""]
    assert groups(lines[0]) == groups(lines[2]) == ["AcpThought"]


def test_an_empty_thought_has_a_line() -> None:
    assert drawn(message("thought"), is_open=True) == ["▾ Thought: ", ""]
    assert drawn(message("thought"), is_open=False) == ["▸ Thought: ", ""]


@pytest.mark.parametrize(
    ("severity", "first", "group"),
    [
        ("info", "· cancelled", "AcpNotice"),
        ("warning", "! cancelled", "AcpWarning"),
        ("error", "✗ cancelled", "AcpError"),
    ],
)
def test_a_notice(severity: Severity, first: str, group: str) -> None:
    lines = notice(Notice("n", 1, "cancelled\nwhy: \x1b", severity))
    assert looks(lines) == [first, "why: ␛", ""]
    assert groups(lines[0]) == [group]


def test_each_command_of_a_long_notice_begins_a_row() -> None:
    text = "show ended by itself. :Acp restart show starts it again, :Acp log show shows more"
    assert looks(notice(Notice("n", 1, text, "error"))) == [
        "✗ show ended by itself.",
        ":Acp restart show starts it again,",
        ":Acp log show shows more",
        "",
    ]


def test_a_notice_that_is_over_has_no_row() -> None:
    assert notice(Notice("n", 1, "", "warning")) == ()


def test_a_queued_prompt_is_one_line() -> None:
    [line] = queued(Prompt((Text("do\nthis"), SELECTION)), CWD)
    assert looks([line]) == ["◌ queued: do this @src/foo.py:2-3"]


def test_plain_text_is_verbatim() -> None:
    assert entry_text(message("agent", Text("a\x1b"), Text("b"))) == "a\x1b\nb"
    assert entry_text(Notice("n", 1, "why")) == "why"


def test_harmful_characters_are_visible_everywhere() -> None:
    bad = "\u202e\x1b"
    contents = (Text(bad), Resource(f"file:///{bad}", bad), Image("", bad), UnknownContent(bad, ""))
    roles: tuple[Role, ...] = ("user", "agent", "thought")
    for role in roles:
        for is_open in (True, False):
            text = "".join(drawn(message(role, *contents), is_open=is_open))
            assert "\u202e" not in text
            assert "\x1b" not in text


def test_sizes() -> None:
    assert [size(n) for n in (0, 999, 1_000, 12_400, 3_400_000)] == [
        "0 B",
        "999 B",
        "1 kB",
        "12 kB",
        "3.4 MB",
    ]
    assert [decoded_length(data) for data in ("", "QQ==", "QUI=", "QUJD")] == [0, 1, 2, 3]


@pytest.mark.parametrize("text", ["Done.", "Done.\n", "Done.\n\n", "\n\nDone.\n", "\n \nDone."])
def test_one_blank_row_is_between_what_is_said_and_what_follows(text: str) -> None:
    grown = None
    for end in range(1, len(text) + 1):
        entry = message("agent", Text(text[:end]))
        grown = draw(entry, CWD, grown, is_open=True)
    assert grown is not None
    assert [line.text for line in grown.lines] == ["Done.", ""]
