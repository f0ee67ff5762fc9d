"""What a command has printed: in its colours, in a buffer of its own, in the quickfix list."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editor.sessions.test_sessions import kept, restart_host
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

PRINTED = (
    "\x1b[31mFAIL\x1b[0m a.py\na.py:3:7: oops\nsub/b.py:2: no\n/dev/null:1: pipe\ngone.py:9: x\n"
    "term://touch ran:1: x\n"
)


def ran(job: MainJob, printed: str = PRINTED) -> StdioAgent:
    """Let a tool call print that; the cursor is on it."""
    agent = job.start()
    (job.work / "sub").mkdir()
    (job.work / "a.py").write_text("1\n2\n3\n")
    (job.work / "sub" / "b.py").write_text("1\n2\n")
    prompt = job.turn(agent)
    content = [{"type": "content", "content": {"type": "text", "text": printed}}]
    call: dict[str, Any] = {"toolCallId": "t/1", "title": "make test", "kind": "execute"}
    agent.update("tool_call", status="completed", content=content, **call)
    job.finish(agent, prompt)
    job.command(f"call win_gotoid(bufwinid({job.session()['bufnr']}))")
    job.nvim.input(f"{job.chat().index('make test') + 1}G")
    return agent


def groups(job: MainJob, row: int) -> list[str]:
    """Return the groups of a row of the current buffer."""
    return list(
        job.nvim.lua(
            """return vim.tbl_map(function(mark) return mark[4].hl_group end,
              vim.api.nvim_buf_get_extmarks(0, -1, { ..., 0 }, { ..., -1 }, { details = true }))""",
            row,
        )
    )


def places(job: MainJob) -> list[tuple[str, int, int]]:
    """Return file, line and column of the valid entries of the quickfix list."""
    items = job.nvim.lua(
        """return vim.tbl_map(function(it)
          local name = it.bufnr > 0 and vim.api.nvim_buf_get_name(it.bufnr) or ''
          return { name, it.lnum, it.col, it.valid }
        end, vim.fn.getqflist())"""
    )
    return [(name, line, column) for name, line, column, valid in items if valid]


def test_it_is_shown_in_its_colours_in_a_buffer_of_its_own(job: MainJob) -> None:
    ran(job)
    job.nvim.input("go")
    job.until(lambda: job.nvim.eval("&filetype") == "acp-output")
    buffer = int(job.nvim.eval("bufnr()"))
    job.until(lambda: job.nvim.lines(buffer)[:1] == ["FAIL a.py"])
    assert job.nvim.api.nvim_buf_get_name(buffer) == "acp://scripted/sess%201%2F%C3%BC/tool/t%2F1"
    assert groups(job, 0) == ["AcpAnsiRed"]
    job.command("edit")
    job.until(lambda: job.nvim.lines(buffer)[:1] == ["FAIL a.py"])
    job.nvim.input("q")
    job.until(lambda: not job.nvim.eval(f"bufexists({buffer})"))
    assert job.nvim.eval("bufnr()") == job.session()["bufnr"]


def test_its_colours_are_in_the_chat(job: MainJob) -> None:
    ran(job)
    job.nvim.input("<CR>")
    job.until(lambda: "FAIL a.py" in job.chat())
    assert "AcpAnsiRed" in groups(job, job.chat().index("FAIL a.py"))


@pytest.mark.parametrize("where", ["chat", "output"])
def test_its_places_are_in_the_quickfix_list(job: MainJob, where: str) -> None:
    ran(job)
    job.command("set errorformat=%f:%l:%c:\\ %m,%f:%l:\\ %m")
    job.command(f"cd {job.folder}")
    if where == "output":
        job.nvim.input("go")
        job.until(lambda: job.nvim.eval("&filetype") == "acp-output")
        buffer = int(job.nvim.eval("bufnr()"))
        job.until(lambda: job.nvim.lines(buffer)[:1] == ["FAIL a.py"])
    buffers = job.nvim.eval("len(getbufinfo())")
    job.nvim.input("yq")
    job.told("2 places")
    work = str(job.work)
    assert places(job) == [(f"{work}/a.py", 3, 7), (f"{work}/sub/b.py", 2, 0)]
    assert job.nvim.eval("len(getbufinfo())") == buffers + 2
    assert job.nvim.eval("len(getqflist())") == 6
    assert not (job.folder / "ran").exists()
    job.command("cc")
    assert job.nvim.eval("expand('%:t')") == "a.py"


def test_where_nothing_is_found_the_list_stays(job: MainJob) -> None:
    ran(job, "all is well\n")
    job.command("call setqflist([], ' ', #{title: 'mine'})")
    job.nvim.input("yq")
    job.told("finds no place")
    assert job.nvim.eval("getqflist(#{title: 1}).title") == "mine"


def test_where_there_is_no_call_that_is_said(job: MainJob) -> None:
    ran(job)
    job.nvim.input("gggo")
    job.told("no tool call here")


def test_it_is_read_from_what_was_kept(job: MainJob) -> None:
    ran(job)
    job.until(lambda: kept(job))
    restart_host(job)
    name = "acp://scripted/sess%201%2F%C3%BC/tool/t%2F1"
    job.command("edit " + name.replace("%", r"\%"))
    job.until(lambda: job.nvim.lines(int(job.nvim.eval("bufnr()")))[:1] == ["FAIL a.py"])
    assert job.nvim.api.nvim_buf_get_name(0) == name
    job.command("edit " + name.replace("%", r"\%").replace("t\\%2F1", "other"))
    job.told("no such tool call")
