"""What an agent was answered with success is in the file: the contract of a write."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.errors import RequestFailed
from acp_nvim.history.author import SessionKey
from tests.support.files.file_rig import FileRig, author

KEY = ("a", "s")
OLD = "one\ntwo\nthree\nfour\nfive\n"
NEW = OLD.replace("three", "THREE")
MORE = NEW.replace("five", "FIVE")


async def tell(rig: FileRig, key: SessionKey = KEY) -> None:
    """Let a prompt tell the agent of what the user has done."""
    rig.lessons.sent(key, await rig.lessons.draft(key, rig.roots))
    rig.lessons.arrived(key)


async def next_turn(rig: FileRig, session: str = "s") -> None:
    """Let the agent go on with another prompt."""
    number = rig.turns[session].turn + 1
    rig.turns[session] = author(number, session, "a")
    await rig.begin()
    await tell(rig, ("a", session))


def held(rig: FileRig, path: Path) -> str | None:
    """Return what the user has."""
    buffer = rig.files.buffers.get(str(path))
    if buffer is None:
        return path.read_text() if path.exists() else None
    return "" if buffer.empty else "".join(f"{it}\n" for it in buffer.lines)


async def undone(rig: FileRig, path: Path, *turns: str) -> None:
    """Let the agent write these texts, a turn each, and the user take them all back."""
    was = held(rig, path)
    for text in turns:
        await rig.write(path, text)
        await next_turn(rig)
    for turn in reversed(range(1, len(turns) + 1)):
        await rig.undo(turn, agent="a")
    assert (held(rig, path) or None) == (was or None)


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("first", [NEW, "all is new\n", ""])
@pytest.mark.parametrize("more", ["", "more\n"])
async def test_what_was_undone_and_told_is_written_again(
    rig: FileRig, is_open: bool, first: str, more: str
) -> None:
    path = rig.file(OLD)
    if is_open:
        rig.files.open(path)
    await rig.read(path)
    await undone(rig, path, first)
    await next_turn(rig)
    await rig.write(path, first + more)
    assert held(rig, path) == path.read_text() == first + more


async def test_it_is_so_beside_what_the_user_has_not_saved(rig: FileRig) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    rig.files.type(path, "zero", *OLD.splitlines())
    await undone(rig, path, NEW)
    await next_turn(rig)
    await rig.write(path, MORE)
    assert held(rig, path) == "zero\n" + MORE


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("first", [NEW, ""])
async def test_a_file_that_the_agent_had_made_is_made_again(
    rig: FileRig, is_open: bool, first: str
) -> None:
    path = rig.folder / "new"
    if is_open:
        rig.files.open(path)
    await undone(rig, path, first)
    assert not path.exists()
    await next_turn(rig)
    await rig.write(path, first)
    assert (held(rig, path) or "") == path.read_text() == first


@pytest.mark.parametrize("is_told", [True, False])
@pytest.mark.parametrize("old", [None, "", OLD])
async def test_what_the_user_has_undone_of_a_file_never_read_is_written_again_or_refused(
    rig: FileRig, old: str | None, is_told: bool
) -> None:
    path = rig.folder / "new" if old is None else rig.file(old)
    rig.files.open(path)
    await rig.write(path, NEW)
    rig.files.type(path, *(old or "").splitlines())
    if is_told:
        await next_turn(rig)
        await rig.write(path, MORE)
        assert held(rig, path) == path.read_text() == MORE
        return
    with pytest.raises(RequestFailed, match="by the user"):
        await rig.write(path, MORE)


async def test_several_turns_that_were_undone_are_written_again(rig: FileRig) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await undone(rig, path, NEW, MORE)
    await next_turn(rig)
    await rig.write(path, MORE)
    assert held(rig, path) == MORE


@pytest.mark.parametrize("rows", [None, range(2, 3)])
async def test_what_was_rejected_and_told_is_written_again(
    rig: FileRig, rows: range | None
) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await rig.write(path, MORE)
    await rig.review.reject(str(path), rows)
    await next_turn(rig)
    await rig.write(path, MORE)
    assert held(rig, path) == MORE


async def test_what_came_back_is_changed_from_there(rig: FileRig) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await undone(rig, path, NEW)
    await next_turn(rig)
    await rig.redo(agent="a")
    await next_turn(rig)
    await rig.write(path, OLD)
    assert held(rig, path) == OLD


@pytest.mark.parametrize("is_open", [False, True])
async def test_its_own_tool_makes_again_what_was_undone(rig: FileRig, is_open: bool) -> None:
    path = rig.file(OLD)
    if is_open:
        rig.files.open(path)
    for turn in (1, 2):
        await rig.agent(path, NEW, rig.turns["s"])
        if turn == 1:
            await rig.undo(1, agent="a")
            assert held(rig, path) == OLD
            await next_turn(rig)
    assert held(rig, path) == path.read_text() == NEW
    await rig.undo(2, agent="a")
    await next_turn(rig)
    await rig.write(path, NEW)
    assert held(rig, path) == path.read_text() == NEW


async def test_another_agent_that_was_told_writes_again_what_was_undone(rig: FileRig) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    rig.turns["t"] = author(1, "t", "a")
    await rig.write(path, NEW)
    assert await rig.read(path, "t") == NEW
    await rig.undo(1, agent="a")
    await next_turn(rig, "t")
    await rig.write(path, NEW, "t")
    assert held(rig, path) == NEW


@pytest.mark.parametrize("again", [NEW, MORE])
async def test_an_agent_that_begins_anew_writes_again_what_was_undone(
    rig: FileRig, again: str
) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await undone(rig, path, NEW)
    rig.knowledge.close(KEY)
    await rig.begin()
    await rig.write(path, again)
    assert held(rig, path) == path.read_text() == again


@pytest.mark.parametrize("again", [NEW, MORE])
async def test_what_was_undone_and_not_told_is_refused(rig: FileRig, again: str) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await undone(rig, path, NEW)
    rig.turns["s"] = author(3, "s", "a")
    failure = await rig.failure(path, again)
    assert "was undone by the user" in str(failure)
    assert "read it again" in str(failure)
    assert held(rig, path) == OLD
    assert await rig.read(path) == OLD
    await rig.write(path, again)
    assert held(rig, path) == again


async def test_a_second_copy_within_the_turn_has_no_second_effect(rig: FileRig) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await rig.write(path, NEW)
    await rig.review.reject(str(path))
    await rig.write(path, NEW)
    assert held(rig, path) == OLD
    await next_turn(rig)
    await rig.write(path, MORE)
    assert held(rig, path) == MORE


async def test_its_own_tool_does_not_make_it_forget_what_was_undone(rig: FileRig) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await undone(rig, path, NEW)
    await rig.agent(path, OLD.replace("five", "FIVE"), rig.turns["s"])
    await next_turn(rig)
    await rig.write(path, MORE)
    assert held(rig, path) == MORE


@pytest.mark.parametrize("again", [NEW, MORE])
@pytest.mark.parametrize("how", ["u", "another program"])
async def test_what_was_taken_back_without_a_command_of_ours_is_no_silent_success(
    rig: FileRig, how: str, again: str
) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await rig.begin()
    await rig.write(path, NEW)
    rig.turns["s"] = author(2, "s", "a")
    if how == "u":
        rig.files.type(path, *OLD.splitlines())
    else:
        path.write_text(OLD)
        await rig.look(path, None)
    assert held(rig, path) == OLD
    failure = await rig.failure(path, again)
    assert "was undone by the user, or by another program" in str(failure)
    await next_turn(rig)
    await rig.write(path, again)
    assert held(rig, path) == again


async def test_what_the_user_has_changed_otherwise_stays_and_is_no_error(rig: FileRig) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await rig.begin()
    await rig.write(path, NEW)
    rig.turns["s"] = author(2, "s", "a")
    rig.files.type(path, "zero", *NEW.replace("THREE", "3").splitlines())
    await rig.write(path, MORE)
    assert held(rig, path) == "zero\n" + MORE.replace("THREE", "3")


async def test_a_line_that_came_back_and_that_the_user_has_edited_since_refuses_nothing(
    rig: FileRig,
) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await rig.read(path)
    less = OLD.replace("two\n", "")
    await rig.write(path, less)
    await rig.review.reject(str(path))
    rig.files.type(path, *OLD.replace("two", "two, mine").splitlines())
    await rig.write(path, "zero\n" + less)
    assert held(rig, path) == "zero\n" + OLD.replace("two", "two, mine")


@pytest.mark.parametrize("again", [NEW, MORE])
async def test_what_was_taken_back_of_its_own_tool_is_no_silent_success(
    rig: FileRig, again: str
) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await rig.begin()
    await rig.read(path)
    path.write_text(NEW)
    rig.sync.look(rig.turns["s"], rig.roots, [str(path)], sure=True)
    await rig.sync.drain()
    assert held(rig, path) == NEW
    rig.files.type(path, *OLD.splitlines())  # as `u` does
    failure = await rig.failure(path, again)
    assert "was undone by the user, or by another program" in str(failure)
    assert await rig.read(path) == OLD
    await rig.write(path, again)
    assert held(rig, path) == again


async def test_what_was_taken_back_of_several_writes_is_no_silent_success(rig: FileRig) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await rig.read(path)
    third = MORE.replace("THREE", "3")
    for number, text in enumerate((NEW, third), 1):
        rig.turns["s"] = author(number, "s", "a")
        await rig.write(path, text)
    rig.files.type(path, *NEW.splitlines())  # `u` of the second alone
    failure = await rig.failure(path, "zero\n" + third)
    assert "was undone by the user" in str(failure)


async def test_what_was_rejected_and_what_u_took_back_are_taken_back_both(rig: FileRig) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await rig.read(path)
    await rig.write(path, MORE)
    rig.turns["s"] = author(2, "s", "a")
    await rig.review.reject(str(path), range(2, 3))
    rig.files.type(path, *OLD.splitlines())
    only = OLD.replace("five", "FIVE")
    assert "was undone by the user" in str(await rig.failure(path, only))


@pytest.mark.parametrize("is_saved", [False, True])
@pytest.mark.parametrize("now", [OLD.replace("two", "mine"), "all is new\n", ""])
async def test_what_the_user_has_changed_and_told_is_not_answered_as_written(
    rig: FileRig, is_saved: bool, now: str
) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await rig.write(path, NEW)
    rig.files.type(path, *now.splitlines())
    if is_saved:
        rig.files.save(path)
    await next_turn(rig)
    with pytest.raises(RequestFailed, match="as you were told"):
        await rig.write(path, NEW)
    assert (held(rig, path) or "") == now
    await rig.read(path)
    await rig.write(path, NEW)
    assert held(rig, path) == NEW


async def test_what_the_user_has_changed_since_the_agent_was_told_stays(rig: FileRig) -> None:
    path = rig.file(OLD)
    rig.files.open(path)
    await rig.write(path, NEW)
    rig.files.type(path, *NEW.replace("one", "1").splitlines())
    await next_turn(rig)
    rig.files.type(path, *NEW.replace("one", "1").replace("five", "5").splitlines())
    await rig.write(path, NEW.replace("one", "1").replace("two", "TWO"))
    assert held(rig, path) == "1\nTWO\nTHREE\nfour\n5\n"
