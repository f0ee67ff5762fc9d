"""The bridge of a Neovim, replaced: what Lua would have told the host."""

from __future__ import annotations

from typing import Any

from tests.support.nvim import Neovim

STUB = """
local bridge = require('acp.host.bridge')
_G.told, _G.answers = {}, {}
bridge.notify = function(verb, payload)
  if verb == 'chat_room' then -- how wide a window is, whatever a test does
    return true
  end
  table.insert(_G.told, { verb, payload or vim.empty_dict() })
  return true
end
bridge.call = function(verb, payload, on_done)
  _G.answer, _G.answers[verb] = on_done, on_done
  if not bridge.notify(verb, payload) then
    on_done('there is no host')
  end
end
bridge.running = function() return true end
bridge.tell_running = function(...) bridge.notify(...) end
_G.ended = {}
bridge.on_end = function(listener) table.insert(_G.ended, listener) end
"""


CLOCK = """
_G.clock = (_G.clock or 1000) + ...
require('acp.ask.answer').now = function() return _G.clock end
"""


def part(*lines: str) -> list[Any]:
    """Return lines without marks, as a question has them."""
    return [list(lines), []]


def question(ask_id: str = "ask-1", **more: Any) -> dict[str, Any]:
    """Return a permission of two options as the host tells of it."""
    return {
        "id": ask_id,
        "seen": "as it was",
        "title": " tutor asks ",
        "kind": "permission",
        "head": part("Run the tests"),
        "notes": part(),
        "body": part("make test"),
        "changes": part(),
        "about": part(),
        "options": part("✓ 1. Allow once", "✗ 2. Reject once"),
        "option_ids": ["allow", "reject"],
        "option_kinds": ["allow_once", "reject_once"],
        "omitted": 0,
        "comparable": 0,
        "form": [],
        "chat": 0,
        "number": 1,
        "count": 1,
    } | more


ALLOWED = {"ask": "ask-1", "seen": "as it was", "inside": True, "option": "allow"}
REJECTED = ALLOWED | {"option": "reject"}


class BridgeSpy:
    """Stands in for `acp.host.bridge`, so that no host is started."""

    def __init__(self, nvim: Neovim) -> None:
        self._nvim = nvim
        nvim.lua(STUB)
        self.wait(0)

    def told(self, verb: str) -> list[dict[str, Any]]:
        """Return the payloads of all notifications with that verb, oldest first."""
        return [payload for name, payload in self._nvim.lua("return _G.told") if name == verb]

    def end_host(self) -> None:
        """Let the host end by itself."""
        self._nvim.lua("for _, listener in ipairs(_G.ended) do listener() end")

    def answer(self, result: Any, error: str | None = None, *, verb: str = "") -> None:
        """Answer the last call, or the last one with that verb."""
        self._nvim.lua(
            """local function value(v) if v ~= vim.NIL then return v end end
            local err, result, verb = ...
            local answer = _G.answers[verb] or _G.answer
            answer(value(err), value(result))""",
            error,
            result,
            verb,
        )

    def open_session(self, agent: str = "tutor") -> tuple[int, int]:
        """Open chat and prompt; return their buffers."""
        made = self._nvim.lua("return require('acp.chat.window').open_session(...)", agent)
        return made["chat"], made["prompt"]

    def frame(self, bufnr: int, *ops: list[Any], **part: Any) -> dict[str, list[int]]:
        """Draw ops on a buffer as the host would."""
        events = part.pop("events", [])
        buffers = [{"bufnr": bufnr, "ops": list(ops), **part}]
        frame = {"buffers": buffers, "events": events}
        result: dict[str, list[int]] = self._nvim.lua(
            "return require('acp.ui.apply').frame(...)", frame
        )
        return result

    def open_ask(self, chat: int, ask_id: str = "ask-1", **more: Any) -> dict[str, int]:
        """Show a question of two options as the host would, old enough to take keys."""
        result: dict[str, int] = self._nvim.lua(
            "return require('acp.ask.window').show(...)", question(ask_id, chat=chat, **more)
        )
        self.wait(1000)
        return result

    def close_ask(self) -> None:
        """Close the window: nothing waits any more."""
        self._nvim.lua("require('acp.ask.window').show(nil)")

    def answerable(self) -> None:
        """Let it be half a second since anything has come, changed or moved."""
        self.wait(500)

    def wait(self, milliseconds: int) -> None:
        """Let that time pass for the questions; without this it stands still."""
        self._nvim.lua(CLOCK, milliseconds)
