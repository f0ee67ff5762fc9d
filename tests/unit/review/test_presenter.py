"""What is shown of the review, kept up to date as files change."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from acp_nvim.editor import Drawn
from acp_nvim.errors import EditorError
from acp_nvim.history.comment import Comment
from acp_nvim.history.conflict import Conflict
from acp_nvim.review.presenter import Foreseen, ReviewPresenter
from acp_nvim.view.review.marks import Drawing, LinesMark, PartMark, RowMark
from tests.support.fakes.fake_ports import FakeReviewer
from tests.support.files.file_rig import FileRig, author
from tests.support.files.review_texts import told

BASE = told("a", "b", "c", "d")
THEIRS = told("a", "B", "c", "d", "e")


class FailingReviewer(FakeReviewer):
    """Fails to draw these files; `meanwhile` happens while one is drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.failing: set[str] = set()
        self.meanwhile: Callable[[], None] = lambda: None

    async def draw(self, path: str, tick: int, drawing: Drawing) -> Drawn:
        self.meanwhile()
        if path in self.failing:
            raise EditorError("E5555: no")
        return await super().draw(path, tick, drawing)


class Wall(FileRig):
    """A review rig whose board hangs on a wall that can be looked at."""

    def __init__(self, folder: Path, kept: Path) -> None:
        super().__init__(folder, kept)
        self.shown = FailingReviewer()
        self.board = ReviewPresenter(
            self.edits,
            self.review,
            self.comments,
            self.shown,
            scope=lambda: [str(folder)],
            fault=self.faults.append,
        )

    @asynccontextmanager
    async def hung(self) -> AsyncIterator[None]:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.board.run)
            yield
            tasks.cancel_scope.cancel()

    async def settled(self) -> None:
        """Draw all that has changed."""
        for path in self.changed:
            self.board.touch(path)
        self.changed.clear()
        with anyio.fail_after(40):
            await self.board.settled()

    def kinds(self, path: Path) -> set[str]:
        """Return which kinds of marks a file has."""
        return {type(mark).__name__ for mark in self.shown.drawn[str(path)].marks}


@pytest.fixture
def wall(tmp_path: Path) -> Wall:
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    return Wall(folder, tmp_path / "kept")


async def edited(wall: Wall, name: str = "a", *, opened: bool = True) -> Path:
    """Let the agent change a file that the user has open."""
    path = wall.file(BASE, name)
    if opened:
        wall.files.open(path)
    await wall.agent(path, THEIRS)
    return path


async def test_before_the_user_asks_there_are_only_signs(wall: Wall) -> None:
    async with wall.hung():
        path = await edited(wall)
        await wall.settled()
    drawing = wall.shown.drawn[str(path)]
    assert wall.kinds(path) == {"RowMark"}
    assert {mark.line_group for mark in drawing.marks if isinstance(mark, RowMark)} == {""}
    assert drawing.hunks == ((1, 2), (4, 5))
    assert wall.shown.made == ()


async def test_the_review_shows_all_until_it_is_off(wall: Wall) -> None:
    async with wall.hung():
        path = await edited(wall)
        wall.board.show(everything=True)
        await wall.settled()
        assert wall.kinds(path) == {"RowMark", "LinesMark"}
        wall.board.show(everything=False)
        await wall.settled()
        assert wall.kinds(path) == {"RowMark"}


async def test_the_review_is_over_when_nothing_is_left(wall: Wall) -> None:
    async with wall.hung():
        path = await edited(wall)
        wall.board.show(everything=True)
        await wall.settled()
        await wall.review.keep(str(path))
        await wall.settled()
        assert (wall.shown.drawn[str(path)], wall.board.shown) == (Drawing(), False)
        assert wall.shown.updated == ()
        await wall.agent(path, BASE, author(2))
        await wall.settled()
        assert wall.kinds(path) == {"RowMark"}


