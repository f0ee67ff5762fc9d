"""Edits wait while the user is in the middle of a command: how long, for whom, and who is told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from anyio.abc import TaskGroup

from acp_nvim.errors import RequestFailed, UserError
from acp_nvim.files.deferred import Patience
from acp_nvim.files.event import EditWaits
from tests.support.files.baselines import plain
from tests.support.files.file_rig import AGENT, FileRig, author

VISUAL = "visual mode"
SESSION = ("a", "s")


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[FileRig]:
    rig = FileRig(tmp_path.resolve())
    yield rig
    assert not rig.faults


def busy(rig: FileRig, name: str = "a", doing: str = VISUAL) -> Path:
    """Open a file of three lines, in which the user is in the middle of something."""
    path = rig.file("1\n2\n3\n", name)
    rig.files.open(path)
    rig.files.busy[str(path)] = doing
    return path


def free(rig: FileRig, path: Path) -> None:
    """Let the user come to an end."""
    del rig.files.busy[str(path)]
    rig.sync.free()


def waits(rig: FileRig) -> list[EditWaits]:
    return [it for it in rig.events if isinstance(it, EditWaits)]


def impatient(rig: FileRig, limit: float = 60.0, silent: float = 0.0) -> None:
    rig.sync.hands.patience = Patience(limit, silent)


async def begin_write(tasks: TaskGroup, rig: FileRig, path: Path) -> None:
    tasks.start_soon(rig.write, path, "one\n2\n3\n")
    await until_busy(rig, path)


async def until_busy(rig: FileRig, path: Path) -> None:
    """Wait until an edit has found that it must wait: it may be in a thread before."""
    with anyio.fail_after(40):
        while str(path) not in rig.sync.hands._waiting:  # noqa: ASYNC110
            await anyio.sleep(0.001)


async def test_a_write_is_answered_when_the_command_is_over(rig: FileRig) -> None:
    path = busy(rig)
    async with anyio.create_task_group() as tasks:
        await begin_write(tasks, rig, path)
        assert rig.files.lines(path) == ["1", "2", "3"]
        assert path.read_text() == "1\n2\n3\n"
        free(rig, path)
    assert path.read_text() == "one\n2\n3\n"
    assert not waits(rig)


async def test_meanwhile_other_files_are_written_and_read(rig: FileRig) -> None:
    path, other = busy(rig), rig.file("1\n", "b")
    rig.files.open(other)
    async with anyio.create_task_group() as tasks:
        await begin_write(tasks, rig, path)
        await rig.write(other, "2\n")
        assert await rig.read(other) == "2\n"
        assert await rig.undo(1, "s", "a")
        free(rig, path)
    assert path.read_text() == "one\n2\n3\n"


async def test_what_the_user_types_meanwhile_is_merged(rig: FileRig) -> None:
    path = busy(rig)
    await rig.read(path)
    async with anyio.create_task_group() as tasks:
        await begin_write(tasks, rig, path)
        rig.files.type(path, "1", "2", "mine")
        free(rig, path)
    assert path.read_text() == "one\n2\nmine\n"


@pytest.mark.parametrize("by", ["us", "its tool"])
@pytest.mark.parametrize("typed", [(), ("1", "2", "3", "mine")])
@pytest.mark.parametrize("knew", [True, False])
async def test_what_the_agent_reads_of_a_change_that_waits_is_not_what_it_was_made_upon(
    rig: FileRig, by: str, typed: tuple[str, ...], *, knew: bool
) -> None:
    path = busy(rig)
    await rig.begin()
    if knew:
        await rig.read(path)
    if typed:
        rig.files.type(path, *typed)
    path.write_text("1\nTWO\n3\n")
    await rig.look(path)
    if by == "us":
        await rig.read(path)
    else:
        rig.sync.was_read(SESSION, rig.roots, [str(path)])
        await rig.sync.drain()
    free(rig, path)
    await rig.look(path)
    assert rig.files.lines(path) == ["1", "TWO", "3", *typed[3:]]
    assert rig.files.buffers[str(path)].modified == bool(typed)
    assert not rig.conflicts
    assert len(rig.texts) == 1


async def test_nor_where_it_is_not_known_what_the_change_was(tmp_path: Path) -> None:
    (folder := tmp_path.resolve() / "project").mkdir()
    rig = FileRig(folder, baselines=plain(largest=1, quiet=0))
    path = busy(rig)
    await rig.begin()
    path.write_text("1\nTWO\n3\n")
    await rig.look(path)
    await rig.read(path)
    free(rig, path)
    await rig.look(path)
    assert rig.files.lines(path) == ["1", "TWO", "3"]
    assert not rig.files.buffers[str(path)].modified


async def test_after_the_limit_the_agent_is_told_why(
    rig: FileRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = busy(rig)
    impatient(rig)
    begun: list[anyio.CancelScope] = []
    move_on_after = anyio.move_on_after

    def noted(delay: float | None) -> anyio.CancelScope:
        begun.append(move_on_after(delay))
        return begun[-1]

    monkeypatch.setattr(anyio, "move_on_after", noted)
    failures: list[RequestFailed] = []

    async def fail() -> None:
        failures.append(await rig.failure(path, "one\n2\n3\n"))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(fail)
        await until_busy(rig, path)
        begun[0].deadline = anyio.current_time()  # it has seen what the user is in the middle of
    [error] = failures
    assert str(path) in error.message and VISUAL in error.message and "try again" in error.message
    assert path.read_text() == "1\n2\n3\n"
    assert rig.files.lines(path) == ["1", "2", "3"]
    assert VISUAL in rig.refused[0][2]
    free(rig, path)
    await rig.write(path, "one\n2\n3\n")
    assert path.read_text() == "one\n2\n3\n"


async def test_an_editor_that_does_not_answer_is_not_waited_for_either(rig: FileRig) -> None:
    path = rig.file("1\n")
    impatient(rig, limit=0.01)

    async def silent(_path: str) -> None:
        await anyio.sleep_forever()

    rig.files.loaded = silent  # type: ignore[method-assign]
    assert "waits for a key" in (await rig.failure(path, "one\n")).message
    assert path.read_text() == "1\n"


async def test_a_request_that_is_cancelled_waits_no_more(rig: FileRig) -> None:
    path = busy(rig)
    async with anyio.create_task_group() as tasks:
        await begin_write(tasks, rig, path)
        tasks.cancel_scope.cancel()
    free(rig, path)
    await rig.write(path, "1\n2\nthree\n")
    assert path.read_text() == "1\n2\nthree\n"


async def test_the_user_is_told_once_and_only_if_it_takes_a_while(rig: FileRig) -> None:
    path = busy(rig)
    impatient(rig)
    async with anyio.create_task_group() as tasks:
        await begin_write(tasks, rig, path)
        for _ in range(3):
            rig.sync.free()
            await anyio.wait_all_tasks_blocked()
        assert waits(rig) == [EditWaits(SESSION, (str(path),), VISUAL)]
        free(rig, path)
    assert len(waits(rig)) == 1


async def test_the_user_is_told_what_holds_it_up_by_now(rig: FileRig) -> None:
    path = busy(rig)
    await rig.begin()
    path.write_text("one\n2\n3\n")
    await rig.look(path, AGENT)
    rig.files.busy[str(path)] = "insert mode"
    impatient(rig)
    await rig.look(path, AGENT)
    await rig.passed()
    assert waits(rig) == [EditWaits(SESSION, (str(path),), "insert mode")]


async def test_the_disk_is_followed_when_the_command_is_over(rig: FileRig) -> None:
    path = busy(rig)
    await rig.begin()
    path.write_text("one\n2\n3\n")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(rig.sync.run)
        rig.sync.look(AGENT, rig.roots, [str(path)])
        await rig.idle()
        assert rig.files.lines(path) == ["1", "2", "3"]
        free(rig, path)
        await rig.idle()
        assert rig.files.lines(path) == ["one", "2", "3"]
        tasks.cancel_scope.cancel()
    assert rig.named == [("a", "1\n2\n3\n", "one\n2\n3\n")]
    assert not waits(rig)


async def test_it_is_followed_even_if_the_editor_does_not_tell_the_end(rig: FileRig) -> None:
    path = busy(rig)
    impatient(rig, silent=0.001)
    await rig.begin()
    path.write_text("one\n2\n3\n")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(rig.sync.run)
        rig.sync.look(AGENT, rig.roots, [str(path)])
        with anyio.fail_after(40):
            while not waits(rig):
                await anyio.wait_all_tasks_blocked()
                await anyio.lowlevel.checkpoint()
        rig.files.busy.clear()
        with anyio.fail_after(40):
            while rig.files.lines(path) != ["one", "2", "3"]:
                await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()
    assert waits(rig) == [EditWaits(SESSION, (str(path),), VISUAL)]


async def test_of_many_files_the_user_is_told_in_one_line(rig: FileRig) -> None:
    paths = [busy(rig, name) for name in ("a", "b", "c")]
    impatient(rig)
    await rig.begin()
    for path in paths:
        path.write_text("one\n2\n3\n")
    rig.sync.sweep(AGENT, rig.roots)
    await rig.passed()
    await rig.passed()
    assert waits(rig) == [EditWaits(SESSION, tuple(map(str, paths)), VISUAL)]


async def test_whose_it_is_does_not_change_while_it_waits(rig: FileRig) -> None:
    path = busy(rig)
    await rig.begin()
    path.write_text("one\n2\n3\n")
    await rig.look(path, None)
    rig.running["a"] = author(2)
    await rig.begin()
    free(rig, path)
    await rig.passed()
    assert rig.files.lines(path) == ["one", "2", "3"]
    assert not rig.deltas


async def test_a_write_waits_for_what_its_agent_has_left_on_disk(rig: FileRig) -> None:
    path = busy(rig)
    await rig.begin()
    await rig.read(path)
    path.write_text("one\n2\n3\n")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(rig.write, path, "one\n2\nthree\n")
        await until_busy(rig, path)
        free(rig, path)
    assert path.read_text() == "one\n2\nthree\n"
    assert rig.files.lines(path) == ["one", "2", "three"]


async def test_the_users_own_acts_do_not_wait(rig: FileRig) -> None:
    path = busy(rig)
    rig.files.busy.clear()
    await rig.write(path, "one\n2\n3\n")
    rig.files.busy[str(path)] = VISUAL
    with pytest.raises(UserError, match=f"a is as it was.*{VISUAL}"):
        await rig.review.reject(str(path))
    undone = await rig.undo(1, "s", "a")
    assert not undone.paths and VISUAL in undone.failed[0]
    assert rig.files.lines(path) == ["one", "2", "3"]
    rig.files.busy.clear()
    assert rig.names((await rig.undo(1, "s", "a")).paths) == ["a"]
    rig.files.busy[str(path)] = VISUAL
    redone = await rig.redo("s", "a")
    assert redone is not None and VISUAL in redone.failed[0]
    assert await rig.review.keep(str(path)) == 0
    assert rig.files.lines(path) == ["1", "2", "3"]


async def test_what_is_to_be_decided_is_seen_meanwhile(rig: FileRig) -> None:
    path = busy(rig)
    rig.files.busy.clear()
    await rig.write(path, "one\n2\n3\n")
    rig.files.busy[str(path)] = VISUAL
    path.write_text("one\n2\nthree\n")
    assert await rig.hunks(path) == [(0, "1", "one")]
