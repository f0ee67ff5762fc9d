"""A host that is killed at any moment, and the next one."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from acp_nvim.files import disk
from acp_nvim.review.recovery import GRACE, Recovery
from acp_nvim.storage import private
from tests.support.fakes.fake_ports import FakeFiles
from tests.support.files.baselines import repository
from tests.support.files.file_rig import AGENT, FileRig, author

BASE = "one\ntwo\nthree\nfour\nfive\n"
THEIRS = "one\nTWO\nthree\nfive\n"
MORE = "one\nTWO\nthree\nFIVE\n"
Act = Callable[[FileRig, Path], Awaitable[object]]
MOMENTS: list[tuple[Any, str]] = [
    (private, "write"),
    (disk, "_write"),
    (disk, "remove"),
]


class Kill(BaseException):
    """The process is gone; nothing that follows happens."""


class Knife:
    """Kills at the n-th of the moments before and after anything is written anywhere."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = -1
        for module, name in MOMENTS:
            monkeypatch.setattr(module, name, self.around(getattr(module, name)))
        for name in ("write", "edit", "follow"):
            monkeypatch.setattr(FakeFiles, name, self.around_wait(getattr(FakeFiles, name)))

    def cut(self) -> None:
        """Let a moment pass."""
        if self.left == 0:
            raise Kill
        self.left -= 1

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.cut()
            result = function(*arguments, **options)
            self.cut()
            return result

        return call

    def around_wait(self, function: Callable[..., Any]) -> Callable[..., Any]:
        async def call(*arguments: Any, **options: Any) -> Any:
            self.cut()
            result = await function(*arguments, **options)
            self.cut()
            return result

        return call


@pytest.fixture
def knife(monkeypatch: pytest.MonkeyPatch) -> Knife:
    return Knife(monkeypatch)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path.resolve() / "work"
    made.mkdir()
    return made


def begin(rig: FileRig, by: Any = AGENT) -> None:
    """Say that the turn runs."""
    rig.store.journal.begin(by, (str(rig.folder),))


def next_rig(rig: FileRig, *, neovim: bool = True) -> FileRig:
    """Return the next host's; `neovim`: in another Neovim, too, that has the same files open."""
    rig.kill()
    files = FakeFiles() if neovim else rig.files
    files.before_change = None
    if neovim:
        for path in rig.files.buffers:
            if Path(path).exists():
                files.open(Path(path))
    later = FileRig(rig.folder, files=files)
    later.seconds = rig.seconds
    return later


async def write(rig: FileRig, path: Path) -> None:
    await rig.write(path, THEIRS)


async def write_again(rig: FileRig, path: Path) -> None:
    await rig.write(path, THEIRS)
    await rig.write(path, MORE)


WRITES: dict[str, Act] = {"write": write, "write again": write_again}


async def until_killed(rig: FileRig, knife: Knife, act: Act, moment: int) -> bool:
    """Do it, and kill the host at that moment; return whether it was over before."""
    knife.left = moment
    try:
        await act(rig, rig.folder / "a")
        return True
    except (Kill, BaseExceptionGroup):
        return False
    finally:
        knife.left = -1


async def begun(folder: Path, *, opened: bool, running: bool) -> FileRig:
    """Return the parts in a turn."""
    rig, path = FileRig(folder), folder / "a"
    if opened and path.exists():
        rig.files.open(path)
    await rig.begin()
    if running:
        begin(rig)
    return rig


def text_of(path: Path) -> str | None:
    return path.read_text() if path.exists() else None


@pytest.mark.parametrize("running", [True, False])
@pytest.mark.parametrize("before", ["opened", "closed", "new"])
@pytest.mark.parametrize("act", WRITES)
async def test_a_write_is_in_the_log_or_not_done(
    folder: Path, knife: Knife, act: str, before: str, running: bool
) -> None:
    path, old, is_over = folder / "a", None if before == "new" else BASE, False
    for moment in itertools.count():
        path.unlink(missing_ok=True)
        if old is not None:
            path.write_text(old)
        rig = await begun(folder, opened=before == "opened", running=running)
        is_over = await until_killed(rig, knife, WRITES[act], moment)
        text = text_of(path)
        later = next_rig(rig, neovim=bool(moment % 2))
        await later.restore()
        assert bool(await later.hunks(path)) is (text != old), moment
        if text != old:
            await later.undo(agent="a")
            assert text_of(path) == old, moment
            await later.redo(agent="a")
            assert text_of(path) == text, moment
        clear(later)
        if is_over:
            break
    assert moment > 3


