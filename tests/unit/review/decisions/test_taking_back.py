"""Turns that are taken back and returned."""

from __future__ import annotations

from pathlib import Path

from acp_nvim.session.origin import Stretch
from tests.support.files.file_rig import FileRig, author
from tests.support.files.review_texts import BASE, THEIRS, told


async def test_a_turn_is_taken_back_in_all_its_files_and_returned(rig: FileRig) -> None:
    changed, new, gone = rig.file(BASE, "a"), rig.folder / "deep" / "b", rig.file("c\n", "c")
    rig.files.open(changed)
    new.parent.mkdir()
    await rig.agent(changed, THEIRS)
    await rig.agent(new, "new\n")
    await rig.agent(gone, None)
    outcome = await rig.undo()
    assert rig.names(outcome.paths) == ["a", "c", "deep/b"]
    assert (outcome.author, outcome.left, outcome.unsaved, outcome.failed) == (author(), (), (), ())
    assert (changed.read_text(), new.exists(), gone.read_text()) == (BASE, False, "c\n")
    assert rig.files.lines(changed) == BASE.split()
    returned = await rig.redo()
    assert returned is not None
    assert returned.paths == outcome.paths
    assert (changed.read_text(), new.read_text(), gone.exists()) == (THEIRS, "new\n", False)
    assert await rig.redo() is None
    assert len(await rig.hunks(changed)) == 2


async def test_only_an_undo_is_told_to_the_agent(rig: FileRig) -> None:
    path = rig.file(BASE)
    await rig.agent(path, THEIRS)
    await rig.undo()
    await rig.redo()
    assert rig.learned == [(("gemini", "s"), str(path), THEIRS)]


async def test_turns_are_taken_back_one_by_one_and_returned_in_reverse(rig: FileRig) -> None:
    path = rig.file("0\n")
    texts = ["0\n", "0\n1\n", "0\n1\n2\n", "0\n1\n2\n3\n"]
    for turn in (1, 2, 3):
        await rig.agent(path, texts[turn], author(turn))
    for turn in (3, 2, 1):
        await rig.undo(turn)
        assert path.read_text() == texts[turn - 1]
    assert rig.edits.turns(Stretch(("gemini", "s"))) == ()
    for turn in (1, 2, 3):
        await rig.redo()
        assert path.read_text() == texts[turn]
    assert await rig.redo() is None


async def test_an_earlier_turn_leaves_the_later_one_and_the_user(rig: FileRig) -> None:
    path = rig.file(BASE)
    await rig.agent(path, told("A", "b", "c", "d"), author(1))
    await rig.agent(path, told("A", "b", "c", "D"), author(2))
    path.write_text(told("A", "b", "mine", "c", "D"))
    outcome = await rig.undo(1)
    assert (outcome.left, path.read_text()) == ((), told("a", "b", "mine", "c", "D"))
    await rig.redo()
    assert path.read_text() == told("A", "b", "mine", "c", "D")


async def test_a_place_that_was_changed_since_is_left_and_told(rig: FileRig) -> None:
    path, other = rig.file(BASE), rig.file(BASE, "b")
    await rig.agent(path, told("a", "B", "c", "d"))
    await rig.agent(other, told("A", "b", "c", "d"))
    await rig.agent(path, told("a", "BB", "c", "d"), author(2))
    outcome = await rig.undo(1)
    assert (rig.names(outcome.paths), outcome.left) == (["b"], ((str(path), 1),))
    assert path.read_text() == told("a", "BB", "c", "d")
    assert other.read_text() == BASE


async def test_each_session_has_turns_of_its_own(rig: FileRig) -> None:
    path = rig.file(BASE)
    await rig.agent(path, told("A", "b", "c", "d"))
    await rig.agent(path, told("A", "b", "c", "D"), author(1, "other"))
    await rig.agent(path, told("A", "b", "c", "D", "q"), author(1, "s", "qwen"))
    await rig.undo(1, "other")
    assert path.read_text() == told("A", "b", "c", "d", "q")
    assert await rig.redo() is None
    assert await rig.redo("s", "qwen") is None
    await rig.undo(1, "s", "qwen")
    await rig.redo("other")
    assert path.read_text() == told("A", "b", "c", "D")


async def test_of_two_files_one_that_fails_does_not_keep_the_other(rig: FileRig) -> None:
    locked, other = rig.file(BASE), rig.file(BASE, "b")
    await rig.agent(locked, THEIRS)
    await rig.agent(other, THEIRS)
    locked.chmod(0o444)
    outcome = await rig.undo()
    assert rig.names(outcome.paths) == ["b"]
    assert [str(locked) in sentence for sentence in outcome.failed] == [True]
    assert (locked.read_text(), other.read_text()) == (THEIRS, BASE)
    locked.chmod(0o644)
    again = await rig.undo()
    assert (rig.names(again.paths), locked.read_text()) == (["a"], BASE)


async def test_unsaved_files_are_named(rig: FileRig) -> None:
    path = rig.file(BASE)
    rig.files.open(path)
    await rig.agent(path, THEIRS)
    rig.files.type(path, *THEIRS.split(), "mine")
    outcome = await rig.undo()
    assert outcome.unsaved == (str(path),)
    assert (rig.files.lines(path), path.read_text()) == ([*BASE.split(), "mine"], THEIRS)


async def test_our_own_writes_are_no_agents(rig: FileRig) -> None:
    path, new = rig.file(BASE), rig.folder / "new"
    await rig.agent(path, THEIRS)
    await rig.agent(new, "x\n")
    rig.running[""] = author(2)
    await rig.undo()
    async with rig.sync.exclusive():
        await rig.sync.sync(str(path), rig.running[""])
        await rig.sync.sync(str(new), rig.running[""])
    assert await rig.hunks(path) == []
    assert rig.edits.turns(Stretch(("gemini", "s"))) == ()


