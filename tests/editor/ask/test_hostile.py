"""A hostile agent against the user's hands, in a real Neovim with the real host.

Whatever the agent does between the moment at which the user has looked and the key: what it is told
was allowed is what the user saw.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

CLOCK = """
_G.clock = 1000
require('acp.ask.answer').now = function() return _G.clock end
"""
SEEN = """
local found = {}
for _, window in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
  local config = vim.api.nvim_win_get_config(window)
  if config.relative ~= '' and config.height > 1 then
    vim.list_extend(found, vim.fn.getbufline(vim.api.nvim_win_get_buf(window), 1, '$'))
  end
end
return found
"""
WAYS = (
    ":Acp permit 1<CR>",
    "<Plug>(acp-allow)",
    "<Tab>1",
    "<Tab><CR>",
    "<Tab>]q1",
    "<Tab>q:Acp permit 1<CR>",
    "<Tab>d1",
)
HOSTILE = st.one_of(
    st.tuples(st.just("ask"), st.integers(0, 1)),
    st.tuples(st.just("update"), st.integers(0, 1)),
    st.tuples(st.just("withdraw"), st.integers(0, 3)),
)
STEPS = st.tuples(
    st.lists(HOSTILE, min_size=1, max_size=3),
    st.sampled_from([0, 20, 600]),
    st.lists(HOSTILE, max_size=2),
    st.sampled_from([0, 20, 400]),
    st.sampled_from(WAYS),
)


class Hostile:
    """The agent: what it has asked and not been told, and what its tool calls would do by now."""

    def __init__(self, job: MainJob, agent: StdioAgent) -> None:
        self.job, self.agent = job, agent
        self.count = 0
        self.open: dict[str, str] = {}
        """Tool call of each open question, by the id of its request."""
        self.commands: dict[str, str] = {}
        self.allowed: list[tuple[str, str]] = []
        """Request and command of each that was allowed."""

    def act(self, what: str, number: int) -> None:
        call = f"call-{number}"
        if what == "withdraw":
            if number < len(self.open):
                request = list(self.open)[number]
                self.agent.notify("$/cancel_request", {"requestId": request})
        else:
            self.count += 1
            self.commands[call] = f"run {self.count};"
            raw = {"command": self.commands[call]}
            told = {"toolCallId": call, "title": f"Of {call}", "rawInput": raw}
            if what == "ask":
                request = f"r{self.count}"
                self.open[request] = call
                self.agent.request_permission(request, toolCall=told)
            else:
                self.agent.update("tool_call_update", **told)

    def settle(self) -> None:
        """Let the client have heard all, and hear what it has answered."""
        self.count += 1
        barrier = f"b{self.count}"
        self.agent.request("_test/barrier", {}, barrier)
        while (message := self.agent.next()).get("id") != barrier:
            self.hear(message)

    def hear(self, message: dict[str, Any]) -> None:
        call = self.open.pop(message["id"])
        outcome = message.get("result", {}).get("outcome", {})
        if outcome.get("optionId") in ("yes", "always"):
            self.allowed.append((message["id"], self.commands[call]))


@pytest.fixture(scope="module")
def hostile() -> Iterator[Hostile]:
    with MainJob() as job:
        job.nvim.lua(CLOCK)
        agent = job.start()
        job.turn(agent)
        yield Hostile(job, agent)


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(STEPS, min_size=3, max_size=8))
def test_what_is_allowed_is_what_the_user_saw(hostile: Hostile, steps: list[Any]) -> None:
    job, nvim = hostile.job, hostile.job.nvim
    for before, patience, between, pause, keys in steps:
        for act in before:
            hostile.act(*act)
        hostile.settle()
        if patience:
            job.inspect()
        nvim.lua("_G.clock = _G.clock + ...", patience)
        seen = "\n".join(nvim.lua(SEEN))
        allowed = len(hostile.allowed)
        for act in between:
            hostile.act(*act)
        hostile.settle()
        nvim.lua("_G.clock = _G.clock + ...", pause)
        nvim.lua("vim.api.nvim_feedkeys(vim.keycode(...), 'm', false)", keys)
        nvim.settle()
        job.inspect()
        hostile.settle()
        for request, command in hostile.allowed[allowed:]:
            assert command in seen, f"{request}: {command} was allowed, on screen was\n{seen}"
        nvim.lua("vim.api.nvim_feedkeys(vim.keycode('<Esc>:wincmd b<CR>'), 'm', false)")
        nvim.settle()
        nvim.command("let w = bufwinid('^acp-prompt:') | call win_gotoid(w)")
    for number in range(len(hostile.open)):
        hostile.act("withdraw", len(hostile.open) - 1 - number)
    hostile.settle()
    while hostile.open:
        hostile.settle()
    assert job.until(lambda: job.asks() == []) is True


def test_the_play_allows_something(hostile: Hostile) -> None:
    """Else the property would say nothing."""
    hostile.act("ask", 0)
    hostile.settle()
    hostile.job.until(lambda: len(hostile.job.asks()) == 1)
    hostile.job.nvim.lua("_G.clock = _G.clock + 1000")
    before = len(hostile.allowed)
    hostile.job.command("Acp permit 1")
    while len(hostile.allowed) == before:
        hostile.settle()
    assert hostile.allowed[-1][1] == hostile.commands["call-0"]
    assert json.dumps(hostile.open) == "{}"
