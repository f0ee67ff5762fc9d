"""Unified diffs: git applies them, and says that they mean what was meant."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_nvim.hunks import diff, split_lines
from acp_nvim.view.diff.unified import body, counts, header, unified

LINES = st.sampled_from(
    ["a\n", "b\n", "\n", " a\n", "-b\n", "+c\n", "\\ d\n", "e\r\n", "\x0cf\x85\n"]
)
TEXTS = st.builds(
    lambda lines, rest: "".join(lines) + rest,
    st.lists(LINES, max_size=40),
    st.sampled_from(["", "", "end", "é"]),
)
ANY_TREE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def applied(folder: Path, name: str, before: str | None, patch: str) -> str | None:
    """Return what git makes of a file by that patch."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    if before is not None:
        file.write_bytes(before.encode())
    command = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(command, cwd=folder, input=patch.encode(), check=True, capture_output=True)
    return file.read_bytes().decode() if file.exists() else None


@settings(ANY_TREE, max_examples=60)
@given(before=TEXTS, after=TEXTS)
def test_git_makes_the_new_text_of_the_old_one(tmp_path: Path, before: str, after: str) -> None:
    patch = unified("src/a.py", before, after)
    if before == after:
        assert patch == ""
    else:
        assert applied(tmp_path, "src/a.py", before, patch) == after


@settings(ANY_TREE, max_examples=60)
@given(before=TEXTS, after=TEXTS)
def test_each_hunk_stands_at_its_number_on_both_sides(before: str, after: str) -> None:
    old, new = split_lines(before), split_lines(after)
    for hunk in hunks_of("".join(body(old, diff(old, new)))):
        first, size, begin, count = hunk.ranges
        assert hunk.side("-") == [*old[first : first + size]]
        assert hunk.side("+") == [*new[begin : begin + count]]


class Parsed:
    """A hunk as a reader takes it."""

    def __init__(self, head: str) -> None:
        _, old, new, _ = head.split(" ")
        self.ranges = (*self._range(old), *self._range(new))
        self.rows: list[str] = []

    def side(self, sign: str) -> list[str]:
        return [row[1:] for row in self.rows if row[0] in (" ", sign)]

    @staticmethod
    def _range(text: str) -> tuple[int, int]:
        first, _, size = text[1:].partition(",")
        length = int(size or 1)
        return int(first) - (1 if length else 0), length


def hunks_of(text: str) -> list[Parsed]:
    """Return the hunks of a diff without its header."""
    found: list[Parsed] = []
    for row in split_lines(text):
        if row.startswith("@@"):
            found.append(Parsed(row))
        elif row.startswith("\\"):
            found[-1].rows[-1] = found[-1].rows[-1].removesuffix("\n")
        else:
            found[-1].rows.append(row)
    return found


def test_a_change_stands_with_three_lines_around_it_and_its_numbers() -> None:
    before = "".join(f"{number}\n" for number in range(1, 21))
    after = before.replace("10\n", "ten\n10½\n")
    assert unified("n.txt", before, after) == (
        "--- a/n.txt\n+++ b/n.txt\n@@ -7,7 +7,8 @@\n 7\n 8\n 9\n-10\n+ten\n+10½\n 11\n 12\n 13\n"
    )


def test_changes_that_are_near_share_a_hunk_and_others_do_not() -> None:
    before = "".join(f"{number}\n" for number in range(40))
    near, far = before.replace("10\n", "x\n").replace("17\n", "y\n"), before.replace("10\n", "x\n")
    assert unified("n", before, near).count("@@ -") == 1
    assert unified("n", before, far.replace("18\n", "y\n")).count("@@ -") == 2


def test_a_missing_line_end_is_said_on_each_side_that_misses_it() -> None:
    assert unified("n", "a", "a\n") == (
        "--- a/n\n+++ b/n\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"
    )


@pytest.mark.parametrize(("before", "after"), [(None, "a\nb"), ("a\n", None)])
def test_a_file_comes_and_goes(tmp_path: Path, before: str | None, after: str | None) -> None:
    patch = unified("new.py", before, after)
    assert patch.startswith(
        "--- /dev/null\n" if before is None else "--- a/new.py\n+++ /dev/null\n"
    )
    assert applied(tmp_path, "new.py", before, patch) == after


def test_an_empty_file_that_comes_is_named() -> None:
    assert unified("new.py", None, "") == "--- /dev/null\n+++ b/new.py\n"


@pytest.mark.parametrize(
    "name", ["my file.txt", "tab\there", 'quo"te', "back\\slash", "ü b", "\x01"]
)
def test_any_name_is_written_so_that_git_finds_it(tmp_path: Path, name: str) -> None:
    assert applied(tmp_path, name, "a\n", unified(name, "a\n", "b\n")) == "b\n"


def test_a_file_elsewhere_has_its_whole_path() -> None:
    assert header("/else/a.py") == "--- /else/a.py\n+++ /else/a.py\n"


def test_counts_are_lines_that_come_and_go() -> None:
    assert counts(diff(["a\n", "b\n", "c\n"], ["a\n", "x\n", "y\n", "c\n"])) == (2, 1)


def test_numbers_are_right_at_the_end_of_a_hundred_thousand_lines() -> None:
    before = "".join(f"line {number}\n" for number in range(100_000))
    after = before.replace("line 5\n", "").replace("line 99999\n", "last\n")
    patch = unified("long.txt", before, after)
    assert patch.count("@@ -") == 2
    assert "@@ -99997,4 +99996,4 @@\n" in patch
