"""What a tool call tells of a file by its name: nothing if it only looks, or had not begun.

And whatever takes back more than the lines that the user names asks about what was only found.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.files.attribution import LEAD
from tests.support.agents.agent_edits import (
    answer,
    asked,
    command,
    files,
    looked,
    put,
    tool,
    until_files,
)
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

TEXT = "one\ntwo\n"
MINE = "one\ntwo\nmine\n"


class Turn:
    """A turn that runs, in a project with a file, and has made another one."""

    def __init__(self, job: MainJob) -> None:
        self.job = job
        self.path, self.theirs = job.work / "a.txt", job.work / "theirs.txt"
        self.path.write_text(TEXT)
        self.agent: StdioAgent = job.start()
        self._prompt = job.turn(self.agent)
        tool(self.agent, self.theirs, "theirs\n")
        until_files(job, {"theirs.txt": 1})
        self.changes = 0

    def says(self, status: str, kind: str = "edit", update: str = "tool_call") -> None:
        """Tell of a tool call that names the file."""
        self.agent.update(
            update,
            toolCallId=f"{kind} a.txt",
            title=f"{kind} a.txt",
            kind=kind,
            status=status,
            locations=[{"path": str(self.path)}],
        )
        self.agent.quiet()  # the host has heard of it
        looked(self.job)

    def writes(self, path: Path, text: str) -> None:
        """Let the user change the disk, of which no event tells."""
        lines = text.removesuffix("\n").split("\n")
        self.job.nvim.api.nvim_call_function("writefile", [lines, str(path)])
        self.changes = path.stat().st_ctime_ns

    def over(self) -> None:
        """End the turn, with a command that may have changed anything."""
        command(self.agent, {})
        self.job.finish(self.agent, self._prompt)
        looked(self.job)


@pytest.fixture
def turn(job: MainJob) -> Turn:
    return Turn(job)


@pytest.mark.parametrize("kind", ["read", "search", "fetch", "think"])
@pytest.mark.parametrize("is_before", [True, False])
def test_who_has_only_looked_at_a_file_has_not_changed_it(
    job: MainJob, turn: Turn, kind: str, is_before: bool
) -> None:
    if is_before:
        turn.writes(turn.path, MINE)
        turn.says("completed", kind)
    else:
        turn.says("in_progress", kind)
        turn.writes(turn.path, MINE)
        turn.says("completed", kind, "tool_call_update")
    turn.over()
    answer(job, to_take=False)
    job.command("Acp undo")
    job.until(lambda: asked(job))
    assert "a.txt" in asked(job)[0]
    assert turn.path.read_text() == MINE and not turn.theirs.exists()


@pytest.mark.parametrize("begins", ["pending", "in_progress"])
@pytest.mark.parametrize("becomes", ["completed", "failed"])
def test_what_was_there_before_a_tool_call_began_is_none_of_its(
    job: MainJob, turn: Turn, begins: str, becomes: str
) -> None:
    turn.writes(turn.path, MINE)
    clock = job.folder / "clock"

    def is_later() -> bool:
        clock.touch()
        return clock.stat().st_ctime_ns > turn.changes + 2 * LEAD

    job.until(is_later)
    turn.says(begins)
    if becomes == "completed":
        put(turn.path, "theirs\n" + MINE)
    turn.says(becomes, update="tool_call_update")
    turn.over()
    answer(job, to_take=False)
    job.command("Acp undo")
    job.until(lambda: asked(job))
    assert turn.path.read_text() == MINE and not turn.theirs.exists()
    answer(job, to_take=True)
    job.command("Acp undo 1")
    job.until(lambda: turn.path.read_text() == TEXT)


@pytest.mark.parametrize("fields", [{"status": "completed"}, {"rawOutput": {"ok": True}}])
def test_what_comes_after_a_tool_call_is_none_of_its_though_more_is_told_of_it(
    job: MainJob, turn: Turn, fields: dict[str, object]
) -> None:
    tool(turn.agent, turn.path, TEXT + "theirs\n", call="edit-2")
    until_files(job, {"theirs.txt": 1, "a.txt": 1})
    turn.writes(turn.path, TEXT + "theirs\nmine\n")
    where = [{"path": str(turn.path)}]
    turn.agent.update("tool_call_update", toolCallId="edit-2", locations=where, **fields)
    turn.over()
    answer(job, to_take=False)
    job.command("Acp undo")
    job.until(lambda: asked(job))
    assert turn.path.read_text() == MINE


def test_another_tool_call_under_a_used_id_counts(job: MainJob, turn: Turn) -> None:
    tool(turn.agent, turn.path, TEXT + "theirs\n", call="edit-2")
    until_files(job, {"theirs.txt": 1, "a.txt": 1})
    tool(turn.agent, turn.path, TEXT + "theirs\ntoo\n", call="edit-2")
    turn.over()
    answer(job, to_take=False)
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in 2 files")
    assert turn.path.read_text() == TEXT and asked(job) == []


PROGRAMS = {
    "shell": "silent !echo mine >> a.txt",
    "filter": "silent 1write !cat >> a.txt",
    "terminal": "terminal echo mine >> a.txt",
}


@pytest.mark.parametrize("case", PROGRAMS)
def test_what_a_program_of_the_users_has_done_is_not_what_is_named_after_it(
    job: MainJob, turn: Turn, case: str
) -> None:
    job.command("wincmd t | enew | call setline(1, 'mine')")
    job.command(PROGRAMS[case])
    job.until(lambda: turn.path.read_text() == MINE)
    until_files(job, {"theirs.txt": 1, "a.txt": 1})
    job.command("bwipeout!")
    tool(turn.agent, turn.path, "theirs\n" + MINE, call="edit-2")
    turn.over()
    answer(job, to_take=False)
    job.command("Acp undo")
    job.until(lambda: asked(job))
    assert turn.path.read_text() == MINE and not turn.theirs.exists()


def test_what_a_call_has_done_that_nobody_says_has_begun_is_the_agents(
    job: MainJob, turn: Turn
) -> None:
    turn.says("pending")
    put(turn.path, MINE)
    turn.says("completed", update="tool_call_update")
    turn.over()
    answer(job, to_take=False)
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in 2 files")
    assert turn.path.read_text() == TEXT and asked(job) == []


@pytest.mark.parametrize("to_take", [True, False])
def test_a_rewind_asks_about_what_was_found(job: MainJob, turn: Turn, to_take: bool) -> None:
    notes = job.work / "notes.txt"
    turn.writes(notes, "mine\n")
    turn.over()
    answer(job, to_take=to_take)
    job.nvim.lua("""
      local ask = vim.ui.select
      vim.ui.select = function(labels, options, choose)
        if options.kind == 'acp.confirm' then
          return choose(labels[2], 2)
        end
        ask(labels, options, choose)
      end
    """)
    job.command("Acp rewind")
    job.until(lambda: len(job.inspect()["sessions"]) == 2)
    assert len(asked(job)) == 1 and "notes.txt" in asked(job)[0]
    assert notes.exists() != to_take and not turn.theirs.exists()


@pytest.mark.parametrize("to_take", [True, False])
@pytest.mark.parametrize("scope", ["all", "file", ""])
def test_where_all_is_shown_more_than_a_hunk_is_not_rejected_unasked(
    job: MainJob, turn: Turn, scope: str, to_take: bool
) -> None:
    notes = job.work / "notes.txt"
    turn.writes(notes, "mine\n")
    turn.over()
    answer(job, to_take=to_take)
    job.command("wincmd t | Acp diff")
    job.until(lambda: "+mine" in job.nvim.lines())
    job.command(f"call search('^+mine') | Acp reject {scope}")
    if scope:
        job.until(lambda: asked(job))
        assert "notes.txt" in asked(job)[0]
    job.told("no hunk" if scope == "file" and not to_take else "rejected")
    assert notes.exists() == (scope != "" and not to_take)
    assert turn.theirs.exists() == (scope != "all")
    assert ("notes.txt" in files(job)) == notes.exists()


def test_what_the_user_writes_by_the_thousand_is_known(nvim: Neovim, tmp_path: Path) -> None:
    for number in range(1100):
        (tmp_path / f"{number}.txt").touch()
    nvim.lua("require('acp.files.stamps')")
    nvim.command(f"set hidden | args {tmp_path}/*.txt")
    nvim.command("silent argdo call setline(1, 'mine') | silent update")
    known = "return require('acp.files.stamps').saved(...) ~= ''"
    assert all(nvim.lua(known, str(path)) for path in tmp_path.iterdir())
