from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from acp_nvim.errors import EditorError
from acp_nvim.files.baselines.baselines import Baselines, DiskChange
from acp_nvim.files.roots import Roots
from acp_nvim.files.sync import DiskSync
from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import Author
from tests.support.fake_ports import FakeFiles
from tests.support.fake_recorder import FakeRecorder

AGENT = Author("a", "s", 1, 0.0)


class Desk:
    """A folder, an editor, and the watch between them; what was there when it began is known."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.roots = Roots(str(folder))
        self.files = FakeFiles()
        self.recorder = FakeRecorder()
        self.faults: list[BaseException] = []
        self.running: dict[str, Author] = {}
        self.watch = DiskSync(
            self.files,
            self.faults.append,
            recorder=self.recorder,
            author=lambda path: self.running.get(Path(path).name),
        )

    def file(self, text: str, name: str = "a") -> Path:
        path = self.folder / name
        path.write_bytes(text.encode())
        return path

    async def begin(self) -> None:
        """Begin a turn."""
        await self.watch.prepare(self.roots)

    async def settle(self, path: Path, author: Author | None = AGENT) -> None:
        async with self.watch.still():
            await self.watch.settle(str(path), author)

    async def passed(self) -> None:
        """Let the watch do what it was told."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self.watch.run)
            await self.idle()
            tasks.cancel_scope.cancel()

    async def idle(self) -> None:
        """Wait until the pass that has begun is over."""
        await anyio.wait_all_tasks_blocked()
        async with self.watch.still():
            return

    def deltas(self) -> list[tuple[str, str | None, str | None]]:
        """Return what was recorded: the file's name, its text before and after."""
        return [(Path(path).name, old, new) for path, old, new, _ in self.recorder.deltas]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path.resolve())
    yield desk
    assert not desk.faults


async def test_a_sweep_finds_every_change_below_the_roots(desk: Desk) -> None:
    changed, gone = desk.file("1\n"), desk.file("2\n", "b")
    opened = desk.file("3\n", "c")
    desk.files.open(opened)
    await desk.begin()
    changed.write_text("one\n")
    gone.unlink()
    desk.file("3\nthree\n", "c")
    desk.file("4\n", "d")
    desk.watch.sweep(AGENT, desk.roots)
    await desk.passed()
    assert sorted(desk.deltas()) == [
        ("a", "1\n", "one\n"),
        ("b", "2\n", None),
        ("c", "3\n", "3\nthree\n"),
        ("d", None, "4\n"),
    ]
    assert desk.files.lines(opened) == ["3", "three"]
    desk.watch.sweep(AGENT, desk.roots)
    await desk.passed()
    assert len(desk.deltas()) == 4


async def test_what_a_turn_has_done_is_its_however_late_the_look(desk: Desk) -> None:
    first, second = desk.file("1\n"), desk.file("1\n", "b")
    await desk.begin()
    async with desk.watch.still():
        desk.file("2\n")
        desk.file("2\n", "b")
        desk.watch.sweep(AGENT, desk.roots)
        # somebody draws the review, and no turn runs any more
        await desk.watch.settle(str(first))
    assert desk.deltas() == [("a", "1\n", "2\n")]
    await desk.watch.prepare(desk.roots)
    desk.file("3\n", "b")
    desk.watch.look(AGENT, desk.roots, [str(second)])
    await desk.settle(second, Author("other", "t", 1, 0.0))
    assert desk.recorder.deltas[1:] == [
        (str(second), "1\n", "2\n", AGENT),
        (str(second), "2\n", "3\n", AGENT),
    ]


async def test_whoever_holds_off_the_passes_has_all_before_it_that_was_asked_for(
    desk: Desk,
) -> None:
    path = desk.file("1\n")
    await desk.begin()
    desk.file("2\n")
    desk.watch.sweep(AGENT, desk.roots)
    async with desk.watch.still():
        assert desk.deltas() == [("a", "1\n", "2\n")]
    await desk.settle(path)
    assert len(desk.deltas()) == 1


