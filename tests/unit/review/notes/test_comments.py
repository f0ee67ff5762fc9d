"""What the user says on the code goes along with the next prompt, beside what was rejected."""

from __future__ import annotations

import anyio
import pytest
from anyio import wait_all_tasks_blocked

from acp_nvim.editor import Files
from acp_nvim.files.live import LiveFile, load
from acp_nvim.session.content import Text
from tests.support.files.notes_rig import KEY, NotesRig

TEXT = "one\ntwo\nthree\n"


def comment(rig: NotesRig, name: str, row: int, text: str) -> None:
    line = (rig.folder / name).read_text().splitlines()[row]
    rig.comments.add(rig.path(name), row, [line], text)


async def test_a_comment_is_told_with_its_place_and_its_lines(rig: NotesRig) -> None:
    rig.save("a.py", TEXT)
    comment(rig, "a.py", 1, "why two?")
    rig.save("a.py", "new\n" + TEXT)
    (note,) = (await rig.draft()).notes
    assert (note.key, note.label) == ("comments", "commented: a.py")
    assert note.text.endswith(":\n\na.py:3\n> two\nwhy two?\n")
    assert note.content(embedded=True) == Text(note.text)


async def test_comments_stand_before_what_was_rejected(rig: NotesRig) -> None:
    rig.rejected_and_changed()
    comment(rig, "b.py", 0, "why y?")
    assert [it.key for it in (await rig.draft()).notes] == ["comments", "rejected", "changed"]


async def test_what_the_agent_has_is_gone_and_what_failed_waits(rig: NotesRig) -> None:
    rig.save("a.py", TEXT)
    comment(rig, "a.py", 1, "why two?")
    await rig.send()
    assert not (await rig.draft()).notes
    rig.lessons.failed(KEY)
    assert await rig.labels() == ["commented: a.py"]
    await rig.send()
    comment(rig, "a.py", 0, "meanwhile")
    rig.lessons.arrived(KEY)
    assert (await rig.notes())["comments"] == "a.py:1\n> one\nmeanwhile\n"


async def test_comments_that_are_kept_back_go_with_the_prompt_after(rig: NotesRig) -> None:
    rig.save("a.py", TEXT)
    comment(rig, "a.py", 1, "why two?")
    await rig.draft()
    rig.lessons.drop(KEY, "comments")
    assert not rig.lessons.shown(KEY).notes
    await rig.send()
    rig.lessons.arrived(KEY)
    assert await rig.labels() == ["commented: a.py"]


async def test_comments_of_other_projects_stay(rig: NotesRig) -> None:
    other = rig.folder.with_name("other.py")
    other.write_text("x\n")
    rig.comments.add(str(other), 0, ["x"], "not here")
    assert not (await rig.draft()).notes


async def test_they_outlive_the_host_and_find_their_lines(rig: NotesRig) -> None:
    rig.save("a.py", TEXT)
    comment(rig, "a.py", 1, "why two?")
    comment(rig, "a.py", 2, "and three?")
    await rig.send()
    rig.store.flush()
    rig.save("a.py", "new\nnewer\n" + TEXT)
    again = NotesRig(rig.folder)
    assert (await again.notes())["comments"] == (
        "a.py:4\n> two\nwhy two?\n\na.py:5\n> three\nand three?\n"
    )
    await again.send()
    again.lessons.arrived(KEY)
    again.store.flush()
    assert not (await NotesRig(rig.folder).draft()).notes


async def test_removing_takes_only_what_is_there(rig: NotesRig) -> None:
    rig.save("a.py", TEXT)
    comment(rig, "a.py", 1, "why two?")
    comment(rig, "a.py", 2, "and three?")

    async def rows() -> range:
        return range(0, 2)

    assert await rig.comments.remove(rig.path("a.py"), rows) == 1
    assert await rig.comments.remove(rig.path("a.py"), rows) == 0
    assert (await rig.notes())["comments"] == "a.py:3\n> three\nand three?\n"


