"""The journal by itself: cut anywhere, full, old, of several hosts."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from acp_nvim.files.baselines.baselines import Baselines
from acp_nvim.files.baselines.memory import Memory, Remembered, recollect
from acp_nvim.files.roots import Roots
from acp_nvim.history.author import Author
from acp_nvim.history.change import wrote
from acp_nvim.history.fold import begin
from acp_nvim.storage import hosts, private
from acp_nvim.storage import journal as module
from acp_nvim.storage.edits import EditStore
from acp_nvim.storage.in_order import InOrder
from acp_nvim.storage.journal import Journal, Killed
from tests.support.files.baselines import plain

AUTHOR = Author("gemini", "s", 1, 1.5, "call", "do it \udcff\n")
OTHER = replace(AUTHOR, session="t")


def journal_in(folder: Path, report: Callable[[OSError], None] = lambda _error: None) -> Journal:
    return Journal(lambda: str(folder), InOrder(report))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "edits"


@pytest.fixture
def journal(folder: Path) -> Iterator[Journal]:
    made = journal_in(folder)
    yield made
    made.drop()


def killed(journal: Journal, folder: Path) -> Killed:
    """Kill the host; return what the next one finds."""
    journal.drop()
    (found,) = journal_in(folder).killed()
    return found


def fill(journal: Journal) -> None:
    journal.begin(AUTHOR, ("/work", "/more"))
    journal.begin(OTHER, ("/work",))
    journal.saved("/work/ä\udc80\r\n", "1")
    journal.end(OTHER)
    journal.saved("/work/b", "2")


def test_what_was_noted_is_found(journal: Journal, folder: Path) -> None:
    fill(journal)
    found = killed(journal, folder)
    assert [(it.author, it.folders) for it in found.turns] == [(AUTHOR, ("/work", "/more"))]
    assert found.saved == {"/work/ä\udc80\r\n": "1", "/work/b": "2"}


def test_cut_at_any_byte_the_state_before_is_there(journal: Journal, folder: Path) -> None:
    fill(journal)
    journal.drop()
    (path,) = folder.rglob("*.turns")
    data, states = path.read_bytes(), [(), (1, 0), (2, 0), (2, 1), (1, 1), (1, 2)]
    for size in range(len(data)):
        path.write_bytes(data[:size])
        found = killed(journal, folder)
        whole = sum(bool(line) for line in data[:size].split(b"\n")[:-1])
        assert (len(found.turns), len(found.saved)) == (states[whole] or (0, 0))


def test_garbage_is_nothing(journal: Journal, folder: Path) -> None:
    fill(journal)
    journal.drop()
    (path,) = folder.rglob("*.turns")
    whole = path.read_bytes()
    for garbage in (b"\xff\x00{}\n", b"[]\n", b"null\n"):
        path.write_bytes(whole + garbage)
        assert killed(journal, folder).turns == ()


def test_an_orderly_end_leaves_nothing_but_turns_that_run(journal: Journal, folder: Path) -> None:
    fill(journal)
    journal.see(b"what was there", anew=False)
    journal.close()
    assert len([*folder.rglob("*.turns"), *folder.rglob("*.sights")]) == 2
    journal.end(AUTHOR)
    journal.saved("/work/b", "3")
    journal.close()
    assert [*folder.rglob("*.turns"), *folder.rglob("*.sights")] == []


def test_it_is_private(journal: Journal, folder: Path) -> None:
    fill(journal)
    journal.see(b"1", anew=False)
    journal.see(b"2", anew=True)
    journal.see(b"3", anew=False)
    (sights,) = folder.rglob("*.sights")
    (turns,) = folder.rglob("*.turns")
    assert sights.read_bytes() == b"23"
    modes = [stat.S_IMODE(it.stat().st_mode) for it in (sights, turns, sights.parent)]
    assert modes == [0o600, 0o600, 0o700]


def test_folders_that_it_makes_are_private_and_links_lead_nowhere(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "state" / "edits", tmp_path / "elsewhere"
    was = os.umask(0)
    try:
        journal = journal_in(folder)
        fill(journal)
    finally:
        os.umask(was)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    elsewhere.write_text("mine\n")
    (folder / "turns" / "planted.turns").symlink_to(elsewhere)
    (folder / "turns" / "folder.turns").mkdir()
    assert killed(journal, folder).turns
    assert elsewhere.read_text() == "mine\n"


def test_one_host_takes_up_what_another_has_left(journal: Journal, folder: Path) -> None:
    fill(journal)
    first, second = journal_in(folder), journal_in(folder)
    assert [*first.killed()] == []
    journal.drop()
    for found in first.killed():
        assert [*second.killed()] == []
        found.over()
    assert [*second.killed()] == []
    assert list(folder.rglob("*.turns")) == []


@pytest.mark.parametrize("is_held", [False, True])
def test_a_host_that_comes_while_another_looks_is_not_gone(
    folder: Path, monkeypatch: pytest.MonkeyPatch, is_held: bool
) -> None:
    """The other one may hold a file that has just come and is not locked yet."""
    real, trouble, looking = fcntl.flock, list[OSError](), list[Iterator[Killed]]()
    coming = journal_in(folder, trouble.append)

    def look(handle: int, how: int) -> None:
        if not looking:
            looking.append(journal_in(folder).killed())
            assert [*islice(looking[0], 1 if is_held else 0)] == []
            assert is_held or [*looking[0]] == []
        real(handle, how)

    monkeypatch.setattr(fcntl, "flock", look)
    coming.begin(AUTHOR, ("/work",))
    assert looking and not trouble
    assert coming.has(coming.name) and [*journal_in(folder).killed()] == []
    coming.drop()


def test_a_file_system_without_locks_is_said_and_not_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_handle: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    monkeypatch.setattr(time, "sleep", lambda _: pytest.fail("it waits"))
    trouble: list[OSError] = []
    store = EditStore(lambda: str(folder), trouble.append)
    store.journal.begin(AUTHOR, ("/work",))
    file = wrote(begin("one\n"), "two\n", AUTHOR, 1.0)
    store.histories.append("/work/a", file.facts, file)
    store.flush()
    assert [it.errno for it in trouble] == [errno.ENOLCK]
    assert [it.file for it in EditStore(lambda: str(folder)).histories.read_all()] == [file]


def test_old_ones_and_too_many_go(folder: Path) -> None:
    for number in range(module.MOST_KILLED + 3):
        journal = journal_in(folder)
        fill(journal)
        journal.drop()
        (path,) = (it for it in folder.rglob("*.turns") if it.stem == journal.name)
        os.utime(path, (2_000_000_000 - number, 2_000_000_000 - number))
    os.utime(path, (1, 1))
    found = [*journal_in(folder).killed()]
    assert len(found) == module.MOST_KILLED
    assert len(list(folder.rglob("*.turns"))) == module.MOST_KILLED
    assert min(it.at for it in found) > 1_999_999_980 * 10**9


def test_a_full_disk_costs_the_journal_only(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[OSError]()
    journal = journal_in(folder, told.append)
    journal.begin(AUTHOR, ("/work",))

    def full(handle: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(private, "write", full)
    fill(journal)
    journal.see(b"1", anew=False)
    journal.beat()
    journal.close()
    assert len(told) == 1


def test_a_folder_that_is_none_costs_the_journal_only(tmp_path: Path) -> None:
    told = list[OSError]()
    (tmp_path / "file").write_text("")
    journal = journal_in(tmp_path / "file", told.append)
    fill(journal)
    assert not journal.live() and [*journal.killed()] == []
    assert len(told) == 1


@asynccontextmanager
async def running(journal: Journal) -> AsyncIterator[None]:
    """Let it run, with the disk."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(journal._disk.run)
        tasks.start_soon(journal.run)
        await anyio.wait_all_tasks_blocked()
        yield
        tasks.cancel_scope.cancel()


