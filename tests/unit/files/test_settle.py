from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from acp_nvim.errors import FileProblem
from acp_nvim.files import disk
from acp_nvim.files.baselines.baselines import DiskChange
from acp_nvim.files.live import load
from acp_nvim.files.settle import Candidate, Followed, carry_out, merge_base, settle
from acp_nvim.hunks import ConflictRegion, Hunk
from tests.support.fakes.fake_ports import FakeFiles


@pytest.fixture
def files() -> FakeFiles:
    return FakeFiles()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path.resolve() / "a"


def put(path: Path, text: str) -> None:
    path.write_bytes(text.encode())


async def follow(files: FakeFiles, path: str, changed: DiskChange | None) -> Followed | None:
    """Bring the buffer up to the disk."""
    live = await load(files, path)
    saved = live.buffer.saved if live.buffer else await files.saved(path)
    settlement = settle(live, changed, saved=saved, kept=False, same=False)
    assert await carry_out(files, live, settlement.edit)
    return settlement.followed


def change(path: Path, after: str | None) -> DiskChange:
    """Change the file, and say what has changed."""
    before = path.read_bytes().decode() if path.exists() else None
    if after is None:
        path.unlink()
    else:
        put(path, after)
    return DiskChange(str(path), before, after)


async def test_a_file_that_is_not_open_is_told_as_it_is(files: FakeFiles, path: Path) -> None:
    assert await follow(files, str(path), change(path, "1\n")) == Followed(None, "1\n")
    assert await follow(files, str(path), change(path, None)) == Followed("1\n", None)
    assert await follow(files, str(path), None) is None


async def test_an_unmodified_buffer_gets_the_lines_that_differ(
    files: FakeFiles, path: Path
) -> None:
    put(path, "1\n2\n3\n")
    files.open(path)
    changed = change(path, "1\r\nII\r\n3\r\n")
    followed = await follow(files, str(path), changed)
    assert followed == Followed("1\n2\n3\n", "1\r\nII\r\n3\r\n")
    assert files.changes == [("follow", str(path), (Hunk(1, 2, ("II",)),))]
    assert files.buffers[str(path)].fileformat == "dos"
    assert await follow(files, str(path), None) is None


async def test_a_buffer_that_is_behind_catches_up_with_a_change_that_nobody_saw(
    files: FakeFiles, path: Path
) -> None:
    put(path, "1\n")
    files.open(path)
    change(path, "2\n")
    assert await follow(files, str(path), None) == Followed("1\n", "2\n")
    assert files.lines(path) == ["2"]


async def test_what_neovim_has_read_again_by_itself_is_still_the_agents(
    files: FakeFiles, path: Path
) -> None:
    put(path, "1\n")
    files.open(path)
    changed = change(path, "2\n")
    files.reload(path)
    assert await follow(files, str(path), changed) == Followed("1\n", "2\n")
    assert files.changes == []


async def test_edits_of_what_neovim_has_read_are_not_merged_with_it(
    files: FakeFiles, path: Path
) -> None:
    """A file that is new since the last look, which the user has opened and edited."""
    changed = change(path, "1\n")
    files.open(path)
    files.type(path, "mine")
    assert await follow(files, str(path), changed) == Followed(None, "1\n")
    assert await follow(files, str(path), None) is None
    assert files.changes == []


async def test_what_the_user_saved_is_the_users(files: FakeFiles, path: Path) -> None:
    put(path, "1\n")
    files.open(path)
    files.type(path, "mine")
    files.save(path)
    saved = DiskChange(str(path), "1\n", "mine\n")
    assert await follow(files, str(path), saved) is None
    files.type(path, "mine too")
    assert await follow(files, str(path), saved) is None
    assert files.lines(path) == ["mine too"]


async def test_of_a_deleted_file_the_buffer_keeps_the_text(files: FakeFiles, path: Path) -> None:
    put(path, "1\n")
    files.open(path)
    assert await follow(files, str(path), change(path, None)) == Followed("1\n", None)
    assert files.lines(path) == ["1"]
    assert await follow(files, str(path), None) is None
    assert await follow(files, str(path), change(path, "2\n")) == Followed(None, "2\n")
    assert files.lines(path) == ["2"]


