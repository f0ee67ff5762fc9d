"""`:help acp-replay`: a log of a real agent, played back as an agent."""

from __future__ import annotations

import sys

from tests.support.main_job import MainJob
from tests.support.nvim import ROOT
from tests.support.replay import SESSIONS


def test_a_log_is_an_agent() -> None:
    replay = {
        "command": sys.executable,
        "args": ["-P", "-m", "acp_tutor.replay", str(SESSIONS / "vibe.jsonl")],
        "env": {"PYTHONPATH": str(ROOT / "python")},
    }
    with MainJob({"agents": {"replay": replay}}) as job:
        job.command("AcpStart replay")
        job.until_event("AcpSessionStarted")
        job.command("AcpPrompt whatever")
        job.until_event("AcpTurnEnded")
        assert job.session()["entries"][-2]["text"] == "Hello **world**, how are you?"
        job.command("AcpPrompt the next turn")
        job.until_event("AcpTurnEnded", 2)
        job.command("AcpPrompt and one that asks")
        job.until(job.asks)
        job.command("Acp permit 1")
        job.until_event("AcpTurnEnded", 3)
        tools = [it["status"] for it in job.session()["entries"] if it["kind"] == "tool"]
        assert tools == ["completed", "completed"]
        assert not list(job.work.iterdir()), "a replay writes nothing"


def test_with_log_level_debug_a_log_has_whole_lines() -> None:
    with MainJob({"log": {"level": "debug"}}) as job:
        agent = job.start()
        prompt = job.turn(agent)
        agent.say("long " * 5_000)
        job.finish(agent, prompt)
        job.command("Acp log")
        job.until(lambda: job.nvim.eval("expand('%:e')") == "jsonl")
        assert any("long " * 5_000 in line for line in job.nvim.lines())
