"""What was rejected or undone, told with a prompt, dropped, and kept for another host."""

from __future__ import annotations

import pytest

from tests.support.files.notes_rig import KEY, NotesRig

# --- what was rejected


async def test_what_was_rejected_is_told_from_the_agent_s_text_to_what_is_there(rig: NotesRig):
    rig.saw("a.py", "one\nbad\n")
    rig.reject("a.py", "one\nbad\n", "one\n")
    assert await rig.notes() == {"rejected": "--- a/a.py\n+++ b/a.py\n@@ -1,2 +1 @@\n one\n-bad\n"}
    assert await rig.labels() == ["rejected: a.py"]


async def test_of_several_rejections_in_a_file_the_first_counts(rig: NotesRig):
    rig.reject("a.py", "1\n2\n3\n", "1\n3\n")
    rig.reject("a.py", "1\n3\n", "3\n")
    assert (await rig.notes())["rejected"].endswith("@@ -1,3 +1 @@\n-1\n-2\n 3\n")


async def test_an_undone_creation_is_a_deletion_and_the_other_way_round(rig: NotesRig):
    rig.save("made.py", "x\n")
    rig.reject("made.py", "x\n", None)
    rig.reject("removed.py", None, "y\n")
    assert (await rig.notes())["rejected"] == (
        "made.py: deleted\n\n--- /dev/null\n+++ b/removed.py\n@@ -0,0 +1 @@\n+y\n"
    )
    assert await rig.labels() == ["rejected: 2 files"]


async def test_what_was_redone_is_not_told(rig: NotesRig):
    rig.saw("a.py", "theirs\n")
    rig.reject("a.py", "theirs\n", "mine\n")
    rig.save("a.py", "theirs\n")
    assert await rig.notes() == {}
    await rig.send()
    rig.save("a.py", "later\n")
    assert await rig.labels() == ["changed: a.py"]


async def test_a_rejection_that_is_undone_and_done_again_in_the_buffer_is_told(rig: NotesRig):
    rig.reject("a.py", "theirs\n", "mine\n")
    rig.save("a.py", "theirs\n")
    assert await rig.labels() == []
    rig.save("a.py", "mine\n")
    assert await rig.labels() == ["rejected: a.py"]


async def test_what_the_agent_wrote_elsewhere_in_the_file_stays_out_of_it(rig: NotesRig):
    rig.reject("a.py", "bad\n1\n2\n3\n", "1\n2\n3\n")
    rig.lessons.wrote(KEY, rig.path("a.py"), "1\n2\n3\n", "1\n2\n3\nmore\n")
    rig.save("a.py", "1\n2\n3\nmore\n")
    assert (await rig.notes())["rejected"].endswith("@@ -1,4 +1,3 @@\n-bad\n 1\n 2\n 3\n")


async def test_of_two_rejected_places_the_one_that_the_agent_wrote_anew_is_over(rig: NotesRig):
    rig.reject("a.py", "bad\n1\n2\n3\nworse\n", "1\n2\n3\n")
    rig.lessons.wrote(KEY, rig.path("a.py"), "1\n2\n3\n", "1\n2\n3\nbetter\n")
    rig.save("a.py", "1\n2\n3\nbetter\n")
    assert (await rig.notes())["rejected"].endswith("@@ -1,4 +1,3 @@\n-bad\n 1\n 2\n 3\n")


async def test_what_the_agent_wrote_in_its_place_takes_it_back(rig: NotesRig):
    rig.reject("a.py", "bad\n1\n", "1\n")
    rig.lessons.wrote(KEY, rig.path("a.py"), "1\n", "good\n1\n")
    rig.lessons.wrote(KEY, rig.path("unrelated.py"), "1\n", "2\n")
    rig.save("a.py", "good\n1\n")
    assert await rig.notes() == {}


@pytest.mark.parametrize(("before", "after"), [(None, "new\n"), ("1\n", None)])
async def test_a_file_that_the_agent_makes_or_removes_anew_is_no_rejection(
    rig: NotesRig, before: str | None, after: str | None
):
    rig.reject("a.py", "bad\n1\n", "1\n")
    rig.lessons.wrote(KEY, rig.path("a.py"), before, after)
    rig.save("a.py", after)
    assert await rig.notes() == {}


async def test_what_the_user_changed_before_the_rejection_is_told_as_well(rig: NotesRig):
    """The size is that of what was rejected: the user counts nothing else in that row."""
    rig.saw("a.py", "bad\n1\n2\n3\n4\nz\n")
    rig.reject("a.py", "bad\n1\n2\n3\n4\nmine\n", "1\n2\n3\n4\nmine\n")
    draft = await rig.draft()
    assert [(it.key, it.size) for it in draft.notes] == [("rejected", "+1 −0")]
    told = draft.notes[0].diff.splitlines()
    assert [it for it in told if it[0] in "+-" and it[1] not in "+-"] == ["-bad", "-z", "+mine"]
    await rig.send()
    assert await rig.notes() == {}


async def test_a_file_is_in_one_note_only(rig: NotesRig):
    rig.saw("a.py", "bad\nx\n")
    rig.saw("b.py", "x\n")
    rig.reject("a.py", "bad\nx\n", "y\n")
    rig.save("b.py", "y\n")
    told = await rig.notes()
    assert ("b/a.py" in told["rejected"], "b/a.py" in told["changed"]) == (True, False)
    assert await rig.labels() == ["rejected: a.py", "changed: b.py"]


