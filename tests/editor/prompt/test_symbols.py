"""What the open files define is offered after `@`: by a language server, else by treesitter."""

from __future__ import annotations

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim

LUA = """local M = {}

function M.first(a)
  return second(a)
end

local function second(a)
  local function inner()
  end
end

return M
"""
C = "struct pair {\n  int a;\n};\n\nstatic int *add(int a, int b)\n{\n  return 0;\n}\n"

SERVER = """
local function symbol(name, kind, first, last, children)
  local range = { start = { line = first, character = 0 } }
  range['end'] = { line = last, character = 9 }
  return { name = name, kind = kind, range = range, selectionRange = range, children = children }
end
local answers = {
  initialize = { capabilities = { documentSymbolProvider = true } },
  ['textDocument/documentSymbol'] = {
    symbol('Cache', 5, 0, 7, { symbol('get', 6, 2, 3), symbol('size', 13, 4, 4) }),
    { name = 'main', kind = 12, containerName = '',
      location = { range = { start = { line = 8, character = 0 },
        ['end'] = { line = 10, character = 0 } } } },
  },
}
_G.held = {}
vim.lsp.start({ name = 'fake', cmd = function()
  return {
    request = function(method, _, callback)
      if method == 'textDocument/documentSymbol' and _G.is_slow then
        table.insert(_G.held, callback)
      else
        vim.schedule(function() callback(nil, answers[method]) end)
      end
      return true, 1
    end,
    notify = function() return true end,
    is_closing = function() return false end,
    terminate = function() end,
  }
end })
"""


def opened(nvim: Neovim, spy: BridgeSpy, name: str, text: str, *names: str) -> int:
    """Open a file and a session, and begin to write; the host has told the names of the files."""
    nvim.command(f"if expand('%') != '{name}' | edit {name} | endif")
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, ...)", text.splitlines())
    nvim.command("runtime filetype.lua | setlocal nomodified | filetype detect")
    chat, _ = spy.open_session("gemini")
    spy.frame(chat, status={"agent": "gemini", "state": "idle"})
    nvim.input("i")
    spy.answer({"roots": [str(nvim.cwd)], "names": list(names)}, verb="files")
    return chat


def offered(nvim: Neovim, chat: int, base: str) -> list[tuple[str, str]]:
    """Return label and word of each symbol that completes the text."""
    found = nvim.lua(
        """local chat, base = ...
        chat = require('acp.chat.registry').of(chat)
        return require('acp.prompt.mention').complete(chat, base)""",
        chat,
        base,
    )
    return [(it["label"], it["word"]) for it in found if "label" in it]


def test_treesitter_tells_what_a_file_defines(nvim: Neovim, spy: BridgeSpy) -> None:
    chat = opened(nvim, spy, "a.lua", LUA)
    nvim.wait(lambda: offered(nvim, chat, "@first"))
    assert offered(nvim, chat, "@first") == [("@M.first", "@a.lua:3-5")]
    assert sorted(offered(nvim, chat, "@sec")) == [
        ("@second", "@a.lua:7-10"),
        ("@second.inner", "@a.lua:8-9"),
    ]
    assert offered(nvim, chat, "@") == [], "all of them would hide the rest"


def test_a_grammar_that_has_names_in_declarators(nvim: Neovim, spy: BridgeSpy) -> None:
    chat = opened(nvim, spy, "a.c", C)
    nvim.wait(lambda: offered(nvim, chat, "@add"))
    assert offered(nvim, chat, "@add") == [("@add", "@a.c:5-8")]
    assert offered(nvim, chat, "@pair") == [("@pair", "@a.c:1-3")]


def test_a_symbol_is_chosen_by_its_name_and_written_as_its_lines(
    nvim: Neovim, spy: BridgeSpy
) -> None:
    chat = opened(nvim, spy, "a.lua", LUA, "src/b.py")
    nvim.wait(lambda: offered(nvim, chat, "@first"))
    nvim.command("set completeopt=menuone,noinsert")
    nvim.input("why is @fir<C-x><C-o><C-y>")
    assert nvim.lines() == ["why is @a.lua:3-5"]


def test_the_list_that_opens_by_itself_has_them(nvim: Neovim, spy: BridgeSpy) -> None:
    if not nvim.eval("has('nvim-0.11')"):
        pytest.skip("the client of Neovim 0.10 completes by 'omnifunc' alone")
    chat = opened(nvim, spy, "a.lua", LUA, "src/b.py")
    nvim.wait(lambda: offered(nvim, chat, "@first"))
    for key in "@fir":
        nvim.input(key)
    labels = "complete_info(['items']).items->map('v:val.abbr')"
    nvim.wait(lambda: nvim.eval("pumvisible()") and nvim.eval(labels) == ["@M.first"])
    nvim.input("<C-n><C-y>")
    nvim.wait(lambda: nvim.lines() == ["@a.lua:3-5"])


def test_a_language_server_is_asked_first(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("edit a.lua")
    nvim.lua(SERVER)
    nvim.wait("#vim.lsp.get_clients({ method = 'textDocument/documentSymbol' }) == 1")
    chat = opened(nvim, spy, "a.lua", LUA)
    nvim.wait(lambda: offered(nvim, chat, "@get"))
    assert offered(nvim, chat, "@get") == [("@Cache.get", "@a.lua:3-4")]
    assert offered(nvim, chat, "@main") == [("@main", "@a.lua:9-10")]
    assert offered(nvim, chat, "@size") == [], "a constant is no place to speak of"
    assert offered(nvim, chat, "@first") == []


def test_a_slow_server_holds_nobody(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.command("edit a.lua")
    nvim.lua(SERVER)
    nvim.wait("#vim.lsp.get_clients({ method = 'textDocument/documentSymbol' }) == 1")
    nvim.lua("_G.is_slow = true")
    chat = opened(nvim, spy, "a.lua", LUA, "get.py")
    assert nvim.lua("return #_G.held") == 1
    nvim.command("set completeopt=menuone,noinsert")
    nvim.input("@get<C-x><C-o><C-y>")
    assert nvim.lines() == ["@get.py"]
    nvim.lua("_G.held[1](nil, { { name = 'bad' }, 'x', { name = 3, range = 4 } })")
    assert offered(nvim, chat, "@bad") == []
    assert nvim.messages() == ""


def test_what_changes_is_read_anew(nvim: Neovim, spy: BridgeSpy) -> None:
    chat = opened(nvim, spy, "a.lua", LUA)
    nvim.wait(lambda: offered(nvim, chat, "@first"))
    nvim.input("<Esc>")
    nvim.command("wincmd t | 1,2delete | wincmd b")
    nvim.input("i")
    nvim.wait(lambda: offered(nvim, chat, "@first") == [("@M.first", "@a.lua:1-3")])
