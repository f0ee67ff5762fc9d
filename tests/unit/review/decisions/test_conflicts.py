"""Conflicts of the user and an agent, and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from acp_nvim.errors import UserError
from acp_nvim.history.conflict import Conflict
from tests.support.files.file_rig import FileRig, author
from tests.support.files.review_texts import BASE, THEIRS


async def conflict(rig: FileRig, *, on_disk: bool = False) -> Path:
    """Let the user and the agent change line 2; the agent also adds one at the end."""
    path = rig.file(BASE)
    rig.files.open(path)
    rig.files.type(path, "a", "mine", "c", "d")
    if on_disk:
        await rig.agent(path, THEIRS)
    else:
        rig.edits.conflicted(Conflict(str(path), author(), BASE, THEIRS, ((1, 2),), on_disk=False))
    return path


def found(rig: FileRig, path: Path) -> Conflict:
    conflict = rig.edits.conflict(str(path))
    assert conflict is not None
    return conflict


async def test_a_conflict_is_seen_in_a_file_that_no_agent_has_changed(rig: FileRig) -> None:
    path = await conflict(rig)
    seen = await rig.review.look(str(path))
    assert (seen.review.path, seen.review.count, seen.tick) == (str(path), 4, 3)


async def test_the_places_of_a_conflict_go_along_with_what_the_user_types(
    rig: FileRig,
) -> None:
    path = await conflict(rig)
    rig.files.type(path, "zero", "a", "mine", "c", "d")
    await rig.review.look(str(path))
    assert found(rig, path).places == ((2, 3),)
    rig.files.type(path, *BASE.split())
    await rig.review.look(str(path))
    assert found(rig, path).places == ((1, 2), (4, 4)), "nobody has decided yet"


async def test_a_conflict_is_over_once_the_user_has_all_that_the_agent_wants(
    rig: FileRig,
) -> None:
    path = await conflict(rig)
    rig.files.type(path, "zero", *THEIRS.split())
    assert await rig.hunks(path) == [(2, "b", "B"), (5, "", "e")]
    assert rig.edits.conflict(str(path)) is None


@pytest.mark.parametrize("on_disk", [False, True])
async def test_taking_the_agents_side_is_a_change_of_the_agents(
    rig: FileRig, *, on_disk: bool
) -> None:
    path = await conflict(rig, on_disk=on_disk)
    await rig.review.resolve(found(rig, path), take=True)
    assert rig.files.lines(path) == THEIRS.split()
    assert rig.edits.conflict(str(path)) is None
    assert await rig.hunks(path) == [(1, "mine", "B"), (4, "", "e")]
    await rig.review.reject(str(path))
    assert rig.files.lines(path) == ["a", "mine", "c", "d"]


@pytest.mark.parametrize("on_disk", [False, True])
async def test_the_users_side_stays_as_it_is(rig: FileRig, *, on_disk: bool) -> None:
    path = await conflict(rig, on_disk=on_disk)
    before = rig.files.lines(path)
    await rig.review.resolve(found(rig, path), take=False)
    assert rig.files.lines(path) == before
    assert rig.edits.conflict(str(path)) is None
    assert rig.files.buffers[str(path)].modified
    if on_disk:
        verb = rig.files.changes[-1][0]
        assert verb == "settle", "saving asks no question"


async def test_a_conflict_in_a_locked_file_can_be_decided_for_the_user(
    rig: FileRig,
) -> None:
    path = await conflict(rig)
    rig.files.open(path, "a", "mine", "c", "d", locked="not modifiable")
    with pytest.raises(UserError, match="not modifiable"):
        await rig.review.resolve(found(rig, path), take=True)
    await rig.review.resolve(found(rig, path), take=False)
    assert rig.edits.conflict(str(path)) is None


async def test_a_conflict_is_not_decided_while_the_user_types_on(rig: FileRig) -> None:
    path = await conflict(rig)

    def type_on() -> None:
        rig.files.type(path, "a", "mine", "c", "d")
        rig.files.before_change = type_on

    rig.files.before_change = type_on
    with pytest.raises(UserError, match="keeps changing"):
        await rig.review.resolve(found(rig, path), take=True)
    assert rig.files.lines(path) == ["a", "mine", "c", "d"]
    assert found(rig, path).theirs == THEIRS


async def test_the_agents_side_is_its_own_once_the_user_gives_up_the_other_before_it_goes_on(
    rig: FileRig,
) -> None:
    path = await conflict(rig, on_disk=True)
    del rig.files.buffers[str(path)]
    rig.file("another\n")
    await rig.look(path, author(2))
    assert rig.edits.conflict(str(path)) is None
    await rig.undo(2)
    assert path.read_text() == THEIRS
    await rig.undo()
    assert path.read_text() == BASE


async def test_a_second_conflict_does_not_forget_the_first(rig: FileRig) -> None:
    path = await conflict(rig, on_disk=True)
    rig.files.type(path, "a", "mine", "c", "d!")
    second = THEIRS.replace("d", "D")
    rig.file(second)
    await rig.look(path, author(2))
    await rig.review.look(str(path))
    assert found(rig, path).places == ((1, 2), (3, 4))
    del rig.files.buffers[str(path)]
    assert await rig.hunks(path) == [(1, "b", "B"), (3, "d", "D|e")]
    await rig.review.reject(str(path))
    assert path.read_text() == BASE


async def test_a_line_that_was_there_before_is_not_the_agents_once_the_user_gives_up_theirs(
    rig: FileRig,
) -> None:
    """A merge has saved it; the agent has found it on the disk, and its text has it since."""
    path = rig.file("a\nmine\nb\n")
    await rig.agent(path, "a\nmine\nb\nc\n")
    rig.files.open(path)
    rig.files.type(path, "a", "more", "mine", "b", "c")
    base, theirs = "a\nb\nc\n", "a\nmine\nb\nc\nd\n"
    rig.edits.conflicted(Conflict(str(path), author(), base, theirs, ((1, 3),), on_disk=True))
    await rig.review.look(str(path))
    assert found(rig, path).places == ((1, 3),)
    del rig.files.buffers[str(path)]
    rig.file(theirs)
    assert await rig.hunks(path) == [(3, "", "c|d")]
    assert rig.edits.conflict(str(path)) is None


async def test_rejected_lines_that_the_agent_knew_are_not_the_users_once_they_give_up_theirs(
    rig: FileRig,
) -> None:
    """The agent goes on from its own text, of which the user has rejected a part."""
    path = rig.file("a\nb\nc\n")
    await rig.agent(path, "A\nB\nc\n")
    await rig.review.reject(str(path))
    assert path.read_text() == "a\nb\nc\n"
    rig.edits.conflicted(
        Conflict(str(path), author(), "A\nB\nc\n", "AA\nb\nc\n", ((0, 2),), True, "a\nb\nc\n")
    )
    rig.file("AA\nb\nc\n")
    assert await rig.hunks(path) == [(0, "a", "AA")]
    await rig.undo()
    assert path.read_text() == "a\nb\nc\n"


async def test_an_agents_text_below_anothers_is_not_the_users_once_they_give_up_theirs(
    rig: FileRig,
) -> None:
    """A write through us was refused in between: that conflict is on no disk."""
    path = await conflict(rig, on_disk=True)
    await rig.agent(path, BASE.replace("b", "2\n3"), author(1, "t"))
    rig.edits.conflicted(Conflict(str(path), author(), BASE, THEIRS, ((1, 2),), on_disk=False))
    await rig.agent(path, BASE.replace("b", "4"), author(2))
    rig.files.reload(path)
    assert await rig.hunks(path) == [(1, "b", "4")]
    await rig.undo(2)
    assert path.read_text() == BASE


async def test_a_conflict_is_over_where_the_buffer_has_all_that_the_disk_has(rig: FileRig) -> None:
    """What stood against it before is not found again when the user reads the file anew."""
    path = await conflict(rig, on_disk=True)
    await rig.agent(path, "a\nmine\nc\nD\n")
    assert rig.edits.conflict(str(path)) is None
    rig.files.reload(path)
    assert await rig.hunks(path) == [(3, "d", "D")]
    assert len(rig.conflicts) == 1


@pytest.mark.parametrize("how", ["undoes", "closes"])
@pytest.mark.parametrize("verb", ["reject", "undo"])
async def test_a_file_that_an_agent_took_away_below_edits_comes_back_once_these_are_given_up(
    rig: FileRig, how: str, verb: str
) -> None:
    path = rig.file(BASE)
    rig.files.open(path)
    rig.files.type(path, "mine", *BASE.split())
    await rig.agent(path, None)
    assert found(rig, path).theirs == "", "the buffer stays, and what the agent did is kept"
    if how == "undoes":
        rig.files.buffers[str(path)] = replace(
            rig.files.buffers[str(path)], lines=tuple(BASE.split()), modified=False
        )
    else:
        del rig.files.buffers[str(path)]
    assert await rig.hunks(path) == [(0, BASE.rstrip().replace("\n", "|"), "")]
    assert rig.edits.conflict(str(path)) is None
    if verb == "reject":
        assert await rig.review.reject(str(path)) == 1
    else:
        assert rig.names((await rig.undo()).paths) == ["a"]
    assert path.read_text() == BASE
