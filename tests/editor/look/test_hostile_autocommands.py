"""Autocommands of the user's do not run for what is on no screen.

Very many configurations have `autocmd TermOpen * startinsert`. Each handler here does something
that is seen at once, for every event of a buffer, window or tabpage; whatever an agent does then,
mode, window, buffer, text and cursor are what they were.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

EVENTS = (
    "TermOpen BufAdd BufNew BufCreate FileType Syntax BufEnter BufLeave BufWinEnter BufWinLeave"
    " BufHidden BufFilePre BufFilePost BufReadPre BufReadPost BufNewFile BufDelete BufUnload"
    " BufWipeout WinNew WinEnter WinLeave WinClosed TabNew TabEnter TabLeave TabClosed OptionSet"
    " TermRequest BufWritePost LspAttach LspDetach DiagnosticChanged QuickFixCmdPost"
)
HANDLERS = {
    "startinsert": "startinsert",
    "startinsert!": "startinsert!",
    "stopinsert": "stopinsert",
    "previous window": "wincmd p",
    "next window": "wincmd w",
    "tabpage": "tabnew",
    "window": "new",
    "deletes": "normal! x",
    "edits": "edit elsewhere.txt",
    "error": "throw 'of the user'",
    "Lua error": "lua error('of the user')",
    "only": "only",
    "escape": "execute 'normal! \\<Esc>'",
}
LOOK = """
return {
  mode = vim.fn.mode(1),
  window = vim.api.nvim_get_current_win(),
  tabpage = vim.api.nvim_get_current_tabpage(),
  buffer = vim.api.nvim_get_current_buf(),
  alternate_window = vim.fn.win_getid(vim.fn.winnr('#')),
  cursor = vim.api.nvim_win_get_cursor(0),
  text = vim.api.nvim_buf_get_lines(0, 0, -1, true),
  shown = vim.tbl_map(vim.api.nvim_win_get_buf, vim.api.nvim_tabpage_list_wins(0)),
}
"""
CAPABLE = {"agentCapabilities": {"loadSession": True}}


def arm(nvim: Neovim, handler: str) -> None:
    """Let the handler run for every event of a buffer, window or tabpage."""
    # not while it runs: `new` within `BufNew` would never end
    nvim.lua(
        """local events, handler = ...
        local is_busy = false
        _G.heard = {}
        vim.api.nvim_create_autocmd(vim.split(events, ' '), { nested = true, callback = function(e)
          if is_busy then return end
          is_busy = true
          table.insert(_G.heard, e.event .. ':' .. e.match)
          local ok, err = pcall(vim.cmd, handler)
          is_busy = false
          if not ok then error(err, 0) end
        end })""",
        " ".join(it for it in EVENTS.split() if nvim.eval(f"exists('##{it}')")),
        handler,
    )


def disarm(nvim: Neovim) -> None:
    nvim.lua("_G.acp_saved = nil vim.cmd('set eventignore=all')")


def look(job: MainJob) -> dict[str, Any]:
    """Return what the user has, once all is drawn."""
    job.inspect()
    return dict(job.nvim.lua(LOOK))


def run(agent: StdioAgent, command: str) -> str:
    return str(agent.ask("terminal/create", command=command)["result"]["terminalId"])


Deed = Callable[[MainJob, StdioAgent], None]


def terminal(job: MainJob, agent: StdioAgent) -> None:
    """Run a command, look at its output, release it."""
    name = run(agent, "echo out")
    job.until(lambda: job.inspect()["terminals"] and not job.inspect()["terminals"][-1]["running"])
    content = [{"type": "terminal", "terminalId": name}]
    agent.update("tool_call", toolCallId="t", title="Run", kind="execute", content=content)
    job.until(lambda: "Run" in "".join(job.chat()))
    assert agent.ask("terminal/release", terminalId=name)["result"] == {}


def question(job: MainJob, agent: StdioAgent) -> None:
    """Ask for something, until the user answers."""
    agent.request_permission("ask", title="May I?")
    job.until(job.asks)
    job.nvim.lua("require('acp').respond(...)", job.asks()[0]["id"], "yes")
    agent.answer_to("ask")
    job.until(lambda: not job.asks())


def write(job: MainJob, agent: StdioAgent) -> None:
    """Write a file that no buffer has, and one that has."""
    for name in ("made.txt", "other.txt"):
        text = f"of the agent in {name}\n"
        path = str(job.work / name)
        assert "result" in agent.ask("fs/write_text_file", path=path, content=text)


def follow(job: MainJob, agent: StdioAgent) -> None:
    """Be in a file that is not loaded."""
    (job.work / "far.py").write_text("import far\n" * 30)
    place = [{"path": str(job.work / "far.py"), "line": 20}]
    agent.update("tool_call", toolCallId="f", title="Read", kind="read", locations=place)
    job.until(lambda: (job.inspect()["follow"].get("path") or "").endswith("far.py"))


def talk(job: MainJob, agent: StdioAgent) -> None:
    """Say something, have a plan, and give the session a title."""
    agent.say("words\n")
    agent.update("plan", entries=[{"content": "do", "priority": "high", "status": "pending"}])
    agent.update("session_info_update", title="A title")
    job.until(lambda: job.session().get("title") == "A title")


def hidden(job: MainJob, agent: StdioAgent) -> None:
    """Open another session, as a script of the user does."""
    job.nvim.lua("require('acp.command.agent').open('scripted', { new = true, hidden = true })")
    asked = agent.expect("session/new")
    agent.reply(asked, {"sessionId": "hidden"})
    job.until(lambda: job.session().get("id") == "hidden" and job.session()["state"] == "idle")


def reopened(job: MainJob, agent: StdioAgent) -> None:
    """Open a session of another time, as `restore` does."""
    job.nvim.lua("require('acp.chat.registry').read('scripted', 'old')")
    agent.reply(agent.expect("session/load"), {})
    job.until(lambda: job.session().get("id") == "old" and job.session()["state"] == "idle")


DEEDS: list[Deed] = [terminal, question, write, talk, hidden, reopened, follow]


@pytest.fixture(params=[*HANDLERS])
def job(request: pytest.FixtureRequest) -> Iterator[MainJob]:
    """Yield a Neovim with that handler, once the user is in a file of their own."""
    with MainJob({"ui": {"notify": "off"}}) as started:
        started.handler = HANDLERS[request.param]  # type: ignore[attr-defined]
        yield started


@pytest.mark.parametrize("keys", ["", "i", "v"], ids=["normal", "insert", "visual"])
def test_the_users_hands_stay_where_they_are(job: MainJob, keys: str) -> None:
    agent = job.start(**CAPABLE)
    Path(job.work / "other.txt").write_text("other\n" * 9)
    job.edit("mine.txt", "one two\nthree four\nfive six\n")
    job.command("botright new other.txt | wincmd t")
    job.command("Acp follow on")
    job.until(lambda: job.inspect()["follow"]["enabled"])
    prompt = job.turn(agent)
    job.nvim.input("2G0w" + keys)
    arm(job.nvim, job.handler)  # type: ignore[attr-defined]
    for deed in DEEDS:
        job.nvim.lua("_G.heard = {}")
        before = look(job)
        deed(job, agent)
        job.nvim.wait(lambda before=before: look(job)["mode"] == before["mode"], 5)
        after = look(job)
        if deed in (follow, write):  # what reads or saves a file tells those who wait for that
            for key in ("shown", "alternate_window"):
                del before[key], after[key]
        heard = " ".join(job.nvim.lua("return _G.heard"))
        assert after == before, f"{deed.__name__}: {heard}"
        job.usable()
    if keys == "i":
        job.nvim.input("typed")
        assert job.nvim.lines()[1] == "three typedfour"
    agent.end(prompt)
    disarm(job.nvim)


def test_term_open_comes_when_the_terminal_is_shown() -> None:
    with MainJob() as job:
        job.command("let g:opened = []")
        job.command("autocmd TermOpen * call add(g:opened, win_gettype()) | setlocal numberwidth=9")
        job.command("autocmd TermOpen * startinsert")
        job.nvim.lua("vim.ui.select = function(items, _, choose) choose(items[1], 1) end")
        agent = job.start()
        run(agent, "echo out")
        job.until(lambda: job.inspect()["terminals"])
        buffer = job.inspect()["terminals"][0]["bufnr"]
        assert job.nvim.eval("g:opened") == []
        job.command("wincmd t | Acp terminals")
        job.until(lambda: job.nvim.api.nvim_get_current_buf() == buffer)
        assert job.nvim.eval("[g:opened, &numberwidth, mode(1)]") == [[""], 9, "nt"]


COMMANDS = (
    "sessions",
    "chat close",
    "chat open",
    "agents",
    "log",
    "review all",
    "prompt",
    "chat close",
)
UNCOUNTED = """
return vim.tbl_filter(function(window)
  local buffer = vim.api.nvim_win_get_buf(window)
  if not vim.api.nvim_buf_is_loaded(buffer) then return true end
  local held = vim.w[window].acp_holds
  return held ~= nil and held ~= buffer
end, vim.api.nvim_list_wins())
"""
"""The windows whose buffer Neovim has let go, and those of a chat that show something else."""

MOVERS = [
    "startinsert",
    "stopinsert",
    "previous window",
    "next window",
    "tabpage",
    "only",
    "escape",
]
"""A handler that raises is Neovim's to tell, where it is the user who opens a window."""


