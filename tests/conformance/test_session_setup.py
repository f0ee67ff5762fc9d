"""Obligations C-070 to C-095: opening and closing sessions, as far as they are served."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_nvim.client.session import Session
from acp_nvim.commands.workspace import find_root
from acp_nvim.config import parse
from acp_nvim.errors import UserError
from acp_nvim.session.event import SessionReopening
from tests.conformance.whole import EVERYTHING, MODES, SERVERS
from tests.support.scripted_agent import SESSION, line
from tests.support.stage import Stage, notices, texts

NOT_TESTED = {
    "C-074": "the client has no MCP server of its own",
    "C-077": "restart sends the same list; loading from a list of sessions comes later",
    "C-078": "session/list comes later",
    "C-079": "session/list comes later; reopening keeps the session's cwd (C-085)",
    "C-086": "loading from a list of sessions comes later",
    "C-087": "loading from a list of sessions comes later",
    "C-089": "loading from a list of sessions comes later",
}


def _reopen(stage: Stage, session_id: str = "old") -> Session:
    session = stage.session()
    stage.tasks.start_soon(stage.client.reopen, session, session_id)
    return session


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
        _reopen(stage)
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
        _reopen(stage)
        params = (await stage.agent.expect("session/load"))["params"]
        assert params.get("additionalDirectories") == expected


def test_c075_further_directories_are_absolute() -> None:
    options, problems = parse({"additional_directories": ["relative"]})
    assert problems
    assert options.additional_directories == ()


async def test_c076_no_directory_is_named_twice() -> None:
    directories = ("/a", "/tmp", "", "/b", "/a")
    async with Stage("/tmp", additional_directories=directories) as stage:
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
        ask = {"sessionId": SESSION, "path": str(tmp_path / "file")}
        assert (await stage.agent.ask("fs/read_text_file", ask))["result"] == {"content": "text"}
        stage.agent.request_permission("early")
        await stage.agent.quiet()
        stage.agent.reply(request, {"sessionId": SESSION})
        await stage.until(lambda: session.state.asks)
        stage.permissions.answer(session.state.asks[0].id, "yes")
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
        assert (len(one.state.asks), len(two.state.asks)) == (1, 0)
        assert texts(one)[-1] == "".join(f"a{number} " for number in range(10))
        assert texts(two) == ["".join(f"b{number} " for number in range(10))]
        assert texts(one, "user") == ["first"]
        stage.permissions.answer(one.state.asks[0].id, "no")
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


@pytest.mark.parametrize("marker", [None, False, "yes"])
async def test_c084_no_load_without_the_capability(marker: object) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities={"loadSession": marker})
        session = _reopen(stage)
        await stage.agent.open("new")
        await stage.until(lambda: session.state.status == "idle")
        assert session.id == "new"
        assert "cannot load sessions" in notices(session)[0]


async def test_c085_load_says_all_that_is_needed(tmp_path: Path) -> None:
    async with Stage(tmp_path) as stage:
        await stage.start(agentCapabilities={"loadSession": True})
        _reopen(stage, "old one")
        params = (await stage.agent.expect("session/load"))["params"]
        assert params == {"sessionId": "old one", "cwd": str(tmp_path), "mcpServers": []}


@pytest.mark.parametrize("result", [None, {}, [], {"sessionId": "another", "modes": 5}])
async def test_c088_any_result_of_load_is_success(result: object) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities={"loadSession": True})
        session = _reopen(stage)
        request = await stage.agent.expect("session/load")
        stage.agent.say("before", "old")
        stage.agent.reply(request, result)
        await stage.until(lambda: session.state.status == "idle")
        assert session.id == "old"
        assert texts(session) == ["before"]


@pytest.mark.parametrize("marker", [None, False, True])
async def test_c090_no_resume_without_the_capability(marker: object) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities={"sessionCapabilities": {"resume": marker}})
        _reopen(stage)
        await stage.agent.expect("session/new")


async def test_c091_resume_says_all_that_is_needed(tmp_path: Path) -> None:
    async with Stage(tmp_path) as stage:
        await stage.start(agentCapabilities={"sessionCapabilities": {"resume": {}}})
        _reopen(stage)
        params = (await stage.agent.expect("session/resume"))["params"]
        assert params == {"sessionId": "old", "cwd": str(tmp_path), "mcpServers": []}


async def test_c092_a_resumed_session_keeps_its_transcript() -> None:
    async with Stage() as stage:
        session = await stage.start(agentCapabilities={"sessionCapabilities": {"resume": {}}})
        stage.agent.say("I was here")
        await stage.until(lambda: texts(session))
        session.apply(SessionReopening())
        stage.tasks.start_soon(stage.client.reopen, session, SESSION)
        request = await stage.agent.expect("session/resume")
        option = {"id": "m", "name": "Model", "type": "select", "currentValue": "x", "options": []}
        stage.agent.reply(request, {"modes": MODES, "configOptions": [option]})
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session) == ["I was here"]
        assert session.state.mode == "ask"
        assert [each.id for each in session.state.config] == ["m"]


async def test_c093_close_is_sent_only_to_those_who_know_it() -> None:
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        await stage.client.close(session)
        await stage.agent.expect("session/cancel")
        await stage.agent.quiet()


async def test_c093_close_names_the_session() -> None:
    async with Stage() as stage:
        session = await stage.start(agentCapabilities=EVERYTHING)
        stage.tasks.start_soon(stage.client.close, session)
        request = await stage.agent.expect("session/close")
        assert request["params"] == {"sessionId": SESSION}
        stage.agent.reply(request, {})


async def test_c094_closing_in_the_middle_of_a_turn() -> None:
    async with Stage() as stage:
        session = await stage.start(agentCapabilities=EVERYTHING)
        prompt = await stage.turn(session)
        stage.agent.request_permission("ask")
        await stage.until(lambda: session.state.asks)
        stage.tasks.start_soon(stage.client.close, session)
        answer = await stage.agent.answer_to("ask")
        assert answer["result"] == {"outcome": {"outcome": "cancelled"}}
        await stage.agent.expect("session/cancel")
        request = await stage.agent.expect("session/close")
        stage.agent.reply(prompt, {"stopReason": "cancelled"})
        stage.agent.reply(request, {})
        await stage.agent.quiet()
        assert session.state.status == "closed"
        assert notices(session) == []


async def test_c095_an_agent_may_refuse_to_close() -> None:
    async with Stage() as stage:
        session = await stage.start(agentCapabilities=EVERYTHING)
        stage.tasks.start_soon(stage.client.close, session)
        stage.agent.refuse(await stage.agent.expect("session/close"), -32002, "no such session")
        await stage.agent.quiet()
        assert session.state.status == "closed"
        assert notices(session) == []


# C-154 belongs to cancellation; this is its part in the set-up.


@pytest.mark.parametrize("answer", ["none", "late", "error"])
async def test_c154_a_slow_opening_can_be_taken_back(answer: str) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities={"loadSession": True})
        slow = _reopen(stage)
        request = await stage.agent.expect("session/load")
        stage.client.cancel(slow)
        await stage.until(lambda: slow.state.status == "closed")
        told = await stage.agent.expect("$/cancel_request")
        assert told["params"] == {"requestId": request["id"]}
        assert "id" not in told
        if answer == "late":
            stage.agent.reply(request, {})
        elif answer == "error":
            stage.agent.refuse(request, -32800, "cancelled")
        await stage.agent.quiet()
        assert slow.state.status == "closed"
        another = await stage.start_another("next")
        assert another.state.status == "idle"


async def test_c154_closing_a_chat_takes_its_opening_back() -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        request = await stage.agent.expect("session/new")
        await stage.client.close(session)
        told = await stage.agent.expect("$/cancel_request")
        assert told["params"] == {"requestId": request["id"]}
        await stage.agent.quiet()


async def test_a_session_closed_while_it_waits_is_never_asked_for() -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.client.close(session)
        await stage.agent.initialize()
        await stage.agent.quiet()
        with pytest.raises(UserError):
            stage.prompt(session, "hello")


@pytest.mark.parametrize("result", [None, {}, {"sessionId": 5}, {"sessionId": ""}, "x"])
async def test_a_new_session_without_an_id_is_said_to_have_none(result: object) -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        stage.agent.reply(await stage.agent.expect("session/new"), result)
        await stage.until(lambda: session.state.status == "closed")
        assert "no sessionId" in notices(session)[-1]
        await stage.agent.quiet()
        assert (await stage.start_another("two")).id == "two"


async def test_an_error_closes_the_session_and_nothing_else() -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        stage.agent.refuse(await stage.agent.expect("session/new"), -32603, "disk full")
        await stage.until(lambda: session.state.status == "closed")
        assert "disk full" in notices(session)[-1]
        assert stage.client.state == "ready"
        assert (await stage.start_another("two")).id == "two"


async def test_a_login_that_was_missing_can_be_made_up_for() -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        stage.agent.refuse(await stage.agent.expect("session/new"), -32000, "log in")
        await stage.until(lambda: session.state.status == "closed")
        assert stage.client.state == "needs_login"
        await stage.start_another("two")
        await stage.agent.quiet()
        assert (stage.client.state, stage.client.error) == ("ready", None)


async def test_an_agent_that_dies_while_sessions_wait() -> None:
    async with Stage() as stage:
        one, two = stage.launch(), stage.open()
        await stage.agent.initialize()
        request = await stage.agent.expect("session/new")
        # The answer and the end in one read: the first is open for a moment.
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"sessionId": "one"}}
        stage.agent.write(line(answer))
        stage.link.exit(1)
        await stage.until(lambda: two.state.status == "closed")
        assert one.state.status == "closed"
        assert "exit code 1" in notices(one)[-1]
        assert "exit code 1" in notices(two)[-1]
