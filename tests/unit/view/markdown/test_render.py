"""A streamed message looks as it would at once, and keeps the lines that did not change."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_nvim.view.block import Conceal, Highlight, Line, LineHighlight, Mark, VirtualText
from acp_nvim.view.markdown.render import LOOSE, Fit, Rendered, render

FRAGMENTS = st.sampled_from(
    [
        *"ab *_`~[]()<>|#->+\\é世\n\r\t:!",
        *("**", "~~", "```", "\n```", "\n```\n", "~~~", "\n```py\n", "\n```diff\n+a\n-b\n", "\n> "),
        *("\n- ", "\n1. ", "- [x] ", "\n\n", "---", "\n***\n", "https://x.y/", "](", "![", "\x1b["),
        *("\n|a|**b**|\n", "|-|-|\n", "| - | :-: |\n", "| 世 | `x` |\n", "\n| a", "\n  ", "\u202e"),
        *("def f(x):", '"""', "\ud800", "👩\u200d🚀", "⚠\ufe0f", "> > ", "<https://a>", "\\|"),
    ]
)
TEXTS = st.lists(FRAGMENTS, max_size=60).map("".join)


def streamed(text: str, cuts: list[int], fit: Fit = LOOSE) -> Rendered:
    rendered = render("")
    for cut in [*sorted(cut % (len(text) + 1) for cut in cuts), len(text)]:
        rendered = render(text[:cut], rendered, fit=Fit(fit.room))
    return render(text, rendered, fit=fit)


def columns(mark: Mark) -> tuple[int, ...]:
    match mark:
        case Highlight(start, end) | Conceal(start, end):
            assert start < end
            return start, end
        case VirtualText(column):
            return (column,)
        case LineHighlight():
            return ()


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.lists(st.integers(0, 500), max_size=12))
def test_any_chunking_gives_the_lines_of_one_shot(text: str, cuts: list[int]) -> None:
    assert streamed(text, cuts).lines == render(text).lines


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_character_by_character(text: str) -> None:
    assert streamed(text, list(range(len(text)))).lines == render(text).lines


@settings(max_examples=400, deadline=None)
@given(TEXTS)
def test_marks_lie_on_characters_of_their_line(text: str) -> None:
    for line in render(text).lines:
        data = line.text.encode()
        assert b"\n" not in data
        for column in (column for mark in line.marks for column in columns(mark)):
            assert 0 <= column <= len(data)
            data[:column].decode()


@settings(max_examples=200, deadline=None)
@given(TEXTS, TEXTS)
def test_equal_lines_are_the_same_objects(first: str, second: str) -> None:
    before = render(first)
    after = render(first + second, before)
    for old, new in zip(before.lines, after.lines, strict=False):
        assert old is new or old != new
    again = render(first + second + "\n", after)
    for old, new in zip(after.lines, again.lines, strict=False):
        assert old is new or old != new


def test_text_is_kept_line_for_line() -> None:
    text = "# a  \n\n* **b** \n\n    | c |\n"
    assert [line.text for line in render(text).lines] == text.split("\n")[:-1]


def test_no_text_has_no_lines() -> None:
    assert render("").lines == ()
    assert render("\n").lines == (Line(""),)


def test_windows_line_ends_split_between_chunks() -> None:
    open_line = render("a\r")
    assert [line.text for line in open_line.lines] == ["a␍"]
    assert [line.text for line in render("a\r\nb", open_line).lines] == ["a", "b"]


def test_another_text_starts_anew() -> None:
    before = render("- a\n- b\n")
    assert render("# c", before).lines == render("# c").lines
    assert render("- a\n- b\n", before) is before


def test_settled_lines_are_the_same_objects_through_a_long_message() -> None:
    text = "".join(f"- line **{number}** of `many`\n" for number in range(300))
    whole = [render(text[:end]) for end in (0,)]
    for end in range(0, len(text), 37):
        whole.append(render(text[:end], whole[-1]))
    for before, after in pairwise(whole):
        settled = max(len(before.lines) - 1, 0)
        assert all(a is b for a, b in zip(before.lines[:settled], after.lines, strict=False))


def test_what_is_harmful_is_visible() -> None:
    (line,) = render("a\x1b[31m **\u202eb**").lines
    assert line.text == "a␛[31m **<U+202E>b**"


@given(TEXTS, st.lists(st.integers(0, 10_000), max_size=4), st.integers(1, 40), st.booleans())
def test_a_text_that_is_laid_out_for_a_window_looks_as_it_would_at_once(
    text: str, cuts: list[int], room: int, is_over: bool
) -> None:
    fit = Fit(room, is_over)
    at_once = render(text, fit=fit)
    assert streamed(text, cuts, fit) == at_once
    assert [it.text for it in at_once.lines] == [it.text for it in render(text).lines]
    for line in at_once.lines:
        size = len(line.text.encode("utf-8", "surrogatepass"))
        assert all(0 <= column <= size for mark in line.marks for column in columns(mark))
