from __future__ import annotations

import os
from pathlib import Path

import anyio
import pytest

from acp_nvim.errors import AskFailed, Code
from acp_nvim.hunks import Hunk
from acp_nvim.ledger.deed import Author
from acp_nvim.services.files import FileService
from acp_nvim.services.recorder import Clash
from acp_nvim.services.roots import Roots
from acp_nvim.services.watch import DiskWatch
from acp_nvim.session.ask import ReadFileAsk, WriteFileAsk
from tests.support.fake_ports import FakeFiles
from tests.support.fake_recorder import FakeRecorder

AGENT = Author("a", "s", 1, 0.0)


class Desk:
    """A folder, an editor and the service between them, with short ways to ask."""

    def __init__(self, folder: Path, files: FakeFiles | None = None) -> None:
        self.folder = folder
        self.files = files or FakeFiles()
        self.told: list[tuple[str, str, str]] = []
        self.refused: list[tuple[str, str, str]] = []
        self.recorder = FakeRecorder()
        self.turns: dict[str, Author] = {"s": AGENT}
        self.watch = DiskWatch(self.files, self.fault, recorder=self.recorder)
        self.service = FileService(
            self.files,
            on_refused=lambda *told: self.refused.append(told),
            author=self.turns.get,
            recorder=self.recorder,
            watch=self.watch,
            on_read=lambda session, path: self.told.append(("read", session, path)),
            on_written=lambda session, path: self.told.append(("written", session, path)),
        )
        self.roots = Roots(str(folder))

    def fault(self, error: BaseException) -> None:
        raise error

    def deeds(self) -> list[tuple[str | None, str | None]]:
        """Return the texts of what was recorded as the agent's."""
        return [(before, after) for _, before, after, _ in self.recorder.deeds]

    def file(self, text: str | bytes, name: str = "a") -> Path:
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    async def read(self, path: Path, session: str = "s", **window: int) -> str:
        return (
            await self.service.read(ReadFileAsk(session, str(path), **window), self.roots)
        ).content

    async def write(self, path: Path, content: str, session: str = "s") -> None:
        await self.service.write(WriteFileAsk(session, str(path), content), self.roots)

    async def failure(self, path: Path, content: str | None = None) -> AskFailed:
        with pytest.raises(AskFailed) as caught:
            await (self.read(path) if content is None else self.write(path, content))
        return caught.value


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path.resolve())


# --- reading


async def test_c225_a_modified_buffer_is_what_is_read(desk: Desk) -> None:
    path = desk.file("disk\n")
    desk.files.open(path, "unsaved", "text")
    assert await desk.read(path) == "unsaved\ntext\n"
    assert await desk.read(path, line=2, limit=1) == "text\n"
    assert desk.told == [("read", "s", str(path))] * 2


async def test_c226_an_unmodified_buffer_does_not_hide_the_disk(desk: Desk) -> None:
    path = desk.file("old\n")
    desk.files.open(path)
    desk.file("new\n")
    assert await desk.read(path) == "new\n"


async def test_text_is_exact_also_from_disk(desk: Desk) -> None:
    path = desk.file(b"\xef\xbb\xbfa\r\nb")
    assert await desk.read(path) == "\ufeffa\r\nb"
    desk.files.open(path, "a", "b", fileformat="dos", bom=True, endofline=False)
    assert await desk.read(path) == "\ufeffa\r\nb"


async def test_a_buffer_of_another_encoding(desk: Desk) -> None:
    path = desk.file("\ufeffé\n".encode("utf-16-le"))
    desk.files.open(path, "é", encoding="utf-16le", bom=True, modified=False)
    assert await desk.read(path) == "\ufeffé\n"


async def test_bytes_that_are_no_text_reach_the_agent_as_a_sign(desk: Desk) -> None:
    path = desk.file(b"caf\xe9\nx\n")
    desk.files.open(path, "caf\udce9", "x", modified=False)
    assert await desk.read(path) == "caf\ufffd\nx\n"
    await desk.write(path, "caf\ufffd\ny\n")
    assert desk.files.changes[0][2] == (Hunk(1, 2, ("y",)),)
    assert path.read_bytes() == b"caf\xe9\ny\n"


