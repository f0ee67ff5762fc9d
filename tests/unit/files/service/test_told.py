"""Who is told of what agents read and write."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from acp_nvim.errors import RequestFailed
from acp_nvim.files.event import WriteRefused
from acp_nvim.files.service import MOST_TOLD
from acp_nvim.history.conflict import Conflict
from acp_nvim.session.request import ReadFileRequest, WriteFileRequest
from tests.support.fakes.fake_ports import FakeFiles
from tests.support.files.file_rig import AGENT, FileRig


async def test_what_a_turn_writes_is_recorded_as_it_was_and_is(rig: FileRig) -> None:
    path, new = rig.file("1\n\n"), rig.folder / "new"
    await rig.write(path, "2\n\n")
    await rig.write(new, "x")
    rig.files.open(path)
    rig.files.type(path, "2", "", "caf\udce9")
    await rig.write(path, "2\n\n")
    await rig.write(path, "3\n\n")
    assert rig.deltas[0] == (str(path), "1\n\n", "2\n\n", AGENT)
    assert rig.texts[1:] == [(None, "x"), ("2\n\ncaf\udce9\n", "3\n\ncaf\udce9\n")]
    assert rig.settled == [str(path), str(new), str(path), str(path)]


async def test_what_only_the_editor_still_has_is_the_users_where_the_agent_goes_on(
    rig: FileRig,
) -> None:
    path, unread = rig.file("mine\n"), rig.folder / "unread"
    unread.write_text("mine, too\n")
    rig.files.open(path)
    rig.files.open(unread)
    path.unlink()
    unread.unlink()
    await rig.read(path)
    await rig.write(path, "mine\ntheirs\n")
    await rig.write(unread, "theirs\n")
    new = rig.folder / "new"
    rig.files.open(new)
    await rig.service.read(ReadFileRequest("s", str(new)), rig.roots, empty_for_missing=True)
    await rig.write(new, "theirs\n")
    here = [("mine\n", "mine\ntheirs\n"), (None, "theirs\n"), (None, "theirs\n")]
    assert rig.texts == here


async def test_what_is_written_while_no_turn_runs_is_nobodys(rig: FileRig) -> None:
    path = rig.file("1\n")
    rig.turns.clear()
    await rig.write(path, "2\n")
    assert path.read_text() == "2\n"
    assert rig.deltas == []


async def test_our_own_write_is_not_taken_for_a_change_of_the_disk(rig: FileRig) -> None:
    path = rig.file("1\n")
    await rig.sync.prepare(rig.roots)
    await rig.write(path, "2\n")
    async with rig.sync.exclusive():
        await rig.sync.sync(str(path), AGENT)
    assert rig.texts == [("1\n", "2\n")]


async def test_a_conflict_is_kept_for_the_user_and_told(rig: FileRig) -> None:
    path = rig.file("a\nb\nc\nd\n")
    rig.files.open(path)
    await rig.read(path)
    rig.files.type(path, "new", "a", "mine", "c", "d")
    theirs = "a\ntheirs\nc\nD\n"
    message = (await rig.failure(path, theirs)).message
    assert rig.conflicts == [
        Conflict(str(path), AGENT, "a\nb\nc\nd\n", theirs, ((2, 3),), on_disk=False)
    ]
    told = "you have also changed line 3: :Acp review"
    assert rig.refused == [("s", str(path), told)]
    assert "at line 3" in message
    assert rig.texts == []
    rig.turns.clear()
    await rig.failure(path, theirs)
    assert len(rig.conflicts) == 1


async def test_a_file_that_another_neovim_holds_is_named_and_left_alone(rig: FileRig) -> None:
    path = rig.file("1\n")
    rig.files.holders[str(path)] = "another Neovim (process 7)"
    message = (await rig.failure(path, "2\n")).message
    assert "is open in another Neovim (process 7)" in message
    assert path.read_text() == "1\n"
    assert rig.refused == [("s", str(path), f"it{message.removeprefix(str(path))}")]


async def test_every_refusal_reaches_the_user(rig: FileRig) -> None:
    (rig.folder / "file").write_text("")
    for path in (Path("/etc/x"), rig.folder, rig.folder / "file/x", Path("relative")):
        await rig.failure(path, "x")
    assert [path for _, path, _ in rig.refused] == [
        "/etc/x",
        str(rig.folder),
        f"{rig.folder}/file/x",
        "relative",
    ]


async def test_a_binary_file_is_not_written_over(rig: FileRig) -> None:
    path = rig.file(b"\x7fELF\0")
    assert "binary" in (await rig.failure(path, "text")).message
    assert path.read_bytes() == b"\x7fELF\0"


class Opening(FakeFiles):
    """An editor in which the user opens a file, and types, while it is being written beside it."""

    def __init__(self, path: Path, *typed: str) -> None:
        super().__init__()
        self._path, self._typed = path, typed

    async def holder(self, path: str) -> str | None:
        self.open(self._path)
        if self._typed:
            self.type(self._path, *self._typed)
        return None


async def test_a_file_that_is_opened_while_it_is_written_gets_the_agents_text(
    tmp_path: Path,
) -> None:
    path = tmp_path.resolve() / "a"
    path.write_text("1\n2\n3\n")
    rig = FileRig(path.parent, files=Opening(path, "1", "2", "mine"))
    await rig.read(path)
    await rig.write(path, "one\n2\n3\n")
    assert path.read_text() == "one\n2\n3\n"
    assert rig.files.lines(path) == ["one", "2", "mine"]
    assert rig.files.buffers[str(path)].modified
    assert rig.texts == [("1\n2\nmine\n", "one\n2\nmine\n")]
    assert rig.conflicts == []


async def test_where_the_user_is_against_it_meanwhile_it_is_a_conflict(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a"
    path.write_text("1\n2\n")
    rig = FileRig(path.parent, files=Opening(path, "mine", "2"))
    await rig.write(path, "one\n2\n")
    assert rig.files.lines(path) == ["mine", "2"]
    [conflict] = rig.conflicts
    assert (conflict.theirs, conflict.places, conflict.on_disk) == ("one\n2\n", ((0, 1),), True)
    assert rig.settled == []


async def test_one_that_is_opened_and_left_as_it_was_follows(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a"
    path.write_text("1\n")
    rig = FileRig(path.parent, files=Opening(path))
    await rig.write(path, "one\n")
    assert rig.files.lines(path) == ["one"]
    assert rig.texts == [("1\n", "one\n")]


async def test_of_two_sessions_side_by_side_few_refused_writes_are_messages(rig: FileRig) -> None:
    rig.turns["s2"] = replace(AGENT, session="s2")
    for number in range(30):
        for session in ("s", "s2"):
            with pytest.raises(RequestFailed):
                request = WriteFileRequest(session, f"/etc/no/{number}", "x")
                await rig.service.write(request, rig.roots)
    refused = [it for it in rig.events if isinstance(it, WriteRefused)]
    assert sum(not it.known for it in refused) == 2 * MOST_TOLD
