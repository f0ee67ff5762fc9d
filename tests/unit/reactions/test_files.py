"""What follows from what happens to files: who is told of what."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

from acp_nvim.files.event import Conflicted, ConflictSettled, FileEvent
from acp_nvim.history.conflict import Conflict
from acp_nvim.reactions.files import REACTIONS
from tests.support.files.file_rig import AGENT, FileRig

KEY = (AGENT.agent, AGENT.session)


@pytest.fixture
def rig(tmp_path: Path) -> FileRig:
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    return FileRig(folder, tmp_path / "kept")


async def notes(rig: FileRig) -> list[str]:
    """Return the keys of what the agent would be told."""
    return [note.key for note in (await rig.lessons.draft(KEY, rig.roots)).notes]


def test_something_follows_from_every_event() -> None:
    assert set(REACTIONS) == set(get_args(FileEvent))
    assert all(REACTIONS.values())


async def test_what_an_agent_has_made_on_disk_it_knows(rig: FileRig) -> None:
    path = rig.file("one\n")
    await rig.agent(path, "two\n", AGENT)
    assert len(rig.edits.changes(str(path))) == 1
    assert rig.knowledge.of(KEY, str(path)).how == "left"
    assert await notes(rig) == []
    rig.file("mine\n")
    assert await notes(rig) == ["changed"]


async def test_of_unsaved_edits_the_agent_knows_only_the_disk(rig: FileRig) -> None:
    path = rig.file("one\n")
    rig.files.open(path)
    await rig.begin()
    rig.files.type(path, "mine", "one")
    await rig.agent(path, "one\ntheirs\n", AGENT)
    assert rig.files.lines(path) == ["mine", "one", "theirs"]
    assert await notes(rig) == ["changed"]


async def test_a_text_that_is_not_known_is_nothing_to_compare_with(rig: FileRig) -> None:
    path = rig.file("one\n")
    rig.knowledge.learn(KEY, str(path), "one\n", "told")
    rig.knowledge.unlearn(KEY, str(path))
    rig.file("mine\n")
    assert await notes(rig) == []


async def test_nobody_is_told_of_what_changes_nothing(rig: FileRig) -> None:
    path = rig.file("one\n")
    await rig.begin()
    path.touch()
    await rig.look(path)
    assert (rig.edits.paths(), rig.events, await notes(rig)) == ((), [], [])


async def test_of_a_write_through_us_the_agent_knows_what_it_wrote(rig: FileRig) -> None:
    path = rig.file("one\ntwo\nthree\n")
    rig.files.open(path)
    await rig.begin()
    rig.files.type(path, "one", "two", "mine")
    await rig.write(path, "1\ntwo\nthree\n")
    assert rig.edits.paths() == (str(path),)
    assert rig.knowledge.of(KEY, str(path)).text == "1\ntwo\nthree\n"
    assert await notes(rig) == ["changed"]


@pytest.mark.parametrize("way", ["write", "agent"])
async def test_what_an_agent_makes_anew_is_no_rejection_any_more(rig: FileRig, way: str) -> None:
    path = rig.file("one\n")
    await rig.begin()
    rig.lessons.rejected(KEY, str(path), "two\n")
    assert await notes(rig) == ["rejected"]
    made: dict[str, Callable[[], object]] = {
        "write": lambda: rig.write(path, "three\n"),
        "agent": lambda: rig.agent(path, "three\n", AGENT),
    }
    await made[way]()  # type: ignore[misc]
    assert await notes(rig) == []


def test_conflicts_are_for_the_log(rig: FileRig) -> None:
    conflict = Conflict("/a", AGENT, "base", "theirs", ((0, 1),), on_disk=True)
    rig.on_file(Conflicted(conflict))
    assert rig.edits.conflicts() == (conflict,)
    rig.on_file(ConflictSettled("/a"))
    assert rig.edits.conflicts() == ()


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        ("theirs", "you and a have both changed line 1 of b: :Acp review"),
        ("", "a has removed b, what you have not saved stays: :Acp review"),
    ],
)
def test_the_user_is_told_what_stands_against_their_text(
    rig: FileRig, theirs: str, said: str
) -> None:
    conflict = Conflict(str(rig.folder / "b"), AGENT, "base", theirs, ((0, 1),), on_disk=True)
    rig.on_file(Conflicted(conflict, tell=True))
    assert rig.notifier.notices == [said]