async def reject(rig: FileRig, path: Path) -> None:
    await rig.review.reject(str(path))


async def keep(rig: FileRig, path: Path) -> None:
    await rig.review.keep(str(path))


async def undo(rig: FileRig, path: Path) -> None:
    await rig.undo(agent="a")


async def redo(rig: FileRig, path: Path) -> None:
    await rig.undo(agent="a")
    await rig.redo(agent="a")


DECISIONS: dict[str, Act] = {"reject": reject, "keep": keep, "undo": undo, "redo": redo}


@pytest.mark.parametrize("running", [True, False])
@pytest.mark.parametrize("opened", [True, False])
@pytest.mark.parametrize("act", DECISIONS)
async def test_a_decision_is_in_the_log_or_not_done(
    folder: Path, knife: Knife, act: str, opened: bool, running: bool
) -> None:
    path, is_over = folder / "a", False
    for moment in itertools.count():
        path.write_text(BASE)
        rig = await begun(folder, opened=opened, running=running)
        await rig.write(path, THEIRS)
        is_over = await until_killed(rig, knife, DECISIONS[act], moment)
        text = path.read_text()
        later = next_rig(rig, neovim=bool(moment % 2))
        await later.restore()
        pending = await later.hunks(path)
        assert len(pending) in ((0,) if text == BASE else (0, 2) if act == "keep" else (2,)), moment
        if text == BASE and act == "undo":
            await later.redo(agent="a")
        elif text == THEIRS:
            await later.undo(agent="a")
        assert text == BASE or path.read_text() == BASE, moment
        clear(later)
        if is_over:
            break


def clear(rig: FileRig) -> None:
    """Forget all that was kept."""
    rig.kill()
    kept = rig.folder.with_name(f"{rig.folder.name}.kept")
    for file in [it for it in kept.rglob("*") if it.is_file()]:
        file.unlink()


