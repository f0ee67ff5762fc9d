"""Obligations C-070 to C-083: opening sessions; closing and reopening have modules beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_nvim.config import parse
from acp_nvim.workspace.root import find_root
from tests.conformance.connection.whole import EVERYTHING, SERVERS
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import PROJECT, Stage, notices, texts

NOT_TESTED = {
    "C-074": "the client has no MCP server of its own",
}


async def test_c070_the_working_directory_is_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_root("", "sub") == find_root("sub/file", "~/sub") == str(tmp_path / "sub")
    async with Stage(find_root("", "sub")) as stage:
        stage.launch()
        await stage.agent.initialize()
        assert (await stage.agent.open())["params"]["cwd"] == str(tmp_path / "sub")


async def test_c071_there_is_always_a_list_of_mcp_servers() -> None:
    async with Stage() as stage:
        stage.launch()
        await stage.agent.initialize(agentCapabilities={"loadSession": True})
        assert (await stage.agent.open())["params"]["mcpServers"] == []
        stage.reopen()
        assert (await stage.agent.expect("session/load"))["params"]["mcpServers"] == []


@pytest.mark.parametrize("http", [True, False])
@pytest.mark.parametrize("sse", [True, False])
async def test_c072_servers_that_the_agent_cannot_reach_are_left_out(
    *, http: bool, sse: bool
) -> None:
    capabilities = {"mcpCapabilities": {"http": http, "sse": sse}}
    async with Stage(mcp_servers=SERVERS) as stage:
        session = stage.launch()
        await stage.agent.initialize(agentCapabilities=capabilities)
        sent = [it["name"] for it in (await stage.agent.open())["params"]["mcpServers"]]
        assert sent == ["files", *["web"] * http, *["old"] * sse]
        said = " ".join(notices(session))
        assert ("web is left out" in said) is not http
        assert ("old is left out" in said) is not sse


async def test_c073_mcp_servers_have_the_shape_of_the_schema() -> None:
    configured: dict[str, Any] = {
        "mcp_servers": [
            {"name": "a", "command": "/bin/a", "args": {}, "env": []},
            {"name": "b", "command": "/bin/b", "args": ["x"], "env": {"K": "v"}},
            {"name": "c", "type": "http", "url": "http://x/", "headers": {}},
        ]
    }
    options, problems = parse(configured)
    assert not problems
    async with Stage(mcp_servers=options.mcp_servers) as stage:
        stage.launch()
        await stage.agent.initialize(agentCapabilities=EVERYTHING)
        assert (await stage.agent.open())["params"]["mcpServers"] == [
            {"name": "a", "command": "/bin/a", "args": [], "env": []},
            {
                "name": "b",
                "command": "/bin/b",
                "args": ["x"],
                "env": [{"name": "K", "value": "v"}],
            },
            {"type": "http", "name": "c", "url": "http://x/", "headers": []},
        ]


@pytest.mark.parametrize("marker", [None, {}])
async def test_c075_further_directories_only_for_those_who_take_them(marker: object) -> None:
    directories = ("/one", "/two")
    capabilities = {
        "loadSession": True,
        "sessionCapabilities": {"additionalDirectories": marker},
    }
    async with Stage(additional_directories=directories) as stage:
        stage.launch()
        await stage.agent.initialize(agentCapabilities=capabilities)
        expected = None if marker is None else ["/one", "/two"]
        assert (await stage.agent.open())["params"].get("additionalDirectories") == expected
        stage.reopen()
        params = (await stage.agent.expect("session/load"))["params"]
        assert params.get("additionalDirectories") == expected


def test_c075_further_directories_are_absolute() -> None:
    options, problems = parse({"additional_directories": ["relative"]})
    assert problems
    assert options.additional_directories == ()


async def test_c076_no_directory_is_named_twice() -> None:
    directories = ("/a", PROJECT, "", "/b", "/a")
    async with Stage(PROJECT, additional_directories=directories) as stage:
        stage.launch()
        await stage.agent.initialize(agentCapabilities=EVERYTHING)
        assert (await stage.agent.open())["params"]["additionalDirectories"] == ["/a", "/b"]


@pytest.mark.parametrize("session_id", ["a b/c?%20", "größe 😀\u2028", "x" * 300, "../..", " "])
async def test_c080_a_session_id_is_used_verbatim(session_id: str) -> None:
    async with Stage() as stage:
        session = await stage.start(session_id, agentCapabilities=EVERYTHING)
        assert session.id == session_id
        request = await stage.turn(session)
        stage.agent.say("hello", session_id)
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason)
        assert texts(session) == ["hello"]
        stage.tasks.start_soon(stage.client.close, session)
        close = await stage.agent.expect("session/close")
        assert request["params"]["sessionId"] == close["params"]["sessionId"] == session_id
        stage.agent.reply(close, {})


async def test_c081_updates_before_the_answer_are_kept() -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        request = await stage.agent.expect("session/new")
        commands = [{"name": "plan", "description": "Make a plan"}]
        stage.agent.update("available_commands_update", availableCommands=commands)
        stage.agent.say("welcome")
        stage.agent.say("not for you", "another")
        await stage.agent.quiet()
        assert session.state.commands == ()
        stage.agent.reply(request, {"sessionId": SESSION})
        await stage.until(lambda: session.state.commands)
        assert [command.name for command in session.state.commands] == ["plan"]
        assert texts(session) == ["welcome"]


async def test_c081_requests_before_the_answer_are_served(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    async with Stage(tmp_path) as stage:
        session = stage.launch()
        await stage.agent.initialize()
        request = await stage.agent.expect("session/new")
        question = {"sessionId": SESSION, "path": str(tmp_path / "file")}
        assert (await stage.agent.ask("fs/read_text_file", question))["result"] == {
            "content": "text"
        }
        stage.agent.request_permission("early")
        await stage.agent.quiet()
        stage.agent.reply(request, {"sessionId": SESSION})
        await stage.until(lambda: session.state.questions)
        stage.choose(session.state.questions[0].id, "yes")
        assert (await stage.agent.answer_to("early"))["result"]["outcome"]["optionId"] == "yes"


async def test_c082_updates_for_unknown_sessions_are_dropped() -> None:
    async with Stage() as stage:
        session = await stage.start()
        before = session.state
        stage.agent.say("lost", "no such session")
        stage.agent.request_permission("lost", "no such session")
        assert (await stage.agent.answer_to("lost"))["error"]["code"] == -32002
        await stage.agent.quiet()
        assert session.state is before
        assert "unknown session 'no such session'" in stage.logged()


async def test_c082_updates_for_closed_sessions_are_dropped() -> None:
    async with Stage() as stage:
        session = await stage.start()
        await stage.client.close(session)
        before = session.state
        stage.agent.say("too late")
        await stage.agent.quiet()
        assert session.state is before


async def test_c083_sessions_side_by_side() -> None:
    async with Stage() as stage:
        one = await stage.start("one")
        two = await stage.start_another("two")
        asked = {"one": await stage.turn(one, "first"), "two": await stage.turn(two, "second")}
        stage.agent.request_permission("ask", "one")
        for number in range(10):
            stage.agent.say(f"a{number} ", "one")
            stage.agent.say(f"b{number} ", "two")
        stage.agent.reply(asked["two"], {"stopReason": "end_turn"})
        await stage.until(lambda: two.state.stop_reason == "end_turn")
        assert one.state.status == "running"
        assert (len(one.state.questions), len(two.state.questions)) == (1, 0)
        assert texts(one)[-1] == "".join(f"a{number} " for number in range(10))
        assert texts(two) == ["".join(f"b{number} " for number in range(10))]
        assert texts(one, "user") == ["first"]
        stage.choose(one.state.questions[0].id, "no")
        assert (await stage.agent.answer_to("ask"))["result"]["outcome"]["optionId"] == "no"


async def test_c083_sessions_are_opened_one_after_the_other() -> None:
    async with Stage() as stage:
        one, two = stage.launch(), stage.open()
        await stage.agent.initialize()
        request = await stage.agent.expect("session/new")
        await stage.agent.quiet()
        stage.agent.reply(request, {"sessionId": "one"})
        await stage.agent.open("two")
        await stage.until(lambda: two.state.status == "idle")
        assert (one.id, two.id) == ("one", "two")
