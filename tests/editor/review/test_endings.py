"""A turn has an end on the screen, and a prompt what one may do with it."""

from __future__ import annotations

from pathlib import Path

from tests.support.agents.agent_edits import until_files, write
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 21))


def rows(job: MainJob) -> list[str]:
    return [line for line in job.chat() if line.startswith("── ")]


def to_row(job: MainJob, pattern: str) -> None:
    """Put the cursor on the last row of the chat that matches."""
    job.command(f"call win_gotoid(bufwinid({job.session()['bufnr']})) | stopinsert")
    job.command(f"call cursor('$', 1) | call search('{pattern}', 'bc') | doautocmd CursorMoved")


def changed(job: MainJob) -> tuple[StdioAgent, Path]:
    agent = job.start()
    path = job.edit("one.txt", LINES)
    prompt = job.turn(agent, "change it")
    fields = {"toolCallId": "t", "title": "Change", "kind": "execute", "status": "in_progress"}
    agent.update("tool_call", **fields)
    write(agent, path, LINES.replace("line 3\n", "three\nand more\n"))
    agent.update("tool_call_update", toolCallId="t", status="completed")
    job.finish(agent, prompt)
    until_files(job, {"one.txt": 1})
    return agent, path


def test_the_row_says_what_was_changed_and_opens_its_review(job: MainJob) -> None:
    _, path = changed(job)
    job.until(lambda: "1 file +2 −1" in "".join(rows(job)))
    assert rows(job)[0].startswith("── done · ")
    to_row(job, "^── done")
    job.nvim.input("<CR>")
    job.until(lambda: job.nvim.eval("bufname()").endswith(path.name))


def test_a_call_that_wrote_through_us_says_how_much(job: MainJob) -> None:
    changed(job)
    code = """local found = {}
    local space = vim.api.nvim_create_namespace('acp')
    local marks = vim.api.nvim_buf_get_extmarks(..., space, 0, -1, { details = true })
    for _, mark in ipairs(marks) do
      for _, chunk in ipairs(mark[4].virt_text or {}) do
        table.insert(found, chunk[1])
      end
    end
    return table.concat(found)"""
    job.until(lambda: "+2 −1" in job.nvim.lua(code, job.session()["bufnr"]))


def test_a_prompt_offers_to_be_edited_and_to_be_rewound(job: MainJob) -> None:
    agent, path = changed(job)
    job.finish(agent, job.turn(agent, "more"))
    to_row(job, "^change it")
    space = job.nvim.lua("return vim.api.nvim_create_namespace('acp_prompt_offers')")
    marks = job.nvim.api.nvim_buf_get_extmarks(0, space, 0, -1, {"details": True})
    assert marks[0][3]["virt_text"][0][0] == "  cc edit · R rewind"
    job.nvim.input("cc")
    prompt = job.session()["prompt_bufnr"]
    job.until(lambda: job.nvim.lines(prompt) == ["change it"])
    assert job.nvim.eval("bufnr()") == prompt
    to_row(job, "^change it")
    job.nvim.lua("vim.ui.select = function(items, _, done) done(items[2], 2) end")
    old = job.session()["bufnr"]
    job.nvim.input("R")
    job.until(lambda: path.read_text() == LINES)
    job.until(lambda: job.session()["bufnr"] != old)
    job.until(lambda: job.nvim.eval(f"bufwinid({job.session()['bufnr']})") > 0)
    to_row(job, "^── done")
    job.nvim.input("R")
    job.told("no prompt here")


def test_a_row_is_kept_with_its_session(job: MainJob) -> None:
    changed(job)
    job.until(lambda: "1 file +2 −1" in "".join(rows(job)))
    job.command("Acp export")
    job.until(lambda: any("done · " in line and "+2 −1" in line for line in job.nvim.lines()))