async def test_a_review_that_is_asked_for_while_another_file_is_drawn_stays(wall: Wall) -> None:
    path, other = await edited(wall), wall.file(BASE, "other")
    wall.changed.clear()
    wall.files.open(other)

    def ask() -> None:
        wall.shown.meanwhile = lambda: None
        wall.board.show(everything=True)

    wall.shown.meanwhile = ask
    wall.board.touch(str(other))
    async with wall.hung():
        await wall.settled()
    assert wall.board.shown
    assert wall.kinds(path) == {"RowMark", "LinesMark"}


async def test_files_and_lists_go_along_with_the_books(wall: Wall) -> None:
    async with wall.hung():
        first, second = await edited(wall), await edited(wall, "b", opened=False)
        await wall.settled()
        assert [each.path for each in wall.shown.reviews] == [str(first), str(second)]
        assert list(wall.shown.drawn) == [str(first)]
        (before,) = wall.shown.updated
        await wall.review.reject(str(second), range(1, 2))
        await wall.settled()
        (after,) = wall.shown.updated
    assert [(Path(it.path).name, it.first) for it in before.items] == [
        ("a", 2),
        ("a", 5),
        ("b", 2),
        ("b", 5),
    ]
    assert [(Path(it.path).name, it.first) for it in after.items] == [
        ("a", 2),
        ("a", 5),
        ("b", 5),
    ]
    assert before.key == after.key


async def test_lists_that_are_not_there_are_not_made_for_each_change(wall: Wall) -> None:
    wall.shown.has_lists = False
    async with wall.hung():
        path = await edited(wall)
        await wall.settled()
    assert [each.path for each in wall.shown.reviews] == [str(path)]
    assert wall.shown.updated == ()


async def test_files_outside_of_the_projects_are_not_listed(wall: Wall, tmp_path: Path) -> None:
    other = tmp_path.resolve() / "project-2"
    wall.edits.wrote(str(other), None, "x\n", author())
    async with wall.hung():
        path = await edited(wall)
        await wall.settled()
    assert wall.board.paths() == (str(path),)
    assert [each.path for each in wall.board.reviews()] == [str(path)]


async def test_a_drawing_that_comes_too_late_is_made_again(wall: Wall) -> None:
    wall.shown.outcomes = ["stale", "stale", "ok"]
    async with wall.hung():
        path = await edited(wall)
        await wall.settled()
    assert wall.shown.outcomes == []
    assert wall.shown.drawn[str(path)].hunks == ((1, 2), (4, 5))


