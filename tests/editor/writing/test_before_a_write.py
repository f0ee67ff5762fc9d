"""The user writes a file for which an agent's edit waits, or which was not followed yet.

Nothing is asked, both texts are in the file, and what the agent has made can be taken back.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.agents.agent_edits import answer, asked, hunks, looked, put, tool
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LINES = [f"line {number}" for number in range(1, 11)]
OLD = "".join(f"{line}\n" for line in LINES)
NEW = "theirs\n" + OLD
SETUP = """
inoremap <C-s> <Esc>:w<CR>
inoremap <C-q> <Cmd>w<CR>
nnoremap ,u <Cmd>update<CR>
"""
DEFERRED = "return next(vim.api.nvim_buf_get_extmarks(0, _G.space, 0, -1, {})) ~= nil"
KEYS = [
    "<Esc>:w<CR>",
    "<Esc>:update<CR>",
    "<Esc>:wa<CR>",
    "<Esc>,u",
    "<C-s>",
    "<C-q><Esc>",
    "<C-o>:w<CR><Esc>",
]


@contextmanager
def stopped(job: MainJob, *, really: bool = True) -> Iterator[None]:
    """Let the host sleep."""
    pid = job.inspect()["host"]["pid"]
    if really:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def waits(job: MainJob) -> bool:
    """Tell whether an edit of the current buffer waits in the editor."""
    name = "return #vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace(...), 0, -1, {})"
    return bool(job.nvim.lua(name, "acp_deferred"))


@pytest.fixture
def stage(job: MainJob) -> tuple[StdioAgent, Path]:
    """An agent in a turn, and a file that is open, with the cursor in its sixth line."""
    for line in SETUP.strip().splitlines():
        job.command(line)
    agent = job.start()
    path = job.edit("a.txt", OLD)
    job.turn(agent)
    job.command("wincmd t | 6")
    looked(job)
    return agent, path


def typed(job: MainJob, agent: StdioAgent, path: Path, text: str = NEW) -> None:
    """Let the user type at the end of line 6, and the agent's tool change the file meanwhile."""
    job.nvim.input("A, mine")
    tool(agent, path, text)
    job.until(lambda: waits(job))


def both(text: str = NEW) -> str:
    return text.replace("line 6\n", "line 6, mine\n")


def taken_back(job: MainJob, path: Path, *, is_named: bool = True) -> None:
    """Check that the agent's is the agent's, and the user's the user's."""
    job.usable()
    assert "W1" not in job.nvim.messages()
    assert path.read_text() == both()
    assert job.nvim.lines() == both().splitlines()
    assert job.nvim.eval("&modified") == 0
    looked(job)
    job.until(lambda: [it[1:] for it in hunks(job)] == [("a.txt", 1, 1, 1, 0)])  # after `<Esc>`
    job.command("checktime")
    answer(job, to_take=True)
    job.command("Acp undo")
    job.until(lambda: path.read_text() == both(OLD))
    assert asked(job) == [] or not is_named


@pytest.mark.parametrize("is_stopped", [False, True])
@pytest.mark.parametrize("keys", KEYS)
def test_what_waits_comes_before_the_users_write(
    job: MainJob, stage: tuple[StdioAgent, Path], keys: str, is_stopped: bool
) -> None:
    agent, path = stage
    typed(job, agent, path)
    with stopped(job, really=is_stopped):
        job.nvim.input(keys)
        job.until(lambda: path.read_text() == both())
    taken_back(job, path)


@pytest.mark.parametrize("event", ["InsertLeave", "TextChanged,InsertLeave"])
def test_a_plugin_that_saves_without_events_saves_both(
    job: MainJob, stage: tuple[StdioAgent, Path], event: str
) -> None:
    agent, path = stage
    job.command(f"autocmd {event} * silent! update")
    typed(job, agent, path)
    job.nvim.input("<Esc>")
    job.until(lambda: path.read_text() == both())
    taken_back(job, path)


