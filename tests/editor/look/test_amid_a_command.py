"""What comes late, or goes by itself, takes no command with it that the user has begun meanwhile.

The cursor stays, and so does the window in which a command was begun: what is typed to its end
would else hit a file.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.editor.files.test_hands import LINES, text
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

COMMANDS = {
    "an operator": ("c", "jnew"),
    "visual mode": ("Vj", "d"),
    "a register": ('"a', "dd"),
    "the command line": (":1,2", "d<CR>"),
    "an operator with a search": ("d/", "[rt]<CR>"),
}
"""What the user begins, and how it ends."""


def here(job: MainJob) -> Any:
    return job.nvim.eval("[win_getid(), line('.')]")


def opened(job: MainJob) -> tuple[StdioAgent, int]:
    """Start the agent, and go into a file; return its buffer."""
    agent = job.start()
    job.edit("a.txt", text(LINES))
    job.command("normal! 6G0")
    return agent, job.nvim.api.nvim_get_current_buf()


@pytest.mark.parametrize("keys", COMMANDS.values(), ids=COMMANDS)
@pytest.mark.parametrize("more", ["", "D"], ids=["the question", "all of it"])
def test_a_question_that_goes_leaves_the_window_of_a_command(
    job: MainJob, more: str, keys: tuple[str, str]
) -> None:
    agent, buffer = opened(job)
    file = here(job)
    agent.request_permission("p", toolCall={"toolCallId": "1", "title": "rm", "kind": "execute"})
    job.until(job.asks)
    job.command("Acp permit")
    question = job.nvim.api.nvim_get_current_win()
    assert question != file[0]
    if more:
        job.nvim.input(more)
        job.until(lambda: here(job)[0] not in (question, file[0]))
    window = here(job)[0]
    job.nvim.input(keys[0])
    agent.notify("$/cancel_request", {"requestId": "p"})
    job.until(lambda: not job.asks())
    assert here(job)[0] == window
    job.nvim.input(keys[1] + "<Esc>")
    job.until(lambda: here(job) == file)
    assert job.nvim.lines(buffer) == LINES
    job.until(lambda: not job.nvim.api.nvim_win_is_valid(question))


@contextmanager
def held(job: MainJob) -> Iterator[None]:
    """Let the host do nothing."""
    host = job.host()
    os.kill(host, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(host, signal.SIGCONT)


@pytest.mark.parametrize(
    "keys", [*COMMANDS.values(), ("Afoo", "bar")], ids=[*COMMANDS, "insert mode"]
)
def test_a_late_review_moves_nobody(job: MainJob, keys: tuple[str, str]) -> None:
    agent, buffer = opened(job)
    path = job.work / "a.txt"
    prompt = job.turn(agent)
    changed = [*LINES[:-1], "theirs"]
    assert agent.ask("fs/write_text_file", path=str(path), content=text(changed))["result"] == {}
    job.finish(agent, prompt)
    place = here(job)
    with held(job):
        job.nvim.input(":Acp review<CR>")
        job.nvim.input(keys[0])
        begun = here(job)
    job.until(lambda: "1 hunk in 1 file" in job.nvim.messages())
    assert here(job) == begun
    job.nvim.input(keys[1] + "<Esc>")
    assert "theirs" in job.nvim.lines(buffer)
    job.nvim.input(":Acp review off<CR>" + f"{place[1]}G")
    job.command("Acp review")
    job.until(lambda: job.nvim.eval("getline('.')") == "theirs")


@pytest.mark.parametrize("command", ["append", "insert", "change"])
def test_lines_that_are_typed_for_a_command_stay_one_step(job: MainJob, command: str) -> None:
    agent, buffer = opened(job)
    job.command("rightbelow split")
    beside = job.nvim.api.nvim_get_current_win()
    job.command("wincmd p")
    job.command("Acp follow on")
    job.until(lambda: job.inspect()["follow"]["enabled"])
    other = job.work / "other.txt"
    other.write_text(text(LINES))
    job.turn(agent)
    job.nvim.input(f":6{command}<CR>one<CR>")
    place = [{"path": str(other), "line": 3}]
    agent.update("tool_call", toolCallId="1", title="Look", kind="read", locations=place)
    agent.request_permission("p", toolCall={"toolCallId": "2", "title": "rm", "kind": "execute"})
    job.until(job.asks)
    assert not job.nvim.eval("undotree().synced")
    job.nvim.input("two<CR>.<CR>")
    ask = "require('acp').inspect().asks[1].winid"
    job.until(lambda: job.nvim.lua(f"return vim.api.nvim_win_is_valid({ask})"))
    shown = "return vim.fs.basename(vim.fn.bufname(vim.fn.winbufnr(...)))"
    job.until(lambda: job.nvim.lua(shown, beside) == "other.txt")
    assert job.nvim.lines(buffer)[5:8] != LINES[5:8]
    job.nvim.input("u")
    assert job.nvim.lines(buffer) == LINES
