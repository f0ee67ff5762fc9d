"""What a change was made upon: every pair of ways in which one file is written twice."""

from __future__ import annotations

import itertools
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from acp_nvim.errors import RequestFailed
from acp_nvim.files import disk
from acp_nvim.files.baselines.baselines import Baselines
from tests.support.files.file_rig import AGENT, FileRig

WAYS = ("fs", "tool", "command", "other")
USERS = ("unsaved", "saved", "none")
DELAYS = ("at once", "after a look", "after the turn")
OLD = ("1", "2", "3", "4", "5")
MINE = (*OLD[:-1], "mine")


def text(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)


FIRST = text("one", *OLD[1:])


async def change(rig: FileRig, path: Path, way: str, content: str) -> None:
    """Let somebody write the whole file, in one of the ways; the client has not looked yet."""
    if way == "fs":
        await rig.write(path, content)
        return
    path.write_text(content)
    if way == "tool":
        rig.sync.look(AGENT, rig.roots, [str(path)])
    elif way == "command":
        rig.sync.sweep(AGENT, rig.roots)


@pytest.fixture
async def rig(tmp_path: Path) -> FileRig:
    rig = FileRig(tmp_path.resolve(), baselines=Baselines(quiet=0))
    path = rig.file(text(*OLD))
    rig.files.open(path)
    await rig.begin()
    rig.running[""] = AGENT
    await rig.read(path)
    return rig


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("delay", DELAYS)
@pytest.mark.parametrize(("first", "second"), list(itertools.product(WAYS, WAYS)))
@pytest.mark.parametrize("same", [True, False], ids=["same text", "other text"])
async def test_two_writes_leave_the_users_text_and_the_last_of_the_agents(
    rig: FileRig, first: str, second: str, user: str, delay: str, *, same: bool
) -> None:
    """The agent knows the file without the user's line, and writes all of it, twice."""
    path = rig.folder / "a"
    if user != "none":
        rig.files.type(path, *MINE)
    if user == "saved":
        rig.files.save(path)
    await change(rig, path, first, FIRST)
    if delay != "at once":
        await rig.sync.drain()
    if delay == "after the turn":
        rig.running.clear()
    last = FIRST if same else text("ONE", *OLD[1:])
    if (first, second, delay, same) == ("other", "fs", "after the turn", False):
        # the same line as another program, of which the agent cannot know
        assert "at line 1" in (await rig.failure(path, last)).message
        return
    await change(rig, path, second, last)
    await rig.sync.prepare(rig.roots)
    lines = rig.files.lines(path)
    assert lines[:-1] == [last.partition("\n")[0], *OLD[1:-1]]
    is_foreign = "other" in (first, second)  # what the user has saved another program may change
    if user == "unsaved" or (user == "saved" and not is_foreign):
        assert lines[-1] == "mine"
    assert rig.conflicts == []
    assert not [it for it in rig.texts if "mine" in str(it[0]) and "mine" not in str(it[1])]
    buffer = rig.files.buffers[str(path)]
    assert buffer.modified == (path.read_text() != text(*lines))
    assert buffer.synced in ("", disk.stamp(str(path))), "Neovim would ask at :w"


async def test_a_write_after_the_user_has_taken_the_agents_change_back(rig: FileRig) -> None:
    """The same text once more is no reason to bring it back into the buffer."""
    path = rig.folder / "a"
    await rig.write(path, FIRST)
    rig.files.type(path, *OLD)  # as `u` does
    await change(rig, path, "tool", FIRST)
    await rig.sync.drain()
    assert rig.files.lines(path) == list(OLD)


async def test_what_its_own_tool_has_made_the_agent_may_take_back_through_us(rig: FileRig) -> None:
    path = rig.folder / "a"
    await rig.write(path, FIRST)
    path.write_text(text("ONE", *OLD[1:]))
    rig.sync.look(AGENT, rig.roots, [str(path)], sure=True)
    await rig.write(path, FIRST)
    assert rig.files.lines(path)[0] == "one"
    assert path.read_text() == FIRST


async def test_what_another_program_may_have_made_stays(rig: FileRig) -> None:
    """No tool call says that it was the agent, which knows only the older text."""
    path = rig.folder / "a"
    await rig.write(path, FIRST)
    path.write_text(text("one", *OLD[1:], "foreign"))
    await rig.write(path, text("ONE", *OLD[1:]))
    assert rig.files.lines(path) == ["ONE", *OLD[1:], "foreign"]


