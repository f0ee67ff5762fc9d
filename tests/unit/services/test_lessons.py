"""What an agent is told of its files: what was rejected, and what changed behind its back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from acp_nvim.errors import EditorError
from acp_nvim.services.lessons import MOST_KNOWN, Draft, Lessons
from acp_nvim.services.roots import Roots
from acp_nvim.view.note import Key
from acp_nvim.view.unified import unified
from tests.support.fake_ports import FakeFiles
from tests.support.stores import kept_in

KEY = ("tutor", "session-1")
OTHER = ("tutor", "session-2")


class Desk:
    """A project with files and an editor, and what is remembered of one session in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files = FakeFiles()
        self.faults: list[BaseException] = []
        self.store = kept_in(folder / "kept")
        self.lessons = Lessons(self.files, self.faults.append, self.store)
        self.roots = Roots(str(folder))

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def save(self, name: str, text: str | None) -> None:
        """Make the disk hold that, as any program could."""
        file = self.folder / name
        if text is None:
            file.unlink()
        else:
            file.write_text(text, encoding="utf-8", newline="")

    def saw(self, name: str, text: str) -> None:
        """Let the agent see what the disk holds."""
        self.save(name, text)
        self.lessons.knows(KEY, self.path(name), text)

    def reject(self, name: str, theirs: str | None, left: str | None) -> None:
        """Let the user reject something of a file that held `theirs`."""
        self.lessons.rejected(KEY, self.path(name), theirs)
        self.save(name, left)

    async def draft(self) -> Draft:
        return await self.lessons.draft(KEY, self.roots)

    async def told(self) -> dict[Key, str]:
        """Return what the notes say, without the sentence that they begin with."""
        return {note.key: note.diff for note in (await self.draft()).notes}

    async def labels(self) -> list[str]:
        return [note.label for note in (await self.draft()).notes]

    async def send(self) -> None:
        """Let a prompt take along what there is."""
        self.lessons.sent(KEY, await self.draft())


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path.resolve())


