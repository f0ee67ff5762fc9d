"""What the agent is told of its files, as text of bounded size."""

from __future__ import annotations

from acp_nvim.session.content import Resource, Text
from acp_nvim.view.review.note import (
    MOST_BYTES,
    MOST_FILES,
    MOST_LINE,
    MOST_NAMES,
    Drift,
    Unreadable,
    note,
)


def diff(*files: Drift) -> str:
    """Return the diff of a note that tells of these files."""
    made = note("changed", files)
    assert made is not None
    return made.diff


def test_nothing_to_tell_is_no_note() -> None:
    assert note("rejected", []) is None


def test_an_agent_that_takes_resources_gets_one() -> None:
    made = note("rejected", [Drift("a.py", "x\n", "y\n")])
    assert made is not None
    sentence, diff = made.text.split("\n\n", 1)
    assert made.content(embedded=True) == Resource(
        "acp-nvim://rejected.diff", text=made.text, mime_type="text/x-diff"
    )
    assert "rejected" in sentence
    assert diff == "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n+y\n"


def test_another_agent_gets_text_with_a_fence_that_holds() -> None:
    made = note("changed", [Drift("a.md", "", "```\ncode\n```\n")])
    assert made is not None
    block = made.content(embedded=False)
    assert isinstance(block, Text)
    sentence, fenced = block.text.split("\n\n", 1)
    assert "not by you" in sentence
    assert fenced.startswith("````diff\n--- a/a.md")
    assert fenced.endswith("+```\n````")


def test_labels_name_one_file_and_count_several() -> None:
    def label(*files: Drift) -> str:
        made = note("changed", files)
        return made.label if made else ""

    assert label(Drift("src/a.py", "x", "y")) == "changed: a.py"
    assert label(Drift("src/a.py", "x", "y", unsaved=True)) == "changed: a.py (unsaved)"
    assert label(Drift("a\x1b[31m.py", "x", "y")) == "changed: a␛[31m.py"
    assert label(Drift("a", "x", "y", unsaved=True), Drift("b", "x", "y")) == (
        "changed: 2 files (unsaved)"
    )


def test_files_that_hold_no_text_are_named() -> None:
    assert diff(Drift("a", "x\n", None), Drift("b", "x\n", Unreadable())) == (
        "a: deleted\nb: no text any more\n"
    )


def test_a_long_diff_is_left_to_the_agent_and_shorter_ones_are_not() -> None:
    long = Drift("long.py", "x\n", "y\n" * MOST_BYTES, unsaved=True)
    text = diff(long, Drift("short.py", "x\n", "y\n"))
    assert text.startswith(
        f"long.py: +{MOST_BYTES} −1 lines, not saved: read it again\n\n--- a/short"
    )
    assert len(text.encode()) < MOST_BYTES


def test_all_diffs_together_are_bounded() -> None:
    text = diff(*(Drift(f"{n}.py", "", "y" * 1000 + "\n" + "z\n" * 5_000) for n in range(15)))
    assert len(text.encode()) < MOST_BYTES + 15 * 100
    assert text.count(": +5001 −0 lines: read it again") == 15 - text.count("--- a/")
    assert 0 < text.count("--- a/") < 15


def test_a_line_that_nobody_reads_is_not_sent() -> None:
    assert diff(Drift("a.js", "x" * MOST_LINE, "y")) == "a.js: +1 −1 lines: read it again\n"


def test_many_files_are_named_and_the_rest_is_a_number() -> None:
    text = diff(*(Drift(f"{n:03}.py", "x\n", "y\n") for n in range(MOST_FILES + MOST_NAMES + 5)))
    assert text.count("--- a/") == MOST_FILES
    assert text.count("read it again") == MOST_NAMES
    assert "\n… and 5 more files\n" in text


def test_a_name_with_a_line_end_stays_in_its_line() -> None:
    assert diff(Drift("a\nb: deleted", "x\n", None)) == "a b: deleted: deleted\n"
    assert diff(Drift("a\nb", "x\n", "y\n", unsaved=True)).startswith("a b is not saved: ")


def test_what_was_rejected_is_counted_as_the_agents_edit_was() -> None:
    """An edit of +2 −1 that is undone does not read as +1 −2."""
    drift = Drift("a.py", "1\n2\nrest\n", "one\nrest\n")
    rejected, changed = note("rejected", [drift]), note("changed", [drift])
    assert rejected
    assert changed
    assert (rejected.size, changed.size) == ("+2 −1", "+1 −2")


def test_the_lines_of_a_file_that_is_gone_are_counted() -> None:
    rejected = note("rejected", [Drift("new", "a\nb\n", None), Drift("c", "1\n", "2\n")])
    assert rejected is not None and rejected.size == "+3 −1"
