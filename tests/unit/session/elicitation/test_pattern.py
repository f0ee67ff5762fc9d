from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_nvim.session.elicitation.form import matches

ASKED = [
    "^a*$",
    r"^\d{3}-\d{4}$",
    "[a-z]{2,3}",
    "^(foo|bar)?$",
    "x{2,}",
    r"^[A-Z][\w-]*$",
    r"\bab\b",
    "a|",
    r"\.",
    r"^[^@\s]+@[^@]+$",
    "a+?b",
    "a{0}b",
    r"\u0041\x42",
    "[[]a",
    ".",
]


@pytest.mark.parametrize("pattern", ASKED)
@given(text=st.text(alphabet="abcxfoo@1-_A.B[ \n", max_size=8))
def test_it_finds_what_re_finds(pattern: str, text: str) -> None:
    same = pattern.replace("[[]", r"[\[]")
    assert matches(pattern, text) is bool(re.search(same, text, re.ASCII))


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", "a)", "*a", "(?=a)b", "(?<!a)b", r"(a)\1", r"\p{L}", "[z-a]", "a{2,1}", "\\"),
        "a" * 2000,
        "(" * 900,
        "(a{99}){99}",
        "a{99999999999}",
        "(a+)+$",
        "(a|a)*b",
        "(?:a|aa)+$",
        "(a|aa)" * 30 + "b",
        "a?" * 40 + "a" * 40,
        "a*" * 8 + "b",
        "(?<year>1)",
    ],
)
def test_what_is_left_to_the_agent(pattern: str) -> None:
    assert matches(pattern, "a" * 40) is None


def test_too_long_a_text_is_left_to_the_agent() -> None:
    assert matches("^a+$", "a" * 900) is True
    assert matches("^a+$", "a" * 10_000) is None


@settings(deadline=2_000)
@given(
    pattern=st.lists(
        st.sampled_from(
            ("a", "b", ".", "[ab]", "(", ")", "(?:", "|", "*", "+", "?", "{2,}", "{30}")
        )
    ).map("".join),
    length=st.sampled_from((0, 1, 9, 30, 99, 999)),
)
def test_no_pattern_takes_long(pattern: str, length: int) -> None:
    matches(pattern, "a" * length + "!")
