"""Comments on lines and reasons for rejections, from the user's command to the agent's prompt."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.agents.agent_edits import until_files, write
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.along import along
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 11))
SHOWN = """
local space = vim.api.nvim_create_namespace('acp_review')
local found = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
  for _, line in ipairs(mark[4].virt_lines or {}) do
    if line[1][2] == 'AcpComment' then
      table.insert(found, { mark[2], line[1][1] })
    end
  end
end
return found
"""


def shown(job: MainJob) -> list[list[Any]]:
    """Return the comments of the current buffer: 0-based row, and what stands below it."""
    return list(job.nvim.lua(SHOWN))


def begun(job: MainJob) -> tuple[StdioAgent, Path]:
    """Start the agent and open a file beside its chat."""
    agent = job.start()
    path = job.edit("a.txt", LINES)
    job.command("wincmd t")
    return agent, path


def texts(prompt: dict[str, Any]) -> list[str]:
    """Return the blocks of text of a prompt."""
    return [it["text"] for it in prompt["params"]["prompt"] if it["type"] == "text"]


def test_a_comment_goes_along_with_its_lines_and_with_the_next_prompt(job: MainJob) -> None:
    agent, _ = begun(job)
    job.command("2,3Acp comment why twice?")
    job.until(lambda: shown(job) == [[2, "▌ (2 lines) why twice?"]])
    job.command("call append(0, ['new', 'newer'])")
    assert shown(job)[0][0] == 4
    prompt = job.turn(agent, "have a look")
    assert texts(prompt)[0] == "have a look"
    assert texts(prompt)[1].endswith("a.txt:4-5\n> line 2\n> line 3\nwhy twice?\n")
    job.until(lambda: shown(job) == [])
    job.finish(agent, prompt)


def test_the_prompt_alone_sends_what_was_said(job: MainJob) -> None:
    agent, _ = begun(job)
    job.nvim.lua("require('acp').comment({ 2, 2 }, 'why?')")
    job.told("it is sent with your next prompt")
    job.command("Acp prompt")
    prompt = agent.prompted()
    assert "a.txt:2\n> line 2\nwhy?" in texts(prompt)[1]
    job.finish(agent, prompt)
    job.command("wincmd t | Acp comment once more")
    job.told("it is sent with your next prompt")
    job.command(f"call win_gotoid(bufwinid({job.session()['prompt_bufnr']}))")
    job.nvim.input("<CR>")
    prompt = agent.prompted()
    assert "once more" in texts(prompt)[1]
    job.finish(agent, prompt)
    job.nvim.input("<CR>")
    job.told("the prompt is empty")


def test_a_comment_is_taken_back_by_range(job: MainJob) -> None:
    begun(job)
    job.command("2Acp comment two")
    job.command("5Acp comment five")
    job.until(lambda: len(shown(job)) == 2)
    job.command("1,3Acp comment!")
    job.told("removed 1 comment")
    job.until(lambda: shown(job) == [[4, "▌ five"]])
    job.command("1Acp comment!")
    job.told("no comment here")
    job.command("Acp comments")
    job.until(lambda: job.nvim.eval("&buftype") == "quickfix")
    assert [it["lnum"] for it in job.nvim.eval("getqflist()")] == [5]


def test_a_comment_is_taken_back_where_it_was_when_the_user_said_so(job: MainJob) -> None:
    begun(job)
    job.command("2Acp comment two")
    job.command("5Acp comment five")
    job.until(lambda: len(shown(job)) == 2)
    job.nvim.lua("vim.cmd('5Acp comment!') vim.fn.append(0, { 'x', 'y', 'z' })")
    job.told("removed 1 comment")
    job.until(lambda: shown(job) == [[4, "▌ two"]])


def test_lines_that_an_agent_changes_while_a_comment_is_written(job: MainJob) -> None:
    agent, path = begun(job)
    prompt = job.turn(agent)
    job.command("wincmd t | 5Acp comment")
    job.nvim.input("is this")
    write(
        agent, path, LINES.replace("line 1\n", "line 1\nmore\nmore\n").replace("line 5", "other 5")
    )
    file = job.nvim.eval(f"bufnr('{path}')")
    job.until(lambda: job.nvim.lines(file)[6] == "other 5")
    job.nvim.input(" right?<Esc><CR>")
    job.command("wincmd t")
    job.until(lambda: shown(job) == [[6, "▌ is this right?"]])
    job.finish(agent, prompt)


def test_a_comment_is_written_in_a_small_window(job: MainJob) -> None:
    begun(job)
    windows = job.nvim.eval("winnr('$')")
    job.command("2Acp comment")
    job.nvim.input("first line<CR>second<Esc><CR>")
    job.until(lambda: shown(job) == [[1, "▌ first line"], [1, "▌ second"]])
    assert job.nvim.eval("winnr('$')") == windows
    job.command("4Acp comment")
    job.nvim.input("nothing<Esc>q")
    job.command("5Acp comment")
    job.nvim.input("left<Esc>:write<CR>")
    job.until(lambda: len(shown(job)) == 3)
    assert shown(job)[2] == [4, "▌ left"]
    assert job.nvim.eval("winnr('$')") == windows


def test_comments_are_there_again_after_a_restart(job: MainJob) -> None:
    _, path = begun(job)
    job.command("3Acp comment why?")
    job.until(lambda: shown(job))
    state = Path(str(job.nvim.eval("stdpath('state')")), "acp.nvim")
    job.until(lambda: list(state.glob("edits/*.comment.json")))
    assert (next(state.glob("edits/*.comment.json")).stat().st_mode & 0o777) == 0o600
    job.kill(job.host())
    job.until(lambda: not job.inspect()["host"]["running"])
    job.until(lambda: shown(job) == [])
    job.command("call setline(1, ['zero', 'line 1']) | call append(2, 'line 2') | silent write")
    job.command("silent! %bwipeout!")
    job.command(f"edit {path} | Acp comments")
    job.until(lambda: job.nvim.eval("&buftype") == "quickfix")
    assert [it["lnum"] for it in job.nvim.eval("getqflist()")] == [4]
    job.command("wincmd t")
    job.until(lambda: shown(job) == [[3, "▌ why?"]])


def test_the_reason_goes_with_the_rejection_and_u_takes_it_back(job: MainJob) -> None:
    agent, path = begun(job)
    prompt = job.turn(agent)
    write(agent, path, LINES.replace("line 3\n", "line three\n").replace("line 8\n", ""))
    job.finish(agent, prompt)
    until_files(job, {"a.txt": 2})
    job.command("wincmd t | 3Acp reject because numbers read better")
    job.told("rejected 1 hunk")
    chat = job.session()["prompt_bufnr"]

    def rows() -> str:
        return "".join(along(job.nvim, chat))

    job.until(lambda: "rejected: a.txt" in rows())
    job.command("wincmd t | undo")
    job.until(lambda: "rejected" not in rows())
    job.command("redo")
    job.until(lambda: "rejected: a.txt" in rows())
    prompt = job.turn(agent, "go on")
    assert "a.txt: numbers read better" in texts(prompt)[1]
    assert "-line three\n+line 3\n" in texts(prompt)[1]
    job.finish(agent, prompt)


def test_a_reason_needs_words_and_the_others_are_refused(job: MainJob) -> None:
    begun(job)
    job.command("Acp reject because")
    job.told("a reason after")
    job.command("Acp reject file now")
    job.told("because")
    job.command("Acp comment! words")
    job.told("give it no text")


def test_a_long_comment_is_broken_between_words(job: MainJob) -> None:
    begun(job)
    job.command("vertical resize 30 | set signcolumn=no")
    job.nvim.lua("require('acp').comment(...)", [2, 2], "one two " * 5 + "x" * 40)
    job.until(lambda: shown(job))
    rows = [text.rstrip() for _, text in shown(job)]
    assert rows[:2] == ["▌ one two one two one two one", "▌ two one two"]
    assert "".join(rows[2:]).replace("▌", "").strip() == "x" * 40


def test_what_one_session_was_told_no_other_is_shown_to_be_told(job: MainJob) -> None:
    agent, _ = begun(job)
    first = job.session()["prompt_bufnr"]
    job.command("Acp new scripted")
    agent.open("other")
    job.until(lambda: job.session().get("id") == "other")
    second = job.session()["prompt_bufnr"]

    def rows(buffer: int) -> str:
        return "".join(along(job.nvim, buffer))

    job.command("wincmd t | 2Acp comment why?")
    job.until(lambda: "commented: " in rows(first) and "commented: " in rows(second))
    job.command(f"call win_gotoid(bufwinid({second}))")
    prompt = job.turn(agent, "go")
    assert "why?" in texts(prompt)[1]
    job.until(lambda: "comment" not in rows(first) and "comment" not in rows(second))
    job.finish(agent, prompt)