async def test_c229_what_is_not_there_or_no_text(desk: Desk) -> None:
    missing = await desk.failure(desk.folder / "no")
    assert missing.code == Code.RESOURCE_NOT_FOUND
    assert missing.data == {"uri": (desk.folder / "no").as_uri()}
    assert "directory" in (await desk.failure(desk.folder)).message
    assert (await desk.failure(Path("a"))).code == Code.INVALID_PARAMS
    assert "binary" in (await desk.failure(desk.file(b"\0"))).message
    assert desk.told == []


async def test_missing_may_be_empty_for_some_agents(desk: Desk) -> None:
    ask = ReadFileAsk("s", f"{desk.folder}/no")
    answer = await desk.service.read(ask, desk.roots, empty_for_missing=True)
    assert answer.content == ""


async def test_a_buffer_whose_file_is_gone_is_still_text_a_new_one_is_not(desk: Desk) -> None:
    path = desk.file("kept\n")
    desk.files.open(path)
    path.unlink()
    assert await desk.read(path) == "kept\n"
    desk.files.open(desk.folder / "new")
    assert (await desk.failure(desk.folder / "new")).code == Code.RESOURCE_NOT_FOUND


async def test_a_binary_buffer_is_refused(desk: Desk) -> None:
    path = desk.file("x")
    desk.files.open(path, "a\0b")
    assert "binary" in (await desk.failure(path)).message


# --- writing files that are not open


@pytest.mark.parametrize("content", ["x", "", "a\r\nb\r\n", "\ufeffé\n", "a\n\n"])
async def test_c230_c232_new_files_are_exact(desk: Desk, content: str) -> None:
    path = desk.folder / "new/folder/x"
    await desk.write(path, content)
    assert path.read_bytes() == content.encode()
    assert await desk.read(path) == content
    assert desk.told[0] == ("written", "s", str(path))


async def test_a_file_of_another_encoding_keeps_it(desk: Desk) -> None:
    path = desk.file(b"caf\xe9\n")
    await desk.write(path, "caf\xe9!\n")
    assert path.read_bytes() == b"caf\xe9!\n"
    await desk.write(path, "5 €\n")
    assert path.read_bytes() == "5 €\n".encode()


