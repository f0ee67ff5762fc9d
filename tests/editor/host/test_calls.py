"""What the host was asked: each call is answered once, and a callback that fails harms nobody."""

from __future__ import annotations

from typing import Any

from tests.support.nvim import Neovim

REMEMBER = """
_G.answers = {}
return require('acp.host.calls').remember(..., function(err, result)
  table.insert(_G.answers, { err or vim.NIL, result or vim.NIL })
end)
"""


def remember(nvim: Neovim, host: dict[str, Any]) -> int:
    return int(nvim.lua(REMEMBER, host))


def answers(nvim: Neovim) -> list[list[Any]]:
    return list(nvim.lua("return _G.answers"))


def test_a_call_is_answered_once(nvim: Neovim) -> None:
    call = remember(nvim, {})
    for result in ("first", "second"):
        nvim.lua("require('acp.host.bridge').answer(...)", call, None, result)
    assert answers(nvim) == [[None, "first"]]


def test_an_unknown_call_is_ignored(nvim: Neovim) -> None:
    call = remember(nvim, {})
    nvim.lua("require('acp.host.bridge').answer(...)", call + 1, None, "late")
    nvim.lua("require('acp.host.calls').forget(...)", call)
    nvim.lua("require('acp.host.bridge').answer(...)", call, None, "late")
    assert answers(nvim) == []
    assert nvim.messages() == ""


def test_who_asked_a_host_that_ended_is_told(nvim: Neovim) -> None:
    nvim.lua(
        """_G.answers, _G.hosts = {}, { { name = 'old' }, { name = 'new' } }
        for _, host in ipairs(_G.hosts) do
          require('acp.host.calls').remember(host, function(err)
            table.insert(_G.answers, { host.name, err })
          end)
        end
        require('acp.host.calls').fail(_G.hosts[1], 'it ended')"""
    )
    assert answers(nvim) == [["old", "it ended"]]


def test_a_callback_that_fails_is_told_and_logged(nvim: Neovim) -> None:
    nvim.lua(
        """_G.answers = {}
        local calls = require('acp.host.calls')
        local host = {}
        for _ = 1, 2 do
          calls.remember(host, function() error('oh no') end)
          calls.remember(host, function(err) table.insert(_G.answers, { err, vim.NIL }) end)
        end
        calls.fail(host, 'it ended')"""
    )
    assert answers(nvim) == [["it ended", None]] * 2
    told = nvim.messages().splitlines()
    assert len(told) == 1
    assert told[0].startswith("acp: on_done failed: ") and told[0].endswith("oh no")
    assert "stack traceback" in nvim.lua(
        "return table.concat(vim.fn.readfile(require('acp.host.log').path()), '\\n')"
    )
    assert not nvim.mode()["blocking"]
