"""Files of ours: for the user alone, and never through what somebody else has put there."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from acp_nvim.client.traffic import Traffic
from acp_nvim.storage import private
from acp_nvim.storage.edits import EditStore


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def log(path: Path) -> None:
    traffic = Traffic(str(path), lambda: 0.0)
    traffic.record("agent", "x")
    traffic.close()


def store(path: Path) -> None:
    private.replace(path, "x")


WRITERS = pytest.mark.parametrize("write", [log, store])


@WRITERS
@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
def test_all_is_private_whatever_the_umask(
    write: Callable[[Path], None], mask: int, tmp_path: Path
) -> None:
    was = os.umask(mask)
    try:
        path = tmp_path / "state" / "acp.nvim" / "log" / "a.jsonl"
        write(path)
    finally:
        os.umask(was)
    assert [mode(it) for it in (path, path.parent, path.parent.parent)] == [0o600, 0o700, 0o700]


@WRITERS
def test_what_an_older_version_has_left_open_is_closed(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    top = tmp_path / "acp.nvim"
    folder = top / "log"
    folder.mkdir(parents=True)
    top.chmod(0o777)
    folder.chmod(0o755)
    write(folder / "a")
    assert [mode(it) for it in (top, folder)] == [0o700, 0o700]
    (folder / "a").chmod(0o644)
    with private.read(folder / "a"):
        assert mode(folder / "a") == 0o600


@WRITERS
@pytest.mark.parametrize("target", ["there", "dangling"])
def test_a_planted_link_is_not_followed(
    write: Callable[[Path], None], target: str, tmp_path: Path
) -> None:
    folder = tmp_path / "acp.nvim"
    folder.mkdir()
    victim = tmp_path / "bashrc"
    if target == "there":
        victim.write_text("mine")
    (folder / "a").symlink_to(victim)
    (folder / "a.1").symlink_to(victim)
    write(folder / "a")
    assert victim.exists() is (target == "there")
    assert target == "dangling" or victim.read_text() == "mine"


@WRITERS
@pytest.mark.parametrize("below", ["log", ""])
def test_a_planted_folder_is_not_followed(
    write: Callable[[Path], None], below: str, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    link = tmp_path / "acp.nvim" / below
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(elsewhere)
    with suppress(OSError):
        write(tmp_path / "acp.nvim" / "log" / "a")
    assert list(elsewhere.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_what_belongs_to_somebody_else_is_neither_read_nor_written(tmp_path: Path) -> None:
    folder = tmp_path / "acp.nvim"
    folder.mkdir(0o700)
    private.replace(folder / "a", "x")
    os.chown(folder / "a", 12345, -1)
    with pytest.raises(PermissionError):
        private.read(folder / "a")
    os.chown(folder, 12345, -1)
    with pytest.raises(PermissionError):
        private.replace(folder / "b", "x")


@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_only_plain_files_are_read(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        (tmp_path / "b").write_text("x")
        path.symlink_to(tmp_path / "b")
    with pytest.raises(OSError):
        private.read(path)


async def test_planted_lists_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "edits").mkdir()
    (tmp_path / "edits" / "a.history").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "edits" / "b.history")
    store = EditStore(lambda: str(tmp_path / "edits"))
    assert await store.read_all() == [] and store.histories.set_aside() == 0


def test_a_text_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        private.replace(tmp_path / "acp.nvim" / "x", "half a character: \ud800")
    assert [*(tmp_path / "acp.nvim").iterdir()] == []