async def test_who_looks_at_once_sees_them_at_one_place(
    rig: NotesRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slowly(files: Files, path: str) -> LiveFile:
        live = await load(files, path)
        await wait_all_tasks_blocked()
        return live

    monkeypatch.setattr("acp_nvim.review.comments.load", slowly)
    rig.save("a.py", TEXT)
    comment(rig, "a.py", 1, "why two?")
    path = rig.path("a.py")
    await rig.comments.look(path)
    rig.save("a.py", "new\nnewer\n" + TEXT)
    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(rig.comments.look, path)
    assert [(it.first, it.lines) for it in await rig.comments.look(path)] == [(3, ("two",))]


async def test_lines_that_are_gone_are_named_so(rig: NotesRig) -> None:
    rig.save("a.py", TEXT)
    comment(rig, "a.py", 1, "why two?")
    await rig.draft()
    rig.save("a.py", "one\nthree\n")
    assert (await rig.notes())["comments"] == "a.py:2 (these lines are gone)\n> two\nwhy two?\n"
    (rig.folder / "a.py").unlink()
    assert "why two?" in (await rig.notes())["comments"]


# --- reasons


def reject(rig: NotesRig, name: str, theirs: str, left: str, because: str) -> None:
    rig.lessons.rejected(KEY, rig.path(name), theirs, left, because)
    rig.save(name, left)


async def test_a_reason_goes_with_the_rejection(rig: NotesRig) -> None:
    rig.saw("a.py", "bad\n")
    reject(rig, "a.py", "bad\n", "good\n", "it hides the error")
    (note,) = (await rig.draft()).notes
    assert note.reasons == "a.py: it hides the error"
    assert note.text.index("it hides the error") < note.text.index("-bad\n+good\n")
    assert note.has_words


async def test_a_rejection_that_was_taken_back_takes_its_reason_along(rig: NotesRig) -> None:
    rig.saw("a.py", "bad\nsame\nworse\n")
    reject(rig, "a.py", "bad\nsame\nworse\n", "good\nsame\nworse\n", "first")
    reject(rig, "a.py", "good\nsame\nworse\n", "good\nsame\nbetter\n", "second")
    assert (await rig.draft()).notes[0].reasons == "a.py: first\na.py: second"
    rig.save("a.py", "good\nsame\nworse\n")
    assert (await rig.draft()).notes[0].reasons == "a.py: first"


@pytest.mark.parametrize("end", ["arrived", "failed"])
async def test_reasons_are_told_once_or_again(rig: NotesRig, end: str) -> None:
    rig.saw("a.py", "bad\n")
    reject(rig, "a.py", "bad\n", "good\n", "it hides the error")
    await rig.send()
    getattr(rig.lessons, end)(KEY)
    said = [it.reasons for it in (await rig.draft()).notes]
    assert said == ([] if end == "arrived" else ["a.py: it hides the error"])


async def test_a_reason_outlives_the_host(rig: NotesRig) -> None:
    rig.saw("a.py", "bad\n")
    reject(rig, "a.py", "bad\n", "good\n", "it hides the error")
    rig.store.flush()
    (note,) = (await NotesRig(rig.folder).draft()).notes
    assert note.reasons == "a.py: it hides the error"


async def test_one_that_is_told_while_its_file_is_read_does_not_come_back(
    rig: NotesRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.save("a.py", TEXT)
    comment(rig, "a.py", 1, "why two?")
    (said,) = await rig.comments.look(rig.path("a.py"))

    async def slowly(files: Files, path: str) -> LiveFile:
        live = await load(files, path)
        rig.comments.told(rig.comments.sent((said,)))
        return live

    monkeypatch.setattr("acp_nvim.review.comments.load", slowly)
    assert not await rig.comments.look(rig.path("a.py"))
    assert not rig.comments.paths()


async def test_what_another_neovim_has_sent_is_not_sent_again(rig: NotesRig) -> None:
    rig.save("a.py", TEXT)
    comment(rig, "a.py", 1, "why two?")
    await rig.draft()
    rig.store.flush()
    other = NotesRig(rig.folder)
    assert await other.labels() == ["commented: a.py"]
    await other.send()
    other.lessons.arrived(KEY)
    comment(other, "a.py", 0, "why one?")
    other.store.flush()
    comment(rig, "a.py", 2, "why three?")
    assert (await rig.notes())["comments"] == "a.py:3\n> three\nwhy three?\n"
    rig.store.flush()
    assert "why one?" in (await NotesRig(rig.folder).notes())["comments"]


async def test_what_another_neovim_says_meanwhile_is_seen_when_asked(rig: NotesRig) -> None:
    rig.save("a.py", TEXT)
    comment(rig, "a.py", 1, "why two?")
    rig.store.flush()
    other = NotesRig(rig.folder)
    assert await other.comments.refresh()
    assert not await other.comments.refresh()
    comment(rig, "a.py", 2, "why three?")
    rig.store.flush()
    other.changed.clear()
    assert await other.comments.refresh()
    assert other.changed == [rig.path("a.py")]
    said = [it.text for it in await other.comments.look(rig.path("a.py"))]
    assert said == ["why two?", "why three?"]
    (first, _) = await rig.comments.look(rig.path("a.py"))

    async def rows() -> range:
        return range(first.first, first.last)

    assert await rig.comments.remove(rig.path("a.py"), rows) == 1
    assert not await rig.comments.refresh()  # not written yet, and gone for who took it back
    rig.store.flush()
    assert await other.comments.refresh()
    assert [it.text for it in await other.comments.look(rig.path("a.py"))] == ["why three?"]
