"""A host is killed in the middle of `:Acp undo`, `:Acp redo` or `:Acp reject`: it is done again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import dying
from tests.support.agents.agent_edits import answer, looked, put, tool, write
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 11))
THEIRS = LINES.replace("line 3\n", "line three\n").replace("line 8\n", "")
MOMENTS = [("noted", 1), ("put", 3), ("booked", 5)]
"""In the first, the third and the last of the files; the last: nothing is left to be done."""


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[MainJob]:
    """Yield a job whose host can be made to die."""
    monkeypatch.setenv(dying.VARIABLE, str(tmp_path / "death"))
    with MainJob() as started:
        yield started


class Turn:
    """A turn that has changed five files, each in another way; one has text that is not saved."""

    def __init__(self, job: MainJob) -> None:
        self.job = job
        names = ("a-new", "b-closed", "c-opened", "d-mine", "e-gone")
        new, closed, opened, mine, gone = (job.work / name for name in names)
        self.mine = mine
        self.before: dict[Path, str | None] = dict.fromkeys((closed, opened, mine, gone), LINES)
        for path in self.before:
            put(path, LINES)
        self.before[new] = None
        self.after: dict[Path, str | None] = dict.fromkeys(self.before, THEIRS) | {gone: None}
        agent = job.start()
        for path in (opened, mine):
            job.edit(path.name, LINES)
        prompt = job.turn(agent)
        for path in (new, opened, mine):
            assert write(agent, path, THEIRS)["result"] == {}
        tool(agent, closed, THEIRS, call="one")
        tool(agent, gone, None, call="another")
        job.finish(agent, prompt)
        looked(job)
        job.command(f"wincmd t | edit {mine}")
        job.nvim.input("ggOmine<Esc>")
        answer(job, to_take=True)

    def has(self, texts: dict[Path, str | None]) -> bool:
        """Tell whether all files are like that, with the user's line in one of them."""
        return all(self._text(path) == text for path, text in texts.items())

    def _text(self, path: Path) -> str | None:
        if path != self.mine:
            return path.read_text() if path.exists() else None
        first, *others = self.job.nvim.lua("return vim.fn.getbufline(...)", str(path), 1, "$")
        assert first == "mine"
        return "".join(f"{line}\n" for line in others)

    def killed(self, command: str, moment: str, count: int) -> None:
        """Give the command, of which the host dies."""
        dying.after(moment, count)
        self.job.command(command)
        self.job.told("the host ended")
        assert dying.is_over()
        self.job.command("messages clear")

    def done(self, command: str, said: str) -> None:
        """Give the command, and wait until it is done, or was already."""
        self.job.command(command)
        words = (said, "nothing to", "no turn has changed anything", "already undone")
        self.job.until(lambda: any(it in self.job.nvim.messages() for it in words))
        self.job.usable()
        self.job.command("messages clear")


@pytest.mark.parametrize(("moment", "count"), MOMENTS)
def test_an_undo(job: MainJob, moment: str, count: int) -> None:
    turn = Turn(job)
    turn.killed("Acp undo", moment, count)
    turn.done("Acp undo", "undid turn 1")
    assert turn.has(turn.before)
    while not turn.has(turn.after):  # what was taken back before the death is an undo of its own
        turn.done("Acp redo", "turn 1 of scripted is back")


@pytest.mark.parametrize(("moment", "count"), MOMENTS[1:2])
def test_a_redo(job: MainJob, moment: str, count: int) -> None:
    turn = Turn(job)
    turn.done("Acp undo", "undid turn 1")
    turn.killed("Acp redo", moment, count)
    turn.done("Acp redo", "turn 1 of scripted is back")
    assert turn.has(turn.after)
    turn.done("Acp undo", "undid turn 1")
    assert turn.has(turn.before)


@pytest.mark.parametrize(("moment", "count"), MOMENTS[1:2])
def test_a_reject(job: MainJob, moment: str, count: int) -> None:
    turn = Turn(job)
    turn.killed("Acp reject all", moment, count)
    turn.done("Acp reject all", "rejected")
    assert turn.has(turn.before)
    assert not [it for it in job.inspect()["edits"] if it["hunks"]]


@pytest.mark.parametrize("moment", ["noted", "put"])
def test_an_undo_of_a_file_that_somebody_changes_before_the_next_host(
    job: MainJob, moment: str
) -> None:
    turn = Turn(job)
    turn.killed("Acp undo", moment, 2)
    closed = job.work / "b-closed"
    assert closed.read_text() == (THEIRS if moment == "noted" else LINES)
    closed.write_text("user\n" + closed.read_text())
    turn.done("Acp undo", "undid turn 1")
    assert closed.read_text() == "user\n" + LINES
    for _ in range(2):  # what was taken back before the death is an undo of its own
        turn.done("Acp redo", "turn 1 of scripted is back")
    assert closed.read_text() == "user\n" + THEIRS
