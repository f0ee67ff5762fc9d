"""An agent in a container: its files are there, the user's are here, and they are the same."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.agents.voice import OPTIONS, SESSION
from tests.support.container import Container, why_not
from tests.support.main_job import MainJob

LONG = str(31_536_000 + os.getpid())
"""Seconds; no other run of these tests sleeps as long."""
WHY = why_not()
pytestmark = pytest.mark.skipif(bool(WHY), reason=WHY or "it can")


class Boxed:
    """A Neovim whose agent runs in a container."""

    def __init__(self, job: MainJob, box: Container) -> None:
        self.job = job
        self.box = box
        self.there = str(box.there)

    def start(self, *, inside: bool = True, **initialize: Any) -> StdioAgent:
        """Start the agent up to an open session: it is asked for the folder that it has.

        Without `inside` it is somewhere that we cannot tell the way to.
        """
        agent = self.job.stage.options()
        if inside:
            args = ["exec", "-i", "box", agent["command"], *agent["args"]]
            agent = {"command": str(self.box.docker), "args": args}
        options = agent | {"paths": {self.there: str(self.job.work)}}
        self.job.nvim.lua("require('acp').setup({ agents = { scripted = ... } })", options)
        self.job.command("AcpStart scripted")
        started = self.job.stage.accept()
        started.initialize(**initialize)
        request = started.expect("session/new")
        assert request["params"]["cwd"] == self.there
        started.reply(request, {"sessionId": SESSION})
        self.job.until(lambda: self.job.session().get("state") == "idle")
        return started

    def address(self, name: str) -> str:
        """Return what the agent calls a file of the project."""
        return "file://" + quote(f"{self.there}/{name}")


@pytest.fixture
def boxed(job: MainJob) -> Iterator[Boxed]:
    with Container(job.work) as box:
        yield Boxed(job, box)


def output(agent: StdioAgent, command: str, **more: Any) -> tuple[str, int]:
    """Let the agent run a command, and return what it has written, and its exit code."""
    terminal = agent.ask("terminal/create", command=command, **more)["result"]["terminalId"]
    ended = agent.ask("terminal/wait_for_exit", terminalId=terminal)["result"]
    shown = agent.ask("terminal/output", terminalId=terminal)["result"]["output"]
    return shown.replace("\r\n", "\n"), ended["exitCode"]


def call(agent: StdioAgent, number: int, **fields: Any) -> None:
    agent.update("tool_call", toolCallId=f"call-{number}", title=f"Call {number}", **fields)


def test_files_are_read_and_written_by_the_agents_names(boxed: Boxed) -> None:
    agent, job = boxed.start(), boxed.job
    path = job.edit("a.txt", "one\ntwo\nthree\n")
    job.nvim.input("ccmine<Esc>")
    prompt = job.turn(agent)
    read = agent.ask("fs/read_text_file", path=f"{boxed.there}/a.txt")
    assert read["result"]["content"] == "mine\ntwo\nthree\n"
    written = agent.ask(
        "fs/write_text_file", path=f"{boxed.there}/a.txt", content="mine\ntwo\nTHREE\n"
    )
    assert written["result"] == {}
    assert job.nvim.lines() == ["mine", "two", "THREE"]
    assert boxed.box.run("cat", f"{boxed.there}/a.txt") == path.read_text()
    new = agent.ask("fs/write_text_file", path=f"{boxed.there}/new/b.txt", content="b\n")
    assert new["result"] == {}
    assert (job.work / "new" / "b.txt").read_text() == "b\n"
    job.finish(agent, prompt)
    edits = {it["path"] for it in job.inspect()["edits"]}
    assert edits == {str(path), str(job.work / "new" / "b.txt")}
    job.command("Acp undo")
    job.until(lambda: job.nvim.lines() == ["mine", "two", "three"])
    job.until(lambda: not (job.work / "new" / "b.txt").exists())
    job.usable()


def test_what_is_in_no_common_folder_is_refused_and_the_reason_named(boxed: Boxed) -> None:
    agent, job = boxed.start(), boxed.job
    path = job.edit("a.txt", "one\n")
    for name in (str(path), "/etc/hostname", f"{boxed.there}/../x", f"{boxed.there}x/a.txt"):
        for method, more in (
            ("fs/read_text_file", {}),
            ("fs/write_text_file", {"content": "no"}),
        ):
            error = agent.ask(method, path=name, **more)["error"]
            assert error["code"] == -32602
            assert f"agents.scripted.paths ({boxed.there})" in error["message"]
    error = agent.ask("fs/read_text_file", path=f"{boxed.there}/none")["error"]
    assert error["message"] == f"{boxed.there}/none does not exist"
    assert error["data"] == {"uri": boxed.address("none")}
    assert path.read_text() == "one\n"
    job.usable()


def test_what_its_tools_write_is_found_and_counted_to_them(boxed: Boxed) -> None:
    agent, job = boxed.start(), boxed.job
    path = job.edit("a.txt", "one\ntwo\n")
    prompt = job.turn(agent)
    told = f"{boxed.there}/a.txt"
    call(agent, 1, kind="edit", status="in_progress", rawInput={"file_path": told})
    boxed.box.run("sh", "-c", 'echo three >> "$1"', "sh", told)
    agent.update("tool_call_update", toolCallId="call-1", status="completed")
    job.until(lambda: job.nvim.lines() == ["one", "two", "three"])
    call(agent, 2, kind="execute", rawInput={"command": f"echo x > '{boxed.there}/b.txt'"})
    boxed.box.run("sh", "-c", 'echo x > "$1/b.txt"', "sh", boxed.there)
    agent.update("tool_call_update", toolCallId="call-2", status="completed")
    job.finish(agent, prompt)
    both = {str(path), str(job.work / "b.txt")}
    job.until(lambda: {it["path"] for it in job.inspect()["edits"]} == both)
    # both were named by their calls: nothing is asked
    job.command("Acp undo")
    job.until(lambda: job.nvim.lines() == ["one", "two"])
    job.until(lambda: not (job.work / "b.txt").exists())
    assert path.read_text() == "one\ntwo\n"


def test_what_it_shows_is_shown_by_our_names(boxed: Boxed) -> None:
    agent, job = boxed.start(), boxed.job
    path = job.edit("a b.txt", "one\ntwo\n")
    job.turn(agent)
    told = f"{boxed.there}/a b.txt"
    places = [{"path": told, "line": 2}, {"path": "/etc/hostname"}, {"path": f"{path}"}]
    call(agent, 1, kind="read", locations=places)
    agent.update(
        "agent_message_chunk",
        content={"type": "resource_link", "uri": boxed.address("a b.txt"), "name": "link"},
    )
    diff = {"type": "diff", "path": told, "oldText": "two\n", "newText": "TWO\n"}
    agent.request_permission(
        toolCall={"toolCallId": "call-2", "title": "Edit", "kind": "edit", "content": [diff]},
        options=OPTIONS,
    )
    job.until(job.asks)
    entries = {it["key"]: it for it in job.session()["entries"]}
    assert [it["path"] for it in entries["tool:call-1"]["locations"]] == [
        str(path),
        "/etc/hostname",
        f"there:{path}",
    ]
    assert any("a b.txt" in line and boxed.there not in line for line in job.chat())
    shown = job.nvim.lines(job.asks()[0]["bufnr"])
    assert any(line.strip().startswith("a b.txt") for line in shown), shown
    assert not [line for line in shown if boxed.there in line]
    assert [it for it in job.events("AcpLocation") if it["path"] == str(path)]
    job.command("Acp permit 1")
    assert agent.answer_to(1)["result"]["outcome"]["optionId"] == OPTIONS[0]["optionId"]


def test_what_a_prompt_speaks_of_has_the_agents_names(boxed: Boxed) -> None:
    agent, job = (
        boxed.start(agentCapabilities={"promptCapabilities": {"embeddedContext": True}}),
        boxed.job,
    )
    (job.work / "ü 100%.txt").write_text("one\n")
    job.edit("b.txt", "one\ntwo\n")
    job.command(f"2AcpPrompt see @ü\\ 100%.txt and {job.work}/b.txt")
    text, *others = agent.prompted()["params"]["prompt"]
    assert text["text"].endswith(f"and {job.work}/b.txt")  # the user's own words
    assert [it["resource"]["uri"] for it in others] == [
        boxed.address("b.txt") + "#L2-L2",
        boxed.address("ü 100%.txt"),
    ]


def test_commands_run_in_the_container(boxed: Boxed) -> None:
    agent, job = boxed.start(), boxed.job
    (job.work / "a.txt").write_text("one\n")
    (job.work / "sub").mkdir()
    assert output(agent, "pwd; cat a.txt; exit 3") == (f"{boxed.there}\none\n", 3)
    assert output(agent, "pwd", cwd=f"{boxed.there}/sub") == (f"{boxed.there}/sub\n", 0)
    # of a folder that we do not have there is nothing to exchange
    assert output(agent, "pwd", cwd="/usr") == ("/usr\n", 0)
    variable = {"name": "WORD", "value": "it's $HOME"}
    arguments = {"args": ["-c", 'printf %s "$WORD$1"', "sh", " a  b"], "env": [variable]}
    assert output(agent, "sh", **arguments) == ("it's $HOME a  b", 0)
    assert output(agent, f"ls {job.work}") == ("", 0)  # hidden there
    assert output(agent, "cat; echo over") == ("over\n", 0)
    command = job.inspect()["terminals"][0]["command"]
    assert command == "pwd; cat a.txt; exit 3"


def test_a_command_there_ends_with_its_terminal(boxed: Boxed) -> None:
    agent, job = boxed.start(), boxed.job
    asked = agent.ask("terminal/create", command=f"sleep {LONG} & echo go; sleep {LONG}")
    terminal = asked["result"]["terminalId"]
    job.until(lambda: "go" in agent.ask("terminal/output", terminalId=terminal)["result"]["output"])
    assert boxed.box.processes(LONG)
    agent.ask("terminal/kill", terminalId=terminal)
    job.until(lambda: not boxed.box.processes(LONG))


def test_a_command_there_ends_with_a_host_that_is_killed(boxed: Boxed) -> None:
    agent, job = boxed.start(), boxed.job
    agent.ask("terminal/create", command=f"touch begun; sleep {LONG}")
    job.until((job.work / "begun").exists)
    assert boxed.box.processes(LONG)
    job.kill(job.host())
    job.until(lambda: not boxed.box.processes(LONG))


def test_where_the_way_there_is_not_known_commands_run_here(boxed: Boxed) -> None:
    agent, job = boxed.start(inside=False), boxed.job
    assert output(agent, "pwd") == (f"{job.work}\n", 0)
    assert output(agent, "pwd", cwd=boxed.there) == (f"{job.work}\n", 0)
    error = agent.ask("terminal/create", command="pwd", cwd="/usr")["error"]
    assert "agents.scripted.paths" in error["message"]


def test_a_project_that_the_agent_does_not_see_has_no_session(boxed: Boxed) -> None:
    agent, job = boxed.start(), boxed.job
    elsewhere = job.folder / "elsewhere"
    elsewhere.mkdir()
    job.command(f"cd {elsewhere} | enew")
    job.command("Acp new scripted")
    job.until(lambda: any("does not see" in line for line in job.chat()))
    said = next(line for line in job.chat() if "does not see" in line)
    assert str(elsewhere) in said
    assert "agents.scripted.paths" in said
    agent.quiet()
    job.usable()


def test_a_wrong_map_is_said_in_a_sentence(job: MainJob) -> None:
    job.nvim.lua("require('acp').setup({ agents = { scripted = { paths = { ['/a'] = 'b' } } } })")
    job.start()
    said = job.told("vim.g.acp.agents.scripted.paths['/a']")
    assert "must be an absolute path" in said


def test_a_file_that_it_names_is_opened_by_its_name_here(boxed: Boxed) -> None:
    agent, job = boxed.start(), boxed.job
    (job.work / "a.txt").write_text("one\ntwo\n")
    prompt = job.turn(agent)
    agent.say(f"See [that]({boxed.address('a.txt')}#L2)\n\nand /etc/hostname:1")
    job.finish(agent, prompt)
    go_to_file(job, "/etc/hostname")
    assert "agents.scripted.paths" in job.told("/etc/hostname is where scripted runs")
    go_to_file(job, "that")
    job.until(lambda: job.nvim.eval("expand('%:p')") == str(job.work / "a.txt"))
    assert job.nvim.eval("line('.')") == 2


def go_to_file(job: MainJob, word: str) -> None:
    """Put the cursor on that word in the chat, and type `gf`."""
    buffer = job.session()["bufnr"]
    rows = job.nvim.lines(buffer)
    row = next(row for row, line in enumerate(rows, 1) if word in line)
    job.command(f"call win_gotoid(bufwinid({buffer})) | stopinsert")
    column = len(rows[row - 1].partition(word)[0].encode())
    job.nvim.api.nvim_win_set_cursor(0, [row, column])
    job.nvim.input("gf")
