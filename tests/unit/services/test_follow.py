from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.hunks import Hunk
from acp_nvim.services.follow import follow, follow_all
from acp_nvim.services.roots import Roots
from tests.support.fake_ports import FakeFiles


@pytest.fixture
def files() -> FakeFiles:
    return FakeFiles()


def write(folder: Path, name: str, text: str) -> Path:
    path = folder.resolve() / name
    path.write_bytes(text.encode())
    return path


async def test_an_unmodified_buffer_gets_the_lines_that_differ(
    tmp_path: Path, files: FakeFiles
) -> None:
    path = write(tmp_path, "a", "1\n2\n3\n")
    files.open(path)
    write(tmp_path, "a", "1\r\nII\r\n3\r\n")
    assert await follow(files, [str(path), str(path)]) == [str(path)]
    assert files.changes == [("follow", str(path), (Hunk(1, 2, ("II",)),))]
    assert files.buffers[str(path)].fileformat == "dos"
    assert await follow(files, [str(path)]) == []


async def test_unsaved_edits_and_deleted_files_are_left_alone(
    tmp_path: Path, files: FakeFiles
) -> None:
    modified, deleted = write(tmp_path, "a", "1\n"), write(tmp_path, "b", "1\n")
    files.open(modified, "mine")
    files.open(deleted)
    write(tmp_path, "a", "2\n")
    deleted.unlink()
    closed = str(write(tmp_path, "c", "1\n"))
    assert await follow(files, [str(modified), str(deleted), closed]) == []
    assert files.changes == []


async def test_typing_meanwhile_wins(tmp_path: Path, files: FakeFiles) -> None:
    path = write(tmp_path, "a", "1\n")
    files.open(path)
    write(tmp_path, "a", "2\n")
    files.before_change = lambda: files.edit(path, "typed")
    assert await follow(files, [str(path)]) == []
    assert files.lines(path) == ["typed"]


async def test_an_editor_that_refuses_does_not_keep_the_others_back(
    tmp_path: Path, files: FakeFiles
) -> None:
    first, second = write(tmp_path, "a", "1\n"), write(tmp_path, "b", "1\n")
    files.open(first)
    files.open(second)
    write(tmp_path, "a", "2\n")
    write(tmp_path, "b", "2\n")
    files.refuse = "E565"

    def recover() -> None:
        files.refuse = None

    async def loaded(path: str) -> object:
        if path == str(second):
            recover()
        return files.buffers.get(path)

    files.loaded = loaded  # type: ignore[assignment, method-assign]
    assert await follow(files, [str(first), str(second)]) == [str(second)]


async def test_all_open_files_below_the_roots(tmp_path: Path, files: FakeFiles) -> None:
    (tmp_path / "in").mkdir()
    inside, outside = write(tmp_path, "in/a", "1\n"), write(tmp_path, "b", "1\n")
    files.open(inside)
    files.open(outside)
    write(tmp_path, "in/a", "2\n")
    write(tmp_path, "b", "2\n")
    assert await follow_all(files, Roots(str(tmp_path / "in"))) == [str(inside)]
