from __future__ import annotations

import itertools
import random
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acp_nvim.hunks import (
    RECENT,
    ConflictRegion,
    Effort,
    Hunk,
    Memo,
    Reconciled,
    applied,
    apply,
    bare_lines,
    diff,
    join_lines,
    reconcile,
    split_lines,
)

TEXTS = st.lists(st.sampled_from("abcdefgh"), max_size=40)
LONG_TEXTS = st.lists(st.integers(0, 300).map(str), max_size=400)


def size(hunks: Sequence[Hunk]) -> int:
    return sum(hunk.last - hunk.first + len(hunk.lines) for hunk in hunks)


def check(old: list[str], new: list[str]) -> None:
    hunks = diff(old, new)
    assert apply(old, hunks) == new
    assert all(one.last < two.first for one, two in itertools.pairwise(hunks))
    assert all(hunk.first < hunk.last or hunk.lines for hunk in hunks)


@given(TEXTS, TEXTS)
def test_hunks_make_the_new_text_of_the_old(old: list[str], new: list[str]) -> None:
    check(old, new)


@given(LONG_TEXTS, LONG_TEXTS)
@settings(max_examples=40, deadline=None)
def test_also_where_the_search_is_cut_short(old: list[str], new: list[str]) -> None:
    check(old, new)


@pytest.mark.parametrize(
    ("old", "new", "hunks"),
    [
        ("abc", "abc", ()),
        ("", "a", (Hunk(0, 0, ("a",)),)),
        ("a", "", (Hunk(0, 1, ()),)),
        ("abc", "aXc", (Hunk(1, 2, ("X",)),)),
        ("abcdef", "xabcef", (Hunk(0, 0, ("x",)), Hunk(3, 4, ()))),
        ("abab", "ab", (Hunk(2, 4, ()),)),
    ],
)
def test_hunks_are_the_fewest(old: str, new: str, hunks: tuple[Hunk, ...]) -> None:
    assert diff(list(old), list(new)) == hunks


def test_lines_that_occur_once_hold_the_rest_together() -> None:
    """Two functions change place and body: their heads are matched, not their braces."""
    old = ["f {", *[f"x{n}" for n in range(9)], "}", "", "g {", *[f"y{n}" for n in range(9)], "}"]
    new = ["f {", *[f"p{n}" for n in range(9)], "}", "", "g {", *[f"q{n}" for n in range(9)], "}"]
    assert [(hunk.first, hunk.last) for hunk in diff(old, new)] == [(1, 10), (13, 22)]


@pytest.mark.parametrize("kinds", [2, 4, 200, 8000])
def test_long_texts_without_order_are_no_trap(kinds: int) -> None:
    source = random.Random(kinds)
    old, new = ([str(source.randrange(kinds)) for _ in range(4000)] for _ in range(2))
    check(old, new)


def test_few_edits_in_a_long_text_are_small_hunks() -> None:
    old = [f"line {n % 7}" for n in range(20_000)]
    new = [*old[:100], "new", *old[100:9_000], *old[9_002:19_990], "x", *old[19_991:]]
    assert size(diff(old, new)) <= 5
    check(old, new)


def test_a_text_made_to_defeat_the_anchors() -> None:
    old = [name for n in range(1500) for name in (f"c{n + 2}", f"c{n}")]
    new = [f"{name}!" if n % 3 == 0 else name for n, name in enumerate(old)]
    check(old, new)
    check(["q", *old], [f"c{n}" for n in range(1500)])