def test_a_formatter_that_writes_in_the_midst_of_a_write(
    job: MainJob, stage: tuple[StdioAgent, Path]
) -> None:
    agent, path = stage
    job.command("let g:twice = 1")
    again = "let g:twice = 0 | silent keepjumps $s/10$/10/e | silent update"
    job.command(f"autocmd BufWritePost *.txt ++nested if g:twice | {again} | endif")
    typed(job, agent, path)
    job.nvim.input("<Esc>:w<CR>")
    job.until(lambda: path.read_text() == both())
    taken_back(job, path)


def test_what_nobody_has_told_of_comes_first(job: MainJob, stage: tuple[StdioAgent, Path]) -> None:
    _agent, path = stage
    job.nvim.input("A, mine<Esc>")
    put(path, NEW)
    job.nvim.input(":w<CR>")
    job.until(lambda: path.read_text() == both())
    taken_back(job, path, is_named=False)


def test_what_the_user_has_made_of_the_place_stays_and_is_a_conflict(
    job: MainJob, stage: tuple[StdioAgent, Path]
) -> None:
    agent, path = stage
    typed(job, agent, path, OLD.replace("line 2\n", "").replace("line 9\n", "theirs\n"))
    job.nvim.input("<Down><Down><Down><End>, too<Esc>:w<CR>")
    job.until(lambda: "line 9, too\n" in path.read_text())
    job.usable()
    assert "W1" not in job.nvim.messages()
    mine = OLD.replace("line 6", "line 6, mine").replace("line 9", "line 9, too")
    assert path.read_text() == mine.replace("line 2\n", "")
    looked(job)
    assert job.told("changed line")


@pytest.mark.parametrize(
    "keys", [":b a.txt<CR>", ":checktime<CR>", ":silent !true<CR>", "A!<C-o>:checktime<CR>"]
)
def test_what_neovim_finds_before_the_host_comes_in_unasked(
    job: MainJob, stage: tuple[StdioAgent, Path], keys: str
) -> None:
    _agent, path = stage
    job.nvim.input("A, mine<Esc>")
    job.command("enew" if keys.startswith(":b") else "split | enew")
    put(path, NEW)  # by a command that goes on
    job.nvim.input(keys)
    buffer = job.nvim.eval("bufnr('a.txt')")
    job.until(lambda: job.nvim.lines(buffer) == both().splitlines())
    job.nvim.input("<Esc>:buffer a.txt | write<CR>")
    job.until(lambda: path.read_text() == both())
    taken_back(job, path, is_named=False)


def test_neovim_asks_where_the_host_does_not_answer(
    job: MainJob, stage: tuple[StdioAgent, Path]
) -> None:
    _agent, path = stage
    job.nvim.input("A, mine<Esc>")
    with stopped(job):
        put(path, NEW)
        job.nvim.input(":checktime<CR>")
        job.until(lambda: job.nvim.mode()["mode"] == "r?")
        job.nvim.input("<CR>")
        job.until(lambda: not job.nvim.mode()["blocking"])
        assert job.nvim.lines() == both(OLD).splitlines()  # the user's text stays


@pytest.mark.parametrize("choice", ["", "reload"])
def test_a_handler_of_the_users_chooses(
    job: MainJob, stage: tuple[StdioAgent, Path], choice: str
) -> None:
    _agent, path = stage
    job.command(f"autocmd FileChangedShell * let v:fcs_choice = '{choice}' | let g:seen = 1")
    job.nvim.input("A, mine<Esc>")
    put(path, NEW)
    job.nvim.input(":checktime<CR>")
    job.until(lambda: job.nvim.eval("get(g:, 'seen')"))
    assert job.nvim.lines() == (NEW if choice else both(OLD)).splitlines()


def test_a_handler_of_the_users_for_other_files_chooses_nothing(
    job: MainJob, stage: tuple[StdioAgent, Path]
) -> None:
    _agent, path = stage
    job.command("autocmd FileChangedShell *.log,*/other/* let v:fcs_choice = 'reload'")
    job.nvim.input("A, mine<Esc>")
    put(path, NEW)
    job.nvim.input(":checktime<CR>")
    job.until(lambda: job.nvim.lines() == both().splitlines())
