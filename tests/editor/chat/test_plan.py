"""Where the agent's plan is: how far it is in the bar, whole on `<CR>`."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

STEPS = [
    ("Read", "completed"),
    ("Look", "completed"),
    ("Fix it", "in_progress"),
    ("Test", "pending"),
]


def planned(job: MainJob) -> tuple[StdioAgent, dict[str, Any]]:
    """Begin a turn with a plan."""
    agent = job.start()
    prompt = job.turn(agent)
    entries = [{"content": it, "priority": "medium", "status": status} for it, status in STEPS]
    agent.update("plan", entries=entries)
    job.until(lambda: any(line.startswith("Plan 2/4") for line in job.chat()))
    job.command(f"call win_gotoid(bufwinid({job.session()['bufnr']}))")
    return agent, prompt


def bar(job: MainJob) -> str:
    return str(job.nvim.eval("b:acp_winbar"))


def test_the_bar_says_how_far_it_is_and_the_chat_has_one_line(job: MainJob) -> None:
    agent, prompt = planned(job)
    assert "2/4 ◐ Fix it" in bar(job)
    assert "Fix it" not in job.chat()
    job.nvim.input(f"{job.chat().index('Plan 2/4') + 1}G<CR>")
    job.until(lambda: "Fix it" in job.chat())
    job.nvim.input("<CR>")
    job.until(lambda: "Fix it" not in job.chat())
    job.finish(agent, prompt)
    assert "2/4" not in bar(job)


def test_where_nothing_opens_it_is_shown_whole(job: MainJob) -> None:
    planned(job)
    chat = job.nvim.eval("bufnr()")
    job.nvim.input("gg<CR>")
    job.until(lambda: job.nvim.eval("bufnr()") != chat)
    assert job.nvim.lines(int(job.nvim.eval("bufnr()"))) == [
        "☑ Read",
        "☑ Look",
        "◐ Fix it",
        "☐ Test",
    ]
    job.nvim.input("q")
    job.until(lambda: job.nvim.eval("bufnr()") == chat)


@pytest.mark.parametrize("job", [{"ui": {"plan": "chat"}}], indirect=True)
def test_it_may_stand_whole_in_the_chat(job: MainJob) -> None:
    planned(job)
    assert {"Read", "Look", "Fix it", "Test"} <= set(job.chat())
    assert "2/4" not in bar(job)
    chat = job.nvim.eval("bufnr()")
    job.nvim.input("gg<CR>")
    job.usable()
    assert job.nvim.eval("bufnr()") == chat
