"""Version 2 in a real Neovim: all that an agent can tell or ask is on the screen."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.agents.voice import SESSION
from tests.support.main_job import MainJob

INFO = {"info": {"name": "s", "version": "1"}, "capabilities": {"session": {}}}


class Stage:
    """A chat with an agent of version 2, in a turn."""

    def __init__(self, job: MainJob) -> None:
        self.job = job
        job.command("AcpStart scripted")
        self.agent: StdioAgent = job.stage.accept(2)
        message = self.agent.expect("initialize")
        assert message["params"]["protocolVersion"] == 2
        self.agent.reply(message, {"protocolVersion": 2} | INFO)
        self.agent.open()
        job.until(lambda: job.session().get("state") == "idle")

    def begin(self, *, running_first: bool = False) -> None:
        """Send a prompt, take it and be at work, in either order."""
        self.job.command("AcpPrompt go")
        prompt = self.agent.prompted()
        told = [
            lambda: self.agent.reply(prompt, {"messageId": "u1"}),
            lambda: self.state("running"),
        ]
        for tell in reversed(told) if running_first else told:
            tell()
        self.job.until(lambda: self.job.session()["state"] == "running")

    def state(self, name: str, **fields: Any) -> None:
        """Tell what the agent is at."""
        self.agent.update("state_update", state=name, **fields)

    def shows(self, *texts: str) -> None:
        """Wait until all of it is in the chat."""
        self.job.until(lambda: all(text in "\n".join(self.job.chat()) for text in texts))

    def ask(self, method: str, request_id: str, **params: Any) -> None:
        """Ask something of the user, and wait until it is on the screen."""
        self.agent.request(method, {"sessionId": SESSION, **params}, request_id)
        self.job.until(self.job.asks)


@pytest.fixture
def stage() -> Iterator[Stage]:
    """Yield a stage; its agent tells all there is to open."""
    job = MainJob()
    options = job.stage.options() | {"protocol": 2}
    with job:
        job.nvim.lua("require('acp').setup({ agents = { scripted = ... } })", options)
        yield Stage(job)


def open_all(stage: Stage) -> None:
    """Unfold all tool calls."""
    stage.job.nvim.lua(
        """vim.api.nvim_set_current_win(vim.fn.bufwinid(...)) vim.cmd.normal('zR')""",
        stage.job.session()["bufnr"],
    )


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def base64(said: str) -> str:
    return b64encode(said.encode()).decode()


def test_messages_and_tools_are_patched_in_any_order(stage: Stage) -> None:
    agent = stage.agent
    stage.begin(running_first=True)
    agent.update("agent_message_chunk", messageId="m2", content=text("second, "))
    agent.update("agent_thought", messageId="t1", content=[text("hm")])
    agent.update("agent_message", messageId="m1", content=[text("draft")])
    agent.update("agent_message_chunk", messageId="m2", content=text("goes on"))
    agent.update("agent_message", messageId="m1", content=[text("final words")])
    stage.shows("second, goes on", "final words")
    assert "draft" not in "\n".join(stage.job.chat())
    item = {"type": "content", "content": text("found 3")}
    agent.update("tool_call_content_chunk", toolCallId="c1", content=item)
    agent.update("tool_call_update", toolCallId="c1", title="Search", status="paused", name="grep")
    places = [{"path": "/far/a.py", "line": 3}]
    agent.update("tool_call_update", toolCallId="c1", kind="search", locations=places)
    stage.shows("Search")
    open_all(stage)
    stage.shows("grep", "found 3", "a.py")
    agent.update("tool_call_update", toolCallId="c1", title="Found", content=None, status="done")
    stage.shows("Found")
    stage.state("idle", stopReason="end_turn")
    stage.job.until(lambda: stage.job.session()["state"] == "idle")
    assert "found 3" not in "\n".join(stage.job.chat())


def test_diffs_and_terminals_are_shown(stage: Stage) -> None:
    agent = stage.agent
    stage.begin()
    patch = "--- /p/a.py\n+++ /p/a.py\n@@ -1,1 +1,1 @@\n-old line\n+new line\n"
    changes = [
        {"operation": "modify", "path": "/p/a.py"},
        {"operation": "move", "oldPath": "/p/b.py", "path": "/p/c.py"},
    ]
    diff = {"type": "diff", "changes": changes, "patch": {"format": "git_patch", "text": patch}}
    shown = {"type": "terminal", "terminalId": "x1"}
    agent.update(
        "tool_call_update", toolCallId="c1", title="Work", kind="edit", content=[diff, shown]
    )
    agent.update("terminal_output_chunk", terminalId="x1", data=base64("first\n"))
    size = {"cols": 132, "rows": 40}
    agent.update("terminal_update", terminalId="x1", command="make all", cwd="/p/sub", size=size)
    agent.update("terminal_output_chunk", terminalId="x1", data=base64("second\n"))
    stage.shows("Work")
    open_all(stage)
    stage.shows("old line", "new line", "b.py", "c.py")
    stage.shows("$ make all", "in /p/sub, 132 × 40", "first", "second")
    output = {"data": base64("all of it\n")}
    agent.update("terminal_update", terminalId="x1", output=output, exitStatus={"exitCode": 3})
    stage.shows("all of it", "exit 3")
    agent.update("terminal_update", terminalId="x1", size=None, cwd=None)
    stage.job.until(lambda: "132 × 40" not in "\n".join(stage.job.chat()))


def test_plans_notices_and_compaction_are_shown(stage: Stage) -> None:
    agent = stage.agent
    stage.begin()
    entry = {"content": "dig a hole", "priority": "high", "status": "in_progress"}
    agent.update("plan_update", plan={"type": "items", "planId": "p", "entries": [entry]})
    stage.job.until(lambda: stage.job.session()["plan"])
    agent.update("notice", severity="warning", title="Quota", description="90 % used")
    agent.update("compaction_update", compactionId="k", status="in_progress")
    agent.update("compaction_summary_chunk", compactionId="k", content=text("what was said"))
    agent.update("compaction_update", compactionId="k", status="completed")
    agent.update("session_info_update", title="Digging")
    agent.update("usage_update", used=10, size=100, cost={"amount": 0.5, "currency": "USD"})
    agent.update("something_new", value=1)
    stage.shows("Quota: 90 % used", "ompact")
    stage.job.until(lambda: stage.job.session()["title"] == "Digging")
    stage.state("idle", stopReason="max_tokens")
    stage.shows("it has reached its limit")


def test_questions_are_asked_and_answered(stage: Stage) -> None:
    agent, job = stage.agent, stage.job
    stage.begin()
    options = [
        {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
        {"optionId": "no", "name": "Reject", "kind": "reject_once"},
    ]
    call = {"toolCallId": "c9", "title": "Remove it", "kind": "delete", "status": "pending"}
    subject = {"type": "tool_call", "toolCall": call}
    stage.state("requires_action")
    stage.ask("session/request_permission", "q1", title="May I?", subject=subject, options=options)
    stage.shows("Remove it")
    job.command("Acp permit 1")
    assert agent.answer_to("q1")["result"]["outcome"] == {"outcome": "selected", "optionId": "yes"}
    subject = {"type": "command", "command": "rm -r x", "cwd": "/p"}
    stage.ask("session/request_permission", "q2", title="Run?", subject=subject, options=options)
    job.command("Acp permit 2")
    assert agent.answer_to("q2")["result"]["outcome"]["optionId"] == "no"
    link = {"mode": "url", "message": "Sign in", "url": "https://x.example/", "elicitationId": "e"}
    stage.ask("elicitation/create", "q3", **link)
    agent.notify("$/cancel_request", {"requestId": "q3"})
    assert agent.answer_to("q3")["error"]["code"] == -32800
    job.until(lambda: not job.asks())
    schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
    stage.ask("elicitation/create", "q4", mode="form", message="Who?", requestedSchema=schema)
    job.command("Acp cancel")
    agent.expect("session/cancel")
    assert agent.answer_to("q4")["result"]["action"] == "cancel"
    stage.state("idle", stopReason="cancelled")
    job.until(lambda: job.session()["state"] == "idle")


OPTIONS = [
    {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
    {"optionId": "no", "name": "Reject", "kind": "reject_once"},
]


@pytest.mark.parametrize("raw", [{"rawInput": {"command": "echo hi"}}, {}])
def test_a_tool_call_told_after_its_permission_raises_no_alarm(
    stage: Stage, raw: dict[str, Any]
) -> None:
    agent, job = stage.agent, stage.job
    stage.begin()
    call = {"toolCallId": "c1", "title": "echo hi"} | raw
    subject = {"type": "tool_call", "toolCall": call}
    params = {"sessionId": SESSION, "title": "May I?", "subject": subject, "options": OPTIONS}
    agent.request("session/request_permission", params, "q1")
    late = {"title": "$ echo hi", "kind": "execute", "status": "in_progress"}
    agent.update("tool_call_update", toolCallId="c1", rawInput={"command": "echo hi"}, **late)
    agent.update("terminal_update", terminalId="x1", command="echo hi")
    shown = {"type": "terminal", "terminalId": "x1"}
    agent.update("tool_call_update", toolCallId="c1", content=[shown])
    job.until(job.asks)
    (question,) = job.asks()
    job.until(lambda: any("x1" in line for line in job.nvim.lines(question["bufnr"])))
    assert not any("changed" in line for line in job.nvim.lines(question["bufnr"]))
    job.nvim.lua("require('acp').respond(...)", question["id"], "yes")
    assert agent.answer_to("q1")["result"]["outcome"]["optionId"] == "yes"
    assert "nothing was answered" not in job.nvim.messages()


def test_all_that_a_command_is_given_is_in_the_question(stage: Stage) -> None:
    agent, job = stage.agent, stage.job
    stage.begin()
    subject = {
        "type": "command",
        "command": "git",
        "args": ["push", "--force now"],
        "cwd": "/p",
        "env": [{"name": "GIT_SSH", "value": "/tmp/x"}],
        "stdin": "yes",
        "_meta": {"hidden": "is no part of it"},
    }
    stage.ask("session/request_permission", "q1", title="Run?", subject=subject, options=OPTIONS)
    (question,) = job.asks()
    assert question["title"] == "git push '--force now'"
    lines = job.nvim.lines(question["bufnr"])
    assert {"git push '--force now'", "env.GIT_SSH: /tmp/x", "stdin: yes", "in /p"} <= set(lines)
    assert not any("hidden" in line for line in lines)
    job.command("Acp permit 1")
    assert agent.answer_to("q1")["result"]["outcome"]["optionId"] == "yes"


def test_what_goes_on_behind_a_turn_is_shown_and_cancelled(stage: Stage) -> None:
    agent, job = stage.agent, stage.job
    stage.begin()
    cancel = {"cancel": {}}
    agent.update("tool_call_update", toolCallId="c1", title="Watch", capabilities=cancel)
    agent.update("terminal_update", terminalId="x1", command="make watch", capabilities=cancel)
    work = [{"type": "tool_call", "toolCallId": "c1"}, {"type": "terminal", "terminalId": "x1"}]
    stage.state("idle", stopReason="end_turn", background=work)
    job.until(lambda: job.session()["state"] == "idle")
    job.command("Acp cancel")
    asked = [agent.next() for _ in work]
    assert {it["method"] for it in asked} == {"tool_call/cancel", "terminal/cancel"}
    agent.reply(asked[0], {})
    agent.refuse(asked[1], -32602, "not now")
    stage.shows("not now")
    stage.state("dreaming", background=None)
    stage.shows("'dreaming'")
    job.usable()
