"""Commands in odd states of the editor: a sentence, and work goes on; never a stack trace."""

from __future__ import annotations

import shutil

import pytest

from tests.support.main_job import MainJob
from tests.support.nvim import Neovim, NvimError

COMMANDS = (
    "start, new, prompt, prompt text, cancel, chat open, chat close, permit, follow, sessions,"
    " mode, config, review, keep, reject, comment note, comments, diff, rewind, steer on, resend,"
    " queue, add, model, export, next, previous, agents, undo, redo, why, terminals, log, inspect"
)
SUBS = [it.strip() for it in COMMANDS.split(",")]


def clean(job: MainJob, what: str) -> None:
    """Assert that nobody waits, and that no message has a path of ours or a stack."""
    mode = job.nvim.mode()
    if mode["blocking"]:
        job.nvim.rpc.request("nvim_input", "<CR>")
    messages = job.nvim.messages()
    assert not mode["blocking"], (what, messages)
    for mark in ("stack traceback", "lua/acp/", ".lua:", "E5108", "Error executing"):
        assert mark not in messages, (what, messages)
    job.command("messages clear")


@pytest.fixture
def busy(job: MainJob) -> MainJob:
    """Return a job with a session, a change to review, and the user in the file."""
    agent = job.start()
    path = job.edit("a.txt", "one\ntwo\n")
    prompt = job.turn(agent)
    assert agent.ask("fs/write_text_file", path=str(path), content="one\n2\n")["result"] == {}
    job.finish(agent, prompt)
    job.command("wincmd t")
    return job


@pytest.mark.parametrize("modifiers", ["silent", "verbose", "noautocmd", "keepalt", "15verbose"])
def test_modifiers_change_nothing(busy: MainJob, modifiers: str) -> None:
    if "verbose" in modifiers:
        busy.command("set verbosefile=/dev/null")
    for sub in SUBS:
        busy.command(f"{modifiers} Acp {sub}")
        busy.inspect()
        clean(busy, sub)


def test_the_command_line_window(busy: MainJob) -> None:
    busy.nvim.input("q:")
    assert busy.nvim.eval("getcmdwintype()") == ":"
    for sub in SUBS:
        busy.command(f"Acp {sub}")
        busy.inspect()
        clean(busy, sub)
    busy.command("Acp sessions")
    assert "acp: :Acp sessions: not in the command-line window" in busy.nvim.messages()
    for plug in ("next-hunk", "prev-hunk", "permit", "chat", "review"):
        busy.nvim.lua("vim.api.nvim_feedkeys(vim.keycode(...), 'mx', false)", f"<Plug>(acp-{plug})")
        clean(busy, plug)


def test_the_sandbox(busy: MainJob) -> None:
    for sub in SUBS:
        try:
            busy.command(f"sandbox Acp {sub}")
        except NvimError as error:
            assert "lua/acp" not in str(error), (sub, error)
        busy.inspect()
        clean(busy, sub)


def test_textlock(busy: MainJob) -> None:
    busy.command("let g:sub = '' | nnoremap <expr> X execute('Acp ' .. g:sub)")
    for sub in SUBS:
        busy.nvim.lua("vim.g.sub = ...", sub)
        busy.nvim.input("X")
        busy.inspect()
        clean(busy, sub)
        busy.nvim.input("<Esc>")


FAST = """
local done = false
vim.uv.fs_stat('/', function()
  local acp = require('acp')
  acp.setup({})
  acp.comment({ 1, 1 }, 'said fast')
  acp.cancel()
  acp.start('scripted')
  acp.prompt('hello')
  acp.respond('none', 'none')
  acp.inspect()
  for _, name in ipairs({ 'status', 'statusline', 'sessions', 'on', 'tool' }) do
    local ok, err = pcall(acp[name], {})
    assert(not ok and err == 'acp: not in a fast event: call it in vim.schedule()', err)
  end
  done = true
end)
vim.wait(5000, function() return done end, 1)
return done
"""


def test_lua_in_a_fast_event(job: MainJob) -> None:
    """As in `on_exit` of `vim.system()`; what was loaded so can be loaded at all."""
    job.edit("a.txt", "one\n")
    assert job.nvim.lua(FAST)
    agent = job.stage.accept()
    agent.initialize()
    agent.open()
    assert agent.prompted()["params"]["prompt"][0]["text"] == "hello"
    job.told("comment added")
    clean(job, "fast")


def test_lua_under_textlock(busy: MainJob) -> None:
    busy.command("nnoremap <expr> X luaeval('require([[acp]]).add()') ?? ''")
    busy.nvim.input("X")
    busy.told("acp.add(): not in the middle of a command: try again when it is over")
    clean(busy, "add")


@pytest.mark.parametrize(
    "options",
    [
        "set nomodifiable | setglobal nomodifiable",
        "set readonly | setglobal readonly",
        "set cmdheight=0",
        "set noswapfile noundofile shada= ",
        "set nohidden noequalalways winfixbuf",
        "set winheight=20 winminheight=5 winwidth=80",
        "set eventignore=all",
        "setglobal bufhidden=wipe | setglobal buftype=nofile",
        "set autochdir autowriteall",
        "set lazyredraw more confirm",
    ],
)
def test_options_of_the_user(options: str) -> None:
    with MainJob() as job:
        job.command(options)
        agent = job.start()
        prompt = job.turn(agent)
        agent.say("words\n")
        job.finish(agent, prompt)
        assert "words" in job.chat()
        clean(job, "a turn")
        job.command("Acp prompt")
        job.nvim.input("imore<Esc><CR>")
        if "eventignore" not in options:
            assert agent.prompted()["params"]["prompt"][0]["text"] == "more"
        for sub in SUBS:
            job.command(f"Acp {sub}")
            job.inspect()
            clean(job, sub)


@pytest.mark.parametrize("folder", ["state", "data", "cache", "run"])
def test_a_folder_that_cannot_be_written(folder: str) -> None:
    with MainJob() as job:
        shutil.rmtree(job.nvim.folder / folder)
        (job.nvim.folder / folder).write_text("")  # also who may do all cannot make a folder below
        agent = job.start()
        path = job.edit("a.txt", "one\n")
        prompt = job.turn(agent)
        agent.say("words\n")
        assert agent.ask("fs/write_text_file", path=str(path), content="two\n")["result"] == {}
        job.finish(agent, prompt)
        assert "words" in job.chat()
        job.command("Acp prompt")
        job.nvim.input("ia draft @a<Esc>")
        job.command("Acp undo")
        job.until(lambda: path.read_text() == "one\n")
        if folder == "state":
            job.told("is not kept on disk")
        clean(job, "a turn")
        for sub in SUBS:
            job.command(f"Acp {sub}")
            job.inspect()
            clean(job, sub)


def test_a_neovim_without_modifiable() -> None:
    with Neovim() as nvim:
        nvim.command("setglobal nomodifiable")
        nvim.lua("require('acp.chat.window').open_session('none')")
        assert nvim.eval("&filetype") == "acp_prompt"
        nvim.input("iwritten<Esc>")
        assert nvim.lines() == ["written"]
