"""What an agent writes is looked at, never obeyed: names to open, logs, output of its programs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

PICK = """
local choice = ...
_G.asked = {}
vim.ui.select = function(items, options, on_choice)
  table.insert(_G.asked, options.prompt)
  on_choice(items[choice], choice)
end
"""
YES, NO = 2, 1


def asked(job: MainJob) -> list[str]:
    """Return what the user was asked."""
    return list(job.nvim.lua("return _G.asked"))


def go_to(job: MainJob, agent: StdioAgent, path: str, key: str = "gf") -> None:
    """Let the agent name a file in a tool call, and the user press a key on it."""
    agent.update("tool_call", toolCallId="c", title="Look", locations=[{"path": path}])
    job.until(lambda: any("Look" in line for line in job.chat()))
    chat = job.session()["bufnr"]
    job.command(f"call win_gotoid(bufwinid({chat})) | $")
    job.command("call search('Look', 'bw')")
    job.nvim.input(key)


def named(job: MainJob) -> list[str]:
    """Return the names of all buffers that are no chat."""
    names = job.nvim.lua("return vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())")
    return [name for name in names if name and not name.startswith("acp")]


@pytest.mark.parametrize(
    "path",
    [
        "term://touch ran",
        "/work/term://touch ran",
        "http://127.0.0.1:9/x",
        "scp://127.0.0.1/x",
        "`touch ran`",
        "+!touch\\ ran x",
        "a\x00b",
        "../\nx",
    ],
)
def test_an_address_is_never_opened(job: MainJob, path: str) -> None:
    agent = job.start()
    go_to(job, agent, path, "<C-w>f" if path.startswith("term:") else "gf")
    job.told("is not opened")
    assert not (job.work / "ran").exists()
    assert named(job) == []


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "link to a pipe"])
def test_only_plain_files_are_opened(job: MainJob, kind: str) -> None:
    agent = job.start()
    path = job.work / "it"
    if kind == "folder":
        path.mkdir()
    elif kind == "device":
        path = Path("/dev/zero")
    else:
        os.mkfifo(path)
    if kind.startswith("link"):
        (job.work / "link").symlink_to(path)
        path = job.work / "link"
    go_to(job, agent, str(path))
    job.told("is not opened")
    assert named(job) == []


def test_a_file_with_any_name_is_opened(job: MainJob) -> None:
    agent = job.start()
    path = job.work / "%:p `x` *[a] $HOME ~ #1 |!.txt"
    path.write_text("here\n")
    go_to(job, agent, str(path))
    job.until(lambda: job.nvim.eval("expand('%:p')") == str(path))
    assert job.nvim.lines() == ["here"]
    assert job.nvim.eval("&buflisted") == 1


def test_the_address_of_a_file_elsewhere_is_asked_for_as_its_path_is(job: MainJob) -> None:
    agent = job.start()
    job.nvim.lua(PICK, NO)
    go_to(job, agent, "file:///etc/passwd")
    job.until(lambda: asked(job))
    assert "/etc/passwd" in asked(job)[0]
    job.told("not opened")
    assert named(job) == []


@pytest.mark.parametrize("answer", [YES, NO])
def test_a_file_elsewhere_is_asked_for_with_its_whole_path(job: MainJob, answer: int) -> None:
    agent = job.start()
    job.nvim.lua(PICK, answer)
    elsewhere = job.folder / ("a" * 100) / "secret.txt"
    elsewhere.parent.mkdir()
    elsewhere.write_text("secret\n")
    (job.work / "inside").symlink_to(elsewhere)
    go_to(job, agent, str(job.work / "inside"))
    job.until(lambda: asked(job))
    assert str(elsewhere) in asked(job)[0]
    if answer == YES:
        job.until(lambda: job.nvim.eval("expand('%:p')") == str(elsewhere))
    else:
        job.told("not opened")
        assert named(job) == []


def test_a_name_in_the_text_is_asked_for_too(job: MainJob) -> None:
    agent = job.start()
    job.nvim.lua(PICK, NO)
    outside = job.folder / "outside.txt"
    outside.write_text("x\n")
    prompt = job.turn(agent)
    agent.say(f"see {outside}")
    job.finish(agent, prompt)
    chat = job.session()["bufnr"]
    job.command(f"call win_gotoid(bufwinid({chat})) | call search('outside.txt')")
    job.nvim.input("gf")
    job.until(lambda: asked(job))
    assert str(outside) in asked(job)[0]
    assert named(job) == []


def test_a_log_obeys_nothing_in_it(job: MainJob) -> None:
    job.command("filetype on | set modeline modelines=5")
    job.nvim.lua(
        "vim.api.nvim_create_autocmd({'FileType', 'Syntax'},"
        " {pattern = '*', callback = function(e) if e.match ~= '' then _G.typed = e.match end end})"
    )
    agent = job.start()
    prompt = job.turn(agent)
    agent.say("vim: set ft=sh tabstop=77 :")
    job.finish(agent, prompt)
    job.nvim.lua("_G.typed = nil")
    job.command("Acp log")
    job.until(lambda: any("tabstop=77" in line for line in job.nvim.lines()))
    job.command("doautocmd User Anything")
    assert job.nvim.eval("[&tabstop, &filetype, &syntax, &buftype]") == [8, "", "", "nofile"]
    job.command("Acp inspect")
    assert job.nvim.eval("[&tabstop, &filetype]") == [8, ""]
    assert job.nvim.lua("return _G.typed") is None


def test_a_program_of_the_agent_does_not_reach_the_clipboard(job: MainJob) -> None:
    job.nvim.lua(
        """local function taken(...) _G.clipboard = { ... } end
        vim.g.clipboard = {
          name = 'test',
          copy = { ['+'] = taken, ['*'] = taken },
          paste = { ['+'] = function() return {} end, ['*'] = function() return {} end },
        }
        vim.api.nvim_create_autocmd('TermRequest', { callback = function() _G.told = true end })"""
    )
    agent = job.start()
    strings = r"\033\303\251]52;c;aGFja2Vk\007\033]52;c;aGFja2Vk\007\033]0;title\007\033]7;file:///\033\\\033Pq\033\\"
    command = f"printf '{strings}'; echo done"
    terminal = str(agent.ask("terminal/create", command=command)["result"]["terminalId"])

    def buffer() -> int:
        return int(next(it for it in job.inspect()["terminals"] if it["id"] == terminal)["bufnr"])

    job.until(lambda: any("[exit 0]" in line for line in job.nvim.lines(buffer())))
    assert any(line == "done" for line in job.nvim.lines(buffer()))
    assert job.nvim.lua("vim.wait(50) return { _G.clipboard, _G.told }") == []
    assert job.nvim.lua("return vim.b[...].term_title", buffer()) != "title"
