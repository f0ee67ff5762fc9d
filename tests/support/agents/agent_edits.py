"""An agent that changes files in each of the three ways, and what the review has of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

MARKS = """
local space = vim.api.nvim_create_namespace('acp_review')
local rows = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
  if mark[4].sign_text then
    table.insert(rows, mark[2])
  end
end
return rows
"""
REMOVED = """
local space = vim.api.nvim_create_namespace('acp_review')
local lines = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
  for _, chunks in ipairs(mark[4].virt_lines or {}) do
    local text = {}
    for _, chunk in ipairs(chunks) do
      table.insert(text, chunk[1])
    end
    table.insert(lines, vim.trim(table.concat(text)))
  end
end
return lines
"""

CONFLICTS = """
local rows = {}
local space = vim.api.nvim_create_namespace('acp_review')
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, space, 0, -1, { details = true })) do
  if mark[4].sign_hl_group == 'AcpReviewConflict' then
    table.insert(rows, mark[2])
  end
end
return rows
"""


LOOK = """
local done = false
require('acp.host.bridge').call('why', { path = '/', line = 1 }, function()
  done = true
end)
return vim.wait(10000, function()
  return done
end, 2)
"""


COUNTS = ("first", "last", "added", "removed")


def looked(job: MainJob) -> None:
    """Wait until the host has done its look at the disk: what is done from now on is the user's."""
    assert job.nvim.lua(LOOK)


def write(agent: StdioAgent, path: Path, text: str, **fields: Any) -> dict[str, Any]:
    """Write through the client; return the answer."""
    return agent.ask("fs/write_text_file", path=str(path), content=text, **fields)


def put(path: Path, text: str | None) -> None:
    """Change the disk; None: remove the file."""
    if text is None:
        path.unlink()
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def tool(agent: StdioAgent, path: Path, text: str | None, call: str = "edit-1") -> None:
    """Change the disk by a tool call that names the file."""
    put(path, text)
    agent.update(
        "tool_call",
        toolCallId=call,
        title=f"Edit {path.name}",
        kind="edit",
        status="completed",
        locations=[{"path": str(path)}],
    )


ASKED = """
_G.asked = {}
local answer = ...
vim.ui.select = function(labels, options, choose)
  table.insert(_G.asked, options.prompt)
  choose(labels[answer], answer)
end
"""


def answer(job: MainJob, to_take: bool) -> None:
    """Answer whether to take back what was only found, whenever that is asked."""
    answer_in(job.nvim, to_take)


def answer_in(nvim: Neovim, to_take: bool) -> None:
    """Do so in that Neovim."""
    nvim.lua(ASKED, 2 if to_take else 1)


def asked(job: MainJob) -> list[str]:
    """Return the questions that were asked since `answer`."""
    return list(job.nvim.lua("return _G.asked"))


def command(
    agent: StdioAgent, files: dict[Path, str | None], call: str = "run-1", line: str = "make"
) -> None:
    """Change the disk by a command; `line` is all that it tells of what it does."""
    for path, text in files.items():
        put(path, text)
    agent.update("tool_call", toolCallId=call, title=line, kind="execute", status="completed")


def hunks(job: MainJob, state: str = "pending") -> list[tuple[Any, ...]]:
    """Return turn, file, first and last line, lines added and removed of each hunk."""
    return [
        (it["turn"], Path(it["path"]).name, *(hunk[key] for key in COUNTS))
        for it in job.inspect()["edits"]
        for hunk in it["hunks"]
        if hunk["state"] == state
    ]


def files(job: MainJob) -> dict[str, int]:
    """Return how many hunks wait in which file."""
    found = [name for _, name, *_ in hunks(job)]
    return {name: found.count(name) for name in found}


def until_files(job: MainJob, expected: dict[str, int]) -> None:
    """Wait until so many hunks wait in these files."""
    found: dict[str, int] = {}

    def is_so() -> bool:
        found.clear()
        found.update(files(job))
        return found == expected

    try:
        job.until(is_so)
    except TimeoutError:
        assert found == expected, hunks(job)


def signs(job: MainJob) -> list[int]:
    """Return the 0-based rows with a sign in the current buffer."""
    return list(job.nvim.lua(MARKS))


def conflicts(job: MainJob) -> list[int]:
    """Return the 0-based rows of the current buffer that are marked as a conflict."""
    return list(job.nvim.lua(CONFLICTS))


def removed(job: MainJob) -> list[str]:
    """Return the removed lines that the current buffer shows."""
    return list(job.nvim.lua(REMOVED))


def quickfix(job: MainJob) -> tuple[str, list[tuple[str, int]]]:
    """Return title and places of the current quickfix list."""
    found = job.nvim.eval("getqflist(#{title: 1, items: 1})")
    places = [
        (Path(job.nvim.eval(f"bufname({it['bufnr']})")).name, it["lnum"]) for it in found["items"]
    ]
    return found["title"], places
