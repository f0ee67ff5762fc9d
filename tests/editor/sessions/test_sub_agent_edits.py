"""Sub-agents of one turn that edit: whose each change is, undone and reviewed by sub-agent."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.editor.sessions.test_session_list import press, until_row
from tests.editor.sessions.test_sidebar import opened
from tests.support.agents.stdio_agent import SESSION, StdioAgent
from tests.support.main_job import MainJob
from tests.support.screen.grid import Screen

LINES = ["one", "two", "three", "four", "five", "six", "seven"]
AGREE = "vim.ui.select = function(items, _, done) done(items[#items], #items) end"


@pytest.fixture
def job() -> Any:
    """Yield a Neovim that lists the sessions in a sidebar."""
    with MainJob({"ui": {"sessions": "sidebar"}}) as started:
        yield started


def text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


class Delegated:
    """A turn in which a sub-agent of a call, one with a session and the agent itself edit."""

    def __init__(self, job: MainJob) -> None:
        self.job, self.lines = job, [*LINES]
        self.agent = job.start()
        self.file = job.edit("stats.py", text(LINES))
        self.prompt = job.turn(self.agent, "test and document it")
        task = {"toolCallId": "t1", "title": "Tests for stats", "kind": "think"}
        self.agent.update("tool_call", **task, status="in_progress")
        running = {"state": "running"}
        self.agent.update("subagent_update", sessionId="kid", title="Docs", state=running)
        # two edits of one file are at work at once
        within = {"_meta": {"claudeCode": {"parentToolUseId": "t1"}}}
        self.call("e1", SESSION, **within)
        self.write(1, "TWO", SESSION)
        self.call("e1", SESSION, status="completed")
        self.write(3, "FOUR", "kid")
        self.write(5, "SIX", SESSION)

    def call(self, id: str, session: str, status: str = "in_progress", **more: Any) -> None:
        place = {"locations": [{"path": str(self.file)}]}
        call = {"toolCallId": id, "title": "Edit stats.py", "kind": "edit", "status": status}
        self.agent.update("tool_call", session=session, **call, **place, **more)

    def write(self, row: int, word: str, session: str) -> None:
        self.lines[row] = word
        params = {"sessionId": session, "path": str(self.file), "content": text(self.lines)}
        assert self.agent.ask("fs/write_text_file", **params)["result"] == {}

    def end(self) -> None:
        self.agent.update("tool_call_update", toolCallId="t1", status="completed")
        self.agent.update("subagent_update", sessionId="kid", state={"state": "idle"})
        self.job.finish(self.agent, self.prompt)

    def holds(self, **words: str) -> None:
        """Wait until the file has these words in their rows, and else what it had at first."""
        lines = [words.get(line, line) for line in LINES]
        self.job.until(lambda: self.file.read_text() == text(lines))


def why(job: MainJob, line: int) -> str:
    job.command("wincmd t")
    job.command(f"buffer stats.py | {line}")
    job.command("Acp why")
    job.until(lambda: job.nvim.eval("nvim_win_get_config(0).relative") != "")
    said = str(job.nvim.eval("getline(1)"))
    press(job, "q")
    return said


def test_each_line_says_whose_it_is_and_each_is_undone_by_itself(job: MainJob) -> None:
    turn = Delegated(job)
    turn.end()
    assert why(job, 2).startswith("scripted · Tests for stats · turn 1  ")
    assert why(job, 4).startswith("scripted · Docs · turn 1  ")
    assert why(job, 6).startswith("scripted · turn 1  ")
    assert job.nvim.eval("getcompletion('Acp undo 1 ', 'cmdline')") == ["docs", "tests-for-stats"]
    job.command("Acp undo 1 tests-for-stats")
    turn.holds(four="FOUR", six="SIX")
    job.told("took back Tests for stats of turn 1 of scripted in stats.py")
    job.command("Acp undo docs")
    turn.holds(six="SIX")
    job.command("Acp redo")
    turn.holds(four="FOUR", six="SIX")
    job.command("Acp keep docs")
    job.told("kept 1 hunk, 1 left")
    job.command("Acp undo")
    turn.holds()
    job.command("Acp undo nobody")
    job.told("nobody of no turn has changed anything that can be undone")


def test_the_list_of_the_review_names_them(job: MainJob) -> None:
    Delegated(job).end()
    job.command("Acp review 1 docs")
    rows = "map(getqflist(), 'v:val.text')"
    job.until(lambda: job.nvim.eval(rows) == ["Docs: +1 −1  FOUR"])
    job.command("Acp reject tests-for-stats because they are elsewhere")
    job.told("rejected 1 hunk, 2 left")
    job.command("Acp review")
    wanted = ["Docs: +1 −1  FOUR", "scripted: +1 −1  SIX"]
    job.until(lambda: job.nvim.eval(rows) == wanted)