@pytest.mark.parametrize("git", [True, False])
async def test_what_an_agent_did_by_itself(
    folder: Path, git: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    if git:
        repository(folder, "*.o")
    rig = FileRig(folder)
    changed, gone, same = rig.file(BASE, "a"), rig.file(BASE, "b"), rig.file(BASE, "c")
    seen = rig.file(BASE, "seen")
    await rig.begin()
    begin(rig, author())
    await rig.agent(seen, THEIRS)
    seen.write_text(MORE)
    changed.write_text(THEIRS)
    gone.unlink()
    new = rig.file("new\n", "new")
    rig.store.journal.beat()
    later = next_rig(rig)
    later.files.open(changed)
    await later.restore()
    assert later.said == ["gemini's turn was cut off, 4 files have changed: :Acp review"]
    assert await later.hunks(changed) == [(1, "two", "TWO"), (3, "four", "")]
    assert await later.hunks(seen) == [(1, "two", "TWO"), (3, "four|five", "FIVE")]
    await later.undo()
    assert [it.read_text() for it in (changed, gone, same, seen)] == [BASE] * 4
    assert not new.exists()
    last = next_rig(later)
    await last.restore()
    assert last.said == []
    assert list(Path(str(folder) + ".kept", "turns").glob("*.turns")) == []


async def test_what_the_user_saved_in_the_turn_is_not_the_agents(folder: Path) -> None:
    rig = FileRig(folder)
    mine, theirs = rig.file(BASE, "a"), rig.file(BASE, "b")
    rig.files.open(mine)
    await rig.begin()
    begin(rig, author())
    rig.files.type(mine, "mine")
    rig.files.save(mine)
    await rig.look(mine, None)
    theirs.write_text(THEIRS)
    rig.store.journal.beat()
    later = next_rig(rig)
    await later.restore()
    assert await later.hunks(mine) == []
    await later.undo()
    assert (mine.read_text(), theirs.read_text()) == ("mine\n", BASE)


async def test_a_buffer_with_the_users_lines_follows_what_came_last(
    folder: Path,
) -> None:
    rig = FileRig(folder)
    path = rig.file(BASE)
    rig.files.open(path)
    await rig.begin()
    begin(rig, author())
    rig.files.type(path, "mine", *BASE.split())
    await rig.agent(path, THEIRS)
    path.write_text(MORE)  # the host is killed before it has seen that
    rig.store.journal.beat()
    later = next_rig(rig, neovim=False)
    await later.restore()
    assert rig.files.lines(path) == ["mine", *MORE.split()]


@pytest.mark.parametrize("becomes", ["bytes", "folder", "link"])
async def test_a_file_that_has_become_something_else_hides_no_other(
    folder: Path, becomes: str
) -> None:
    rig = FileRig(folder)
    other, path = rig.file(BASE, "a"), rig.file(BASE, "b")
    await rig.begin()
    begin(rig, author())
    await rig.agent(path, THEIRS)
    other.write_text(THEIRS)
    path.unlink()
    if becomes == "bytes":
        path.write_bytes(b"\0\1\2")
    elif becomes == "folder":
        path.mkdir()
    else:
        path.symlink_to(other)
    rig.store.journal.beat()
    later = next_rig(rig)
    await later.restore()
    assert await later.hunks(other) == [(1, "two", "TWO"), (3, "four", "")]
    await later.undo()
    assert other.read_text() == BASE


@pytest.mark.parametrize("is_noted", [True, False])
async def test_nobody_looks_before_the_books_have_all_of_it(folder: Path, is_noted: bool) -> None:
    """Who draws the review does when there is a log, and would take it for the user's."""
    rig = FileRig(folder)
    path = rig.file(BASE)
    await rig.begin()
    begin(rig, author())
    await rig.agent(path, THEIRS, author())
    rig.store.write()
    if is_noted:
        await rig.agent(path, MORE, author())
    path.write_text(MORE)
    rig.store.journal.beat()
    later = next_rig(rig)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(later.restore)
        with anyio.fail_after(10):
            while not later.edits.paths():
                await anyio.lowlevel.checkpoint()
        await later.review.look(str(path))
    await later.undo()
    assert path.read_text() == BASE


async def test_what_changed_after_the_death_is_nobodys(folder: Path) -> None:
    rig = FileRig(folder)
    late, theirs = rig.file(BASE, "a"), rig.file(BASE, "b")
    await rig.begin()
    begin(rig, author())
    theirs.write_text(THEIRS)
    rig.store.journal.beat()
    died = max(it.stat().st_mtime_ns for it in Path(f"{folder}.kept", "turns").glob("*.turns"))
    while theirs.with_name("new").exists() is False or late.stat().st_ctime_ns <= died + GRACE:
        late.write_text(MORE)
        rig.file("new\n", "new")
    later = next_rig(rig)
    await later.restore()
    assert later.said == [
        f"gemini's turn was cut off, 1 file has changed in {folder}: :Acp review; "
        "changed after gemini was cut off, so not its: a, new",
    ]
    await later.undo()
    texts = late.read_text(), theirs.read_text(), (folder / "new").read_text()
    assert texts == (MORE, BASE, "new\n")


async def test_a_turn_that_has_ended_was_not_killed(folder: Path) -> None:
    rig = FileRig(folder)
    path = rig.file(BASE)
    await rig.begin()
    begin(rig, author())
    await rig.agent(path, THEIRS)
    rig.store.journal.end(author())
    path.write_text(MORE)
    later = next_rig(rig)
    await later.restore()
    assert (later.said, len(later.edits.changes(str(path)))) == ([], 2)
    assert later.edits.file(str(path)).text == THEIRS  # type: ignore[union-attr]


async def test_a_project_that_is_not_there_is_looked_at_later(folder: Path) -> None:
    rig = FileRig(folder)
    path = rig.file(BASE)
    await rig.begin()
    begin(rig, author())
    path.write_text(THEIRS)
    rig.store.journal.beat()
    away = folder.with_name("away")
    folder.rename(away)
    later = next_rig(rig)
    await later.restore()
    assert later.edits.paths() == ()
    away.rename(folder)
    last = next_rig(later)
    await last.restore()
    assert last.edits.paths() == (str(path),)


async def test_a_host_that_lives_is_let_alone(folder: Path) -> None:
    rig = FileRig(folder)
    path = rig.file(BASE)
    await rig.begin()
    begin(rig, author())
    path.write_text(THEIRS)
    other = FileRig(folder)
    await other.restore()
    assert (other.said, other.edits.paths()) == ([], ())


async def test_what_the_books_have_is_not_counted_twice(folder: Path) -> None:
    rig = FileRig(folder)
    path = rig.file("0\n")
    await rig.begin()
    begin(rig)
    for text in ("0\n1\n", "0\n", "0\n1\n"):
        await rig.write(path, text)
        rig.store.write()
    later = next_rig(rig)
    await later.restore()
    assert later.edits.file(str(path)) == rig.edits.file(str(path))


async def test_a_conflict_stands_after_a_kill(folder: Path) -> None:
    rig = FileRig(folder)
    path = rig.file(BASE)
    rig.files.open(path)
    await rig.begin()
    begin(rig)
    rig.files.type(path, *BASE.replace("two", "mine").split())
    await rig.failure(path, THEIRS)
    later = next_rig(rig, neovim=False)
    await later.restore()
    (conflict,) = later.edits.conflicts()
    assert (conflict.theirs, conflict.author) == (THEIRS, AGENT)
    await later.review.resolve(conflict, take=True)
    assert await later.hunks(path) != []
    last = next_rig(later, neovim=False)
    await last.restore()
    assert last.edits.conflicts() == ()


async def test_a_host_is_killed_while_it_takes_up_what_another_has_left(
    folder: Path, knife: Knife
) -> None:
    is_over = False
    for moment in itertools.count():
        rig = FileRig(folder)
        written, run, new = rig.file(BASE, "a"), rig.file(BASE, "b"), folder / "new"
        new.unlink(missing_ok=True)
        await rig.begin()
        begin(rig)
        await rig.write(written, THEIRS)
        rig.store.write()
        await rig.write(written, BASE)
        await rig.write(written, THEIRS)
        run.write_text(THEIRS)
        new.write_text("new\n")
        rig.store.journal.beat()
        later = next_rig(rig)
        is_over = await until_killed(later, knife, restore, moment)
        last = next_rig(later)
        await last.restore()
        for path in (written, run):
            assert await last.hunks(path) == [(1, "two", "TWO"), (3, "four", "")], moment
        await last.undo(agent="a")
        assert (written.read_text(), run.read_text(), new.exists()) == (BASE, BASE, False), moment
        clear(last)
        if is_over:
            break
    assert moment > 3


async def restore(rig: FileRig, path: Path) -> None:
    await rig.restore()


@pytest.mark.parametrize("rest", [b"", b"\0" * 99, None], ids=["empty", "zeros", "half"])
async def test_what_a_loss_of_power_has_cut_off_is_told_once(
    folder: Path, rest: bytes | None
) -> None:
    rig = FileRig(folder)
    path, other = rig.file(BASE), rig.file(BASE, "other")
    await rig.agent(path, THEIRS)
    await rig.agent(other, THEIRS)
    rig.store.flush()
    kept = sorted(folder.with_name(f"{folder.name}.kept").glob("*.history"))
    whole = {it: it.read_bytes() for it in kept}
    kept[0].write_bytes(whole[kept[0]][:99] if rest is None else rest)
    later = next_rig(rig)
    await later.recovery.run()
    assert later.said == [
        "1 record of the review lost: cut off in the middle, as by a loss of power"
    ]
    assert len(later.edits.paths()) == 1
    last = next_rig(later)
    await last.recovery.run()
    assert (last.said, last.edits.paths()) == ([], later.edits.paths())


async def test_what_cannot_be_taken_up_of_one_host_hides_no_other(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, projects = folder.with_name("kept"), (folder / "one", folder / "two")
    for project in projects:
        project.mkdir()
        rig = FileRig(project, kept)
        path = rig.file(BASE)
        await rig.begin()
        begin(rig, author())
        path.write_text(THEIRS)
        rig.store.journal.beat()
        rig.kill()
    later, recall = FileRig(folder, kept), Recovery._recall
    failing = [ZeroDivisionError("nobody expects it")]

    async def fail_once(*arguments: Any) -> tuple[str, ...]:
        if failing:
            raise failing.pop()
        return await recall(*arguments)

    monkeypatch.setattr(Recovery, "_recall", fail_once)
    await later.recovery.run()
    assert len(later.edits.paths()) == 1
    assert [str(later.faults.pop())] == ["nobody expects it"]
    later.kill()
    last = FileRig(folder, kept)
    await last.recovery.run()
    assert set(last.edits.paths()) == {str(it / "a") for it in projects}


async def test_a_turn_in_no_folder_hides_no_other(folder: Path) -> None:
    rig = FileRig(folder)
    path = rig.file(BASE)
    await rig.begin()
    rig.store.journal.begin(author(session="t"), ())
    begin(rig, author())
    path.write_text(THEIRS)
    rig.store.journal.beat()
    later = next_rig(rig)
    await later.recovery.run()
    assert later.edits.paths() == (str(path),)
