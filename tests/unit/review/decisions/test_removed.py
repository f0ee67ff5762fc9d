"""A file that an agent has removed below unsaved text: undo gives the disk its bytes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from acp_nvim.errors import UserError
from tests.support.files.file_rig import FileRig, author

SAVED = "one\r\ntwo\n"


async def removed(rig: FileRig) -> Path:
    """Return a file with unsaved text that an agent has removed."""
    path = rig.file(SAVED)
    rig.files.open(path)
    rig.files.type(path, "one", "two", "mine")
    await rig.agent(path, None)
    assert not path.exists()
    return path


async def test_a_new_host_gives_it_back_too(rig: FileRig, tmp_path: Path) -> None:
    path = await removed(rig)
    rig.store.flush()
    new = FileRig(rig.folder, tmp_path / "kept")
    await new.edits.restore()
    await new.undo()
    assert path.read_bytes() == SAVED.encode()


async def test_another_file_in_its_place_stays(rig: FileRig) -> None:
    path = await removed(rig)
    path.mkdir()
    (path / "b").write_text("mine\n")
    outcome = await rig.undo()
    assert outcome.paths == ()
    assert "a" in outcome.failed[0]
    assert (path / "b").read_text() == "mine\n"
    conflict = rig.edits.conflict(str(path))
    assert conflict is not None
    with pytest.raises(UserError):
        await rig.review.resolve(conflict, take=False)


async def test_what_was_only_found_is_asked_about(rig: FileRig) -> None:
    path = rig.file(SAVED)
    rig.files.open(path)
    rig.files.type(path, "one", "two", "mine")
    await rig.agent(path, None, replace(author(), how="found"))
    turn = rig.turn()
    outcome = await rig.review.undo(turn, found=False)
    assert outcome.found == (str(path),)
    assert not path.exists()
    await rig.review.undo(turn, batch=outcome.batch)
    assert path.read_bytes() == SAVED.encode()


@pytest.mark.parametrize("left", ["anew\n", "", "ONE\r\nTWO\n"])
@pytest.mark.parametrize("decision", ["undo", "reject"])
async def test_what_an_agent_has_written_over_below_unsaved_text_is_on_the_disk_again(
    rig: FileRig, left: str, decision: str
) -> None:
    path = rig.file(SAVED)
    rig.files.open(path)
    rig.files.type(path, "one, mine", "two", "mine")
    await rig.agent(path, left)
    conflict = rig.edits.conflict(str(path))
    assert conflict is not None
    if decision == "undo":
        assert (await rig.undo()).paths == (str(path),)
    else:
        await rig.review.resolve(conflict, take=False)
    assert path.read_bytes() == SAVED.encode()
    assert rig.files.lines(path) == ["one, mine", "two", "mine"]
    assert rig.files.buffers[str(path)].modified
    assert rig.edits.turns() == ()
    assert await rig.redo() is None, "what the disk has again stays"


@pytest.mark.parametrize("now", ["another program\n", None])
async def test_what_another_program_has_made_of_it_since_stays(
    rig: FileRig, now: str | None
) -> None:
    path = rig.file(SAVED)
    rig.files.open(path)
    rig.files.type(path, "one, mine", "two", "mine")
    await rig.agent(path, "anew\n")
    conflict = rig.edits.conflict(str(path))
    assert conflict is not None
    twin = path.with_name("twin")
    if now is None:
        twin.hardlink_to(path)  # to write the one would be to write the other
    else:
        path.write_text(now)
    await rig.review.resolve(conflict, take=False)
    assert path.read_text() == (now or "anew\n")


async def test_redo_removes_it_again_below_the_same_text(rig: FileRig, tmp_path: Path) -> None:
    path = await removed(rig)
    undone = await rig.undo()
    assert path.read_bytes() == SAVED.encode() and rig.edits.last_undo() == undone.batch
    rig.store.flush()
    kept = FileRig(rig.folder, tmp_path / "kept").edits
    await kept.restore()
    assert kept.last_undo() == undone.batch, "another host knows of it, too"
    redone = await rig.review.redo(undone.batch)
    assert redone is not None and redone.paths == (str(path),) and redone.failed == ()
    assert not path.exists() and rig.edits.last_undo() is None
    assert rig.files.lines(path) == ["one", "two", "mine"]
    await rig.undo()
    assert path.read_bytes() == SAVED.encode()


async def test_redo_does_not_remove_what_the_user_has_written_since(rig: FileRig) -> None:
    path = await removed(rig)
    undone = await rig.undo()
    path.write_text("one\ntwo\nmine\n")
    redone = await rig.review.redo(undone.batch)
    assert redone is not None and redone.failed == (f"{path} has changed since: it stays",)
    assert path.read_text() == "one\ntwo\nmine\n"


@pytest.mark.parametrize("theirs", [None, "", "one\nTWO\n"])
async def test_a_kill_right_after_the_disk_has_its_bytes_leaves_no_conflict(
    rig: FileRig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, theirs: str | None
) -> None:
    path = rig.file(SAVED)
    rig.files.open(path)
    rig.files.type(path, "one", "mine")
    await rig.agent(path, theirs)
    monkeypatch.setattr(rig.edits, "settled", None)  # the host dies there
    with pytest.raises(TypeError):
        await rig.undo()
    assert path.read_bytes() == SAVED.encode()
    rig.store.flush()
    rig.kill()
    new = FileRig(rig.folder, tmp_path / "kept")
    await new.restore()
    assert not new.edits.conflicts()
    assert path.read_bytes() == SAVED.encode()