@pytest.fixture
def linked(tmp_path: Path) -> Desk:
    """Return a desk whose session was opened in a symlink to the project."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    desk = Desk((tmp_path / "real").resolve())
    desk.roots = Roots(str(tmp_path / "link"))
    return desk


# --- drift


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

    desk.lessons = Lessons(editor := Refusing(), desk.faults.append, kept_in(desk.folder / "kept"))
    desk.reject("a.py", "bad\n", "good\n")
    await desk.send()
    assert await desk.draft() == Draft()
    assert [str(fault) for fault in desk.faults] == ["E565: not now"] * 2
    editor.refuses = False
    assert await desk.labels() == ["rejected: a.py"]


# --- what was rejected


async def test_what_was_rejected_is_told_from_the_agent_s_text_to_what_is_there(desk: Desk):
    desk.saw("a.py", "one\nbad\n")
    desk.reject("a.py", "one\nbad\n", "one\n")
    assert await desk.told() == {"rejected": "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1 @@\n one\n-bad\n"}
    assert await desk.labels() == ["rejected: a.py"]


async def test_of_several_rejections_in_a_file_the_first_counts(desk: Desk):
    desk.reject("a.py", "1\n2\n3\n", "1\n3\n")
    desk.reject("a.py", "1\n3\n", "3\n")
    assert (await desk.told())["rejected"].endswith("@@ -1,3 +1 @@\n-1\n-2\n 3\n")


async def test_an_undone_creation_is_a_deletion_and_the_other_way_round(desk: Desk):
    desk.save("made.py", "x\n")
    desk.reject("made.py", "x\n", None)
    desk.reject("removed.py", None, "y\n")
    assert (await desk.told())["rejected"] == (
        "made.py: deleted\n\n--- /dev/null\n+++ b/removed.py\n@@ -0,0 +1 @@\n+y\n"
    )
    assert await desk.labels() == ["rejected: 2 files"]


async def test_what_was_redone_is_not_told(desk: Desk):
    desk.saw("a.py", "theirs\n")
    desk.reject("a.py", "theirs\n", "mine\n")
    desk.save("a.py", "theirs\n")
    assert await desk.told() == {}
    await desk.send()
    desk.save("a.py", "later\n")
    assert await desk.labels() == ["changed: a.py"]


async def test_a_rejection_that_is_undone_and_done_again_in_the_buffer_is_told(desk: Desk):
    desk.reject("a.py", "theirs\n", "mine\n")
    desk.save("a.py", "theirs\n")
    assert await desk.labels() == []
    desk.save("a.py", "mine\n")
    assert await desk.labels() == ["rejected: a.py"]


async def test_what_the_agent_wrote_elsewhere_in_the_file_stays_out_of_it(desk: Desk):
    desk.reject("a.py", "bad\n1\n2\n3\n", "1\n2\n3\n")
    desk.lessons.wrote(KEY, desk.path("a.py"), "1\n2\n3\n", "1\n2\n3\nmore\n")
    desk.save("a.py", "1\n2\n3\nmore\n")
    assert (await desk.told())["rejected"].endswith("@@ -1,4 +1,3 @@\n-bad\n 1\n 2\n 3\n")


async def test_of_two_rejected_places_the_one_that_the_agent_wrote_anew_is_over(desk: Desk):
    desk.reject("a.py", "bad\n1\n2\n3\nworse\n", "1\n2\n3\n")
    desk.lessons.wrote(KEY, desk.path("a.py"), "1\n2\n3\n", "1\n2\n3\nbetter\n")
    desk.save("a.py", "1\n2\n3\nbetter\n")
    assert (await desk.told())["rejected"].endswith("@@ -1,4 +1,3 @@\n-bad\n 1\n 2\n 3\n")


async def test_what_the_agent_wrote_in_its_place_takes_it_back(desk: Desk):
    desk.reject("a.py", "bad\n1\n", "1\n")
    desk.lessons.wrote(KEY, desk.path("a.py"), "1\n", "good\n1\n")
    desk.lessons.wrote(KEY, desk.path("unrelated.py"), "1\n", "2\n")
    desk.save("a.py", "good\n1\n")
    assert await desk.told() == {}


@pytest.mark.parametrize(("before", "after"), [(None, "new\n"), ("1\n", None)])
async def test_a_file_that_the_agent_makes_or_removes_anew_is_no_rejection(
    desk: Desk, before: str | None, after: str | None
):
    desk.reject("a.py", "bad\n1\n", "1\n")
    desk.lessons.wrote(KEY, desk.path("a.py"), before, after)
    desk.save("a.py", after)
    assert await desk.told() == {}


async def test_a_file_is_in_one_note_only(desk: Desk):
    desk.saw("a.py", "bad\nx\n")
    desk.saw("b.py", "x\n")
    desk.reject("a.py", "bad\nx\n", "y\n")
    desk.save("b.py", "y\n")
    told = await desk.told()
    assert ("b/a.py" in told["rejected"], "b/a.py" in told["changed"]) == (True, False)
    assert await desk.labels() == ["rejected: a.py", "changed: b.py"]


# --- sending


async def test_what_was_sent_is_not_told_again(desk: Desk):
    desk.saw("a.py", "bad\n")
    desk.saw("b.py", "x\n")
    desk.reject("a.py", "bad\n", "good\n")
    desk.save("b.py", "y\n")
    await desk.send()
    assert await desk.told() == {}
    assert desk.lessons.shown(KEY).notes == ()
    desk.lessons.arrived(KEY)
    desk.save("a.py", "better\n")
    assert (await desk.told())["changed"].endswith("-good\n+better\n")


async def test_what_happens_between_the_draft_and_the_sending_is_told_later(desk: Desk):
    desk.saw("a.py", "x\n")
    desk.save("a.py", "y\n")
    draft = await desk.draft()
    desk.save("a.py", "z\n")
    desk.reject("b.py", "bad\n", "good\n")
    desk.lessons.sent(KEY, draft)
    assert await desk.labels() == ["rejected: b.py", "changed: a.py"]
    assert (await desk.told())["changed"].endswith("-y\n+z\n")


async def test_a_prompt_that_did_not_reach_the_agent_loses_nothing(desk: Desk):
    desk.saw("a.py", "bad\n")
    desk.saw("b.py", "x\n")
    desk.reject("a.py", "bad\n", "good\n")
    desk.save("b.py", "y\n")
    before = await desk.told()
    await desk.send()
    desk.lessons.failed(KEY)
    assert await desk.told() == before
    await desk.send()
    desk.lessons.arrived(KEY)
    desk.lessons.failed(KEY)
    assert await desk.told() == {}


async def test_what_the_agent_has_seen_since_a_failed_prompt_is_not_told(desk: Desk):
    desk.saw("a.py", "x\n")
    desk.save("a.py", "y\n")
    await desk.send()
    desk.saw("a.py", "z\n")
    desk.lessons.failed(KEY)
    assert await desk.told() == {}


async def test_what_the_agent_wrote_in_a_failed_turn_is_no_rejection(desk: Desk):
    desk.reject("a.py", "bad\n1\n2\n3\n", "1\n2\n3\n")
    await desk.send()
    desk.lessons.wrote(KEY, desk.path("a.py"), "1\n2\n3\n", "1\n2\n3\nmore\n")
    desk.save("a.py", "1\n2\n3\nmore\n")
    desk.lessons.failed(KEY)
    assert (await desk.told())["rejected"].endswith("@@ -1,4 +1,3 @@\n-bad\n 1\n 2\n 3\n")


async def test_what_was_rejected_while_a_prompt_failed_is_told_with_the_older(desk: Desk):
    desk.reject("a.py", "1\n2\n3\n", "2\n3\n")
    await desk.send()
    desk.reject("a.py", "2\n3\n", "3\n")
    desk.lessons.failed(KEY)
    assert (await desk.told())["rejected"].endswith("-1\n-2\n 3\n")


# --- dropping


async def test_a_dropped_note_counts_as_told_and_the_other_stays(desk: Desk):
    desk.saw("a.py", "bad\n")
    desk.saw("b.py", "x\n")
    desk.reject("a.py", "bad\n", "good\n")
    desk.save("b.py", "y\n")
    await desk.draft()
    desk.lessons.drop(KEY, "changed")
    assert [note.key for note in desk.lessons.shown(KEY).notes] == ["rejected"]
    assert await desk.labels() == ["rejected: a.py"]
    desk.lessons.drop(KEY, "rejected")
    assert desk.lessons.shown(KEY).notes == ()
    assert await desk.labels() == []
    desk.save("b.py", "z\n")
    assert (await desk.told())["changed"].endswith("-y\n+z\n")


async def test_dropping_what_was_never_shown_forgets_nothing(desk: Desk):
    desk.reject("a.py", "bad\n", "good\n")
    desk.lessons.drop(KEY, "rejected")
    assert await desk.labels() == ["rejected: a.py"]


# --- all of it, against a model

TEXT = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("\n".join)
NAME = st.sampled_from(["one.py", "two.py"])
STEP = st.one_of(
    st.tuples(st.just("user edits"), NAME, TEXT),
    st.tuples(st.just("agent reads"), NAME),
    st.tuples(st.just("agent writes"), NAME, TEXT),
    st.tuples(st.sampled_from(["arrives", "fails", "is dropped", "is shown"])),
)


class Model:
    """What the agent takes each file for, by the book."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.live = dict.fromkeys(["one.py", "two.py"], "")
        self.view: dict[str, str] = {}
        self.shown: dict[str, str] = {}
        for name in self.live:
            desk.save(name, "")

    async def step(self, verb: str, *details: str) -> None:
        desk = self.desk
        match (verb, *details):
            case ("user edits", name, text):
                self.live[name] = text
                desk.save(name, text)
            case ("agent reads", name):
                self.view[name] = self.live[name]
                self.shown = {}
                desk.lessons.knows(KEY, desk.path(name), self.live[name])
            case ("agent writes", name, text):
                self.view[name] = self.live[name] = text
                self.shown = {}
                desk.saw(name, text)
            case ("is dropped",):
                desk.lessons.drop(KEY, "changed")
                self.view |= self.shown
                self.shown = {}
            case _:
                await self._prompt(verb)

    async def _prompt(self, verb: str) -> None:
        draft = await self.desk.draft()
        self.shown = {
            name: text
            for name, text in sorted(self.live.items())
            if name in self.view and self.view[name] != text
        }
        diffs = [unified(name, self.view[name], text) for name, text in self.shown.items()]
        assert [note.diff for note in draft.notes] == (["\n".join(diffs)] if diffs else [])
        if verb != "is shown":
            self.desk.lessons.sent(KEY, draft)
            if verb == "arrives":
                self.desk.lessons.arrived(KEY)
                self.view |= self.shown
            else:
                self.desk.lessons.failed(KEY)
            self.shown = {}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=st.lists(STEP, max_size=30))
