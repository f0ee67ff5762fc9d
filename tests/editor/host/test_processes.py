"""Who lives and who dies: nothing of an agent or of the host is ever left behind."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from tests.support.agents.stdio_agent import RELAY
from tests.support.main_job import MainJob

DEAF = """
import os, signal, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    signal.pause()
sys.argv = [sys.argv[1], sys.argv[2]]
exec(open(sys.argv[0]).read(), {"__name__": "__main__", **globals()})
"""
"""An agent with a child that ends neither with it nor at TERM."""


@pytest.fixture
def job() -> Iterator[MainJob]:
    """Yield a job whose agent leaves a child of its own behind."""
    with MainJob() as started:
        agent = started.stage.options()
        agent["args"] = ["-c", DEAF, str(RELAY), started.stage.path]
        options = {"python": sys.executable, "agents": {"scripted": agent}}
        started.nvim.lua("vim.g.acp = ...", options)
        yield started


@pytest.mark.parametrize("command", ["Acp stop! scripted", "Acp! stop"])
def test_stop_leaves_nothing(job: MainJob, command: str) -> None:
    agent = job.start()
    job.turn(agent)
    host = job.host()
    job.command(command)
    job.gone(agent.pid)
    job.until(lambda: job.session()["state"] == "closed")
    assert job.host() == host
    assert job.inspect()["connections"][0]["state"] == "closed"
    job.command("AcpPrompt more")
    assert job.told("closed")


def test_a_host_that_is_killed_takes_its_agents_along(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    agent.say("hello")
    agent.request_permission("p")
    menu = job.until(job.asks)[0]["winid"]
    old, host = job.session(), job.host()
    job.kill(host)
    job.told("the host ended", "the next command starts a new one")
    job.gone(host, agent.pid)
    assert "hello" in job.nvim.lines(old["bufnr"])
    assert not job.nvim.api.nvim_win_is_valid(menu)
    check_new_host(job, old["bufnr"])


def check_new_host(job: MainJob, old: int) -> None:
    """The next command starts a new host; the same session id gets another name."""
    job.start()
    assert job.session()["bufnr"] != old
    names = [job.nvim.api.nvim_buf_get_name(it) for it in (old, job.session()["bufnr"])]
    assert names == ["acp://scripted/sess%201%2F%C3%BC", "acp://scripted/sess%201%2F%C3%BC (2)"]
    assert job.nvim.messages().count("the host ended") == 1
    assert "E95" not in job.nvim.messages()
    job.usable()


def test_a_neovim_that_is_killed_takes_all_along(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    host = job.host()
    job.nvim.kill()
    job.gone(host, agent.pid)


@pytest.mark.parametrize("command", ["qall", "qall!"])
def test_quitting_ends_all(job: MainJob, command: str) -> None:
    agent = job.start()
    job.turn(agent)
    host = job.host()
    job.nvim.rpc.notify("nvim_command", command)
    assert job.nvim.exit_code() == 0
    job.gone(host, agent.pid)
