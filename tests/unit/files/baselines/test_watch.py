"""Where the kernel notes what changes nothing else is looked at, and nothing is missed."""

from __future__ import annotations

import errno
import gc
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.files import git
from acp_nvim.files.baselines import baselines as module
from acp_nvim.files.baselines import comparison, inotify, snapshot, watch
from acp_nvim.files.baselines.baselines import UNKNOWN, Baselines, DiskChange
from acp_nvim.files.baselines.listing import Listing, Listings
from acp_nvim.files.baselines.watch import Watch
from acp_nvim.files.roots import Roots
from tests.support.files.baselines import NOTHING, known, no_git, plain, repository, run, unknown
from tests.support.files.file_rig import FileRig

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has inotify")


class Counting(Listings):
    """Counts the scans."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.scans = 0

    async def take(self, folder: str) -> Listing:
        self.scans += 1
        return await super().take(folder)


class Rig:
    """Baselines with a watch."""

    def __init__(self, *, with_git: bool = False, most: int = watch.MOST) -> None:
        self.listings = Counting(names=git.listing if with_git else no_git)
        self.watch = Watch(most)
        self.seen = Baselines(inventories=self.listings, watch=self.watch)

    async def settle(self, roots: Roots) -> None:
        """See the folders until nothing there is so young that all has to be scanned again."""
        scans, deadline = -1, time.monotonic() + 40
        while scans != self.listings.scans:
            assert time.monotonic() < deadline, f"not watched: {self.watch.refused}"
            scans = self.listings.scans
            await self.seen.refresh(roots)
        self.listings.scans = 0


@pytest.mark.parametrize("name", ["a", "sub/a"])
async def test_what_goes_between_the_scan_and_the_watch_is_gone(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    rig, file = Rig(), root / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("1")
    (file.parent / "rest").write_text("2")
    cover = rig.watch.cover

    def late(*words: Any) -> None:
        if rig.listings.scans == 1:
            file.unlink()
        cover(*words)

    monkeypatch.setattr(rig.watch, "cover", late)
    assert await rig.seen.refresh(roots) == NOTHING
    assert (await rig.seen.refresh(roots)).unknown == (str(file),)
    file.write_text("theirs")
    assert await rig.seen.look(str(file)) == DiskChange(str(file), None, "theirs")
    assert rig.listings.scans == 1


@pytest.mark.parametrize("with_git", [False, True])
async def test_what_changes_is_found_without_a_scan(
    root: Path, roots: Roots, with_git: bool
) -> None:
    rig = Rig(with_git=with_git)
    (root / "sub/empty").mkdir(parents=True)
    for name in ("changed", "gone", "same", "replaced", "sub/moved"):
        (root / name).write_text(f"{name}\n")
    if with_git:
        repository(root, "*.log")
    await rig.settle(roots)
    assert await rig.seen.changes(roots) == NOTHING
    (root / "changed").write_text("CHANGED\n")
    (root / "gone").unlink()
    (root / "sub/empty/new").write_text("new\n")
    (root / "new~").write_text("other\n")
    os.rename(root / "new~", root / "replaced")
    os.rename(root / "sub/moved", root / "sub/there")
    os.utime(root / "same", (1, 1))
    told = await rig.seen.changes(roots)
    assert set(told.known) == {
        DiskChange(str(root / "changed"), "changed\n", "CHANGED\n"),
        DiskChange(str(root / "gone"), "gone\n", None),
        DiskChange(str(root / "replaced"), "replaced\n", "other\n"),
        DiskChange(str(root / "sub/empty/new"), None, "new\n"),
        DiskChange(str(root / "sub/moved"), "sub/moved\n", None),
        DiskChange(str(root / "sub/there"), None, "sub/moved\n"),
    }
    assert told.unknown == ()
    assert await rig.seen.refresh(roots) == NOTHING
    assert rig.listings.scans == 0


async def test_a_file_that_is_still_being_written_is_looked_at_again(
    root: Path, roots: Roots
) -> None:
    """Who writes to a mapped file does so without the kernel's noting it."""
    rig, file = Rig(), root / "a"
    file.write_text("1")
    await rig.settle(roots)
    file.write_text("2")
    assert await rig.seen.changes(roots) == known((file, "1", "2"))
    assert str(file) in rig.watch._folders[str(root)].changed
    assert await rig.seen.changes(roots) == NOTHING


