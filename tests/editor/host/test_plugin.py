"""plugin/acp.lua: costs nothing at start; and the public Lua API behind it."""

from __future__ import annotations

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import ROOT, Neovim

LOADED = (
    "return vim.tbl_filter(function(n) return n:find('^acp') end, vim.tbl_keys(package.loaded))"
)
TIMES = """
local best = math.huge
local chunk = assert(loadfile(...))
for _ = 1, 20 do
  vim.g.loaded_acp = nil
  local start = vim.uv.hrtime()
  chunk()
  best = math.min(best, (vim.uv.hrtime() - start) / 1e6)
end
return best
"""


def test_it_requires_nothing(nvim: Neovim) -> None:
    assert nvim.lua(LOADED) == []
    print(f"plugin/acp.lua: {nvim.lua(TIMES, str(ROOT / 'plugin' / 'acp.lua')):.3f} ms")
    assert nvim.lua(LOADED) == []
    assert nvim.messages() == ""


def test_it_is_loaded_once(nvim: Neovim) -> None:
    nvim.command("delcommand AcpStart")
    nvim.command("runtime plugin/acp.lua")
    assert nvim.eval("exists(':AcpStart')") == 0


def test_it_maps_plugs_and_nothing_else(nvim: Neovim) -> None:
    maps = nvim.lua(
        """local found = {}
        for _, mode in ipairs({ 'n', 'x', 's', 'o', 'i', 'c', 't' }) do
          for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
            if (map.lhs .. (map.rhs or '')):lower():find('acp') then
              table.insert(found, mode .. ' ' .. map.lhs)
            end
          end
        end
        return found"""
    )
    anywhere = """prompt chat cancel follow permit allow reject-permission review undo
        next-mode model sessions next-session previous-session resend help keep-hunk reject-hunk
        next-question worktree compare merge-worktree"""
    in_own_windows = """question close write fold-toggle fold-open fold-close fold-open-all
        fold-close-all next-prompt previous-prompt next-tool previous-tool file file-split browse
        raw yank-code yank-answer send older newer drop told put put-before take-back output
        output-to-quickfix list-open list-close list-rename list-delete list-filter agent-details
        agent-start agent-install agent-remove agent-stop agents-fetch edit-prompt rewind
        list-answer list-compare outline take-version next-version previous-version
        next-compared previous-compared open-compared"""
    plugs = {f"n <Plug>(acp-{name})" for name in (anywhere + " " + in_own_windows).split()}
    plugs |= {f"i <Plug>(acp-{name})" for name in ("send", "older", "newer")}
    plugs |= {
        f"{mode} <Plug>(acp-{name})"
        for mode in "nxo"
        for name in ("keep", "reject", "next-hunk", "prev-hunk")
    }
    assert set(maps) == plugs | {"x <Plug>(acp-prompt)"}


def test_leaving_without_use_loads_nothing(nvim: Neovim) -> None:
    nvim.lua(
        """vim.api.nvim_create_autocmd('VimLeave', { callback = function()
          vim.fn.writefile({ package.loaded['acp.host.bridge'] and 'loaded' or 'not' }, 'left')
        end })"""
    )
    path = nvim.cwd / "left"
    nvim.rpc.notify("nvim_command", "qall!")
    assert nvim.exit_code() == 0
    assert path.read_text() == "not\n"


def test_colours_are_links_that_a_user_may_override(nvim: Neovim) -> None:
    nvim.command("highlight link AcpCode Error")
    nvim.lua("require('acp.ui.highlights').define()")
    assert nvim.lua("return vim.api.nvim_get_hl(0, { name = 'AcpCode' }).link") == "Error"


def test_colours_are_back_after_a_colour_scheme(nvim: Neovim) -> None:
    links = nvim.lua(
        """require('acp.ui.highlights').define()
        vim.cmd.colorscheme('habamax')
        local found = {}
        for name in pairs(require('acp.ui.highlights').links) do
          local look = vim.api.nvim_get_hl(0, { name = name })
          found[name] = look.link or look.fg and 'legible' or 'none'
        end
        return found"""
    )
    wanted = nvim.lua("return require('acp.ui.highlights').links")
    assert all(links[name] in (link, "legible") for name, link in wanted.items())
    assert links["AcpCodeBlock"] == "NormalFloat"


def test_a_chat_that_is_only_a_name(nvim: Neovim) -> None:
    nvim.command(r"edit acp://gemini")
    assert "This name is not a session" in nvim.lines()[0]
    assert nvim.eval("&modifiable") == 0


