"""What is kept on disk: for the user alone, without secrets, and never through a planted link."""

from __future__ import annotations

import os
import resource
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.main_job import MainJob

SECRET = "hunter2-hunter2"
OPTIONS = {
    "log": {"level": "debug"},
    "mcp_servers": [
        {"name": "a", "command": "/bin/true", "env": [{"name": "K", "value": SECRET}]},
        {"name": "b", "type": "http", "url": "http://h/", "headers": {"X-Any": f"b{SECRET}"}},
    ],
}


@pytest.fixture(params=[0o000, 0o022])
def open_job(request: pytest.FixtureRequest) -> Iterator[MainJob]:
    """Yield a job of a user with that umask, whose configuration has secrets."""
    was = os.umask(request.param)
    try:
        with MainJob(OPTIONS) as job:
            yield job
    finally:
        os.umask(was)


def state(job: MainJob) -> Path:
    return Path(job.nvim.eval("stdpath('state')"), "acp.nvim")


def test_all_that_is_kept_is_private_and_has_no_secrets(open_job: MainJob) -> None:
    job = open_job
    agent = job.start(agentCapabilities={"mcpCapabilities": {"http": True}})
    prompt = job.turn(agent)
    path = job.work / "a.txt"
    path.write_text("one\n")
    assert "result" in agent.ask("fs/write_text_file", path=str(path), content="two\n")
    agent.say(f"I know {SECRET}")
    agent.ask("terminal/create", command="true", env=[{"name": "A", "value": "terminal-env"}])
    job.finish(agent, prompt)
    job.nvim.input("isecond prompt<Esc>")
    job.command("doautocmd CursorHold")
    job.command("Acp log")
    job.nvim.wait(lambda: list(state(job).glob("drafts/*")))
    job.command("Acp stop")
    job.until(lambda: list(state(job).glob("sessions/*.jsonl")))
    job.until(lambda: list(state(job).glob("edits/*.history")))
    files = [it for it in state(job).rglob("*") if it.is_file()]
    folders = [state(job), *(it for it in state(job).rglob("*") if it.is_dir())]
    assert {stat.S_IMODE(it.stat().st_mode) for it in files} == {0o600}
    assert {stat.S_IMODE(it.stat().st_mode) for it in folders} == {0o700}
    for file in files:
        assert SECRET not in file.read_text(errors="replace"), file
        assert "terminal-env" not in file.read_text(errors="replace"), file


def test_planted_links_are_not_followed(job: MainJob) -> None:
    victims = [job.folder / name for name in ("bashrc", "profile", "elsewhere")]
    victims[0].write_text("mine")
    victims[2].mkdir()
    top = state(job)
    (top / "log").mkdir(parents=True)
    (top / "log" / "scripted.jsonl").symlink_to(victims[0])
    (top / "host.log").symlink_to(victims[1])
    (top / "drafts").symlink_to(victims[2])
    agent = job.start()
    job.finish(agent, job.turn(agent))
    job.nvim.input("idraft<Esc>")
    job.command("doautocmd CursorHold")
    job.command("Acp nonsense")
    assert victims[0].read_text() == "mine"
    assert not victims[1].exists()
    assert list(victims[2].iterdir()) == []
    assert not (top / "log" / "scripted.jsonl").is_symlink()
    job.usable()


@pytest.mark.skipif(sys.platform != "linux", reason="limits of another process")
def test_that_nothing_can_be_kept_is_said(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    agent.say("hello")
    job.until(lambda: "hello" in job.chat())
    # what is open stays so, but nothing more can be opened
    resource.prlimit(job.host(), resource.RLIMIT_NOFILE, (3, 4096))
    job.finish(agent, prompt)
    job.told("not kept on disk", "Too many open files")
    resource.prlimit(job.host(), resource.RLIMIT_NOFILE, (4096, 4096))
    job.finish(agent, job.turn(agent))
    job.until(lambda: list(state(job).glob("sessions/*.jsonl")))