async def test_what_git_ignores_is_not_told_and_can_come_back(root: Path, roots: Roots) -> None:
    rig = Rig(with_git=True)
    repository(root, "*.log", ".env", "build/")
    (root / "build").mkdir()
    (root / "logs").mkdir()
    (root / "logs/a.log").write_text("1")
    (root / ".env").write_text("1")
    await rig.settle(roots)
    (root / "build/a").write_text("1")
    (root / "logs/b.log").write_text("1")
    (root / ".env").write_text("2")
    assert await rig.seen.refresh(roots) == NOTHING
    (root / "logs/README").write_text("new")
    (root / ".env").unlink()
    told = await rig.seen.changes(roots)
    assert set(told.known) == {
        DiskChange(str(root / "logs/README"), None, "new"),
        DiskChange(str(root / ".env"), "2", None),
    }
    assert rig.listings.scans == 0


async def test_a_file_that_was_looked_at_where_nobody_watches_is_seen_in_each_pass(
    root: Path, roots: Roots
) -> None:
    rig = Rig(with_git=True)
    repository(root, "build/")
    (root / "build").mkdir()
    (root / "build/a").write_text("1")
    await rig.settle(roots)
    assert await rig.seen.look(str(root / "build/a")) is None
    (root / "build/a").write_text("2")
    assert await rig.seen.changes(roots) == known((root / "build/a", "1", "2"))
    assert rig.listings.scans == 0


async def test_a_file_with_a_name_elsewhere_is_seen_in_each_pass(root: Path, roots: Roots) -> None:
    rig, file, other = Rig(), root / "a", root.parent / "other"
    file.write_text("1")
    other.hardlink_to(file)
    await rig.settle(roots)
    other.write_text("2")
    assert await rig.seen.changes(roots) == known((file, "1", "2"))
    assert rig.listings.scans == 0


async def test_a_file_that_gets_a_name_elsewhere_is_seen(root: Path, roots: Roots) -> None:
    rig, file, other = Rig(), root / "a", root.parent / "other"
    file.write_text("1")
    await rig.settle(roots)
    other.hardlink_to(file)
    other.write_text("2")
    assert await rig.seen.changes(roots) == known((file, "1", "2"))


@pytest.mark.parametrize("jump", [3600, -3600], ids=["back", "ahead"])
@pytest.mark.parametrize("is_watched", [True, False])
async def test_what_comes_after_the_clock_was_set_is_new(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch, jump: int, is_watched: bool
) -> None:
    real, wrong = time.time_ns, [jump * 1_000_000_000]
    for each in (module, comparison, snapshot):
        monkeypatch.setattr(each, "time_ns", lambda: real() + wrong[0])
    rig, old, new = Rig(), root / "old", root / "new"
    seen = rig.seen if is_watched else plain()
    old.write_text("1")
    await (rig.settle(roots) if is_watched else seen.refresh(roots))
    wrong[0] = 0
    old.write_text("2")
    new.write_text("new")
    told = await seen.changes(roots)
    changed = DiskChange(str(old), "1", "2"), DiskChange(str(new), None, "new")
    assert (set(told.known), told.unknown) == ({*changed}, ())


async def test_a_file_that_comes_with_a_name_elsewhere_is_seen_in_each_pass(
    root: Path, roots: Roots
) -> None:
    rig, file, other = Rig(), root / "a", root.parent / "other"
    other.write_text("1")
    await rig.settle(roots)
    file.hardlink_to(other)
    assert await rig.seen.changes(roots) == known((file, None, "1"))
    rig.watch._folders[str(root)].changed.clear()  # as it is once the file is old
    other.write_text("two")
    assert await rig.seen.changes(roots) == known((file, "1", "two"))


def move_a_folder(root: Path) -> None:
    os.rename(root / "sub", root / "moved")


def make_folders(root: Path) -> None:
    (root / "one/two").mkdir(parents=True)
    (root / "one/two/new").write_text("new")


def unignore(root: Path) -> None:
    (root / ".gitignore").write_text("")


