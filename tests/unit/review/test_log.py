"""The log of what agents have done: the history of each file, the conflicts, the turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from acp_nvim.files.event import DiskChanged
from acp_nvim.history.conflict import Conflict
from acp_nvim.history.review import keep
from acp_nvim.history.switch import undo
from acp_nvim.review import log
from acp_nvim.review.log import EditLog
from acp_nvim.session.origin import Stretch
from acp_nvim.storage.edits import EditStore
from tests.support.files.file_rig import author
from tests.support.files.review_texts import told


class Host:
    """The log of one host over a folder; each look at the clock is a second later."""

    def __init__(self, folder: Path) -> None:
        self.seconds = 0.0
        self.changed: list[str] = []
        self.store = EditStore(lambda: str(folder))
        self.edits = EditLog(self.store, now=self.now, changed=self.changed.append)

    def now(self) -> float:
        self.seconds += 1
        return self.seconds


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


@pytest.fixture
def edits(host: Host) -> EditLog:
    return host.edits


def shapes(edits: EditLog, path: str) -> list[tuple[int, str, str]]:
    return [
        (it.first, "".join(it.removed), "".join(it.added)) for it in edits.changes(path, "pending")
    ]


def test_what_an_agent_writes_is_pending(edits: EditLog, host: Host) -> None:
    edits.wrote("/a", "one\n", "two\n", author())
    assert shapes(edits, "/a") == [(0, "one\n", "two\n")]
    assert (edits.paths(), host.changed) == (("/a",), ["/a"])


def test_nothing_is_written_down_of_what_changes_nothing(edits: EditLog, host: Host) -> None:
    edits.wrote("/a", "one\n", "one\n", author())
    edits.wrote("/b", None, None, author())
    edits.saw("/a", "two\n")
    assert (edits.paths(), host.changed) == ((), [])
    assert (edits.file("/a"), edits.changes("/a"), edits.origin("/a", 0)) == (None, (), None)


def test_what_the_user_did_before_a_write_is_the_users(edits: EditLog) -> None:
    edits.wrote("/a", told("a", "b"), told("a", "B"), author())
    edits.wrote("/a", told("mine", "a", "B"), told("mine", "a", "B", "c"), author(2))
    assert shapes(edits, "/a") == [(2, "b\n", "B\nc\n")]
    assert edits.origin("/a", 0) is None


def test_what_the_user_sees_is_told_once(edits: EditLog, host: Host) -> None:
    edits.wrote("/a", "one\n", "two\n", author())
    for _ in range(2):
        edits.saw("/a", "mine\ntwo\n")
    assert shapes(edits, "/a") == [(1, "one\n", "two\n")]
    assert host.changed == ["/a", "/a"]


def test_a_conflict_stays_until_it_is_settled(edits: EditLog, host: Host) -> None:
    conflict = Conflict("/a", author(), "base", "theirs", ((0, 1),), on_disk=False)
    edits.conflicted(conflict)
    assert (edits.conflict("/a"), edits.conflicts()) == (conflict, (conflict,))
    assert edits.paths() == ("/a",)
    edits.settled("/a")
    edits.settled("/a")
    assert (edits.conflict("/a"), edits.conflicts(), edits.paths()) == (None, (), ())
    assert host.changed == ["/a", "/a"]


def test_a_line_tells_which_turn_wrote_it(edits: EditLog) -> None:
    edits.wrote("/a", told("a"), told("a", "b"), author(1))
    edits.wrote("/a", told("a", "b"), told("a", "b", "c"), author(2, agent="qwen"))
    found = [edits.origin("/a", row) for row in range(3)]
    assert [it and it.author for it in found] == [None, author(1), author(2, agent="qwen")]


def test_turns_are_in_the_order_in_which_they_began(edits: EditLog) -> None:
    edits.wrote("/b", None, "b\n", author(10))
    edits.wrote("/b", "b\n", "b\nc\n", author(2))
    edits.wrote("/a", None, "a\n", author(2))
    edits.wrote("/a", "a\n", "a\nb\n", author(3, "other"))
    edits.wrote("/a", "a\nb\n", "a\nb\nc\n", author(4, agent="qwen"))
    reloaded = replace(author(1), began=20.0)
    edits.wrote("/c", None, "c\n", reloaded)
    turns = edits.turns(Stretch(("gemini", "s")))
    assert [(it.author, it.paths) for it in turns] == [
        (author(2), ("/a", "/b")),
        (author(10), ("/b",)),
        (reloaded, ("/c",)),
    ]
    assert [it.author.turn for it in edits.turns(Stretch(("gemini", "other")))] == [3]
    assert edits.turns(Stretch(("nobody", "s"))) == ()


def test_a_turn_can_be_taken_back_although_it_was_kept(edits: EditLog) -> None:
    edits.wrote("/a", "one\n", "two\n", author())
    file = edits.file("/a")
    assert file is not None
    edits.put("/a", keep(file).file)
    assert edits.changes("/a") == ()
    assert [it.state for it in edits.changes("/a", "kept")] == ["kept"]
    assert len(edits.turns(Stretch(("gemini", "s")))) == 1


def last_undo(edits: EditLog, session: tuple[str, str]) -> tuple[str, tuple[str, ...]] | None:
    """Return the batch of the session's last undo, and its files."""
    batch = edits.last_undo([Stretch(session)])
    return None if batch is None else (batch, tuple(edits.undone_by(batch)))


