"""An agent does not write what the user's own tools would run, unless the user has seen it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.agents.voice import SESSION
from tests.support.main_job import MainJob

EVIL = "[core]\n\tfsmonitor = touch ran\n"


def begin(agent: StdioAgent, path: str, content: str) -> None:
    """Send the request, without waiting for its answer."""
    params = {"sessionId": SESSION, "path": path, "content": content}
    agent.request("fs/write_text_file", params, "write")


def shown(job: MainJob) -> str:
    """Return what the question shows."""
    ask = job.until(job.asks)[0]
    return "\n".join(job.nvim.lines(ask["bufnr"]))


@pytest.fixture
def asked(job: MainJob) -> tuple[MainJob, StdioAgent]:
    """Return a job in which the agent wants to write the configuration of git."""
    (job.work / ".git").mkdir()
    (job.work / ".git/config").write_text("[core]\n")
    agent = job.start()
    job.turn(agent)
    begin(agent, str(job.work / ".git/config"), EVIL)
    return job, agent


def written(job: MainJob) -> str:
    return (job.work / ".git/config").read_text()


def test_the_user_sees_what_would_be_written(asked: tuple[MainJob, StdioAgent]) -> None:
    job, agent = asked
    job.until(lambda: "fsmonitor = touch ran" in shown(job))
    assert ".git/config" in shown(job)
    agent.quiet()
    assert written(job) == "[core]\n"


@pytest.mark.parametrize("number", [1, 2])
def test_the_answer_is_done(asked: tuple[MainJob, StdioAgent], number: int) -> None:
    job, agent = asked
    job.until(job.asks)
    job.command(f"Acp permit {number}")
    answer: dict[str, Any] = agent.answer_to("write")
    if number == 1:
        assert answer["result"] is not None
        assert written(job) == EVIL
    else:
        assert "does not let" in answer["error"]["message"]
        assert written(job) == "[core]\n"


def test_a_cancelled_turn_is_a_no(asked: tuple[MainJob, StdioAgent]) -> None:
    job, agent = asked
    job.until(job.asks)
    job.command("Acp cancel")
    agent.expect("session/cancel")
    assert "error" in agent.answer_to("write")
    assert written(job) == "[core]\n"


def test_a_link_is_no_way_around_it(job: MainJob) -> None:
    (job.work / ".git").mkdir()
    (job.work / ".git/config").write_text("[core]\n")
    (job.work / "innocent").symlink_to(".git/config")
    agent = job.start()
    job.turn(agent)
    begin(agent, str(job.work / "innocent"), EVIL)
    assert "fsmonitor" in shown(job)


def test_a_link_that_leads_elsewhere_by_the_time_of_the_answer(job: MainJob) -> None:
    (job.work / ".git").mkdir()
    (job.work / ".git/config").write_text("[core]\n")
    link = job.work / "innocent"
    link.symlink_to(".envrc")
    agent = job.start()
    job.turn(agent)
    begin(agent, str(link), EVIL)
    assert ".envrc" in shown(job)
    link.unlink()
    link.symlink_to(".git/config")
    job.command("Acp permit 1")
    assert agent.answer_to("write")["result"] is not None
    assert written(job) == "[core]\n"
    assert (job.work / ".envrc").read_text() == EVIL


def test_other_files_are_not_asked_for() -> None:
    with MainJob({"fs": {"guard": []}}) as job:
        (job.work / ".git").mkdir()
        agent = job.start()
        job.turn(agent)
        path = job.work / ".git/config"
        assert "result" in agent.ask("fs/write_text_file", path=str(path), content=EVIL)
        assert path.read_text() == EVIL