async def test_what_is_said_while_the_file_is_read_is_shown(
    wall: Wall, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await edited(wall)
    look = wall.comments.look

    async def slowly(path: str) -> tuple[Comment, ...]:
        found = await look(path)
        if not found:
            wall.comments.add(path, 0, ["a"], "why?")
            wall.board.touch(path)
        return found

    monkeypatch.setattr(wall.comments, "look", slowly)
    async with wall.hung():
        await wall.settled()
    assert "LinesMark" in wall.kinds(path)


async def test_a_buffer_that_is_gone_meanwhile_is_let_go(wall: Wall) -> None:
    wall.shown.outcomes = ["gone"]
    async with wall.hung():
        await edited(wall)
        await wall.settled()
    assert (wall.shown.drawn, wall.faults) == ({}, [])


async def test_what_the_user_types_moves_the_hunks(wall: Wall) -> None:
    async with wall.hung():
        path = await edited(wall)
        await wall.settled()
        wall.files.type(path, "mine", *THEIRS.split())
        wall.board.touch(str(path))
        await wall.settled()
    assert wall.shown.drawn[str(path)].hunks == ((2, 3), (5, 6))


async def test_a_file_that_cannot_be_drawn_does_not_keep_the_others(wall: Wall) -> None:
    async with wall.hung():
        paths = [await edited(wall, name) for name in ("a", "b", "c")]
        wall.shown.failing = {str(paths[0])}
        await wall.settled()
        assert [str(fault) for fault in wall.faults] == ["E5555: no"]
        assert list(wall.shown.drawn) == [str(paths[1]), str(paths[2])]
        assert len(wall.shown.reviews) == 3
        wall.shown.failing = set()
        wall.board.touch(str(paths[0]))
        await wall.settled()
    assert wall.shown.drawn[str(paths[0])].hunks == ((1, 2), (4, 5))


async def test_a_conflict_is_marked_beside_the_hunks(wall: Wall) -> None:
    async with wall.hung():
        path = await edited(wall)
        theirs = THEIRS.replace("d\n", "D\n")
        wall.files.type(path, "a", "B", "c", "mine", "e")
        conflict = Conflict(str(path), author(), THEIRS, theirs, ((3, 4),), on_disk=False)
        wall.edits.conflicted(conflict)
        await wall.settled()
        drawing = wall.shown.drawn[str(path)]
        assert "AcpReviewConflict" in groups(drawing)
        assert (3, 4) in drawing.hunks
        wall.edits.settled(str(path))
        await wall.settled()
    assert "AcpReviewConflict" not in groups(wall.shown.drawn[str(path)])


async def test_a_refused_write_is_all_that_there_is_of_an_agent(wall: Wall) -> None:
    path = wall.file(BASE)
    wall.files.open(path, "a", "mine", "c", "d")
    async with wall.hung():
        wall.edits.conflicted(Conflict(str(path), author(), BASE, THEIRS, ((1, 2),), on_disk=False))
        await wall.settled()
        drawing = wall.shown.drawn[str(path)]
        assert (groups(drawing), drawing.hunks) == ({"AcpReviewConflict"}, ((1, 2),))
        (made,) = wall.shown.updated
        assert [(it.first, it.kind) for it in made.items] == [(2, "E")]
        wall.edits.settled(str(path))
        await wall.settled()
    assert (wall.shown.drawn[str(path)], wall.shown.updated) == (Drawing(), ())


def groups(drawing: Drawing) -> set[str]:
    return {mark.group for mark in drawing.marks if not isinstance(mark, LinesMark | PartMark)}


async def test_a_conflict_of_another_project_is_none_of_the_review(wall: Wall) -> None:
    for path in (str(wall.folder / "a"), f"{wall.folder}.other/a"):
        wall.edits.conflicted(Conflict(path, author(), "1\n", "2\n", ((0, 1),), on_disk=False))
    assert [it.path for it in wall.board.conflicts()] == [str(wall.folder / "a")]


async def test_what_the_log_was_told_is_drawn_without_a_look_at_the_editor(wall: Wall) -> None:
    path = await edited(wall)
    await wall.review.look(str(path))
    known = wall.files.buffers[str(path)]
    wall.files.known = lambda _path: known  # type: ignore[method-assign]
    del wall.files.buffers[str(path)]  # whoever looks finds none
    async with wall.hung():
        wall.board.touch(str(path), is_told=True)
        await wall.board.settled()
    assert wall.shown.drawn[str(path)].hunks == ((1, 2), (4, 5))


async def test_what_is_stale_is_looked_at(wall: Wall) -> None:
    path = await edited(wall)
    await wall.review.look(str(path))
    known = wall.files.buffers[str(path)]
    wall.files.known = lambda _path: known  # type: ignore[method-assign]
    wall.files.type(path, "mine", "a", "B", "c", "d", "e")
    wall.shown.outcomes = ["stale", "ok"]
    async with wall.hung():
        wall.board.touch(str(path), is_told=True)
        await wall.board.settled()
    assert wall.shown.drawn[str(path)].hunks == ((2, 3), (5, 6))


async def test_what_is_asked_about_a_file_without_changes_is_drawn_without_a_look(
    wall: Wall,
) -> None:
    path = wall.folder / "new"
    path.write_text("a\nb\n")
    wall.files.open(path)
    known = wall.files.buffers.pop(str(path))  # whoever looks finds none
    wall.files.known = lambda _path: known  # type: ignore[method-assign]
    marks = (LinesMark(0, above=True, lines=()),)
    async with wall.hung():
        wall.board.foresee({str(path): Foreseen(known.changedtick, marks)})
        await wall.board.settled()
    assert wall.shown.drawn[str(path)].marks == marks
