"""Conflicts of the user and an agent, and how they end."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.errors import UserError
from acp_nvim.ledger.conflict import Conflict
from tests.support.review_desk import BASE, THEIRS, ReviewDesk, author


async def conflict(desk: ReviewDesk, *, on_disk: bool = False) -> Path:
    """Let the user and the agent change line 2; the agent also adds one at the end."""
    path = desk.file(BASE)
    desk.files.open(path)
    desk.files.type(path, "a", "mine", "c", "d")
    if on_disk:
        await desk.agent(path, THEIRS)
    else:
        desk.edits.conflicted(Conflict(str(path), author(), BASE, THEIRS, ((1, 2),), on_disk=False))
    return path


def found(desk: ReviewDesk, path: Path) -> Conflict:
    conflict = desk.edits.conflict(str(path))
    assert conflict is not None
    return conflict


async def test_a_conflict_is_seen_in_a_file_that_no_agent_has_changed(desk: ReviewDesk) -> None:
    path = await conflict(desk)
    seen = await desk.review.look(str(path))
    assert (seen.review.path, seen.review.count, seen.tick) == (str(path), 4, 3)


async def test_the_places_of_a_conflict_go_along_with_what_the_user_types(
    desk: ReviewDesk,
) -> None:
    path = await conflict(desk)
    desk.files.type(path, "zero", "a", "mine", "c", "d")
    await desk.review.look(str(path))
    assert found(desk, path).places == ((2, 3),)
    desk.files.type(path, *BASE.split())
    await desk.review.look(str(path))
    assert found(desk, path).places == ((1, 2), (4, 4)), "nobody has decided yet"


async def test_a_conflict_is_over_once_the_user_has_all_that_the_agent_wants(
    desk: ReviewDesk,
) -> None:
    path = await conflict(desk)
    desk.files.type(path, "zero", *THEIRS.split())
    assert await desk.hunks(path) == [(2, "b", "B"), (5, "", "e")]
    assert desk.edits.conflict(str(path)) is None


@pytest.mark.parametrize("on_disk", [False, True])
async def test_taking_the_agents_side_is_a_change_of_the_agents(
    desk: ReviewDesk, *, on_disk: bool
) -> None:
    path = await conflict(desk, on_disk=on_disk)
    await desk.review.resolve(found(desk, path), take=True)
    assert desk.files.lines(path) == THEIRS.split()
    assert desk.edits.conflict(str(path)) is None
    assert await desk.hunks(path) == [(1, "mine", "B"), (4, "", "e")]
    await desk.review.reject(str(path))
    assert desk.files.lines(path) == ["a", "mine", "c", "d"]


@pytest.mark.parametrize("on_disk", [False, True])
async def test_the_users_side_stays_as_it_is(desk: ReviewDesk, *, on_disk: bool) -> None:
    path = await conflict(desk, on_disk=on_disk)
    before = desk.files.lines(path)
    await desk.review.resolve(found(desk, path), take=False)
    assert desk.files.lines(path) == before
    assert desk.edits.conflict(str(path)) is None
    assert desk.files.buffers[str(path)].modified
    if on_disk:
        verb = desk.files.changes[-1][0]
        assert verb == "settle", "saving asks no question"


async def test_a_conflict_in_a_locked_file_can_be_decided_for_the_user(
    desk: ReviewDesk,
) -> None:
    path = await conflict(desk)
    desk.files.open(path, "a", "mine", "c", "d", modifiable=False)
    with pytest.raises(UserError, match="not modifiable"):
        await desk.review.resolve(found(desk, path), take=True)
    await desk.review.resolve(found(desk, path), take=False)
    assert desk.edits.conflict(str(path)) is None


async def test_a_conflict_is_not_decided_while_the_user_types_on(desk: ReviewDesk) -> None:
    path = await conflict(desk)

    def type_on() -> None:
        desk.files.type(path, "a", "mine", "c", "d")
        desk.files.before_change = type_on

    desk.files.before_change = type_on
    with pytest.raises(UserError, match="keeps changing"):
        await desk.review.resolve(found(desk, path), take=True)
    assert desk.files.lines(path) == ["a", "mine", "c", "d"]
    assert found(desk, path).theirs == THEIRS