def track_what_is_ignored(root: Path) -> None:
    run(root, "add", "--force", "a.log")


def unignore_elsewhere(root: Path) -> None:
    (root / ".git/info/exclude").write_text("!a.log\n")


def make_a_link(root: Path) -> None:
    (root / "link").symlink_to("sub")


def make_a_repository(root: Path) -> None:
    run(root / "sub", "init", "-q")


@pytest.mark.parametrize(
    "act",
    [
        move_a_folder,
        make_folders,
        unignore,
        track_what_is_ignored,
        unignore_elsewhere,
        make_a_link,
        make_a_repository,
    ],
)
async def test_what_changes_which_files_count_has_all_scanned(
    root: Path, roots: Roots, act: Callable[[Path], None]
) -> None:
    rig, plain = Rig(with_git=True), Baselines()
    repository(root, "*.log")
    (root / "sub").mkdir()
    (root / "sub/a").write_text("1")
    (root / "a.log").write_text("1")
    await rig.settle(roots)
    await plain.refresh(roots)
    act(root)
    told = await rig.seen.changes(roots)
    expected = await plain.changes(roots)
    assert set(told.known) == set(expected.known)
    assert told.unknown == expected.unknown
    assert rig.listings.scans >= 1
    for file in (root / "sub/a", root / "moved/a", root / "one/two/new", root / "a.log"):
        if file.exists():
            file.write_text("2")
    told, expected = await rig.seen.changes(roots), await plain.changes(roots)
    assert set(told.known) == set(expected.known)
    assert told.unknown == expected.unknown


async def test_a_new_folder_is_watched_from_the_scan_on_that_has_found_it(
    root: Path, roots: Roots
) -> None:
    rig = Rig()
    await rig.settle(roots)
    (root / "sub").mkdir()
    (root / "sub/a").write_text("1")
    assert await rig.seen.changes(roots) == known((root / "sub/a", None, "1"))
    assert rig.listings.scans == 1
    (root / "sub/a").write_text("2")
    (root / "sub/b").write_text("1")
    told = await rig.seen.changes(roots)
    assert set(told.known) == {
        DiskChange(str(root / "sub/a"), "1", "2"),
        DiskChange(str(root / "sub/b"), None, "1"),
    }
    assert rig.listings.scans == 1


async def test_a_folder_that_takes_the_name_of_another_is_watched(root: Path, roots: Roots) -> None:
    rig = Rig()
    (root / "a").mkdir()
    (root / "a/file").write_text("1")
    await rig.settle(roots)
    os.rename(root / "a", root.parent / "gone")
    (root / "a").mkdir()
    (root / "a/file").write_text("2")
    assert await rig.seen.changes(roots) == known((root / "a/file", "1", "2"))
    await rig.settle(roots)
    (root.parent / "gone/file").write_text("3")
    (root / "a/file").write_text("3")
    assert await rig.seen.changes(roots) == known((root / "a/file", "2", "3"))
    assert rig.listings.scans == 0


async def test_when_the_kernels_queue_was_full_all_is_scanned(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig, file = Rig(), root / "a"
    file.write_text("1")
    await rig.settle(roots)
    file.write_text("2")
    with monkeypatch.context() as patch:
        patch.setattr(inotify, "read", lambda _: iter([(-1, inotify.LOST, "")]))
        assert await rig.seen.changes(roots) == known((file, "1", "2"))
    assert rig.listings.scans == 1
    await rig.settle(roots)
    assert await rig.seen.changes(roots) == NOTHING
    assert rig.listings.scans == 0


async def test_who_watches_no_more_holds_no_queue(root: Path, roots: Roots) -> None:
    def queues() -> int:
        links = (os.readlink(it) for it in Path("/proc/self/fd").iterdir() if it.is_symlink())
        return sum("inotify" in it for it in links)

    before, rig = queues(), Rig()
    await rig.settle(roots)
    assert queues() == before + 1
    rig.watch.leave_others(())
    assert queues() == before
    await rig.settle(roots)
    assert queues() == before + 1
    del rig
    gc.collect()
    assert queues() == before


async def test_very_many_changed_files_are_scanned(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig = Rig()
    await rig.settle(roots)
    monkeypatch.setattr(watch, "MOST_CHANGED", 3)
    for number in range(9):
        (root / str(number)).write_text("1")
    assert len((await rig.seen.changes(roots)).known) == 9
    assert rig.listings.scans == 1


def no_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise OSError(errno.EMFILE, "too many instances")

    monkeypatch.setattr(inotify, "begin", refuse)


def no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(queue: int, folder: str) -> int:
        raise OSError(errno.ENOSPC, "too many watches")

    monkeypatch.setattr(inotify, "add", refuse)


def of_another_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "LOCAL", frozenset())


def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "SHARE", 1 << 40)