async def test_a_new_host_takes_back_what_the_old_one_has_kept(
    rig: FileRig, tmp_path: Path
) -> None:
    path, new = rig.file(BASE), rig.folder / "new"
    await rig.agent(path, THEIRS)
    await rig.agent(new, "x\n")
    rig.store.flush()
    path.write_text("mine\n" + THEIRS)
    later = FileRig(rig.folder, tmp_path / "kept")
    await later.edits.restore()
    assert await later.hunks(path) == [(2, "b", "B"), (5, "", "e")]
    await later.undo()
    assert (path.read_text(), new.exists()) == ("mine\n" + BASE, False)
    later.store.flush()
    last = FileRig(rig.folder, tmp_path / "kept")
    await last.edits.restore()
    await last.redo()
    assert (path.read_text(), new.read_text()) == ("mine\n" + THEIRS, "x\n")


async def everything_undone(rig: FileRig) -> None:
    """Take all turns of both agents back, one of each in turn."""
    sessions = [("gemini", "s"), ("qwen", "t")]
    while rig.edits.turns(*map(Stretch, sessions)):
        for session in sessions:
            if found := rig.edits.turns(Stretch(session)):
                outcome = await rig.review.undo(found[-1])
                assert outcome.failed == ()


async def test_two_agents_undone_in_turn_leave_nothing(rig: FileRig) -> None:
    path, new = rig.file(BASE), rig.folder / "new"
    rig.files.open(path)
    other = author(1, "t", "qwen")
    await rig.agent(path, told("A", "B", "c", "d"))
    await rig.agent(new, "x\n")
    await rig.agent(path, told("A", "B2", "C2", "d", "e"), other)
    await rig.agent(new, "x\ny\n", other)
    await rig.review.keep(str(path), range(0, 2))
    await rig.agent(path, told("A3", "B2", "C2", "e3"), author(2))
    rig.files.type(path, "mine", "A3", "B2", "C2", "e3")
    rig.files.save(path)
    await everything_undone(rig)
    assert (path.read_text(), new.exists()) == (told("mine", *BASE.split()), False)


async def test_a_line_of_an_agents_that_the_user_changed_is_all_that_stays(rig: FileRig) -> None:
    path = rig.file(BASE)
    await rig.agent(path, told("A", "B", "C", "d"))
    await rig.agent(path, told("A", "B", "C", "D"), author(1, "t", "qwen"))
    path.write_text(told("A", "B!", "C", "D"))
    undone = await rig.undo()
    assert undone.left == ((str(path), 1),)
    await everything_undone(rig)
    assert path.read_text() == told("a", "B!", "c", "d")


async def test_where_all_is_left_the_agent_is_told_nothing(rig: FileRig) -> None:
    path = rig.file(BASE)
    await rig.agent(path, told("a", "B", "c", "d"))
    path.write_text(told("a", "B!", "c", "d"))
    undone = await rig.undo()
    assert (undone.paths, undone.left) == ((), ((str(path), 1),))
    assert rig.learned == []


async def test_the_users_line_end_stays_the_users(rig: FileRig) -> None:
    path = rig.file("a\nb")
    await rig.agent(path, "a\nb\nagent")
    path.write_text("a\nb\nagent\n")  # the user's `:w`, with 'fixendofline'
    await rig.undo()
    assert path.read_text() == "a\nb\n"


async def test_a_conflict_that_is_open_is_no_matter_to_undo(rig: FileRig) -> None:
    path = rig.file(BASE)
    rig.files.open(path)
    await rig.agent(path, told("A", "b", "c", "d"))
    rig.files.type(path, "A", "b", "mine", "d")
    await rig.agent(path, told("A", "b", "C", "d"), author(1, "t", "qwen"))
    assert rig.edits.conflicts()
    await everything_undone(rig)
    assert rig.files.lines(path) == ["a", "b", "mine", "d"]


async def test_a_file_that_the_user_has_taken_away_is_named_and_stays_away(rig: FileRig) -> None:
    moved, deleted = rig.file(BASE, "moved"), rig.file(BASE, "deleted")
    for path in (moved, deleted):
        await rig.agent(path, THEIRS)
    moved.rename(rig.folder / "elsewhere")
    deleted.unlink()
    for _ in range(2):  # as often as it is asked for
        outcome = await rig.undo()
        assert (outcome.paths, outcome.left) == ((), ())
        assert outcome.failed == tuple(
            f"{path} is gone: moved or deleted since" for path in (deleted, moved)
        )
        assert (moved.exists(), deleted.exists()) == (False, False)
    (rig.folder / "elsewhere").rename(moved)
    await rig.review.look(str(moved))
    await rig.undo()
    assert moved.read_text() == BASE


async def test_a_file_that_an_agent_has_made_a_folder_or_a_link_is_back(rig: FileRig) -> None:
    folder, link = rig.file(BASE, "folder"), rig.file(BASE, "link")
    rig.files.open(folder)
    moved = rig.folder / "moved"
    for it in (folder, link):
        await rig.agent(it, None)
    folder.mkdir()
    link.symlink_to(moved)
    await rig.agent(folder / "inner", "new\n")
    await rig.agent(moved, BASE)
    outcome = await rig.undo()
    assert outcome.failed == ()
    assert (folder.read_text(), link.read_text(), moved.exists()) == (BASE, BASE, False)
    assert not link.is_symlink()
    returned = await rig.redo()
    assert returned is not None and returned.failed == ()
    assert (folder / "inner").read_text() == "new\n"
    assert not link.exists()
