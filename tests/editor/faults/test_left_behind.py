"""A child of the agent's that has left by `setsid`: named, and ended only if the user says so."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

from acp_nvim.transport import group
from tests.support.agents.stdio_agent import RELAY, StdioAgent
from tests.support.main_job import MainJob

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows environments")

LEAVES = """
import os, signal, sys
if os.fork() == 0:
    os.setsid()
    for descriptor in range(3):
        os.close(descriptor)
    with open(sys.argv[2] + ".left", "a") as file:
        file.write(f"{os.getpid()}\\n")
    signal.pause()
sys.argv = [sys.argv[1], sys.argv[2]]
exec(open(sys.argv[0]).read(), {"__name__": "__main__", **globals()})
"""
CHOOSES = """
local wanted = ...
_G.asked = {}
vim.ui.select = function(items, how, done)
  table.insert(_G.asked, { prompt = how.prompt, kind = how.kind, items = items })
  done(items[wanted], wanted > 0 and wanted or nil)
end
"""


@pytest.fixture
def job() -> Iterator[MainJob]:
    """Yield a job whose agent leaves a child in a session of its own."""
    with MainJob() as started:
        agent = started.stage.options()
        agent["args"] = ["-S", "-c", LEAVES, str(RELAY), started.stage.path]
        options = {"python": sys.executable, "agents": {"scripted": agent}}
        started.nvim.lua("vim.g.acp = ...", options)
        try:
            yield started
        finally:
            for each in pids(started):
                with suppress(ProcessLookupError):
                    os.kill(each, signal.SIGKILL)


def pids(job: MainJob) -> list[int]:
    """Return the children that have left, oldest first."""
    file = job.folder / "agent.sock.left"
    return [int(it) for it in file.read_text().split()] if file.exists() else []


def start(job: MainJob) -> tuple[StdioAgent, int]:
    """Start the agent; return it and its child."""
    agent = job.start()
    return agent, job.until(lambda: pids(job))[-1]


def asked(job: MainJob) -> dict[str, Any]:
    """Wait for the question, and return it."""
    return dict(job.until(lambda: job.nvim.lua("return _G.asked"))[0])


def dead(pid: int) -> Callable[[], bool]:
    """Return what tells whether that leader's group has ended."""
    return lambda: not group.alive(pid)


@pytest.mark.parametrize("command", ["Acp stop", "Acp! stop", "Acp stop scripted"])
def test_it_is_named_at_stop_and_ended_when_the_user_agrees(job: MainJob, command: str) -> None:
    job.nvim.lua(CHOOSES, 2)
    agent, child = start(job)
    job.command(command)
    question = asked(job)
    assert question["kind"] == "acp.left" and f"({child})" in question["prompt"]
    assert question["items"] == ["No, leave it running", "Yes, end all of it"]
    job.until(dead(child))
    job.gone(agent.pid)
    assert job.nvim.messages() == ""


@pytest.mark.parametrize("choice", [0, 1])
def test_it_is_left_alone_when_the_user_does_not_agree(job: MainJob, choice: int) -> None:
    job.nvim.lua(CHOOSES, choice)
    agent, child = start(job)
    job.command("Acp stop")
    asked(job)
    job.gone(agent.pid)
    job.inspect()
    assert group.alive(child)
    job.nvim.lua(CHOOSES, 2)
    job.command("Acp stop scripted")
    assert f"({child})" in asked(job)["prompt"]
    job.until(dead(child))


def test_one_of_several_can_be_ended(job: MainJob) -> None:
    job.nvim.lua(CHOOSES, 1)
    _, first = start(job)
    job.command("Acp restart")
    job.stage.accept()
    second = job.until(lambda: pids(job)[1:])[0]
    asked(job)
    job.nvim.lua(CHOOSES, 4)
    job.command("Acp stop!")
    question = asked(job)
    assert f"({first})" in question["items"][2] and f"({second})" in question["items"][3]
    job.until(dead(second))
    assert group.alive(first)


def test_what_an_agent_leaves_that_ends_by_itself_is_told_once(job: MainJob) -> None:
    job.nvim.lua(CHOOSES, 2)
    agent, child = start(job)
    job.kill(agent.pid)
    job.told("has left 1 program running", ":Acp stop scripted")
    assert f"({child})" in job.nvim.messages()
    assert job.nvim.lua("return _G.asked") == [] and group.alive(child)
    job.command("Acp new scripted")
    job.stage.accept()
    job.inspect()
    assert job.nvim.messages().count("has left") == 1


def test_what_a_dead_host_has_left_is_told_by_the_next_one(job: MainJob) -> None:
    agent, child = start(job)
    job.kill(job.host())
    job.told("the host ended")
    job.gone(agent.pid)
    assert group.alive(child)
    job.command("AcpStart scripted")
    job.told("has left 1 program running", ":Acp stop scripted")
    assert f"({child})" in job.nvim.messages()


def test_a_terminals_child_is_the_agents(job: MainJob) -> None:
    job.nvim.lua(CHOOSES, 2)
    agent, child = start(job)
    job.turn(agent)
    code = "import os, signal; os.setpgid(0, 0); print(os.getpid(), flush=True); signal.pause()"
    line = f"{sys.executable} -S -c '{code}' & wait"
    made = agent.ask("terminal/create", command="sh", args=["-c", line])["result"]["terminalId"]

    def said() -> str:
        return str(agent.ask("terminal/output", terminalId=made)["result"]["output"])

    other = int(job.until(lambda: "\n" in said() and said().split())[0])  # not half of it
    job.command("Acp stop!")
    prompt = asked(job)["prompt"]
    assert [it for it in (child, other) if f"({it})" not in prompt] == [], prompt
    job.until(dead(child))
    job.until(dead(other))
