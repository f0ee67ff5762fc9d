"""An agent removes a file with unsaved text in a buffer: undo gives the disk its bytes back."""

from __future__ import annotations

import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.agents.agent_edits import answer, asked, command, looked
from tests.support.main_job import MainJob

SAVED = "one\ntwo\nthree\n"


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    subprocess.run(("git", *who, *words), cwd=folder, check=True, capture_output=True)


def remove(path: Path) -> None:
    path.unlink()


def move(path: Path) -> None:
    path.rename(path.with_name("b.txt"))


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def link(path: Path) -> None:
    path.unlink()
    path.symlink_to("elsewhere.txt")


def check_out(path: Path) -> None:
    git(path.parent, "checkout", "-q", "empty")


WAYS = [remove, move, make_folder, link, check_out]


@pytest.fixture
def path(job: MainJob) -> Path:
    """A file of a project in git, with unsaved text in its buffer."""
    git(job.work, "init", "-q")
    (job.work / "other.txt").write_text("other\n")
    git(job.work, "add", "other.txt")
    git(job.work, "commit", "-qm", "one")
    git(job.work, "branch", "empty")
    path = job.edit("a.txt", SAVED)
    path.chmod(0o750)
    git(job.work, "add", "a.txt")
    git(job.work, "commit", "-qm", "two")
    return path


def taken_away(job: MainJob, path: Path, way: Callable[[Path], None], line: str = "") -> None:
    """Let the user type, and a turn take the file away."""
    agent = job.start()
    answer(job, to_take=True)
    job.command("wincmd t")
    job.nvim.input("Gomine<Esc>")
    prompt = job.turn(agent)
    looked(job)
    way(path)
    command(agent, {}, line=line or f"{way.__name__} a.txt")
    job.finish(agent, prompt)
    looked(job)
    assert not path.is_file()


def is_back(job: MainJob, path: Path) -> None:
    job.until(lambda: path.is_file() and not path.is_symlink())
    looked(job)
    assert path.read_text() == SAVED
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    job.until(lambda: not (job.work / "b.txt").exists())


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("decision", ["undo", "reject all"])
def test_the_disk_has_its_bytes_and_the_buffer_its_unsaved_line(
    job: MainJob, path: Path, way: Callable[[Path], None], decision: str
) -> None:
    taken_away(job, path, way)
    job.command("wincmd t")
    job.command(f"Acp {decision}")
    is_back(job, path)
    job.command("wincmd t")
    assert job.nvim.lines() == [*SAVED.splitlines(), "mine"]
    assert job.nvim.eval("&modified") == 1
    job.command("checktime")
    job.nvim.input(":write<CR>")
    job.usable()
    assert path.read_text() == SAVED + "mine\n"
    assert "W1" not in job.nvim.messages()


@pytest.mark.parametrize("given_up", ["bdelete!", "edit!"])
def test_who_has_given_up_the_unsaved_line_has_the_file(
    job: MainJob, path: Path, given_up: str
) -> None:
    taken_away(job, path, remove)
    job.command("wincmd t")
    job.command(given_up)
    job.command("Acp undo")
    is_back(job, path)


def written_over(job: MainJob, path: Path, line: str) -> None:
    """Let the user type in the second line, and a command write over the file."""
    agent = job.start()
    job.command("wincmd t")
    job.nvim.input("2GA, mine<Esc>")
    prompt = job.turn(agent)
    looked(job)
    command(agent, {path: "anew\n"}, line=line)
    job.finish(agent, prompt)
    looked(job)
    job.command("wincmd t")


def test_what_is_written_over_below_unsaved_text_is_on_the_disk_again(
    job: MainJob, path: Path
) -> None:
    written_over(job, path, "cat > a.txt")
    job.command("Acp undo")
    job.until(lambda: path.read_text() == SAVED)
    job.told("undid turn 1", "not saved: a.txt")
    job.command("checktime")
    assert job.nvim.lines() == ["one", "two, mine", "three"]
    job.nvim.input(":write<CR>")
    job.usable()
    assert path.read_text() == SAVED.replace("two", "two, mine")
    assert "W1" not in job.nvim.messages()


@pytest.mark.parametrize("is_taken", [True, False])
def test_what_was_only_found_there_is_not_written_over_unasked(
    job: MainJob, path: Path, is_taken: bool
) -> None:
    answer(job, to_take=is_taken)
    written_over(job, path, "make")
    job.command("Acp reject all")
    job.until(lambda: asked(job))
    job.told("rejected 1 hunk" if is_taken else "nothing")
    assert path.read_text() == (SAVED if is_taken else "anew\n")
