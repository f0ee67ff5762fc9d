"""With an agent made with the official SDK, which validates every message: they understand us."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.agents import sdk_agent
from tests.support.main_job import MainJob

SHOUTER = {"command": sys.executable, "args": ["-P", str(Path(sdk_agent.__file__))]}


@pytest.fixture
def job() -> Iterator[MainJob]:
    """Yield a job with a session of that agent."""
    with MainJob({"agents": {"shouter": SHOUTER}}) as started:
        started.command("AcpStart shouter")
        started.until_event("AcpSessionStarted")
        yield started


@pytest.mark.parametrize(("answer", "text"), [(1, "ONE\nTWO\n"), (2, "one\ntwo\n")])
def test_a_turn_with_an_edit(job: MainJob, answer: int, text: str) -> None:
    path = job.edit("a.txt", "one\ntwo\n")
    job.command(f"AcpPrompt {path}")
    job.until(job.asks)
    assert [it["name"] for it in job.asks()[0]["options"]] == ["Shout", "Stay quiet"]
    job.command(f"Acp permit {answer}")
    job.until_event("AcpTurnEnded")
    assert job.nvim.lines() == text.splitlines()
    assert path.read_text() == text
    session = job.session()
    assert session["entries"][-2]["text"] == "It is **done**."
    assert session["plan"] == [{"content": "shout", "priority": "high", "status": "pending"}]
    call = next(it for it in session["entries"] if it["kind"] == "tool")
    assert call["status"] == ("completed" if answer == 1 else "failed")


def test_what_it_calls_itself_is_shown_and_it_ends_with_its_input(job: MainJob) -> None:
    connection = job.inspect()["connections"][0]
    assert connection["info"] == {"name": "shouter", "title": "Shouter", "version": "1.0"}
    job.command("Acp stop")
    job.gone(connection["pid"])
    assert job.inspect()["connections"][0]["state"] == "closed"
