""":mksession and back: chats and prompts are in their windows again, all else of ours is gone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from tests.support.agents.agent_edits import write
from tests.support.main_job import MainJob
from tests.support.nvim import ROOT, binary
from tests.support.rpc import Rpc

LOADS = {"agentCapabilities": {"loadSession": True}}
WINDOWS = """
return vim.tbl_map(function(window)
  local buffer = vim.api.nvim_win_get_buf(window)
  return {
    vim.api.nvim_buf_get_name(buffer),
    vim.bo[buffer].filetype,
    vim.api.nvim_win_get_position(window),
    vim.api.nvim_win_get_width(window),
    vim.api.nvim_win_get_height(window),
    vim.wo[window].winbar,
    vim.wo[window].winfixwidth,
    vim.wo[window].winfixheight,
    vim.w[window].acp_holds ~= nil,
  }
end, vim.api.nvim_list_wins())
"""


def windows(job: MainJob) -> list[Any]:
    return list(job.nvim.lua(WINDOWS))


def again(job: MainJob) -> None:
    """Write a session file, begin with nothing, load it, and let the agent open its session."""
    file = job.folder / "Session.vim"
    job.until(lambda: list(job.nvim.folder.glob("state/nvim/acp.nvim/sessions/*")))
    job.command(f"mksession {file}")
    job.command("tabnew | tabonly | silent! %bwipeout!")
    job.until(lambda: not job.inspect()["sessions"])
    job.command(f"source {file}")


def test_chat_and_prompt_are_in_their_windows(job: MainJob) -> None:
    agent = job.start(**LOADS)
    prompt = job.turn(agent, "remember the milk")
    agent.say("I will\n")
    job.finish(agent, prompt)
    job.edit("a.txt", "one\n")
    job.command("Acp prompt")
    before = windows(job)
    again(job)
    assert windows(job) == before
    agent.reply(agent.expect("session/load"), {})
    job.until(lambda: "I will" in job.chat())
    session = job.session()
    assert job.nvim.eval("bufnr()") == session["prompt_bufnr"]
    job.nvim.input("igo on<Esc><CR>")
    assert agent.prompted()["params"]["prompt"][0]["text"] == "go on"


def test_what_is_no_chat_goes_with_its_windows(job: MainJob) -> None:
    agent = job.start(**LOADS)
    path = job.edit("a.txt", "one\n")
    prompt = job.turn(agent)
    assert write(agent, path, "two\n")["result"] == {}
    job.finish(agent, prompt)
    job.command("Acp diff")
    job.until(lambda: "acp-diff" in str(windows(job)))
    job.command("Acp sessions")
    job.until(lambda: "acp-sessions" in str(windows(job)))
    again(job)
    assert [it[1] for it in windows(job)] == ["", "acp_chat", "acp_prompt"]
    names = job.nvim.lua("return vim.tbl_map(vim.api.nvim_buf_get_name, vim.api.nvim_list_bufs())")
    assert not any("acp-diff" in it or "acp-sessions" in it for it in names)
    assert "rror" not in job.nvim.messages()


def test_local_options_do_not_make_it_a_dead_one(job: MainJob) -> None:
    agent = job.start(**LOADS)
    prompt = job.turn(agent, "remember the milk")
    agent.say("I will\n")
    job.finish(agent, prompt)
    job.edit("a.txt", "one\n")
    job.command("Acp prompt")
    job.command("set sessionoptions+=localoptions,globals")
    before = windows(job)
    again(job)
    assert windows(job) == before
    agent.reply(agent.expect("session/load"), {})
    job.until(lambda: "I will" in job.chat())
    job.nvim.input("igo on<Esc><CR>")
    assert agent.prompted()["params"]["prompt"][0]["text"] == "go on"


SESSION_FILE = """
let SessionLoad = 1
let s:shortmess_save = &shortmess
set shortmess=aoO
edit a.txt
vnew
file acp://none/one
setlocal buftype=nofile filetype=acp_chat
split
enew
file acp-prompt://none
setlocal buftype=acwrite filetype=acp_prompt
let &shortmess = s:shortmess_save
doautoall SessionLoadPost
unlet SessionLoad
"""


def test_it_does_not_stop_at_the_start(tmp_path: Path) -> None:
    """`nvim -S` has drawn nothing yet: a second message would make it wait for <CR>."""
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "Session.vim").write_text(SESSION_FILE)
    options = ["-u", "NONE", "-i", "NONE", "-n", "--cmd", f"set rtp^={ROOT}"]
    with subprocess.Popen(
        [binary(), "--embed", *options, "--cmd", "runtime plugin/acp.lua", "-S"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        env=os.environ | {f"XDG_{it}_HOME": str(tmp_path) for it in ("STATE", "DATA", "CONFIG")},
    ) as child:
        assert child.stdin and child.stdout
        rpc = Rpc(child.stdout.fileno(), child.stdin.fileno())
        rpc.request("nvim_ui_attach", 100, 30, {})
        assert not rpc.request("nvim_get_mode")["blocking"]
        rpc.notify("nvim_command", "qall!")
        child.wait(40)