async def test_of_a_deleted_file_that_is_opened_too_late_the_text_is_known(
    files: FakeFiles, path: Path
) -> None:
    put(path, "1\n")
    gone = change(path, None)
    files.open(path)
    assert await follow(files, str(path), gone) == Followed("1\n", None)
    assert files.changes == []


async def test_a_new_buffer_of_no_file_is_nothing_that_went(files: FakeFiles, path: Path) -> None:
    files.open(path)
    assert await follow(files, str(path), None) is None


async def test_unsaved_edits_get_what_the_disk_has_new(files: FakeFiles, path: Path) -> None:
    put(path, "1\n2\n3\n")
    files.open(path)
    files.type(path, "1", "2", "mine")
    followed = await follow(files, str(path), change(path, "one\n2\n3\n"))
    assert followed == Followed("1\n2\nmine\n", "one\n2\nmine\n", "1\n2\n3\n", "one\n2\n3\n")
    assert files.changes == [("settle", str(path), (Hunk(0, 1, ("one",)),))]
    assert files.buffers[str(path)].modified


async def test_the_same_edit_on_both_sides_leaves_nothing_unsaved(
    files: FakeFiles, path: Path
) -> None:
    put(path, "1\n2\n")
    files.open(path)
    files.type(path, "one", "2")
    changed = change(path, "one\n2\n")
    assert (await follow(files, str(path), changed)) == Followed(
        "one\n2\n", "one\n2\n", "1\n2\n", "one\n2\n"
    )
    assert files.changes == [("follow", str(path), ())]
    assert not files.buffers[str(path)].modified


async def test_where_both_changed_the_same_place_the_users_text_stays(
    files: FakeFiles, path: Path
) -> None:
    put(path, "1\n2\n3\n")
    files.open(path)
    files.type(path, "1", "2", "mine")
    followed = await follow(files, str(path), change(path, "0\n1\n2\ntheirs\n"))
    assert followed is not None
    assert followed.conflicts == (ConflictRegion(3, 4, ("theirs",)),)
    assert files.lines(path) == ["0", "1", "2", "mine"]
    # Not settled: Neovim is to warn before the user writes over what the agent wrote.
    assert files.changes == [("edit", str(path), (Hunk(0, 0, ("0",)),))]


async def test_nothing_but_a_clash_touches_nothing(files: FakeFiles, path: Path) -> None:
    put(path, "1\n")
    files.open(path)
    files.type(path, "mine")
    followed = await follow(files, str(path), change(path, "theirs\n"))
    assert followed is not None
    assert followed.conflicts
    assert files.changes == []


async def test_a_file_that_goes_away_below_unsaved_edits_is_a_clash(
    files: FakeFiles, path: Path
) -> None:
    put(path, "1\n2\n")
    files.open(path)
    files.type(path, "1", "2", "mine")
    followed = await follow(files, str(path), change(path, None))
    live = "1\n2\nmine\n"
    assert followed == Followed(live, live, "1\n2\n", "", (ConflictRegion(0, 3, ()),))
    assert files.lines(path) == ["1", "2", "mine"]


async def test_unsaved_edits_are_left_alone_if_nobody_knows_what_changed(
    files: FakeFiles, path: Path
) -> None:
    put(path, "1\n")
    files.open(path)
    files.type(path, "mine")
    change(path, "2\n")
    assert await follow(files, str(path), None) is None
    assert files.changes == []


async def test_what_the_editor_refuses_is_said(files: FakeFiles, path: Path) -> None:
    put(path, "1\n2\n3\n")
    files.open(path)
    files.refuse = "E565"
    with pytest.raises(FileProblem, match="E565"):
        await follow(files, str(path), change(path, "one\n2\n3\n"))


