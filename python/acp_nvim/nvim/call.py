"""The greenlet hop: how a task on pynvim's loop calls Lua in Neovim, and how a verb is answered.

pynvim's requests block a greenlet, tasks await: each call runs in a greenlet of its own and
completes a future. Nobody else needs to know. Must be used on `nvim.loop` only (host.md, 2).
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import greenlet
from pynvim import Nvim
from pynvim.api.common import NvimError

from acp_nvim.editor import Bridge
from acp_nvim.errors import EditorError, UserError
from acp_nvim.nvim.plain import plain

_LARGEST = 2**63 - 1

_LUA = "local module, name = ...; return require(module)[name](select(3, ...))"


class Call:
    """Calls functions of the plugin's Lua modules, named like "acp.files.live.read"."""

    def __init__(self, nvim: Nvim) -> None:
        self._nvim = nvim

    async def lua(self, function: str, *arguments: Any) -> Any:
        """Return what the Lua function returned; raises `EditorError` when it raised."""
        done: asyncio.Future[Any] = self._nvim.loop.create_future()

        def run() -> None:
            try:
                result = self._request(_parts(function, arguments))
            except (NvimError, OSError) as error:
                if not done.done():
                    done.set_exception(EditorError(str(error)))
            else:
                if not done.done():
                    done.set_result(result)

        greenlet.greenlet(run).switch()
        return await done

    def post(self, function: str, *arguments: Any) -> None:
        """Call without waiting for the end, or for an error."""
        self._request(_parts(function, arguments), async_=True)

    def _request(self, parts: _Parts, **how: bool) -> Any:
        """Ask Neovim; what MessagePack has no number for is sent as the nearest that it has."""
        try:
            return self._nvim.request("nvim_exec_lua", _LUA, parts, **how)
        except OverflowError:
            return self._nvim.request("nvim_exec_lua", _LUA, _Parts(fitting(parts)), **how)


class _Parts(list[Any]):
    """What goes to Lua. pynvim looks for objects of its own in all of a list, but not in this."""


def _parts(function: str, arguments: tuple[Any, ...]) -> _Parts:
    module, _, name = function.rpartition(".")
    return _Parts([module, name, *arguments])


def fitting(value: Any) -> Any:
    """Return the same with whole numbers of 64 bits at most."""
    match value:
        case int():
            return max(-_LARGEST, min(value, _LARGEST)) if type(value) is int else value
        case Mapping():
            return {key: fitting(it) for key, it in value.items()}
        case list() | tuple():
            return [fitting(it) for it in value]
        case _:
            return value


class NvimBridge(Bridge):
    """Answers verbs, and tells of process groups: `lua/acp/host/bridge.lua`."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def answer(self, call: int, error: str | None, result: Any) -> None:
        """See `Bridge`."""
        self._call.post("acp.host.bridge.answer", call, error, plain(result))

    async def headers(self, agent: str) -> Mapping[str, str]:
        """See `Bridge`."""
        found = await self._call.lua("acp.host.options.headers", agent)
        if problem := found.get("problem"):
            raise UserError(problem)
        return dict(found.get("headers") or {})

    def group(self, group: int, alive: bool) -> None:
        """See `Bridge`."""
        self._call.post("acp.host.bridge.group", group, alive)
