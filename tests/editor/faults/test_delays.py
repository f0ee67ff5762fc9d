"""A host that dawdles at every lock and in every call of the editor: nothing of anybody is lost.

`ACP_TEST_DELAYS=SEED` lets all editor tests have such a host; see doc/contributing.md.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support import delays
from tests.support.agents.agent_edits import hunks, looked, tool
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 31))
ROUNDS = 2


@pytest.fixture(params=[1, 2, 3])
def job(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainJob]:
    """Yield a job whose host dawdles; its delays are others with each seed."""
    monkeypatch.setenv(delays.VARIABLE, f"{request.param}:10")
    with MainJob() as started:
        yield started


def both_write(job: MainJob, agent: StdioAgent) -> list[str]:
    """Let the agent write what it has read while the user types elsewhere; return the texts."""
    opened, other = job.work / "opened.txt", job.work / "other.txt"
    said = []
    for number in range(ROUNDS):
        text = agent.ask("fs/read_text_file", path=str(opened))["result"]["content"]
        theirs = text.replace(f"line {number + 3}\n", f"agent {number}\n")
        agent.request(
            "fs/write_text_file",
            {"sessionId": "sess 1/ü", "path": str(opened), "content": theirs},
            f"write-{number}",
        )
        job.nvim.input(f"Ouser {number}<Esc>")
        tool(agent, other, LINES.replace("line 2\n", f"tool {number}\n"), f"edit-{number}")
        agent.request_permission(f"ask-{number}")
        job.nvim.input(f"Ouser {number} again<Esc>")
        assert agent.answer_to(f"write-{number}")["result"] == {}
        job.until(job.asks)
        job.command("Acp permit 1")
        answer = agent.answer_to(f"ask-{number}")["result"]["outcome"]
        assert answer == {"outcome": "selected", "optionId": "yes"}
        said += [f"user {number}", f"user {number} again"]
    return said


def test_a_turn_in_which_both_write_and_its_undo(job: MainJob) -> None:
    agent = job.start()
    other = job.work / "other.txt"
    other.write_text(LINES)
    job.edit("opened.txt", LINES)
    job.command("normal! G")
    prompt = job.turn(agent)
    job.command("wincmd t")
    users = both_write(job, agent)
    agent.say("done")
    job.finish(agent, prompt)
    looked(job)
    lines = job.nvim.lines()
    agents = [f"agent {number}" for number in range(ROUNDS)]
    assert [it for it in lines if it.startswith("agent")] == agents
    assert sorted(it for it in lines if it.startswith("user")) == sorted(users)
    first = lines.index(agents[0]) + 1
    in_opened = (1, "opened.txt", first, first + ROUNDS - 1, ROUNDS, ROUNDS)
    assert sorted(hunks(job)) == [in_opened, (1, "other.txt", 2, 2, 1, 1)]
    job.command("Acp undo")
    job.told("undid turn 1")
    job.until(lambda: other.read_text() == LINES)
    expected = [f"line {number}" for number in range(1, 31)]
    assert [it for it in job.nvim.lines() if not it.startswith("user")] == expected
    assert sorted(it for it in job.nvim.lines() if it.startswith("user")) == sorted(users)
    job.usable()
