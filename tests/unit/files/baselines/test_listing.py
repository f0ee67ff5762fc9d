"""Which files a folder holds, with git and without, and how far we look."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from acp_nvim.files import git
from acp_nvim.files.baselines import listing as inventory
from acp_nvim.files.baselines.baselines import Baselines
from acp_nvim.files.baselines.listing import Listing, Listings, walk
from acp_nvim.files.baselines.snapshot import fingerprint
from acp_nvim.files.baselines.watch import Watch
from acp_nvim.files.roots import Roots


async def no_git(folder: str, limit: int, *only: str) -> git.Names | None:
    return None


WALKING = Listings(names=no_git)


def run(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def fill(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("1")


def names(found: Listing, folder: Path) -> list[str]:
    return sorted(os.path.relpath(path, folder) for path in found.stamps)


async def test_a_walk_leaves_out_what_nobody_edits(tmp_path: Path) -> None:
    kept = [".env", ".github/ci.yml", "a", "build/a", "dist/a", "target/a"]
    fill(tmp_path, *kept, ".git/config", "x/.hg/a", "node_modules/a/b", "x/__pycache__/a.pyc")
    fill(tmp_path, "venv/pyvenv.cfg", "venv/lib/a", ".mypy_cache/CACHEDIR.TAG", ".mypy_cache/a")
    found = await WALKING.take(str(tmp_path))
    assert names(found, tmp_path) == kept
    assert found.whole
    assert found.parts == {str(tmp_path): False}


async def test_a_root_is_looked_into_whatever_it_is(tmp_path: Path) -> None:
    fill(tmp_path, "venv/pyvenv.cfg", "venv/a")
    found = await WALKING.take(str(tmp_path / "venv"))
    assert names(found, tmp_path / "venv") == ["a", "pyvenv.cfg"]


async def test_repositories_within_a_plain_folder_are_asked_of_git(tmp_path: Path) -> None:
    fill(tmp_path, "a", "one/a", "one/a.log", "two/b/c")
    for name in ("one", "two/b"):
        run(tmp_path / name, "init", "-q")
    (tmp_path / "one/.gitignore").write_text("*.log\n")
    found = await Listings().take(str(tmp_path))
    assert names(found, tmp_path) == ["a", "one/.gitignore", "one/a", "two/b/c"]
    one, two = str(tmp_path / "one"), str(tmp_path / "two/b")
    assert found.parts == {str(tmp_path): False, one: True, two: True}


async def test_repositories_within_a_repository_are_looked_into(tmp_path: Path) -> None:
    fill(tmp_path, "a", "tracked/a", "untracked/a", "ignored/a")
    (tmp_path / ".gitignore").write_text("ignored/\n")
    run(tmp_path, "init", "-q")
    for name in ("tracked", "untracked", "ignored"):
        run(tmp_path / name, "init", "-q")
    run(tmp_path / "tracked", "add", "a")
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    run(tmp_path / "tracked", *identity, "commit", "-qm", "x")
    run(tmp_path, "add", "tracked")
    found = await Listings().take(str(tmp_path))
    assert names(found, tmp_path) == [".gitignore", "a", "tracked/a", "untracked/a"]


async def test_a_root_that_git_ignores_as_a_whole_is_walked(tmp_path: Path) -> None:
    fill(tmp_path, "ignored/a")
    (tmp_path / ".gitignore").write_text("ignored/\n")
    run(tmp_path, "init", "-q")
    folder = tmp_path / "ignored"
    assert names(await Listings().take(str(folder)), folder) == ["a"]


async def test_odd_names_are_files_too(tmp_path: Path) -> None:
    odd = ["new\nline", "ü", os.fsdecode(b"\xff"), '"quoted"', " "]
    fill(tmp_path, *odd)
    assert names(await WALKING.take(str(tmp_path)), tmp_path) == sorted(odd)
    run(tmp_path, "init", "-q")
    found = await Listings().take(str(tmp_path))
    assert names(found, tmp_path) == sorted(odd)
    for name in odd:
        assert await Listings().covers(found.parts, [str(tmp_path / name)])


async def test_only_plain_files_count(tmp_path: Path) -> None:
    fill(tmp_path, "a", "gone", "folder/a")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("a")
    (tmp_path / "link_to_folder").symlink_to("folder")
    assert names(await WALKING.take(str(tmp_path)), tmp_path) == ["a", "folder/a", "gone"]
    run(tmp_path, "init", "-q")
    run(tmp_path, "add", ".")
    (tmp_path / "gone").unlink()
    assert names(await Listings().take(str(tmp_path)), tmp_path) == ["a", "folder/a"]


@pytest.mark.parametrize("with_git", [False, True])
async def test_a_folder_of_too_many_files_is_not_whole(tmp_path: Path, with_git: bool) -> None:
    fill(tmp_path, *(f"{number:03}" for number in range(50)), "deep/a", "deep/b")
    if with_git:
        run(tmp_path, "init", "-q")
    listing = git.listing if with_git else no_git
    exact = await Listings(names=listing, most=52).take(str(tmp_path))
    assert (len(exact.stamps), exact.whole) == (52, True)
    for most in (10, 51):
        found = await Listings(names=listing, most=most).take(str(tmp_path))
        assert (len(found.stamps), found.whole) == (most, False)


async def test_a_listing_of_too_many_bytes_is_not_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path, "init", "-q")
    fill(tmp_path, *(f"{number:03}" for number in range(50)))
    monkeypatch.setattr(inventory, "LISTING_LIMIT", 101)
    found = await Listings().take(str(tmp_path))
    assert not found.whole
    assert all(len(name) == 3 for name in names(found, tmp_path))


async def test_a_walk_that_takes_too_long_is_not_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, "a")
    monkeypatch.setattr(inventory, "AT_LEAST", 0)
    found = await Listings(names=no_git, patience=-1.0).take(str(tmp_path))
    assert found == Listing({}, whole=False, parts={str(tmp_path): False})


async def test_a_small_folder_is_whole_however_long_that_takes(tmp_path: Path) -> None:
    fill(tmp_path, "a", "folder/b", "folder/below/c")
    baselines = Baselines(inventories=Listings(names=no_git, patience=-1.0), quiet=0)
    await baselines.refresh(roots := Roots(str(tmp_path)))
    fill(tmp_path, "folder/new")
    changes = await baselines.changes(roots)
    assert [(it.path, it.before) for it in changes.known] == [(str(tmp_path / "folder/new"), None)]
    assert not changes.unknown


@pytest.mark.parametrize("is_watched", [False, True])
async def test_where_git_hangs_what_it_ignores_is_not_new_and_what_is_new_is_found_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_watched: bool
) -> None:
    hangs = False

    async def listing(folder: str, limit: int, *only: str) -> git.Names | None:
        return None if hangs else await git.listing(folder, limit, *only)

    fill(tmp_path, "a", "folder/b", "build/x")
    (tmp_path / ".gitignore").write_text("build/\n")
    run(tmp_path, "init", "-q")
    monkeypatch.setattr(git, "hangs", lambda _: hangs)
    watch = Watch() if is_watched else None
    baselines = Baselines(inventories=Listings(names=listing), quiet=0, watch=watch)
    await baselines.refresh(roots := Roots(str(tmp_path)))
    hangs = True
    fill(tmp_path, "folder/new", "build/y")
    (tmp_path / "a").write_text("2")
    for found in ([str(tmp_path / "a")], []):
        changes = await baselines.changes(roots)
        assert ([it.path for it in changes.known], changes.unknown) == (found, ())
    hangs = False
    changes = await baselines.changes(roots)
    assert [(it.path, it.before) for it in changes.known] == [(str(tmp_path / "folder/new"), None)]
    assert not changes.unknown


async def test_repositories_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        fill(tmp_path, f"{name}/a")
        run(tmp_path / name, "init", "-q")
    monkeypatch.setattr(inventory, "MOST_PARTS", 2)
    found = await Listings().take(str(tmp_path))
    assert (len(found.stamps), found.whole) == (1, False)


async def test_a_folder_that_is_gone_holds_nothing(tmp_path: Path) -> None:
    for inventories in (WALKING, Listings()):
        assert (await inventories.take(str(tmp_path / "gone"))).stamps == {}


@pytest.mark.parametrize("with_git", [False, True])
async def test_covers_says_what_an_inventory_would_hold(tmp_path: Path, with_git: bool) -> None:
    inventories = Listings() if with_git else WALKING
    fill(tmp_path, "a", "node_modules/a", "venv/pyvenv.cfg", "venv/lib/a", "sub/inner/a")
    if with_git:
        (tmp_path / ".gitignore").write_text("node_modules/\nvenv/\n*.log\n")
        run(tmp_path, "init", "-q")
    run(tmp_path / "sub/inner", "init", "-q")
    parts = {str(tmp_path): with_git}

    async def covers(name: str) -> bool:
        return bool(await inventories.covers(parts, [str(tmp_path / name)]))

    assert await covers("a")
    assert await covers("a.log") is not with_git
    assert not await covers("node_modules/a")
    assert not await covers("venv/lib/a")
    assert not await covers("sub/inner/a"), "a repository that was not listed"
    parts[str(tmp_path / "sub/inner")] = with_git
    assert await covers("sub/inner/a")
    assert not await inventories.covers(parts, [f"{tmp_path}2/a"])
    assert not await inventories.covers({}, [str(tmp_path / "a")])


async def test_a_large_folder_is_left_when_the_time_is_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        (tmp_path / str(number)).write_text("")
    monkeypatch.setattr(inventory, "AT_LEAST", 0)
    times = iter([0.0] * 20 + [2.0])
    monkeypatch.setattr("acp_nvim.files.baselines.listing.monotonic", lambda: next(times))
    found = Listing()
    walk(found, str(tmp_path), 100_000, 1.0)
    assert len(found.stamps) == 20
    assert not found.whole


async def test_a_walk_asks_the_system_once_for_each_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(10):
        (tmp_path / str(number)).write_text(str(number))
    monkeypatch.setattr("os.lstat", lambda path: pytest.fail(f"{path} is looked at once more"))
    found = await Listings(names=no_git).take(str(tmp_path))
    assert set(found.stamps) == {str(tmp_path / str(number)) for number in range(10)}
    monkeypatch.undo()
    assert all(at == fingerprint(path) for path, at in found.stamps.items())
