"""Rows that are meant are found in the text that is decided on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_nvim.editor import HeldRows
from acp_nvim.errors import UserError
from acp_nvim.review.acting import Place
from acp_nvim.view.review.marks import FileReview
from tests.support.files.file_rig import FileRig
from tests.support.files.review_texts import BASE, THEIRS


class Held:
    """Tells of rows, one answer after the other."""

    def __init__(self, *answers: HeldRows | None) -> None:
        self._answers: Iterator[HeldRows | None] = iter(answers)

    async def __call__(self) -> HeldRows | None:
        return next(self._answers)


async def edited(rig: FileRig) -> Path:
    """Let the agent change row 1 and add row 4; the user types a line above them."""
    path = rig.file(BASE)
    rig.files.open(path)
    await rig.agent(path, THEIRS)
    rig.files.type(path, "mine", *rig.files.lines(path))
    return path


def number(rig: FileRig, path: Path) -> int:
    """Return that of the buffer of a file."""
    return rig.files.buffers[str(path)].number


async def test_rows_are_those_of_the_text_that_is_seen(rig: FileRig) -> None:
    path = await edited(rig)
    tick = (await rig.review.look(str(path))).tick or 0
    held = Held(HeldRows(tick - 1, range(1, 2)), HeldRows(tick, range(2, 3)))
    assert await rig.review.reject(str(path), Place(range(1, 2), number(rig, path), held)) == 1
    assert rig.files.lines(path) == ["mine", "a", "b", "c", "d", "e"]


async def test_without_their_buffer_they_are_where_they_were(rig: FileRig) -> None:
    path = await edited(rig)
    assert await rig.review.keep(str(path), Place(range(2, 3), number(rig, path), Held(None))) == 1


async def test_in_another_buffer_of_the_file_they_are_where_they_were(rig: FileRig) -> None:
    path = await edited(rig)
    assert await rig.review.keep(str(path), Place(range(2, 3), 999, Held())) == 1


async def test_lines_that_are_gone_are_decided_on_no_more(rig: FileRig) -> None:
    path = await edited(rig)
    tick = (await rig.review.look(str(path))).tick or 0
    with pytest.raises(UserError, match="have changed meanwhile"):
        await rig.review.keep(
            str(path), Place(range(1, 2), number(rig, path), Held(HeldRows(tick, None)))
        )
    assert len(await rig.hunks(path)) == 2


async def test_a_buffer_that_changes_at_each_look_is_given_up(rig: FileRig) -> None:
    path = await edited(rig)
    held = Held(*(HeldRows(-1, range(2, 3)) for _ in range(20)))
    with pytest.raises(UserError, match="keeps changing"):
        await rig.review.reject(str(path), Place(range(1, 2), number(rig, path), held))


async def test_a_hunk_is_found_among_those_that_are_there_then(rig: FileRig) -> None:
    path = await edited(rig)

    def last(review: FileReview) -> range:
        return range(review.pending[-1].first, review.pending[-1].last)

    assert await rig.review.reject(str(path), last) == 1
    assert rig.files.lines(path) == ["mine", "a", "B", "c", "d"]
