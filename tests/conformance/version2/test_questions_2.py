"""Questions, options and sessions of ACP v2, as they go over the wire."""

from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.config import McpServer
from acp_nvim.session.model import PermissionQuestion
from tests.conformance.version2.saying import ask, begin, state, text
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import Stage, texts, tool


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        ({"type": "tool_call", "toolCall": {"toolCallId": "call-1", "title": "Edit"}}, None),
        ({"type": "command", "command": "rm -rf /", "cwd": "/p"}, "rm -rf /"),
        ({"type": "_spell", "words": "abra"}, "_spell"),
        (None, None),
    ],
)
async def test_c2_030_a_permission_says_what_it_is_about(
    subject: dict[str, Any] | None, title: str | None
) -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        ask(stage.agent, subject=subject, description="It is safe")
        await stage.until(lambda: session.state.questions)
        (question,) = session.state.questions
        assert isinstance(question, PermissionQuestion)
        assert question.asks == "May I?\nIt is safe"
        assert not question.is_ours
        assert (question.subject.title if question.subject else None) == title
        if subject is not None and subject["type"] == "tool_call":
            assert tool(session).title == "Edit"  # known before it is asked
            assert question.tool_call_id == "call-1"
        assert stage.choose(question.id, "yes")
        answer = await stage.agent.answer_to(1)
        assert answer["result"] == {"outcome": {"outcome": "selected", "optionId": "yes"}}


async def test_c2_031_a_permission_without_options_or_title_is_refused() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        ask(stage.agent, options=[])
        assert (await stage.agent.answer_to(1))["error"]["code"] == -32602
        ask(stage.agent, 2, title=None)
        assert (await stage.agent.answer_to(2))["error"]["code"] == -32602


async def test_c2_032_a_cancelled_turn_answers_its_questions() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        ask(stage.agent)
        state(stage.agent, "requires_action")
        await stage.until(lambda: session.state.questions)
        stage.client.cancel(session)
        answer = await stage.agent.answer_to(1)
        assert answer["result"] == {"outcome": {"outcome": "cancelled"}}
        await stage.agent.expect("session/cancel")


@pytest.mark.parametrize("method", ["fs/read_text_file", "terminal/create", "_odd"])
async def test_c2_033_there_are_no_files_and_no_terminals_of_the_client(method: str) -> None:
    async with Stage(protocol=2) as stage:
        await stage.start_2()
        params = {"sessionId": SESSION, "path": "/etc/passwd", "command": "ls"}
        answer = await stage.agent.ask(method, params)
        assert answer["error"]["code"] == -32601


async def test_c2_034_an_option_is_set_with_its_type() -> None:
    def option(value: Any, **fields: Any) -> dict[str, Any]:
        return {"configId": "o", "name": "O", "currentValue": value} | fields

    choices = [{"value": "a", "name": "A"}, {"value": "b", "name": "B"}]
    kinds: list[tuple[str, Any, Any, dict[str, Any]]] = [
        ("id", "a", "b", {"type": "select", "options": choices}),
        ("boolean", False, True, {"type": "boolean"}),
    ]
    for kind, before, after, fields in kinds:
        async with Stage(protocol=2) as stage:
            session = stage.launch()
            await stage.agent.initialize_2()
            await stage.agent.open(configOptions=[option(before, **fields)])
            await stage.until(lambda: session.state.status == "idle")  # noqa: B023
            stage.tasks.start_soon(stage.client.set_option, session, "o", after)
            request = await stage.agent.expect("session/set_config_option")
            assert request["params"]["type"] == kind
            stage.agent.reply(request, {"configOptions": [option(after, **fields)]})
            await stage.until(lambda: session.state.config[0].value == after)  # noqa: B023


async def test_c2_035_a_session_is_loaded_by_a_resume_with_a_replay() -> None:
    async with Stage(protocol=2) as stage:
        stage.tasks.start_soon(stage.client.run)
        session = stage.reopen("old")
        await stage.agent.initialize_2()
        request = await stage.agent.expect("session/resume")
        assert request["params"]["replayFrom"] == {"type": "start"}
        stage.agent.update("user_message", "old", messageId="u", content=[text("hello")])
        stage.agent.update("agent_message", "old", messageId="a", content=[])
        stage.agent.update("agent_message_chunk", "old", messageId="a", content=text("hi"))
        stage.agent.update("user_message", "old", messageId="u2", content=[text("more")])
        commands = [{"type": "command", "name": "plan", "description": "d"}]
        stage.agent.reply(request, {"availableCommands": commands})
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session, "user") == ["hello", "more"]
        assert texts(session) == ["hi"]
        assert session.state.turn == 2
        assert [it.name for it in session.state.commands] == ["plan"]


async def test_c2_036_servers_are_told_with_their_type_where_they_are_taken() -> None:
    servers = (
        McpServer(name="a", command="/bin/a"),
        McpServer(name="b", type="http", url="http://b"),
        McpServer(name="c", type="sse", url="http://c"),
    )
    async with Stage(protocol=2, mcp_servers=servers) as stage:
        session = stage.launch()
        await stage.agent.initialize_2(capabilities={"session": {"mcp": {"stdio": {}}}})
        request = await stage.agent.open()
        assert request["params"]["mcpServers"] == [
            {"type": "stdio", "name": "a", "command": "/bin/a"}
        ]
        await stage.until(lambda: session.state.status == "idle")


async def test_c2_037_the_login_has_methods_of_its_own() -> None:
    methods = [{"methodId": "web", "name": "Web", "type": "agent"}]
    async with Stage(protocol=2) as stage:
        await stage.start_2(authMethods=methods)
        assert stage.client.ready is not None
        stage.tasks.start_soon(stage.client.ready.login.logout)
        await stage.agent.expect("auth/logout")