# --- merge


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("abcde", "Abcde", "abcdE", "AbcdE"),
        ("abcde", "xabcde", "abcdey", "xabcdey"),
        ("abcde", "ace", "abcde", "ace"),
        ("abc", "aXc", "aXc", "aXc"),
        ("abcdef", "aXXcdef", "abcdef", "aXXcdef"),
        ("abcdef", "abcdef", "aXcdf", "aXcdf"),
        ("abcdefg", "bcdeg", "abXdefgh", "bXdegh"),
        ("", "a", "a", "a"),
    ],
)
def test_edits_apart_are_both_kept(base: str, ours: str, theirs: str, merged: str) -> None:
    outcome = reconcile(list(base), list(ours), list(theirs))
    assert not outcome.conflicts
    assert "".join(apply(list(ours), outcome.hunks)) == merged


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "first", "last", "lines"),
    [
        ("abc", "aXc", "aYc", 1, 2, "Y"),
        ("abcd", "aXcd", "abYd", 1, 3, "bY"),
        ("abc", "aXbc", "aYbc", 1, 2, "Y"),
        ("abcd", "acd", "aXcd", 1, 1, "X"),
        ("abcdef", "xxabcXef", "abcYef", 5, 6, "Y"),
        ("", "a", "b", 0, 1, "b"),
    ],
)
def test_edits_of_the_same_place_conflict(
    base: str, ours: str, theirs: str, first: int, last: int, lines: str
) -> None:
    found = reconcile(list(base), list(ours), list(theirs)).conflicts
    assert found[0] == ConflictRegion(first, last, tuple(lines))


def test_what_fits_is_taken_around_the_conflicts() -> None:
    base, ours, theirs = list("abcdefgh"), list("xaBcdeFgh"), list("abcDeYgH")
    outcome = reconcile(base, ours, theirs)
    taken = (Hunk(4, 5, ("D",)), Hunk(8, 9, ("H",)))
    assert outcome == Reconciled(taken, (ConflictRegion(6, 7, ("Y",)),))
    assert "".join(apply(ours, outcome.hunks)) == "xaBcDeFgH"


@given(TEXTS, TEXTS)
def test_one_side_alone_never_conflicts(base: list[str], changed: list[str]) -> None:
    assert reconcile(base, changed, base) == Reconciled((), ())
    assert reconcile(base, changed, changed) == Reconciled((), ())
    outcome = reconcile(base, base, changed)
    assert not outcome.conflicts
    assert apply(base, outcome.hunks) == changed


@st.composite
def edited(draw: st.DrawFn, base: list[str], mark: str) -> list[str]:
    """Change, drop or add some lines; no line occurs twice, so that there is one right diff."""
    text: list[str] = []
    for line in base:
        how = draw(st.sampled_from(["keep"] * 8 + ["change", "drop", "add", "same"]))
        text += [f"{mark}+{line}"] if how == "add" else []
        text += {"change": [f"{mark}{line}"], "drop": [], "same": [f"!{line}"]}.get(how, [line])
    return text


