"""Something fails between two steps of an edit: the user's lines stay the user's, and what is the
agent's is counted with the next look."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.errors import EditorError
from acp_nvim.history.author import SessionKey
from tests.support.files.file_rig import AGENT, FileRig

OLD = "a\nb\nc\nd\n"
THEIRS = "a\nB\nc\nd\n"
BOTH = "a\nB\nc\nd\nmine\n"
MINE = ("a", "b", "c", "d", "mine")


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[FileRig]:
    return FileRig(tmp_path.resolve())


@pytest.fixture
async def path(rig: FileRig) -> Path:
    """Return a file with an unsaved line of the user's, of which the agent knows nothing."""
    path = rig.file(OLD)
    rig.files.open(path)
    await rig.begin()
    await rig.read(path)
    rig.files.type(path, *MINE)
    return path


class Fails:
    """Lets a method raise the next time, before it does anything or after it."""

    def __init__(self, owner: Any, name: str, *, is_done: bool) -> None:
        self._owner, self._name, self._is_done = owner, name, is_done
        self._works = getattr(owner, name)
        setattr(owner, name, self.once)

    async def once(self, *args: Any, **fields: Any) -> Any:
        setattr(self._owner, self._name, self._works)
        if self._is_done:
            await self._works(*args, **fields)
        raise EditorError("lost")


async def taken_back(rig: FileRig, path: Path) -> None:
    """Look at everything, and assert that undo takes just what is the agent's."""
    rig.sync.sweep(AGENT, rig.roots)
    await rig.passed()
    texts = rig.texts
    assert len(texts) == 1, texts
    await rig.undo(agent=AGENT.agent, session=AGENT.session)
    assert rig.files.lines(path) == [*MINE]


@pytest.mark.parametrize(
    ("part", "name", "is_done"),
    [("files", "write", True), ("sync", "refresh", False), ("sync", "refresh", True)],
)
async def test_a_write_of_which_nobody_has_seen_the_end(
    rig: FileRig, path: Path, part: str, name: str, is_done: bool
) -> None:
    Fails(getattr(rig, part), name, is_done=is_done)
    with pytest.raises(EditorError):
        await rig.write(path, THEIRS)
    assert path.read_text() == BOTH
    await taken_back(rig, path)


async def test_a_write_that_was_not_made_is_none(rig: FileRig, path: Path) -> None:
    Fails(rig.files, "write", is_done=False)
    with pytest.raises(EditorError):
        await rig.write(path, THEIRS)
    assert (path.read_text(), rig.texts) == (OLD, [])
    await rig.write(path, THEIRS)
    await taken_back(rig, path)


@pytest.mark.parametrize("is_done", [False, True])
@pytest.mark.parametrize("name", ["loaded", "edit"])
async def test_what_the_disk_has_new_is_brought_in_and_counted_later(
    rig: FileRig, path: Path, name: str, is_done: bool
) -> None:
    path.write_text(THEIRS)
    Fails(rig.files, name, is_done=is_done)
    with pytest.raises(EditorError):
        await rig.look(path)
    await rig.look(path)
    assert rig.files.lines(path) == BOTH.split()
    await taken_back(rig, path)


async def test_what_fails_for_one_file_keeps_no_other_from_being_counted(rig: FileRig) -> None:
    paths = [rig.file(OLD, name) for name in "abc"]
    rig.files.open(paths[0])
    await rig.begin()
    for it in paths:
        it.write_text(THEIRS)
    Fails(rig.files, "follow", is_done=False)
    rig.sync.sweep(AGENT, rig.roots)
    await rig.passed()
    assert [type(it) for it in rig.faults] == [EditorError]
    assert sorted(rig.named) == [(name, OLD, THEIRS) for name in "abc"]
    assert rig.files.lines(paths[0]) == THEIRS.split()


async def test_an_error_before_it_is_told_keeps_it_for_later(
    rig: FileRig, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned: list[SessionKey] = []

    def fails(session: SessionKey, *_: object) -> None:
        learned.append(session)
        raise ValueError("lost")

    path.write_text(THEIRS)
    with monkeypatch.context() as patched:
        patched.setattr(rig.knowledge, "left", fails)
        with pytest.raises(ValueError, match="lost"):
            await rig.look(path)
    assert learned and not rig.texts
    await rig.look(path)
    await taken_back(rig, path)
