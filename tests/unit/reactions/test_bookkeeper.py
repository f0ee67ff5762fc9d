"""Who is told of what agents have done to files."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.files.baselines.baselines import UNKNOWN, Unknown
from acp_nvim.files.roots import Roots
from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import Author
from acp_nvim.reactions.bookkeeper import Bookkeeper
from acp_nvim.review.log import EditLog
from acp_nvim.review.notes import PromptNotes
from tests.support.fake_ports import FakeFiles
from tests.support.review_desk import author
from tests.support.stores import kept_in

KEY = ("gemini", "s")


class Office:
    """Books, and what agents know, over a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        store = kept_in(folder)
        self.edits = EditLog(store, now=lambda: 0.0, changed=lambda path: None)
        self.lessons = PromptNotes(FakeFiles(), self._fault, store)
        self.on_disk: dict[str, str | Unknown | None] = {}
        self.written: list[tuple[Author, str]] = []

    def _fault(self, error: BaseException) -> None:
        raise error

    def by_tools(self) -> Bookkeeper:
        """Return who is told of writes by an agent's own tools."""
        return Bookkeeper(
            self.edits,
            self.lessons,
            seen=self.on_disk.get,
            on_written=lambda by, path: self.written.append((by, path)),
        )

    async def notes(self) -> list[str]:
        """Return the keys of what the agent would be told."""
        draft = await self.lessons.draft(KEY, Roots(str(self.folder)))
        return [note.key for note in draft.notes]


@pytest.fixture
def office(tmp_path: Path) -> Office:
    return Office(tmp_path.resolve())


async def test_what_an_agent_has_made_on_disk_it_knows(office: Office) -> None:
    path = office.folder / "a"
    office.on_disk[str(path)] = "two\n"
    office.by_tools().wrote(str(path), "one\n", "two\n", author())
    assert len(office.edits.changes(str(path))) == 1
    assert office.written == [(author(), str(path))]
    path.write_text("two\n")
    assert await office.notes() == []
    path.write_text("mine\n")
    assert await office.notes() == ["changed"]


async def test_of_unsaved_edits_the_agent_knows_only_the_disk(office: Office) -> None:
    path = office.folder / "a"
    office.on_disk[str(path)] = "one\ntheirs\n"
    office.by_tools().wrote(str(path), "mine\n", "mine\ntheirs\n", author())
    path.write_text("mine\ntheirs\n")
    assert await office.notes() == ["changed"]


async def test_a_text_that_is_not_known_is_nothing_to_compare_with(office: Office) -> None:
    path = office.folder / "a"
    office.on_disk[str(path)] = UNKNOWN
    office.by_tools().wrote(str(path), "one\n", "two\n", author())
    path.write_text("mine\n")
    assert await office.notes() == []


async def test_nobody_is_told_of_what_changes_nothing(office: Office) -> None:
    path = office.folder / "a"
    office.on_disk[str(path)] = "one\n"
    office.by_tools().wrote(str(path), "one\n", "one\n", author())
    path.write_text("mine\n")
    assert (office.edits.paths(), office.written, await office.notes()) == ((), [], [])


async def test_a_write_through_us_tells_what_is_known_in_its_own_way(office: Office) -> None:
    path = office.folder / "a"
    Bookkeeper(office.edits, office.lessons).wrote(str(path), "one\n", "two\n", author())
    path.write_text("mine\n")
    assert office.edits.paths() == (str(path),)
    assert (office.written, await office.notes()) == ([], [])


async def test_what_an_agent_makes_anew_is_no_rejection_any_more(office: Office) -> None:
    path = office.folder / "a"
    path.write_text("one\n")
    office.lessons.rejected(KEY, str(path), "two\n")
    assert await office.notes() == ["rejected"]
    Bookkeeper(office.edits, office.lessons).wrote(str(path), "one\n", "three\n", author())
    path.write_text("three\n")
    assert await office.notes() == []


def test_conflicts_are_for_the_books(office: Office) -> None:
    conflict = Conflict("/a", author(), "base", "theirs", ((0, 1),), on_disk=True)
    keeper = office.by_tools()
    keeper.conflicted(conflict)
    assert office.edits.conflicts() == (conflict,)
    keeper.settled("/a")
    assert office.edits.conflicts() == ()
