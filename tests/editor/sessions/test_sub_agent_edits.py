"""Sub-agents of one turn that edit: whose each change is, undone and reviewed by sub-agent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editor.sessions.test_left_open import end, later, sessions
from tests.editor.sessions.test_session_list import press, until_row
from tests.editor.sessions.test_sidebar import opened
from tests.support.agents.stdio_agent import SESSION
from tests.support.main_job import MainJob
from tests.support.screen.grid import Screen

LINES = ["one", "two", "three", "four", "five", "six", "seven"]


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
        self.agent.say("I will")
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
    job.told("undid Tests for stats of turn 1 of scripted in stats.py")
    job.command("Acp undo docs")
    turn.holds(six="SIX")
    job.command("Acp redo")
    turn.holds(four="FOUR", six="SIX")
    job.command("Acp keep docs")
    job.told("kept 1 hunk, 1 left")
    job.command("Acp undo")
    turn.holds()
    job.command("Acp undo nobody")
    job.told("takes the number of a turn or a sub-agent's name, not nobody")
    job.command("Acp undo tests-for-stats")
    job.told("tests-for-stats of no turn has changed anything that can be undone")


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


SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏◐"


def asks(turn: Delegated) -> None:
    """Let the sub-agent with a session ask."""
    call = {"toolCallId": "c", "title": "pytest -q", "kind": "execute"}
    option = {"optionId": "y", "name": "Allow", "kind": "allow_once"}
    asked = {"sessionId": "kid", "toolCall": call, "options": [option]}
    turn.agent.request("session/request_permission", asked, "p")


@pytest.mark.parametrize("background", ["dark", "light"])
def test_they_stand_below_their_session_at_each_size(job: MainJob, background: str) -> None:
    job.command(f"set background={background}")
    asks(Delegated(job))
    opened(job)
    for columns, rows in ((80, 24), (120, 40), (200, 50)):
        job.nvim.api.nvim_ui_try_resize(columns, rows)
        with Screen(job.nvim, columns, rows) as screen:
            screen.wait_for("1 question: a answers")
            screen.wait_for("scripted · 3 hunks")
            picture = screen.wait_for("pytest -q")
        width = int(job.nvim.eval("winwidth(1)"))
        found = [row[:width].rstrip() for row in picture.text()]
        assert found[2][1:] == " test and document it"
        assert found[3:7] == [
            "  scripted · 3 hunks",
            "?   Docs",
            "    1 hunk",
            "    1 question: a answers",
        ]
        assert (found[7][1:], found[8]) == ("   Tests for stats", "    1 hunk")
        assert found[7][0] in SPINNER
        assert any("asks · sub-agent: D" in row for row in picture.text())
        assert picture.rows[4][4].groups != picture.rows[5][4].groups


def test_from_its_row_one_goes_to_where_it_works_and_answers(job: MainJob) -> None:
    turn = Delegated(job)
    asks(turn)
    buffer = opened(job)
    until_row(job, buffer, "test and document it")
    job.until(job.asks)  # what has not come yet no key goes to
    press(job, "]q")
    job.until(lambda: job.nvim.eval("nvim_win_get_config(0).relative") != "")
    job.command(f"call win_gotoid(bufwinid({buffer}))")
    until_row(job, buffer, "1 question: a answers")
    press(job, "a")
    asked = job.until(lambda: job.asks()[0]["winid"])
    job.until(lambda: job.nvim.eval("win_getid()") == asked)
    press(job, "1")
    assert turn.agent.answer_to("p")["result"]["outcome"]["optionId"] == "y"
    list_window = f"call win_gotoid(bufwinid({buffer}))"
    job.command(list_window)
    until_row(job, buffer, "Tests for stats")
    press(job, "<CR>")
    job.until(lambda: job.nvim.eval("&filetype") == "acp_chat")
    job.until(lambda: "Tests for stats" in job.nvim.eval("getline('.')"))
    turn.agent.update(
        "agent_message_chunk", session="kid", content={"type": "text", "text": "I document it"}
    )
    job.command(list_window)
    until_row(job, buffer, "Docs")
    press(job, "<CR>")
    job.until(lambda: job.nvim.eval("&filetype") == "acp_prompt")
    chat = int(job.until(lambda: max(job.nvim.eval("bufnr('acp://scripted/kid')"), 0)))
    job.until(lambda: "I document it" in job.nvim.lines(chat))
    job.command("Acp prompt no, do it otherwise")
    job.told("this is a sub-agent: it takes no prompts")
    job.command(list_window)
    until_row(job, buffer, "Docs")
    press(job, "c")
    job.told("a sub-agent's session ends with its agent's")
    job.command(f"bwipeout! {chat}")
    turn.end()
    job.until(lambda: job.session()["state"] == "idle")


@pytest.mark.parametrize("how", ["qall", "killed"])
def test_after_a_restart_they_are_as_before(job: MainJob, how: str) -> None:
    turn = Delegated(job)
    turn.end()
    job.until(lambda: job.session()["state"] == "idle")
    end(job, turn.agent, how)
    with later(job, restore=True, ui={"sessions": "sidebar"}) as nvim:
        agent = job.stage.accept()
        agent.initialize()
        agent.open("sess 2")
        nvim.wait(lambda: [it["state"] for it in sessions(nvim)] == ["idle"])
        nvim.command("Acp sessions")
        rows = ["scripted · 3 hunks", "  Docs", "  1 hunk", "  Tests for stats", "  1 hunk"]
        nvim.wait(lambda: nvim.lines()[2:7] == rows)
        nvim.command(f"edit {turn.file}")
        nvim.command("Acp undo 1 tests-for-stats")
        lines = [{"four": "FOUR", "six": "SIX"}.get(line, line) for line in LINES]
        nvim.wait(lambda: turn.file.read_text() == text(lines))
