"""Two hostile agents against the user's hands, in a real Neovim with the real host.

Whatever they do between the moment at which the user has looked and the key: what it is told
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
    ",y",
    "<Tab>1",
    "<Tab><CR>",
    "<Tab>]q1",
    "<Tab>q:Acp permit 1<CR>",
    "<Tab>d1",
)
MAPPED = "vim.keymap.set('n', ',y', '<Plug>(acp-allow)')"
"""A key of the user's."""
WHO = st.integers(0, 1)
HOSTILE = st.one_of(
    st.tuples(st.just("ask"), st.integers(0, 1), WHO),
    st.tuples(st.just("update"), st.integers(0, 1), WHO),
    st.tuples(st.just("retitle"), st.integers(0, 1), WHO),
    st.tuples(st.just("withdraw"), st.integers(0, 3), WHO),
)
STEPS = st.tuples(
    st.lists(HOSTILE, min_size=1, max_size=3),
    st.sampled_from([0, 20, 600]),
    st.booleans(),
    st.lists(HOSTILE, max_size=2),
    st.sampled_from([0, 20, 400]),
    st.sampled_from(WAYS),
)


class Hostile:
    """The agents: what they have asked and not been told, and what their calls would do by now."""

    def __init__(self, job: MainJob, agents: list[StdioAgent]) -> None:
        self.job, self.agents = job, agents
        self.count = 0
        self.open: dict[str, tuple[int, str]] = {}
        """Agent and tool call of each open question, by the id of its request."""
        self.commands: dict[tuple[int, str], str] = {}
        self.allowed: list[tuple[str, str]] = []
        """Request and command of each that was allowed."""

    def act(self, what: str, number: int, who: int) -> None:
        agent, call = self.agents[who], f"call-{number}"
        self.count += 1
        if what == "withdraw":
            mine = [request for request, (whose, _) in self.open.items() if whose == who]
            if number < len(mine):
                agent.notify("$/cancel_request", {"requestId": mine[number]})
        elif what == "retitle":
            told = {"title": f"Words {self.count}", "status": "in_progress"}
            agent.update("tool_call_update", toolCallId=call, **told)
        else:
            self.commands[who, call] = f"run {self.count};"
            raw = {"command": self.commands[who, call]}
            told = {"toolCallId": call, "title": f"Of {call}", "rawInput": raw}
            if what == "ask":
                request = f"r{self.count}"
                self.open[request] = who, call
                agent.request_permission(request, toolCall=told)
            else:
                agent.update("tool_call_update", **told)

    def settle(self) -> None:
        """Let the client have heard all, and hear what it has answered."""
        for agent in self.agents:
            self.count += 1
            barrier = f"b{self.count}"
            agent.request("_test/barrier", {}, barrier)
            while (message := agent.next()).get("id") != barrier:
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
        job.nvim.lua(MAPPED)
        job.nvim.lua("require('acp').setup({ agents = { other = ... } })", job.stage.options())
        first = job.start()
        job.turn(first)
        job.command("AcpStart other")
        second = job.stage.accept()
        second.initialize()
        second.open()
        job.until(lambda: job.session()["state"] == "idle")
        job.turn(second)
        yield Hostile(job, [first, second])


@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(steps=st.lists(STEPS, min_size=3, max_size=8))
def test_what_is_allowed_is_what_the_user_saw(hostile: Hostile, steps: list[Any]) -> None:
    for step in steps:
        play(hostile, *step)
    for request, (who, _) in hostile.open.items():
        hostile.agents[who].notify("$/cancel_request", {"requestId": request})
    hostile.settle()
    while hostile.open:
        hostile.settle()
    assert hostile.job.until(lambda: hostile.job.asks() == []) is True


def test_the_play_allows_something(hostile: Hostile) -> None:
    """Else the property would say nothing."""
    hostile.act("ask", 0, 0)
    hostile.settle()
    hostile.job.until(lambda: len(hostile.job.asks()) == 1)
    hostile.job.nvim.lua("_G.clock = _G.clock + 1000")
    before = len(hostile.allowed)
    hostile.job.command("Acp permit 1")
    while len(hostile.allowed) == before:
        hostile.settle()
    assert hostile.allowed[-1][1] == hostile.commands[0, "call-0"]
    assert json.dumps(hostile.open) == "{}"


def play(
    hostile: Hostile, before: Any, patience: int, fold: bool, between: Any, pause: int, keys: str
) -> None:
    """Let the agents act, the user look, the agents act again, and the user press keys."""
    job, nvim = hostile.job, hostile.job.nvim
    for act in before:
        hostile.act(*act)
    hostile.settle()
    if patience:
        job.inspect()
    nvim.lua("_G.clock = _G.clock + ...", patience)
    if fold and job.asks():
        press(hostile, "<Tab>q")
    seen = "\n".join(nvim.lua(SEEN))
    allowed = len(hostile.allowed)
    for act in between:
        hostile.act(*act)
    hostile.settle()
    nvim.lua("_G.clock = _G.clock + ...", pause)
    press(hostile, keys)
    job.inspect()
    hostile.settle()
    for request, command in hostile.allowed[allowed:]:
        assert command in seen, f"{request}: {command} was allowed, on screen was\n{seen}"
    press(hostile, "<Esc>:wincmd b<CR>")
    nvim.command("let w = bufwinid('^acp-prompt:') | call win_gotoid(w)")


def press(hostile: Hostile, keys: str) -> None:
    """Type keys, and wait until Neovim has taken them."""
    hostile.job.nvim.lua("vim.api.nvim_feedkeys(vim.keycode(...), 'm', false)", keys)
    hostile.job.nvim.settle()
