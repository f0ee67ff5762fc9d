"""Files that are written through their buffers."""

from __future__ import annotations

import os

import anyio
import pytest

from acp_nvim.editor import LiveBuffer
from acp_nvim.errors import Code, RequestFailed
from acp_nvim.files.baselines.snapshot import UNKNOWN
from acp_nvim.history.author import Author
from acp_nvim.hunks import Hunk
from tests.support.files.file_rig import AGENT, FileRig


async def test_c233_an_open_file_is_edited_where_it_differs(rig: FileRig) -> None:
    path = rig.file("a\nb\nc\n")
    rig.files.open(path)
    await rig.write(path, "a\nB\nc\n")
    assert rig.files.changes == [("write", str(path), (Hunk(1, 2, ("B",)),))]
    assert path.read_text() == "a\nB\nc\n"


@pytest.mark.parametrize("content", ["a\r\nb\r\n", "x", "", "\ufeffx\n"])
async def test_c232_an_open_file_is_exact(rig: FileRig, content: str) -> None:
    path = rig.file("a\nb\n")
    rig.files.open(path)
    await rig.write(path, content)
    assert path.read_bytes() == content.encode()


async def test_c234_disjoint_edits_of_both_are_kept(rig: FileRig) -> None:
    path = rig.file("a\nb\nc\nd\n")
    rig.files.open(path)
    await rig.read(path)
    rig.files.type(path, "a", "b", "c", "mine")
    await rig.write(path, "theirs\nb\nc\nd\n")
    assert path.read_text() == "theirs\nb\nc\nmine\n"
    # The agent does not know of the user's line; its next text must not take that back.
    await rig.write(path, "theirs\nTOO\nc\nd\n")
    assert path.read_text() == "theirs\nTOO\nc\nmine\n"


async def test_unsaved_edits_that_the_agent_never_saw_are_kept(rig: FileRig) -> None:
    path = rig.file("a\nb\nc\n")
    rig.files.open(path, "a", "b", "mine")
    await rig.write(path, "A\nb\nc\n")
    assert path.read_text() == "A\nb\nmine\n"


async def test_edits_of_the_same_place_fail_and_nothing_changes(rig: FileRig) -> None:
    path = rig.file("a\nb\n")
    rig.files.open(path)
    await rig.read(path)
    rig.files.type(path, "a", "mine")
    error = await rig.failure(path, "a\ntheirs\n")
    assert error.code == Code.INTERNAL_ERROR
    assert error.message == (
        f"{path} was changed by the user since you read it, at line 2: "
        "read it again and repeat your edit"
    )
    assert (await rig.failure(path, "a\ntheirs\n")).message == error.message
    assert rig.files.changes == []
    assert path.read_text() == "a\nb\n"
    await rig.read(path)
    await rig.write(path, "a\nmine and theirs\n")
    assert path.read_text() == "a\nmine and theirs\n"


async def test_each_session_has_its_own_base(rig: FileRig) -> None:
    path = rig.file("a\n")
    rig.files.open(path)
    await rig.read(path, "one")
    rig.files.type(path, "mine")
    await rig.read(path, "two")
    await rig.write(path, "theirs\n", "two")
    with pytest.raises(RequestFailed):
        await rig.write(path, "ours\n", "one")
    rig.knowledge.close(("a", "one"))
    await rig.write(path, "ours\n", "one")
    assert path.read_text() == "ours\n"


async def test_typing_meanwhile_makes_it_begin_anew(rig: FileRig) -> None:
    path = rig.file("a\nb\nc\n")
    rig.files.open(path)
    await rig.read(path)
    rig.files.before_change = lambda: rig.files.type(path, "typed", "b", "c")
    await rig.write(path, "a\nb\nC\n")
    assert path.read_text() == "typed\nb\nC\n"


