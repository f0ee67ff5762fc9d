"""Who is told of what agents read and write."""

from __future__ import annotations

from pathlib import Path

from acp_nvim.ledger.conflict import Conflict
from tests.support.fake_ports import FakeFiles
from tests.support.file_desk import AGENT, Desk


async def test_what_a_turn_writes_is_recorded_as_it_was_and_is(desk: Desk) -> None:
    path, new = desk.file("1\n\n"), desk.folder / "new"
    await desk.write(path, "2\n\n")
    await desk.write(new, "x")
    desk.files.open(path)
    desk.files.type(path, "2", "", "caf\udce9")
    await desk.write(path, "2\n\n")
    await desk.write(path, "3\n\n")
    assert desk.recorder.deltas[0] == (str(path), "1\n\n", "2\n\n", AGENT)
    assert desk.deltas()[1:] == [(None, "x"), ("2\n\ncaf\udce9\n", "3\n\ncaf\udce9\n")]
    assert desk.recorder.over == [str(path), str(new), str(path), str(path)]


async def test_what_is_written_while_no_turn_runs_is_nobodys(desk: Desk) -> None:
    path = desk.file("1\n")
    desk.turns.clear()
    await desk.write(path, "2\n")
    assert path.read_text() == "2\n"
    assert desk.recorder.deltas == []


async def test_our_own_write_is_not_taken_for_a_change_of_the_disk(desk: Desk) -> None:
    path = desk.file("1\n")
    await desk.watch.prepare(desk.roots)
    await desk.write(path, "2\n")
    async with desk.watch.still():
        await desk.watch.settle(str(path), AGENT)
    assert desk.deltas() == [("1\n", "2\n")]


async def test_a_conflict_is_kept_for_the_user_and_told(desk: Desk) -> None:
    path = desk.file("a\nb\nc\nd\n")
    desk.files.open(path)
    await desk.read(path)
    desk.files.type(path, "new", "a", "mine", "c", "d")
    theirs = "a\ntheirs\nc\nD\n"
    message = (await desk.failure(path, theirs)).message
    assert desk.recorder.conflicts == [
        Conflict(str(path), AGENT, "a\nb\nc\nd\n", theirs, ((2, 3),), on_disk=False)
    ]
    told = "you have changed line 3, too: your text stays, and the agent was told so"
    assert desk.refused == [("s", str(path), told)]
    assert "at line 3" in message
    assert desk.deltas() == []
    desk.turns.clear()
    await desk.failure(path, theirs)
    assert len(desk.recorder.conflicts) == 1


async def test_a_file_that_another_neovim_holds_is_named_and_left_alone(desk: Desk) -> None:
    path = desk.file("1\n")
    desk.files.holders[str(path)] = "another Neovim (process 7)"
    message = (await desk.failure(path, "2\n")).message
    assert "is open in another Neovim (process 7)" in message
    assert path.read_text() == "1\n"
    assert desk.refused == [("s", str(path), message)]


async def test_every_refusal_reaches_the_user(desk: Desk) -> None:
    (desk.folder / "file").write_text("")
    for path in (Path("/etc/x"), desk.folder, desk.folder / "file/x", Path("relative")):
        await desk.failure(path, "x")
    assert [path for _, path, _ in desk.refused] == [
        "/etc/x",
        str(desk.folder),
        f"{desk.folder}/file/x",
        "relative",
    ]


async def test_a_binary_file_is_not_written_over(desk: Desk) -> None:
    path = desk.file(b"\x7fELF\0")
    assert "binary" in (await desk.failure(path, "text")).message
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
    desk = Desk(path.parent, Opening(path, "1", "2", "mine"))
    await desk.read(path)
    await desk.write(path, "one\n2\n3\n")
    assert path.read_text() == "one\n2\n3\n"
    assert desk.files.lines(path) == ["one", "2", "mine"]
    assert desk.files.buffers[str(path)].modified
    assert desk.deltas() == [("1\n2\nmine\n", "one\n2\nmine\n")]
    assert desk.recorder.conflicts == []


async def test_where_the_user_is_against_it_meanwhile_it_is_a_conflict(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a"
    path.write_text("1\n2\n")
    desk = Desk(path.parent, Opening(path, "mine", "2"))
    await desk.write(path, "one\n2\n")
    assert desk.files.lines(path) == ["mine", "2"]
    [conflict] = desk.recorder.conflicts
    assert (conflict.theirs, conflict.places, conflict.on_disk) == ("one\n2\n", ((0, 1),), True)
    assert desk.recorder.over == []


async def test_one_that_is_opened_and_left_as_it_was_follows(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a"
    path.write_text("1\n")
    desk = Desk(path.parent, Opening(path))
    await desk.write(path, "one\n")
    assert desk.files.lines(path) == ["one"]
    assert desk.deltas() == [("1\n", "one\n")]
