from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from acp_nvim.errors import FileProblem
from acp_nvim.files import disk


async def failure(call: Callable[[], object]) -> str:
    with pytest.raises(FileProblem) as caught:
        await call()  # type: ignore[misc]
    return str(caught.value)


@pytest.mark.parametrize("size", [1, disk.LONG])
async def test_reads_short_and_long_files(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * size)
    assert await disk.read(str(path)) == "x" * size


def test_a_stamp_is_the_one_that_lua_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of files have up to 64 bits, as in overlays and on NFS; a number of Lua has 53."""
    status = SimpleNamespace(st_mtime_ns=1_000_000_002, st_size=3, st_ino=2**53 + 3)
    monkeypatch.setattr(os, "lstat", lambda _: status)
    assert disk.stamp(str(tmp_path / "a")) == "1.000000002:3:9007199254740996"


async def test_what_is_no_text_is_said(tmp_path: Path) -> None:
    binary, pipe, missing = tmp_path / "binary", tmp_path / "pipe", tmp_path / "missing é"
    binary.write_bytes(b"\x7fELF\0")
    os.mkfifo(pipe)
    assert "is a binary file" in await failure(lambda: disk.read(str(binary)))
    assert "is a directory" in await failure(lambda: disk.read(str(tmp_path)))
    assert "not a plain file" in await failure(lambda: disk.read(str(pipe)))
    assert await disk.read(str(missing)) is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
async def test_an_unreadable_file_is_said_with_the_reason(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch(0o000)
    assert "denied" in await failure(lambda: disk.read(str(path)))


async def test_a_new_file_gets_what_the_umask_leaves(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        await disk.write(str(tmp_path / "a"), b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["a"]


async def test_mode_and_hard_links_stay(tmp_path: Path) -> None:
    path, twin = tmp_path / "a", tmp_path / "twin"
    path.write_bytes(b"old and longer")
    path.chmod(0o755)
    await disk.write(str(path), b"new")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o755)
    twin.hardlink_to(path)
    await disk.write(str(path), b"it")
    assert twin.read_bytes() == b"it"


async def test_a_failed_replacement_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def broken(source: str, target: str, **folders: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", broken)
    assert "No space left" in await failure(lambda: disk.write(str(path), b"new"))
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


async def test_a_full_disk_leaves_what_cannot_be_replaced_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of two names is written in place: what it held is put back."""
    path = tmp_path / "a"
    path.write_bytes(b"old and precious")
    (tmp_path / "twin").hardlink_to(path)
    room = [3]
    pwrite = os.pwrite

    def full(file: int, data: memoryview, at: int) -> int:
        if bytes(data[:3]) != b"old" and not room[0]:
            raise OSError(28, "No space left on device")
        part = data if bytes(data[:3]) == b"old" else data[: room[0]]
        room[0] -= min(room[0], len(part))
        return pwrite(file, part, at)

    monkeypatch.setattr(os, "pwrite", full)
    error = await failure(lambda: disk.write(str(path), b"NEW, and longer than it was"))
    assert "No space left" in error
    assert path.read_bytes() == b"old and precious"


def test_a_stamp_tells_one_state_of_a_file_from_the_next(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert disk.stamp(str(path)) == ""
    path.write_bytes(b"1")
    os.utime(path, ns=(0, 1_000_000_007))
    before = disk.stamp(str(path))
    assert before == f"1.000000007:1:{path.stat().st_ino}"
    path.write_bytes(b"12")
    os.utime(path, ns=(0, 1_000_000_007))
    assert disk.stamp(str(path)) != before


@pytest.mark.parametrize("number", disk.IN_PLACE)
async def test_a_file_that_cannot_be_replaced_is_written_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def broken(source: str, target: str, **folders: int) -> None:
        raise OSError(number, "not so")

    monkeypatch.setattr(os, "replace", broken)
    await disk.write(str(path), b"new")
    assert path.read_bytes() == b"new"
    assert "not so" in await failure(lambda: disk.write(str(tmp_path / "b"), b"new"))


def test_c236_what_is_read_only_is_not_writable_even_for_root(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.touch(0o444)
    with pytest.raises(FileProblem, match="read-only"):
        disk.check_writable(str(path))
    with pytest.raises(FileProblem, match="directory"):
        disk.check_writable(str(tmp_path))
    disk.check_writable(str(tmp_path / "new"))


def test_folders_are_made_and_a_file_in_the_way_is_said(tmp_path: Path) -> None:
    disk.make_folders(str(tmp_path / "a/b/c"))
    assert (tmp_path / "a/b").is_dir()
    (tmp_path / "file").touch()
    with pytest.raises(FileProblem):
        disk.make_folders(str(tmp_path / "file/x"))


ACL = bytes.fromhex(
    "0200000001000600ffffffff020006003930000004000400ffffffff10000600ffffffff20000400ffffffff"
)


def attributed(path: Path) -> dict[str, bytes]:
    """Give a file extended attributes, and return them."""
    wanted = {"user.mine": b"\0kept\xff", "user.empty": b"", "system.posix_acl_access": ACL}
    path.write_bytes(b"old")
    path.chmod(0o664)
    for name, value in wanted.items():
        try:
            os.setxattr(path, name, value)
        except OSError as error:
            pytest.skip(f"no {name} here: {error}")
    return wanted


@pytest.mark.parametrize("in_place", [True, False])
async def test_extended_attributes_and_access_lists_stay(tmp_path: Path, in_place: bool) -> None:
    path = tmp_path / "a"
    wanted = attributed(path)
    before = path.stat()
    await disk.write(str(path), b"new", in_place=in_place)
    assert path.read_bytes() == b"new"
    assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == wanted
    assert path.stat().st_mode == before.st_mode
    assert (path.stat().st_ino == before.st_ino) is in_place
    assert os.listdir(tmp_path) == ["a"]


async def test_where_attributes_cannot_be_copied_the_file_itself_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    attributed(path)
    before = path.stat()

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "setxattr", refuse)
    await disk.write(str(path), b"new")
    assert (path.read_bytes(), path.stat().st_ino) == (b"new", before.st_ino)
    assert os.listdir(tmp_path) == ["a"]


async def test_a_file_that_becomes_a_link_meanwhile_is_not_written_through(tmp_path: Path) -> None:
    path, other = tmp_path / "a", tmp_path / "other"
    other.write_bytes(b"theirs")
    path.symlink_to(other)
    for in_place in (True, False):
        with pytest.raises(FileProblem, match="symbolic link"):
            await disk.write(str(path), b"x", in_place=in_place)
    with pytest.raises(FileProblem, match="symbolic link"):
        disk.remove(str(path))
    assert (other.read_bytes(), path.is_symlink()) == (b"theirs", True)
