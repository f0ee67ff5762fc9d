"""Two Neovims in one folder: each knows what the other has added before it acts."""

from __future__ import annotations

import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from acp_nvim.files.event import DiskChanged, FileWritten
from acp_nvim.history.author import Author, How
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.switch import redo, undo
from acp_nvim.review.log import EditLog
from acp_nvim.session.origin import Stretch
from acp_nvim.storage import histories
from acp_nvim.storage.edits import EditStore
from acp_nvim.storage.entries import Entry, History, Stands, entry_of
from acp_nvim.storage.histories import Histories, News
from acp_nvim.storage.record import Value
from tests.support.files.file_rig import FileRig, author

PATH = "/work/a"
TEN = [f"{number}\n" for number in range(10)]


class Host:
    """The log of one Neovim."""

    def __init__(self, folder: Path, agent: str) -> None:
        self.store = EditStore(lambda: str(folder))
        self.agent = agent
        self.changed: list[str] = []
        self.turn = 0
        self.edits = EditLog(self.store, now=lambda: 1.0, changed=self.changed.append)

    def author(self) -> Author:
        return author(self.turn, agent=self.agent)

    def shapes(self, path: str = PATH) -> list[tuple[int, str, str]]:
        hunks = self.edits.changes(path, "pending")
        return [(it.first, "".join(it.removed), "".join(it.added)) for it in hunks]

    def agents(self, path: str = PATH) -> list[str]:
        return [it.authors[-1].agent for it in self.edits.changes(path, "pending")]


class Disk:
    """The one file, as both see it."""

    def __init__(self) -> None:
        self.lines = [*TEN]

    def write(self, host: Host, row: int, text: str) -> None:
        """Let the host's agent write a line in a turn of its own."""
        host.turn += 1
        before = "".join(self.lines)
        self.lines[row] = text
        host.edits.writes(PATH, before, "".join(self.lines), host.author())
        host.edits.wrote(PATH, before, "".join(self.lines), host.author())


@pytest.fixture
def hosts(tmp_path: Path) -> tuple[Host, Host]:
    return Host(tmp_path, "one"), Host(tmp_path, "two")


async def third(folder: Path) -> Host:
    host = Host(folder, "three")
    await host.edits.restore()
    return host


@asynccontextmanager
async def running(*hosts: Host) -> AsyncIterator[None]:
    """Let the disks of the hosts be written by their threads."""
    async with anyio.create_task_group() as tasks:
        for host in hosts:
            tasks.start_soon(host.store.run)
        await anyio.wait_all_tasks_blocked()
        yield
        tasks.cancel_scope.cancel()


async def test_both_act_in_turns(hosts: tuple[Host, Host], tmp_path: Path) -> None:
    disk = Disk()
    for row in range(6):
        disk.write(hosts[row % 2], row, f"agent {row}\n")
    await hosts[0].edits.read_all_on()
    for host in (*hosts, await third(tmp_path)):
        (hunk,) = host.edits.changes(PATH, "pending")
        assert (hunk.first, hunk.removed) == (0, tuple(TEN[:6]))
        assert hunk.added == tuple(disk.lines[:6])
        file = host.edits.file(PATH)
        assert file is not None
        agents = [it.author.agent for it in file.changes]
        assert agents == ["one", "two"] * 3 and not host.edits.hosts()


