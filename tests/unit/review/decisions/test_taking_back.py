"""Turns that are taken back and returned."""

from __future__ import annotations

from pathlib import Path

from tests.support.review_desk import BASE, THEIRS, ReviewDesk, author, told


async def test_a_turn_is_taken_back_in_all_its_files_and_returned(desk: ReviewDesk) -> None:
    changed, new, gone = desk.file(BASE, "a"), desk.folder / "deep" / "b", desk.file("c\n", "c")
    desk.files.open(changed)
    new.parent.mkdir()
    await desk.agent(changed, THEIRS)
    await desk.agent(new, "new\n")
    await desk.agent(gone, None)
    outcome = await desk.undo()
    assert desk.names(outcome.paths) == ["a", "c", "deep/b"]
    assert (outcome.author, outcome.left, outcome.unsaved, outcome.failed) == (author(), (), (), ())
    assert (changed.read_text(), new.exists(), gone.read_text()) == (BASE, False, "c\n")
    assert desk.files.lines(changed) == BASE.split()
    returned = await desk.redo()
    assert returned is not None
    assert returned.paths == outcome.paths
    assert (changed.read_text(), new.read_text(), gone.exists()) == (THEIRS, "new\n", False)
    assert await desk.redo() is None
    assert len(await desk.hunks(changed)) == 2


async def test_only_an_undo_is_told_to_the_agent(desk: ReviewDesk) -> None:
    path = desk.file(BASE)
    await desk.agent(path, THEIRS)
    await desk.undo()
    await desk.redo()
    assert desk.learned == [(("gemini", "s"), str(path), THEIRS)]


async def test_turns_are_taken_back_one_by_one_and_returned_in_reverse(desk: ReviewDesk) -> None:
    path = desk.file("0\n")
    texts = ["0\n", "0\n1\n", "0\n1\n2\n", "0\n1\n2\n3\n"]
    for turn in (1, 2, 3):
        await desk.agent(path, texts[turn], author(turn))
    for turn in (3, 2, 1):
        await desk.undo(turn)
        assert path.read_text() == texts[turn - 1]
    assert desk.edits.turns(("gemini", "s")) == ()
    for turn in (1, 2, 3):
        await desk.redo()
        assert path.read_text() == texts[turn]
    assert await desk.redo() is None


async def test_an_earlier_turn_leaves_the_later_one_and_the_user(desk: ReviewDesk) -> None:
    path = desk.file(BASE)
    await desk.agent(path, told("A", "b", "c", "d"), author(1))
    await desk.agent(path, told("A", "b", "c", "D"), author(2))
    path.write_text(told("A", "b", "mine", "c", "D"))
    outcome = await desk.undo(1)
    assert (outcome.left, path.read_text()) == ((), told("a", "b", "mine", "c", "D"))
    await desk.redo()
    assert path.read_text() == told("A", "b", "mine", "c", "D")


async def test_a_place_that_was_changed_since_is_left_and_told(desk: ReviewDesk) -> None:
    path, other = desk.file(BASE), desk.file(BASE, "b")
    await desk.agent(path, told("a", "B", "c", "d"))
    await desk.agent(other, told("A", "b", "c", "d"))
    await desk.agent(path, told("a", "BB", "c", "d"), author(2))
    outcome = await desk.undo(1)
    assert (desk.names(outcome.paths), outcome.left) == (["b"], ((str(path), 1),))
    assert path.read_text() == told("a", "BB", "c", "d")
    assert other.read_text() == BASE


async def test_each_session_has_turns_of_its_own(desk: ReviewDesk) -> None:
    path = desk.file(BASE)
    await desk.agent(path, told("A", "b", "c", "d"))
    await desk.agent(path, told("A", "b", "c", "D"), author(1, "other"))
    await desk.agent(path, told("A", "b", "c", "D", "q"), author(1, "s", "qwen"))
    await desk.undo(1, "other")
    assert path.read_text() == told("A", "b", "c", "d", "q")
    assert await desk.redo() is None
    assert await desk.redo("s", "qwen") is None
    await desk.undo(1, "s", "qwen")
    await desk.redo("other")
    assert path.read_text() == told("A", "b", "c", "D")


async def test_of_two_files_one_that_fails_does_not_keep_the_other(desk: ReviewDesk) -> None:
    locked, other = desk.file(BASE), desk.file(BASE, "b")
    await desk.agent(locked, THEIRS)
    await desk.agent(other, THEIRS)
    locked.chmod(0o444)
    outcome = await desk.undo()
    assert desk.names(outcome.paths) == ["b"]
    assert [str(locked) in sentence for sentence in outcome.failed] == [True]
    assert (locked.read_text(), other.read_text()) == (THEIRS, BASE)
    locked.chmod(0o644)
    again = await desk.undo()
    assert (desk.names(again.paths), locked.read_text()) == (["a"], BASE)


async def test_unsaved_files_are_named(desk: ReviewDesk) -> None:
    path = desk.file(BASE)
    desk.files.open(path)
    await desk.agent(path, THEIRS)
    desk.files.type(path, *THEIRS.split(), "mine")
    outcome = await desk.undo()
    assert outcome.unsaved == (str(path),)
    assert (desk.files.lines(path), path.read_text()) == ([*BASE.split(), "mine"], THEIRS)


async def test_our_own_writes_are_no_agents(desk: ReviewDesk) -> None:
    path, new = desk.file(BASE), desk.folder / "new"
    await desk.agent(path, THEIRS)
    await desk.agent(new, "x\n")
    desk.running = author(2)
    await desk.undo()
    async with desk.watch.still():
        await desk.watch.settle(str(path), desk.running)
        await desk.watch.settle(str(new), desk.running)
    assert await desk.hunks(path) == []
    assert desk.edits.turns(("gemini", "s")) == ()


async def test_a_new_host_takes_back_what_the_old_one_has_kept(
    desk: ReviewDesk, tmp_path: Path
) -> None:
    path, new = desk.file(BASE), desk.folder / "new"
    await desk.agent(path, THEIRS)
    await desk.agent(new, "x\n")
    desk.store.flush()
    path.write_text("mine\n" + THEIRS)
    later = ReviewDesk(desk.folder, tmp_path / "kept")
    await later.edits.restore()
    assert await later.hunks(path) == [(2, "b", "B"), (5, "", "e")]
    await later.undo()
    assert (path.read_text(), new.exists()) == ("mine\n" + BASE, False)
    later.store.flush()
    last = ReviewDesk(desk.folder, tmp_path / "kept")
    await last.edits.restore()
    await last.redo()
    assert (path.read_text(), new.read_text()) == ("mine\n" + THEIRS, "x\n")