@pytest.mark.parametrize(
    ("written", "refused"),
    [(("more",), True), (("foreign", "more"), True), (("foreign", "lines", "more"), False)],
    ids=["it does not have that", "it has some of that", "it has all of that"],
)
async def test_where_another_program_may_have_put_in_lines_an_agents_do_not_take_their_place(
    rig: FileRig, written: tuple[str, ...], *, refused: bool
) -> None:
    path = rig.folder / "a"
    await rig.write(path, FIRST)
    path.write_text(text("one", *OLD[1:], "foreign", "lines"))
    with pytest.raises(RequestFailed) if refused else nullcontext():
        await rig.write(path, text("one", *OLD[1:], *written))
    left = ("foreign", "lines") if refused else written
    assert path.read_text() == text("one", *OLD[1:], *left)


async def test_a_text_that_neovim_has_read_anew_by_itself_gets_the_users_back(rig: FileRig) -> None:
    path = rig.folder / "a"
    rig.files.type(path, *MINE)
    await rig.write(path, FIRST)
    path.write_text(FIRST)
    rig.files.reload(path)  # 'autoread'
    await rig.look(path)
    assert rig.files.lines(path) == ["one", *MINE[1:]]
    assert rig.files.buffers[str(path)].modified


@pytest.mark.parametrize("way", ["tool", "command", "other"])
async def test_who_was_served_the_users_line_may_write_a_text_from_before_it(
    rig: FileRig, way: str
) -> None:
    """By a command of its own, say, or by `git checkout`: it cannot be told from a wish."""
    path = rig.folder / "a"
    rig.files.type(path, *MINE)
    await rig.read(path)
    await rig.write(path, text("one", *MINE[1:]))
    await change(rig, path, way, FIRST)
    await rig.sync.prepare(rig.roots)
    assert rig.files.lines(path) == ["one", *MINE[1:]]
    assert rig.files.buffers[str(path)].modified
    assert rig.conflicts == []


async def test_of_a_block_of_the_users_only_what_the_agent_has_written_is_its_own(
    rig: FileRig,
) -> None:
    path = rig.folder / "a"
    rig.files.type(path, "known", *OLD)
    await rig.read(path)
    path.write_text(text("known", *OLD[:-1], "FIVE"))
    rig.files.type(path, "new", "known", *OLD)
    await rig.write(path, text("known", *OLD[:-1], "FIVE"))
    assert path.read_text() == text("new", "known", *OLD[:-1], "FIVE")
    await change(rig, path, "other", text("another", "file"))
    await rig.sync.prepare(rig.roots)
    assert "new" in rig.files.lines(path)
    assert rig.files.buffers[str(path)].modified


@pytest.mark.parametrize("way", ["tool", "command"])
async def test_who_was_served_the_users_line_may_change_it(rig: FileRig, way: str) -> None:
    path = rig.folder / "a"
    rig.files.type(path, *MINE)
    await rig.read(path)
    await rig.write(path, text("one", *MINE[1:]))
    await change(rig, path, way, text("one", *OLD[1:-1], "ours"))
    await rig.sync.prepare(rig.roots)
    assert rig.files.lines(path) == ["one", *OLD[1:-1], "ours"]
    assert rig.conflicts == []


async def test_what_only_a_merge_has_saved_no_other_program_takes_out(rig: FileRig) -> None:
    path = rig.folder / "a"
    rig.files.type(path, *MINE)
    await rig.write(path, FIRST)
    path.write_text(text("one", "2", "foreign", "4", "5"))
    await rig.sync.prepare(rig.roots)
    assert rig.files.lines(path) == ["one", "2", "foreign", "4", "mine"]
    path.write_text(text("one", "2", "foreign", "4", "5", "more"))
    await rig.sync.prepare(rig.roots)
    assert rig.files.lines(path)[-1] == "mine"


async def test_what_the_user_has_saved_since_is_as_any_text(rig: FileRig) -> None:
    path = rig.folder / "a"
    rig.files.type(path, *MINE)
    await rig.write(path, FIRST)
    rig.files.type(path, "one", *MINE[1:], "more")
    rig.files.save(path)
    rig.running.clear()
    path.write_text(FIRST)
    await rig.sync.prepare(rig.roots)
    assert rig.files.lines(path) == ["one", *OLD[1:]]
    assert not rig.files.buffers[str(path)].modified


