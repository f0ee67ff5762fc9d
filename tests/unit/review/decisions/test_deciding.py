"""What the user keeps and rejects, with files on a real disk and an editor in memory."""

from __future__ import annotations

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_nvim.errors import UserError
from tests.support.review_desk import BASE, THEIRS, ReviewDesk, author, told

DO = Callable[[ReviewDesk, Path], None]


# --- looking


async def test_a_look_has_the_hunks_as_they_are_now(desk: ReviewDesk) -> None:
    path = desk.file(BASE)
    await desk.agent(path, THEIRS)
    assert await desk.hunks(path) == [(1, "b", "B"), (4, "", "e")]
    path.write_text(told("mine", "a", "B", "c", "d"))
    assert await desk.hunks(path) == [(2, "b", "B")]
    desk.files.open(path)
    desk.files.type(path, "a", "B", "c", "d")
    seen = await desk.review.look(str(path))
    assert (seen.review.count, seen.tick) == (4, 3)


async def test_of_a_file_that_no_agent_changed_there_is_nothing(desk: ReviewDesk) -> None:
    path = desk.file(BASE)
    desk.files.open(path)
    seen = await desk.review.look(str(path))
    assert (seen.review.changes, seen.tick) == ((), 2)
    assert (await desk.review.keep(str(path)), await desk.review.reject(str(path))) == (0, 0)


async def test_a_file_that_holds_no_text_any_more_is_not_decided_on(desk: ReviewDesk) -> None:
    path = desk.file(BASE)
    await desk.agent(path, THEIRS)
    path.write_bytes(b"\0\1")
    assert await desk.hunks(path) == []
    with pytest.raises(UserError, match="binary"):
        await desk.review.reject(str(path))
    outcome = await desk.undo()
    assert (outcome.paths, len(outcome.failed)) == ((), 1)
    assert path.read_bytes() == b"\0\1"


async def test_what_the_running_agent_has_done_just_now_is_its(desk: ReviewDesk) -> None:
    path = desk.file(BASE)
    await desk.agent(path, THEIRS)
    desk.running = author(2)
    path.write_text("new\n" + THEIRS)
    assert await desk.hunks(path) == [(0, "", "new"), (2, "b", "B"), (5, "", "e")]
    origin = desk.edits.origin(str(path), 0)
    assert origin is not None
    assert origin.author == author(2)


# --- keeping and rejecting


async def test_keeping_changes_no_text(desk: ReviewDesk) -> None:
    path = desk.file(BASE)
    await desk.agent(path, THEIRS)
    assert await desk.review.keep(str(path), range(1, 2)) == 1
    assert await desk.hunks(path) == [(4, "", "e")]
    assert await desk.review.keep(str(path)) == 1
    assert await desk.review.keep(str(path)) == 0
    assert path.read_text() == THEIRS
    assert desk.learned == []


async def test_rejecting_brings_back_what_was_there(desk: ReviewDesk) -> None:
    path = desk.file(BASE)
    await desk.agent(path, THEIRS)
    assert await desk.review.reject(str(path), range(1, 2)) == 1
    assert path.read_text() == told("a", "b", "c", "d", "e")
    assert await desk.review.reject(str(path), range(2)) == 0
    assert await desk.review.reject(str(path)) == 1
    assert path.read_text() == BASE
    assert await desk.review.reject(str(path)) == 0
    assert [text for _, _, text in desk.learned] == [THEIRS, told("a", "b", "c", "d", "e")]


async def test_a_rejection_is_told_to_those_whose_it_was(desk: ReviewDesk) -> None:
    path = desk.file(BASE)
    other = author(1, "t", "qwen")
    await desk.agent(path, told("A", "b", "c", "d"))
    await desk.agent(path, told("A", "b", "c", "D"), other)
    await desk.review.reject(str(path), range(3, 4))
    assert [key for key, _, _ in desk.learned] == [("qwen", "t")]
    await desk.review.reject(str(path), range(0, 1))
    assert [key for key, _, _ in desk.learned] == [("qwen", "t"), ("gemini", "s")]
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
    desk: ReviewDesk, before: str, after: str
) -> None:
    path = desk.file(before)
    await desk.agent(path, after)
    assert await desk.review.reject(str(path)) == 1
    assert path.read_bytes() == before.encode()


async def test_a_file_in_another_encoding_keeps_it(desk: ReviewDesk) -> None:
    path = desk.folder / "a"
    path.write_bytes("café\nthé\n".encode("latin-1"))
    async with desk.watch.still():
        await desk.watch.settle(str(path), None)
        path.write_bytes("café!\nthé\n".encode("latin-1"))
        await desk.watch.settle(str(path), author())
    await desk.undo()
    assert path.read_bytes() == "café\nthé\n".encode("latin-1")


@pytest.mark.parametrize("opened", [False, True])
async def test_a_restored_file_has_its_mode_and_its_encoding(
    desk: ReviewDesk, tmp_path: Path, *, opened: bool
) -> None:
    path = desk.folder / "a"
    path.write_bytes(b"#!caf\xe9\n")
    path.chmod(0o750)
    if opened:
        desk.files.open(path, "#!café", modified=False, encoding="latin1")
    await desk.agent(path, None)
    desk.store.flush()
    later = ReviewDesk(desk.folder, tmp_path / "kept")
    later.files.buffers |= desk.files.buffers
    await later.edits.restore()
    await later.undo()
    assert path.read_bytes() == b"#!caf\xe9\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o750