async def until(is_so: Callable[[], bool]) -> None:
    with anyio.fail_after(40):
        while not is_so():  # noqa: ASYNC110
            await anyio.sleep(0.01)


def test_it_is_bounded(journal: Journal, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hosts, "MOST_BYTES", 10_000)
    journal.begin(AUTHOR, ("/work",))
    for number in range(1000):
        journal.saved("/work/a", str(number))
    (path,) = folder.rglob("*.turns")
    assert path.stat().st_size < 10_000
    found = killed(journal, folder)
    assert len(found.turns) == 1 and found.saved == {"/work/a": "999"}


async def test_it_shows_that_it_lives(
    journal: Journal, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BEAT", 0.01)
    fill(journal)
    (path,) = folder.rglob("*.turns")
    os.utime(path, (1, 1))
    async with running(journal):
        await until(lambda: path.stat().st_mtime > 2)


def test_a_host_that_has_begun_something_can_be_told_to_be_alive(
    journal: Journal, folder: Path
) -> None:
    other = journal_in(folder)
    name = journal.live()
    assert name and journal.live() == name and other.has(name)
    assert [*other.killed()] == []
    journal.drop()
    assert [it.path.stem for it in other.killed()] == [name]


def test_what_a_journal_of_an_older_version_says_is_left_out(
    journal: Journal, folder: Path
) -> None:
    fill(journal)
    journal.drop()
    (path,) = folder.rglob("*.turns")
    path.write_text(path.read_text().replace('"acp_turns":1', '"acp_turns":0'))
    found = killed(journal, folder)
    assert found.turns == () and found.saved == {}


# --- what files held


class Kept:
    """A sink in memory."""

    def __init__(self) -> None:
        self.data = b""
        self.news = 0

    def __call__(self, data: bytes, *, anew: bool) -> None:
        self.data = data if anew else self.data + data
        self.news += anew

    def read(self) -> Remembered:
        return recollect(BytesIO(self.data))


def baselines(kept: Kept, **options: Any) -> Baselines:
    made = plain()
    made.keep_in(Memory(kept, **options))
    return made


async def test_what_was_seen_is_kept_once(tmp_path: Path) -> None:
    kept, folder = Kept(), tmp_path.resolve()
    seen = baselines(kept)
    (folder / "a").write_text("a\n")
    (folder / "b").write_bytes(b"\xff\x00\x01\x02\x03")
    await seen.refresh(Roots(str(folder)))
    await seen.keep()
    size = len(kept.data)
    await seen.keep()
    assert len(kept.data) == size
    (folder / "a").write_text("other\n")
    await seen.refresh(Roots(str(folder)))
    await seen.keep()
    found = kept.read()
    assert found.sights[str(folder / "a")].text() == "other\n"
    assert found.sights[str(folder / "b")].packed is None
    assert found.scans[str(folder)].whole


async def test_cut_at_any_byte_the_records_before_are_there(tmp_path: Path) -> None:
    kept, folder = Kept(), tmp_path.resolve()
    seen = baselines(kept)
    for name in "abc":
        (folder / name).write_text(f"{name}\n" * 10)
    await seen.refresh(Roots(str(folder)))
    await seen.keep()
    whole = kept.read().sights
    for size in range(len(kept.data)):
        found = recollect(BytesIO(kept.data[:size])).sights
        assert found.items() <= whole.items()
    assert len(whole) == 3


async def test_what_is_kept_is_bounded(tmp_path: Path) -> None:
    kept, folder = Kept(), tmp_path.resolve()
    seen = baselines(kept, most=3000)
    for number in range(50):
        (folder / "a").write_text(f"{number}\n")
        await seen.look(str(folder / "a"), at_once=True)
        await seen.keep()
        assert len(kept.data) < 3000
    assert kept.news
    assert kept.read().sights[str(folder / "a")].text() == "49\n"


def test_what_the_user_has_written_is_known_as_long_as_a_turn_runs(
    journal: Journal, folder: Path
) -> None:
    journal.saved("/work/before", "1")
    journal.begin(AUTHOR, ("/work",))
    for number in range(module.MOST_SAVED + 1):
        journal.saved(f"/work/{number}", "1")
    journal.saved("/work/1", "2")
    journal.saved("/work/last", "3")
    saved = killed(journal, folder).saved
    assert len(saved) == module.MOST_SAVED and not {"/work/before", "/work/0"} & {*saved}
    assert (saved["/work/1"], saved["/work/3"], saved["/work/last"]) == ("2", "1", "3")


def test_after_the_turns_nobody_asks_who_has_written(journal: Journal, folder: Path) -> None:
    journal.begin(AUTHOR, ("/work",))
    journal.saved("/work/a", "1")
    journal.end(AUTHOR)
    journal.begin(OTHER, ("/work",))
    assert killed(journal, folder).saved == {}


async def test_what_is_seen_is_not_kept_before_whose_it_is(
    journal: Journal, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, go_on, begun = private.write, threading.Event(), threading.Event()

    def slow(handle: int, data: bytes) -> None:
        if data != b"seen":
            begun.set()
            assert go_on.wait(40)
        else:
            assert next(folder.rglob("*.turns")).stat().st_size
        write(handle, data)

    monkeypatch.setattr(private, "write", slow)
    async with running(journal):
        journal.begin(AUTHOR, ("/work",))
        assert await anyio.to_thread.run_sync(begun.wait, 40)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(anyio.to_thread.run_sync, partial(journal.see, b"seen", anew=False))
            await anyio.wait_all_tasks_blocked()
            go_on.set()
    assert len(killed(journal, folder).turns) == 1
    assert next(folder.rglob("*.sights")).read_bytes() == b"seen"