# --- sending


async def test_what_was_sent_is_not_told_again(rig: NotesRig):
    rig.rejected_and_changed()
    await rig.send()
    assert await rig.notes() == {}
    assert rig.lessons.shown(KEY).notes == ()
    rig.lessons.arrived(KEY)
    rig.save("a.py", "better\n")
    assert (await rig.notes())["changed"].endswith("-good\n+better\n")


async def test_what_happens_between_the_draft_and_the_sending_is_told_later(rig: NotesRig):
    rig.saw("a.py", "x\n")
    rig.save("a.py", "y\n")
    draft = await rig.draft()
    rig.save("a.py", "z\n")
    rig.reject("b.py", "bad\n", "good\n")
    rig.lessons.sent(KEY, draft)
    assert await rig.labels() == ["rejected: b.py", "changed: a.py"]
    assert (await rig.notes())["changed"].endswith("-y\n+z\n")


async def test_a_prompt_that_did_not_reach_the_agent_loses_nothing(rig: NotesRig):
    rig.rejected_and_changed()
    before = await rig.notes()
    await rig.send()
    rig.lessons.failed(KEY)
    assert await rig.notes() == before
    await rig.send()
    rig.lessons.arrived(KEY)
    rig.lessons.failed(KEY)
    assert await rig.notes() == {}


async def test_what_the_agent_has_seen_since_a_failed_prompt_is_not_told(rig: NotesRig):
    rig.saw("a.py", "x\n")
    rig.save("a.py", "y\n")
    await rig.send()
    rig.saw("a.py", "z\n")
    rig.lessons.failed(KEY)
    assert await rig.notes() == {}


async def test_what_the_agent_wrote_in_a_failed_turn_is_no_rejection(rig: NotesRig):
    rig.reject("a.py", "bad\n1\n2\n3\n", "1\n2\n3\n")
    await rig.send()
    rig.lessons.wrote(KEY, rig.path("a.py"), "1\n2\n3\n", "1\n2\n3\nmore\n")
    rig.save("a.py", "1\n2\n3\nmore\n")
    rig.lessons.failed(KEY)
    assert (await rig.notes())["rejected"].endswith("@@ -1,4 +1,3 @@\n-bad\n 1\n 2\n 3\n")


async def test_what_was_rejected_while_a_prompt_failed_is_told_with_the_older(rig: NotesRig):
    rig.reject("a.py", "1\n2\n3\n", "2\n3\n")
    await rig.send()
    rig.reject("a.py", "2\n3\n", "3\n")
    rig.lessons.failed(KEY)
    assert (await rig.notes())["rejected"].endswith("-1\n-2\n 3\n")


# --- dropping


async def test_a_dropped_note_counts_as_told_and_the_other_stays(rig: NotesRig):
    rig.rejected_and_changed()
    await rig.draft()
    rig.lessons.drop(KEY, "changed")
    assert [note.key for note in rig.lessons.shown(KEY).notes] == ["rejected"]
    assert await rig.labels() == ["rejected: a.py"]
    rig.lessons.drop(KEY, "rejected")
    assert rig.lessons.shown(KEY).notes == ()
    assert await rig.labels() == []
    rig.save("b.py", "z\n")
    assert (await rig.notes())["changed"].endswith("-y\n+z\n")


async def test_dropping_what_was_never_shown_forgets_nothing(rig: NotesRig):
    rig.reject("a.py", "bad\n", "good\n")
    rig.lessons.drop(KEY, "rejected")
    assert await rig.labels() == ["rejected: a.py"]


# --- another host


async def later(rig: NotesRig) -> NotesRig:
    """Return the same project when the host is another."""
    rig.store.flush()
    return NotesRig(rig.folder)


async def test_what_was_rejected_is_told_by_another_host_until_the_agent_has_it(rig: NotesRig):
    rig.saw("a.py", "base\n")
    rig.reject("a.py", "bad\n", "base\n")
    told = await rig.notes()
    assert list(told) == ["rejected"]
    rig = await later(rig)
    assert await rig.notes() == told
    await rig.send()
    rig = await later(rig)
    assert await rig.notes() == told, "the agent has not answered"
    await rig.send()
    rig.lessons.failed(KEY)
    rig = await later(rig)
    assert await rig.notes() == told
    await rig.send()
    rig.lessons.arrived(KEY)
    rig = await later(rig)
    assert await rig.notes() == {}


async def test_what_was_rejected_before_counts_though_it_is_taken_up_late(rig: NotesRig):
    rig.reject("a.py", "first\n", "base\n")
    rig = await later(rig)
    rig.reject("a.py", "second\n", "base\n")
    rig.reject("b.py", "b\n", "base\n")
    await rig.lessons.restore()
    told = (await rig.notes())["rejected"]
    assert "-first" in told and "-second" not in told and "-b" in told


@pytest.mark.parametrize("how", ["dropped", "deleted", "done anew"])
async def test_what_is_over_is_not_kept(rig: NotesRig, how: str):
    rig.reject("a.py", "bad\n", "base\n")
    await rig.draft()
    if how == "dropped":
        rig.lessons.drop(KEY, "rejected")
    elif how == "deleted":
        rig.lessons.forget(KEY)
    else:
        rig.lessons.wrote(KEY, rig.path("a.py"), None, "bad\n")
    assert await (await later(rig)).notes() == {}
    assert not list((rig.folder / "kept").glob("*"))
