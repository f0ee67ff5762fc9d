"""Success means done: an agent's write after the user has taken back the same, in a real Neovim."""

from __future__ import annotations

import pytest

from tests.support.agents.agent_edits import looked, tool, until_files, write
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

OLD = "one\ntwo\nthree\nfour\nfive\n"
NEW = OLD.replace("three", "THREE")
MORE = NEW.replace("five", "FIVE")


def turn(job: MainJob, agent: StdioAgent, text: str) -> str:
    """Let the agent write that in a turn of its own; return what it was told before."""
    prompt = job.turn(agent)
    assert write(agent, job.work / "a.txt", text)["result"] == {}
    job.finish(agent, prompt)
    return str(prompt["params"]["prompt"])


@pytest.mark.parametrize("decision", ["undo", "reject", "reject all"])
@pytest.mark.parametrize("again", [NEW, MORE])
def test_what_was_taken_back_and_told_is_written_again(
    job: MainJob, decision: str, again: str
) -> None:
    agent = job.start()
    path = job.edit("a.txt", OLD)
    turn(job, agent, NEW)
    job.command("wincmd t | 3")
    job.command(f"Acp {decision}")
    job.until(lambda: path.read_text() == OLD)
    looked(job)
    assert "THREE" in turn(job, agent, again)
    assert path.read_text() == again
    job.command("wincmd t")
    assert job.nvim.lines() == again.splitlines()


def test_its_own_tool_and_a_write_do_so_in_turn(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", OLD)
    for way in ("write", "tool", "write"):
        prompt = job.turn(agent)
        if way == "tool":
            tool(agent, path, NEW, call=way)
        else:
            assert write(agent, path, NEW)["result"] == {}
        job.finish(agent, prompt)
        looked(job)
        assert path.read_text() == NEW
        job.command("wincmd t")
        assert job.nvim.lines() == NEW.splitlines()
        job.command("Acp undo")
        job.until(lambda: path.read_text() == OLD)
        looked(job)


def test_within_the_turn_it_is_told_that_the_user_has_taken_it_back(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", OLD)
    prompt = job.turn(agent)
    assert write(agent, path, NEW)["result"] == {}
    job.command("wincmd t | 3")
    until_files(job, {"a.txt": 1})
    job.command("Acp reject")
    job.until(lambda: path.read_text() == OLD)
    assert write(agent, path, NEW)["result"] == {}, "a second copy of the same"
    refused = write(agent, path, MORE)
    assert "was undone by the user" in refused["error"]["message"]
    assert agent.ask("fs/read_text_file", path=str(path))["result"]["content"] == OLD
    assert write(agent, path, MORE)["result"] == {}
    job.finish(agent, prompt)
    assert path.read_text() == MORE
