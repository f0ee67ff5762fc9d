"""A file that has become something else, or is gone, when the user takes an agent's work back."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from acp_nvim.errors import UserError
from tests.support.files.file_rig import FileRig, author

LINES = "".join(f"line {number}\n" for number in range(1, 7))
THEIRS = LINES.replace("line 3\n", "three\n").replace("line 5\n", "")
OTHER = "another file\nline 4\n"


@pytest.fixture
def rig(tmp_path: Path) -> FileRig:
    return FileRig(tmp_path)


def link(path: Path) -> None:
    other = path.with_name("other")
    other.write_text(OTHER)
    path.symlink_to(other)


def nowhere(path: Path) -> None:
    path.symlink_to(path.with_name("nowhere"))


def folder(path: Path) -> None:
    path.mkdir()
    (path / "inside").write_text("x")


def plug(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


THINGS: dict[str, tuple[Callable[[Path], None], str]] = {
    "link": (link, "a symbolic link"),
    "link that leads nowhere": (nowhere, "a symbolic link"),
    "folder": (folder, "a directory"),
    "pipe": (os.mkfifo, "not a plain file"),
    "socket": (plug, "not a plain file"),
}
things = pytest.mark.parametrize(("become", "said"), THINGS.values(), ids=THINGS)


def seen(path: Path) -> tuple[int, bytes]:
    """Return what kind of thing it is, and what is in its folder besides."""
    others = (it for it in sorted(path.parent.glob("*")) if it.is_file() and it != path)
    return os.lstat(path).st_mode, b"".join(it.name.encode() + it.read_bytes() for it in others)


@things
@pytest.mark.parametrize("is_new", [False, True], ids=["old", "new"])
@pytest.mark.parametrize("is_open", [False, True], ids=["not-open", "open"])
async def test_undo_leaves_what_is_no_file_any_more_and_does_the_rest(
    rig: FileRig, become: Callable[[Path], None], said: str, is_new: bool, is_open: bool
) -> None:
    path, rest = rig.folder / "a", rig.file(LINES, "z")
    if not is_new:
        rig.file(LINES)
    await rig.agent(path, THEIRS)
    await rig.agent(rest, THEIRS)
    if is_open:
        rig.files.open(path)
    path.unlink()
    become(path)
    before = seen(path)[0], seen(path)[1].replace(THEIRS.encode(), LINES.encode())
    undone = await rig.undo()
    assert rest.read_text() == LINES
    assert (rig.names(undone.paths), len(undone.failed)) == (["z"], 1)
    assert said in undone.failed[0]
    assert seen(path) == before
    with pytest.raises(UserError, match=said):
        await rig.review.reject(str(path))
    assert seen(path) == before
    if is_open:
        assert rig.files.lines(path) == THEIRS.splitlines()


@things
async def test_an_agent_writes_to_a_file_only(
    rig: FileRig, become: Callable[[Path], None], said: str
) -> None:
    path = rig.folder / "a"
    become(path)
    if path.is_symlink():
        return  # through a link an agent may write: what it leads to is meant
    before = seen(path)
    assert said in (await rig.failure(path, "new\n")).message
    assert seen(path) == before


@pytest.mark.parametrize("is_open", [False, True], ids=["not-open", "open"])
async def test_undo_writes_through_no_folder_that_has_become_a_link(
    rig: FileRig, is_open: bool
) -> None:
    folder, other = rig.folder / "folder", rig.folder / "other"
    for each in (folder, other):
        each.mkdir()
    path = rig.file(LINES, "folder/a")
    await rig.agent(path, THEIRS)
    if is_open:
        rig.files.open(path)
    rig.file(OTHER, "other/a")
    folder.rename(rig.folder / "moved")
    folder.symlink_to(other)
    undone = await rig.undo()
    assert undone.failed
    assert (other / "a").read_text() == OTHER
    assert (rig.folder / "moved" / "a").read_text() == THEIRS


async def test_to_take_the_agents_side_makes_no_scrap_of_a_file_that_is_gone(rig: FileRig) -> None:
    path = rig.file(LINES)
    await rig.read(path)
    path.write_text(LINES.replace("line 3", "mine"))
    await rig.failure(path, THEIRS)
    path.unlink()
    with pytest.raises(UserError, match="is gone"):
        await rig.review.resolve(rig.conflicts[0], take=True)
    assert not path.exists()


# --- moved and deleted


async def changed(rig: FileRig) -> Path:
    path = rig.file(LINES)
    await rig.agent(path, THEIRS)
    return path


@pytest.mark.parametrize("is_open", [False, True], ids=["not-open", "open"])
async def test_no_scrap_is_made_of_a_file_that_the_user_has_moved(
    rig: FileRig, is_open: bool
) -> None:
    path, rest = await changed(rig), rig.file(LINES, "z")
    await rig.agent(rest, THEIRS)
    if is_open:
        rig.files.open(path)
    path.rename(rig.folder / "b")
    undone = await rig.undo()
    assert (rest.read_text(), path.exists()) == (LINES, False)
    assert (rig.folder / "b").read_text() == THEIRS
    assert rig.names(undone.paths) == ["z"]
    assert "a is gone" in undone.failed[0]
    assert await rig.hunks(path) == []
    with pytest.raises(UserError, match="is gone: moved"):
        await rig.review.reject(str(path))
    assert not path.exists()


async def test_a_file_that_comes_back_is_as_it_was_known(rig: FileRig) -> None:
    path = await changed(rig)
    hunks = await rig.hunks(path)
    path.rename(rig.folder / "b")
    assert await rig.hunks(path) == []
    assert await rig.review.keep(str(path)) == 0
    (rig.folder / "b").rename(path)
    assert await rig.hunks(path) == hunks != []
    await rig.undo()
    assert path.read_text() == LINES


async def test_redo_makes_no_scrap_either(rig: FileRig) -> None:
    path = await changed(rig)
    await rig.undo()
    path.rename(rig.folder / "b")
    redone = await rig.redo()
    assert redone is not None
    assert "is gone: moved" in redone.failed[0]
    assert not path.exists()
    (rig.folder / "b").rename(path)
    assert await rig.redo() is not None
    assert path.read_text() == THEIRS


async def test_of_a_file_that_a_later_turn_has_removed_an_earlier_one_brings_no_scrap(
    rig: FileRig,
) -> None:
    path = await changed(rig)
    await rig.agent(path, None, author(2))
    undone = await rig.undo(1)
    assert "is gone: moved" in undone.failed[0]
    assert not path.exists()
    await rig.undo(2)  # the first one is taken back already, though nothing was to be seen of it
    assert path.read_text() == LINES
    await rig.redo()
    assert not path.exists()


async def test_a_file_that_the_agent_writes_anew_is_the_agents(rig: FileRig) -> None:
    path = await changed(rig)
    path.unlink()
    await rig.hunks(path)
    await rig.agent(path, "new\n", author(2))
    assert await rig.hunks(path) == [(0, "", "new")]
    await rig.undo(2)
    assert not path.exists()


async def test_what_the_agent_itself_has_removed_comes_back(rig: FileRig) -> None:
    path = await changed(rig)
    await rig.agent(path, None)
    await rig.undo()
    assert path.read_text() == LINES


# --- names, and formatters


async def test_a_name_with_a_line_break_goes_through_all_books(rig: FileRig) -> None:
    path = rig.file(LINES, "a\nb\r\t.txt")
    await rig.agent(path, THEIRS)
    assert len(await rig.hunks(path)) == 2
    await rig.undo()
    assert path.read_text() == LINES


async def test_what_a_formatter_makes_of_the_agents_text_goes_with_it(rig: FileRig) -> None:
    path = rig.file(LINES)
    rig.files.open(path)

    def format_it(name: str) -> None:
        rig.files.type(Path(name), *(line.upper() for line in rig.files.lines(Path(name))))
        rig.files.save(Path(name))
        rig.files.formatter = None

    rig.files.formatter = format_it
    await rig.write(path, THEIRS)
    assert path.read_text() == THEIRS.upper()
    await rig.undo(session="s", agent="a")
    assert path.read_text() == LINES


async def test_also_where_it_writes_the_disk_alone(rig: FileRig) -> None:
    path = rig.file(LINES)
    rig.files.open(path)

    def format_it(name: str) -> None:
        Path(name).write_text(THEIRS.upper())
        os.utime(name, (1, 1))
        rig.files.formatter = None

    rig.files.formatter = format_it
    await rig.write(path, THEIRS)
    assert rig.files.lines(path) == THEIRS.upper().splitlines()
    await rig.undo(session="s", agent="a")
    assert (path.read_text(), rig.files.lines(path)) == (LINES, LINES.splitlines())


# --- the inode


@pytest.mark.parametrize("stays", [True, False])
async def test_backupcopy_holds_for_files_that_are_not_open_too(rig: FileRig, stays: bool) -> None:
    rig.files.keeps_inodes = stays
    path = rig.file(LINES)
    inodes = [path.stat().st_ino]
    await rig.read(path)
    await rig.write(path, THEIRS)
    inodes.append(path.stat().st_ino)
    await rig.undo(agent="a")
    inodes.append(path.stat().st_ino)
    assert path.read_text() == LINES
    assert (len(set(inodes)) == 1) is stays


@pytest.mark.parametrize(
    ("text", "is_unsaved"),
    [(LINES, True), (LINES, False), (None, False)],
    ids=["unsaved", "changed", "made"],
)
async def test_what_another_program_writes_amid_an_undo_is_followed(
    rig: FileRig, text: str | None, *, is_unsaved: bool
) -> None:
    path = rig.folder / "a"
    if text is not None:
        path.write_text(text)
    await rig.agent(path, THEIRS)
    rig.files.open(path)
    if is_unsaved:
        rig.files.type(path, *THEIRS.splitlines(), "mine")
    rig.files.before_change = lambda: path.write_text(f"another's\n{THEIRS}")
    await rig.undo()
    assert path.read_text().startswith("another's\n")
    await rig.look(path, None)
    assert rig.files.lines(path)[0] == "another's"
