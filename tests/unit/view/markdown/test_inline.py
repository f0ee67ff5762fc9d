"""What is seen of a line, and in which colours."""

from __future__ import annotations

import pytest

from acp_nvim.view.block import Conceal, Highlight, LineHighlight
from acp_nvim.view.markdown.inline import inline, shown
from acp_nvim.view.markdown.render import render


def coloured(text: str) -> list[tuple[str, str]]:
    marks = [mark for mark in inline(text, 0, len(text)) if isinstance(mark, Highlight)]
    return sorted((mark.group.removeprefix("Acp"), text[mark.start : mark.end]) for mark in marks)


def seen(text: str) -> str:
    return shown(text, 0, len(text), inline(text, 0, len(text)))


@pytest.mark.parametrize(
    ("text", "sight", "colours"),
    [
        ("a **b** c", "a b c", [("Bold", "b")]),
        ("*a* _b_ __c__", "a b c", [("Bold", "c"), ("Italic", "a"), ("Italic", "b")]),
        ("***a***", "a", [("BoldItalic", "a"), ("Italic", "**a**")]),
        ("**a *b* c**", "a b c", [("Bold", "a *b* c"), ("BoldItalic", "b")]),
        ("~~a~~ ~b~ ~~~c~~~", "a ~b~ ~~~c~~~", [("Strike", "a")]),
        ("a_b_c a__b__ 2*3*4", "a_b_c a__b__ 234", [("Italic", "3")]),
        ("** a ** *b", "** a ** *b", []),
        ("*a **b*", "*a *b", [("Italic", "b")]),
        ("`a*b*`", "a*b*", [("Code", "a*b*")]),
        ("`` a`b `` `c", " a`b  `c", [("Code", " a`b ")]),
        (r"\*a\* \`b\` \q", r"*a* `b` \q", []),
        ("[t](u)", "t", [("Link", "t")]),
        ("[a `]` b](<u v> 'w')", "a ] b", [("Code", "]"), ("Link", "a `]` b")]),
        ("**[t](u(v))**", "t", [("Bold", "[t](u(v))"), ("Link", "t")]),
        ("![alt](u) ![](u) [](u)", "alt ![](u) [](u)", [("Link", "alt")]),
        ("[a] (b) [c]", "[a] (b) [c]", []),
        ("<https://a.b> <b>", "https://a.b <b>", [("Url", "https://a.b")]),
        ("(https://a.b/c_(d)_e).", "(https://a.b/c_(d)_e).", [("Url", "https://a.b/c_(d)_e")]),
        ("**https://a.b**", "https://a.b", [("Bold", "https://a.b"), ("Url", "https://a.b")]),
    ],
)
def test_inline(text: str, sight: str, colours: list[tuple[str, str]]) -> None:
    assert (seen(text), coloured(text)) == (sight, colours)


@pytest.mark.parametrize(
    "text",
    ["*" * 10_000, "> " * 25_000, "a" * 100_000, "[" * 100_000, "**a" * 2000 + "\n" + "- " * 9000],
)
def test_overlong_lines_get_no_marks(text: str) -> None:
    assert all(not line.marks for line in render(text).lines)


@pytest.mark.parametrize("text", ["**", "*a ", "a**b", "[a](", "`a", "<a:", "![[a](", "> ", "- "])
def test_hostile_lines_below_the_limit_are_rendered(text: str) -> None:
    (line,) = render(text * (3900 // len(text))).lines
    assert not any(isinstance(mark, LineHighlight) for mark in line.marks)


def test_columns_are_bytes() -> None:
    (line,) = render("é **世** 👍 `x`").lines
    data = line.text.encode()
    marks = [mark for mark in line.marks if isinstance(mark, Highlight)]
    assert {data[mark.start : mark.end].decode() for mark in marks} == {"世", "x"}
    hidden = [mark for mark in line.marks if isinstance(mark, Conceal)]
    assert sorted(data[mark.start : mark.end].decode() for mark in hidden) == ["**", "**", "`", "`"]