async def test_a_file_that_is_no_text_any_more_is_said(files: FakeFiles, path: Path) -> None:
    put(path, "1\n")
    files.open(path)
    with pytest.raises(FileProblem, match="binary"):
        await follow(files, str(path), change(path, "\0"))
    assert files.lines(path) == ["1"]


async def test_what_the_editor_wrote_without_a_word_is_nobodys(
    files: FakeFiles, path: Path
) -> None:
    put(path, "1\n")
    files.open(path)
    files.type(path, "1", "mine")
    changed = change(path, "1\nmine\n")
    unseen = replace(files.buffers[str(path)], modified=False, written=())
    files.buffers[str(path)] = unseen
    assert await follow(files, str(path), changed) is None
    files.buffers[str(path)] = replace(unseen, lines=("1", "mine too"), modified=True, synced="")
    followed = await follow(files, str(path), changed)
    assert followed is not None
    assert (followed.before, followed.conflicts) == (followed.after, ())
    assert files.lines(path) == ["1", "mine too"]


async def test_what_the_user_wrote_without_a_word_and_took_out_stays_out(
    files: FakeFiles, path: Path
) -> None:
    put(path, "1\n")
    files.open(path)
    files.type(path, "1")
    files.buffers[str(path)] = replace(files.buffers[str(path)], written=("1", "mine"))
    assert await follow(files, str(path), change(path, "1\nmine\n")) is None
    assert files.lines(path) == ["1"]
    assert files.changes == []


async def test_what_the_agent_wrote_upon_it_is_the_agents(files: FakeFiles, path: Path) -> None:
    put(path, "1\n")
    files.open(path)
    files.type(path, "1", "mine")
    changed = change(path, "1\nmine\ntheirs\n")
    files.buffers[str(path)] = replace(files.buffers[str(path)], modified=False, written=())
    followed = await follow(files, str(path), changed)
    assert followed is not None
    assert (followed.before, followed.after) == ("1\nmine\n", "1\nmine\ntheirs\n")


@pytest.mark.parametrize("written", [("1", "2"), ("1", "2", "mine")])
async def test_what_an_agent_wrote_upon_a_quiet_write_is_a_conflict_where_the_user_goes_on(
    files: FakeFiles, path: Path, written: tuple[str, ...]
) -> None:
    put(path, "1\n2\n")
    files.open(path)
    files.type(path, "1 and more", *written[1:])
    files.buffers[str(path)] = replace(files.buffers[str(path)], written=written)
    wrote = "".join(f"{line}\n" for line in ("theirs", *written[1:]))
    followed = await follow(files, str(path), change(path, wrote))
    assert followed is not None
    assert files.lines(path) == ["1 and more", *written[1:]]
    assert [(it.first, it.last) for it in followed.conflicts] == [(0, 1)]
    assert followed.base == "".join(f"{line}\n" for line in written)


async def test_a_buffer_follows_what_the_user_wrote_past_it(files: FakeFiles, path: Path) -> None:
    put(path, "1\n2\n3\n")
    files.open(path)
    changed = change(path, "2\n3\n")
    stamp = disk.stamp(str(path))
    files.buffers[str(path)] = replace(files.buffers[str(path)], saved=stamp)
    assert await follow(files, str(path), changed) is None
    assert files.lines(path) == ["2", "3"]


@pytest.mark.parametrize(
    ("after", "is_of_it"),
    [("1\n2\n", False), ("1\n", False), ("1\n2\nnew\n", True), ("mine\n1\n", True)],
)
def test_what_has_no_unsaved_line_and_nothing_new_was_made_of_the_disk(
    after: str, *, is_of_it: bool
) -> None:
    """An agent has read a line that only the editor has: it stays where the disk shrinks."""
    read = Candidate("mine\n1\n2\n", "utf-8", has_unsaved=True)
    held = "1\nother\n2\nmore\n"
    base = merge_base((read,), held, after, "utf-8", unsaved="mine\n1\n2\n")
    assert (base == read.text) is is_of_it