@pytest.mark.parametrize(
    ("keys", "verb", "payload"),
    [
        ("cancel", "cancel", {}),
    ],
)
def test_mappings_tell_the_host(
    nvim: Neovim, spy: BridgeSpy, keys: str, verb: str, payload: dict[str, object]
) -> None:
    chat, _ = spy.open_session()
    nvim.lua("vim.keymap.set('n', 'gz', ...)", f"<Plug>(acp-{keys})")
    nvim.input("gz")
    assert spy.told(verb) == [{"chat": chat} | payload]


@pytest.mark.parametrize(
    ("keys", "option"), [("allow", "allow"), ("reject-permission", "reject"), ("permit", None)]
)
def test_mappings_answer_the_question_on_screen(
    nvim: Neovim, spy: BridgeSpy, keys: str, option: str | None
) -> None:
    chat, _ = spy.open_session()
    asked = spy.open_ask(chat)
    nvim.lua("vim.keymap.set('n', 'gz', ...)", f"<Plug>(acp-{keys})")
    nvim.input("gz")
    assert [it["option"] for it in spy.told("respond")] == ([option] if option else [])
    assert (nvim.eval("win_getid()") == asked["winid"]) == (option is None)


def test_mappings_open_windows(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    nvim.command("wincmd t")
    nvim.lua("vim.keymap.set({'n', 'x'}, 'gz', '<Plug>(acp-prompt)')")
    nvim.lua("vim.keymap.set('n', 'gc', '<Plug>(acp-chat)')")
    nvim.input("gz")
    assert nvim.eval("bufnr()") == prompt
    nvim.input("gc")
    assert nvim.eval(f"win_findbuf({chat})") == []


def test_the_selection_mapping_takes_the_lines_along(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, {'a', 'b', 'c'})")
    _, prompt = spy.open_session()
    nvim.command("wincmd t")
    nvim.lua("vim.keymap.set('x', 'gz', '<Plug>(acp-prompt)')")
    nvim.input("Vjgz")
    assert nvim.eval("bufnr()") == prompt
    nvim.input("iwhy<Esc><CR>")
    sent = spy.told("prompt")[0]
    assert sent["text"] == "why"
    assert sent["selections"][0]["lines"] == ["a", "b"]


# --- the Lua API


def test_start_and_prompt_report_what_came_of_it(nvim: Neovim, spy: BridgeSpy) -> None:
    done = "on_done = function(err, result) _G.done = { err or vim.NIL, result or vim.NIL } end"
    nvim.lua(f"require('acp').start('gemini', {{ {done} }})")
    chat = spy.told("start")[0]["chat"]
    spy.answer({"agent": "gemini", "session": "s1"})
    assert nvim.lua("return _G.done") == [None, {"agent": "gemini", "session": "s1"}]
    nvim.lua(f"require('acp').prompt('hello', {{ {done} }})")
    spy.answer(None, "the session is closed")
    assert nvim.lua("return _G.done") == ["the session is closed", None]
    blocks = [{"type": "text", "text": "x"}]
    nvim.lua("require('acp').prompt(..., { bang = true })", blocks)
    assert spy.told("prompt")[1] == {
        "chat": chat,
        "text": "",
        "blocks": blocks,
        "selections": [],
        "bang": True,
    }


def test_start_goes_to_the_open_session(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session("gemini")
    spy.frame(chat, status={"agent": "gemini", "state": "idle", "session": "s1"})
    nvim.command("tabnew")
    nvim.lua("require('acp').start('gemini', { on_done = function(_, r) _G.done = r end })")
    assert nvim.lua("return _G.done") == {"agent": "gemini", "session": "s1"}
    assert nvim.eval("bufnr()") == prompt
    assert spy.told("start") == []


def test_respond_tells_the_host_if_there_is_one(nvim: Neovim, spy: BridgeSpy) -> None:
    nvim.lua("require('acp').respond('ask-1', 'yes')")
    assert spy.told("respond") == [{"ask": "ask-1", "option": "yes"}]
    nvim.lua("require('acp.host.bridge').running = function() return false end")
    nvim.lua("require('acp').respond('ask-1', 'yes')")
    assert len(spy.told("respond")) == 1


def test_the_status_line_never_waits_and_cannot_be_injected(nvim: Neovim, spy: BridgeSpy) -> None:
    item = "require('acp').statusline()"
    assert nvim.lua(f"return {{ {item}, require('acp').status() }}") == ["", []]
    chat, _ = spy.open_session("gemini")
    status = {
        "agent": "gemini",
        "state": "running",
        "mode": "%{1+1}",
        "used": 1200,
        "size": 10000,
        "pending": 2,
    }
    spy.frame(chat, status=status)
    assert nvim.lua("return require('acp').status()") == status
    shown = nvim.lua(
        """vim.o.statusline = '%{%v:lua.require("acp").statusline()%}'
        return vim.api.nvim_eval_statusline(vim.o.statusline, {}).str"""
    )
    assert shown == "gemini running %{1+1} 2 waiting 12%"
