"""`:Acp` and its shorthands: what each sub-command does, and how it says what it cannot do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim


def told(nvim: Neovim) -> str:
    """Return the last message; the editor waits for nothing."""
    assert not nvim.mode()["blocking"]
    return nvim.messages().splitlines()[-1]


@pytest.mark.parametrize(
    ("command", "text", "bang"),
    [
        ('Acp prompt a | b "c"  d  ', 'a | b "c"  d  ', False),
        ("Acp prompt  two", " two", False),
        ("AcpPrompt explain  this % # <cword> \\", "explain  this % # <cword> \\", False),
        ("Acp prompt! now", "now", True),
        ("Acp! prompt now", "now", True),
        ("AcpPrompt! now", "now", True),
        ("silent AcpPrompt /plan a b", "/plan a b", False),
    ],
)
def test_a_prompt_is_sent_verbatim(
    nvim: Neovim, spy: BridgeSpy, command: str, text: str, bang: bool
) -> None:
    chat, _ = spy.open_session()
    nvim.command(command)
    payload = {"chat": chat, "text": text, "blocks": [], "selections": [], "bang": bang}
    assert spy.told("prompt") == [payload]


def test_a_prompt_with_a_range_takes_whole_lines(nvim: Neovim, spy: BridgeSpy) -> None:
    path = nvim.cwd / "foo.py"
    path.write_text("a\nb\nc\nd\n")
    spy.open_session()
    nvim.command(f"wincmd t | edit {path}")
    nvim.input("jvj:AcpPrompt explain this<CR>")
    nvim.command("4AcpPrompt why")
    first, second = [it["selections"] for it in spy.told("prompt")]
    assert [it["lines"] for it in (*first, *second)] == [["b", "c"], ["d"]]
    assert first[0] | {"mark": 0} == {
        "buffer": nvim.eval("bufnr()"),
        "mark": 0,
        "path": str(path),
        "first": 2,
        "last": 3,
        "lines": ["b", "c"],
        "filetype": "python" if nvim.eval("&filetype") else "",
    }
    assert nvim.eval("expand('%:p')") == str(path)


@pytest.mark.parametrize("command", ["AcpPrompt", "Acp prompt", "Acp prompt  ", "AcpPrompt!"])
def test_without_text_the_cursor_goes_to_the_prompt(
    nvim: Neovim, spy: BridgeSpy, command: str
) -> None:
    _, prompt = spy.open_session()
    nvim.command("wincmd t")
    nvim.command(command)
    assert nvim.eval("bufnr()") == prompt
    assert nvim.mode()["mode"] == "n"
    assert spy.told("prompt") == []


def test_a_prompt_without_a_session_starts_the_default_agent(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("require('acp').setup({ default_agent = 'gemini' })")
    nvim.command("AcpPrompt hello")
    started, sent = spy.told("start")[0], spy.told("prompt")[0]
    assert (started["agent"], sent["text"]) == ("gemini", "hello")
    assert sent["chat"] == started["chat"]


@pytest.mark.parametrize("sub", ["prompt hi", "prompt", "cancel", "mode", "stop", "restart", "log"])
def test_without_a_session_it_says_what_to_do(nvim: Neovim, spy: BridgeSpy, sub: str) -> None:
    nvim.input(f":Acp {sub}<CR>")
    assert told(nvim) == "acp: there is no session: :AcpStart opens one"
    assert nvim.lua("return _G.told") == []


def test_a_closed_session_is_passed_over(nvim: Neovim, spy: BridgeSpy) -> None:
    opened, _ = spy.open_session("gemini")
    closed, _ = spy.open_session("tutor")
    spy.frame(closed, status={"agent": "tutor", "state": "closed"})
    nvim.input(":AcpPrompt hello<CR>")
    assert told(nvim) == "acp: closed: :Acp restart tutor goes on"
    nvim.command("wincmd t")
    nvim.command("AcpPrompt hello")
    assert [it["chat"] for it in spy.told("prompt")] == [opened]
    spy.frame(opened, status={"agent": "gemini", "state": "closed"})
    nvim.input(":AcpPrompt hello again<CR>")
    assert told(nvim) == "acp: closed: :Acp restart gemini goes on"
    nvim.lua("require('acp').setup({ default_agent = 'goose' })")
    nvim.command("AcpPrompt at last")
    assert spy.told("start")[0]["agent"] == "goose"
    assert spy.told("prompt")[1]["chat"] == spy.told("start")[0]["chat"]


def test_lines_of_a_buffer_that_is_left_go_along(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("require('acp').setup({ default_agent = 'gemini' })")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, { 'a', 'b', 'c' })")
    buffer = nvim.eval("bufnr()")
    nvim.command("2,3AcpPrompt explain")
    selection = spy.told("prompt")[0]["selections"][0]
    assert (selection["buffer"], selection["lines"]) == (buffer, ["b", "c"])


def test_a_range_for_nobody_leaves_no_mark(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.input(":1AcpPrompt explain<CR>")
    assert told(nvim) == "acp: there is no session: :AcpStart opens one"
    marks = "vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, {})"
    assert nvim.lua(f"require('acp.prompt.buffer') ; return {marks}") == []


def test_start_opens_windows_at_once(nvim: Neovim, spy: BridgeSpy) -> None:
    path = nvim.cwd / "foo.py"
    nvim.command(f"edit {path}")
    nvim.command("AcpStart gemini")
    chat, prompt = spy.told("start")[0]["chat"], spy.told("start")[0]["prompt"]
    assert spy.told("start") == [
        {
            "agent": "gemini",
            "chat": chat,
            "prompt": prompt,
            "file": str(path),
            "cwd": str(nvim.cwd),
        }
    ]
    assert nvim.eval("bufnr()") == prompt
    assert nvim.mode()["mode"] == "n"
    nvim.command("Acp start gemini")
    assert len(spy.told("start")) == 1
    nvim.command("Acp new")
    nvim.command("Acp tutor")
    assert [it["agent"] for it in spy.told("start")] == ["gemini", "gemini", "tutor"]
    assert spy.told("start")[1]["file"] == str(path)


def test_the_default_agent_needs_no_name(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("require('acp').setup({ default_agent = 'gemini' })")
    nvim.command("AcpStart")
    assert spy.told("start")[0]["agent"] == "gemini"


def test_the_agent_that_was_picked_is_started(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("AcpStart")
    assert spy.told("pick_agent") == [{}]
    spy.answer("gemini")
    assert spy.told("start")[0]["agent"] == "gemini"


def test_choosing_a_missing_agent_says_how_to_install_it(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("AcpStart")
    spy.answer(None, "goose is not installed. Install it with: brew install goose")
    assert told(nvim) == "acp: goose is not installed. Install it with: brew install goose"
    assert spy.told("start") == []


def test_a_script_is_told_that_nothing_was_started(nvim: Neovim, spy: BridgeSpy) -> None:
    for said, err in ((None, "no agent was chosen"), ("the host is tired", "the host is tired")):
        nvim.lua("require('acp').start(nil, { on_done = function(err) _G.err = err end })")
        spy.answer(None, said)
        assert nvim.lua("return _G.err") == err
    assert spy.told("start") == []


@pytest.mark.parametrize(
    ("command", "verb", "payload"),
    [
        ("cancel", "cancel", {"chat": 0}),
        ("mode", "mode", {"chat": 0}),
        ("mode code", "mode", {"chat": 0, "mode": "code"}),
        ("config", "config", {"chat": 0}),
        ("config model", "config", {"chat": 0, "option": "model"}),
        ("config  m  a b ", "config", {"chat": 0, "option": "m", "value": "a b"}),
        ("stop", "stop", {"chat": 0, "bang": False}),
        ("stop!", "stop", {"chat": 0, "bang": True}),
        ("stop! gemini", "stop", {"agent": "gemini", "bang": True}),
        ("restart", "restart", {"chat": 0}),
        ("restart gemini", "restart", {"agent": "gemini"}),
        ("log gemini", "log", {"agent": "gemini"}),
    ],
)
def test_a_command_tells_the_host(
    nvim: Neovim, spy: BridgeSpy, command: str, verb: str, payload: dict[str, Any]
) -> None:
    chat, _ = spy.open_session()
    nvim.command(f"Acp {command}")
    if "chat" in payload:
        payload = payload | {"chat": chat}
    assert spy.told(verb) == [payload]


def test_the_chat_opens_and_closes(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, _ = spy.open_session()
    for what, visible in (("close", 0), ("open", 1), ("toggle", 0), ("", 1)):
        nvim.command(f"Acp chat {what}")
        assert nvim.eval(f"len(win_findbuf({chat}))") == visible
    nvim.input(":Acp chat opne<CR>")
    assert told(nvim) == "acp: :Acp chat takes open, close or toggle, not opne"


def test_what_a_row_calls_is_there(nvim: Neovim) -> None:
    missing = nvim.lua(
        "return vim.tbl_filter(function(row) return not require(row[1])[row[2]] end,"
        " vim.tbl_values(require('acp.command.subcommands').calls))"
    )
    assert missing == []
    rows = "vim.tbl_filter(function(it) return not it.run end, M.list)"
    assert nvim.lua(f"local M = require('acp.command.subcommands') return {rows}") == []


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("Acp", "which sub-command? :Acp <Tab> lists them, :help acp explains them"),
        ("Acp nonsense", "no sub-command nonsense: :Acp <Tab> lists them"),
        ("Acp strat", "no sub-command strat: did you mean :Acp start?"),
        ("Acp permti 2", "no sub-command permti: did you mean :Acp permit?"),
        ("1Acp cancel", ":Acp cancel takes no range"),
        ("Acp cancel!", ":Acp cancel takes no !"),
        ("Acp permit two", ":Acp permit takes the number of an option, not two"),
        ("Acp permit 1.5", ":Acp permit takes the number of an option, not 1.5"),
        ("Acp cancel now", ":Acp cancel takes no argument"),
    ],
)
def test_what_cannot_be_done_is_said(
    nvim: Neovim, spy: BridgeSpy, command: str, sentence: str
) -> None:
    spy.open_session()
    nvim.input(f":{command.replace('<', '<lt>')}<CR>")
    assert told(nvim) == f"acp: {sentence}"
    assert nvim.lua("return _G.told") == []


def test_the_log_grows_on_the_screen(nvim: Neovim, spy: BridgeSpy) -> None:
    path = nvim.cwd / "gemini #1.log"
    path.write_text("one\n")
    spy.open_session()
    nvim.command("Acp log")
    spy.answer(str(path))
    assert nvim.eval("expand('%:p')") == str(path)
    with path.open("a") as file:
        file.write("two\nthree\n")
    nvim.wait(lambda: nvim.lines() == ["one", "two", "three"])
    assert nvim.eval("line('.')") == 3
    nvim.command("1")
    with path.open("a") as file:
        file.write("four\n")
    nvim.wait(lambda: len(nvim.lines()) == 4)
    assert nvim.eval("line('.')") == 1
    assert nvim.messages() == ""
    assert nvim.eval("&modifiable") == 0


def test_the_log_of_nobody(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("Acp log gemini")
    spy.answer(None, "gemini is not running")
    assert told(nvim) == "acp: gemini is not running"
    assert nvim.eval("winnr('$')") == 1


def test_inspect_shows_the_snapshot(nvim: Neovim) -> None:
    nvim.command("Acp inspect")
    assert "connections = {}," in "\n".join(nvim.lines())
    assert nvim.eval("[&buftype, &modified]") == ["nofile", 0]


def test_what_the_host_lets_the_user_choose(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua(
        """vim.ui.select = function(items, options, choose)
          _G.offered = { items, options.prompt, options.kind }
          choose(items[2], 2)
        end
        require('acp.ui.choose').select(7, 'Mode', 'acp.mode', { 'a', 'b' })"""
    )
    nvim.wait("_G.offered")
    assert nvim.lua("return _G.offered") == [["a", "b"], "Mode", "acp.mode"]
    assert spy.told("chosen") == [{"call": 7, "index": 1}]
    nvim.lua(
        """vim.ui.select = function(_, _, choose) choose(nil, nil) end
        require('acp.ui.choose').select(8, 'Mode', 'acp.mode', { 'a' })"""
    )
    nvim.wait("#_G.told == 2")
    assert spy.told("chosen")[1] == {"call": 8}


def test_what_the_host_asks_waits_for_nobody_who_types(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.ui.select = function() _G.offered = true end")
    nvim.input("ihel")
    nvim.lua("require('acp.ui.choose').select(7, 'Which mode?', 'acp.mode', { 'a' })")
    nvim.wait(lambda: spy.told("chosen") == [{"call": 7}])
    nvim.input("lo<Esc>")
    assert nvim.lua("return _G.offered") is None
    assert nvim.lines() == ["hello"]
    assert told(nvim) == "acp: not asked while you type, give the command again: Which mode?"
