"""What an agent's tool writes again: with other line ends, in pieces, late, and what others did."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from acp_nvim.errors import RequestFailed
from acp_nvim.files.baselines.baselines import Baselines
from acp_nvim.files.text import reconciled, with_theirs
from acp_nvim.history.author import Author
from acp_nvim.history.form import Even
from tests.support.files.file_rig import AGENT, FileRig, author

OLD = ("1", "2", "3", "4", "5", "6")
OTHER = author(agent="b", session="t")


def text(*lines: str, end: str = "\n") -> str:
    return "".join(f"{line}{end}" for line in lines)


FIRST = text("one", *OLD[1:])


@pytest.fixture
async def rig(tmp_path: Path) -> FileRig:
    rig = FileRig(tmp_path.resolve(), baselines=Baselines(quiet=0))
    rig.files.open(rig.file(text(*OLD)))
    await rig.begin()
    rig.running[""] = AGENT
    await rig.read(rig.folder / "a")
    return rig


def end_turn(rig: FileRig) -> None:
    rig.running.clear()
    rig.sync.ended.end(AGENT)


ENDS = {
    "dos": FIRST.replace("\n", "\r\n"),
    "no last": FIRST.removesuffix("\n"),
    "dos, no last": FIRST.replace("\n", "\r\n").removesuffix("\r\n"),
}
MINE = {
    "in the middle": ("one", "2", "3", "mine", "4", "5", "6"),
    "at the end": ("one", *OLD[1:], "mine"),
    "in the last line": ("one", *OLD[1:-1], "6 mine"),
}


@pytest.mark.parametrize("theirs", list(ENDS.values()), ids=list(ENDS))
@pytest.mark.parametrize("mine", list(MINE.values()), ids=list(MINE))
async def test_other_line_ends_stand_against_nothing(
    rig: FileRig, mine: tuple[str, ...], theirs: str
) -> None:
    path = rig.folder / "a"
    rig.files.type(path, "1", *mine[1:])
    await rig.write(path, FIRST)
    for again in (theirs, FIRST, theirs):
        path.write_bytes(again.encode())
        await rig.look(path)
        assert tuple(rig.files.lines(path)) == mine
        assert rig.conflicts == []
    buffer = rig.files.buffers[str(path)]
    assert (buffer.fileformat == "dos") == ("\r" in theirs)
    assert buffer.endofline == theirs.endswith("\n")


async def test_line_ends_that_the_user_has_changed_stay(rig: FileRig) -> None:
    path = rig.folder / "a"
    rig.files.type(path, *OLD, "mine")
    buffer = rig.files.buffers[str(path)]
    rig.files.buffers[str(path)] = replace(buffer, fileformat="dos")
    await rig.write(path, FIRST)
    assert path.read_bytes() == text("one", *OLD[1:], "mine", end="\r\n").encode()
    path.write_text(FIRST)
    await rig.look(path)
    assert rig.files.buffers[str(path)].fileformat == "dos"
    assert rig.files.lines(path)[-1] == "mine"


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "both"),
    [
        ("a\nb\nc\n", "a\nb\nmine\nc\n", "A\r\nb\r\nc\r\n", "A\r\nb\r\nmine\r\nc\r\n"),
        ("a\nb\nc\n", "a\r\nb\r\nmine\r\nc\r\n", "A\nb\nc\n", "A\r\nb\r\nmine\r\nc\r\n"),
        ("a\nb", "a\nb\nmine", "A\nb\n", "A\nb\nmine\n"),
        ("a\nb\n", "a\nb\nmine\n", "A\nb", "A\nb\nmine"),
        ("a\nb\n", "a\nb\n", "", ""),
        ("", "mine\n", "", "mine\n"),
        ("a\r\nb\n", "a\r\nb\n", "A\r\nb\n", "A\r\nb\n"),
    ],
)
def test_ends_are_of_who_has_changed_them(base: str, ours: str, theirs: str, both: str) -> None:
    assert with_theirs(base, ours, theirs) == both


def test_lines_that_end_in_different_ways_are_as_they_are() -> None:
    assert Even("a\r\nb\n", "a\nb\n").lines == [("a\r\n", "b"), ("a", "b")]
    assert Even("a\r\nb", "a\nb\n").lines == [("a", "b")] * 2
    assert reconciled("a\r\nb\n", "a\nb\n", "a\r\nb\n")[0] == "a\nb\n"


async def test_what_was_refused_and_comes_with_other_ends_was_made_of_the_same(
    rig: FileRig,
) -> None:
    path = rig.folder / "a"
    rig.files.type(path, "1", "2", "mine", *OLD[2:])
    await rig.failure(path, text("1", "2", "new", *OLD[2:]))
    rig.files.save(path)
    path.write_bytes(text("1", "2", "new", *OLD[2:], end="\r\n").encode())
    await rig.look(path)
    assert "mine" in rig.files.lines(path)


async def test_who_has_read_by_a_tool_of_its_own_does_not_know_what_came_later(
    rig: FileRig,
) -> None:
    path = rig.folder / "a"
    rig.sync.was_read(AGENT.session_key, rig.roots, [str(path)])
    await rig.sync.drain()
    rig.files.type(path, "1", "2", "mine", *OLD[2:])
    rig.files.save(path)
    path.write_text(text("1", "2", "new", *OLD[2:]))
    await rig.look(path)
    assert "mine" in rig.files.lines(path)
    assert len(rig.conflicts) == 1


async def test_other_line_ends_are_no_other_text_that_the_agent_has_left(rig: FileRig) -> None:
    path = rig.folder / "a"
    await rig.write(path, FIRST)
    path.write_bytes(ENDS["dos"].encode())
    await rig.look(path)
    rig.files.type(path, "one", "mine", *OLD[2:])
    rig.files.save(path)
    path.write_bytes(text("one", "new", *OLD[2:], end="\r\n").encode())
    await rig.look(path)
    assert rig.files.lines(path)[1] == "mine"


# --- in pieces


@pytest.mark.parametrize("first", ["fs", "disk"])
async def test_a_conflict_with_a_piece_of_a_text_is_over_with_the_whole(
    rig: FileRig, first: str
) -> None:
    path = rig.folder / "a"
    rig.files.type(path, *OLD[:4], "mine", *OLD[4:])
    if first == "fs":
        await rig.write(path, FIRST)
    path.write_text(FIRST[:8])
    await rig.look(path)
    assert rig.edits.conflict(str(path)) is not None
    path.write_text(FIRST)
    await rig.look(path)
    assert rig.edits.conflict(str(path)) is None
    assert rig.files.lines(path) == ["one", *OLD[1:4], "mine", *OLD[4:]]


async def test_what_still_stands_of_a_conflict_goes_on_with_the_agents_text(rig: FileRig) -> None:
    path = rig.folder / "a"
    rig.files.type(path, "mine", *OLD[1:])
    path.write_text(FIRST)
    await rig.look(path)
    later = text("one", *OLD[1:-1], "six")
    path.write_text(later)
    await rig.look(path)
    assert rig.files.lines(path) == ["mine", *OLD[1:-1], "six"]
    conflict = rig.edits.conflict(str(path))
    assert conflict is not None
    assert (conflict.theirs, conflict.places) == (later, ((0, 1),))
    await rig.review.resolve(conflict, take=True)
    assert rig.files.lines(path) == ["one", *OLD[1:-1], "six"]


async def test_a_late_write_that_is_seen_in_the_middle(rig: FileRig) -> None:
    path = rig.folder / "a"
    await rig.write(path, FIRST)
    end_turn(rig)
    rig.files.type(path, "mine", "one", *OLD[1:])
    rig.files.save(path)
    path.write_text(FIRST[:8])
    await rig.look(path, None)
    path.write_text(FIRST)
    await rig.look(path, None)
    assert rig.files.lines(path) == ["mine", "one", *OLD[1:]]


# --- late


@pytest.mark.parametrize("seen", [True, False], ids=["save seen", "save not seen"])
async def test_the_same_write_after_the_turn_takes_out_nothing_that_the_user_has_saved_since(
    rig: FileRig, *, seen: bool
) -> None:
    path = rig.folder / "a"
    await rig.write(path, FIRST)
    end_turn(rig)
    rig.files.type(path, "one", *OLD[1:], "mine")
    rig.files.save(path)
    if seen:
        await rig.look(path, None)
    path.write_text(FIRST)
    await rig.begin()
    assert rig.files.lines(path) == ["one", *OLD[1:], "mine"]
    assert rig.files.buffers[str(path)].modified
    assert len(rig.deltas) == 1


@pytest.mark.parametrize("by", [None, OTHER])
async def test_where_somebody_else_has_written_between_it_is_none_of_the_agents(
    rig: FileRig, by: Author | None
) -> None:
    path = rig.folder / "a"
    await rig.write(path, FIRST)
    end_turn(rig)
    path.write_text(text("one", *OLD[1:], "other"))
    await rig.look(path, by)
    path.write_text(FIRST)
    await rig.begin()
    assert rig.files.lines(path) == ["one", *OLD[1:]]
    assert not rig.files.buffers[str(path)].modified


async def test_what_the_user_has_saved_is_not_the_agents_that_writes_the_same_anew(
    rig: FileRig,
) -> None:
    """As `sed -i` does with a file in which it finds nothing, before anybody has looked."""
    path = rig.folder / "a"
    rig.files.type(path, *OLD, "mine")
    rig.files.save(path)
    renamed = path.with_name("sed")
    renamed.write_text(path.read_text())
    renamed.rename(path)
    await rig.look(path)
    assert rig.deltas == []


async def test_what_was_rejected_and_its_own_tool_makes_again_is_new(rig: FileRig) -> None:
    path = rig.folder / "a"
    for _ in range(2):
        path.write_text(FIRST)
        await rig.look(path)
        assert rig.files.lines(path) == ["one", *OLD[1:]]
        await rig.review.reject(str(path))
        assert rig.files.lines(path) == list(OLD)


# --- one who has never read


@pytest.mark.parametrize("theirs", ["apart", "same place"])
async def test_who_has_never_read_takes_out_nothing_that_only_anothers_write_has_saved(
    rig: FileRig, theirs: str
) -> None:
    path = rig.folder / "a"
    rig.turns["t"] = OTHER
    rig.files.type(path, "1", "2", "mine", *OLD[2:])
    await rig.write(path, FIRST)
    if theirs == "apart":
        await rig.write(path, text(*OLD[:-1], "six"), "t")
        assert "mine" in rig.files.lines(path)
        assert rig.files.lines(path)[-1] == "six"
        return
    request = text("1", "2", "theirs", *OLD[2:])
    with pytest.raises(RequestFailed, match="at line 3"):
        await rig.write(path, request, "t")
    assert "mine" in rig.files.lines(path)


async def test_nor_who_has_only_changed_the_disk(rig: FileRig) -> None:
    path = rig.folder / "a"
    rig.turns["t"] = OTHER
    rig.files.type(path, *OLD[:3], "mine", *OLD[3:])
    await rig.write(path, FIRST)
    rig.running[""] = OTHER
    path.write_text(text("one", "2", "3", "mine", "4", "5", "six"))
    await rig.look(path, replace(OTHER, how="found"))
    with pytest.raises(RequestFailed, match="at line 3"):
        await rig.write(path, text("one", "2", "THREE", "FOUR", "5", "six"), "t")
    assert rig.files.lines(path) == ["one", "2", "3", "mine", "4", "5", "six"]


async def test_the_rest_of_a_text_comes_though_its_beginning_stands_against_the_user(
    rig: FileRig,
) -> None:
    path = rig.folder / "a"
    rig.files.type(path, "1", "2", "3 mine", *OLD[3:])
    theirs = text("1", "2", "three", "4", "5", "six")
    path.write_text(theirs[:8])
    await rig.look(path)
    path.write_text(theirs)
    await rig.look(path)
    assert rig.files.lines(path) == ["1", "2", "3 mine", "4", "5", "six"]
    conflict = rig.edits.conflict(str(path))
    assert conflict is not None
    assert conflict.places == ((2, 3),)


@pytest.mark.parametrize("pieces", [True, False])
async def test_what_the_disk_has_is_the_agents_once_the_user_gives_up_theirs(
    rig: FileRig, *, pieces: bool
) -> None:
    """Though what the agent has wanted last, through us, was something else."""
    path = rig.folder / "a"
    rig.files.type(path, "1", "2", "3 mine", *OLD[3:])
    theirs = text("1", "2", "three;", "4", "5", "six;")
    if pieces:
        path.write_text(theirs[:8])
        await rig.look(path)
    path.write_text(theirs)
    await rig.look(path)
    await rig.failure(path, theirs.replace(";", ""))
    rig.files.reload(path)
    await rig.look(path)
    await rig.review.look(str(path))
    assert rig.edits.conflict(str(path)) is None
    await rig.review.reject(str(path))
    assert rig.files.lines(path) == list(OLD)