async def test_a_symlink_stays_one(desk: Desk) -> None:
    path = desk.file("old")
    link = desk.folder / "link"
    link.symlink_to(path)
    await desk.write(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"


async def test_c236_what_must_not_be_written_fails_and_stays(desk: Desk) -> None:
    path = desk.file("old")
    path.chmod(0o444)
    assert "read-only" in (await desk.failure(path, "new")).message
    assert path.read_text() == "old"
    assert "directory" in (await desk.failure(desk.folder, "new")).message
    assert (await desk.failure(Path("/etc/x"), "new")).code == Code.INVALID_PARAMS
    assert desk.told == []


async def test_what_changed_on_disk_since_it_was_read_is_kept(desk: Desk) -> None:
    path = desk.file("a\nb\nc\n")
    await desk.read(path)
    desk.file("A\nb\nc\n")
    await desk.write(path, "a\nb\nC\n")
    assert path.read_text() == "A\nb\nC\n"
    desk.file("mine\nb\nC\n")
    error = await desk.failure(path, "theirs\nb\nC\n")
    assert "read it again" in error.message
    assert path.read_text() == "mine\nb\nC\n"


async def test_a_write_without_a_read_replaces_the_file(desk: Desk) -> None:
    path = desk.file("whatever\n")
    await desk.write(path, "new\n")
    assert path.read_text() == "new\n"


# --- writing through buffers


async def test_c233_an_open_file_is_edited_where_it_differs(desk: Desk) -> None:
    path = desk.file("a\nb\nc\n")
    desk.files.open(path)
    await desk.write(path, "a\nB\nc\n")
    assert desk.files.changes == [("write", str(path), (Hunk(1, 2, ("B",)),))]
    assert path.read_text() == "a\nB\nc\n"


@pytest.mark.parametrize("content", ["a\r\nb\r\n", "x", "", "\ufeffx\n"])
async def test_c232_an_open_file_is_exact(desk: Desk, content: str) -> None:
    path = desk.file("a\nb\n")
    desk.files.open(path)
    await desk.write(path, content)
    assert path.read_bytes() == content.encode()


async def test_c234_disjoint_edits_of_both_are_kept(desk: Desk) -> None:
    path = desk.file("a\nb\nc\nd\n")
    desk.files.open(path)
    await desk.read(path)
    desk.files.type(path, "a", "b", "c", "mine")
    await desk.write(path, "theirs\nb\nc\nd\n")
    assert path.read_text() == "theirs\nb\nc\nmine\n"
    # The agent does not know of the user's line; its next text must not take that back.
    await desk.write(path, "theirs\nTOO\nc\nd\n")
    assert path.read_text() == "theirs\nTOO\nc\nmine\n"


async def test_unsaved_edits_that_the_agent_never_saw_are_kept(desk: Desk) -> None:
    path = desk.file("a\nb\nc\n")
    desk.files.open(path, "a", "b", "mine")
    await desk.write(path, "A\nb\nc\n")
    assert path.read_text() == "A\nb\nmine\n"


async def test_edits_of_the_same_place_fail_and_nothing_changes(desk: Desk) -> None:
    path = desk.file("a\nb\n")
    desk.files.open(path)
    await desk.read(path)
    desk.files.type(path, "a", "mine")
    error = await desk.failure(path, "a\ntheirs\n")
    assert error.code == Code.INTERNAL_ERROR
    assert error.message == (
        f"{path} was changed by the user since you read it, at line 2: "
        "read it again and repeat your edit"
    )
    assert (await desk.failure(path, "a\ntheirs\n")).message == error.message
    assert desk.files.changes == []
    assert path.read_text() == "a\nb\n"
    await desk.read(path)
    await desk.write(path, "a\nmine and theirs\n")
    assert path.read_text() == "a\nmine and theirs\n"


async def test_each_session_has_its_own_base(desk: Desk) -> None:
    path = desk.file("a\n")
    desk.files.open(path)
    await desk.read(path, "one")
    desk.files.type(path, "mine")
    await desk.read(path, "two")
    await desk.write(path, "theirs\n", "two")
    with pytest.raises(AskFailed):
        await desk.write(path, "ours\n", "one")
    desk.service.forget("one")
    await desk.write(path, "ours\n", "one")
    assert path.read_text() == "ours\n"


async def test_typing_meanwhile_makes_it_begin_anew(desk: Desk) -> None:
    path = desk.file("a\nb\nc\n")
    desk.files.open(path)
    await desk.read(path)
    desk.files.before_change = lambda: desk.files.type(path, "typed", "b", "c")
    await desk.write(path, "a\nb\nC\n")
    assert path.read_text() == "typed\nb\nC\n"


async def test_typing_without_end_makes_it_give_up(desk: Desk) -> None:
    path = desk.file("a\nb\nc\n")
    desk.files.open(path)
    await desk.read(path)

    def type_on() -> None:
        desk.files.type(path, *desk.files.lines(path))
        desk.files.before_change = type_on

    desk.files.before_change = type_on
    assert "keeps changing" in (await desk.failure(path, "a\nb\nC\n")).message


async def test_what_is_there_already_is_not_written_again(desk: Desk) -> None:
    path = desk.file("new\n")
    inode = path.stat().st_ino
    await desk.write(path, "new\n")
    assert path.stat().st_ino == inode


async def test_a_disk_that_the_agent_wrote_itself_is_followed(desk: Desk) -> None:
    path = desk.file("old\n")
    desk.files.open(path)
    desk.file("new\n")
    await desk.write(path, "new\n")
    assert desk.files.changes == [("follow", str(path), (Hunk(0, 1, ("new",)),))]


async def test_an_agent_that_writes_the_disk_and_then_through_us_writes_once(desk: Desk) -> None:
    """Into unsaved edits, too: what these were made upon is known."""
    path = desk.file("one\ntwo\nthree\n")
    desk.files.open(path)
    await desk.watch.prepare(desk.roots)
    desk.files.type(path, "mine", "two", "three")
    desk.file("one\ntwo\nTHREE\n")
    await desk.write(path, "one\ntwo\nTHREE\n")
    assert desk.files.lines(path) == ["mine", "two", "THREE"]
    assert path.read_text() == "mine\ntwo\nTHREE\n"
    assert desk.deeds() == [("mine\ntwo\nthree\n", "mine\ntwo\nTHREE\n")]


@pytest.mark.parametrize("is_open", [False, True])
async def test_what_another_program_wrote_is_not_written_over(desk: Desk, *, is_open: bool) -> None:
    path = desk.file("1\n2\n3\n4\n5\n")
    if is_open:
        desk.files.open(path)
    await desk.watch.prepare(desk.roots)
    if is_open:
        desk.files.type(path, "1", "2", "mine", "4", "5")
    desk.file("foreign\n2\n3\n4\n5\n")
    await desk.write(path, "1\n2\n3\n4\nagent\n")
    mine = "mine" if is_open else "3"
    assert path.read_text() == f"foreign\n2\n{mine}\n4\nagent\n"


async def test_what_the_user_and_another_program_dispute_is_for_the_user_to_settle(
    desk: Desk,
) -> None:
    path = desk.file("1\n2\n3\n")
    desk.files.open(path)
    await desk.watch.prepare(desk.roots)
    desk.files.type(path, "mine", "2", "3")
    desk.file("foreign\n2\n3\n")
    desk.turns.clear()
    error = await desk.failure(path, "1\n2\nagent\n")
    assert "by another program, and by the user, at line 1" in error.message
    assert path.read_text() == "foreign\n2\n3\n"
    desk.files.save(path)
    assert await desk.read(path) == "mine\n2\n3\n"
    await desk.write(path, "mine\n2\nagent\n")
    assert path.read_text() == "mine\n2\nagent\n"


async def test_a_read_of_unsaved_text_has_what_the_agent_wrote_to_disk(desk: Desk) -> None:
    path = desk.file("1\n2\n3\n")
    desk.files.open(path)
    await desk.watch.prepare(desk.roots)
    desk.files.type(path, "mine", "2", "3")
    desk.file("1\n2\nagent\n")
    assert await desk.read(path) == "mine\n2\nagent\n"
    assert desk.deeds() == [("mine\n2\n3\n", "mine\n2\nagent\n")]


async def test_a_file_that_came_back_below_unsaved_edits_is_no_base_for_them(desk: Desk) -> None:
    """The agent's command removed it, and the agent wrote it anew: first to disk, then to us."""
    path = desk.file("one\n")
    desk.files.open(path)
    desk.files.type(path, "one", "mine")
    await desk.watch.prepare(desk.roots)
    path.unlink()
    async with desk.watch.still():
        await desk.watch.settle(str(path), AGENT)
    desk.file("theirs\n")
    assert "read it again" in (await desk.failure(path, "theirs\n")).message
    assert desk.files.lines(path) == ["one", "mine"]
    assert path.read_text() == "theirs\n"


async def test_what_an_agent_made_itself_it_may_replace(desk: Desk) -> None:
    """Its command has made the file, and it knows that."""
    await desk.watch.prepare(desk.roots)
    path = desk.folder / "a"
    async with desk.watch.still():
        assert await desk.watch.seen(str(path)) is not None
        await desk.watch.settle(str(path), AGENT)
        assert await desk.watch.seen(str(path)) is None
    desk.file("template\n")
    await desk.write(path, "filled in\n")
    assert path.read_text() == "filled in\n"
    assert desk.deeds() == [(None, "template\n"), ("template\n", "filled in\n")]


async def test_a_write_that_the_disk_has_already_takes_back_no_unsaved_edit_and_no_agents(
    desk: Desk,
) -> None:
    """OpenCode writes the disk itself, and then through us."""
    path = desk.file("one\nTWO\n")
    desk.files.open(path, "mine", "two")
    await desk.write(path, "one\nTWO\n")
    assert path.read_text() == "one\nTWO\n"
    assert desk.files.lines(path) == ["mine", "two"]
    assert desk.files.changes == []


async def test_unsaved_text_that_the_agent_writes_is_saved(desk: Desk) -> None:
    path = desk.file("old\n")
    desk.files.open(path)
    await desk.read(path)
    desk.files.type(path, "new")
    await desk.write(path, "new\n")
    assert desk.files.changes == [("write", str(path), ())]
    assert path.read_text() == "new\n"


async def test_a_new_buffer_in_a_new_folder(desk: Desk) -> None:
    path = desk.folder / "new/x"
    desk.files.open(path)
    await desk.write(path, "text\n")
    assert path.read_text() == "text\n"


@pytest.mark.parametrize(
    ("lock", "words"), [({"readonly": True}, "read-only"), ({"modifiable": False}, "modifiable")]
)
async def test_a_locked_buffer_is_said(desk: Desk, lock: dict[str, bool], words: str) -> None:
    path = desk.file("old\n")
    desk.files.open(path, **lock)
    assert words in (await desk.failure(path, "new\n")).message
    assert path.read_text() == "old\n"


async def test_what_the_editor_cannot_save_is_an_error(desk: Desk) -> None:
    path = desk.file("old\n")
    desk.files.open(path)
    desk.files.refuse = "E212: no"
    assert "E212" in (await desk.failure(path, "new\n")).message
    desk.files.refuse = None
    await desk.write(path, "new\n")


async def test_asks_for_one_file_are_served_in_their_order(desk: Desk) -> None:
    path = desk.file("0\n")
    seen: list[str] = []

    async def read() -> None:
        seen.append(await desk.read(path))

    async with anyio.create_task_group() as group:
        for number in range(1, 6):
            group.start_soon(desk.write, path, f"{number}\n")
            group.start_soon(read)
    assert seen == [f"{number}\n" for number in range(1, 6)]
    assert os.listdir(desk.folder) == ["a"]


# --- who is told


async def test_what_a_turn_writes_is_recorded_as_it_was_and_is(desk: Desk) -> None:
    path, new = desk.file("1\n\n"), desk.folder / "new"
    await desk.write(path, "2\n\n")
    await desk.write(new, "x")
    desk.files.open(path)
    desk.files.type(path, "2", "", "caf\udce9")
    await desk.write(path, "2\n\n")
    await desk.write(path, "3\n\n")
    assert desk.recorder.deeds[0] == (str(path), "1\n\n", "2\n\n", AGENT)
    assert desk.deeds()[1:] == [(None, "x"), ("2\n\ncaf\udce9\n", "3\n\ncaf\udce9\n")]
    assert desk.recorder.over == [str(path), str(new), str(path), str(path)]


async def test_what_is_written_while_no_turn_runs_is_nobodys(desk: Desk) -> None:
    path = desk.file("1\n")
    desk.turns.clear()
    await desk.write(path, "2\n")
    assert path.read_text() == "2\n"
    assert desk.recorder.deeds == []


async def test_our_own_write_is_not_taken_for_a_change_of_the_disk(desk: Desk) -> None:
    path = desk.file("1\n")
    await desk.watch.prepare(desk.roots)
    await desk.write(path, "2\n")
    async with desk.watch.still():
        await desk.watch.settle(str(path), AGENT)
    assert desk.deeds() == [("1\n", "2\n")]


async def test_a_conflict_is_kept_for_the_user_and_told(desk: Desk) -> None:
    path = desk.file("a\nb\nc\nd\n")
    desk.files.open(path)
    await desk.read(path)
    desk.files.type(path, "new", "a", "mine", "c", "d")
    theirs = "a\ntheirs\nc\nD\n"
    message = (await desk.failure(path, theirs)).message
    assert desk.recorder.clashes == [
        Clash(str(path), AGENT, "a\nb\nc\nd\n", theirs, ((2, 3),), on_disk=False)
    ]
    told = "you have changed line 3, too: your text stays, and the agent was told so"
    assert desk.refused == [("s", str(path), told)]
    assert "at line 3" in message
    assert desk.deeds() == []
    desk.turns.clear()
    await desk.failure(path, theirs)
    assert len(desk.recorder.clashes) == 1


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
    assert desk.deeds() == [("1\n2\nmine\n", "one\n2\nmine\n")]
    assert desk.recorder.clashes == []


async def test_where_the_user_is_against_it_meanwhile_it_is_a_conflict(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a"
    path.write_text("1\n2\n")
    desk = Desk(path.parent, Opening(path, "mine", "2"))
    await desk.write(path, "one\n2\n")
    assert desk.files.lines(path) == ["mine", "2"]
    [clash] = desk.recorder.clashes
    assert (clash.theirs, clash.places, clash.on_disk) == ("one\n2\n", ((0, 1),), True)
    assert desk.recorder.over == []


async def test_one_that_is_opened_and_left_as_it_was_follows(tmp_path: Path) -> None:
    path = tmp_path.resolve() / "a"
    path.write_text("1\n")
    desk = Desk(path.parent, Opening(path))
    await desk.write(path, "one\n")
    assert desk.files.lines(path) == ["one"]
    assert desk.deeds() == [("1\n", "one\n")]