async def test_a_returned_file_has_its_mode(desk: ReviewDesk) -> None:
    path = desk.folder / "a"
    await desk.agent(path, "#!/bin/sh\n")
    path.chmod(0o700)
    await desk.undo()
    assert not path.exists()
    await desk.redo()
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("#!/bin/sh\n", 0o700)


async def test_bytes_that_are_no_text_come_back_in_a_buffer(desk: ReviewDesk) -> None:
    path = desk.folder / "a"
    path.write_bytes(b"\xff\nb\n")
    desk.edits.wrote(str(path), "\udcff\nb\n", "\udcff\nB\n", author())
    path.write_bytes(b"\xff\nB\n")
    desk.files.open(path, "\udcff", "B", modified=False)
    assert await desk.review.reject(str(path)) == 1
    assert path.read_bytes() == b"\xff\nb\n"


async def test_unsaved_edits_stay_and_stay_unsaved(desk: ReviewDesk) -> None:
    path = desk.file(BASE)
    desk.files.open(path)
    await desk.agent(path, THEIRS)
    desk.files.type(path, "mine", *THEIRS.split())
    assert await desk.review.reject(str(path)) == 2
    assert desk.files.lines(path) == ["mine", *BASE.split()]
    assert desk.files.buffers[str(path)].modified
    assert path.read_text() == THEIRS
    assert await desk.hunks(path) == []


async def test_undoing_a_rejection_in_the_editor_makes_it_wait_again(desk: ReviewDesk) -> None:
    path = desk.file(BASE)
    desk.files.open(path)
    await desk.agent(path, THEIRS)
    await desk.review.reject(str(path))
    desk.files.type(path, *THEIRS.split())
    assert await desk.hunks(path) == [(1, "b", "B"), (4, "", "e")]


async def test_a_created_file_is_removed_and_a_removed_one_restored(desk: ReviewDesk) -> None:
    new, gone = desk.folder / "new", desk.file(BASE, "gone")
    await desk.agent(new, "x\n")
    await desk.agent(gone, None)
    assert await desk.review.reject(str(new)) == 1
    assert await desk.review.reject(str(gone)) == 1
    assert not new.exists()
    assert gone.read_text() == BASE


async def test_what_the_user_wrote_into_a_created_file_stays(desk: ReviewDesk) -> None:
    path = desk.folder / "new"
    await desk.agent(path, "x\n")
    path.write_text("x\nmine\n")
    await desk.review.reject(str(path))
    assert path.read_text() == "mine\n"


async def test_an_undo_leaves_what_the_user_wrote_in_the_midst_of_it(desk: ReviewDesk) -> None:
    path = desk.folder / "new"
    await desk.agent(path, "x\ny\n")
    path.write_text("x\nmine\ny\n")
    await desk.undo()
    assert path.read_text() == "mine\n"
    await desk.redo()
    assert path.read_text() == "x\nmine\ny\n"


@pytest.mark.parametrize(
    ("lock", "reason"),
    [
        (lambda desk, path: path.chmod(0o444), "read-only"),
        (lambda desk, path: desk.files.open(path, readonly=True), "read-only"),
        (lambda desk, path: desk.files.open(path, modifiable=False), "not modifiable"),
        (lambda desk, path: path.unlink() or path.mkdir(), "directory"),
        (lambda desk, path: desk.files.open(path) and refuse(desk), "E505"),
        (lambda desk, path: desk.files.open(path) and typing(desk, path), "keeps changing"),
    ],
)
async def test_what_cannot_be_changed_is_left_alone_and_stays_pending(
    desk: ReviewDesk, lock: DO, reason: str
) -> None:
    path = desk.file(BASE)
    await desk.agent(path, THEIRS)
    before = desk.edits.changes(str(path))
    lock(desk, path)
    with pytest.raises(UserError, match=reason):
        await desk.review.reject(str(path))
    assert (await desk.undo()).paths == ()
    if path.is_file():
        assert path.read_text() == THEIRS
    assert desk.edits.changes(str(path)) == before
    assert desk.learned == []


async def test_a_created_file_in_a_read_only_folder_keeps_its_buffer(
    desk: ReviewDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk.folder / "new"
    await desk.agent(path, THEIRS)
    desk.files.open(path)
    # root may write everywhere
    monkeypatch.setattr("acp_nvim.files.disk.os.access", lambda *_: False)
    with pytest.raises(UserError, match="its folder is read-only"):
        await desk.review.reject(str(path))
    assert desk.files.lines(path) == THEIRS.split()
    assert path.read_text() == THEIRS


def refuse(desk: ReviewDesk) -> None:
    desk.files.refuse = "E505: no"


def typing(desk: ReviewDesk, path: Path) -> None:
    """Let the user type the same again whenever an edit arrives."""

    def type_again() -> None:
        desk.files.type(path, *THEIRS.split())
        desk.files.before_change = type_again

    desk.files.before_change = type_again


async def test_an_act_begins_anew_when_the_user_types_meanwhile(desk: ReviewDesk) -> None:
    path = desk.file(BASE)
    desk.files.open(path)
    await desk.agent(path, THEIRS)
    desk.files.before_change = lambda: desk.files.type(path, "mine", *THEIRS.split())
    assert await desk.review.reject(str(path)) == 2
    assert desk.files.lines(path) == ["mine", *BASE.split()]