async def test_both_act_in_turns_while_the_disk_is_behind(
    hosts: tuple[Host, Host], tmp_path: Path
) -> None:
    disk = Disk()
    async with running(*hosts):
        for row in range(0, 10, 2):
            host = hosts[row // 2 % 2]
            disk.write(host, row, f"agent {row}\n")
            await host.edits.noted()
    later = await third(tmp_path)
    assert [row for row, *_ in later.shapes()] == [0, 2, 4, 6, 8]
    assert later.agents() == ["one", "two", "one", "two", "one"]


async def test_both_act_at_once(hosts: tuple[Host, Host], tmp_path: Path) -> None:
    """Neither has seen the other's before its own is on disk: each sees the text afterwards."""
    disk = Disk()
    async with running(*hosts):
        disk.write(hosts[0], 1, "agent 1\n")
        before, disk.lines[8] = "".join(disk.lines), "agent 8\n"
        hosts[1].turn = 1
        hosts[1].edits.wrote(PATH, before, "".join(disk.lines), hosts[1].author())
        for host in hosts:
            await host.edits.noted()
        for host in hosts:
            host.edits.saw(PATH, "".join(disk.lines))
            await host.edits.noted()
    later = await third(tmp_path)
    file = later.edits.file(PATH)
    assert file is not None and file.text == "".join(disk.lines)
    assert later.agents() and {*later.agents()} <= {"one", "two"}


async def test_both_act_at_once_in_a_file_that_both_know(
    hosts: tuple[Host, Host], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, append, is_first_there = Disk(), Histories._append, threading.Event()

    def in_turn(self: Histories, *arguments: Any) -> None:
        """Let who has acted first be the first in the list."""
        if self is hosts[1].store.histories:
            assert is_first_there.wait(10)
        append(self, *arguments)

    disk.write(hosts[0], 4, "agent 4\n")
    await hosts[1].edits.read_all_on()
    monkeypatch.setattr(Histories, "_append", in_turn)
    async with running(*hosts):
        disk.write(hosts[0], 1, "agent 1\n")
        disk.write(hosts[1], 8, "agent 8\n")
        await hosts[0].edits.noted()
        is_first_there.set()
        await hosts[1].edits.noted()
        for host in hosts:
            host.edits.saw(PATH, "".join(disk.lines))
            await host.edits.noted()
    for host in (*hosts, await third(tmp_path)):
        await host.edits.read_all_on()
        file = host.edits.file(PATH)
        assert file is not None and file.text == "".join(disk.lines)
        assert [row for row, *_ in host.shapes()] == [1, 4, 8]
        assert host.agents() == ["one", "one", "two"]


async def test_what_one_undoes_the_other_redoes(hosts: tuple[Host, Host], tmp_path: Path) -> None:
    disk, (one, two) = Disk(), hosts
    disk.write(one, 1, "agent 1\n")
    disk.write(two, 8, "agent 8\n")
    await two.edits.read_all_on()
    file = two.edits.file(PATH)
    assert file is not None
    back = undo(file, one.author(), "batch", 2.0).file
    two.edits.puts(PATH, file.text, back)
    two.edits.put(PATH, back)
    await one.edits.read_all_on()
    assert one.shapes() == [(8, "8\n", "agent 8\n")]
    assert one.edits.last_undo([Stretch(one.author().session_key)]) == "batch"
    file = one.edits.file(PATH)
    assert file is not None
    one.edits.put(PATH, redo(file, "batch").file)
    later = await third(tmp_path)
    assert later.shapes() == [(1, "1\n", "agent 1\n"), (8, "8\n", "agent 8\n")]


async def test_a_conflict_of_one_is_settled_in_the_other(hosts: tuple[Host, Host]) -> None:
    one, two = hosts
    conflict = Conflict(PATH, author(), "a\n", "b\n", ((0, 1),), on_disk=True)
    one.edits.conflicted(conflict)
    await two.edits.read_all_on()
    assert two.edits.conflicts() == (conflict,) and two.changed == [PATH]
    two.edits.settled(PATH)
    await one.edits.read_all_on()
    assert one.edits.conflicts() == () and one.changed == [PATH, PATH]


async def test_who_reads_on_is_told_only_of_what_is_new(hosts: tuple[Host, Host]) -> None:
    one, two = hosts
    Disk().write(one, 1, "agent 1\n")
    await two.edits.read_all_on()
    for host in hosts:
        host.changed.clear()
    for host in hosts:
        await host.edits.read_all_on()
    assert one.changed == two.changed == []


# --- with files


@pytest.fixture
def rigs(tmp_path: Path) -> tuple[FileRig, FileRig]:
    folder = tmp_path / "work"
    folder.mkdir()
    return FileRig(folder), FileRig(folder)


async def test_a_third_that_rejects_all_leaves_nothing_of_the_agents(
    rigs: tuple[FileRig, FileRig],
) -> None:
    one, two = rigs
    path = one.file("".join(TEN))
    for rig, row, agent in ((one, 1, "one"), (two, 5, "two"), (one, 8, "one"), (two, 1, "two")):
        lines = path.read_text().splitlines(keepends=True)
        lines[row] = f"{agent} {row}\n"
        await rig.agent(path, "".join(lines), author(row, agent=agent))
    for rig in rigs:
        rig.store.flush()
    last = FileRig(one.folder)
    await last.restore()
    assert [it[0] for it in await last.hunks(path)] == [1, 5, 8]
    await last.review.reject(str(path))
    assert path.read_text() == "".join(TEN)
    await two.recovery.run()
    assert await two.hunks(path) == []


@pytest.mark.parametrize("is_amid", [True, False])
@pytest.mark.parametrize("is_known", [True, False])
@pytest.mark.parametrize("how", ["named", "found"])
async def test_what_one_has_written_no_turn_of_the_other_takes_for_its_own(
    rigs: tuple[FileRig, FileRig], how: How, *, is_amid: bool, is_known: bool
) -> None:
    """Its next look finds the file changed, maybe before the list says that this is done."""
    one, two = rigs
    path, by, tell = one.file("".join(TEN)), author(agent="two"), one.sync.tell
    for rig in rigs:
        await rig.begin()
    if is_known:
        await one.agent(path, "".join(TEN).replace("8\n", "eight\n"), author(agent="one"))
        await two.restore()
        await two.look(path, None)

    async def seen_by_the_other(fact: FileWritten | DiskChanged) -> None:
        for is_now in (is_amid, not is_amid):
            if is_now:
                await two.look(path, replace(by, how=how))
            else:
                await tell(fact)

    one.sync.tell = seen_by_the_other  # type: ignore[method-assign]
    await one.write(path, path.read_text().replace("1\n", "one\n", 1))
    await two.agent(path, path.read_text().replace("4\n", "four\n"), by)
    for rig in rigs:
        await rig.edits.read_all_on()
        hunks = rig.edits.changes(str(path))
        agents = {it.first: it.authors[-1].agent for it in hunks}
        assert agents == {1: "a", 4: "two"} | ({8: "one"} if is_known else {})
        file = rig.edits.file(str(path))
        assert file is not None and file.text == path.read_text()


@pytest.mark.parametrize("is_open", [True, False])
async def test_of_what_both_have_changed_a_look_counts_what_is_new(
    rigs: tuple[FileRig, FileRig], *, is_open: bool
) -> None:
    """A command of the other's runs while one writes: its look finds both at once."""
    one, two = rigs
    path, by = one.file("".join(TEN)), replace(author(agent="two"), how="found")
    if is_open:
        two.files.open(path)
        two.files.type(path, *"".join(TEN).split(), "mine")
    for rig in rigs:
        await rig.begin()
    await one.write(path, path.read_text().replace("1\n", "one\n", 1))
    path.write_text(path.read_text().replace("7\n", "seven\n"))
    await two.look(path, by)
    found = {(it.first, it.authors[-1].agent) for it in two.edits.changes(str(path))}
    assert found == {(1, "a"), (7, "two")}
    await two.undo(agent="two")
    if is_open:
        assert two.files.lines(path) == ["0", "one", *"23456789", "mine"]
    else:
        assert path.read_text() == "".join(TEN).replace("1\n", "one\n", 1)
        await one.undo(agent="a")
        assert path.read_text() == "".join(TEN)


async def test_a_kept_history_is_one_list(rigs: tuple[FileRig, FileRig]) -> None:
    one, two = rigs
    path = one.file("".join(TEN))
    await one.agent(path, "".join(TEN).replace("1\n", "one\n", 1))
    await two.recovery.run()
    await two.agent(path, path.read_text().replace("8\n", "two\n"))
    (list_,) = one.folder.with_name("work.kept").glob("*.history")
    names = [json.loads(line)["type"] for line in list_.read_text().splitlines()[1:]]
    assert names.count("Began") == 1 and names.count("Wrote") == 2


async def test_what_another_has_added_is_read_in_a_thread(
    hosts: tuple[Host, Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    (one, two), disk, read = hosts, Disk(), list[str]()
    news = Histories.news

    def read_there(self: Histories, known: History) -> News | None:
        read.append(threading.current_thread().name)
        return news(self, known)

    disk.write(one, 1, "agent 1\n")
    await two.edits.read_all_on()
    monkeypatch.setattr(Histories, "news", read_there)
    disk.write(one, 3, "agent 3\n")
    await two.edits.look(PATH, "".join(disk.lines))
    assert len(read) == 1 and read[0] != threading.main_thread().name
    assert two.edits.file(PATH) == one.edits.file(PATH)


async def test_only_what_another_has_added_is_read(
    hosts: tuple[Host, Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    (one, two), disk, entries = hosts, Disk(), list[object]()
    disk.write(one, 1, "agent 1\n")
    await two.edits.read_all_on()

    def read(value: Value) -> Entry | None:
        entries.append(value)
        return entry_of(value)

    monkeypatch.setattr(histories, "entry_of", read)
    disk.write(one, 3, "agent 3\n")
    await two.edits.read_all_on()
    assert len(entries) == 2, "what was begun, and that it is done"
    assert two.edits.file(PATH) == one.edits.file(PATH)


async def test_what_is_done_while_the_rest_is_read_is_not_lost(
    hosts: tuple[Host, Host], monkeypatch: pytest.MonkeyPatch
) -> None:
    (one, two), disk, news = hosts, Disk(), Histories.news
    disk.write(one, 1, "agent 1\n")
    await two.edits.read_all_on()
    disk.write(one, 3, "agent 3\n")
    meanwhile = [Conflict(PATH, author(), "a\n", "b\n", ((0, 1),), on_disk=True)]

    def amid(self: Histories, known: History) -> News | None:
        found = news(self, known)
        while meanwhile:
            two.store.histories.append(PATH, (Stands(meanwhile.pop()),), known.file)
        return found

    monkeypatch.setattr(Histories, "news", amid)
    for _ in range(2):
        await two.edits.read_on(PATH)
    assert two.edits.file(PATH) == one.edits.file(PATH)
    assert len(two.edits.conflicts()) == 1
