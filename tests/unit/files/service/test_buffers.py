"""Files that are written through their buffers."""

from __future__ import annotations

import os

import anyio
import pytest

from acp_nvim.errors import Code, RequestFailed
from acp_nvim.hunks import Hunk
from acp_nvim.ledger.delta import Author
from tests.support.file_desk import AGENT, Desk


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
    with pytest.raises(RequestFailed):
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
    assert desk.deltas() == [("mine\ntwo\nthree\n", "mine\ntwo\nTHREE\n")]


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


@pytest.mark.parametrize("running", [AGENT, None])
async def test_a_read_of_unsaved_text_has_what_was_written_to_disk(
    desk: Desk, running: Author | None
) -> None:
    """The agent may have written it itself; if it was no turn's, it was another program."""
    desk.running = running
    path = desk.file("1\n2\n3\n")
    desk.files.open(path)
    await desk.watch.prepare(desk.roots)
    desk.files.type(path, "mine", "2", "3")
    desk.file("1\n2\nagent\n")
    assert await desk.read(path) == "mine\n2\nagent\n"
    assert desk.deltas() == ([("mine\n2\n3\n", "mine\n2\nagent\n")] if running else [])


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
    assert desk.deltas() == [(None, "template\n"), ("template\n", "filled in\n")]


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
