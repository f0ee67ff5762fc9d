"""Files that change while they are looked at."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_nvim.files import disk
from acp_nvim.files.baselines import comparison
from acp_nvim.files.baselines import snapshot as sight
from acp_nvim.files.baselines.baselines import UNKNOWN, Baselines, DiskChange
from acp_nvim.files.baselines.snapshot import Fingerprint
from acp_nvim.files.roots import Roots
from tests.support.files.baselines import NOTHING, known, plain, unknown


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[str], None]) -> None:
    """Let something happen after a file was stat'ed and before it is read, once."""
    see, done = comparison.read_snapshot, []

    def late(path: str, *rest: Any) -> Any:
        if not done:
            done.append(path)
            act(path)
        return see(path, *rest)

    monkeypatch.setattr(comparison, "read_snapshot", late)


def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the patience with a file that is being written end after some looks at the clock."""
    now = itertools.count(step=comparison.PATIENCE / 10)
    monkeypatch.setattr(comparison, "monotonic", lambda: next(now))


async def rewritten(seen: Baselines, roots: Roots, file: Path, old: str, new: str) -> None:
    """Let them see a file, which another program then writes anew."""
    file.write_text(old)
    await seen.refresh(roots)
    file.write_text(new)


async def test_a_note_in_the_middle_of_a_pass_counts(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, file = plain(), root / "a"
    await rewritten(seen, roots, file, "1", "theirs")

    def write(path: str) -> None:
        file.write_text("ours")
        seen.note(path, "ours")

    meanwhile(monkeypatch, write)
    assert await seen.changes(roots) == NOTHING
    assert seen.text(str(file)) == "ours"
    assert await seen.changes(roots) == NOTHING


async def test_a_file_that_vanishes_while_we_look_is_gone_at_the_next(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, file = plain(), root / "a"
    await rewritten(seen, roots, file, "1", "2")
    meanwhile(monkeypatch, os.unlink)
    assert await seen.changes(roots) == NOTHING
    assert await seen.changes(roots) == known((file, "1", None))


async def test_what_is_written_while_a_file_is_met_is_not_what_it_held_before(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A buffer that was read before would pass for one that has it."""
    seen, file = plain(), root / "a"
    file.write_text("old")
    was = disk.stamp(str(file))

    def change(path: str) -> None:
        Path(path).write_text("new")
        os.utime(path, (1, 1))

    meanwhile(monkeypatch, change)
    assert await seen.look(str(file)) is None
    assert seen.text(str(file)) == "new"
    assert not seen.held(str(file), was)
    assert await seen.look(str(file)) is None
    assert seen.held(str(file), disk.stamp(str(file)))