async def test_an_agent_that_reads_with_a_tool_of_its_own_may_remove_what_it_has_read(
    rig: FileRig,
) -> None:
    path = rig.folder / "a"
    await rig.write(path, FIRST)
    rig.files.type(path, "one", *MINE[1:])
    rig.files.save(path)
    rig.sync.was_read(("a", "s"), rig.roots, [str(path)])
    await rig.sync.drain()
    await rig.write(path, FIRST)
    assert rig.files.lines(path) == ["one", *OLD[1:]]


@pytest.mark.parametrize("second", ["fs", "tool", "command"])
async def test_two_agents_with_old_texts_keep_each_others_lines(rig: FileRig, second: str) -> None:
    path = rig.folder / "a"
    rig.turns["t"] = replace(AGENT, session="t")
    await rig.read(path, "t")
    rig.files.type(path, *OLD[:2], "mine", *OLD[3:])
    await rig.write(path, text(*OLD[:-1], "theirs"), "t")
    await change(rig, path, second, FIRST)
    await rig.sync.drain()
    assert rig.files.lines(path) == ["one", "2", "mine", "4", "theirs"]
    path.write_text(text(*OLD[:-1], "theirs"))  # the other one's tool writes the same, late
    rig.sync.look(rig.turns["t"], rig.roots, [str(path)])
    await rig.sync.drain()
    assert rig.files.lines(path) == ["one", "2", "mine", "4", "theirs"]
    assert rig.conflicts == []


@pytest.mark.parametrize("between", ["", None])
async def test_a_file_that_is_emptied_or_removed_and_written_anew_is_no_conflict(
    rig: FileRig, between: str | None
) -> None:
    path = rig.folder / "a"
    rig.files.type(path, *MINE)
    if between is None:
        path.unlink()
    else:
        path.write_text(between)
    await rig.look(path)
    assert rig.edits.conflict(str(path))
    path.write_text(FIRST)
    await rig.look(path)
    assert rig.files.lines(path) == ["one", *MINE[1:]]
    assert rig.edits.conflict(str(path)) is None