async def test_typing_without_end_makes_it_give_up(rig: FileRig) -> None:
    path = rig.file("a\nb\nc\n")
    rig.files.open(path)
    await rig.read(path)

    def type_on() -> None:
        rig.files.type(path, *rig.files.lines(path))
        rig.files.before_change = type_on

    rig.files.before_change = type_on
    assert "keeps changing" in (await rig.failure(path, "a\nb\nC\n")).message


async def test_what_is_there_already_is_not_written_again(rig: FileRig) -> None:
    path = rig.file("new\n")
    inode = path.stat().st_ino
    await rig.write(path, "new\n")
    assert path.stat().st_ino == inode


async def test_a_disk_that_the_agent_wrote_itself_is_followed(rig: FileRig) -> None:
    path = rig.file("old\n")
    rig.files.open(path)
    rig.file("new\n")
    await rig.write(path, "new\n")
    assert rig.files.changes == [("follow", str(path), (Hunk(0, 1, ("new",)),))]


async def test_an_agent_that_writes_the_disk_and_then_through_us_writes_once(rig: FileRig) -> None:
    """Into unsaved edits, too: what these were made upon is known."""
    path = rig.file("one\ntwo\nthree\n")
    rig.files.open(path)
    await rig.sync.prepare(rig.roots)
    rig.files.type(path, "mine", "two", "three")
    rig.file("one\ntwo\nTHREE\n")
    await rig.write(path, "one\ntwo\nTHREE\n")
    assert rig.files.lines(path) == ["mine", "two", "THREE"]
    assert path.read_text() == "mine\ntwo\nTHREE\n"
    assert rig.texts == [("mine\ntwo\nthree\n", "mine\ntwo\nTHREE\n")]


@pytest.mark.parametrize("is_open", [False, True])
async def test_what_another_program_wrote_is_not_written_over(
    rig: FileRig, *, is_open: bool
) -> None:
    path = rig.file("1\n2\n3\n4\n5\n")
    if is_open:
        rig.files.open(path)
    await rig.sync.prepare(rig.roots)
    if is_open:
        rig.files.type(path, "1", "2", "mine", "4", "5")
    rig.file("foreign\n2\n3\n4\n5\n")
    await rig.write(path, "1\n2\n3\n4\nagent\n")
    mine = "mine" if is_open else "3"
    assert path.read_text() == f"foreign\n2\n{mine}\n4\nagent\n"


async def test_what_the_user_and_another_program_dispute_is_for_the_user_to_settle(
    rig: FileRig,
) -> None:
    path = rig.file("1\n2\n3\n")
    rig.files.open(path)
    await rig.sync.prepare(rig.roots)
    rig.files.type(path, "mine", "2", "3")
    rig.file("foreign\n2\n3\n")
    rig.turns.clear()
    error = await rig.failure(path, "1\n2\nagent\n")
    assert "by another program, and by the user, at line 1" in error.message
    assert path.read_text() == "foreign\n2\n3\n"
    rig.files.save(path)
    assert await rig.read(path) == "mine\n2\n3\n"
    await rig.write(path, "mine\n2\nagent\n")
    assert path.read_text() == "mine\n2\nagent\n"


@pytest.mark.parametrize("running", [AGENT, None])
async def test_a_read_of_unsaved_text_has_what_was_written_to_disk(
    rig: FileRig, running: Author | None
) -> None:
    """The agent may have written it itself; if it was no turn's, it was another program."""
    rig.running[""] = running
    path = rig.file("1\n2\n3\n")
    rig.files.open(path)
    await rig.sync.prepare(rig.roots)
    rig.files.type(path, "mine", "2", "3")
    rig.file("1\n2\nagent\n")
    assert await rig.read(path) == "mine\n2\nagent\n"
    assert rig.texts == ([("mine\n2\n3\n", "mine\n2\nagent\n")] if running else [])


