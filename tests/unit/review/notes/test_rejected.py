"""What was rejected or undone, told with a prompt, dropped, and kept for another host."""

from __future__ import annotations

import pytest

from tests.support.lessons_desk import KEY, Desk

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
    desk.rejected_and_changed()
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
    desk.rejected_and_changed()
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
    desk.rejected_and_changed()
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
