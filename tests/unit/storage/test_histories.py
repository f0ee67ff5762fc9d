"""Histories on disk: what is appended is there, for whoever reads, whatever happens in between."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.review import changes, keep
from acp_nvim.history.switch import redo, undo
from acp_nvim.storage import histories as module
from acp_nvim.storage import private
from acp_nvim.storage.entries import (
    Begun,
    Done,
    Dropped,
    Entry,
    History,
    Stands,
    digest,
    text_of,
)
from acp_nvim.storage.histories import Histories
from acp_nvim.storage.in_order import InOrder

PATH = "/work/ü \udcff.txt"


def author(turn: int = 1, agent: str = "a") -> Author:
    return Author(agent, "s", turn, float(turn))


def lists(folder: Path, report: Callable[[OSError], None] = lambda _error: None) -> Histories:
    return Histories(lambda: str(folder), InOrder(report))


class Host:
    """A host that has one file."""

    def __init__(self, folder: Path) -> None:
        self.troubles: list[OSError] = []
        self.histories = lists(folder, self.troubles.append)
        self.file: File | None = None

    def to(self, file: File) -> None:
        """Let this be the file, of which the new facts are appended."""
        known = len(self.file.facts) if self.file else 0
        self.file = file
        self.histories.append(PATH, file.facts[known:], file)

    def append(self, *entries: Entry) -> None:
        self.histories.append(PATH, entries, self.file)

    def read_on(self) -> bool:
        if not self.histories.is_behind(PATH):
            return False
        news = self.histories.news(History(PATH, self.file))
        history = None if news is None else self.histories.take(news)
        if history is not None:
            self.file = history.file
        return history is not None


def kept(folder: Path) -> History:
    (history,) = lists(folder).read_all()
    return history


def written(text: str | None = "a\nb\n", to: str | None = "a\nB\n", turn: int = 1) -> File:
    return wrote(begin(text), to, author(turn), 1.0)


def test_what_is_appended_is_there_for_the_next_host(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.to(written())
    assert host.file is not None
    host.to(saw(host.file, "a\nB!\nc\udc80\n", 2.0))
    host.to(undo(host.file, author(), "batch", 3.0).file)
    host.to(redo(host.file, "batch").file)
    host.to(keep(host.file).file)
    history = kept(tmp_path)
    assert (history.path, history.file) == (PATH, host.file)
    assert (tmp_path / os.listdir(tmp_path)[0]).stat().st_mode & 0o777 == 0o600


def test_a_file_that_comes_and_goes_is_kept(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.to(written(None, "new\r\n"))
    assert host.file is not None
    host.to(wrote(host.file, None, author(2), 2.0))
    history = kept(tmp_path)
    assert history.file == host.file and history.file is not None and history.file.text is None


def test_two_hosts_append_to_one_list(tmp_path: Path) -> None:
    one, two = Host(tmp_path), Host(tmp_path)
    one.to(written())
    assert two.read_on() and two.file == one.file
    assert not one.read_on(), "nobody has added anything"
    two.to(wrote(two.file or File(), "a\nB\nC\n", author(agent="b"), 2.0))
    assert one.read_on() and one.file == two.file
    one.to(wrote(one.file or File(), "A\nB\nC\n", author(2), 3.0))
    assert two.read_on()
    history = kept(tmp_path)
    assert history.file == one.file == two.file
    assert history.file is not None and history.file.text == "A\nB\nC\n"
    assert {it.agent for hunk in changes(history.file) for it in hunk.authors} == {"a", "b"}


def test_what_others_appended_right_before_is_seen(tmp_path: Path) -> None:
    one, two = Host(tmp_path), Host(tmp_path)
    one.to(written())
    two.read_on()
    assert one.file is not None and two.file is not None
    two.to(wrote(two.file, "a\nB\nC\n", author(agent="b"), 2.0))
    one.to(saw(one.file, "a\nB\nC\n", 2.0))
    assert one.read_on(), "it has not read on before it acted"
    assert not one.read_on()
    one.to(saw(one.file, "a\nB\nC\n", 3.0))  # the next look at the file sets it right
    assert kept(tmp_path).file == one.file and one.file.text == "a\nB\nC\n"


def test_a_file_that_only_another_host_knows_is_found(tmp_path: Path) -> None:
    one, two = Host(tmp_path), Host(tmp_path)
    one.to(written())
    (news,) = two.histories.unknown()
    history = two.histories.take(news)
    assert history is not None and history.file == one.file
    assert two.histories.unknown() == []


def test_a_folder_in_which_nothing_has_come_is_not_listed_again(tmp_path: Path) -> None:
    one, two = Host(tmp_path), Host(tmp_path)
    folder = tmp_path.stat().st_mtime - 10
    os.utime(tmp_path, (folder, folder))
    assert two.histories.has_unknown()
    assert two.histories.unknown() == []
    assert not two.histories.has_unknown()
    one.to(written())
    assert two.histories.has_unknown()
    assert len(two.histories.unknown()) == 1
    assert two.histories.has_unknown(), "more may come without another time of change"


def test_a_list_that_cannot_be_read_yet_is_read_again(tmp_path: Path) -> None:
    (tmp_path / f"new{module.ENDING}").touch()
    folder = tmp_path.stat().st_mtime - 10
    os.utime(tmp_path, (folder, folder))
    two = Host(tmp_path)
    assert two.histories.unknown() == []
    assert two.histories.has_unknown()


def test_what_was_begun_counts_when_it_is_done(tmp_path: Path) -> None:
    host, file = Host(tmp_path), written()
    begun = Begun("host", digest("a\nb\n"), digest(file.text), file.facts)
    host.append(begun)
    history = kept(tmp_path)
    assert history.file is None and history.begun == {"host": begun} and history.waits
    host.append(Done("host"))
    assert kept(tmp_path).file == file and not kept(tmp_path).begun
    more = wrote(file, "a\nB\nc\n", author(2), 2.0)
    host.append(Begun("host", "", "", more.facts[len(file.facts) :]), Dropped("host"))
    assert kept(tmp_path).file == file and not kept(tmp_path).begun


def test_a_conflict_is_kept_until_it_is_settled(tmp_path: Path) -> None:
    host = Host(tmp_path)
    conflict = Conflict(PATH, author(), "a\n", "b\n", ((0, 1),), on_disk=True, before=None)
    host.append(Stands(conflict))
    assert kept(tmp_path).conflict == conflict and kept(tmp_path).waits
    host.append(Stands())
    assert kept(tmp_path).conflict is None


def test_a_list_that_is_gone_was_forgotten_elsewhere(tmp_path: Path) -> None:
    host, other = Host(tmp_path), Host(tmp_path)
    host.to(written())
    assert other.read_on()
    host.histories.forget(PATH)
    assert list(tmp_path.iterdir()) == []
    assert other.read_on() and other.file is None
    assert not other.read_on(), "it is told once"
    other.to(written(turn=2))
    assert kept(tmp_path).file == other.file


def test_a_list_that_goes_right_before_an_append_is_written_as_a_whole(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.to(written())
    for file in tmp_path.iterdir():
        file.unlink()
    host.to(saw(host.file or File(), "a\nB\nc\n", 2.0))
    assert kept(tmp_path).file == host.file


def test_a_line_that_is_cut_off_costs_itself_alone(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.to(written())
    (list_,) = tmp_path.iterdir()
    with list_.open("a") as file:
        file.write('{"type":"Wrote","author":{')
    histories = lists(tmp_path)
    (history,) = histories.read_all()
    assert history.file == host.file
    host.to(saw(host.file or File(), "a\nB\nc\n", 2.0))
    assert histories.set_aside() == 0, "another host was writing it"
    (history,) = histories.read_all()
    assert history.file == host.file and histories.set_aside() == 1
    assert kept(tmp_path).file == host.file
    (cut,) = tmp_path.glob("*.cut")
    assert cut.read_text().count('{"type":"Wrote"') == 2
    host.to(saw(host.file or File(), "a\nB\n", 2.0))
    assert kept(tmp_path).file == host.file, "it goes on in the new list"
    assert histories.read_all() and histories.set_aside() == 0


@pytest.mark.parametrize(
    "line", ["null", "[]", '{"type":"Wrote"}', '{"type":"Nothing"}', "{}", "7"]
)
def test_a_line_that_is_none_is_passed_over(tmp_path: Path, line: str) -> None:
    host = Host(tmp_path)
    host.to(written())
    (list_,) = tmp_path.iterdir()
    with list_.open("a") as file:
        file.write(f"{line}\n")
    histories = lists(tmp_path)
    (history,) = histories.read_all()
    assert history.file == host.file and histories.set_aside() == 1
    assert kept(tmp_path).file == host.file
    assert histories.read_all() and histories.set_aside() == 0


def test_cut_at_any_byte_the_lines_before_are_there(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.to(saw(written(), "a\nB\nc\n", 2.0))
    (list_,) = tmp_path.iterdir()
    data = list_.read_bytes()
    for size in range(len(data)):
        list_.write_bytes(data[:size])
        count = data[:size].count(b"\n")
        for history in lists(tmp_path).read_all():
            facts = () if history.file is None else history.file.facts
            assert host.file is not None
            assert facts == host.file.facts[: max(count - 1, 0)]


@pytest.mark.parametrize("head", ["", "7", "[]", "{}", '{"acp_history":1}', "\0" * 99])
def test_a_list_without_a_head_is_set_aside(tmp_path: Path, head: str) -> None:
    host = Host(tmp_path)
    host.to(written())
    (list_,) = tmp_path.iterdir()
    list_.write_text(head)
    histories = lists(tmp_path)
    assert histories.read_all() == [] and histories.set_aside() == 1
    assert [it.suffix for it in tmp_path.iterdir()] == [".cut"]
    host.to(saw(host.file or File(), "a\nB\nc\n", 2.0))
    assert kept(tmp_path).file == host.file, "who knows it writes it anew"


def test_a_list_of_another_version_stays(tmp_path: Path) -> None:
    Host(tmp_path).to(written())
    (list_,) = tmp_path.iterdir()
    list_.write_text(list_.read_text().replace('"acp_history":1', '"acp_history":2'))
    histories = lists(tmp_path)
    assert histories.read_all() == [] and histories.set_aside() == 0 and list_.exists()


def test_a_disk_that_fills_amid_an_append_leaves_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, write = Host(tmp_path), os.write
    host.to(written())

    def fills(handle: int, data: bytes) -> int:
        if len(data) < 20:
            raise OSError(28, "No space left on device")
        return write(handle, data[: len(data) - 10])

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", fills)
        file = saw(host.file or File(), "a\nB\nc\n", 2.0)
        host.to(wrote(file, "a\nB\nC\n", author(2), 3.0))
        assert kept(tmp_path).file == written()
    assert host.histories.flush() and kept(tmp_path).file == host.file


def test_what_was_begun_on_a_full_disk_counts_once(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.write_text("in the way")
    host, file = Host(folder), written()
    host.histories.begin(PATH, Begun("host", digest("a\nb\n"), digest(file.text), file.facts), None)
    folder.unlink()
    host.histories.append(PATH, host.histories.ended(PATH, file.facts), file)
    assert kept(folder).file == file and not kept(folder).begun


def test_what_is_begun_and_not_done_is_dropped_at_the_end(tmp_path: Path) -> None:
    host, file = Host(tmp_path), written()
    host.histories.begin(PATH, Begun("host", digest("a\nb\n"), digest(file.text), file.facts), None)
    assert kept(tmp_path).begun
    assert host.histories.flush() and not kept(tmp_path).begun and kept(tmp_path).file is None


def test_other_facts_than_those_begun_take_their_place(tmp_path: Path) -> None:
    host, meant, was = Host(tmp_path), written(), written(to="a\nb\nc\n")
    host.histories.begin(
        PATH, Begun("host", digest("a\nb\n"), digest(meant.text), meant.facts), None
    )
    host.histories.append(PATH, host.histories.ended(PATH, was.facts), was)
    assert kept(tmp_path).file == was and not kept(tmp_path).begun


def test_an_empty_flush_makes_no_folder(tmp_path: Path) -> None:
    host = Host(tmp_path / "folder")
    assert host.histories.flush() and host.histories.is_settled()
    assert host.histories.read_all() == [] and not host.histories.set_aside()
    assert not (tmp_path / "folder").exists()


def test_names_of_files_may_be_long_or_no_text(tmp_path: Path) -> None:
    paths, file = ["/" + "long/" * 500, "/\udcff", "/é\n"], written()
    histories = lists(tmp_path)
    for path in paths:
        histories.append(path, file.facts, file)
    assert sorted(it.path for it in histories.read_all()) == sorted(paths)


async def test_it_is_written_a_moment_later_and_told_once_if_it_cannot_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AGAIN", 0.01)
    folder, told = tmp_path / "folder", list[OSError]()
    disk = InOrder(told.append)
    folder.write_text("in the way")
    histories = Histories(lambda: str(folder), disk)

    async def until(is_so: Callable[[], bool]) -> None:
        with anyio.fail_after(40):
            while not is_so():  # noqa: ASYNC110
                await anyio.sleep(0.01)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(disk.run)
        tasks.start_soon(histories.run)
        await anyio.wait_all_tasks_blocked()
        file = written()
        for path in ("/a", "/b"):
            histories.append(path, file.facts, file)
            await until(lambda: len(told) == 1)
        assert not histories.is_settled()
        folder.unlink()
        await until(histories.is_settled)
        assert {it.path for it in lists(folder).read_all()} == {"/a", "/b"}
        assert len(told) == 1
        for list_ in folder.iterdir():
            list_.unlink()
        folder.rmdir()
        folder.write_text("in the way again")
        histories.append("/a", (), file)
        await until(lambda: len(told) == 2)
        tasks.cancel_scope.cancel()


def test_what_could_not_be_written_is_written_with_the_next(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.write_text("in the way")
    host = Host(folder)
    host.to(written())
    assert not host.histories.flush()
    folder.unlink()
    host.to(saw(host.file or File(), "a\nB\nc\n", 2.0))
    assert host.histories.flush() and kept(folder).file == host.file


def test_a_link_in_the_place_of_a_list_is_not_followed(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "folder", tmp_path / "elsewhere"
    host = Host(folder)
    host.to(written())
    (list_,) = folder.iterdir()
    list_.unlink()
    elsewhere.write_text("mine\n")
    list_.symlink_to(elsewhere)
    host.to(saw(host.file or File(), "a\nB\nc\n", 2.0))
    assert elsewhere.read_text() == "mine\n" and not host.histories.flush()


def test_what_is_forgotten_is_gone(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.to(written())
    host.histories.forget(PATH)
    assert list(tmp_path.iterdir()) == []


def test_what_is_forgotten_while_it_is_changed_stays_gone(tmp_path: Path) -> None:
    host, file = Host(tmp_path), written()
    host.to(file)
    host.histories.begin(PATH, Begun("host", "1", "2", file.facts), file)
    host.histories.forget(PATH)
    assert host.histories.flush() and list(tmp_path.iterdir()) == []


def test_of_what_nobody_waits_for_the_oldest_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_SETTLED", 1)
    histories = lists(tmp_path)
    for number, decided in enumerate((True, False, True)):
        file = keep(written()).file if decided else written()
        before = set(tmp_path.iterdir())
        histories.append(f"/{number}", file.facts, file)
        (list_,) = set(tmp_path.iterdir()) - before
        os.utime(list_, (2e9 + number, 2e9 + number))
    assert sorted(history.path for history in histories.read_all()) == ["/1", "/2"]


def test_a_long_history_of_which_nothing_waits_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_FACTS", 3)
    host = Host(tmp_path)
    host.to(keep(written()).file)
    assert host.file is not None
    for number in range(3):
        host.to(saw(host.file, f"a\nB\n{number}\n", 2.0))
    (history,) = lists(tmp_path).read_all()
    assert (
        history.file is not None
        and len(history.file.facts) == 1
        and history.file.text == host.file.text
    )
    assert host.read_on() and host.file == kept(tmp_path).file


def test_a_neovim_that_is_stopped_holds_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    host = Host(tmp_path)
    host.to(written())
    (list_,) = tmp_path.iterdir()
    with list_.open() as stopped:
        fcntl.flock(stopped, fcntl.LOCK_EX)
        host.to(saw(host.file or File(), "a\nB\nc\n", 2.0))
    assert kept(tmp_path).file == host.file


def test_what_another_neovim_appends_without_the_lock_is_never_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    host, write = Host(tmp_path), os.write
    host.to(written())
    assert host.file is not None
    (list_,) = tmp_path.iterdir()
    others = text_of(saw(host.file, "a\nB\nc\n", 2.0).facts[-1]) + "\n"

    def fills(handle: int, data: bytes) -> int:
        if len(data) < 20:
            with list_.open("a") as other:
                other.write(f"\n{others}")
            raise OSError(28, "No space left on device")
        return write(handle, data[: len(data) - 10])

    with list_.open() as stopped, monkeypatch.context() as patched:
        fcntl.flock(stopped, fcntl.LOCK_EX)
        patched.setattr(os, "write", fills)
        host.to(saw(host.file, "a\nB\nd\n", 2.0))
    history = kept(tmp_path)
    assert history.file is not None and history.file.text == "a\nB\nc\n"


@pytest.mark.parametrize("damage", ["7\n", '{"type":"Wrote"'])
def test_a_list_that_another_neovim_has_locked_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.0)
    host = Host(tmp_path)
    host.to(keep(written()).file)
    (list_,) = tmp_path.iterdir()
    with list_.open("a") as file:
        file.write(damage)
    with list_.open() as stopped:
        fcntl.flock(stopped, fcntl.LOCK_EX)
        histories, before = lists(tmp_path), list_.read_bytes()
        assert histories.read_all() and histories.set_aside() == 0
        monkeypatch.setattr(module, "MOST_FACTS", 1)
        assert histories.read_all()
        assert list_.read_bytes() == before and [*tmp_path.iterdir()] == [list_]


def test_a_history_that_begins_anew_loses_nothing_of_another_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_FACTS", 1)
    host, locked = Host(tmp_path), private.locked
    host.to(keep(written()).file)
    meanwhile = [saw(host.file or File(), "a\nB\nc\n", 2.0)]

    def late(file: Path, flags: int) -> int | None:
        while meanwhile:
            host.to(meanwhile.pop())
        return locked(file, flags)

    monkeypatch.setattr(private, "locked", late)
    lists(tmp_path).read_all()
    monkeypatch.setattr(module, "MOST_FACTS", 9)
    assert kept(tmp_path).file == host.file
