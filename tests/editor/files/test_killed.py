"""Kills in the middle of a turn: what the agent has done until then is reviewed and undone."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from acp_nvim.review.recovery import GRACE
from tests.support.agents.agent_edits import (
    answer,
    answer_in,
    looked,
    put,
    tool,
    until_files,
    write,
)
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

LINES = "".join(f"line {number}\n" for number in range(1, 11))
THEIRS = LINES.replace("line 3\n", "line three\n").replace("line 8\n", "")
FOUND = "undid turn 1 of scripted in 5 files"
"""Of five: two were named, and taken back without a question."""
TOLD = "scripted's turn was cut off"


def journals(job: MainJob, ending: str) -> list[Path]:
    """Return the files of the journal."""
    folder = job.nvim.folder / "state" / "nvim" / "acp.nvim" / "edits" / "turns"
    return list(folder.glob(f"*.{ending}"))


class Half:
    """A turn that has done a lot, and is not over."""

    def __init__(self, job: MainJob) -> None:
        self.job = job
        self.closed, self.gone = job.work / "closed.txt", job.work / "gone.txt"
        self.named, self.mine = job.work / "named.txt", job.work / "mine.txt"
        self.new = job.work / "deep" / "new.txt"
        for path in (self.closed, self.gone, self.named, self.mine):
            put(path, LINES)
        self.gone.chmod(0o750)
        self.agent: StdioAgent = job.start()
        self.opened = job.edit("opened.txt", LINES)
        self.prompt = job.turn(self.agent)

    def work(self) -> None:
        """Change files in each of the three ways; the client is told of none but the last ones."""
        put(self.closed, THEIRS)
        put(self.new, "new\n")
        put(self.gone, None)
        tool(self.agent, self.named, THEIRS)
        assert write(self.agent, self.opened, THEIRS)["result"] == {}

    def beaten(self) -> None:
        """Wait until the host has given a sign of life after the last change."""
        last = max(it.stat().st_ctime_ns for it in (self.closed, self.named, self.opened))
        self.job.until(lambda: any(it.stat().st_mtime_ns > last for it in self.journals("turns")))

    def journals(self, ending: str) -> list[Path]:
        """Return the files of the journal."""
        return journals(self.job, ending)

    def is_before(self) -> bool:
        """Tell whether everything is as before the turn."""
        if self.gone.exists():
            assert stat.S_IMODE(self.gone.stat().st_mode) == 0o750
        paths = (self.opened, self.closed, self.gone, self.named)
        return not self.new.exists() and all(
            path.exists() and path.read_text() == LINES for path in paths
        )


@pytest.fixture
def half(job: MainJob) -> Half:
    return Half(job)


@contextmanager
def later(job: MainJob, cwd: Path | None = None) -> Iterator[Neovim]:
    """Start another Neovim in the same project, with the same folder for what is kept."""
    env = {"XDG_STATE_HOME": str(job.nvim.folder / "state")}
    with Neovim({"agents": {}}, cwd=cwd or job.work, env=env) as nvim:
        yield nvim


def until(nvim: Neovim, text: str) -> None:
    try:
        nvim.wait(lambda: text in nvim.messages())
    except TimeoutError:
        assert text in nvim.messages()


def end(half: Half, how: str) -> None:
    job = half.job
    host, agent = job.host(), half.agent.pid
    if how == "host":
        job.kill(host)
        job.until(lambda: not job.inspect()["host"]["running"])
    if how == "all":
        # so that the host has no chance to do anything when Neovim is gone
        job.kill(host)
    if how == "qall":
        job.nvim.rpc.notify("nvim_command", "qall!")
        job.nvim.exit_code()
    else:
        job.nvim.kill()
    job.gone(host, agent)


@pytest.mark.parametrize("how", ["host", "nvim", "all", "qall"])
def test_a_killed_turn_is_reviewed_and_taken_back(half: Half, how: str) -> None:
    half.work()
    half.beaten()
    end(half, how)
    with later(half.job) as nvim:
        nvim.command(f"edit {half.opened}")
        nvim.command("Acp review")
        until(nvim, "8 hunks in 5 files")
        if how in ("host", "all"):
            until(nvim, f"{TOLD}, 5 files have changed: :Acp review")
        answer_in(nvim, to_take=True)
        nvim.command("Acp undo")
        until(nvim, FOUND)
        assert half.is_before()
        assert half.mine.read_text() == LINES
        nvim.command("Acp redo")
        until(nvim, "turn 1 of scripted is back")
        assert (half.new.read_text(), half.gone.exists()) == ("new\n", False)
        nvim.command("Acp review")
        assert nvim.messages().count(TOLD) <= 1


def test_what_was_changed_after_the_kill_is_not_the_agents(half: Half) -> None:
    half.work()
    half.beaten()
    end(half, "all")
    died = max(it.stat().st_mtime_ns for it in half.journals("turns"))
    mine, also = half.mine, half.job.work / "also.txt"

    def is_later() -> bool:
        put(also, "mine\n")
        return also.stat().st_ctime_ns > died + GRACE

    with later(half.job) as nvim:
        nvim.wait(is_later)
        nvim.command(f"edit {mine}")
        nvim.input("ggOmine<Esc>:write<CR>")
        nvim.wait(lambda: mine.read_text() == "mine\n" + LINES)
        put(half.named, "mine\n" + THEIRS)
        nvim.command("Acp review")
        until(nvim, "8 hunks in 5 files")
        answer_in(nvim, to_take=True)
        nvim.command("Acp undo")
        until(nvim, FOUND)
        assert half.is_before() is False
        assert half.named.read_text() == "mine\n" + LINES
        assert (mine.read_text(), also.read_text()) == ("mine\n" + LINES, "mine\n")


LAST = {
    "wqall": ("Gomine<Esc>:wqall<CR>", "closed.txt"),
    "write": ("Gomine<Esc>:write<CR>", ""),
    "noautocmd": ("Gomine<Esc>:noautocmd write<CR>", ""),
    "other": (":2,3write other.txt<CR>", ""),
    "new": (":new other.txt<CR>imine<Esc>:wqall<CR>", "closed.txt"),
    "backup": (":set backup bsk= bdir=.<CR>Gomine<Esc>:wqall<CR>", "closed.txt"),
}


@pytest.mark.parametrize("case", LAST)
def test_what_the_user_has_written_at_last_is_the_users(half: Half, case: str) -> None:
    keys, found = LAST[case]
    job = half.job
    job.command(f"wincmd t | edit {half.mine}")
    if found:
        put(half.closed, THEIRS)
    assert write(half.agent, half.opened, THEIRS)["result"] == {}
    host = job.host()
    if found:
        job.nvim.rpc.notify("nvim_input", keys)
        job.nvim.exit_code()
    else:
        job.nvim.input(keys)
        written = job.work / "other.txt" if case == "other" else half.mine
        job.until(lambda: written.exists() and written.read_text() != LINES)
        job.inspect()  # until its events are over nobody can tell whose write it was
        job.nvim.kill()
    job.gone(host, half.agent.pid)
    files = {path: path.read_bytes() for path in job.work.iterdir() if path.is_file()}
    with later(job) as nvim:
        nvim.command("Acp review")
        until(nvim, "4 hunks in 2 files" if found else "2 hunks in 1 file")
        answer_in(nvim, to_take=True)
        nvim.command("Acp undo")
        nvim.wait(lambda: half.opened.read_text() == LINES and half.closed.read_text() == LINES)
    theirs = (half.opened, half.closed)
    assert all(path.read_bytes() == it for path, it in files.items() if path not in theirs)


def test_what_an_agent_made_of_what_the_user_had_written_is_the_agents(half: Half) -> None:
    job = half.job
    job.command(f"wincmd t | edit {half.mine}")
    job.nvim.input("ggOmine<Esc>:write<CR>")
    job.until(lambda: half.mine.read_text() == "mine\n" + LINES)
    looked(job)
    put(half.mine, "mine\n" + THEIRS)
    end(half, "all")
    with later(job) as nvim:
        nvim.command("Acp review")
        until(nvim, "2 hunks in 1 file")
        answer_in(nvim, to_take=True)
        nvim.command("Acp undo")
        nvim.wait(lambda: half.mine.read_text() == "mine\n" + LINES)


def test_the_same_neovim_goes_on_after_its_host_was_killed(half: Half) -> None:
    half.work()
    half.beaten()
    job = half.job
    job.command(f"wincmd t | edit {half.mine}")
    job.kill(job.host())
    job.until(lambda: not job.inspect()["host"]["running"])
    job.nvim.input("ggOmine<Esc>:write<CR>")
    job.until(lambda: half.mine.read_text() == "mine\n" + LINES)
    job.command(f"edit {half.closed}")
    job.nvim.input("ggOmine<Esc>")
    answer(job, to_take=True)
    job.command("Acp undo")
    job.told(TOLD)
    job.told(FOUND)
    assert job.nvim.lines() == ["mine", *LINES.splitlines()]
    assert half.mine.read_text() == "mine\n" + LINES
    job.usable()


def test_a_write_right_before_a_kill_is_in_the_books(half: Half) -> None:
    assert write(half.agent, half.opened, THEIRS)["result"] == {}
    end(half, "all")
    with later(half.job) as nvim:
        nvim.command("Acp undo")
        until(nvim, "undid turn 1 of scripted in opened.txt")
        assert half.opened.read_text() == LINES


def test_the_mode_of_a_file_that_was_removed_right_before_a_kill_comes_back(half: Half) -> None:
    tool(half.agent, half.gone, None)
    until_files(half.job, {"gone.txt": 1})
    end(half, "all")
    with later(half.job) as nvim:
        nvim.command("Acp undo")
        until(nvim, "undid turn 1 of scripted in gone.txt")
        assert half.gone.read_text() == LINES
        assert stat.S_IMODE(half.gone.stat().st_mode) == 0o750


@pytest.mark.parametrize("encoding", ["utf-8", "euc-jp"], ids=["busy", "unread"])
def test_what_a_buffer_could_not_take_before_a_kill_is_in_the_books(
    job: MainJob, encoding: str
) -> None:
    path, text = job.work / "a.txt", "日本語"
    path.write_text(text, encoding)
    agent = job.start()
    job.command(f"wincmd t | topleft vnew | edit ++enc={encoding} {path}")
    job.turn(agent)
    job.command("wincmd t")
    job.nvim.input("V" if encoding == "utf-8" else "")
    tool(agent, path, f"{text} 2\n")
    lists = job.nvim.folder / "state" / "nvim" / "acp.nvim" / "edits"
    job.until(lambda: any('"Begun"' in it.read_text() for it in lists.glob("*.history")))
    assert job.nvim.lines() == [text]
    host = job.host()
    job.kill(host)
    job.nvim.kill()
    job.gone(host, agent.pid)
    with later(job) as nvim:
        nvim.command("Acp undo")
        until(nvim, "undid turn 1 of scripted in a.txt")
        assert path.read_text(encoding) == text


@pytest.mark.parametrize("where", ["work/deep", "link", "other"])
def test_it_is_there_wherever_the_next_neovim_is_started(half: Half, where: str) -> None:
    half.work()
    half.beaten()
    end(half, "all")
    folder = half.job.folder
    (folder / "link").symlink_to("work")
    (folder / "other").mkdir()
    with later(half.job, folder / where) as nvim:
        if where == "other":
            nvim.command(f"edit {half.closed}")
        nvim.command("Acp review")
        until(nvim, "8 hunks in 5 files")
        there = f" in {half.job.work}" if where == "other" else ""
        told = "".join(nvim.messages().split("\n"))
        assert f"{TOLD}, 5 files have changed{there}".replace(" ", "") in told.replace(" ", "")
        answer_in(nvim, to_take=True)
        nvim.command("Acp undo")
        nvim.wait(half.is_before)


def test_what_is_kept_is_private_and_goes_with_the_turn(half: Half) -> None:
    half.work()
    files = [*half.journals("turns"), *half.journals("sights")]
    assert len(files) == 2
    assert {stat.S_IMODE(it.stat().st_mode) for it in files} == {0o600}
    assert stat.S_IMODE(files[0].parent.stat().st_mode) == 0o700
    half.job.finish(half.agent, half.prompt)
    until_files(
        half.job, {"closed.txt": 2, "opened.txt": 2, "named.txt": 2, "new.txt": 1, "gone.txt": 1}
    )
    end(half, "qall")
    assert not [*half.journals("turns"), *half.journals("sights")]
    with later(half.job) as nvim:
        nvim.command("Acp review")
        until(nvim, "8 hunks in 5 files")
        assert TOLD not in nvim.messages()


def test_a_folder_that_cannot_be_written_costs_the_journal_only(job: MainJob) -> None:
    folder = job.nvim.folder / "state" / "nvim" / "acp.nvim" / "edits"
    folder.mkdir(mode=0o700, parents=True)
    (folder / "turns").write_text("in the way")
    half = Half(job)
    half.work()
    half.job.finish(half.agent, half.prompt)
    until_files(
        job, {"closed.txt": 2, "opened.txt": 2, "named.txt": 2, "new.txt": 1, "gone.txt": 1}
    )
    answer(job, to_take=True)
    job.command("Acp undo")
    job.told(FOUND)
    log = Path(job.nvim.lua("return require('acp.host.log').path()")).read_text()
    assert log.count("what agents change is not kept on disk") == 1
