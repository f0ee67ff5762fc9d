"""What the user has changed since the agent last saw it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from acp_nvim.editor import OpenFile
from acp_nvim.errors import EditorError
from acp_nvim.files.knowledge import MOST_KNOWN
from acp_nvim.files.roots import Roots
from acp_nvim.review.notes import Notes, PromptNotes
from tests.support.fakes.fake_ports import FakeFiles
from tests.support.files.notes_rig import KEY, OTHER, NotesRig


async def test_nothing_is_told_of_files_that_are_as_the_agent_knows_them(rig: NotesRig):
    rig.saw("a.py", "x\n")
    rig.save("unknown.py", "y\n")
    assert await rig.notes() == {}
    rig.save("a.py", "z\n")
    rig.save("a.py", "x\n")
    assert await rig.notes() == {}


async def test_what_changed_on_disk_is_told_as_a_diff(rig: NotesRig):
    rig.saw("a.py", "one\ntwo\n")
    rig.save("a.py", "one\n2\n")
    assert await rig.notes() == {
        "changed": "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    }
    assert await rig.labels() == ["changed: a.py"]


async def test_what_is_not_saved_is_told_and_said_to_be_unsaved(rig: NotesRig):
    rig.saw("a.py", "one\n")
    rig.files.open(rig.folder / "a.py", "two")
    assert (await rig.notes())["changed"] == (
        "a.py is not saved: the editor holds this, the disk does not yet.\n"
        "--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-one\n+two\n"
    )
    assert await rig.labels() == ["changed: a.py (unsaved)"]


async def test_an_open_buffer_that_is_not_modified_is_what_the_disk_is(rig: NotesRig):
    rig.saw("a.py", "one\n")
    rig.files.open(rig.folder / "a.py")
    assert await rig.notes() == {}
    rig.save("a.py", "two\n")
    assert await rig.labels() == ["changed: a.py"]


async def test_a_file_that_is_gone_is_named(rig: NotesRig):
    rig.saw("a.py", "one\n")
    rig.save("a.py", None)
    assert await rig.notes() == {"changed": "a.py: deleted\n"}


async def test_a_file_deleted_behind_its_buffer_is_there_for_the_user(rig: NotesRig):
    rig.saw("a.py", "one\n")
    rig.files.open(rig.folder / "a.py")
    rig.save("a.py", None)
    assert await rig.notes() == {}


async def test_a_file_that_was_not_there_and_is_empty_or_still_not_there_is_no_news(rig: NotesRig):
    rig.knows("new.py", "")
    rig.files.buffers[rig.path("new.py")] = rig.files.open(rig.folder / "new.py")
    assert await rig.notes() == {}
    rig.save("new.py", "x\n")
    rig.files.buffers.clear()
    assert "+x\n" in (await rig.notes())["changed"]


async def test_a_file_that_came_where_none_was_is_told_as_new(rig: NotesRig):
    rig.knows("new.py", None)
    rig.save("new.py", "x\n")
    assert await rig.notes() == {"changed": "--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x\n"}


@pytest.mark.parametrize("data", [b"\x7fELF\0\0", None])
async def test_what_is_no_text_any_more_is_named_once(rig: NotesRig, data: bytes | None):
    rig.saw("a.py", "one\n")
    file = rig.folder / "a.py"
    if data is None:
        file.unlink()
        file.mkdir()
    else:
        file.write_bytes(data)
    assert await rig.notes() == {"changed": "a.py: no text any more\n"}
    await rig.send()
    assert await rig.notes() == {}
    rig.lessons.failed(KEY)
    assert await rig.notes() == {"changed": "a.py: no text any more\n"}


async def test_an_unsaved_buffer_with_a_nul_is_no_text(rig: NotesRig):
    rig.saw("a.py", "one\n")
    rig.files.open(rig.folder / "a.py", "a\0b")
    assert (await rig.notes())["changed"] == "a.py: no text any more\n"


async def test_bytes_that_are_no_text_are_no_difference(rig: NotesRig):
    rig.knows("a.py", "caf\udce9\n")
    rig.files.open(rig.folder / "a.py", "caf\udce9")
    assert await rig.notes() == {}


async def test_only_files_of_the_session_s_folders_are_read(rig: NotesRig, tmp_path: Path):
    inner = rig.folder / "project"
    inner.mkdir()
    rig.saw("outside.py", "x\n")
    rig.save("outside.py", "secret\n")
    rig.saw("project/a.py", "x\n")
    rig.save("project/a.py", "y\n")
    rig.saw("projectile.py", "x\n")
    rig.save("projectile.py", "y\n")
    rig.roots = Roots(str(inner))
    assert await rig.labels() == ["changed: a.py"]


async def test_names_are_relative_to_the_folder_behind_a_link(linked: NotesRig):
    linked.saw("a.py", "x\n")
    linked.save("a.py", "y\n")
    assert (await linked.notes())["changed"].startswith("--- a/a.py\n")


async def test_what_the_agent_sees_or_makes_anew_is_no_drift(rig: NotesRig):
    rig.saw("a.py", "one\n")
    rig.save("a.py", "two\n")
    assert await rig.labels() == ["changed: a.py"]
    rig.knows("a.py", "two\n")
    assert await rig.labels() == []


async def test_sessions_know_nothing_of_each_other(rig: NotesRig):
    rig.saw("a.py", "one\n")
    rig.save("a.py", "two\n")
    assert (await rig.lessons.draft(OTHER, rig.roots)).notes == ()
    rig.lessons.forget(KEY)
    assert await rig.labels() == []


async def test_the_memory_is_bounded(rig: NotesRig):
    rig.saw("first.py", "one\n")
    rig.saw("second.py", "one\n")
    rig.knows("first.py", "one\n")
    for number in range(MOST_KNOWN - 1):
        rig.knowledge.learn(KEY, f"/elsewhere/{number}", "", "read")
    rig.save("first.py", "two\n")
    rig.save("second.py", "two\n")
    assert await rig.labels() == ["changed: first.py"]


async def test_an_editor_that_fails_delays_the_notes(rig: NotesRig):
    class Refusing(FakeFiles):
        refuses = True

        async def survey(self, roots: Sequence[str]) -> Sequence[OpenFile]:
            if self.refuses:
                raise EditorError("E565: not now")
            return ()

    editor = Refusing()
    rig.lessons = PromptNotes(
        editor, rig.knowledge, rig.store.lessons, rig.comments, rig.faults.append
    )
    rig.reject("a.py", "bad\n", "good\n")
    await rig.send()
    assert await rig.draft() == Notes()
    assert [str(fault) for fault in rig.faults] == ["E565: not now"] * 2
    editor.refuses = False
    assert await rig.labels() == ["rejected: a.py"]