async def test_a_turn_that_begins_takes_nothing_from_one_that_runs(desk: Desk) -> None:
    mine, theirs = desk.file("1\n"), desk.file("1\n", "b")
    desk.files.open(theirs)
    await desk.begin()
    desk.running["b"] = AGENT
    for path in (mine, theirs):
        path.write_text("22\n")
    (desk.folder / "c").write_bytes(b"\0")
    await desk.begin()
    assert desk.recorder.deltas == [(str(theirs), "1\n", "22\n", AGENT)]


@pytest.mark.parametrize("modified", [False, True])
async def test_a_file_that_changes_while_it_is_looked_at_is_looked_at_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, *, modified: bool
) -> None:
    path = desk.file("1\n2\n3\n")
    desk.files.open(path)
    await desk.begin()
    desk.file("")
    writes = iter(["1\n2\n", "1\n2\n3\n4\n"])
    look = Baselines.look

    async def moved(self: Baselines, path: str, encoding: str = "") -> DiskChange | None:
        change = await look(self, path, encoding)
        if text := next(writes, ""):
            desk.file(text)
        return change

    monkeypatch.setattr(Baselines, "look", moved)
    if modified:
        desk.files.type(path, "mine", "1", "2", "3")
    async with desk.watch.still():
        told = await desk.watch.settle(str(path), AGENT)
    assert told == DiskChange(str(path), "1\n2\n3\n", "1\n2\n3\n4\n")
    mine = "mine\n" if modified else ""
    assert desk.deltas() == [("a", mine + "1\n2\n3\n", mine + "1\n2\n3\n4\n")]


