"""Agents that write one file twice: through the client, and by themselves, in either order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.agents.agent_edits import hunks, looked, tool, write
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 11))
THEIRS = LINES.replace("line 2\n", "line two\n")
BOTH = THEIRS.replace("line 9\n", "line 9, mine\n")
ASKED = """
_G.asked = {}
vim.api.nvim_create_autocmd('FileChangedShell', {
  callback = function() table.insert(_G.asked, vim.v.fcs_reason) end,
})
"""


def seen(job: MainJob, agent: StdioAgent) -> None:
    """Wait until the client has heard all that the agent has said, and looked at the disk."""
    agent.quiet()
    looked(job)


def at_once(job: MainJob, agent: StdioAgent, path: Path) -> None:
    """Let nothing happen in between."""


def after_a_look(job: MainJob, agent: StdioAgent, path: Path) -> None:
    """Let the client look at the file that the tool call names, and see its own write."""
    agent.update("tool_call", toolCallId="0", title="Edit", locations=[{"path": str(path)}])
    seen(job, agent)


def after_more_text(job: MainJob, agent: StdioAgent, path: Path) -> None:
    """Let the user go on, and the client look."""
    after_a_look(job, agent, path)
    job.nvim.input("9GA!<Esc>")


DELAYS = [at_once, after_a_look, after_more_text]
Delay = Callable[[MainJob, StdioAgent, Path], None]


def mine(job: MainJob) -> list[str]:
    """Return the buffer's lines without what the user has added in between."""
    return [line.rstrip("!") for line in job.nvim.lines()]


@pytest.mark.parametrize("delay", DELAYS)
def test_the_same_text_to_the_disk_afterwards_takes_nothing_of_the_users(
    job: MainJob, delay: Delay
) -> None:
    """As OpenCode and Kilo do."""
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    agent.ask("fs/read_text_file", path=str(path))
    job.nvim.lua(ASKED)
    job.nvim.input("9GA, mine<Esc>")
    for _ in range(2):  # it does so again and again
        assert write(agent, path, THEIRS)["result"] == {}
        assert path.read_text() == "".join(f"{line}\n" for line in job.nvim.lines())
        delay(job, agent, path)
        tool(agent, path, THEIRS)
        seen(job, agent)
        assert mine(job) == BOTH.splitlines()
        assert job.nvim.eval("&modified") == 1
        assert path.read_text() == THEIRS
    job.finish(agent, prompt)
    looked(job)
    assert hunks(job) == [(1, "a.txt", 2, 2, 1, 1)]
    job.command("checktime")
    job.nvim.input(":write<CR>")
    assert mine(job) == BOTH.splitlines()
    assert path.read_text().replace("!", "") == BOTH
    assert job.nvim.lua("return _G.asked") == [] and "W1" not in job.nvim.messages()
    job.command("Acp undo")
    job.until(lambda: job.nvim.lines()[1] == "line 2")
    assert mine(job)[8] == "line 9, mine"
    job.usable()


@pytest.mark.parametrize("delay", DELAYS)
def test_the_disk_first_and_then_through_the_client(job: MainJob, delay: Delay) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    agent.ask("fs/read_text_file", path=str(path))
    job.nvim.input("9GA, mine<Esc>")
    for _ in range(2):
        path.write_text(THEIRS)
        delay(job, agent, path)
        assert write(agent, path, THEIRS)["result"] == {}
        assert mine(job) == BOTH.splitlines()
        assert path.read_text().replace("!", "") == BOTH
    job.finish(agent, prompt)
    looked(job)
    assert hunks(job) == [(1, "a.txt", 2, 2, 1, 1)]
    assert mine(job) == BOTH.splitlines()
    job.usable()


def test_in_a_file_of_another_encoding_too(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    path.write_bytes(LINES.replace("line", "lign\xe9").encode("latin1"))
    job.command("set fileencodings=utf-8,latin1 | edit!")
    theirs, both = (it.replace("line", "lign\xe9") for it in (THEIRS, BOTH))
    prompt = job.turn(agent)
    agent.ask("fs/read_text_file", path=str(path))
    job.nvim.input("9GA, mine<Esc>")
    assert write(agent, path, theirs)["result"] == {}
    assert path.read_bytes() == both.encode("latin1")
    path.write_bytes(theirs.encode("latin1"))
    tool(agent, path, theirs)
    seen(job, agent)
    assert job.nvim.lines() == both.splitlines()
    job.finish(agent, prompt)
    looked(job)
    assert hunks(job) == [(1, "a.txt", 2, 2, 1, 1)]
    job.command("write")
    assert path.read_bytes() == both.encode("latin1")


def test_a_second_write_after_the_turn(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    agent.ask("fs/read_text_file", path=str(path))
    job.nvim.input("9GA, mine<Esc>")
    assert write(agent, path, THEIRS)["result"] == {}
    job.finish(agent, prompt, "cancelled")
    path.write_text(THEIRS)
    other = job.edit("b.txt", "old\n")
    prompt = job.turn(agent)
    other.write_text("new\n")
    job.finish(agent, prompt)
    job.until(lambda: job.nvim.eval(f"getbufline('{other}', 1)") == ["new"])
    assert job.nvim.eval(f"getbufline('{path}', 1, '$')") == BOTH.splitlines()
    assert job.nvim.eval(f"getbufvar('{path}', '&modified')") == 1


def test_what_neovim_reads_anew_by_itself_gets_the_users_lines_back(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    agent.ask("fs/read_text_file", path=str(path))
    job.nvim.input("9GA, mine<Esc>")
    assert write(agent, path, THEIRS)["result"] == {}
    path.write_text(THEIRS)
    job.command("edit!")
    assert job.nvim.lines() in (THEIRS.splitlines(), BOTH.splitlines())
    job.until(lambda: job.nvim.lines() == BOTH.splitlines())
    job.finish(agent, prompt)
    assert job.nvim.eval("&modified") == 1
    job.nvim.input("u")
    job.usable()


@pytest.mark.parametrize("ways", ["tool", "client", "both"])
def test_many_writes_of_one_line_while_the_user_types_at_another(job: MainJob, ways: str) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    known = agent.ask("fs/read_text_file", path=str(path))["result"]["content"]
    job.nvim.input("Go")
    typed = ""
    for number in range(100):
        known = known.replace(known.partition("\n")[0], f"version {number}", 1)
        if ways == "client" or (ways == "both" and number % 2):
            assert write(agent, path, known).get("result") == {}, (
                number,
                job.nvim.lines(),
                path.read_text(),
                agent.received[-1],
            )
        else:
            path.write_text(known)
            if number % 3 == 0:
                tool(agent, path, known, f"edit-{number}")
        typed += chr(ord("a") + number % 26)
        job.nvim.input(typed[-1])
    job.nvim.input("<Esc>")
    job.finish(agent, prompt)
    job.until(lambda: job.nvim.lines()[0] == "version 99")
    looked(job)
    assert job.nvim.lines() == ["version 99", *LINES.splitlines()[1:], typed]
    job.command("Acp review")
    assert "conflict" not in job.told("1 hunk in 1 file")
    job.usable()