@pytest.mark.parametrize("more", [5, 20])
async def test_a_file_that_grows_while_we_look_is_read_to_its_end(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    seen, file = plain(largest=10), root / "a"
    await rewritten(seen, roots, file, "1", "2")

    def grow(path: str) -> None:
        with open(path, "a", encoding="utf-8") as stream:
            stream.write("x" * more)

    meanwhile(monkeypatch, grow)
    told = await seen.changes(roots)
    assert told == (known((file, "1", "2xxxxx")) if more == 5 else unknown(file))
    assert seen.text(str(file)) == ("2xxxxx" if more == 5 else UNKNOWN)
    assert await seen.changes(roots) == (NOTHING if more == 5 else unknown(file))


async def test_a_file_that_is_being_written_is_read_when_that_is_over(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, file = plain(quiet=3600.0), root / "a"
    await rewritten(seen, roots, file, "old", "")
    writes = iter(["n", "new"])
    waited: list[float] = []

    def rest(seconds: float) -> None:
        waited.append(seconds)
        if text := next(writes, ""):
            file.write_text(text)
        else:
            past = time.time_ns() + 2 * 3600 * 10**9
            monkeypatch.setattr(comparison, "time_ns", lambda: past)

    monkeypatch.setattr(comparison, "sleep", rest)
    assert await seen.changes(roots) == known((file, "old", "new"))
    assert len(waited) == 3
    assert max(waited) <= comparison.PATIENCE


async def test_a_file_that_is_emptied_while_we_look_is_read_when_it_is_written(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, file = plain(quiet=3600.0), root / "a"
    await rewritten(seen, roots, file, "old", "older")
    late = iter([2 * 3600 * 10**9])
    monkeypatch.setattr(comparison, "time_ns", lambda: time.time_ns() + next(late, 0))
    monkeypatch.setattr(comparison, "sleep", lambda _: file.write_text("new"))
    ticking(monkeypatch)
    meanwhile(monkeypatch, lambda path: Path(path).write_text(""))
    assert await seen.look(str(file)) == DiskChange(str(file), "old", "new")


@pytest.mark.parametrize("is_torn", [False, True])
async def test_a_file_that_was_as_before_and_is_emptied_while_we_look_is_read_when_it_is_written(
    root: Path, monkeypatch: pytest.MonkeyPatch, is_torn: bool
) -> None:
    """`is_torn`: who empties it is held up before the system has noted when that was."""
    seen, file = plain(quiet=3600.0), root / "a"
    file.write_text("old")
    seen.note(str(file), "old")
    before, stat = comparison.fingerprint(str(file)), comparison.fingerprint
    assert before

    def look(path: str) -> Fingerprint | None:
        at = stat(path)
        return (*before[:2], *at[2:]) if is_torn and at and not at[2] else at

    late = time.time_ns() + 20 * 3600 * 10**9 if is_torn else 0
    monkeypatch.setattr(comparison, "fingerprint", look)
    monkeypatch.setattr(comparison, "time_ns", lambda: late or time.time_ns())
    monkeypatch.setattr(comparison, "sleep", lambda _: file.write_text("new"))
    ticking(monkeypatch)
    meanwhile(monkeypatch, lambda path: Path(path).write_text(""))
    assert await seen.look(str(file)) == DiskChange(str(file), "old", "new")


async def test_a_file_that_is_written_on_and_on_is_read_all_the_same(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, file = plain(quiet=3600.0), root / "a"
    await rewritten(seen, roots, file, "", "1")
    ticking(monkeypatch)
    monkeypatch.setattr(comparison, "sleep", lambda _: file.write_text(file.read_text() + "1"))
    told = (await seen.changes(roots)).known
    assert [set(it.after or "") for it in told] == [{"1"}]


async def test_what_becomes_a_folder_or_a_pipe_is_gone(root: Path, roots: Roots) -> None:
    seen = plain()
    (root / "a").write_text("1")
    (root / "b").write_text("1")
    await seen.refresh(roots)
    for name in "ab":
        (root / name).unlink()
    (root / "a").mkdir()
    os.mkfifo(root / "b")
    told = await seen.changes(roots)
    assert set(told.known) == {DiskChange(str(root / it), "1", None) for it in "ab"}


async def test_an_unreadable_file_keeps_its_text_until_it_can_be_read(
    root: Path, roots: Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, file = plain(), root / "a"
    await rewritten(seen, roots, file, "1", "2")

    def refuse(path: str, size: int, largest: int) -> bytes:
        raise PermissionError(path)

    with monkeypatch.context() as patch:
        patch.setattr(sight, "_read", refuse)
        assert await seen.changes(roots) == NOTHING
    assert await seen.changes(roots) == known((file, "1", "2"))


async def test_calls_at_the_same_time_tell_each_change_once(root: Path, roots: Roots) -> None:
    seen = plain()
    for number in range(20):
        (root / str(number)).write_text("1")
    await seen.refresh(roots)
    for number in range(20):
        (root / str(number)).write_text("2")
    told: list[DiskChange | None] = []

    async def look(number: int) -> None:
        told.append(await seen.look(str(root / str(number))))

    async def sweep() -> None:
        told.extend((await seen.changes(roots)).known)

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(look, number)
            if number in (5, 15):
                tasks.start_soon(sweep)
    assert sorted(it.path for it in told if it) == sorted(str(root / str(it)) for it in range(20))
