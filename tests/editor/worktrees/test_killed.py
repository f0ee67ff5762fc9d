"""A host is killed in the middle of merging a worktree: it is merged again, and nothing twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.editor.worktrees.test_worktrees import BASE, begin, pending, project
from tests.support import dying
from tests.support.main_job import MainJob
from tests.unit.worktrees.test_making import commit

__all__ = ["project"]

THEIRS = BASE.replace("line 2", "TWO")


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[MainJob]:
    """Yield a job whose host can be made to die."""
    monkeypatch.setenv(dying.VARIABLE, str(tmp_path / "death"))
    with MainJob() as started:
        yield started


@pytest.mark.parametrize(("moment", "count"), [("noted", 1), ("put", 2), ("brought", 2)])
def test_what_is_missing_comes_with_the_next_merge(
    job: MainJob, project: Path, moment: str, count: int
) -> None:
    commit(project, b=BASE, c=BASE)
    paths = [project / it for it in ("b.txt", "c.txt", "code.py")]
    job.edit("code.py", BASE)
    _, folder = begin(job)
    for path in paths:
        (folder / path.name).write_text(THEIRS)
    job.command(f"wincmd t | edit {paths[2]}")
    job.nvim.api.nvim_buf_set_lines(0, 8, 9, True, ["mine"])
    dying.after(moment, count)
    job.command("Acp worktree merge")
    job.until(dying.is_over)
    job.until(lambda: not job.inspect()["host"]["running"])
    job.command("messages clear | Acp worktree merge scripted-1")
    job.told("merged scripted-1")
    mine = THEIRS.replace("line 9", "mine")
    assert [it.read_text() for it in paths] == [THEIRS, THEIRS, BASE]
    assert job.nvim.lines(job.nvim.eval("bufnr('code.py')")) == mine.splitlines()
    assert [pending(job, it) for it in paths] == [1, 1, 1]
    for _ in range(2):
        job.command("Acp undo")
        job.usable()
    job.until(lambda: [it.read_text() for it in paths] == [BASE] * 3)
    live = BASE.replace("line 9", "mine").splitlines()
    job.until(lambda: job.nvim.lines(job.nvim.eval("bufnr('code.py')")) == live)
