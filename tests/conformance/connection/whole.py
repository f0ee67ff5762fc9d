"""One session from initialize to the end that makes the client say everything it can say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from acp_nvim.client.session import Session
from acp_nvim.config import McpServer, NamedValue
from acp_nvim.session.content import Audio, Image, Resource, ResourceLink, Text
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import Stage

EVERYTHING: dict[str, Any] = {
    "loadSession": True,
    "promptCapabilities": {"image": True, "audio": True, "embeddedContext": True},
    "mcpCapabilities": {"http": True, "sse": True},
    "sessionCapabilities": {
        "list": {},
        "delete": {},
        "additionalDirectories": {},
        "resume": {},
        "close": {},
    },
    "auth": {"logout": {}},
}

MODES = {
    "currentModeId": "ask",
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "code", "name": "Code"}],
}

SERVERS = (
    McpServer(name="files", command="/bin/mcp", env=(NamedValue(name="A", value="b"),)),
    McpServer(name="web", type="http", url="http://x/", headers=(NamedValue(name="H", value="v"),)),
    McpServer(name="old", type="sse", url="http://y/"),
)

BLOCKS = (
    Text("look"),
    Image("aGk=", "image/png", "file:///a.png"),
    Audio("aGk=", "audio/wav"),
    ResourceLink("file:///a.txt", "a.txt", "text/plain"),
    Resource("file:///b.txt", text="b", mime_type="text/plain"),
)


def whole_stage(folder: Path) -> Stage:
    """Return a stage whose client has something to say of everything."""
    return Stage(folder, mcp_servers=SERVERS, additional_directories=("/other",))


async def whole_session(stage: Stage, folder: Path) -> Session:
    """Play it: what the client sends is in `stage.agent.received` and judged by the schema."""
    agent = stage.agent
    session = await _open(stage)
    stage.prompt(session, *BLOCKS)
    prompt = await agent.expect("session/prompt")
    await _ask(stage, folder)
    stage.client.cancel(session)
    await agent.expect("session/cancel")
    agent.reply(prompt, {"stopReason": "cancelled"})
    await stage.until(lambda: session.state.status == "idle")
    stage.tasks.start_soon(stage.client.set_mode, session, "code")
    agent.reply(await agent.expect("session/set_mode"), {})
    await stage.until(lambda: session.state.mode == "code")
    await _reopen(stage)
    stage.tasks.start_soon(stage.client.close, session)
    agent.reply(await agent.expect("session/close"), {})
    await agent.quiet()
    await stage.end()
    await agent.closed()
    return session


async def _open(stage: Stage) -> Session:
    session = stage.launch()
    await stage.agent.initialize(agentCapabilities=EVERYTHING)
    await stage.agent.open(modes=MODES)
    await stage.until(lambda: session.state.status == "idle")
    return session


async def _ask(stage: Stage, folder: Path) -> None:
    """Let the agent ask for all that this client serves, and for what it does not."""
    agent, path = stage.agent, str(folder / "new.txt")
    written = {"sessionId": SESSION, "path": path, "content": "text"}
    assert (await agent.ask("fs/write_text_file", written, 1))["result"] == {}
    read = await agent.ask("fs/read_text_file", {"sessionId": SESSION, "path": path}, 2)
    assert read["result"] == {"content": "text"}
    created = await agent.ask("terminal/create", {"sessionId": SESSION, "command": "exit 1"}, 3)
    params = {"sessionId": SESSION, **created["result"]}
    exited = await agent.ask("terminal/wait_for_exit", params, "w")
    assert exited["result"] == {"exitCode": 1, "signal": None}
    assert (await agent.ask("terminal/output", params, "o"))["result"]["truncated"] is False
    assert (await agent.ask("terminal/kill", params, "k"))["result"] == {}
    assert (await agent.ask("terminal/release", params, "r"))["result"] == {}
    agent.request_permission(4)
    await stage.until(lambda: stage.questions.pending)
    stage.choose(stage.questions.pending[0].id, "yes")
    assert (await agent.answer_to(4))["result"]["outcome"]["optionId"] == "yes"
    agent.request_permission(5)
    agent.notify("$/cancel_request", {"requestId": 5})
    assert (await agent.answer_to(5))["error"]["code"] == -32800


async def _reopen(stage: Stage) -> None:
    """Load an old session, and give up on loading another one."""
    old = stage.session()
    stage.tasks.start_soon(stage.client.reopen, old, "old")
    stage.agent.reply(await stage.agent.expect("session/load"), None)
    await stage.until(lambda: old.state.status == "idle")
    slow = stage.session()
    stage.tasks.start_soon(stage.client.reopen, slow, "slow")
    await stage.agent.expect("session/load")
    stage.client.cancel(slow)
    await stage.agent.expect("$/cancel_request")
