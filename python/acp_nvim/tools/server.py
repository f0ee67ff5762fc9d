"""What the MCP server of one session answers: the few methods of a server that has tools.

Both ways of MCP are spoken: with a handshake (`initialize`), and without, where each request names
its version (2026-07-28). See `connection` for the relay, `offers` for who is offered what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import anyio

import acp_nvim
from acp_nvim.client.launch import Notify
from acp_nvim.client.session import UNWANTED
from acp_nvim.errors import AcpError, Code, FileProblem, RequestFailed, suggest
from acp_nvim.tools import own
from acp_nvim.tools.offered import Offered
from acp_nvim.tools.own import TOOLS
from acp_nvim.tools.schema import checked
from acp_nvim.tools.tool import Call, Result, Tool
from acp_nvim.wire.message import dump_json

VERSIONS: Final = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Those with a handshake, the newest first."""
STATELESS: Final = ("2026-07-28",)
"""Those without."""
VERSION_OF_REQUEST = "io.modelcontextprotocol/protocolVersion"
INSTRUCTIONS = (
    "The user's editor, Neovim. read_file gives the text as the user sees it, unsaved edits "
    "included; edit_file, rename, apply_code_action and format change files so that the user "
    "can review and undo them. Prefer diagnostics, definition and references to searching. "
    "Paths are absolute, lines and columns count from 1."
)

MOST_IN_FLIGHT = 16
"""Calls of one session that are worked on at a time."""
MOST_BYTES = 256 * 1024
"""Of one answer."""
LONGEST_ERROR = 20_000
"""Characters of what is said of an error: names in it may be of any length."""
FIRST_PROGRESS = 1.0
"""Seconds between two signs of life of a call, for who wants them."""


class Server:
    """Answers the requests of one session's agent, whichever way they come."""

    def __init__(self, offered: Offered) -> None:
        self._offered = offered
        self._running = 0

    async def answer(self, method: str, params: object, notify: Notify) -> Mapping[str, Any]:
        """Return the result of a request; raises `RequestFailed`."""
        given = params if isinstance(params, dict) else {}
        meta = given.get("_meta")
        version = meta.get(VERSION_OF_REQUEST) if isinstance(meta, dict) else None
        if version is not None and version not in (*STATELESS, *VERSIONS):
            data = {"supported": [*STATELESS, *VERSIONS], "requested": version}
            raise RequestFailed(Code.UNSUPPORTED_VERSION, f"version {version!r} is unknown", data)
        result = await self._answer(method, given, notify)
        return {"resultType": "complete", **result} if version in STATELESS else result

    async def _answer(
        self, method: str, params: Mapping[str, Any], notify: Notify
    ) -> Mapping[str, Any]:
        match method:
            case "initialize":
                return _initialized(params.get("protocolVersion"))
            case "server/discover":
                about = {"supportedVersions": [*STATELESS], "ttlMs": 0, "cacheScope": "private"}
                return about | _about() | {"_meta": {"io.modelcontextprotocol/serverInfo": _info()}}
            case "ping":
                return {}
            case "tools/list":
                tools = [it.described() for it in await self._tools()]
                return {"tools": tools, "ttlMs": 0, "cacheScope": "private"}
            case "tools/call":
                return await self._call(params, notify)
            case _:
                raise RequestFailed(Code.METHOD_NOT_FOUND, f"this server has no {method}")

    async def _tools(self) -> Sequence[Tool]:
        """Return the tools that the agent may call, those of the user last."""
        offered = self._offered
        if not offered.on:
            return ()
        users = await own.tools(offered.parts.editor.tools)
        known = {it.name for it in TOOLS}  # a list with a name twice is refused as a whole
        every = (*TOOLS, *(it for it in users if it.name not in known))
        return [it for it in every if offered.has(it.name, it.needs)]

    async def _tool(self, name: str) -> Tool:
        """Return the tool of that name; raises `RequestFailed`."""
        own_one = next((it for it in TOOLS if it.name == name), None)
        if own_one is not None and self._offered.has(name, own_one.needs):
            return own_one
        tools = {it.name: it for it in await self._tools()}
        if name not in tools:
            hint = suggest(name, [*tools]) if tools else "there are none"
            raise RequestFailed(Code.INVALID_PARAMS, f"no tool {name!r}: {hint}")
        return tools[name]

    async def _call(self, params: Mapping[str, Any], notify: Notify) -> Mapping[str, Any]:
        name = params.get("name")
        if not self._offered.on:
            return _refused("the user has turned the tools of the editor off for this session")
        if self._offered.caller.session.is_cancelled:
            return _refused(UNWANTED)
        tool = await self._tool(str(name))
        if self._running >= MOST_IN_FLIGHT:
            return _refused(f"{MOST_IN_FLIGHT} calls are running: wait for an answer first")
        self._running += 1
        counts = self._offered.counts
        counts[tool.name] = counts.get(tool.name, 0) + 1
        try:
            return await self._run(tool, params, notify)
        finally:
            self._running -= 1

    async def _run(
        self, tool: Tool, params: Mapping[str, Any], notify: Notify
    ) -> Mapping[str, Any]:
        """Run a tool; what goes wrong is a result that the model reads."""
        offered, patience = self._offered, tool.patience
        call = Call(offered.caller, offered.parts, offered.kept)
        try:
            arguments = checked(tool.parameters, params.get("arguments"))
            async with anyio.create_task_group() as signs:
                signs.start_soon(_signs_of_life, params.get("_meta"), notify)
                with anyio.fail_after(patience):
                    result = await tool.run(call, arguments)
                signs.cancel_scope.cancel()
            return _given(tool, result)
        except* (AcpError, FileProblem) as errors:
            said = str(_first(errors))
        except* TimeoutError:
            said = f"{tool.name} has no answer after {patience:.0f} seconds: try again, or without"
        except* Exception as errors:  # a fault of ours is no reason to end the server
            self._offered.fault(_first(errors))
            said = "internal error of the editor's plugin"
        return _refused(call.roots.paths.in_words(said))


