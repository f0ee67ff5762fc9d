"""A unified diff in colours."""

from __future__ import annotations

from acp_nvim.session.content import Resource
from acp_nvim.view.block import Highlight, Line, LineHighlight
from acp_nvim.view.chat.attachment import attachment
from acp_nvim.view.diff.change import diff_lines


def groups(text: str) -> list[str]:
    """Return the group of each line, "" for a plain one."""
    return [
        next((mark.group for mark in line.marks if isinstance(mark, Highlight | LineHighlight)), "")
        for line in diff_lines(text)
    ]


def test_each_line_has_the_colour_of_its_sign() -> None:
    text = "Words:\n\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n"
    assert groups(text) == [
        *("", "", "AcpDiffFile", "AcpDiffFile", "AcpDiffHunk"),
        *("", "AcpDiffDelete", "AcpDiffAdd"),
    ]


def test_a_removed_line_of_dashes_is_no_name() -> None:
    assert groups("--- sql comment") == ["AcpDiffDelete"]


def test_what_is_harmful_is_made_visible() -> None:
    assert diff_lines("+\x1b[2J\u202e")[0].text == "+␛[2J<U+202E>"


def test_a_diff_that_goes_along_is_folded_and_opens_in_colours() -> None:
    note = Resource("acp-nvim://rejected.diff", text="Why:\n\n-old\n", mime_type="text/x-diff")
    (head,) = attachment(note, "/work", is_open=False)
    assert head.text == "@rejected.diff"
    shown = attachment(note, "/work", is_open=True)
    assert shown == (head, Line("Why:"), Line(""), *diff_lines("-old"))
