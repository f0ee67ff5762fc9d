"""Work that needs no chat: the keys of files under review, their list, and `:Acp edit`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.agents.agent_edits import removed, until_files, write
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 11))
THEIRS = LINES.replace("line 3\n", "line three\n").replace("line 8\n", "line eight\n")
PROGRESS = """
local space = vim.api.nvim_create_namespace('acp_inline')
local marks = vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })
return vim.tbl_map(function(mark)
  return { mark[2], (mark[4].virt_text or { { '' } })[1][1] }
end, marks)
"""


def changed(job: MainJob) -> Path:
    """Let an agent change a file, and go there."""
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    write(agent, path, THEIRS)
    job.finish(agent, prompt)
    until_files(job, {"a.txt": 2})
    job.command("wincmd t")
    return path


def key(job: MainJob, name: str, mode: str = "n") -> str:
    return str(job.nvim.eval(f"maparg('{name}', '{mode}')"))


def reviewed(job: MainJob) -> Path:
    path = changed(job)
    job.command("Acp review")
    job.told("2 hunks in 1 file")
    job.until(lambda: key(job, "gh"))
    return path


# --- keys


def test_the_keys_are_there_while_the_review_is_on(job: MainJob) -> None:
    changed(job)
    assert key(job, "]h") == ""
    job.command("Acp review")
    job.until(lambda: key(job, "]h") == "<Plug>(acp-next-hunk)")
    assert job.nvim.eval("maparg(']h', 'n', 0, 1).buffer") == 1
    assert job.nvim.eval("maparg('gh', 'n', 0, 1).desc") == "Keep the hunk"
    job.command("Acp review off")
    job.until(lambda: key(job, "]h") == "")
    job.command("Acp review")
    job.until(lambda: key(job, "gH"))
    job.command("Acp keep all")
    job.until(lambda: key(job, "gH") == "")


def test_the_keys_go_keep_and_reject(job: MainJob) -> None:
    path = reviewed(job)
    job.nvim.input("gg]h")
    assert job.nvim.eval("line('.')") == 3
    job.nvim.input("gh")
    job.told("kept 1 hunk")
    job.nvim.input("]h")
    job.until(lambda: job.nvim.eval("line('.')") == 8)
    job.nvim.input("gH")
    job.told("rejected 1 hunk")
    assert path.read_text() == LINES.replace("line 3\n", "line three\n")


def test_keys_of_the_user_stay(job: MainJob) -> None:
    job.command("nnoremap gh :let g:mine = 1<CR>")
    changed(job)
    job.command("Acp review")
    job.until(lambda: key(job, "gH"))
    job.nvim.input("gh")
    assert job.nvim.eval("g:mine") == 1
    job.command("Acp review off")
    job.until(lambda: key(job, "gH") == "")
    assert "g:mine" in key(job, "gh")


def test_without_default_keys_there_are_none(job: MainJob) -> None:
    job.nvim.lua("require('acp').setup({ default_keys = false })")
    changed(job)
    job.command("Acp review")
    job.told("2 hunks in 1 file")
    job.until(lambda: removed(job))
    assert key(job, "gh") == ""


def test_a_second_review_opens_the_list_below_everything(job: MainJob) -> None:
    reviewed(job)
    before = job.nvim.eval("win_getid()")
    job.command("Acp review")
    job.until(lambda: job.nvim.eval("&buftype") == "quickfix")
    assert job.nvim.eval("winwidth(0)") == job.nvim.eval("&columns")
    assert job.nvim.eval("line('$')") == 2
    job.command("cclose")
    assert job.nvim.eval("win_getid()") == before


# --- :Acp edit


def progress(job: MainJob) -> list[list[Any]]:
    return list(job.nvim.lua(PROGRESS))


def edited(job: MainJob, agent: StdioAgent, path: Path, prompt: dict[str, Any]) -> None:
    """Let the agent do what it was asked for, and end its turn."""
    write(agent, path, THEIRS)
    agent.end(prompt, "end_turn")


def test_an_edit_needs_no_chat_and_shows_itself_on_its_lines(job: MainJob) -> None:
    path = job.edit("a.txt", LINES)
    windows = job.nvim.eval("winnr('$')")
    job.command("3,4Acp edit spell it out")
    agent = job.stage.accept()
    agent.initialize(agentCapabilities={"promptCapabilities": {"embeddedContext": True}})
    agent.open()
    prompt = agent.prompted()
    text, place, lines = prompt["params"]["prompt"]
    assert text["text"] == "spell it out"
    assert place["text"] == f"\n\nEdit lines 3-4 of {path} in place."
    assert lines["resource"]["text"] == "line 3\nline 4\n"
    job.until(lambda: [it for it in progress(job) if "spell it out" in it[1]])
    assert progress(job)[0][0] == 2
    job.command("call append(0, 'new')")
    assert progress(job)[0][0] == 3
    job.command("undo")
    edited(job, agent, path, prompt)
    job.told("scripted: 2 hunks in a.txt")
    job.until(lambda: removed(job) == ["line 3", "line 8"])
    assert progress(job) == []
    assert job.nvim.eval("winnr('$')") == windows
    assert job.nvim.eval("bufname()") == "a.txt" or job.nvim.eval("expand('%:t')") == "a.txt"
    job.nvim.input("u")
    assert job.nvim.lines()[:10] == LINES.splitlines()


def test_an_edit_waits_for_the_turn_that_runs(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    first = job.turn(agent, "something long")
    job.command("wincmd t | 3Acp edit spell it out")
    job.until(lambda: [it for it in progress(job) if "waits for its turn" in it[1]])
    agent.end(first, "end_turn")
    prompt = agent.prompted()
    job.until(lambda: [it for it in progress(job) if "spell it out" in it[1]])
    edited(job, agent, path, prompt)
    job.told("scripted: 2 hunks in a.txt")
    assert progress(job) == []


def test_what_waits_of_other_turns_is_none_of_an_edit(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent, "edit it")
    edited(job, agent, path, prompt)
    job.until(lambda: job.session()["state"] == "idle")
    job.command("wincmd t | 3Acp edit spell it out")
    agent.end(agent.prompted(), "end_turn")
    job.told("has changed nothing in a.txt")


def test_an_edit_that_fails_or_changes_nothing_says_so(job: MainJob) -> None:
    agent = job.start()
    job.edit("a.txt", LINES)
    job.command("3Acp edit spell it out")
    agent.end(agent.prompted(), "end_turn")
    job.told("has changed nothing in a.txt")
    job.command("3Acp edit once more")
    prompt = agent.prompted()
    agent.send({"jsonrpc": "2.0", "id": prompt["id"], "error": {"code": -32603, "message": "no"}})
    job.told("the edit has failed")
    assert progress(job) == []
    job.command("3Acp edit at last")
    agent.prompted()
    job.until(lambda: progress(job))
    job.command("Acp stop! scripted")
    job.told("the edit was cancelled")
    assert progress(job) == []
    job.command("Acp edit")
    job.told("say what to do")