@pytest.mark.parametrize("lack", [no_queue, no_room, of_another_machine, few])
async def test_where_nothing_can_be_watched_all_is_scanned(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch, lack: Callable[..., None]
) -> None:
    lack(monkeypatch)
    rig, file = Rig(), root / "a"
    file.write_text("1")
    await rig.seen.refresh(roots)
    file.write_text("2")
    assert await rig.seen.changes(roots) == known((file, "1", "2"))
    assert rig.listings.scans == 2
    assert not rig.watch._numbers


def test_a_mount_below_counts_by_its_own_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_bytes(
        b"1 0 0:1 / / rw - ext4 x rw\n2 1 0:2 / /a rw,relatime shared:1 - xfs x rw\n"
        b"3 2 0:3 / /a/with\\040space rw - nfs4 x rw\n4 1 0:4 / /ab rw - fuse.sshfs x rw\n"
    )
    monkeypatch.setattr(watch, "MOUNTS", mounts)
    assert watch._file_systems("/a") == {"xfs", "nfs4"}
    assert watch._file_systems("/a/b") == {"xfs"}
    assert watch._file_systems("/a/with space/b") == {"nfs4"}
    assert watch._file_systems("/c") == {"ext4"}


async def test_what_the_next_prompt_would_wait_for_is_done_before_it(root: Path) -> None:
    watched = Rig()
    rig = FileRig(root, baselines=watched.seen)
    for number in range(watch.FEW + 1):
        (root / str(number)).mkdir()
        (root / str(number) / "a").write_text("1")
    await rig.sync.prepare(rig.roots)
    assert watched.seen.is_torn(rig.roots)
    await rig.sync.settle(rig.roots)
    assert not watched.seen.is_torn(rig.roots)
    assert watched.listings.scans == 2
    (root / "0/a").write_text("2")
    await rig.sync.prepare(rig.roots)
    assert watched.seen.text(str(root / "0/a")) == "2"
    assert watched.listings.scans == 2


async def test_a_folder_of_no_session_is_watched_no_more(root: Path) -> None:
    rig, one, two = Rig(), root / "one", root / "two"
    for folder in (one, two, two / "sub"):
        folder.mkdir()
    await rig.settle(Roots(str(one), (str(two),)))
    queues = len(rig.watch._numbers), rig.watch._queue
    await rig.seen.leave([str(one)])
    assert (len(rig.watch._numbers), rig.watch._queue) == (queues[0] - 2, queues[1])
    (two / "a").write_text("1")
    assert await rig.seen.changes(Roots(str(two))) == known((two / "a", None, "1"))


async def test_folders_of_many_sessions_are_watched_within_a_limit(root: Path) -> None:
    rig = Rig()
    for number in range(watch.MOST_FOLDERS + 2):
        (root / str(number)).mkdir()
        await rig.seen.refresh(Roots(str(root / str(number))))
    assert len(rig.watch._numbers) == watch.MOST_FOLDERS


async def test_the_rest_is_read_while_nobody_waits(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SLICE", 0.0)
    seen = Rig().seen
    paths = [root / str(number) for number in range(5)]
    for path in paths:
        path.write_text("1")
    await seen.refresh(roots, deadline=0.0)
    texts = [seen.text(str(path)) for path in paths]
    assert texts.count(UNKNOWN) == 4
    paths[4].write_text("2")  # by the time it is read it does not hold what it held
    await seen.read_on()
    assert [seen.text(str(path)) for path in paths[:4]] == ["1"] * 4
    assert await seen.changes(roots) == unknown(paths[4])
