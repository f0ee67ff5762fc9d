from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from acp_nvim.editor import LiveBuffer
from acp_nvim.files.encoding import NotRead
from acp_nvim.files.text import (
    buffer_form,
    buffer_text,
    having,
    merged,
    reconciled,
    taken,
    window,
    with_theirs,
)
from acp_nvim.hunks import ConflictRegion, split_lines

BUFFER = LiveBuffer(1, 1, ("",), modified=False)
CONTENT = st.text(st.sampled_from("ab\r\n\ufeffé\0\u2028"), max_size=20)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"lines": ("a", "b")}, "a\nb\n"),
        ({"lines": ("a", "b"), "endofline": False}, "a\nb"),
        ({"lines": ("a", "b"), "fileformat": "dos"}, "a\r\nb\r\n"),
        ({"lines": ("a", "b"), "fileformat": "mac"}, "a\rb\r"),
        ({"lines": ("a",), "bom": True}, "\ufeffa\n"),
        ({"lines": ("",)}, "\n"),
        ({"lines": ("",), "empty": True}, ""),
        ({"lines": ("",), "endofline": False}, ""),
    ],
)
def test_the_text_of_a_buffer_is_exact(fields: dict[str, object], text: str) -> None:
    assert buffer_text(replace(BUFFER, **fields)) == text


@given(CONTENT, st.sampled_from(["unix", "dos", "mac"]))
def test_a_buffer_can_hold_any_text(content: str, fileformat: str) -> None:
    lines, options = buffer_form(content, replace(BUFFER, fileformat=fileformat))
    held = replace(
        BUFFER,
        lines=lines or ("",),
        empty=not lines,
        fileformat=options.fileformat,
        bom=options.bom,
        endofline=options.endofline,
    )
    assert buffer_text(held) == content


@pytest.mark.parametrize(
    ("content", "now", "fileformat"),
    [
        ("a\r\nb\r\n", "unix", "dos"),
        ("a\r\nb", "unix", "dos"),
        ("a\nb\r\n", "dos", "unix"),
        ("a\nb\n", "dos", "unix"),
        ("a", "dos", "dos"),
        ("a\rb\r", "mac", "mac"),
        ("a\rb\r", "unix", "unix"),
    ],
)
def test_the_file_format_follows_the_text(content: str, now: str, fileformat: str) -> None:
    assert buffer_form(content, replace(BUFFER, fileformat=now))[1].fileformat == fileformat


@pytest.mark.parametrize(
    ("content", "now"), [("é", "latin1"), ("€", "latin1"), ("\ufeffa", "cp1251"), ("a", "8bit-odd")]
)
def test_the_encoding_stays(content: str, now: str) -> None:
    held = replace(BUFFER, encoding=now)
    lines, options = buffer_form(content, held)
    assert options.encoding == now
    assert buffer_text(replace(held, lines=lines, endofline=options.endofline)) == content


def test_a_wide_buffer_takes_only_what_is_as_wide() -> None:
    wide = replace(BUFFER, encoding="utf-16le")
    lines, options = buffer_form("\udd16\ufeff€\n", wide)
    assert (lines, options.bom) == (("€",), True)
    for content, buffer in (("€\n", wide), ("\udd17€\n", wide), ("\udd16€\n", BUFFER)):
        with pytest.raises(NotRead):
            buffer_form(content, buffer)


@pytest.mark.parametrize(
    ("content", "lines", "ended", "apart"),
    [
        ("a\r\nb\r\n\x1a", ("a", "b"), True, True),
        ("a\r\nb\x1a", ("a", "b"), False, True),
        ("a\nb\n\x1a", ("a", "b", "\x1a"), False, False),
        ("\x1a", ("\x1a",), False, False),
    ],
)
def test_what_ends_a_file_of_dos_is_kept_apart(
    content: str, lines: tuple[str, ...], ended: bool, apart: bool
) -> None:
    held, options = buffer_form(content, BUFFER)
    assert (held, options.endofline, options.endoffile) == (lines, ended, apart)
    buffer = replace(BUFFER, lines=held, endofline=ended, endoffile=apart)
    assert buffer_text(replace(buffer, fileformat=options.fileformat)) == content


