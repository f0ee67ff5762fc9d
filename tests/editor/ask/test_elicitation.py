"""The float of an elicitation: filled in by keys, judged before it is sent, and never by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.agents.scripted_agent import SESSION
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

FIELDS = {
    "name": {"type": "string", "title": "Name", "minLength": 2},
    "age": {"type": "integer", "title": "Age", "minimum": 0, "default": 7},
    "news": {"type": "boolean", "title": "News", "default": True},
    "size": {"type": "string", "title": "Size", "enum": ["S", "M"]},
    "tags": {"type": "array", "title": "Tags", "items": {"type": "string", "enum": ["a", "b"]}},
}
FORM = {"properties": FIELDS, "required": ["name"]}
URL = "https://accounts.example.com/login?token=1"
OPENER = """
local problem = ...
_G.opened = {}
vim.ui.open = function(url)
  table.insert(_G.opened, url)
  if problem ~= vim.NIL then return nil, problem end
  return {}
end
"""


@pytest.fixture
def agent(job: MainJob) -> Iterator[StdioAgent]:
    """Yield the agent, in the middle of a turn."""
    started = job.start(agentInfo={"name": "x", "title": "Fine Agent", "version": "2"})
    job.turn(started)
    yield started


def elicit(job: MainJob, agent: StdioAgent, request_id: str = "e", **fields: Any) -> dict[str, Any]:
    """Let the agent ask; return the question once it is on the screen."""
    count = len(job.asks())
    params = {"mode": "form", "message": "Who are you?", "requestedSchema": FORM}
    scope = {} if "requestId" in fields else {"sessionId": SESSION}
    agent.request("elicitation/create", params | scope | fields, request_id)
    job.until(lambda: len(job.asks()) > count)
    return job.asks()[-1]


def link(job: MainJob, agent: StdioAgent, url: str = URL) -> dict[str, Any]:
    return elicit(job, agent, mode="url", message="Log in", elicitationId="l", url=url)


def focus(job: MainJob, question: dict[str, Any]) -> None:
    job.command("Acp permit")
    job.until(lambda: job.nvim.eval("win_getid()") == question["winid"])


def shows(job: MainJob, question: dict[str, Any], text: str) -> None:
    job.until(lambda: any(text in line for line in job.nvim.lines(question["bufnr"])))


def at(job: MainJob, text: str, keys: str = "<CR>") -> None:
    """Press keys in the row with that text."""
    job.nvim.lua("vim.fn.search('\\\\V' .. ..., 'w')", text)
    job.nvim.input(keys)


def opened(job: MainJob) -> list[str]:
    return list(job.nvim.lua("return _G.opened"))


def result(agent: StdioAgent, request_id: str = "e") -> Any:
    return agent.answer_to(request_id)["result"]


def test_it_opens_beside_the_typing_and_sends_nothing(job: MainJob, agent: StdioAgent) -> None:
    job.edit("a.txt", "")
    window = job.nvim.eval("win_getid()")
    job.nvim.input("ihello a")
    question = elicit(job, agent)
    job.nvim.input("x")
    assert job.nvim.lines() == ["hello ax"]
    assert job.nvim.eval("win_getid()") == window
    assert (question["kind"], question["title"]) == ("elicitation", "Who are you?")
    title = job.nvim.api.nvim_win_get_config(question["winid"])["title"][0][0]
    assert title.strip() == "scripted asks"
    event = job.until_event("AcpElicitationRequested")
    wanted = {"agent": "scripted", "session": SESSION, "ask": question["id"]}
    assert event == wanted | {"title": "Who are you?", "mode": "form"}
    agent.quiet()


def test_a_form_is_filled_in_by_keys(job: MainJob, agent: StdioAgent) -> None:
    question = elicit(job, agent)
    focus(job, question)
    at(job, "Name", "<CR>Jo<CR>")
    shows(job, question, "Name *: Jo")
    at(job, "Age", "<CR><C-u>42<CR>")
    shows(job, question, "Age: 42")
    at(job, "News")
    shows(job, question, "News: no")
    job.nvim.lua("vim.ui.select = function(items, _, done) done(items[3], 3) end")
    at(job, "Size")
    shows(job, question, "Size: M")
    at(job, "[ ] b")
    shows(job, question, "[x] b")
    agent.quiet()
    job.nvim.input("a")
    content = {"name": "Jo", "age": 42, "news": False, "size": "M", "tags": ["b"]}
    assert result(agent) == {"action": "accept", "content": content}
    job.until(lambda: not job.asks())
    assert job.nvim.eval("histget('@', -1)") == ""
    job.usable()


def test_what_is_not_valid_stays_in_the_form(job: MainJob, agent: StdioAgent) -> None:
    question = elicit(job, agent)
    focus(job, question)
    job.nvim.input("a")
    shows(job, question, "an answer is required")
    assert job.told("not sent", "name")
    at(job, "Age", "<CR><C-u>many<CR>")
    shows(job, question, "it must be a whole number")
    agent.quiet()
    at(job, "Age", "<CR><C-u><CR>")
    at(job, "Name", "<CR>Jo<CR>")
    shows(job, question, "Name *: Jo")
    at(job, "[accept]")
    assert result(agent) == {"action": "accept", "content": {"name": "Jo", "news": True}}


@pytest.mark.parametrize(("key", "action"), [("x", "decline"), ("<C-c>", "cancel")])
def test_decline_and_cancel_are_distinct(
    job: MainJob, agent: StdioAgent, key: str, action: str
) -> None:
    window = job.nvim.eval("win_getid()")
    question = elicit(job, agent)
    focus(job, question)
    job.nvim.input("q")
    assert job.nvim.eval("win_getid()") == window
    agent.quiet()
    focus(job, question)
    # not as input: <C-c> that comes while Neovim handles a request would interrupt that instead
    job.nvim.lua("vim.api.nvim_feedkeys(vim.keycode(...), 'm', false)", key)
    assert result(agent) == {"action": action}
    job.until(lambda: not job.nvim.api.nvim_win_is_valid(question["winid"]))
    assert job.nvim.eval("win_getid()") == window


def test_buttons_answer_too(job: MainJob, agent: StdioAgent) -> None:
    focus(job, elicit(job, agent))
    at(job, "[decline]")
    assert result(agent) == {"action": "decline"}


def test_a_script_answers(job: MainJob, agent: StdioAgent) -> None:
    question = elicit(job, agent)
    respond = "require('acp').respond(...)"
    job.nvim.lua(respond, question["id"], {"action": "accept", "content": {"name": "J", "x": 1}})
    assert job.told("not sent", "2 characters", "no such field")
    agent.quiet()
    job.nvim.lua(respond, question["id"], {"action": "accept", "content": {"name": "Jo", "age": 3}})
    assert result(agent) == {"action": "accept", "content": {"name": "Jo", "age": 3}}


def test_nothing_is_opened_before_the_user_agrees(job: MainJob, agent: StdioAgent) -> None:
    job.nvim.lua(OPENER, None)
    question = link(job, agent)
    shows(job, question, URL)
    shows(job, question, "Host: accounts.example.com")
    focus(job, question)
    assert opened(job) == []
    agent.quiet()
    job.nvim.input("o")
    assert result(agent) == {"action": "accept"}
    assert opened(job) == [URL]
    job.until(lambda: any("is open in the browser" in line for line in job.chat()))
    agent.notify("elicitation/complete", {"elicitationId": "l"})
    job.until(lambda: any("accounts.example.com: done" in line for line in job.chat()))


def test_a_browser_that_does_not_start_leaves_it_open(job: MainJob, agent: StdioAgent) -> None:
    job.nvim.lua(OPENER, "no opener")
    focus(job, link(job, agent))
    job.nvim.input("o")
    assert job.told("no opener")
    agent.quiet()
    job.nvim.input("x")
    assert result(agent) == {"action": "decline"}


def test_other_schemes_are_refused(job: MainJob, agent: StdioAgent) -> None:
    job.nvim.lua(OPENER, None)
    question = link(job, agent, "file:///etc/passwd")
    focus(job, question)
    shows(job, question, "only http and https are opened")
    job.nvim.input("o")
    job.nvim.lua("require('acp').respond(...)", question["id"], {"action": "accept"})
    assert job.told("only http and https")
    agent.quiet()
    assert opened(job) == []


def test_cancelling_the_turn_withdraws_it(job: MainJob, agent: StdioAgent) -> None:
    question = elicit(job, agent)
    job.command("Acp cancel")
    messages = [agent.next(), agent.next()]
    assert {it.get("method", it.get("id")) for it in messages} == {"session/cancel", "e"}
    answer = next(it for it in messages if it.get("id") == "e")
    assert answer["result"] == {"action": "cancel"}
    job.until(lambda: not job.nvim.api.nvim_win_is_valid(question["winid"]))


def test_a_permission_is_answered_once_it_is_shown(job: MainJob, agent: StdioAgent) -> None:
    form = elicit(job, agent)
    agent.request_permission("p")
    job.until(lambda: len(job.asks()) == 2)
    job.command("Acp permit 1")
    assert job.told("has no numbers")
    agent.quiet()
    job.nvim.input("<Esc><C-w>w")
    focus(job, form)
    job.nvim.input("]q")
    shows(job, form, "1. Allow once")
    job.nvim.input("1")
    assert agent.answer_to("p")["result"]["outcome"]["optionId"] == "yes"
    assert [it["kind"] for it in job.asks()] == ["elicitation"]


def test_before_any_session(job: MainJob) -> None:
    job.command("AcpStart scripted")
    agent = job.stage.accept()
    agent.initialize()
    opening = agent.expect("session/new")
    question = elicit(job, agent, requestId=opening["id"])
    assert "session" not in question
    focus(job, question)
    job.nvim.input("x")
    assert result(agent) == {"action": "decline"}
