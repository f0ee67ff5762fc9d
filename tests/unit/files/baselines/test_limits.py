"""What is too large, binary, beyond a limit or in a folder that is seen for the first time."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.files.baselines import baselines as module
from acp_nvim.files.baselines.baselines import UNKNOWN, Baselines, Changes, DiskChange
from acp_nvim.files.baselines.listing import Listings
from acp_nvim.files.encoding import exact_text
from acp_nvim.files.roots import Roots
from tests.support.files.baselines import NOTHING, known, no_git, plain, repository, unknown


async def test_what_is_too_large_or_binary_is_found_without_its_text(
    root: Path, roots: Roots
) -> None:
    seen = plain(largest=10)
    large, binary, grown = root / "large", root / "picture", root / "grown"
    large.write_text("x" * 11)
    binary.write_bytes(b"\0" * 5)
    grown.write_text("x")
    await seen.refresh(roots)
    assert seen.text(str(large)) is UNKNOWN
    assert seen.text(str(binary)) is UNKNOWN
    os.utime(binary, (1, 1))
    assert await seen.changes(roots) == NOTHING
    large.write_text("y" * 12)
    binary.write_bytes(b"\0" * 4)
    grown.write_text("x" * 11)
    assert sorted((await seen.changes(roots)).unknown) == sorted(map(str, (large, binary, grown)))
    assert await seen.changes(roots) == NOTHING
    large.write_text("short")
    assert await seen.look(str(large)) is None
    assert seen.text(str(large)) == "short"
    assert await seen.changes(roots) == unknown(large), "look could not tell"
    large.write_text("x" * 11)
    assert await seen.look(str(large)) is None
    large.write_text("ours")
    seen.note(str(large), "ours")
    assert await seen.changes(roots) == NOTHING, "what it was does not matter any more"
    large.unlink()
    assert await seen.changes(roots) == known((large, "ours", None))


async def test_over_the_budget_the_largest_texts_go(root: Path, roots: Roots) -> None:
    seen = plain(budget=4000)
    sizes = (500, 1000, 1500, 2000, 3000)
    for size in sizes:
        (root / str(size)).write_bytes(os.urandom(size).replace(b"\0", b"x"))
    await seen.refresh(roots)
    assert [it for it in sizes if seen.text(str(root / str(it))) is not UNKNOWN] == [
        500,
        1000,
        1500,
    ]
    (root / "3000").write_bytes(b"3")
    assert await seen.changes(roots) == unknown(root / "3000")
    big = root / "2000"
    await seen.look(str(big))
    assert seen.text(str(big)) is not UNKNOWN, "an agent has to do with it"
    assert seen.text(str(root / "1500")) is UNKNOWN
    assert seen.text(str(root / "500")) is not UNKNOWN


async def test_what_found_no_room_is_not_read_again(
    root: Path, roots: Roots, opened: list[str]
) -> None:
    seen = plain(budget=2500)
    names = ("a", "b", "c", "d")
    for name in names:
        (root / name).write_bytes(os.urandom(1000).replace(b"\0", b"x"))
    await seen.refresh(roots)
    assert opened == ["a", "b", "c"], "the fourth is as large as the third, which had to go"
    kept = [it for it in names if seen.text(str(root / it)) is not UNKNOWN]
    assert kept == ["a", "b"]
    opened.clear()
    await seen.refresh(roots)
    assert "d" not in opened
    assert [it for it in names if seen.text(str(root / it)) is not UNKNOWN] == kept


@pytest.mark.usefixtures("settled")
async def test_what_was_looked_at_goes_last(root: Path, roots: Roots) -> None:
    seen = plain(budget=4000)
    for name in ("a", "b", "c"):
        (root / name).write_bytes(os.urandom(1000).replace(b"\0", b"x"))
    await seen.refresh(roots)
    await seen.look(str(root / "a"))
    (root / "d").write_bytes(os.urandom(3000).replace(b"\0", b"x"))
    await seen.look(str(root / "d"))
    (root / "c").write_text("c")
    await seen.changes(roots)
    kept = [it for it in "abcd" if seen.text(str(root / it)) is not UNKNOWN]
    assert "a" in kept
    assert "b" not in kept


async def test_a_file_pushed_out_in_the_same_pass_is_told_with_its_text(
    root: Path, roots: Roots
) -> None:
    seen, early, late = plain(budget=4000), root / "a", root / "b"
    early.write_bytes(b"1")
    text = os.urandom(3000).replace(b"\0", b"x")
    late.write_bytes(text)
    await seen.refresh(roots)
    early.write_bytes(os.urandom(3500).replace(b"\0", b"x"))
    late.write_bytes(b"2")
    told = {it.path: it.before for it in (await seen.changes(roots)).known}
    assert told[str(late)] == exact_text(text)


async def test_a_slow_refresh_goes_on_at_the_next(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = plain()
    for name in ("1", "22", "333", "4444"):
        (root / name).write_text(name)
    monkeypatch.setattr(module, "PATIENCE", -1.0)
    for name in ("1", "22"):
        await seen.refresh(roots)
        assert seen.text(str(root / name)) == name
    assert seen.text(str(root / "333")) is UNKNOWN
    assert seen.text(str(root / "4444")) is UNKNOWN
    assert await seen.look(str(root / "4444")) is None, "it has not changed"
    assert seen.text(str(root / "4444")) == "4444"
    assert await seen.changes(roots) == NOTHING
    (root / "333").write_text("changed")
    assert await seen.changes(roots) == unknown(root / "333")
    assert seen.text(str(root / "333")) == "changed"


async def test_few_files_are_read_whatever_time_that_takes(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AT_LEAST", 3)
    seen = plain()
    for name in ("1", "22", "333", "4444"):
        (root / name).write_text(name)
    await seen.refresh(roots, deadline=seen.hurry() - 99)
    assert [seen.text(str(root / it)) for it in ("1", "22", "333")] == ["1", "22", "333"]
    assert seen.text(str(root / "4444")) is UNKNOWN


async def test_what_has_come_is_read_though_much_else_is_read_on(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = plain()
    for name in ("1", "22", "333"):
        (root / name).write_text(name)
    await seen.refresh(roots, deadline=seen.hurry() - 99)
    monkeypatch.setattr(seen, "_reads_on", True)
    (root / "new").write_text("new")
    await seen.refresh(roots, deadline=seen.hurry() - 99)
    assert seen.text(str(root / "new")) == "new"
    assert seen.text(str(root / "333")) is UNKNOWN


async def test_the_first_pass_of_a_root_tells_nothing(root: Path, roots: Roots) -> None:
    (root / "a").write_text("1")
    seen = plain()
    assert await seen.changes(roots) == NOTHING
    await seen.refresh(roots)
    (root / "a").write_text("2")
    assert await seen.changes(Roots(str(root), (str(root), f"{root}/"))) == known(
        (root / "a", "1", "2")
    )


async def test_a_root_within_a_root_is_seen_once(root: Path) -> None:
    repository(root, "inner/")
    inner = root / "inner"
    inner.mkdir()
    (inner / "a").write_text("1")
    outer, both = Roots(str(root)), Roots(str(root), (str(inner),))
    seen = Baselines()
    await seen.refresh(outer)
    assert not seen.watches(str(inner / "a"))
    assert await seen.refresh(both) == NOTHING, "it was there, if ignored"
    (inner / "a").write_text("2")
    assert await seen.changes(both) == known((inner / "a", "1", "2"))
    assert await seen.changes(outer) == NOTHING


async def test_what_is_beyond_a_limit_is_not_new_when_it_comes_into_view(root: Path) -> None:
    roots = Roots(str(root))
    for name in ("a", "b", "c"):
        (root / name).write_text("1")
    seen = Baselines(inventories=Listings(names=no_git, most=2))
    await seen.refresh(roots)
    assert [seen.text(str(root / name)) for name in "abc"] == ["1", "1", UNKNOWN]
    (root / "a").unlink()
    assert await seen.changes(roots) == Changes(
        (DiskChange(str(root / "a"), "1", None),), (str(root / "c"),)
    )


async def test_a_known_absence_makes_a_file_new_beyond_all_limits(root: Path) -> None:
    seen = Baselines(inventories=Listings(names=no_git, most=1))
    (root / "a").write_text("1")
    (root / "b").write_text("1")
    await seen.refresh(Roots(str(root)))
    path = root / "z"
    assert await seen.look(str(path)) is None
    assert seen.text(str(path)) is None
    path.write_text("new")
    assert await seen.look(str(path)) == DiskChange(str(path), None, "new")


async def test_who_waits_for_a_refresh_cuts_the_one_before_short(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, read = plain(), list[str]()
    for number in range(100):
        (root / str(number)).write_text(str(number))
    real = module.read_snapshot

    def noted(path: str, *rest: Any) -> Any:
        read.append(path)
        if len(read) == 3:
            seen.hurry()
        return real(path, *rest)

    monkeypatch.setattr(module, "read_snapshot", noted)
    await seen.refresh(roots)
    assert len(read) == 3
    await seen.refresh(roots, deadline=seen.hurry())
    assert len(read) == 100
    assert all(seen.text(str(root / str(number))) == str(number) for number in range(100))


async def test_a_refresh_has_the_time_from_when_it_was_asked_for(root: Path, roots: Roots) -> None:
    seen = plain()
    for name in ("1", "22"):
        (root / name).write_text(name)
    await seen.refresh(roots, deadline=0.0)
    assert seen.text(str(root / "1")) == "1"
    assert seen.text(str(root / "22")) is UNKNOWN


@pytest.mark.parametrize("is_git", [False, True])
async def test_our_own_files_within_a_root_are_nobodys_changes(
    root: Path, roots: Roots, *, is_git: bool
) -> None:
    """The home folder may be a project, and a state folder may be named by a relative path."""
    own = root / "state" / "acp.nvim"
    own.mkdir(parents=True)
    if is_git:
        repository(root)
    seen = Baselines(own=lambda: (str(own), str(root / "data")))
    (own / "known").write_text("1")
    await seen.refresh(roots)
    (own / "known").write_text("2")
    (own / "new").write_text("1")
    (own / "log").write_bytes(b"\0")
    (root / "data").mkdir()
    (root / "data" / "new").write_text("1")
    (root / "state" / "acp.nvim.txt").write_text("1")
    assert await seen.changes(roots) == known((root / "state" / "acp.nvim.txt", None, "1"))


async def test_a_worktree_in_our_own_folder_is_a_project(root: Path) -> None:
    """The folders of state and of data may be the same one."""
    worktree = root / "acp.nvim" / "worktrees" / "a-1"
    worktree.mkdir(parents=True)
    seen = Baselines(own=lambda: (str(root), str(root / "acp.nvim")))
    await seen.refresh(roots := Roots(str(worktree)))
    (worktree / "new").write_text("1")
    assert await seen.changes(roots) == known((worktree / "new", None, "1"))
