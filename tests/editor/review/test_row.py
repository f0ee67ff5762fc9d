"""What waits for review is on the screen: the row above the prompt, and lists that decide."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.agent_edits import files, until_files, write
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 21))
THEIRS = LINES.replace("line 3\n", "three\nand more\n").replace("line 15\n", "")


def bar(job: MainJob) -> str:
    prompt = job.session()["prompt_bufnr"]
    code = """local window = vim.fn.bufwinid(...)
        return vim.api.nvim_eval_statusline(vim.b[...].acp_winbar, { winid = window }).str"""
    return str(job.nvim.lua(code, prompt))


def edited(job: MainJob) -> tuple[StdioAgent, Path, Path]:
    """Let a turn change two files."""
    agent = job.start()
    one, two = job.edit("one.txt", LINES), job.work / "two.txt"
    prompt = job.turn(agent)
    write(agent, one, THEIRS)
    write(agent, two, "new\n")
    job.finish(agent, prompt)
    until_files(job, {"one.txt": 2, "two.txt": 1})
    return agent, one, two


def until_row(job: MainJob, *words: str) -> None:
    job.until(lambda: all(word in bar(job) for word in words))


def test_the_row_says_what_waits_and_its_key_opens_the_review(job: MainJob) -> None:
    _, one, _ = edited(job)
    until_row(job, "2 files +3 −2", "gr review")
    job.command("AcpPrompt")
    job.nvim.input("<Esc>gr")
    job.until(lambda: job.nvim.eval("bufname()").endswith(one.name))
    job.command("Acp keep all")
    job.until(lambda: "review" not in bar(job) and "<CR> sends" in bar(job))


def test_a_click_on_the_row_opens_the_review(job: MainJob) -> None:
    _, one, _ = edited(job)
    until_row(job, "gr review")
    job.command("AcpPrompt | stopinsert")
    job.nvim.lua("require('acp.prompt.frame').review()")
    job.until(lambda: job.nvim.eval("bufname()").endswith(one.name))


@pytest.mark.parametrize("options", [{"ui": {"changes": False}}])
def test_the_row_can_be_turned_off(options: dict[str, Any]) -> None:
    with MainJob(options) as job:
        edited(job)
        assert "gr review" not in bar(job)


def test_a_narrow_row_keeps_the_key(job: MainJob) -> None:
    edited(job)
    until_row(job, "gr review")
    job.command(f"call win_gotoid(bufwinid({job.session()['prompt_bufnr']}))")
    job.command("vertical resize 20")
    until_row(job, "+3 −2 · gr review")


def listed(job: MainJob) -> list[str]:
    """Open the list of hunks; return its rows."""
    job.command("Acp review")
    job.until(lambda: job.nvim.eval("getqflist({'size': 0}).size") == 3)
    job.command("Acp review")
    job.until(lambda: job.nvim.eval("&buftype") == "quickfix")
    return job.nvim.lines()


def test_a_mapping_may_wait_for_what_it_has_asked_for(job: MainJob) -> None:
    _, one, _ = edited(job)
    job.command("AcpPrompt | stopinsert")
    job.nvim.lua("""function _G.is_shown(what)
            return vim.api.nvim_buf_get_name(0) == what or vim.bo.buftype == what
        end""")
    for what in (str(one), "quickfix"):
        job.nvim.lua(f"""vim.keymap.set('n', 'X', function()
            vim.cmd('Acp review')
            vim.wait(20000, function() return is_shown('{what}') end, 2)
        end)""")
        job.nvim.input("X")
        job.until(lambda what=what: job.nvim.lua("return _G.is_shown(...)", what))


def test_keys_decide_in_the_list(job: MainJob) -> None:
    _, one, two = edited(job)
    rows = listed(job)
    assert len(rows) == 3
    job.nvim.input("gga")
    job.told("kept 1 hunk")
    job.until(lambda: len(job.nvim.lines()) == 2)
    assert job.nvim.eval("&buftype") == "quickfix"
    job.nvim.input("dd")
    assert len(job.nvim.lines()) == 2
    job.nvim.input("Gx")
    job.until(lambda: not two.exists())
    job.until(lambda: len(job.nvim.lines()) == 1)
    job.command("Acp reject because no")
    job.until(lambda: files(job) == {})
    assert one.read_text() == THEIRS.replace("line 14\n", "line 14\nline 15\n")


def test_several_rows_and_a_whole_list(job: MainJob) -> None:
    _, one, two = edited(job)
    listed(job)
    job.nvim.input("ggVGx")
    job.until(lambda: files(job) == {})
    assert one.read_text() == LINES
    assert not two.exists()


def test_a_comment_is_written_from_the_list_and_leads_back(job: MainJob) -> None:
    edited(job)
    listed(job)
    window = job.nvim.eval("win_getid()")
    job.nvim.input("ggc")
    job.until(lambda: job.nvim.eval("bufname()").startswith("acp-comment"))
    job.nvim.input("too long<C-s>")
    job.told("comment")
    job.until(lambda: job.nvim.eval("win_getid()") == window)


def test_other_lists_have_none_of_these_keys(job: MainJob) -> None:
    edited(job)
    listed(job)
    assert job.nvim.eval("maparg('x', 'n', 0, 1).buffer") == 1
    job.command("call setqflist([{'text': 'mine'}])")
    job.until(lambda: job.nvim.eval("maparg('x', 'n')") == "")
    job.command("colder")
    job.until(lambda: job.nvim.eval("maparg('x', 'n') != ''"))


def test_the_overview_has_the_same_keys(job: MainJob) -> None:
    _, one, two = edited(job)
    job.command("wincmd t | Acp diff")
    job.until(lambda: any(line.startswith("@@") for line in job.nvim.lines()))
    job.command("call search('^-line 15')")
    job.nvim.input("a")
    job.told("kept 1 hunk")
    job.command("call search('^+new')")
    job.nvim.input("x")
    job.until(lambda: not two.exists())
    job.command("call search('^+three')")
    job.nvim.input("ddVjx")
    job.until(lambda: files(job) == {})
    assert "three" not in one.read_text()


def test_a_closed_chat_tells_it_once(job: MainJob) -> None:
    agent = job.start()
    one = job.edit("one.txt", LINES)
    prompt = job.turn(agent)
    job.command("Acp chat close")
    write(agent, one, THEIRS)
    job.finish(agent, prompt)
    job.told("scripted is done, 1 file +2 −2 · 2 hunks: :Acp review")
    assert job.nvim.messages().count("is done") == 1
