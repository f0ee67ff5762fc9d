"""What differs between the versions of Neovim: nothing is used that the one here does not have.

Only one version runs these tests, so `newer` is that one with what 0.13 has taken away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import ROOT, Neovim

# `BufModifiedSet` is gone, and `OptionSet` tells of every change of 'modified', a little later.
WITHOUT_EVENT = """
local create, exists = vim.api.nvim_create_autocmd, vim.fn.exists
create('BufModifiedSet', { callback = function(event)
  vim.schedule(function()
    vim.api.nvim_buf_call(event.buf, function()
      vim.api.nvim_exec_autocmds('OptionSet', { pattern = 'modified' })
    end)
  end)
end })
vim.api.nvim_create_autocmd = function(events, options)
  for _, event in ipairs(type(events) == 'table' and events or { events }) do
    assert(event ~= 'BufModifiedSet', "Invalid 'event': 'BufModifiedSet'")
  end
  return create(events, options)
end
vim.fn.exists = function(name)
  return name == '##BufModifiedSet' and 0 or exists(name)
end
"""

EVENT_LISTS = re.compile(
    r"(?:nvim_create_autocmd\(|nvim_exec_autocmds\(|\bon\(|\bevents =|\bQUIET =)\s*"
    r"(\{[^}]*\}|'\w+')"
)


def sources() -> Iterator[str]:
    """Yield the text of each Lua file."""
    for path in [*ROOT.glob("lua/**/*.lua"), *ROOT.glob("plugin/*.lua")]:
        yield path.read_text()


def events(source: str) -> set[str]:
    """Return the names of the autocommand events that a file names."""
    return {name for found in EVENT_LISTS.findall(source) for name in re.findall(r"'(\w+)'", found)}


@pytest.fixture
def newer() -> Iterator[Neovim]:
    """Yield a Neovim without the event, with plugin/acp.lua loaded."""
    with Neovim(plugin=False) as nvim:
        nvim.lua(WITHOUT_EVENT)
        nvim.command("runtime plugin/acp.lua")
        yield nvim


def test_a_session_opens_without_the_event(newer: Neovim) -> None:
    newer.command("AcpStart tutor")
    newer.wait("require('acp').status().state == 'idle'")
    assert newer.eval("[&filetype, &modified]") == ["acp_prompt", 0]


def test_the_prompt_is_not_modified_without_the_event(newer: Neovim) -> None:
    _, prompt = BridgeSpy(newer).open_session()
    newer.input("ihello<Esc>:set modified<CR>")
    newer.wait("not vim.bo.modified")
    newer.command("wincmd t")
    newer.lua("vim.bo[...].modified = true", prompt)
    newer.wait(f"not vim.bo[{prompt}].modified")
    assert newer.lines(prompt) == ["hello"]


def test_other_buffers_stay_modified(newer: Neovim) -> None:
    BridgeSpy(newer).open_session()
    newer.command("new | set modified")
    assert newer.eval("&modified") == 1


@pytest.mark.parametrize("version", ["nvim", "newer"])
def test_nothing_is_left_of_a_prompt_that_is_gone(
    version: str, request: pytest.FixtureRequest
) -> None:
    nvim: Neovim = request.getfixturevalue(version)
    _, prompt = BridgeSpy(nvim).open_session()
    group = f"return #vim.api.nvim_get_autocmds({{ group = 'acp.prompt.{prompt}' }})"
    assert nvim.lua(group) > 0
    nvim.command(f"bwipeout! {prompt}")
    assert nvim.lua(group) == 0
    nvim.command("set modified")


def test_all_events_exist_or_are_asked_for(nvim: Neovim) -> None:
    used = {name for source in sources() for name in events(source)}
    assert len(used) > 25
    missing = {name for name in used if not nvim.eval(f"exists('##{name}')")}
    unguarded = {
        name
        for source in sources()
        for name in events(source) & missing
        if f"exists('##{name}')" not in source
    }
    assert not unguarded


def test_all_functions_exist_or_are_asked_for(nvim: Neovim) -> None:
    """Those of the API, and all of `vim.…` that are called."""
    called = set[str]()
    for source in sources():
        code = re.sub(r"--.*|'vim\.api\.\w+'", "", source)
        used = set(re.findall(r"\bapi\.(nvim_+\w+)", code))
        called |= {f"vim.api.{name}" for name in used if f"if api.{name} then" not in code}
        named = set(re.findall(r"\b(vim(?:\.[a-z_]+)+)\(", code))
        called |= {it for it in named if f"if not {it.rpartition('.')[0]} or" not in code}
    for name in sorted(called):
        scope, _, last = name.rpartition(".")
        if scope == "vim.fn":
            assert nvim.eval(f"exists('*{last}')"), name
        else:
            assert nvim.lua(f"return {name} ~= nil"), name


def test_health_knows_all_events(nvim: Neovim) -> None:
    used = {name for source in sources() for name in events(source)}
    rows = nvim.lua("return require('acp.health').EVENTS")
    assert {name for row in rows for name in row} == used


def health(nvim: Neovim) -> str:
    nvim.command("checkhealth acp")
    return "\n".join(nvim.lines())


def test_health_is_content_where_one_of_two_events_is_gone(newer: Neovim) -> None:
    assert "ERROR" not in health(newer)


def test_health_names_the_event_that_is_gone(nvim: Neovim) -> None:
    nvim.lua(
        """local exists = vim.fn.exists
        vim.fn.exists = function(name) return name == '##WinScrolled' and 0 or exists(name) end"""
    )
    text = health(nvim)
    assert "ERROR this Neovim has no event WinScrolled" in text
    assert "a newer acp.nvim" in text


def test_health_names_the_function_that_is_gone(nvim: Neovim) -> None:
    nvim.lua("vim.system = nil")
    assert "ERROR this Neovim has no function vim.system" in health(nvim)
