"""The official client of MCP against our server: through the relay, and over ACP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import jsonschema
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage

from acp_nvim.client.launch import EDITOR
from acp_nvim.session.request import McpMessage
from acp_nvim.tools.own import TOOLS
from tests.conformance.tools.answers import answers, arguments
from tests.support.tools.tools_rig import ToolsRig

MODES = ["legacy", "auto", "2026-07-28"]
PATIENCE = 30


@asynccontextmanager
async def by_relay(rig: ToolsRig, mode: str) -> AsyncIterator[Client]:
    """Yield a client that starts the relay as an agent does."""
    server = rig.tools.over_stdio(rig.caller)
    assert server is not None
    env = {it.name: it.value for it in server.env}
    parameters = StdioServerParameters(command=server.command, args=[*server.args], env=env)
    with anyio.fail_after(PATIENCE):
        async with Client(stdio_client(parameters), mode=mode) as client:
            yield client


class Carrier:
    """Takes what the client sends, one request each, as an agent hands it on by `mcp/message`."""

    def __init__(self, rig: ToolsRig, tell: Callable[[SessionMessage], None]) -> None:
        self._rig = rig
        self._tell = tell
        self._server = rig.tools.over_acp(rig.caller)
        self._scopes: dict[Any, anyio.CancelScope] = {}

    async def serve(self, sent: Any, tasks: anyio.abc.TaskGroup) -> None:
        async for it in sent:
            message = it.message
            if isinstance(message, types.JSONRPCRequest):
                scope = self._scopes[message.id] = anyio.CancelScope()
                tasks.start_soon(self._answer, message, scope)
            elif message.method == "notifications/cancelled":  # the agent cancels its own request
                self._scopes[message.params["requestId"]].cancel()

    async def _answer(self, request: types.JSONRPCRequest, scope: anyio.CancelScope) -> None:
        number = str(request.id)
        asked = McpMessage(self._server, number, request.method, request.params)
        with scope:
            outcome = await self._rig.tools.answer(asked, self._notify)
            if outcome.error is None:
                self._say(types.JSONRPCResponse, id=request.id, result=outcome.result)
            else:
                error = types.ErrorData(**outcome.error)
                self._say(types.JSONRPCError, id=request.id, error=error)

    def _notify(self, method: str, params: Any) -> None:
        self._say(types.JSONRPCNotification, method=method, params=dict(params))

    def _say(self, kind: Any, **fields: Any) -> None:
        self._tell(SessionMessage(kind(jsonrpc="2.0", **fields)))


@asynccontextmanager
async def streams(rig: ToolsRig) -> AsyncIterator[Any]:
    """Yield the streams of a client."""
    told, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](100)
    outgoing, sent = anyio.create_memory_object_stream[SessionMessage](100)
    carrier = Carrier(rig, told.send_nowait)
    async with anyio.create_task_group() as tasks, told, incoming, outgoing, sent:
        tasks.start_soon(carrier.serve, sent, tasks)
        yield incoming, outgoing
        tasks.cancel_scope.cancel()


@asynccontextmanager
async def over_acp(rig: ToolsRig, mode: str) -> AsyncIterator[Client]:
    """Yield a client that speaks through the connection of ACP."""
    with anyio.fail_after(PATIENCE):
        async with Client(streams(rig), mode=mode) as client:
            yield client


WAYS = [by_relay, over_acp]


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[ToolsRig]:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a.py").write_text("def f():\n    return f\n")
    async with ToolsRig(tmp_path / "p") as started:
        started.answers.answers |= answers(started)
        yield started


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", WAYS)
async def test_it_lists_the_tools_and_calls_one(rig: ToolsRig, way: Any, mode: str) -> None:
    async with way(rig, mode) as client:
        listed = await client.list_tools()
        assert [it.name for it in listed.tools] == [it.name for it in TOOLS]
        hints = {it.name: it.annotations.read_only_hint for it in listed.tools}
        assert (hints["read_file"], hints["rename"]) == (True, False)
        result = await client.call_tool("read_file", {"path": rig.path("a.py"), "line": 2})
        assert result.is_error is False
        assert result.structured_content == {"first_line": 2, "content": "    return f\n"}


@pytest.mark.parametrize("way", WAYS)
async def test_each_tool_gives_what_its_schema_says(rig: ToolsRig, way: Any) -> None:
    async with way(rig, "legacy") as client:
        schemas = {it.name: it.output_schema for it in (await client.list_tools()).tools}
        for name, given in arguments(rig).items():
            result = await client.call_tool(name, given)  # the client judges it, too
            assert not result.is_error, (name, result.content)
            jsonschema.validate(result.structured_content, schemas.pop(name))
            assert result.content[0].text
        assert not schemas, "not called"


@pytest.mark.parametrize("way", WAYS)
async def test_what_goes_wrong_is_read_by_the_model(rig: ToolsRig, way: Any) -> None:
    async with way(rig, "legacy") as client:
        result = await client.call_tool("read_file", {"path": "/etc/passwd"})
        assert result.is_error and "outside of this session's folders" in result.content[0].text
        result = await client.call_tool("read_file", {"path": "a.py"})
        assert result.is_error and "not an absolute path" in result.content[0].text
        result = await client.call_tool("read_file", {})
        assert result.is_error and "path is missing" in result.content[0].text
        with pytest.raises(MCPError):
            await client.call_tool("run_command", {"line": "rm -rf /"})


@pytest.mark.parametrize("way", WAYS)
async def test_a_call_that_is_given_up_is_cancelled(rig: ToolsRig, way: Any) -> None:
    started, ended = anyio.Event(), anyio.Event()

    async def wait(_arguments: object) -> None:
        started.set()
        try:
            await anyio.sleep_forever()
        finally:
            ended.set()

    rig.answers.answers["windows.files"] = wait
    async with way(rig, "legacy") as client, anyio.create_task_group() as tasks:

        async def call() -> None:
            with calling:
                await client.call_tool("open_files", {})

        calling = anyio.CancelScope()
        tasks.start_soon(call)
        await started.wait()
        calling.cancel()
        await ended.wait()


async def test_the_server_has_the_name_that_agents_are_told(rig: ToolsRig) -> None:
    server = rig.tools.over_stdio(rig.caller)
    assert server is not None and server.name == EDITOR
