from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.session.plain_text import collapsed, plain

CASES = [
    ("a\nb\n", "a\nb\n"),
    ("a\r\nb\r\n", "a\nb\n"),
    ("a\r\r\nb", "a\nb"),
    ("\x1b[1;31mred\x1b[m \x1b(Bplain", "red plain"),
    ("\x1b]0;a title\x07x\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "xlink"),
    ("10%\r20%\r\x1b[Kdone", "done"),
    ("10%\r\x1b[2Kok", "ok"),
    ("abcdef\r\x1b[2C\x1b[1Kx", "xbcdef"),
    ("abc\b\b\b\bX", "Xbc"),
    ("tab\there", "tab\there"),
    ("bell\x07 nul\x00 del\x7f", "bell nul del"),
    ("cut short \x1b[3", "cut short "),
    ("cut short \x1b", "cut short "),
    ("long\rlo", "long"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "shown"), CASES)
def test_what_is_left_of_a_text(text: str, shown: str) -> None:
    assert plain(text) == shown


TEXTS = st.text(alphabet="ab\r\n\b\t\x1b[]K012;m\x07", max_size=40)


@given(TEXTS)
def test_it_is_idempotent(text: str) -> None:
    assert plain(plain(text)) == plain(text)


@given(st.text(alphabet="abc\r\b", max_size=20), st.text(alphabet="xyz\r\b", max_size=20))
def test_a_shorter_start_goes_on_in_the_same_way(start: str, rest: str) -> None:
    assert plain(collapsed(start) + rest) == plain(start + rest)
