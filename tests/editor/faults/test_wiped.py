"""`:bwipeout!` of every kind of buffer in the middle of a turn: nothing else is lost, no error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.agents.agent_edits import write
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 31))
CALL = {"toolCallId": "call-1", "title": "Edit a.txt", "kind": "edit"}


class Turn:
    """A turn that runs, in a project with one file open beside the chat."""

    def __init__(self, job: MainJob) -> None:
        self.job = job
        self.agent: StdioAgent = job.start()
        self.path: Path = job.edit("a.txt", LINES)
        self.prompt = job.turn(self.agent)
        self.agent.say("before")
        job.until(lambda: "before" in job.chat())
        job.command("wincmd t")

    def wipe(self, buffer: int) -> None:
        """Wipe that buffer."""
        self.job.command(f"bwipeout! {buffer}")
        assert self.job.nvim.eval(f"bufexists({buffer})") == 0

    def goes_on(self) -> None:
        """Write, ask and say something, and end: all of it is answered, and seen."""
        job, agent = self.job, self.agent
        text = agent.ask("fs/read_text_file", path=str(self.path))["result"]["content"]
        assert write(agent, self.path, text.replace("line 9\n", "nine\n"))["result"] == {}
        agent.request_permission("after", toolCall=CALL)
        job.until(job.asks)
        job.command("Acp permit 1")
        assert agent.answer_to("after")["result"]["outcome"]["optionId"] == "yes"
        agent.say("after", messageId="other")
        job.until(lambda: "after" in job.chat())
        job.finish(agent, self.prompt)
        assert job.session()["entries"]
        assert "rror" not in job.nvim.messages()
        job.usable()


@pytest.fixture
def turn(job: MainJob) -> Turn:
    return Turn(job)


def test_the_file_that_the_agent_works_on(turn: Turn) -> None:
    write(turn.agent, turn.path, LINES.replace("line 3\n", "three\n"))
    turn.wipe(turn.job.nvim.eval("bufnr('a.txt')"))
    turn.goes_on()
    assert "three\n" in turn.path.read_text() and "nine\n" in turn.path.read_text()


def test_the_prompt(turn: Turn) -> None:
    turn.wipe(turn.job.session()["prompt_bufnr"])
    turn.goes_on()
    turn.job.command("Acp prompt")
    assert turn.job.nvim.eval("&filetype") == "acp_prompt"
    turn.job.nvim.input("imore<Esc><CR>")
    assert turn.agent.prompted()["params"]["prompt"][0]["text"] == "more"


def test_the_question(turn: Turn) -> None:
    turn.agent.request_permission("first", toolCall=CALL)
    turn.wipe(turn.job.until(turn.job.asks)[0]["bufnr"])
    turn.job.until(turn.job.asks)
    turn.job.command("Acp permit 1")
    assert turn.agent.answer_to("first")["result"]["outcome"]["optionId"] == "yes"
    turn.goes_on()


def test_a_terminal(turn: Turn) -> None:
    job, agent = turn.job, turn.agent
    made = agent.ask("terminal/create", command="sh", args=["-c", "echo one; read line; echo two"])
    terminal = made["result"]["terminalId"]

    def said() -> str:
        return str(agent.ask("terminal/output", terminalId=terminal)["result"]["output"])

    job.until(lambda: "one" in said())
    turn.wipe(job.inspect()["terminals"][0]["bufnr"])
    assert "one" in said()
    agent.ask("terminal/kill", terminalId=terminal)
    turn.goes_on()


@pytest.mark.parametrize("command", ["Acp diff", "Acp inspect", "Acp log"])
def test_what_a_command_has_shown(turn: Turn, command: str) -> None:
    write(turn.agent, turn.path, LINES.replace("line 3\n", "three\n"))
    turn.job.until(lambda: turn.job.inspect()["edits"])
    before = turn.job.nvim.eval("bufnr('$')")
    turn.job.command(command)
    shown: Callable[[], int] = lambda: turn.job.nvim.eval("bufnr('$')")  # noqa: E731
    turn.job.until(lambda: shown() > before)
    turn.wipe(shown())
    turn.goes_on()


@pytest.mark.parametrize("command", ["Acp inspect", "Acp log"])
def test_q_goes_back_to_where_the_user_was(turn: Turn, command: str) -> None:
    nvim = turn.job.nvim
    turn.job.command("Acp prompt | stopinsert")
    where = "[win_getid(), winnr('$')]"
    before = nvim.eval(where)
    turn.job.command(command)
    turn.job.until(lambda: nvim.eval("winnr('$')") == before[1] + 1)
    nvim.input("q")
    assert nvim.eval(where) == before


def test_the_queue_keeps_what_waits(turn: Turn) -> None:
    job = turn.job
    job.command("AcpPrompt later")
    job.until(lambda: job.session()["queue"])
    job.command("Acp queue")
    job.until(lambda: "later" in "".join(job.nvim.lines()))
    turn.wipe(job.nvim.eval("bufnr()"))
    assert [it["text"] for it in job.session()["queue"]] == ["later"]
    turn.agent.end(turn.prompt)
    assert turn.agent.prompted()["params"]["prompt"][0]["text"] == "later"


def test_the_list_of_the_sessions(turn: Turn) -> None:
    turn.job.command("Acp sessions")
    turn.job.until(lambda: turn.job.nvim.eval("&filetype") == "acp-sessions")
    turn.wipe(turn.job.nvim.eval("bufnr()"))
    turn.goes_on()


def test_the_window_that_follows(turn: Turn) -> None:
    job = turn.job
    job.command("Acp follow on")
    locations = [{"path": str(turn.path), "line": 5}]
    turn.agent.update("tool_call", toolCallId="call-2", title="Edit", locations=locations)
    job.until(lambda: job.inspect()["follow"].get("path") == str(turn.path))
    turn.wipe(job.nvim.eval("bufnr('a.txt')"))
    locations = [{"path": str(turn.path), "line": 7}]
    turn.agent.update("tool_call_update", toolCallId="call-2", locations=locations)
    turn.goes_on()


def test_the_chat_ends_its_session_and_no_other(turn: Turn) -> None:
    job, agent = turn.job, turn.agent
    job.command("Acp new scripted")
    agent.open("other")
    job.until(lambda: job.session().get("state") == "idle")
    chats = [it["bufnr"] for it in job.inspect()["sessions"]]
    agent.request_permission("first", toolCall=CALL)
    job.until(job.asks)
    turn.wipe(chats[0])
    agent.expect("session/cancel")
    assert agent.answer_to("first")["result"]["outcome"]["outcome"] == "cancelled"
    agent.end(turn.prompt, "cancelled")
    job.until(lambda: [it["bufnr"] for it in job.inspect()["sessions"]] == chats[1:])
    assert job.asks() == []
    prompt = job.turn(agent, "go on")
    job.finish(agent, prompt)
    assert "rror" not in job.nvim.messages()


def test_all_of_them_at_once(turn: Turn) -> None:
    job, agent = turn.job, turn.agent
    agent.request_permission("first", toolCall=CALL)
    job.until(job.asks)
    write_id = {"sessionId": "sess 1/ü", "path": str(turn.path), "content": "agent\n"}
    agent.request("fs/write_text_file", write_id, "write")
    job.command("silent! %bwipeout!")
    job.until(lambda: job.inspect()["sessions"] == [])
    job.usable()
    assert "rror" not in job.nvim.messages()
    job.command("Acp new scripted")
    while agent.next().get("method") != "session/new":
        pass
    assert turn.path.read_text() in (LINES, "agent\n")
