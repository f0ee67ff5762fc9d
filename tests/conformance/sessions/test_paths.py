"""Sessions of an agent that knows files by other names, over the wire."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from acp_nvim.client.launch import Launch
from acp_nvim.paths import Paths
from acp_nvim.session.content import Image
from acp_nvim.session.model import ListedSession
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import Stage, notices

CAPABILITIES = {
    "loadSession": True,
    "sessionCapabilities": {"list": {}, "additionalDirectories": {}},
}


def box(here: Path) -> Paths:
    return Paths.of("scripted", {"/workspace": str(here)}, lambda path: path)


async def test_a_session_is_opened_in_the_folder_that_the_agent_has(tmp_path: Path) -> None:
    more = (str(tmp_path / "lib"), "/elsewhere")
    async with Stage(tmp_path, paths=box(tmp_path), additional_directories=more) as stage:
        session = stage.launch()
        await stage.agent.initialize(agentCapabilities=CAPABILITIES)
        request = await stage.agent.expect("session/new")
        assert request["params"]["cwd"] == "/workspace"
        assert request["params"]["additionalDirectories"] == ["/workspace/lib"]
        stage.agent.reply(request, {"sessionId": SESSION})
        await stage.until(lambda: session.state.status == "idle")
        assert any("does not see /elsewhere" in it for it in notices(session))
        assert session.state.cwd == str(tmp_path)


async def test_an_earlier_session_is_loaded_and_replayed_by_our_names(tmp_path: Path) -> None:
    async with Stage(tmp_path, paths=box(tmp_path)) as stage:
        await stage.start(agentCapabilities=CAPABILITIES)
        session = stage.reopen("old")
        request = await stage.agent.expect("session/load")
        assert request["params"]["cwd"] == "/workspace"
        stage.agent.update(
            "tool_call",
            "old",
            toolCallId="t",
            title="T",
            locations=[{"path": "/workspace/a"}],
        )
        stage.agent.reply(request, {})
        await stage.until(lambda: session.state.status == "idle")
        call = session.state.tool_call("t")
        assert call is not None
        assert [it.path for it in call.locations] == [f"{tmp_path}/a"]


async def test_sessions_are_listed_by_our_names_and_others_as_they_are(tmp_path: Path) -> None:
    async with Stage(tmp_path, paths=box(tmp_path)) as stage:
        await stage.start(agentCapabilities=CAPABILITIES)
        found: list[ListedSession] = []

        async def ask(folder: str) -> None:
            assert stage.client.ready is not None
            found.extend(await stage.client.ready.listing.all(folder))

        listed = [
            {"sessionId": str(number), "cwd": cwd}
            for number, cwd in enumerate(("/workspace/p", "/root", f"{tmp_path}/p"))
        ]
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(ask, str(tmp_path))
            request = await stage.agent.expect("session/list")
            assert request["params"]["cwd"] == "/workspace"
            stage.agent.reply(request, {"sessions": listed})
        assert [it.cwd for it in found] == [f"{tmp_path}/p", "/root", f"there:{tmp_path}/p"]
        await ask("/elsewhere")
        assert len(found) == 3
        await stage.agent.quiet()


async def test_an_image_that_is_not_taken_is_named_as_the_agent_does(tmp_path: Path) -> None:
    async with Stage(tmp_path, paths=box(tmp_path)) as stage:
        session = await stage.start()
        stage.prompt(session, Image("aGk=", "image/png", f"file://{tmp_path}/a.png"))
        request = await stage.agent.expect("session/prompt")
        assert "file:///workspace/a.png" in request["params"]["prompt"][0]["text"]
        stage.agent.reply(request, {"stopReason": "end_turn"})


@pytest.mark.parametrize("command", ["docker run -i image agent", "ssh host"])
async def test_terminals_are_not_offered_where_they_would_run_on_the_wrong_side(
    command: str, tmp_path: Path
) -> None:
    program, *args = command.split()
    launch = Launch("scripted", program, tuple(args), paths=box(tmp_path))
    assert not launch.capabilities.terminal
    async with Stage(tmp_path, command=program, args=tuple(args), paths=box(tmp_path)) as stage:
        stage.launch()
        request = await stage.agent.initialize()
        assert not request["params"]["clientCapabilities"].get("terminal")
        await stage.agent.open()
