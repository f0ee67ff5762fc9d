"""Nothing harmful or invisible passes: this is what permission text is shown through."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.view.visible import one_line, visible

# Surrogates included; half of the draws from what an attacker would choose.
HOSTILE = st.sampled_from(
    "\x00\x07\x08\t\n\r\x1b\x7f\x85\x9b\xad\u034f\u061c\u115f\u180e\u200b\u200c\u200d\u200e\u202a\u202e"
    "\u2028\u2029\u2060\u2066\u2069\u3164\ud800\udfff\ufe0e\ufe0f\ufeff\ufff9\uffa0\U000e0001\U000e0041"
    "\U000e0100\U0001d173👩🚀🏳🏽⚠❤1#*a(<\u20e3"
)
TEXT = st.lists(st.one_of(HOSTILE, st.characters(codec=None))).map("".join)
SAFE_JOINER = re.compile("(?<=[^\\w\\s<>()])\u200d(?=[^\\w\\s<>()])")
BAD = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def harmful(text: str) -> list[str]:
    """What must never be in visible text; the joiner only where no emoji stand on its sides."""
    rest = SAFE_JOINER.sub("", text)
    return [c for c in rest if unicodedata.category(c) in BAD and c not in "\n\t"]


@given(TEXT)
def test_nothing_harmful_passes(text: str) -> None:
    assert not harmful(visible(text))


@given(TEXT)
def test_visible_is_idempotent_and_encodable(text: str) -> None:
    shown = visible(text)
    assert visible(shown) is shown or visible(shown) == shown
    shown.encode()


@given(TEXT, st.integers(0, 20))
def test_one_line_is_short_and_harmless(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit
    assert "\n" not in line
    assert "\t" not in line
    assert not harmful(line)
    assert visible(line) == line


def test_every_code_point_by_itself() -> None:
    for code in range(sys.maxunicode + 1):
        character = chr(code)
        if unicodedata.category(character) in BAD and character not in "\n\t":
            assert not harmful(visible(character)), hex(code)
            assert visible(character), hex(code)


def test_clean_text_is_the_same_object() -> None:
    text = "Grüße, 世界: «a\tb»\n\ue0b0 é é"
    assert visible(text) is text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "␛[31mred␛[0m"),
        ("a\x00b\x7f", "a␀b␡"),
        ("\x9b2J\x85", "<9b>2J<85>"),
        ("a\r\nb\rc\r", "a\nb␍c␍"),
        ("\r\r\n", "␍\n"),
        ("access\u202e txt.exe", "access<U+202E> txt.exe"),
        ("a\u2028b\u2029c", "a<U+2028>b<U+2029>c"),
        ("pass\u200bword\ufeff", "pass<U+200B>word<U+FEFF>"),
        ("\ud83d", "\ufffd"),
        ("\U000e0041", "<U+E0041>"),
        ("soft\xadhyphen", "soft<U+00AD>hyphen"),
        ("a\u200db", "a<U+200D>b"),
        ("👩\u200da", "👩<U+200D>a"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("🏳\ufe0f\u200d🌈", "🏳\ufe0f\u200d🌈"),
        ("👩🏽\u200d🚀", "👩🏽\u200d🚀"),
        ("⚠\ufe0f 1\ufe0f\u20e3", "⚠\ufe0f 1\ufe0f\u20e3"),
        ("a\ufe0f \u3164", "a<U+FE0F> <U+3164>"),
    ],
)
def test_forms(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize(
    ("text", "limit", "line"),
    [
        ("a\n  b\r\n\n\tc", 80, "a b c"),
        ("rm  -rf\tx", 80, "rm  -rf x"),
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("abc def", 5, "abc…"),
        ("👩\u200d🚀🚀", 3, "👩…"),
        ("ab", 0, ""),
        ("", 0, ""),
    ],
)
def test_one_line(text: str, limit: int, line: str) -> None:
    assert one_line(text, limit) == line
