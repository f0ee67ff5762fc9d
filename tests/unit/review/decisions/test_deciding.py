"""What the user keeps and rejects, with files on a real disk and an editor in memory."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_nvim.errors import UserError
from tests.support.files.file_rig import FileRig, author
from tests.support.files.review_texts import BASE, THEIRS, told

DO = Callable[[FileRig, Path], None]


# --- looking


async def test_a_look_has_the_hunks_as_they_are_now(rig: FileRig) -> None:
    path = rig.file(BASE)
    await rig.agent(path, THEIRS)
    assert await rig.hunks(path) == [(1, "b", "B"), (4, "", "e")]
    path.write_text(told("mine", "a", "B", "c", "d"))
    assert await rig.hunks(path) == [(2, "b", "B")]
    rig.files.open(path)
    rig.files.type(path, "a", "B", "c", "d")
    seen = await rig.review.look(str(path))
    assert (seen.review.count, seen.tick) == (4, 3)


async def test_of_a_file_that_no_agent_changed_there_is_nothing(rig: FileRig) -> None:
    path = rig.file(BASE)
    rig.files.open(path)
    seen = await rig.review.look(str(path))
    assert (seen.review.changes, seen.tick) == ((), 2)
    assert (await rig.review.keep(str(path)), await rig.review.reject(str(path))) == (0, 0)


async def test_a_file_that_holds_no_text_any_more_is_not_decided_on(rig: FileRig) -> None:
    path = rig.file(BASE)
    await rig.agent(path, THEIRS)
    path.write_bytes(b"\0\1")
    assert await rig.hunks(path) == []
    with pytest.raises(UserError, match="binary"):
        await rig.review.reject(str(path))
    outcome = await rig.undo()
    assert (outcome.paths, len(outcome.failed)) == ((), 1)
    assert path.read_bytes() == b"\0\1"


async def test_what_the_running_agent_has_done_just_now_is_its(rig: FileRig) -> None:
    path = rig.file(BASE)
    await rig.agent(path, THEIRS)
    rig.running[""] = author(2)
    path.write_text("new\n" + THEIRS)
    assert await rig.hunks(path) == [(0, "", "new"), (2, "b", "B"), (5, "", "e")]
    origin = rig.edits.origin(str(path), 0)
    assert origin is not None
    assert origin.author == author(2)


# --- keeping and rejecting


async def test_keeping_changes_no_text(rig: FileRig) -> None:
    path = rig.file(BASE)
    await rig.agent(path, THEIRS)
    assert await rig.review.keep(str(path), range(1, 2)) == 1
    assert await rig.hunks(path) == [(4, "", "e")]
    assert await rig.review.keep(str(path)) == 1
    assert await rig.review.keep(str(path)) == 0
    assert path.read_text() == THEIRS
    assert rig.learned == []


async def test_rejecting_brings_back_what_was_there(rig: FileRig) -> None:
    path = rig.file(BASE)
    await rig.agent(path, THEIRS)
    assert await rig.review.reject(str(path), range(1, 2)) == 1
    assert path.read_text() == told("a", "b", "c", "d", "e")
    assert await rig.review.reject(str(path), range(2)) == 0
    assert await rig.review.reject(str(path)) == 1
    assert path.read_text() == BASE
    assert await rig.review.reject(str(path)) == 0
    assert [text for _, _, text in rig.learned] == [THEIRS, told("a", "b", "c", "d", "e")]


async def test_a_rejection_is_told_to_those_whose_it_was(rig: FileRig) -> None:
    path = rig.file(BASE)
    other = author(1, "t", "qwen")
    await rig.agent(path, told("A", "b", "c", "d"))
    await rig.agent(path, told("A", "b", "c", "D"), other)
    await rig.review.reject(str(path), range(3, 4))
    assert [key for key, _, _ in rig.learned] == [("qwen", "t")]
    await rig.review.reject(str(path), range(0, 1))
    assert [key for key, _, _ in rig.learned] == [("qwen", "t"), ("gemini", "s")]
    assert path.read_text() == BASE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\r\nb\r\n", "a\r\nB\r\n"),
        ("a\nb", "a\nb\nc"),
        ("a\nb\n", "a\nb"),
        ("\ufeffa\n", "a\n"),
        ("a\n", ""),
        ("", "a\n"),
        ("é\u2028ü\n", "e\n"),
        ("a\rb\r", "a\rc\r"),
    ],
)
async def test_a_rejected_file_is_what_it_was_byte_for_byte(
    rig: FileRig, before: str, after: str
) -> None:
    path = rig.file(before)
    await rig.agent(path, after)
    assert await rig.review.reject(str(path)) == 1
    assert path.read_bytes() == before.encode()


async def test_a_file_in_another_encoding_keeps_it(rig: FileRig) -> None:
    path = rig.folder / "a"
    path.write_bytes("café\nthé\n".encode("latin-1"))
    async with rig.sync.exclusive():
        await rig.sync.sync(str(path), None)
        path.write_bytes("café!\nthé\n".encode("latin-1"))
        await rig.sync.sync(str(path), author())
    await rig.undo()
    assert path.read_bytes() == "café\nthé\n".encode("latin-1")


@pytest.mark.parametrize("opened", [False, True])
async def test_a_restored_file_has_its_mode_and_its_encoding(
    rig: FileRig, tmp_path: Path, *, opened: bool
) -> None:
    path = rig.folder / "a"
    path.write_bytes(b"#!caf\xe9\n")
    path.chmod(0o750)
    if opened:
        rig.files.open(path, "#!café", modified=False, encoding="latin1")
    await rig.agent(path, None)
    rig.store.flush()
    later = FileRig(rig.folder, tmp_path / "kept")
    later.files.buffers |= rig.files.buffers
    await later.edits.restore()
    await later.undo()
    assert path.read_bytes() == b"#!caf\xe9\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o750


async def test_a_file_made_anew_below_unsaved_text_has_its_mode_again(rig: FileRig) -> None:
    path = rig.file(BASE)
    path.chmod(0o750)
    rig.files.open(path)
    await rig.sync.sync(str(path))
    rig.files.type(path, "a", "b", "c", "d", "mine")
    path.unlink()
    path.write_text(told("a", "B", "c", "d"))
    await rig.sync.sync(str(path), author())
    assert stat.S_IMODE(path.stat().st_mode) != 0o750
    await rig.undo()
    assert path.read_text() == told("a", "B", "c", "d")  # it is not saved for the user
    assert stat.S_IMODE(path.stat().st_mode) == 0o750


async def test_a_returned_file_has_its_mode(rig: FileRig) -> None:
    path = rig.folder / "a"
    await rig.agent(path, "#!/bin/sh\n")
    path.chmod(0o700)
    await rig.undo()
    assert not path.exists()
    await rig.redo()
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("#!/bin/sh\n", 0o700)


async def test_bytes_that_are_no_text_come_back_in_a_buffer(rig: FileRig) -> None:
    path = rig.folder / "a"
    path.write_bytes(b"\xff\nb\n")
    rig.edits.wrote(str(path), "\udcff\nb\n", "\udcff\nB\n", author())
    path.write_bytes(b"\xff\nB\n")
    rig.files.open(path, "\udcff", "B", modified=False)
    assert await rig.review.reject(str(path)) == 1
    assert path.read_bytes() == b"\xff\nb\n"


async def test_unsaved_edits_stay_and_stay_unsaved(rig: FileRig) -> None:
    path = rig.file(BASE)
    rig.files.open(path)
    await rig.agent(path, THEIRS)
    rig.files.type(path, "mine", *THEIRS.split())
    assert await rig.review.reject(str(path)) == 2
    assert rig.files.lines(path) == ["mine", *BASE.split()]
    assert rig.files.buffers[str(path)].modified
    assert path.read_text() == THEIRS
    assert await rig.hunks(path) == []


async def test_undoing_a_rejection_in_the_editor_makes_it_wait_again(rig: FileRig) -> None:
    path = rig.file(BASE)
    rig.files.open(path)
    await rig.agent(path, THEIRS)
    await rig.review.reject(str(path))
    rig.files.type(path, *THEIRS.split())
    assert await rig.hunks(path) == [(1, "b", "B"), (4, "", "e")]


async def test_a_created_file_is_removed_and_a_removed_one_restored(rig: FileRig) -> None:
    new, gone = rig.folder / "new", rig.file(BASE, "gone")
    await rig.agent(new, "x\n")
    await rig.agent(gone, None)
    assert await rig.review.reject(str(new)) == 1
    assert await rig.review.reject(str(gone)) == 1
    assert not new.exists()
    assert gone.read_text() == BASE


async def test_what_the_user_wrote_into_a_created_file_stays(rig: FileRig) -> None:
    path = rig.folder / "new"
    await rig.agent(path, "x\n")
    path.write_text("x\nmine\n")
    await rig.review.reject(str(path))
    assert path.read_text() == "mine\n"


async def test_an_undo_leaves_what_the_user_wrote_in_the_midst_of_it(rig: FileRig) -> None:
    path = rig.folder / "new"
    await rig.agent(path, "x\ny\n")
    path.write_text("x\nmine\ny\n")
    await rig.undo()
    assert path.read_text() == "mine\n"
    await rig.redo()
    assert path.read_text() == "x\nmine\ny\n"


@pytest.mark.parametrize(
    ("lock", "reason"),
    [
        (lambda rig, path: path.chmod(0o444), "read-only"),
        (lambda rig, path: rig.files.open(path, locked="read-only"), "read-only"),
        (lambda rig, path: rig.files.open(path, locked="not modifiable"), "not modifiable"),
        (lambda rig, path: path.unlink() or path.mkdir(), "directory"),
        (lambda rig, path: rig.files.open(path) and refuse(rig), "E505"),
        (lambda rig, path: rig.files.open(path) and typing(rig, path), "keeps changing"),
    ],
)
async def test_what_cannot_be_changed_is_left_alone_and_stays_pending(
    rig: FileRig, lock: DO, reason: str
) -> None:
    path = rig.file(BASE)
    await rig.agent(path, THEIRS)
    before = rig.edits.changes(str(path))
    lock(rig, path)
    with pytest.raises(UserError, match=reason):
        await rig.review.reject(str(path))
    assert (await rig.undo()).paths == ()
    if path.is_file():
        assert path.read_text() == THEIRS
    assert rig.edits.changes(str(path)) == before
    assert rig.learned == []


async def test_a_created_file_in_a_read_only_folder_keeps_its_buffer(
    rig: FileRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = rig.folder / "new"
    await rig.agent(path, THEIRS)
    rig.files.open(path)
    # root may write everywhere
    monkeypatch.setattr("acp_nvim.files.disk.os.access", lambda *_, **__: False)
    with pytest.raises(UserError, match="its folder is read-only"):
        await rig.review.reject(str(path))
    assert rig.files.lines(path) == THEIRS.split()
    assert path.read_text() == THEIRS


def refuse(rig: FileRig) -> None:
    rig.files.refuse = "E505: no"


def typing(rig: FileRig, path: Path) -> None:
    """Let the user type the same again whenever an edit arrives."""

    def type_again() -> None:
        rig.files.type(path, *THEIRS.split())
        rig.files.before_change = type_again

    rig.files.before_change = type_again


async def test_an_act_begins_anew_when_the_user_types_meanwhile(rig: FileRig) -> None:
    path = rig.file(BASE)
    rig.files.open(path)
    await rig.agent(path, THEIRS)
    rig.files.before_change = lambda: rig.files.type(path, "mine", *THEIRS.split())
    assert await rig.review.reject(str(path)) == 2
    assert rig.files.lines(path) == ["mine", *BASE.split()]
