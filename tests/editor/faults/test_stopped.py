"""What is stopped and goes on: host, agent, Neovim itself. The editor never waits for it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.support.agents.agent_edits import write
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 11))


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    """Stop a process for a while."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):  # it was killed meanwhile, as it ought to be
            os.kill(pid, signal.SIGCONT)


def test_a_host_that_is_stopped_holds_nothing_up(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    job.command("wincmd t")
    with stopped(job.host()):
        agent.say("said meanwhile")
        job.nvim.input("ggOtyped<Esc>")
        job.command("write")
        assert path.read_text() == f"typed\n{LINES}"
        snapshot = job.inspect()
        assert snapshot["host"]["error"] == "no answer within a second"
        assert [it["state"] for it in snapshot["sessions"]] == ["running"]
        for command in ("Acp cancel", "Acp chat close", "Acp chat open", "Acp sessions"):
            job.command(command)
            job.usable()
        job.command("wincmd t")
        job.nvim.input("Gotyped again<Esc>")
    agent.expect("session/cancel")
    agent.end(prompt, "cancelled")
    job.until(lambda: job.session()["state"] == "idle")
    assert "said meanwhile" in job.chat()
    prompt = job.turn(agent, "again")
    answer = write(agent, path, f"typed\n{LINES}".replace("line 5\n", "agent\n"))
    assert answer["result"] == {}
    job.finish(agent, prompt)
    lines = f"typed\n{LINES}typed again\n".replace("line 5\n", "agent\n").splitlines()
    assert job.nvim.lua("return vim.fn.getbufline(...)", str(path), 1, "$") == lines


def test_neovim_leaves_though_the_host_is_stopped(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    host = job.host()
    with stopped(host):
        job.nvim.rpc.notify("nvim_command", "qall!")
        assert job.nvim.exit_code() == 0
        job.gone(agent.pid)
    job.gone(host)


def test_an_agent_that_is_stopped_is_killed_all_the_same(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    with stopped(agent.pid):
        job.command("Acp cancel")
        job.until(lambda: job.session()["state"] == "cancelling")
        job.command("Acp stop!")
        job.gone(agent.pid)
    job.until(lambda: job.session()["state"] == "closed")
    job.start()


def test_a_neovim_that_is_suspended_shows_all_when_it_goes_on(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    with stopped(job.nvim.pid):
        for number in range(200):
            agent.say(f"chunk {number}\n", messageId="m")
        agent.request("fs/read_text_file", {"sessionId": "sess 1/ü", "path": str(path)}, "read")
        agent.request_permission("p")
    assert agent.answer_to("read")["result"]["content"] == LINES
    job.until(job.asks)
    job.command("Acp permit 1")
    assert agent.answer_to("p")["result"]["outcome"]["optionId"] == "yes"
    job.finish(agent, prompt)
    assert [it for it in job.chat() if it.startswith("chunk")] == [f"chunk {n}" for n in range(200)]