def test_the_last_undo_of_a_session_is_returned_first(host: Host, edits: EditLog) -> None:
    def take_back(path: str, batch: str, turn: int, session: str = "s") -> None:
        file = edits.file(path)
        assert file is not None
        edits.put(path, undo(file, author(turn, session), batch, host.now()).file)

    assert last_undo(edits, ("gemini", "s")) is None
    for path in ("/a", "/b"):
        edits.wrote(path, None, "1\n", author(1))
        edits.wrote(path, "1\n", "1\n2\n", author(2))
    edits.wrote("/a", "1\n2\n", "1\n2\n3\n", author(3, "other"))
    take_back("/b", "second", 2)
    take_back("/a", "second", 2)
    assert last_undo(edits, ("gemini", "s")) == ("second", ("/a", "/b"))
    take_back("/b", "first", 1)
    assert last_undo(edits, ("gemini", "s")) == ("first", ("/b",))
    take_back("/a", "other", 3, "other")
    assert last_undo(edits, ("gemini", "s")) == ("first", ("/b",))
    assert last_undo(edits, ("gemini", "other")) == ("other", ("/a",))


async def test_another_host_takes_the_log_up(host: Host, tmp_path: Path) -> None:
    host.edits.wrote("/a", "one\n", "two\n", author())
    host.edits.wrote("/b", None, "new\n", author())
    later = Host(tmp_path)
    later.edits.wrote("/b", "new\n", "newer\n", author(2))
    await later.edits.restore()
    assert set(later.changed) == {"/a", "/b"}
    assert shapes(later.edits, "/a") == [(0, "one\n", "two\n")]
    assert shapes(later.edits, "/b") == [(0, "", "newer\n")], "it has read on before it was told"
    later.edits.saw("/a", "one\n")
    await later.edits.restore()
    assert shapes(later.edits, "/a") == [], "only the first call reads"


async def test_who_asks_while_the_books_are_read_waits_for_them(host: Host, tmp_path: Path) -> None:
    host.edits.wrote("/a", "one\n", "two\n", author())
    host.store.flush()
    later = Host(tmp_path)
    found: list[tuple[str, ...]] = []

    async def restore() -> None:
        await later.edits.restore()
        found.append(later.edits.paths())

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(restore)
        tasks.start_soon(restore)
    assert found == [("/a",), ("/a",)]


LONG = "".join(f"line {at}\n" for at in range(60_000))
MADE = LONG.replace("line 7\n", "agent\n").replace("line 20000\n", "")
SEEN = MADE.replace("line 8\n", "user\n").replace("agent\n", "agent, user\n")


@pytest.fixture
def aside(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of what was done in a thread."""
    done: list[str] = []
    of = log.aside

    async def noted(work: Any) -> Any:
        done.append(work.func.__name__)
        return await of(work)

    monkeypatch.setattr(log, "aside", noted)
    return done


@pytest.mark.anyio
async def test_of_a_large_file_all_is_found_out_in_a_thread(
    edits: EditLog, aside: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Host(tmp_path / "plain").edits
    plain.wrote("/a", LONG, MADE, author())
    plain.saw("/a", SEEN)

    await edits.foresee(DiskChanged("/a", LONG, MADE, author()))
    with monkeypatch.context() as patched:
        patched.setattr("acp_nvim.review.log.wrote", None)  # it is known already
        edits.wrote("/a", LONG, MADE, author())
    await edits.look("/a", SEEN)
    found = await edits.find("/a", ("pending",))
    assert aside == ["_written", "_seen", "changes"]
    assert found == plain.changes("/a") == await edits.find("/a", ("pending",))
    assert aside == ["_written", "_seen", "changes"]  # it was known
    assert edits.file("/a") == plain.file("/a")


@pytest.mark.anyio
async def test_what_was_foreseen_of_another_history_is_not_taken(edits: EditLog) -> None:
    await edits.foresee(DiskChanged("/a", LONG, MADE, author()))
    edits.wrote("/a", "one\n", LONG, author())
    edits.wrote("/a", LONG, MADE, author(2))
    file = edits.file("/a")
    assert file is not None
    assert (file.text, len(file.changes)) == (MADE, 2)
