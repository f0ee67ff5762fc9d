"""The permission menu: it disturbs nobody, and only the user answers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.main_job import MainJob
from tests.support.stdio_agent import StdioAgent

CALL = {"toolCallId": "call-1", "title": "Run make", "kind": "execute", "status": "pending"}
LONG = "".join(f"line {number}\n" for number in range(100))
DIFF = {"type": "diff", "path": "/a.py", "oldText": LONG, "newText": LONG.upper()}


def ask(
    job: MainJob, agent: StdioAgent, request_id: str = "p", content: list[Any] | None = None
) -> dict[str, Any]:
    """Let the agent ask; return the question once it is on the screen."""
    count = len(job.asks())
    agent.request_permission(request_id, toolCall=CALL | {"content": content or []})
    job.until(lambda: len(job.asks()) > count)
    return job.asks()[-1]


def chosen(agent: StdioAgent, request_id: str = "p") -> str | None:
    """Return the id of the option that the agent was told; None for `cancelled`."""
    outcome = agent.answer_to(request_id)["result"]["outcome"]
    return outcome.get("optionId") if outcome["outcome"] == "selected" else None


def is_open(job: MainJob, question: dict[str, Any]) -> bool:
    return bool(job.nvim.api.nvim_win_is_valid(question["winid"]))


def test_it_opens_while_the_user_types_elsewhere(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    job.edit("a.txt", "")
    window = job.nvim.eval("win_getid()")
    job.nvim.input("ihello 1")
    question = ask(job, agent)
    assert is_open(job, question)
    job.nvim.input("2 world")
    assert job.nvim.mode() == {"mode": "i", "blocking": False}
    assert job.nvim.eval("win_getid()") == window
    assert job.nvim.lines() == ["hello 12 world"]
    assert question["title"] == "Run make"
    assert [option["name"] for option in question["options"]] == ["Allow once", "Always", "Reject"]
    agent.quiet()
    job.command("Acp permit 2")
    assert chosen(agent) == "always"
    job.until(lambda: not is_open(job, question))
    assert job.nvim.mode()["mode"] == "i"
    assert job.nvim.eval("win_getid()") == window
    assert job.asks() == []


@pytest.mark.parametrize(
    ("keys", "option"), [("3", "no"), ("1", "yes"), ("d<Esc>2", "always"), ("d2", "always")]
)
def test_it_is_answered_by_key(job: MainJob, keys: str, option: str) -> None:
    agent = job.start()
    job.turn(agent)
    window = job.nvim.eval("win_getid()")
    question = ask(job, agent, content=[DIFF])
    job.command("Acp permit")
    job.until(lambda: job.nvim.eval("win_getid()") == question["winid"])
    job.nvim.input(keys)
    assert chosen(agent) == option
    job.until(lambda: not is_open(job, question))
    assert job.nvim.eval("win_getid()") == window
    job.usable()


def test_tab_goes_to_it_q_leaves_it_and_cr_chooses_the_line(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    window = job.nvim.eval("win_getid()")
    question = ask(job, agent)
    job.nvim.input("<Tab>")
    assert job.nvim.eval("win_getid()") == question["winid"]
    job.nvim.input("q")
    assert job.nvim.eval("win_getid()") == window
    agent.quiet()
    job.nvim.input("<Tab>/Reject<CR><CR>")
    assert chosen(agent) == "no"


def test_the_oldest_is_answered_first(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    ask(job, agent, "older")
    newer = ask(job, agent, "newer")
    job.command("Acp permit 1")
    assert chosen(agent, "older") == "yes"
    assert [it["id"] for it in job.asks()] == [newer["id"]]
    job.command("execute 'normal' \"\\<Plug>(acp-reject-permission)\"")
    assert chosen(agent, "newer") == "no"


def test_an_option_that_is_not_there_answers_nothing(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    ask(job, agent)
    job.command("Acp permit 7")
    assert job.told("option 7")
    agent.quiet()
    assert len(job.asks()) == 1


def test_cancelling_the_turn_withdraws_it(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    question = ask(job, agent)
    job.command("Acp cancel")
    messages = [agent.next(), agent.next()]
    assert {it.get("method", it.get("id")) for it in messages} == {"session/cancel", "p"}
    answer = next(it for it in messages if it.get("id") == "p")
    assert answer["result"] == {"outcome": {"outcome": "cancelled"}}
    job.until(lambda: not is_open(job, question))
    agent.end(prompt, "cancelled")
    job.usable()


def test_it_closes_when_the_agent_takes_it_back(job: MainJob) -> None:
    agent = job.start()
    job.turn(agent)
    question = ask(job, agent)
    agent.notify("$/cancel_request", {"requestId": "p"})
    assert agent.answer_to("p")["error"]["code"] == -32800
    job.until(lambda: not is_open(job, question))
    assert job.asks() == []
