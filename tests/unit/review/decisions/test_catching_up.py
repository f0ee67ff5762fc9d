"""What the user has done since is folded in; files that are as they were are not read again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from acp_nvim.editor import LiveBuffer, OpenFile
from tests.support.fakes.fake_ports import FakeFiles
from tests.support.files.file_rig import FileRig, author

LONG_AGO = 1_000_000_000


class CountedFiles(FakeFiles):
    """Counts what it is asked to read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    async def loaded(self, path: str) -> LiveBuffer | None:
        self.read.append(Path(path).name)
        return await super().loaded(path)

    async def survey(self, roots: Sequence[str]) -> Sequence[OpenFile]:
        read, found = [*self.read], await super().survey(roots)
        self.read = read
        return found


@pytest.fixture
def files() -> CountedFiles:
    return CountedFiles()


@pytest.fixture
def rig(tmp_path: Path, files: CountedFiles) -> FileRig:
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    return FileRig(folder, tmp_path / "kept", files)


async def changed(rig: FileRig, files: CountedFiles, name: str, *, is_open: bool = True) -> Path:
    """Return a file that an agent has changed, and that was looked at since."""
    path = rig.file("a\nb\n", name)
    if is_open:
        files.open(path)
    await rig.agent(path, "a\nB\n", author())
    os.utime(path, (LONG_AGO, LONG_AGO))
    if is_open:
        files.reload(path)
    await rig.review.look(str(path))
    files.read.clear()
    return path


async def test_files_that_are_as_they_were_are_not_read(rig: FileRig, files: CountedFiles) -> None:
    first, second = await changed(rig, files, "first"), await changed(rig, files, "second")
    await rig.review.catch_up([str(first), str(second)])
    assert files.read == []
    files.type(first, "mine", "a", "B")
    await rig.review.catch_up([str(first), str(second)])
    assert set(files.read) == {"first"}
    history = rig.edits.file(str(first))
    assert history is not None
    assert history.text == "mine\na\nB\n"


async def test_a_file_that_another_program_has_written_is_read(
    rig: FileRig, files: CountedFiles
) -> None:
    path = await changed(rig, files, "first")
    path.write_text("a\nB\nmine\n")
    await rig.review.catch_up([str(path)])
    assert set(files.read) == {"first"}


async def test_closed_files_are_looked_at_where_they_matter(
    rig: FileRig, files: CountedFiles
) -> None:
    path = await changed(rig, files, "first", is_open=False)
    await rig.review.catch_up([str(path)], closed=True)
    assert files.read == []
    path.write_text("a\nB\nmine\n")
    await rig.review.catch_up([str(path)])
    assert files.read == []
    await rig.review.catch_up([str(path)], closed=True)
    assert set(files.read) == {"first"}
    assert [hunk[0] for hunk in await rig.hunks(path)] == [1]


async def test_a_buffer_that_took_the_place_of_another_is_read(
    rig: FileRig, files: CountedFiles
) -> None:
    path = await changed(rig, files, "first")
    tick = files.buffers[str(path)].changedtick
    files.open(path, "other", "lines", changedtick=tick, modified=True, number=77)
    await rig.review.catch_up([str(path)])
    assert set(files.read) == {"first"}


async def test_without_files_of_agents_the_editor_is_not_asked(
    rig: FileRig, files: CountedFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "survey", None)
    await rig.review.catch_up(())
    assert files.read == []