@pytest.mark.parametrize("handler", MOVERS)
def test_what_the_user_opens_is_there_or_a_sentence_says_why_not(handler: str) -> None:
    with MainJob({"ui": {"notify": "off"}}) as job:
        job.edit("mine.txt", "one\n")
        arm(job.nvim, HANDLERS[handler])
        agent = job.start()
        for command in COMMANDS:
            job.command(f"Acp {command}")
            job.inspect()
            messages = job.nvim.messages()
            assert not job.nvim.mode()["blocking"], (command, messages)
            assert "lua/acp" not in messages, (command, messages)
            if handler != "tabpage":  # whose handler makes more at each event
                assert len(job.nvim.api.nvim_list_wins()) <= 7, command
            assert job.nvim.lua(UNCOUNTED) == [], command
        disarm(job.nvim)
        job.command("messages clear | silent! only | Acp chat open")
        prompt = job.turn(agent)
        agent.say("words\n")
        job.finish(agent, prompt)
        assert "words" in job.chat()


def test_a_formatter_after_a_write_moves_the_cursor_with_its_text() -> None:
    with MainJob() as job:
        agent = job.start()
        path = job.edit("mine.txt", "one\ntwo\nthree\n")
        job.command("autocmd BufWritePost mine.txt call append(0, 'header')")
        job.nvim.input("2G")
        assert "result" in agent.ask(
            "fs/write_text_file", path=str(path), content="one\ntwo\nTHREE\n"
        )
        job.inspect()
        assert job.nvim.eval("[line('.'), getline('.')]") == [3, "two"]


