"""What the keys of a chat are answered by the real host: prompts, answers, tool calls."""

from __future__ import annotations

from typing import Any

from tests.support.agents.stdio_agent import SESSION
from tests.support.main_job import MainJob

MODEL = {
    "id": "brain",
    "name": "Model",
    "category": "model",
    "type": "select",
    "currentValue": "opus",
    "options": [{"value": "opus", "name": "Opus"}, {"value": "haiku", "name": "Haiku"}],
}


def go_to_chat(job: MainJob) -> None:
    job.nvim.lua(
        "vim.api.nvim_set_current_win(require('acp.ui.layout').window_of(...))",
        job.session()["bufnr"],
    )


def prompt_lines(job: MainJob) -> list[str]:
    return job.nvim.lines(job.session()["prompt_bufnr"])


def test_what_was_sent_and_answered(job: MainJob) -> None:
    agent = job.start()
    for text in ("one", "two", "two", "three\nlines"):
        prompt = job.turn(agent, text.split("\n")[0]) if "\n" not in text else None
        if prompt is None:
            job.nvim.api.nvim_buf_set_lines(
                job.session()["prompt_bufnr"], 0, -1, True, text.split("\n")
            )
            job.nvim.input("<CR>")
            prompt = agent.prompted()
        agent.say(f"Answer to {text}")
        job.finish(agent, prompt)
    job.nvim.input("<Up>")
    job.until(lambda: prompt_lines(job) == ["three", "lines"])
    job.nvim.input("gg<Up>")
    job.until(lambda: prompt_lines(job) == ["two"])
    job.nvim.input("<Up>")
    job.until(lambda: prompt_lines(job) == ["one"])
    job.command("Acp resend")
    job.until(lambda: prompt_lines(job) == ["three", "lines"])
    go_to_chat(job)
    job.nvim.input("ya")
    job.until(lambda: job.nvim.eval('@"') == "Answer to three\nlines\n")


def test_a_tool_call_as_the_agent_told_it(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    agent.update(
        "tool_call",
        toolCallId="t1",
        title="Look \u202e around",
        kind="search",
        status="completed",
        rawInput={"pattern": "x+", "path": "\u202e"},
    )
    job.finish(agent, prompt)
    go_to_chat(job)
    job.nvim.input("gg]tK")
    job.until(lambda: any('"pattern": "x+"' in line for line in job.nvim.lines()))
    assert not any("\u202e" in line for line in job.nvim.lines())


def test_the_model_is_chosen_by_its_purpose(job: MainJob) -> None:
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize()
    agent.open(configOptions=[MODEL])
    job.until(lambda: job.session().get("state") == "idle")
    job.command("Acp model haiku")
    request: dict[str, Any] = agent.expect("session/set_config_option")
    assert request["params"] == {"sessionId": SESSION, "configId": "brain", "value": "haiku"}


def test_without_a_model_it_says_so(job: MainJob) -> None:
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize()
    agent.open(configOptions=[MODEL | {"category": "other"}])
    job.until(lambda: job.session().get("state") == "idle")
    job.command("Acp model")
    job.told("scripted has no model to choose")