async def test_a_file_that_came_back_below_unsaved_edits_is_no_base_for_them(rig: FileRig) -> None:
    """The agent's command removed it, and the agent wrote it anew: first to disk, then to us."""
    path = rig.file("one\n")
    rig.files.open(path)
    rig.files.type(path, "one", "mine")
    await rig.sync.prepare(rig.roots)
    path.unlink()
    async with rig.sync.exclusive():
        await rig.sync.sync(str(path), AGENT)
    rig.file("theirs\n")
    assert "read it again" in (await rig.failure(path, "theirs\n")).message
    assert rig.files.lines(path) == ["one", "mine"]
    assert path.read_text() == "theirs\n"


async def test_what_an_agent_made_itself_it_may_replace(rig: FileRig) -> None:
    """Its command has made the file, and it knows that."""
    await rig.sync.prepare(rig.roots)
    path = rig.folder / "a"
    async with rig.sync.exclusive():
        assert (await rig.sync.sync(str(path), AGENT)).known is UNKNOWN
        assert (await rig.sync.sync(str(path), AGENT)).known is None
    rig.file("template\n")
    await rig.write(path, "filled in\n")
    assert path.read_text() == "filled in\n"
    assert rig.texts == [(None, "template\n"), ("template\n", "filled in\n")]


async def test_a_write_that_the_disk_has_already_takes_back_no_unsaved_edit_and_no_agents(
    rig: FileRig,
) -> None:
    """OpenCode writes the disk itself, and then through us."""
    path = rig.file("one\nTWO\n")
    rig.files.open(path, "mine", "two")
    await rig.write(path, "one\nTWO\n")
    assert path.read_text() == "one\nTWO\n"
    assert rig.files.lines(path) == ["mine", "two"]
    assert rig.files.changes == []


async def test_unsaved_text_that_the_agent_writes_is_saved(rig: FileRig) -> None:
    path = rig.file("old\n")
    rig.files.open(path)
    await rig.read(path)
    rig.files.type(path, "new")
    await rig.write(path, "new\n")
    assert rig.files.changes == [("write", str(path), ())]
    assert path.read_text() == "new\n"


async def test_a_new_buffer_in_a_new_folder(rig: FileRig) -> None:
    path = rig.folder / "new/x"
    rig.files.open(path)
    await rig.write(path, "text\n")
    assert path.read_text() == "text\n"


@pytest.mark.parametrize("locked", ["read-only", "not modifiable"])
async def test_a_locked_buffer_is_said(rig: FileRig, locked: str) -> None:
    path = rig.file("old\n")
    rig.files.open(path, locked=locked)
    assert locked in (await rig.failure(path, "new\n")).message
    assert path.read_text() == "old\n"


async def test_what_the_editor_cannot_save_is_an_error(rig: FileRig) -> None:
    path = rig.file("old\n")
    rig.files.open(path)
    rig.files.refuse = "E212: no"
    assert "E212" in (await rig.failure(path, "new\n")).message
    rig.files.refuse = None
    await rig.write(path, "new\n")


async def test_asks_for_one_file_are_served_in_their_order(rig: FileRig) -> None:
    path = rig.file("0\n")
    seen: list[str] = []

    async def read() -> None:
        seen.append(await rig.read(path))

    async with anyio.create_task_group() as group:
        for number in range(1, 6):
            group.start_soon(rig.write, path, f"{number}\n")
            group.start_soon(read)
    assert seen == [f"{number}\n" for number in range(1, 6)]
    assert os.listdir(rig.folder) == ["a"]


async def test_an_unsaved_buffer_is_asked_for_once_where_the_disk_has_nothing_new(
    rig: FileRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, loaded, asked = rig.file("a\nb\nc\nd\n"), rig.files.loaded, list[str]()
    rig.files.open(path)
    await rig.sync.prepare(rig.roots)
    rig.files.type(path, "mine", "b", "c", "d")

    async def noted(path: str) -> LiveBuffer | None:
        asked.append(path)
        return await loaded(path)

    monkeypatch.setattr(rig.files, "loaded", noted)
    assert await rig.read(path) == "mine\nb\nc\nd\n"
    assert asked == [str(path)]
    path.write_text("a\nb\nc\ntheirs\n")
    assert await rig.read(path) == "mine\nb\nc\ntheirs\n"
