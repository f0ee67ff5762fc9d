"""Who is offered the tools of the editor, how, and what MCP over ACP is answered."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest

from acp_nvim.client.launch import Caller, EditorTools, Launch, Notify, Remote, offer
from acp_nvim.config import McpServer, NamedValue
from acp_nvim.errors import Code, RequestFailed
from acp_nvim.paths import Paths
from acp_nvim.session.request import FileRead, McpMessage, McpOutcome, ReadFileRequest
from tests.support.stage import SESSION, Stage

STDIO = McpServer(name="editor", command="/relay", env=(NamedValue(name="A", value="b"),))
ACP = {"agentCapabilities": {"mcpCapabilities": {"acp": True}}}


@dataclass
class Tools:
    """Keeps who is offered what; answers by the name of the method."""

    callers: list[Caller] = field(default_factory=list)
    cancelled: anyio.Event = field(default_factory=anyio.Event)
    waiting: anyio.Event = field(default_factory=anyio.Event)

    def offered(self) -> EditorTools:
        return EditorTools(self.over_acp, self.over_stdio, self.answer)

    def over_acp(self, caller: Caller) -> str:
        self.callers.append(caller)
        return f"editor-{len(self.callers)}"

    def over_stdio(self, caller: Caller) -> McpServer | None:
        self.callers.append(caller)
        return STDIO

    async def answer(self, message: McpMessage, notify: Notify) -> McpOutcome:
        match message.method:
            case "tools/list":
                return McpOutcome({"tools": []})
            case "fails":
                return McpOutcome(error={"code": -32601, "message": "no", "data": [1]})
            case "tells":
                notify("notifications/progress", {"progressToken": 1, "progress": 2})
                return McpOutcome(message.params)
            case "waits":
                self.waiting.set()
                try:
                    await anyio.sleep_forever()
                finally:
                    self.cancelled.set()
        raise RequestFailed(Code.RESOURCE_NOT_FOUND, "no such server")


def staged(tools: Tools | None = None, **launch: Any) -> Stage:
    stage = Stage(**launch)
    stage.tools = (tools or Tools()).offered()
    return stage


async def offered(stage: Stage, **initialize: Any) -> Any:
    """Return the MCP servers of a session that is opened."""
    stage.launch()
    await stage.agent.initialize(**initialize)
    return (await stage.agent.open())["params"]["mcpServers"]


async def test_an_agent_is_offered_the_relay() -> None:
    async with staged() as stage:
        env = [{"name": "A", "value": "b"}]
        servers = [{"name": "editor", "command": "/relay", "args": [], "env": env}]
        assert await offered(stage) == servers


async def test_an_agent_that_takes_servers_over_acp_is_offered_that() -> None:
    async with staged() as stage:
        servers = [{"type": "acp", "name": "editor", "serverId": "editor-1"}]
        assert await offered(stage, **ACP) == servers


@pytest.mark.parametrize(
    "launch",
    [
        {"remote": Remote("wss://host/acp")},
        {"paths": Paths.of("a", {"/there": "/here"}, str)},
        {"command": "docker", "args": ("exec", "-i", "box", "agent")},
        {"command": "ssh", "args": ("host", "agent")},
    ],
)
async def test_an_agent_elsewhere_can_start_no_relay(launch: dict[str, Any]) -> None:
    async with staged() as stage:
        tools = stage.tools
        unused: Any = None
        launched = Launch("a", **{"command": "a"} | launch)
        caller = Caller(stage.session(), launched, unused, unused, unused)
        assert offer(tools, caller, frozenset({"stdio"})) is None
        assert offer(tools, caller, frozenset({"stdio", "acp"})) is not None


async def test_an_agent_that_is_to_have_none_gets_none() -> None:
    async with Stage() as stage:
        assert await offered(stage, **ACP) == []


async def test_a_session_of_version_2_is_offered_them_too() -> None:
    async with staged(protocol=2) as stage:
        stage.launch()
        await stage.agent.initialize_2(capabilities={"session": {"mcp": {"stdio": {}}}})
        servers = (await stage.agent.open())["params"]["mcpServers"]
        assert [(it["type"], it["name"]) for it in servers] == [("stdio", "editor")]


async def test_what_a_session_is_offered_comes_again_when_it_is_loaded() -> None:
    async with staged() as stage:
        await stage.start(agentCapabilities={"loadSession": True, **ACP["agentCapabilities"]})
        stage.reopen("old")
        request = await stage.agent.expect("session/load")
        assert request["params"]["mcpServers"][0]["serverId"] == "editor-2"


async def test_a_request_of_mcp_has_one_outcome() -> None:
    async with staged() as stage:
        await stage.start(**ACP)
        asked = {"serverId": "editor-1", "requestId": "7"}
        answer = await stage.agent.ask("mcp/message", {**asked, "method": "tools/list"})
        assert answer["result"] == {"result": {"tools": []}}
        answer = await stage.agent.ask("mcp/message", {**asked, "method": "fails"})
        error = {"code": -32601, "message": "no", "data": [1]}
        assert answer["result"] == {"error": error}
        answer = await stage.agent.ask("mcp/message", {**asked, "method": "other"})
        assert answer["error"]["code"] == Code.RESOURCE_NOT_FOUND
        answer = await stage.agent.ask("mcp/message", {"serverId": "editor-1", "method": "x"})
        assert answer["error"]["code"] == Code.INVALID_PARAMS


async def test_progress_comes_before_the_outcome() -> None:
    async with staged() as stage:
        await stage.start(**ACP)
        params = {"serverId": "editor-1", "requestId": "7", "method": "tells", "params": {"a": 1}}
        stage.agent.request("mcp/message", params, "x")
        told = (await stage.agent.expect("mcp/message"))["params"]
        assert (told["requestId"], told["method"]) == ("7", "notifications/progress")
        assert (await stage.agent.next())["result"] == {"result": {"a": 1}}


async def test_a_request_of_mcp_can_be_cancelled() -> None:
    tools = Tools()
    async with staged(tools) as stage:
        await stage.start(**ACP)
        params = {"serverId": "editor-1", "requestId": "7", "method": "waits"}
        stage.agent.request("mcp/message", params, "x")
        with anyio.fail_after(20):
            await tools.waiting.wait()
            stage.agent.notify("$/cancel_request", {"requestId": "x"})
            await tools.cancelled.wait()
        assert (await stage.agent.next())["error"]["code"] == Code.REQUEST_CANCELLED


async def test_without_an_offer_the_method_is_unknown() -> None:
    async with Stage() as stage:
        await stage.start(**ACP)
        asked = {"serverId": "editor-1", "requestId": "7", "method": "ping"}
        answer = await stage.agent.ask("mcp/message", asked)
        assert answer["error"]["code"] == Code.METHOD_NOT_FOUND


async def test_files_are_read_as_by_fs(tmp_path: Any) -> None:
    tools = Tools()
    async with staged(tools, cwd=tmp_path) as stage:
        (tmp_path / "a").write_text("a\n")
        await stage.start()
        [caller] = tools.callers
        asked = ReadFileRequest(SESSION, str(tmp_path / "a"))
        assert await caller.files(asked) == FileRead("a\n")
        with pytest.raises(RequestFailed):
            await caller.files(ReadFileRequest(SESSION, "/etc/passwd"))