async def _signs_of_life(meta: object, notify: Notify) -> None:
    """Tell again and again that the call is worked on, if the agent has a token for that."""
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    seconds = 0
    while token is not None:
        await anyio.sleep(FIRST_PROGRESS)
        seconds += 1
        said = f"{seconds} s"
        told = {"progressToken": token, "progress": seconds, "message": said}
        notify("notifications/progress", told)


def _initialized(wanted: object) -> Mapping[str, Any]:
    version = wanted if wanted in VERSIONS else VERSIONS[0]
    return {"protocolVersion": version, "serverInfo": _info(), **_about()}


def _about() -> dict[str, Any]:
    return {"capabilities": {"tools": {"listChanged": True}}, "instructions": INSTRUCTIONS}


def _info() -> dict[str, Any]:
    return {"name": "acp.nvim", "title": "Neovim", "version": acp_nvim.__version__}


def _given(tool: Tool, result: Result) -> Mapping[str, Any]:
    answer: dict[str, Any] = {"content": [{"type": "text", "text": result.text}], "isError": False}
    if tool.result is not None:
        answer["structuredContent"] = result.data
    size = len(dump_json(answer).encode("utf-8", "replace"))
    if size > MOST_BYTES:
        return _refused(
            f"the answer of {tool.name} would have {size:,} bytes, {MOST_BYTES:,} are the most: "
            "ask for less, with a smaller limit or of one file"
        )
    return answer


def _refused(said: str) -> Mapping[str, Any]:
    said = said if len(said) <= LONGEST_ERROR else f"{said[:LONGEST_ERROR]} …"
    return {"content": [{"type": "text", "text": said}], "isError": True}


def _first(errors: BaseExceptionGroup[Any]) -> BaseException:
    """Return the first error that is in a group, at any depth."""
    first = errors.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
