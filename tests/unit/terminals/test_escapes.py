"""No string among the escape sequences reaches the terminal buffer, wherever it is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.terminals.escapes import EscapeFilter


def shown(*pieces: bytes) -> bytes:
    filter_ = EscapeFilter()
    return b"".join(filter_.feed(piece) for piece in pieces)


def obeyed(data: bytes) -> bool:
    """Say whether libvterm would begin a string in it (src/vterm/parser.c): the reference."""
    in_escape = has_intermediate = False
    for byte in data:
        if byte in (0x00, 0x7F):
            continue
        if byte in (0x18, 0x1A):
            in_escape = False
        elif byte == 0x1B:
            in_escape, has_intermediate = True, False
        elif byte < 0x20 or (in_escape and byte >= 0x80):
            continue
        elif in_escape and not has_intermediate and bytes([byte]) in b"]PX^_":
            return True
        elif in_escape and 0x20 <= byte < 0x30:
            has_intermediate = True
        else:
            in_escape = False
    return False


@pytest.mark.parametrize(
    ("said", "left"),
    [
        (b"a\x1b]52;c;aGFj\x07b", b"ab"),
        (b"a\x1b]52;c;aGFj\x1b\\b", b"a\x1b\\b"),
        (b"a\x1b\x00\r]52;c;aGFj\x07b", b"ab"),
        (b"a\x1b\xc3\xa9]52;c;aGFj\x07b", b"ab"),
        (b"a\x1b\x80\x1b\xff\n_x\x1b\\b", b"a\x1b\\b"),
        (b"\x1b\x1b]0;x\x07]52;c;aGFj\x07", b"]52;c;aGFj\x07"),
        (b"\x1bP1$r\x18x\x1b_y\x1az", b"xz"),
        (b"\x1b]0;no end", b""),
        (
            b"\x1b[31mred\x1b[0m \xe2\x82\xac\x1b[2J\x1b(B",
            b"\x1b[31mred\x1b[0m \xe2\x82\xac\x1b[2J\x1b(B",
        ),
    ],
)
def test_strings_are_left_out_and_nothing_else(said: bytes, left: bytes) -> None:
    assert shown(said) == left
    assert shown(*(said[at : at + 1] for at in range(len(said)))) == left


_BYTES = st.lists(
    st.sampled_from([bytes([it]) for it in b"\x00\x07\x0a\x18\x1b\x7f ]P\\[5a\x80\x9d\xe9"])
)


@given(st.lists(_BYTES.map(b"".join)))
def test_no_string_begins_however_it_is_cut(pieces: list[bytes]) -> None:
    assert not obeyed(shown(*pieces))
