"""The bridge of a Neovim, replaced: what Lua would have told the host."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from contextlib import suppress
from typing import Any

from acp_nvim.commands.decode import decode
from acp_nvim.nvim.call import Call
from acp_nvim.nvim.questions import NvimQuestionWindow, _plain, measured
from acp_nvim.view.block import Line
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.place import Look
from tests.support.nvim import Neovim, NvimError
from tests.support.rpc import Rpc

STUB = """
local bridge = require('acp.host.bridge')
_G.told, _G.answers = {}, {}
bridge.notify = function(verb, payload)
  if verb == 'chat_room' then -- how wide a window is, whatever a test does
    return true
  elseif verb == 'ask_look' then
    return vim.rpcnotify(_G.fitter, verb, payload)
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


LUA = "local module, name = ...; return require(module)[name](select(3, ...))"
LONG = time.monotonic() + 86_400

CLOCK = """
_G.clock = (_G.clock or 1000) + ...
require('acp.ask.answer').now = function() return _G.clock end
"""


def part(*lines: str | Line) -> tuple[Line, ...]:
    """Return lines, as a question has them."""
    return tuple(Line(it) if isinstance(it, str) else it for it in lines)


def question(ask_id: str = "ask-1", *, number: int = 1, count: int = 1, **more: Any) -> Menu:
    """Return a permission of two options."""
    known: dict[str, Any] = {
        "seen": "as it was",
        "title": " tutor asks ",
        "kind": "permission",
        "head": part("Run the tests"),
        "body": part("make test"),
        "options": part("✓ 1. Allow once", "✗ 2. Reject once"),
        "option_ids": ("allow", "reject"),
        "option_kinds": ("allow_once", "reject_once"),
    }
    return Menu(ask_id, position=(number, count), **(known | more))


class _Call(Call):
    """Calls Lua over a channel of a test."""

    def __init__(self, rpc: Rpc) -> None:
        self._rpc = rpc

    async def lua(self, function: str, *arguments: Any) -> Any:
        module, _, name = function.rpartition(".")
        return self._rpc.request("nvim_exec_lua", LUA, (module, name, *arguments))


class _Fitter(NvimQuestionWindow):
    """The host's half of the window, which fits a question into each screen that it is told of."""

    def __init__(self, nvim: Neovim) -> None:
        self._own = _Call(nvim.rpc)
        super().__init__(self._own, lambda _error: None)
        self._lock = threading.Lock()
        there = socket.socket(socket.AF_UNIX)
        there.connect(nvim.socket)
        rpc = Rpc(there.fileno(), there.fileno())
        nvim.lua("_G.fitter = ...", rpc.request("nvim_get_api_info")[0])
        threading.Thread(target=self._serve, args=(there, rpc), daemon=True).start()

    def show_now(self, menu: Menu | None) -> dict[str, int]:
        """Show a question; return its buffer and window."""
        with self._lock:
            self._call = self._own
            asyncio.run(self.show(menu))
            buffer, window = self.place() or (0, 0)
            return {"bufnr": buffer, "winid": window}

    def arguments(self, menu: Menu, look: object) -> list[Any]:
        """Return what Lua is given to show it on that screen."""
        fitting = self._fit(menu, decode("ask_look", Look, look))
        return [_plain(menu, self._cells), asyncio.run(fitting)]

    def widths(self, texts: list[str], setting: str) -> list[int]:
        """Return how many cells the host takes texts for, once it has asked."""
        self._cells.use(setting)
        for _ in range(2):
            for text in texts:
                self._cells.of(text)
            asyncio.run(measured(self._own.lua, self._cells))
        self._cells.begin()
        return [self._cells.of(text) for text in texts]

    def _serve(self, there: socket.socket, rpc: Rpc) -> None:
        with there, suppress(EOFError, OSError, NvimError, TimeoutError):
            while True:
                known = rpc.notifications
                self._refit(rpc, (known.pop(0)[1] if known else rpc.receive(LONG, "")[2])[0])

    def _refit(self, rpc: Rpc, look: object) -> None:
        with self._lock:
            self._call, self._is_seen_anew = _Call(rpc), True
            self._look = decode("ask_look", Look, look)
            asyncio.run(self._frame())


ALLOWED = {"ask": "ask-1", "seen": "as it was", "inside": True, "option": "allow"}
REJECTED = ALLOWED | {"option": "reject"}


class BridgeSpy:
    """Stands in for `acp.host.bridge`, so that no host is started."""

    def __init__(self, nvim: Neovim) -> None:
        self._nvim = nvim
        nvim.lua(STUB)
        self._fitter = _Fitter(nvim)
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
        result = self._fitter.show_now(question(ask_id, chat=chat, **more))
        self.wait(1000)
        return result

    def arguments(self, menu: Menu) -> list[Any]:
        """Return what Lua is given to show a question on the screen as it is."""
        look = self._nvim.lua("return require('acp.ask.place').look(...)", menu.chat)
        return self._fitter.arguments(menu, look)

    def widths(self, texts: list[str]) -> list[int]:
        """Return how many cells the host takes texts for, by the settings as they are."""
        setting = self._nvim.lua("return require('acp.ui.cells').setting()")
        return self._fitter.widths(texts, setting)

    def close_ask(self) -> None:
        """Close the window: nothing waits any more."""
        self._fitter.show_now(None)

    def answerable(self) -> None:
        """Let it be half a second since anything has come, changed or moved."""
        self.wait(500)

    def wait(self, milliseconds: int) -> None:
        """Let that time pass for the questions; without this it stands still."""
        self._nvim.lua(CLOCK, milliseconds)