@given(st.data())
@settings(max_examples=60, deadline=None)
@pytest.mark.skipif(shutil.which("git") is None, reason="git is the oracle")
def test_agrees_with_git_merge_file(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    base = [f"line {n}" for n in range(data.draw(st.integers(0, 25)))]
    ours, theirs = data.draw(edited(base, "o")), data.draw(edited(base, "t"))
    folder = tmp_path_factory.mktemp("merge")
    outcome = reconcile(base, ours, theirs)
    write(folder, ours, base, theirs)
    # Without its "zealous" joining of conflicts that are near each other: the places themselves.
    text, places = git_places(git_merge(folder, "--diff3"))
    assert places == [
        (ours[conflict.first : conflict.last], list(conflict.lines))
        for conflict in outcome.conflicts
    ]
    assert apply(ours, outcome.hunks) == git_merge(folder, "--ours") == text


def write(folder: Path, *texts: list[str]) -> None:
    for name, text in zip(("ours", "base", "theirs"), texts, strict=True):
        folder.joinpath(name).write_text("".join(f"{line}\n" for line in text))


def git_merge(folder: Path, how: str) -> list[str]:
    """Return the merge of ours, base and theirs."""
    command = ["git", "merge-file", "-p", "-q", how, "ours", "base", "theirs"]
    outcome = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert 0 <= outcome.returncode < 128, outcome.stderr
    return outcome.stdout.splitlines()


def git_places(merged: list[str]) -> tuple[list[str], list[tuple[list[str], list[str]]]]:
    """Return the text with ours at the conflicts, and both sides of each."""
    text: list[str] = []
    places: list[tuple[list[str], list[str]]] = []
    side = ""
    for line in merged:
        if line[:7] in ("<" * 7, "|" * 7, "=" * 7, ">" * 7):
            side = line[0].replace(">", "")
            places += [([], [])] if side == "<" else []
            continue
        if side in ("", "<"):
            text.append(line)
        if side in ("<", "="):
            places[-1][side == "="].append(line)
    return text, places


@given(
    st.integers(0, 400), st.lists(st.sampled_from("abcdef")), st.lists(st.sampled_from("abcdef"))
)
def test_with_any_effort_the_hunks_make_the_one_of_the_other(
    steps: int, old: list[str], new: list[str]
) -> None:
    assert apply(old, diff(old, new, Effort(steps))) == new


def test_a_comparison_that_would_take_for_ever_is_ended() -> None:
    old = [f"line {number}" for number in range(20_000)]
    new = sorted(old, key=lambda line: line[::-1])
    effort = Effort(1_000)
    [hunk] = diff(old, new, effort)
    assert apply(old, [hunk]) == new
    assert effort.is_spent


def test_what_is_a_part_of_a_whole_spends_that_too() -> None:
    whole = Effort(10)
    assert Effort(8, whole).spend(8)
    part = Effort(8, whole)
    assert not part.spend(3)
    assert part.is_spent
    assert whole.is_spent


# --- what was made of long texts a moment ago

TEXT = "".join(f"line {number}\n" for number in range(5_000))


def test_what_is_made_of_a_long_text_is_made_once() -> None:
    recent, made = Memo(), list[str]()
    again = "".join(TEXT)

    def make() -> int:
        made.append("made")
        return len(made)

    assert [recent.made(it, "count", make) for it in (TEXT, again, TEXT.encode())] == [1, 1, 2]
    assert [recent.made(TEXT, by, make) for by in ("count", "other")] == [1, 3]
    recent.forget()
    assert [recent.made(TEXT, "count", make) for _ in range(2)] == [4, 4]


def test_the_bytes_of_a_large_file_go_when_its_text_is_there() -> None:
    recent = Memo()
    files = [b"one line\n" * 200_000, b"another\n" * 200_000]
    texts = [recent.made(it, "text", it.decode) for it in files]
    held = {id(it) for entry in recent._known for it in entry}
    assert held.isdisjoint(map(id, files))
    assert id(texts[0]) not in held
    assert recent.made(bytes(bytearray(files[1])), "text", files[1].decode) is texts[1]
    assert recent.made(texts[1], "bytes", texts[1].encode) is not files[1]
    assert len(recent._known) == 1
    recent.forget()
    assert recent.made(files[1], "text", files[1].decode) is texts[1]
    for _ in range(2):
        recent.forget()
    assert not recent._known


def test_what_is_short_is_made_each_time() -> None:
    recent, made = Memo(), list[int]()
    for _ in range(2):
        recent.made("short", None, lambda: made.append(1))
    assert made == [1, 1]


def test_of_tuples_only_the_very_same_one_is_known() -> None:
    lines, others = tuple(TEXT), tuple(TEXT)
    recent = Memo()
    assert recent.made(lines, None, lambda: "one") == "one"
    assert recent.made(others, None, lambda: "other") == "other"
    assert recent.origin("one", None) is lines


def test_lines_of_a_long_text_are_split_and_joined_once() -> None:
    RECENT.forget()
    lines, ended = bare_lines(TEXT, "\n"), split_lines(TEXT)
    assert ended is split_lines("".join(TEXT))
    assert bare_lines(TEXT, "\n") is lines == tuple(TEXT.split("\n")[:-1])
    assert join_lines(lines, "\n", "\n") is TEXT
    assert join_lines(lines, "\n", "") == TEXT[:-1]
    RECENT.forget()
    assert split_lines(TEXT) is not ended


def test_hunks_of_long_texts_are_found_once() -> None:
    text = TEXT.replace("line 7\n", "seven\n").replace("line 70\n", "more\n")
    old, new = bare_lines(TEXT, "\n"), bare_lines(text, "\n")
    found = diff(old, new)
    assert [(it.first, it.last, it.lines) for it in found] == [
        (7, 8, ("seven",)),
        (70, 71, ("more",)),
    ]
    assert diff(old, new) is found
    assert applied(old, found) is new
    RECENT.forget()
    assert applied(old, found) == new
    assert diff(old, old) == ()


def test_lists_and_tuples_are_compared_alike() -> None:
    assert diff(["a", "b", "c"], ("a", "b", "c")) == ()
    assert diff(("a", "b", "c"), ["a", "B", "c"]) == (Hunk(1, 2, ("B",)),)