def test_the_agent_is_told_exactly_what_it_does_not_know(
    tmp_path: Path, steps: list[tuple[str, ...]]
):
    model = Model(Desk(tmp_path.resolve()))

    async def play() -> None:
        for step in steps:
            await model.step(*step)
        await model.step("arrives")
        assert all(model.view[name] == model.live[name] for name in model.view)

    anyio.run(play)


# --- another host


async def later(desk: Desk) -> Desk:
    """Return the same project when the host is another."""
    desk.store.flush()
    return Desk(desk.folder)


async def test_what_was_rejected_is_told_by_another_host_until_the_agent_has_it(desk: Desk):
    desk.saw("a.py", "base\n")
    desk.reject("a.py", "bad\n", "base\n")
    told = await desk.told()
    assert list(told) == ["rejected"]
    desk = await later(desk)
    assert await desk.told() == told
    await desk.send()
    desk = await later(desk)
    assert await desk.told() == told, "the agent has not answered"
    await desk.send()
    desk.lessons.failed(KEY)
    desk = await later(desk)
    assert await desk.told() == told
    await desk.send()
    desk.lessons.arrived(KEY)
    desk = await later(desk)
    assert await desk.told() == {}


async def test_what_was_rejected_before_counts_though_it_is_taken_up_late(desk: Desk):
    desk.reject("a.py", "first\n", "base\n")
    desk = await later(desk)
    desk.reject("a.py", "second\n", "base\n")
    desk.reject("b.py", "b\n", "base\n")
    await desk.lessons.restore()
    told = (await desk.told())["rejected"]
    assert "-first" in told and "-second" not in told and "-b" in told


@pytest.mark.parametrize("how", ["dropped", "deleted", "done anew"])
async def test_what_is_over_is_not_kept(desk: Desk, how: str):
    desk.reject("a.py", "bad\n", "base\n")
    await desk.draft()
    if how == "dropped":
        desk.lessons.drop(KEY, "rejected")
    elif how == "deleted":
        desk.lessons.forget(KEY)
    else:
        desk.lessons.wrote(KEY, desk.path("a.py"), None, "bad\n")
    assert await (await later(desk)).told() == {}
    assert not list((desk.folder / "kept").glob("*"))
