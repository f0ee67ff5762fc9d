"""What an agent has made of a file in a worktree comes into the user's own, under review."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.errors import UserError
from acp_nvim.history.author import Author
from acp_nvim.review.log import Turn
from acp_nvim.review.merging import Brought, Foreign
from tests.support.files.file_rig import FileRig, author

BASE = "".join(f"line {number}\n" for number in range(1, 10))
THEIRS = BASE.replace("line 2\n", "TWO\n").replace("line 8\n", "")
BY = author(3)


async def bring(
    rig: FileRig, path: Path, base: str | None, theirs: str | None, by: Author = BY, mode: int = 0
) -> Brought:
    old, new = (None if it is None else it.encode() for it in (base, theirs))
    return await rig.review.merging.bring(Foreign(str(path), old, new, by, mode))


def turn(rig: FileRig) -> Turn:
    return rig.turn(3)


async def test_what_the_user_has_changed_meanwhile_stays(rig: FileRig) -> None:
    path = rig.file(BASE.replace("line 5", "saved"))
    rig.files.open(path)
    live = path.read_text().replace("line 6", "unsaved")
    rig.files.type(path, *live.splitlines())
    assert await bring(rig, path, BASE, THEIRS) == Brought(is_new=True)
    merged = live.replace("line 2\n", "TWO\n").replace("line 8\n", "")
    assert rig.files.lines(path) == merged.splitlines()
    assert path.read_text() == BASE.replace("line 5", "saved")  # nothing is saved for the user
    assert [it[1:] for it in await rig.hunks(path)] == [("line 2", "TWO"), ("line 8", "")]
    assert (await rig.review.undo(turn(rig))).failed == ()
    assert rig.files.lines(path) == live.splitlines()


async def test_a_file_that_is_not_open_is_written_and_undone_byte_for_byte(rig: FileRig) -> None:
    path = rig.file(BASE.encode() + b"\xff no line end")
    theirs = THEIRS.encode() + b"\xff no line end"
    foreign = Foreign(str(path), path.read_bytes(), theirs, BY)
    assert (await rig.review.merging.bring(foreign)).is_new
    assert path.read_bytes() == theirs
    await rig.review.undo(turn(rig))
    assert path.read_bytes() == foreign.base


async def test_files_come_and_go(rig: FileRig) -> None:
    new, old = rig.folder / "sub" / "run", rig.file(BASE, "old")
    await bring(rig, new, None, "#!/bin/sh\n", mode=0o755)
    await bring(rig, old, BASE, None)
    assert new.stat().st_mode & 0o777 == 0o755
    assert not old.exists()
    await rig.review.undo(turn(rig))
    assert not new.exists()
    assert old.read_text() == BASE
    await rig.redo()
    assert (new.exists(), old.exists()) == (True, False)


async def test_where_both_have_changed_a_place_the_users_text_stands(rig: FileRig) -> None:
    path = rig.file(BASE.replace("line 2", "mine"))
    assert await bring(rig, path, BASE, THEIRS) == Brought(is_new=True, is_conflict=True)
    assert path.read_text() == BASE.replace("line 2", "mine").replace("line 8\n", "")
    (conflict,) = rig.conflicts
    assert conflict.places == ((1, 2),)
    await rig.review.resolve(conflict, take=True)
    assert path.read_text() == THEIRS
    await rig.review.undo(turn(rig))
    assert path.read_text() == BASE.replace("line 2", "mine")


async def test_what_is_rejected_does_not_come_with_what_is_new(rig: FileRig) -> None:
    path = rig.file(BASE)
    await bring(rig, path, BASE, THEIRS)
    assert await rig.review.reject(str(path), range(1, 2)) == 1
    more = THEIRS.replace("line 5", "FIVE")
    await bring(rig, path, THEIRS, more, author(4))
    assert path.read_text() == more.replace("TWO", "line 2")
    assert await bring(rig, path, more, more, author(4)) == Brought(is_new=False)


@pytest.mark.parametrize("theirs", [None, THEIRS])
async def test_a_file_that_is_gone_on_one_side_stays_as_the_user_has_it(
    rig: FileRig, theirs: str | None
) -> None:
    path = rig.folder / "a" if theirs else rig.file(BASE + "mine\n")
    with pytest.raises(UserError, match="it stays"):
        await bring(rig, path, BASE, theirs)
    assert path.exists() is (theirs is None)


async def test_the_same_new_file_of_both_is_no_conflict(rig: FileRig) -> None:
    path = rig.file("same\n")
    assert await bring(rig, path, None, "same\n") == Brought(is_new=False)
    other = rig.file("mine\n", "b")
    assert (await bring(rig, other, None, "theirs\n")).is_conflict
    assert other.read_text() == "mine\n"


async def test_dos_line_ends_stay_those_of_the_file(rig: FileRig) -> None:
    path = rig.file(BASE.replace("\n", "\r\n").encode())
    await bring(rig, path, BASE, THEIRS)
    assert path.read_bytes() == THEIRS.replace("\n", "\r\n").encode()


async def test_binary_files_and_links_are_left(rig: FileRig) -> None:
    path = rig.file(b"\0\1")
    with pytest.raises(UserError, match="binary"):
        await bring(rig, path, BASE, THEIRS)
    link = rig.folder / "link"
    link.symlink_to(path)
    with pytest.raises(UserError):
        await bring(rig, link, BASE, THEIRS)


async def test_a_kill_amid_a_merge_costs_nothing(rig: FileRig) -> None:
    path = rig.file(BASE)
    await bring(rig, path, BASE, THEIRS)
    rig.kill()
    again = FileRig(rig.folder, rig.folder.with_name("kept"))
    await again.restore()
    assert await bring(again, path, BASE, THEIRS, author(4)) == Brought(is_new=False)
    assert len(await again.hunks(path)) == 2