def test_a_handler_that_fails_at_each_write_is_told_in_one_sentence() -> None:
    with MainJob() as job:
        agent = job.start()
        path = job.edit("mine.txt", "one\n")
        job.command("autocmd BufWritePost * lua error('of the user')")
        for text in ("two\n", "three\n"):
            assert "result" in agent.ask("fs/write_text_file", path=str(path), content=text)
        job.told("acp: a handler of BufWritePost failed: of the user")
        assert job.nvim.messages().count("BufWritePost") == 1
        assert "traceback" not in job.nvim.messages() and path.read_text() == "three\n"


def test_a_message_stays_on_the_screen_whatever_the_agent_does() -> None:
    with MainJob({"ui": {"notify": "terminal"}}) as job:
        path = job.edit("mine.txt", "one\n")
        agent = job.start()
        prompt = job.turn(agent)
        job.command("wincmd t | stopinsert")
        job.command("redraw | echo 'of the user'")
        assert "result" in agent.ask("fs/write_text_file", path=str(path), content="two\n")
        run(agent, "echo out")
        job.finish(agent, prompt)
        assert path.read_text() == "two\n"
        row = "join(map(range(1, 80), 'screenstring(&lines, v:val)'), '')"
        assert job.nvim.eval(row).rstrip() == "of the user"


def test_what_runs_while_the_user_leaves_insert_mode_does_not_bring_it_back() -> None:
    """Neovim serves what waits while a handler of `InsertLeavePre` waits for the host."""
    with MainJob({"ui": {"notify": "off"}}) as job:
        job.edit("mine.txt", "one\n")
        job.nvim.lua(
            """vim.api.nvim_create_autocmd('InsertLeavePre', { callback = function()
              local unseen = require('acp.ui.unseen')
              unseen.leaving(function() unseen.loudly({}, function() end) end)
            end })"""
        )
        job.nvim.input("A two<Esc>x")
        assert job.nvim.mode()["mode"] == "n"
        assert job.nvim.lines() == ["one tw"]
