"""What the user has changed since the agent last saw it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from acp_nvim.errors import EditorError
from acp_nvim.files.roots import Roots
from acp_nvim.review.notes import MOST_KNOWN, Notes, PromptNotes
from tests.support.fake_ports import FakeFiles
from tests.support.lessons_desk import KEY, OTHER, Desk
from tests.support.stores import kept_in


async def test_nothing_is_told_of_files_that_are_as_the_agent_knows_them(desk: Desk):
    desk.saw("a.py", "x\n")
    desk.save("unknown.py", "y\n")
    assert await desk.told() == {}
    desk.save("a.py", "z\n")
    desk.save("a.py", "x\n")
    assert await desk.told() == {}


async def test_what_changed_on_disk_is_told_as_a_diff(desk: Desk):
    desk.saw("a.py", "one\ntwo\n")
    desk.save("a.py", "one\n2\n")
    assert await desk.told() == {
        "changed": "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    }
    assert await desk.labels() == ["changed: a.py"]


async def test_what_is_not_saved_is_told_and_said_to_be_unsaved(desk: Desk):
    desk.saw("a.py", "one\n")
    desk.files.open(desk.folder / "a.py", "two")
    assert (await desk.told())["changed"] == (
        "a.py is not saved: the editor holds this, the disk does not yet.\n"
        "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n+two\n"
    )
    assert await desk.labels() == ["changed: a.py (unsaved)"]


async def test_an_open_buffer_that_is_not_modified_is_what_the_disk_is(desk: Desk):
    desk.saw("a.py", "one\n")
    desk.files.open(desk.folder / "a.py")
    assert await desk.told() == {}
    desk.save("a.py", "two\n")
    assert await desk.labels() == ["changed: a.py"]


async def test_a_file_that_is_gone_is_named(desk: Desk):
    desk.saw("a.py", "one\n")
    desk.save("a.py", None)
    assert await desk.told() == {"changed": "a.py: deleted\n"}


async def test_a_file_deleted_behind_its_buffer_is_there_for_the_user(desk: Desk):
    desk.saw("a.py", "one\n")
    desk.files.open(desk.folder / "a.py")
    desk.save("a.py", None)
    assert await desk.told() == {}


async def test_a_file_that_was_not_there_and_is_empty_or_still_not_there_is_no_news(desk: Desk):
    desk.lessons.knows(KEY, desk.path("new.py"), "")
    desk.files.buffers[desk.path("new.py")] = desk.files.open(desk.folder / "new.py")
    assert await desk.told() == {}
    desk.save("new.py", "x\n")
    desk.files.buffers.clear()
    assert "+x\n" in (await desk.told())["changed"]


async def test_a_file_that_came_where_none_was_is_told_as_new(desk: Desk):
    desk.lessons.knows(KEY, desk.path("new.py"), None)
    desk.save("new.py", "x\n")
    assert await desk.told() == {"changed": "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x\n"}


@pytest.mark.parametrize("data", [b"\x7fELF\0\0", None])
async def test_what_is_no_text_any_more_is_named_once(desk: Desk, data: bytes | None):
    desk.saw("a.py", "one\n")
    file = desk.folder / "a.py"
    if data is None:
        file.unlink()
        file.mkdir()
    else:
        file.write_bytes(data)
    assert await desk.told() == {"changed": "a.py: no text any more\n"}
    await desk.send()
    assert await desk.told() == {}
    desk.lessons.failed(KEY)
    assert await desk.told() == {"changed": "a.py: no text any more\n"}


async def test_an_unsaved_buffer_with_a_nul_is_no_text(desk: Desk):
    desk.saw("a.py", "one\n")
    desk.files.open(desk.folder / "a.py", "a\0b")
    assert (await desk.told())["changed"] == "a.py: no text any more\n"


async def test_bytes_that_are_no_text_are_no_difference(desk: Desk):
    desk.lessons.knows(KEY, desk.path("a.py"), "caf\udce9\n")
    desk.files.open(desk.folder / "a.py", "caf\udce9")
    assert await desk.told() == {}


async def test_only_files_of_the_session_s_folders_are_read(desk: Desk, tmp_path: Path):
    inner = desk.folder / "project"
    inner.mkdir()
    desk.saw("outside.py", "x\n")
    desk.save("outside.py", "secret\n")
    desk.saw("project/a.py", "x\n")
    desk.save("project/a.py", "y\n")
    desk.saw("projectile.py", "x\n")
    desk.save("projectile.py", "y\n")
    desk.roots = Roots(str(inner))
    assert await desk.labels() == ["changed: a.py"]


async def test_names_are_relative_to_the_folder_behind_a_link(linked: Desk):
    linked.saw("a.py", "x\n")
    linked.save("a.py", "y\n")
    assert (await linked.told())["changed"].startswith("--- a/a.py\n")


async def test_what_the_agent_sees_or_makes_anew_is_no_drift(desk: Desk):
    desk.saw("a.py", "one\n")
    desk.save("a.py", "two\n")
    assert await desk.labels() == ["changed: a.py"]
    desk.lessons.knows(KEY, desk.path("a.py"), "two\n")
    assert await desk.labels() == []


async def test_sessions_know_nothing_of_each_other(desk: Desk):
    desk.saw("a.py", "one\n")
    desk.save("a.py", "two\n")
    assert (await desk.lessons.draft(OTHER, desk.roots)).notes == ()
    desk.lessons.forget(KEY)
    assert await desk.labels() == []


async def test_the_memory_is_bounded(desk: Desk):
    desk.saw("first.py", "one\n")
    desk.saw("second.py", "one\n")
    desk.lessons.knows(KEY, desk.path("first.py"), "one\n")
    for number in range(MOST_KNOWN - 1):
        desk.lessons.knows(KEY, f"/elsewhere/{number}", "")
    desk.save("first.py", "two\n")
    desk.save("second.py", "two\n")
    assert await desk.labels() == ["changed: first.py"]


async def test_an_editor_that_fails_delays_the_notes(desk: Desk):
    class Refusing(FakeFiles):
        refuses = True

        async def loaded_paths(self, roots: Sequence[str]) -> Sequence[str]:
            if self.refuses:
                raise EditorError("E565: not now")
            return ()

    desk.lessons = PromptNotes(
        editor := Refusing(), desk.faults.append, kept_in(desk.folder / "kept")
    )
    desk.reject("a.py", "bad\n", "good\n")
    await desk.send()
    assert await desk.draft() == Notes()
    assert [str(fault) for fault in desk.faults] == ["E565: not now"] * 2
    editor.refuses = False
    assert await desk.labels() == ["rejected: a.py"]