@given(CONTENT)
def test_lines_are_split_after_line_feeds_only(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert all(line and "\n" not in line[:-1] for line in lines)
    assert all(line.endswith("\n") for line in lines[:-1])


FIVE = "1\n2\n3\n4\n5\n"


@pytest.mark.parametrize(
    ("text", "line", "limit", "piece"),
    [
        (FIVE, None, None, FIVE),
        (FIVE, 2, 2, "2\n3\n"),
        (FIVE, 2, None, "2\n3\n4\n5\n"),
        (FIVE, None, 2, "1\n2\n"),
        (FIVE, 99, 5, ""),
        (FIVE, 1, 0, ""),
        (FIVE, 5, 9, "5\n"),
        (FIVE, 0, 1, "1\n"),
        (FIVE, -3, -1, ""),
        ("a\nb", 2, 1, "b"),
        ("a\nb", 3, None, ""),
        ("a\r\nb\r\n", 1, 1, "a\r\n"),
        ("a\r\nb\r\n", 2, 5, "b\r\n"),
        ("\ufeffa\nb\n", 1, 1, "\ufeffa\n"),
        ("a\x0bb\u2028c\nd", 1, 1, "a\x0bb\u2028c\n"),
    ],
)
def test_c227_c228_a_window_is_an_exact_piece(
    text: str, line: int | None, limit: int | None, piece: str
) -> None:
    assert window(text, line, limit) == piece


def test_merging_is_by_lines_with_their_ends() -> None:
    assert merged("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n")[0] == "A\nb\nC\n"
    assert merged("a\nb\nc", "A\nb\nc", "a\nb\nc\n")[0] == "A\nb\nc\n"
    assert merged("a\n", "b\n", "c\n")[1].conflicts == (ConflictRegion(0, 1, ("c",)),)


def test_old_mac_files_are_merged_by_their_lines() -> None:
    assert merged("a\rb\rc\r", "A\rb\rc\r", "a\rb\rC")[0] == "A\rb\rC"
    assert merged("a\rb\rc\n", "A\rb\rc\n", "a\rb\rC\n")[1].conflicts
    assert merged("a\rb", "a\rB", "a\rb\nc\n")[0] == "a\rB"


@given(CONTENT, CONTENT)
def test_what_one_side_alone_has_changed_is_as_that_side_has_it(base: str, new: str) -> None:
    """To the byte, however its lines end, and whatever stands before them."""
    assert merged(base, base, new)[0] == new
    assert merged(base, new, base)[0] == new
    assert with_theirs(base, base, new) == new


def test_what_fits_is_taken_and_the_places_are_those_of_the_outcome() -> None:
    base, ours, theirs = "a\nb\nc\nd\n", "a\nb\nc\nmine\n", "new\na\nb\nc\ntheirs\n"
    outcome = reconciled(base, ours, theirs)
    assert outcome == ("new\na\nb\nc\nmine\n", (ConflictRegion(4, 5, ("theirs",)),))


@pytest.mark.parametrize("content", ["a\r\nb\r\n", "\ufeffa\n", "a\rb", "a\n"])
def test_a_binary_buffer_holds_line_ends_and_marks_as_they_are(content: str) -> None:
    buffer = replace(BUFFER, binary=True)
    lines, options = buffer_form(content, buffer)
    assert "\n".join(lines) + ("\n" if options.endofline else "") == content
    assert (options.fileformat, options.bom) == ("unix", False)


def test_theirs_may_be_taken_where_both_changed_and_the_rest_of_ours_stays() -> None:
    base, ours, theirs = "a\nb\nc\nd\ne\n", "A\nb\nmine\nd\ne\n", "a\nb\ntheirs\nd\nE\n"
    assert with_theirs(base, ours, theirs) == "A\nb\ntheirs\nd\nE\n"


@pytest.mark.parametrize(
    ("ours", "theirs", "row", "expected"),
    [
        ("a\nmine\nc\nd\n", "a\nB\nB\nc\nd\n", 1, [(1, 3), (1, 3)]),
        ("a\nmine\nc\nmine\n", "a\nB\nB\nc\nD\n", 3, [(4, 5), (1, 3), (4, 5)]),
        ("a\nmine\nc\nmine\n", "a\nc\nD\n", 1, [(1, 2), (1, 2), (2, 3)]),
        ("a\nb\nc\nmine\n", "A\nand\nb\nc\nD\n", 3, [(4, 5), (4, 5)]),
    ],
)
def test_what_was_taken_is_found_in_the_text_that_has_it(
    ours: str, theirs: str, row: int, expected: list[tuple[int, int]]
) -> None:
    found = taken("a\nb\nc\nd\n", ours, theirs, range(row, row + 1))
    assert [(it.start, it.stop) for it in found] == expected


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a\nb\nc\n", "a\nb\nc\n"),
        ("a\nN\nu\nb\nc\n", "a\nN\nb\nc\n"),
        ("a\nb\nC\n", "a\nb\nC\n"),
        ("a\nM\nu\nc\n", "a\nM\nb\nc\n"),
        ("a\nc\n", "a\nb\nc\n"),
        ("", "a\nb\nc\n"),
    ],
)
def test_what_of_theirs_is_there_already(text: str, wanted: str) -> None:
    assert having("a\nb\nc\n", "a\nN\nM\nb\nC\n", text) == wanted


def test_half_of_a_file_takes_no_line_end_where_the_rest_stands_against_ours() -> None:
    both, conflicts = reconciled("1\n2\n3\n", "1\nmine\n3\n", "1\nha")
    assert both == "1\nmine\n3\n"
    assert conflicts
    assert reconciled("1\n2\n3\n", "mine\n2\n3\n", "1\n2\n3")[0] == "mine\n2\n3"