async def test_who_empties_a_file_as_their_turn_ends_may_write_it_anew(
    rig: FileRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, follow = rig.folder / "a", rig.files.follow

    async def follow_late(*arguments: Any, **named: Any) -> bool:
        rig.running.clear()
        return await follow(*arguments, **named)

    monkeypatch.setattr(rig.files, "follow", follow_late)
    for content in ("", text(*OLD, "more")):
        path.write_text(content)
        await rig.look(path)
    assert rig.files.lines(path) == [*OLD, "more"]
    assert rig.conflicts == []


async def test_what_was_rejected_and_is_made_again_is_new(rig: FileRig) -> None:
    path = rig.folder / "a"
    path.write_text(FIRST)
    await rig.look(path)
    assert await rig.review.reject(str(path))
    assert rig.files.lines(path) == list(OLD)
    path.write_text(FIRST)
    await rig.look(path)
    assert rig.files.lines(path) == ["one", *OLD[1:]]


@pytest.mark.parametrize("way", ["tool", "command"])
async def test_what_was_rejected_may_be_made_again_after_other_changes(
    rig: FileRig, way: str
) -> None:
    path = rig.folder / "a"
    await change(rig, path, way, FIRST)
    await rig.sync.drain()
    assert await rig.review.reject(str(path))
    rig.files.save(path)
    for lines in ((*OLD, "more"), ("one", *OLD[1:], "MORE")):
        await rig.begin()
        await change(rig, path, way, text(*lines))
        await rig.sync.drain()
        assert rig.files.lines(path) == list(lines)
        assert not rig.files.buffers[str(path)].modified


@pytest.mark.parametrize("sure", [True, False])
async def test_what_an_undo_brings_back_of_the_users_the_agent_does_not_know(
    rig: FileRig, *, sure: bool
) -> None:
    path = rig.folder / "a"
    rig.files.type(path, *OLD, "mine")
    rig.files.save(path)
    await rig.look(path, None)
    del rig.files.buffers[str(path)]
    path.write_text(FIRST)  # without having read it again
    rig.sync.look(AGENT, rig.roots, [str(path)], sure=sure)
    await rig.sync.drain()
    await rig.review.reject(str(path))
    assert path.read_text() == text(*OLD, "mine")
    await rig.write(path, text(*OLD[:3], "four", OLD[4]))
    assert path.read_text() == text(*OLD[:3], "four", OLD[4], "mine")


async def test_an_agent_that_shows_that_it_knows_an_older_text_takes_out_no_line_of_the_users(
    rig: FileRig,
) -> None:
    """Its own command has changed the file since; the user has saved one change beside another."""
    path = rig.folder / "a"
    rig.files.type(path, OLD[0], "mine", *OLD[2:], "more")
    rig.files.save(path)
    await change(rig, path, "tool", path.read_text() + "last\n")
    await rig.sync.drain()
    await change(rig, path, "tool", text(OLD[0], *OLD[2:], "last"))
    await rig.sync.drain()
    assert rig.files.lines(path) == [OLD[0], "mine", *OLD[2:], "more", "last"]
    assert [it.base for it in rig.conflicts] == [text(*OLD, "last")]


async def test_what_stood_against_the_users_text_and_is_written_anew_with_more_stands_so_again(
    rig: FileRig,
) -> None:
    """The user has saved theirs over it; the agent goes on from its own text."""
    path = rig.folder / "a"
    await change(rig, path, "tool", FIRST)
    await rig.sync.drain()
    rig.files.type(path, "one", "2", "mine", "3", "4", "5")
    rig.files.save(path)
    theirs = text("one", "three", "5")
    assert "at line 2" in (await rig.failure(path, theirs)).message
    for first in ((), ("more",)):
        await change(rig, path, "tool", text(*first, "one", "three", "5"))
        await rig.sync.drain()
        assert rig.files.lines(path) == [*first, "one", "2", "mine", "3", "4", "5"]
        rig.files.save(path)


@pytest.mark.parametrize("is_open", [True, False])
async def test_a_line_of_another_program_stays_beside_one_that_an_agent_changes(
    tmp_path: Path, *, is_open: bool
) -> None:
    rig = FileRig(tmp_path)
    rig.running[""] = replace(AGENT, how="found")
    path = rig.file(text(*OLD))
    if is_open:
        rig.files.open(path)
    await rig.read(path)
    path.write_text(text("another's", *OLD))
    error = await rig.failure(path, FIRST)
    assert "read it again" in error.message
    assert path.read_text() == text("another's", *OLD)
    await rig.read(path)
    await rig.write(path, text("another's", "one", *OLD[1:]))
    assert path.read_text() == text("another's", "one", *OLD[1:])


async def test_what_another_program_has_written_against_the_user_is_not_written_over(
    tmp_path: Path,
) -> None:
    rig = FileRig(tmp_path)
    rig.running[""] = replace(AGENT, how="found")
    path = rig.file(text(*OLD))
    rig.files.open(path)
    await rig.begin()
    await rig.read(path)
    rig.files.type(path, "mine", *OLD[1:])
    path.write_text(text("another's", *OLD[1:]))
    for content in (text(*OLD, "more"), text("mine", *OLD[1:], "more")):
        assert "at line 1" in (await rig.failure(path, content)).message
        assert path.read_text() == text("another's", *OLD[1:])
        await rig.read(path)
    rig.files.save(path)
    await rig.write(path, text("mine", *OLD[1:], "more"))
    assert path.read_text() == text("mine", *OLD[1:], "more")


async def test_what_was_rejected_below_unsaved_text_another_program_has_still(rig: FileRig) -> None:
    path = rig.folder / "a"
    rig.running[""] = replace(AGENT, how="found")
    await change(rig, path, "other", text("kept", *OLD))
    await rig.review.look(str(path))
    await rig.review.keep(str(path))
    await rig.read(path)
    await rig.write(path, text("theirs", "kept, too", *OLD))
    rig.files.type(path, "theirs", "mine", "kept, too", *OLD)
    await rig.review.reject(str(path), range(3))
    assert rig.files.lines(path) == ["kept", *OLD]
    path.write_text(text("another's", *OLD))
    rig.sync.sweep(rig.running[""], rig.roots)
    await rig.sync.drain()
    assert rig.files.lines(path) == ["kept", *OLD]
