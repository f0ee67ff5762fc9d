"""The question is the security boundary, with the real host: withdrawn, changed, too many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

STANDS = "_G.clock = 1000 require('acp.ask.answer').now = function() return _G.clock end"
"""Time stands still for the questions, until the test lets it pass."""
FLOATS = """
return vim.tbl_filter(function(window)
  return vim.api.nvim_win_get_config(window).relative ~= ''
end, vim.api.nvim_list_wins())
"""
PLUG = "execute 'normal' \"\\<Plug>(acp-allow)\""


@pytest.fixture
def agent(job: MainJob) -> Iterator[StdioAgent]:
    """Yield the agent, in the middle of a turn."""
    started = job.start()
    job.nvim.lua(STANDS)
    job.turn(started)
    yield started


def call(name: str, command: str) -> dict[str, Any]:
    return {"toolCallId": name, "title": f"Run {name}", "rawInput": {"command": command}}


def ask(job: MainJob, agent: StdioAgent, name: str, command: str) -> dict[str, Any]:
    count = len(job.asks())
    agent.request_permission(name, toolCall=call(name, command))
    job.until(lambda: len(job.asks()) > count)
    return job.asks()[-1]


def shows(job: MainJob, question: dict[str, Any], text: str) -> None:
    job.until(lambda: any(text in line for line in job.nvim.lines(question["bufnr"])))


def wait(job: MainJob, milliseconds: int) -> None:
    job.nvim.lua("_G.clock = _G.clock + ...", milliseconds)


def chosen(agent: StdioAgent, name: str) -> str:
    return str(agent.answer_to(name)["result"]["outcome"]["optionId"])


@pytest.mark.parametrize("command", ["Acp permit 1", PLUG])
def test_one_that_is_withdrawn_just_before_hands_its_answer_to_no_other(
    job: MainJob, agent: StdioAgent, command: str
) -> None:
    first = ask(job, agent, "first", "ls")
    second = ask(job, agent, "second", "rm -rf ~")
    wait(job, 10_000)
    agent.notify("$/cancel_request", {"requestId": "first"})
    assert "error" in agent.answer_to("first")
    shows(job, second, "rm -rf ~")
    wait(job, 20)
    job.command(command)
    assert job.told("nothing was answered")
    agent.quiet()
    assert [it["id"] for it in job.asks()] == [second["id"]] != [first["id"]]
    wait(job, 500)
    job.command(command)
    assert chosen(agent, "second") == "yes"


def test_what_the_agent_changes_is_shown_and_looked_at_first(
    job: MainJob, agent: StdioAgent
) -> None:
    question = ask(job, agent, "it", "ls")
    wait(job, 10_000)
    agent.update("tool_call_update", **call("it", "rm -rf ~"))
    shows(job, question, "rm -rf ~")
    shows(job, question, "changed after it was asked")
    wait(job, 10_000)
    job.nvim.lua("require('acp').respond(...)", question["id"], "yes")
    job.command("Acp permit 1")
    assert job.told("the question has changed")
    agent.quiet()
    job.nvim.input("<Tab>1")
    assert chosen(agent, "it") == "yes"


ECHO = "echo one two"
EARLY = {"toolCallId": "c", "title": ECHO, "kind": "execute", "status": "pending"}
LATE = {
    "title": f"$ {ECHO}",
    "status": "in_progress",
    "content": [{"type": "content", "content": {"type": "text", "text": "runs"}}],
    "_meta": {"x": 1},
}
WAYS = ["Acp permit 1", PLUG, "lua require('acp').respond(ASK, 'yes')", "normal ,y", ""]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("has_input", [True, False])
def test_a_tool_call_that_is_told_after_its_permission_raises_no_alarm(
    job: MainJob, agent: StdioAgent, way: str, has_input: bool
) -> None:
    job.command("nmap ,y <Plug>(acp-allow)")
    raw = {"rawInput": {"command": ECHO}}
    agent.request_permission("it", toolCall=EARLY | (raw if has_input else {}))
    agent.update("tool_call", **(EARLY | LATE | raw))
    job.until(job.asks)
    (question,) = job.asks()
    shows(job, question, ECHO)
    wait(job, 500)
    if way:
        job.command(way.replace("ASK", repr(question["id"])))
    else:
        job.nvim.input("<Tab>1")
    assert chosen(agent, "it") == "yes"
    assert "nothing was answered" not in job.nvim.messages()


def test_a_late_title_is_shown_and_is_no_change(job: MainJob, agent: StdioAgent) -> None:
    question = ask(job, agent, "it", "ls")
    wait(job, 10_000)
    agent.update("tool_call_update", toolCallId="it", title="List", status="in_progress")
    shows(job, question, "List")
    assert not any("changed" in line for line in job.nvim.lines(question["bufnr"]))
    job.command("Acp permit 1")
    assert chosen(agent, "it") == "yes"


def test_the_key_for_a_folded_one_that_is_withdrawn_allows_nothing(
    job: MainJob, agent: StdioAgent
) -> None:
    job.command("nmap ,y <Plug>(acp-allow)")
    ask(job, agent, "first", "ls")
    job.nvim.input("<Tab>q")
    wait(job, 60_000)
    agent.notify("$/cancel_request", {"requestId": "first"})
    assert "error" in agent.answer_to("first")
    job.until(lambda: not job.asks())
    second = ask(job, agent, "second", "rm -rf ~")
    shows(job, second, "rm -rf ~")
    wait(job, 50)
    for way in (
        "normal ,y",
        PLUG,
        "Acp permit 1",
        f"lua require('acp').respond('{second['id']}', 'yes')",
    ):
        job.command(way)
        assert job.told("nothing was answered")
    agent.quiet()
    wait(job, 450)
    job.command("normal ,y")
    assert chosen(agent, "second") == "yes"


@pytest.mark.parametrize("job", [{"permission": {"focus": "auto"}}], indirect=True)
def test_a_count_typed_in_the_code_answers_nothing(job: MainJob, agent: StdioAgent) -> None:
    job.edit("a.txt", "".join(f"{number}\n" for number in range(40)))
    question = ask(job, agent, "it", "ls")
    job.nvim.input("3j")
    wait(job, 600)
    job.until(lambda: job.nvim.eval("win_getid()") == question["winid"])
    job.nvim.input("2")
    job.nvim.input("1")
    agent.quiet()
    wait(job, 600)
    job.nvim.input("1")
    assert chosen(agent, "it") == "yes"


def test_a_thousand_are_one_window_and_only_its_buffer_is_left_of_them(
    job: MainJob, agent: StdioAgent
) -> None:
    windows, buffers = (len(job.nvim.eval(it)) for it in ("getwininfo()", "getbufinfo()"))
    for number in range(1000):  # of few calls: each frame draws all calls of a turn
        agent.request_permission(number, toolCall=call(f"c{number % 9}", f"echo {number % 9}"))
    job.until(lambda: len(job.asks()) == 1000)
    (window,) = job.nvim.lua(FLOATS)
    title = job.nvim.api.nvim_win_get_config(window)["title"][0][0]
    assert title.startswith(" 1 of 1000 · ")
    agent.request_permission("one more", toolCall=call("more", "ls"))
    assert "1,000 requests are open already" in agent.answer_to("one more")["error"]["message"]
    job.command("Acp cancel")
    job.until(lambda: job.asks() == [])
    assert job.nvim.lua(FLOATS) == []
    assert len(job.nvim.eval("getwininfo()")) == windows
    assert len(job.nvim.eval("getbufinfo()")) == buffers + 1
    job.usable()
