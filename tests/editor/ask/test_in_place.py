"""What a permission would change stands in the window of the file while the question waits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 11))
SHOWN = """
local space = vim.api.nvim_create_namespace('acp_review')
if not space then
  return {}
end
local found = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
  for _, line in ipairs(mark[4].virt_lines or {}) do
    table.insert(found, { mark[2], line[1][1] })
  end
  if mark[4].hl_group then
    table.insert(found, { mark[2], 'gone' })
  end
end
return found
"""


def shown(job: MainJob) -> list[list[Any]]:
    """Return what would come, below 0-based rows, and which rows would go."""
    return sorted(job.nvim.lua(SHOWN))


def ask(job: MainJob, agent: StdioAgent, path: Path, new: str) -> None:
    """Let the agent ask whether it may edit, in a turn of its own."""
    job.command("wincmd t")
    ask_whole(job, agent, path, LINES, new)


def ask_whole(job: MainJob, agent: StdioAgent, path: Path, old: str, new: str) -> None:
    """Do the same wherever the user is."""
    job.turn(agent)
    diff = {"type": "diff", "path": str(path), "oldText": old, "newText": new}
    call = {"toolCallId": "c", "title": "Edit", "kind": "edit", "status": "pending"}
    agent.request_permission("p", toolCall=call | {"content": [diff]})
    job.until(job.asks)


def test_it_stands_there_while_it_waits_and_follows_what_the_user_types(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    ask(job, agent, path, LINES.replace("line 3\n", "three\nand more\n"))
    job.until(lambda: shown(job) == [[2, "and more"], [2, "gone"], [2, "three"]])
    view, tick = job.nvim.eval("winsaveview()"), job.nvim.eval("b:changedtick")
    assert (view["lnum"], job.nvim.eval("&modified")) == (1, 0)
    job.command("call append(0, 'mine')")
    job.until(lambda: shown(job) == [[3, "and more"], [3, "gone"], [3, "three"]])
    assert job.nvim.eval("b:changedtick") > tick
    job.command("undo")
    job.until(lambda: shown(job) == [[2, "and more"], [2, "gone"], [2, "three"]])
    job.command("Acp permit 3")
    assert agent.answer_to("p")["result"]["outcome"]["optionId"] == "no"
    job.until(lambda: shown(job) == [])
    assert job.nvim.lines() == LINES.splitlines()


def test_a_comparison_shows_it_once(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    ask(job, agent, path, LINES.replace("line 3\n", "three\n"))
    job.until(lambda: shown(job) == [[2, "gone"], [2, "three"]])
    job.command("Acp permit")
    job.until(lambda: job.nvim.lua("return vim.api.nvim_win_get_config(0).relative ~= ''"))
    job.until(lambda: (job.nvim.input("d"), job.nvim.eval("tabpagenr('$')") == 2)[1])
    job.command(f"call win_gotoid(win_findbuf(bufnr('{path}'))[-1])")
    assert shown(job) == []
    job.command("tabclose")
    job.command("wincmd t")
    job.until(lambda: shown(job) == [[2, "gone"], [2, "three"]])


def test_a_file_that_is_opened_meanwhile_shows_it(job: MainJob) -> None:
    agent = job.start()
    path = job.work / "b.txt"
    path.write_text(LINES)
    job.edit("a.txt", "")
    ask(job, agent, path, "first\n" + LINES)
    job.command(f"edit {path}")
    job.until(lambda: shown(job) == [[0, "first"]])
    job.command("Acp cancel")
    job.until(lambda: shown(job) == [])


def test_the_view_of_a_user_who_types_stays(job: MainJob) -> None:
    agent = job.start()
    text = "".join(f"line {number}\n" for number in range(1, 101))
    path = job.edit("a.txt", text)
    job.command("normal! 40Gzb")
    job.nvim.input("A!")
    before = job.nvim.eval("winsaveview()")
    ask_whole(job, agent, path, text, text.replace("line 35\n", "new\n" * 20))
    job.until(lambda: [34, "gone"] in shown(job))
    job.nvim.command("redraw")
    assert job.nvim.eval("winsaveview()") == before
    assert shown(job) == [[34, "gone"]]
    assert job.nvim.mode()["mode"] == "i"