async def test_a_file_that_never_comes_to_rest_is_taken_at_the_next_look(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = desk.file("0\n")
    desk.files.open(path)
    await desk.begin()
    look, count = Baselines.look, itertools.count(1)

    async def moved(self: Baselines, path: str, encoding: str = "") -> DiskChange | None:
        change = await look(self, path, encoding)
        desk.file(f"{next(count)}\n")
        return change

    with monkeypatch.context() as patch:
        patch.setattr(Baselines, "look", moved)
        await desk.settle(path)
    assert desk.deltas() == []
    assert desk.files.lines(path) == ["0"]
    last = path.read_text()
    await desk.settle(path, None)
    assert desk.recorder.deltas == [(str(path), "0\n", last, AGENT)]


async def test_what_changes_between_turns_is_nobodys(desk: Desk) -> None:
    path = desk.file("1\n")
    desk.files.open(path)
    await desk.begin()
    desk.file("2\n")
    await desk.begin()
    desk.watch.sweep(AGENT, desk.roots)
    await desk.passed()
    assert desk.deltas() == []
    assert desk.files.lines(path) == ["2"]


async def test_a_look_takes_the_files_that_are_named_inside_of_the_roots(desk: Desk) -> None:
    path, other = desk.file("1\n"), desk.file("1\n", "b")
    await desk.begin()
    desk.file("2\n")
    desk.file("2\n", "b")
    desk.watch.look(None, desk.roots, [str(path)])
    desk.watch.look(AGENT, desk.roots, [str(path), "/etc/passwd", "relative"])
    desk.watch.look(None, desk.roots, [str(path)])
    await desk.passed()
    assert desk.recorder.deltas == [(str(path), "1\n", "2\n", AGENT)]
    await desk.settle(other, None)
    assert len(desk.recorder.deltas) == 1


async def test_a_clash_is_told_with_its_places_and_outlives_a_save(desk: Desk) -> None:
    path = desk.file("1\n2\n")
    desk.files.open(path)
    await desk.begin()
    desk.files.type(path, "1", "mine")
    desk.file("0\n1\ntheirs\n")
    await desk.settle(path)
    assert desk.recorder.conflicts == [
        Conflict(str(path), AGENT, "1\n2\n", "0\n1\ntheirs\n", ((2, 3),), on_disk=True)
    ]
    assert desk.deltas() == [("a", "1\nmine\n", "0\n1\nmine\n")]
    assert desk.watch.disputed(str(path)) is None, "an agent's own text does not count"
    await desk.settle(path)
    desk.files.save(path)
    await desk.settle(path)
    assert desk.recorder.over == [], "a save alone does not throw the agent's text away"
    assert len(desk.deltas()) == 1


async def test_another_programs_text_is_in_dispute_until_the_user_has_settled_it(
    desk: Desk,
) -> None:
    path = desk.file("1\n2\n")
    desk.files.open(path)
    await desk.begin()
    desk.files.type(path, "1", "mine")
    desk.file("1\nforeign\n")
    await desk.settle(path, None)
    assert desk.watch.disputed(str(path)) == 1
    assert desk.recorder.conflicts == []
    desk.files.save(path)
    assert desk.watch.disputed(str(path)) is None


async def test_what_the_editor_refuses_is_taken_later_and_is_still_that_agents(desk: Desk) -> None:
    path = desk.file("1\n2\n3\n")
    desk.files.open(path)
    await desk.begin()
    desk.files.type(path, "1", "2", "mine")
    desk.files.refuse = "E565"
    desk.file("I\n2\n3\n")
    await desk.settle(path)
    assert await desk.watch.seen(str(path)) == "1\n2\n3\n"
    desk.file("one\n2\n3\n")
    desk.files.refuse = None
    desk.watch.sweep(None, desk.roots)
    await desk.passed()
    assert desk.files.lines(path) == ["one", "2", "mine"]
    assert desk.recorder.deltas == [(str(path), "1\n2\nmine\n", "one\n2\nmine\n", AGENT)]


async def test_one_file_that_cannot_follow_does_not_keep_the_others_back(desk: Desk) -> None:
    first, second = desk.file("1\n"), desk.file("1\n", "b")
    desk.files.open(first)
    desk.files.open(second)
    await desk.begin()
    desk.file("\0")
    desk.file("2\n", "b")
    desk.watch.look(AGENT, desk.roots, [str(first), str(second)])
    await desk.passed()
    assert desk.files.lines(first) == ["1"]
    assert desk.files.lines(second) == ["2"]


async def test_a_fault_of_the_editor_is_reported_and_the_watch_goes_on(desk: Desk) -> None:
    path = desk.file("1\n")
    await desk.begin()
    loaded = desk.files.loaded

    async def broken(path: str) -> None:
        raise EditorError("gone")

    desk.files.loaded = broken  # type: ignore[method-assign]
    desk.watch.look(AGENT, desk.roots, [str(path)])
    await desk.passed()
    assert [str(fault) for fault in desk.faults] == ["gone"]
    desk.faults.clear()
    desk.files.loaded = loaded  # type: ignore[method-assign]
    desk.file("2\n")
    desk.watch.look(AGENT, desk.roots, [str(path)])
    await desk.passed()
    assert desk.deltas() == [("a", "1\n", "2\n")]


async def test_nothing_is_looked_at_while_somebody_writes(desk: Desk) -> None:
    path = desk.file("1\n")
    await desk.begin()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(desk.watch.run)
        async with desk.watch.still():
            desk.file("2\n")
            desk.watch.look(AGENT, desk.roots, [str(path)])
            await anyio.wait_all_tasks_blocked()
            await desk.watch.saw(str(path))
        await desk.idle()
        tasks.cancel_scope.cancel()
    assert desk.deltas() == []


async def test_what_the_user_has_saved_and_closed_is_no_agents(desk: Desk) -> None:
    path = desk.file("1\n")
    desk.files.open(path)
    await desk.begin()
    desk.files.type(path, "1", "mine")
    desk.files.save(path)
    del desk.files.buffers[str(path)]
    desk.watch.sweep(AGENT, desk.roots)
    await desk.passed()
    await desk.settle(path)
    assert desk.recorder.deltas == []
    desk.file("1\nmine\ntheirs\n")
    await desk.settle(path)
    assert desk.deltas() == [("a", "1\nmine\n", "1\nmine\ntheirs\n")]
