"""Histories on disk: what is appended is there, for whoever reads, whatever happens in between."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.history.review import changes, keep
from acp_nvim.history.switch import redo, undo
from acp_nvim.storage import histories as module
from acp_nvim.storage.entries import Begun, Done, Dropped, Entry, Stands, digest
from acp_nvim.storage.histories import Book, Histories

PATH = "/work/ü \udcff.txt"


def author(turn: int = 1, agent: str = "a") -> Author:
    return Author(agent, "s", turn, float(turn))


class Host:
    """A host that has one file."""

    def __init__(self, folder: Path) -> None:
        self.troubles: list[OSError] = []
        self.histories = Histories(lambda: str(folder), self.troubles.append)
        self.file: File | None = None

    def to(self, file: File) -> None:
        """Let this be the file, of which the new facts are appended."""
        known = len(self.file.facts) if self.file else 0
        self.file = file
        self.histories.append(PATH, file.facts[known:], file)

    def append(self, *entries: Entry) -> None:
        self.histories.append(PATH, entries, self.file)

    def read_on(self) -> bool:
        book = self.histories.read_on(PATH)
        if book is not None:
            self.file = book.file
        return book is not None


def kept(folder: Path) -> Book:
    (book,) = Histories(lambda: str(folder)).read_all()
    return book


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
    book = kept(tmp_path)
    assert (book.path, book.file) == (PATH, host.file)
    assert (tmp_path / os.listdir(tmp_path)[0]).stat().st_mode & 0o777 == 0o600


def test_a_file_that_comes_and_goes_is_kept(tmp_path: Path) -> None:
    host = Host(tmp_path)
    host.to(written(None, "new\r\n"))
    assert host.file is not None
    host.to(wrote(host.file, None, author(2), 2.0))
    book = kept(tmp_path)
    assert book.file == host.file and book.file is not None and book.file.text is None


def test_two_hosts_append_to_one_list(tmp_path: Path) -> None:
    one, two = Host(tmp_path), Host(tmp_path)
    one.to(written())
    assert two.read_on() and two.file == one.file
    assert not one.read_on(), "nobody has added anything"
    two.to(wrote(two.file or File(), "a\nB\nC\n", author(agent="b"), 2.0))
    assert one.read_on() and one.file == two.file
    one.to(wrote(one.file or File(), "A\nB\nC\n", author(2), 3.0))
    assert two.read_on()
    book = kept(tmp_path)
    assert book.file == one.file == two.file
    assert book.file is not None and book.file.text == "A\nB\nC\n"
    assert {it.agent for hunk in changes(book.file) for it in hunk.authors} == {"a", "b"}


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
    (book,) = two.histories.unknown()
    assert book.file == one.file
    assert two.histories.unknown() == []


def test_what_was_begun_counts_when_it_is_done(tmp_path: Path) -> None:
    host, file = Host(tmp_path), written()
    begun = Begun("host", digest("a\nb\n"), digest(file.text), file.facts)
    host.append(begun)
    book = kept(tmp_path)
    assert book.file is None and book.begun == {"host": begun} and book.waits
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


def test_a_list_that_is_gone_is_written_as_a_whole(tmp_path: Path) -> None:
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
        file.write('["Wrote",{"author":')
    histories = Histories(lambda: str(tmp_path))
    (book,) = histories.read_all()
    assert book.file == host.file and not histories.cut, "another host may be writing it"
    host.to(saw(host.file or File(), "a\nB\nc\n", 2.0))
    (book,) = histories.read_all()
    assert book.file == host.file and histories.cut == 1


@pytest.mark.parametrize("line", ["null", "[]", '["Wrote"]', '["Nothing",{}]', '["On",{}]', "7"])
def test_a_line_that_is_none_is_passed_over(tmp_path: Path, line: str) -> None:
    host = Host(tmp_path)
    host.to(written())
    (list_,) = tmp_path.iterdir()
    with list_.open("a") as file:
        file.write(f"{line}\n")
    assert kept(tmp_path).file == host.file


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


def test_of_what_nobody_waits_for_the_oldest_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_SETTLED", 1)
    histories = Histories(lambda: str(tmp_path))
    for number, decided in enumerate((True, False, True)):
        file = keep(written()).file if decided else written()
        before = set(tmp_path.iterdir())
        histories.append(f"/{number}", file.facts, file)
        (list_,) = set(tmp_path.iterdir()) - before
        os.utime(list_, (2e9 + number, 2e9 + number))
    assert sorted(book.path for book in histories.read_all()) == ["/1", "/2"]


def test_a_long_history_of_which_nothing_waits_begins_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_FACTS", 3)
    host = Host(tmp_path)
    host.to(keep(written()).file)
    assert host.file is not None
    for number in range(3):
        host.to(saw(host.file, f"a\nB\n{number}\n", 2.0))
    (book,) = Histories(lambda: str(tmp_path)).read_all()
    assert book.file is not None and len(book.file.facts) == 1 and book.file.text == host.file.text
    assert host.read_on() and host.file == kept(tmp_path).file
