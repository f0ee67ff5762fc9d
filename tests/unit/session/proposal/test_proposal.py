"""What a tool call would change, in the shapes of real agents."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.session.content import Diff, Text
from acp_nvim.session.proposal.edit import NoFit, Proposal
from acp_nvim.session.proposal.proposal import contradicted, proposals, proposed
from acp_nvim.session.state import ToolCall

FILE = "one\ntwo\nthree\n"
CHANGED = "one\nTWO\nthree\n"


def call(raw: Any = None, *content: Diff | Text, kind: str = "edit", name: str = "") -> ToolCall:
    text = raw if raw is None or isinstance(raw, str) else json.dumps(raw)
    return ToolCall("tool:t", "t", 1, kind=kind, content=content, raw_input=text, name=name)


def only(tool: ToolCall) -> Proposal:
    (found,) = proposals(tool, "/w")
    return found


def after(tool: ToolCall, text: str | None = FILE) -> Any:
    """Return what the only file of the call would be; the reason where it does not fit."""
    outcome = proposed(text, only(tool))
    return outcome.reason if isinstance(outcome, NoFit) else outcome


UNIFIED = "@@ -1,3 +1,3 @@\n one\n-two\n+TWO\n three\n"
OPENCODE = f"Index: /w/a\n{'=' * 67}\n--- /w/a\n+++ /w/a\n{UNIFIED}"
GIT = f"diff --git a/a b/a\nindex 1..2 100644\n--- a/a\n+++ b/a\n{UNIFIED}"
CODEX = "*** Begin Patch\n*** Update File: a\n@@\n one\n-two\n+TWO\n*** End Patch\n"
BLOCKS = "<<<<<<< SEARCH\ntwo\n=======\nTWO\n>>>>>>> REPLACE"


@pytest.mark.parametrize(
    "raw",
    [
        # claude, gemini, qwen
        {"file_path": "/w/a", "old_string": "two", "new_string": "TWO"},
        # opencode
        {"filePath": "/w/a", "oldString": "two", "newString": "TWO"},
        {"filepath": "a", "diff": OPENCODE},
        # the text editor that models are trained on
        {"command": "str_replace", "path": "/w/a", "old_str": "two", "new_str": "TWO"},
        {"command": "create", "path": "/w/a", "file_text": CHANGED},
        # several edits, one after the other
        {
            "path": "a",
            "edits": [
                {"oldText": "two", "newText": "2"},
                {"oldText": "2\n", "newText": "TWO\n"},
            ],
        },
        {"path": "a", "edit": {"old": "two", "new": "TWO"}},
        # vibe, cline
        {"file_path": "/w/a", "content": BLOCKS},
        {"path": "a", "diff": "------- SEARCH\ntwo\n=======\nTWO\n+++++++ REPLACE\n"},
        # a whole file
        {"file_path": "/w/a", "content": CHANGED},
        # codex
        CODEX,
        {"input": CODEX},
        {"patchText": CODEX},
        {"changes": {"/w/a": {"type": "update", "unified_diff": UNIFIED, "move_path": None}}},
        {"changes": {"/w/a": {"update": {"unified_diff": UNIFIED, "move_path": None}}}},
        {"changes": [{"path": "/w/a", "kind": {"type": "update"}, "diff": UNIFIED}]},
        {"patch": GIT},
    ],
    ids=str,
)
def test_the_shapes_of_real_agents(raw: Any) -> None:
    tool = call(raw)
    assert only(tool).path == "/w/a"
    assert after(tool) == CHANGED


@pytest.mark.parametrize(
    "raw",
    [
        None,
        "",
        "null",
        "[1]",
        "no JSON",
        {"path": "/w/a"},
        {"old_string": "two", "new_string": "TWO"},
        {"path": "a", "old_string": "two"},
        {"path": "a", "edits": [{"old": "two", "new": "2"}, {"old": "one"}]},
        {"path": "a", "edits": ["two"]},
        {"path": "a", "command": "view", "content": "x"},
        {"path": "a", "command": "insert", "insert_line": "two", "insert_text": "x"},
        {"path": "a", "content": "more", "mode": "append"},
        {"path": "a", "content": "more", "append": True},
        {"changes": {"a": {"type": "update", "unified_diff": "nonsense"}}},
        {"changes": {"a": {"type": "add", "content": "x"}, "b": {"type": "x"}}},
        {"path": "a", "diff": UNIFIED.replace("1,3 +1,3", "1,4 +1,4")},
        {"path": "a", "diff": UNIFIED.replace(" three", "three")},
        {"path": "a", "diff": "the file gets shorter"},
        {"diff": UNIFIED},
        {"patch": GIT + "diff --git a/b b/c\nrename from b\nrename to c\n"},
        {"patch": GIT + "diff --git a/b b/b\nnew file mode 100644\n"},
        "*** Begin Patch\n*** Update File: a\n@@\n?two\n*** End Patch",
        "*** Begin Patch\n*** Add File: a\nno plus\n*** End Patch",
        "*** Begin Patch\nrm -rf\n*** End Patch",
        "*** Begin Patch\n*** Update File: a\n-two\n",
        "[" * 100_000,
    ],
    ids=lambda raw: str(raw)[:60],
)
def test_what_is_not_known_or_not_whole_proposes_nothing(raw: Any) -> None:
    assert proposals(call(raw), "/w") == ()


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [("edit", "", True), ("other", "write_file", True), ("other", "comment", False)]
    + [(kind, "write", False) for kind in ("read", "search", "execute", "fetch", "think")],
)
def test_a_path_and_a_text_are_a_file_only_for_a_tool_that_writes(
    kind: str, name: str, expected: bool
) -> None:
    tool = call({"path": "a", "content": "x"}, kind=kind, name=name)
    assert bool(proposals(tool, "/w")) is expected


def test_a_text_that_only_speaks_of_blocks_is_the_file() -> None:
    text = f"Write it like this:\n{BLOCKS}\n"
    assert after(call({"path": "a", "content": text})) == text


def test_several_blocks_one_after_the_other() -> None:
    second = "\n\n<<<<<<< SEARCH\nTWO\nthree\n=======\n>>>>>>> REPLACE\n"
    assert after(call({"file_path": "a", "content": BLOCKS + second})) == "one\n\n"


@pytest.mark.parametrize("key", ["replace_all", "replaceAll", "allow_multiple"])
def test_what_is_to_be_replaced_everywhere(key: str) -> None:
    raw = {"path": "a", "old_string": "x", "new_string": "y"}
    assert after(call({**raw, key: True}), "x x\n") == "y y\n"
    assert after(call({**raw, "expected_replacements": 2}), "x x\n") == "y y\n"
    assert "2 times" in after(call({**raw, key: False}), "x x\n")


def test_one_of_several_places_is_meant_if_only_it_is_whole_lines() -> None:
    raw = {"path": "a", "old_string": "two", "new_string": "2"}
    assert after(call(raw), "twofold\ntwo\n") == "twofold\n2\n"


def test_an_empty_old_text_makes_a_new_file() -> None:
    raw = {"path": "a", "old_string": "", "new_string": "x\n"}
    assert after(call(raw), None) == "x\n"
    assert "there already" in after(call(raw))


def test_a_file_that_is_not_there() -> None:
    assert "not there" in after(call({"path": "a", "old_string": "x", "new_string": "y"}), None)
    assert after(call({"path": "a", "content": "x"}), None) == "x"


@pytest.mark.parametrize(
    ("row", "expected"), [(0, "new\none\ntwo\n"), (2, "one\ntwo\nnew\n"), (3, "it has no line 3")]
)
def test_lines_are_inserted_behind_a_line(row: int, expected: str) -> None:
    raw = {"command": "insert", "path": "a", "insert_line": row, "new_str": "new"}
    assert after(call(raw), "one\ntwo\n") == expected


def test_inserting_at_the_end_of_a_file_without_a_final_line_end() -> None:
    raw = {"command": "insert", "path": "a", "insert_line": 1, "insert_text": "new\n"}
    assert after(call(raw), "one") == "one\nnew"


def test_deleted_and_moved_files() -> None:
    assert after(call({"path": "a"}, kind="delete")) is None
    both = proposals(call({"paths": ["a", "/w/b"]}, kind="delete"), "/w")
    assert [it.path for it in both] == ["/w/a", "/w/b"]
    moved = call({"source": "a", "destination": "b"}, kind="move")
    assert only(moved).moved_to == "/w/b"
    assert after(moved) == FILE


# --- patches


def test_a_patch_of_several_files() -> None:
    text = (
        "*** Begin Patch\n*** Add File: new\n+x\n+y\n*** Delete File: /w/old\n"
        "*** Update File: a\n*** Move to: b\n@@\n-two\n+TWO\n*** End Patch"
    )
    new, old, moved = proposals(call(text), "/w")
    assert (new.path, proposed(None, new)) == ("/w/new", "x\ny\n")
    assert (old.path, proposed("z", old)) == ("/w/old", None)
    assert (moved.path, moved.moved_to) == ("/w/a", "/w/b")
    assert proposed(FILE, moved) == CHANGED


def test_a_unified_diff_of_new_and_deleted_files() -> None:
    text = (
        "--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n"
        "--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n"
    )
    new, old = proposals(call({"diff": text}), "/w")
    assert (new.path, proposed(None, new)) == ("/w/new", "x\ny")
    assert (old.path, proposed("z\n", old)) == ("/w/old", None)
    assert isinstance(proposed("other\n", old), NoFit)


def test_a_patch_may_stand_elsewhere_but_not_on_other_lines() -> None:
    tool = call({"path": "a", "diff": UNIFIED})
    assert after(tool, "zero\nzero\n" + FILE) == "zero\nzero\n" + CHANGED
    assert "not in it" in after(tool, "one\ntwo \nthree\n")


def test_a_patch_takes_the_nearest_place() -> None:
    tool = call({"path": "a", "diff": UNIFIED.replace("-1,3 +1,3", "-7,3 +7,3")})
    assert after(tool, FILE * 4) == FILE * 2 + CHANGED + FILE


def test_the_hunks_of_a_patch_move_together() -> None:
    second = "@@ -6,2 +6,3 @@\n x\n+new\n y\n"
    tool = call({"path": "a", "diff": UNIFIED + second})
    text = FILE + "x\ny\nx\ny\n"
    assert after(tool, "0\n0\n" + text) == "0\n0\n" + CHANGED + "x\ny\nx\nnew\ny\n"


@pytest.mark.parametrize(
    ("text", "diff", "expected"),
    [
        ("a", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", "b\n"),
        ("a\n", "@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n", "b"),
        ("a", "@@ -1 +1,2 @@\n+b\n a\n\\ No newline at end of file\n", "b\na"),
        ("a\nb", "@@ -1 +1 @@\n-a\n+c\n", "c\nb"),
        ("a\n", "@@ -0,0 +1 @@\n+b\n", "b\na\n"),
        ("a\n", "@@ -1,1 +1,2 @@\n a\n+b\n", "a\nb\n"),
    ],
)
def test_the_final_line_end_of_a_patched_file(text: str, diff: str, expected: str) -> None:
    assert after(call({"path": "a", "diff": diff}), text) == expected


def test_codex_finds_a_place_by_the_line_above_it_and_by_the_end() -> None:
    body = "@@ def b():\n-  x\n+  y\n@@\n-end\n+END\n*** End of File\n"
    text = f"*** Begin Patch\n*** Update File: a\n{body}*** End Patch"
    assert after(call(text), "def a():\n  x\ndef b():\n  x\nend\nend\n") == (
        "def a():\n  x\ndef b():\n  y\nend\nEND\n"
    )


# --- diffs in the content


def test_a_diff_of_the_whole_file_and_one_of_a_fragment() -> None:
    assert after(call(None, Diff("/w/a", FILE, CHANGED))) == CHANGED
    assert after(call(None, Diff("/w/a", "two", "TWO"))) == CHANGED
    assert "not in it" in after(call(None, Diff("/w/a", "four", "4")))


def test_a_diff_without_an_old_text_is_the_whole_file() -> None:
    tool = call(None, Diff("/w/a", None, "new\n"))
    assert after(tool, None) == after(tool, FILE) == "new\n"


def test_fragments_of_one_file_are_one_proposal() -> None:
    tool = call(None, Diff("/w/a", "one", "1"), Diff("/w/b", None, ""), Diff("a", "two", "2"))
    first, second = proposals(tool, "/w")
    assert proposed(FILE, first) == "1\n2\nthree\n"
    assert [diff.new_text for diff in first.told] == ["1", "2"]
    assert second.path == "/w/b"


def test_the_input_says_whether_a_fragment_is_meant_everywhere() -> None:
    raw = {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": True}
    assert after(call(raw, Diff("/w/a", "x", "y")), "x x\n") == "y y\n"


def test_the_diff_counts_where_the_input_says_something_else() -> None:
    raw = {"file_path": "/w/a", "old_string": "three", "new_string": "rm -rf"}
    tool = call(raw, Diff("/w/a", "two", "TWO"))
    assert after(tool) == CHANGED
    misfit = call(raw, Diff("/w/a", "four", "4"))
    assert "not in it" in after(misfit)
    other_file = call({**raw, "file_path": "/w/b"}, Diff("/w/a", "two", "TWO"))
    assert [it.path for it in proposals(other_file, "/w")] == ["/w/a", "/w/b"]


def test_that_the_input_says_something_else_is_known() -> None:
    raw = {"file_path": "/w/a", "old_string": "three", "new_string": "rm -rf"}
    for diff in (Diff("/w/a", "two", "TWO"), Diff("/w/a", "four", "4")):
        assert contradicted(FILE, only(call(raw, diff)))
    gone = call({"path": "/w/a"}, Diff("/w/a", "two", "TWO"), kind="delete")
    assert contradicted(FILE, only(gone))
    same = {"file_path": "/w/a", "old_string": "two", "new_string": "TWO"}
    whole = {"file_path": "/w/a", "content": FILE.replace("two", "TWO")}
    for raw in (same, whole, {**same, "old_string": "two\nthree", "new_string": "TWO\nthree"}):
        for diff in (Diff("/w/a", "two", "TWO"), Diff("/w/a", FILE, FILE.replace("two", "TWO"))):
            assert not contradicted(FILE, only(call(raw, diff)))
    assert not contradicted(FILE, only(call({**same, "old_string": "2"}, Diff("/w/a", "two", "x"))))


def test_the_input_says_where_the_lines_of_a_diff_stand_that_is_no_fragment() -> None:
    text = FILE + FILE
    patch = "@@ -1,2 +1,2 @@\n one\n-two\n+2\n@@ -6 +6 @@\n-three\n+3\n"
    raw = {"changes": {"/w/a": {"type": "update", "unified_diff": patch}}}
    tool = call(raw, Diff("/w/a", "one\ntwo\nthree\n", "one\n2\n3\n"))
    assert "2 times" in after(tool, text), "they do not agree: two changes are not one"
    both = call(raw, Diff("/w/a", "two\n", "2\n"), Diff("/w/a", "three\n", "3\n"))
    assert after(both, text) == "one\n2\nthree\none\ntwo\n3\n"


def test_the_input_says_that_an_emptied_file_is_gone() -> None:
    raw = {"changes": {"/w/a": {"type": "delete", "content": FILE}}}
    assert after(call(raw, Diff("/w/a", FILE, ""))) is None


# --- line ends


def test_a_file_of_dos_keeps_its_line_ends() -> None:
    text = FILE.replace("\n", "\r\n")
    wanted = CHANGED.replace("\n", "\r\n")
    for raw in (
        {"path": "a", "old_string": "one\ntwo\n", "new_string": "one\nTWO\n"},
        {"path": "a", "old_string": "one\r\ntwo", "new_string": "one\r\nTWO"},
        {"path": "a", "content": CHANGED},
        {"path": "a", "diff": UNIFIED},
        {"command": "create", "path": "a", "file_text": wanted},
    ):
        assert after(call(raw), text) == wanted
    assert after(call(None, Diff("/w/a", FILE, CHANGED)), text) == wanted


def test_mixed_line_ends_are_matched_as_they_are() -> None:
    raw = {"path": "a", "old_string": "two\n", "new_string": "TWO\n"}
    assert after(call(raw), "one\r\ntwo\nthree\r\n") == "one\r\nTWO\nthree\r\n"


def test_a_byte_order_mark_stays() -> None:
    assert after(call(None, Diff("/w/a", FILE, CHANGED)), "\ufeff" + FILE) == "\ufeff" + CHANGED
    assert after(call({"path": "a", "content": "\ufeffx"}), "\ufeff") == "\ufeffx"


NAMES = (
    "path file_path edits edit old_string new_string content diff command insert_line changes type"
    " kind input mode paths"
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from([BLOCKS, CODEX, GIT, UNIFIED, "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(NAMES.split()), inner, max_size=5)
    ),
    max_leaves=12,
)


@given(ANYTHING, st.sampled_from(["edit", "delete", "move", "other"]), st.text(max_size=40))
def test_no_input_is_too_odd(raw: Any, kind: str, text: str) -> None:
    for found in proposals(call(raw, kind=kind), "/w"):
        assert found.path.startswith("/")
        for held in (None, "", text, FILE):
            proposed(held, found)
