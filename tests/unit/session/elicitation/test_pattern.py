from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.session.elicitation.pattern import NotFollowed, search

PATTERNS = [
    "^a*$",
    "(a+)+$",
    r"^\d{3}-\d{4}$",
    "[a-z]{2,3}",
    "^(foo|bar)?$",
    "x{2,}",
    r"^[A-Z][\w-]*$",
    r"\bab\b",
    "a|",
    "^(?:ab){2}c?$",
    r"\.",
    r"^[^@\s]+@[^@]+$",
    "(a|b)*c",
    "a+?b",
    "^(a?){3}b$",
    "^(a*)*$",
    "^(?<year>1{1,2})$",
    "a{0}b",
    r"\u0041\x42",
    "[[]a",
    ".",
]


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=st.text(alphabet="abcxfoo@1-_A.B[ \n", max_size=8))
def test_it_finds_what_re_finds(pattern: str, text: str) -> None:
    same = pattern.replace("$", r"\Z").replace("(?<", "(?P<").replace("[[]", r"[\[]")
    assert search(pattern, text) == bool(re.search(same, text, re.ASCII))


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", "a)", "*a", "(?=a)b", "(?<!a)b", r"(a)\1", r"\p{L}", "[z-a]", "a{2,1}", "\\"),
        "a" * 2000,
        "(a{99}){99}",
        "a{9999}",
    ],
)
def test_what_it_does_not_follow(pattern: str) -> None:
    with pytest.raises(NotFollowed):
        search(pattern, "aaa")


def test_too_long_a_text_is_not_followed() -> None:
    with pytest.raises(NotFollowed):
        search("(a?){100}b", "a" * 10_000)
