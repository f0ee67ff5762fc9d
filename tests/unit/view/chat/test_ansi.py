"""The colours of a command's output."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.session.plain_text import plain
from acp_nvim.view.block import Highlight, Line
from acp_nvim.view.chat.ansi import lines, portions
from acp_nvim.view.visible import visible


def look(line: Line) -> list[tuple[str, str]]:
    """Return the coloured stretches of a line, and their groups."""
    raw = line.text.encode()
    marks = (mark for mark in line.marks if isinstance(mark, Highlight))
    return [(raw[mark.start : mark.end].decode(), mark.group) for mark in marks]


def one(text: str) -> list[tuple[str, str]]:
    (line,) = lines(text)
    return look(line)


@pytest.mark.parametrize(
    ("codes", "groups"),
    [
        ("31", ["AcpAnsiRed"]),
        ("92", ["AcpAnsiGreen"]),
        ("1;33", ["AcpAnsiYellow", "AcpBold"]),
        ("37", []),
        ("4", ["AcpUrl"]),
        ("41", ["AcpAnsiRed"]),
        ("30;42", ["AcpAnsiGreen"]),
        ("31;42", ["AcpAnsiRed"]),
        ("38;5;196", ["AcpAnsiRed"]),
        ("38;5;4", ["AcpAnsiBlue"]),
        ("38;5;240", ["AcpAnsiBlack"]),
        ("38;2;10;200;10", ["AcpAnsiGreen"]),
        ("38:2:200:10:200", ["AcpAnsiMagenta"]),
        ("38;2;9", []),
        ("31;0", []),
        ("31;", []),
        ("1;22;31;39", []),
        ("777", []),
    ],
)
def test_a_sequence_is_a_group(codes: str, groups: list[str]) -> None:
    assert one(f"\x1b[{codes}mé\x1b[m.") == [("é", group) for group in groups]


def test_a_colour_lasts_until_it_is_taken_back() -> None:
    first, second = lines("a\x1b[31mb\nc\x1b[0md\n")
    assert (first.text, second.text) == ("ab", "cd")
    assert look(first) == [("b", "AcpAnsiRed")]
    assert look(second) == [("c", "AcpAnsiRed")]


def test_what_is_overwritten_takes_its_colour_along() -> None:
    assert one("\x1b[31m10%\r\x1b[32mdone\x1b[0m") == [("done", "AcpAnsiGreen")]
    assert one("\x1b[31mabc\x1b[0m\r.") == [("bc", "AcpAnsiRed")]
    assert one("\x1b[31mabc\x1b[0m\b\b\x1b[K") == [("a", "AcpAnsiRed")]


def test_other_sequences_and_harmful_characters_do_nothing() -> None:
    (line,) = lines("\x1b]52;c;evil\x07a\x1b[2Jb\u202e\x1b[31mc")
    assert "\x1b" not in line.text
    assert line.text == "ab<U+202E>c"
    assert look(line) == [("c", "AcpAnsiRed")]


@given(
    st.lists(st.sampled_from(["a", "é", "\n", "\r", "\b", "\x1b[31m", "\x1b[K", "\x1b[0m", "\t"]))
)
def test_the_text_is_that_without_colours(parts: list[str]) -> None:
    text = "".join(parts)
    shown = "\n".join(line.text for line in lines(text))
    assert shown == visible(plain(text.removesuffix("\n")))
    assert [line for part in portions(text) for line in part] == list(lines(text))


def test_long_lines_are_whole_in_portions() -> None:
    text = "x" * 200_000 + "\nend"
    shown = [line.text for part in portions(text) for line in part]
    assert "".join(shown[:-1]) == "x" * 200_000
    assert shown[-1] == "end"
