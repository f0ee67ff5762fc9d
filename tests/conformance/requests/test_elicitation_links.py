"""C-293 to C-304, C-043, C-063, C-144: links, scopes, privacy, and the end of questions."""

from __future__ import annotations

import json
import re
import socket
from typing import Any

import pytest

from acp_nvim.session.request import ElicitationAnswer
from acp_nvim.view.block import Highlight
from tests.conformance.connection.logins import LoginStage
from tests.conformance.requests.eliciting import (
    URL,
    ask_form,
    float_of,
    float_text,
    opened,
    request_form,
    request_link,
)
from tests.support.nvim import ROOT
from tests.support.stage import Stage, notices, tool


async def ask_link(stage: Stage, url: str = URL) -> tuple[Any, Any]:
    session = await stage.start()
    request_link(stage, url)
    return session, await opened(stage, session)


async def test_c043_both_modes_are_advertised_one_by_one():
    async with Stage() as stage:
        stage.launch()
        params = (await stage.agent.expect("initialize"))["params"]
        assert params["clientCapabilities"]["elicitation"] == {"form": {}, "url": {}}


@pytest.mark.parametrize("mode", ["form", "url"])
async def test_c144_cancelling_the_turn_cancels_them(mode: str):
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        (request_form if mode == "form" else request_link)(stage)
        await opened(stage, session)
        stage.client.cancel(session)
        assert (await stage.agent.answer_to("e"))["result"] == {"action": "cancel"}
        await stage.agent.expect("session/cancel")
        request_form(stage, "late")
        assert (await stage.agent.answer_to("late"))["result"] == {"action": "cancel"}
        assert session.state.questions == ()


async def test_c144_a_question_about_a_request_outlives_the_turn():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.agent.request(
            "elicitation/create",
            {"mode": "form", "message": "m", "requestId": 0, "requestedSchema": {}},
            "e",
        )
        question = await opened(stage, stage.client.outside)
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        await stage.agent.quiet()
        stage.respond(question.id, "decline")
        assert (await stage.agent.answer_to("e"))["result"] == {"action": "decline"}


async def test_c151_the_agent_takes_one_back():
    async with Stage() as stage:
        session = await stage.start()
        question = await ask_form(stage, session, {"a": {"type": "string"}})
        stage.agent.notify("$/cancel_request", {"requestId": "e"})
        assert (await stage.agent.answer_to("e"))["error"]["code"] == -32800
        assert session.state.questions == ()
        assert not stage.respond(question.id, "accept")
        assert not stage.questions.fill(question.id, 0, "late")
        await stage.agent.quiet()


async def test_c152_closing_the_session_answers_it():
    async with Stage() as stage:
        session = await stage.start()
        await ask_form(stage, session, {})
        await stage.client.close(session)
        assert (await stage.agent.answer_to("e"))["result"] == {"action": "cancel"}
        assert stage.questions.pending == ()


async def test_c293_host_and_whole_address_are_shown():
    async with Stage() as stage:
        session, question = await ask_link(stage)
        shown = float_of(stage, session, question)
        line = next(line for line in shown.lines if line.text == URL)
        (mark,) = line.marks
        assert isinstance(mark, Highlight)
        assert line.text[mark.start : mark.end] == "accounts.example.com"
        assert "Host: accounts.example.com" in float_text(stage, session)
        await stage.agent.quiet()


async def test_c294_nothing_is_fetched():
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        async with Stage() as stage:
            session, question = await ask_link(
                stage, f"http://127.0.0.1:{server.getsockname()[1]}/"
            )
            float_text(stage, session)
            stage.respond(question.id, "decline")
            await stage.agent.answer_to("e")
        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize(
    ("url", "warning"),
    [
        ("https://xn--pple-43d.com", "Punycode"),
        ("https://xn--pple-43d.com", "mixes the letters of Cyrillic and Latin"),
        ("https://good.com@evil.com", "the host is evil.com"),
        ("https://good.com:80@evil.com/", "the host is evil.com"),
        ("http://example.com", "not encrypted"),
        ("https://127.0.0.1/x", "a number"),
        ("https://[::1]/x", "a number"),
        ("https://2130706433/", "a number"),
        ("https://0x7f.1/", "a number"),
        ("https://аpple.com", "mixes the letters"),
        ("https://bücher.de", "beyond ASCII"),
    ],
)
async def test_c296_what_is_suspicious_is_said(url: str, warning: str):
    async with Stage() as stage:
        session, _ = await ask_link(stage, url)
        assert f"! {warning}" in float_text(stage, session) or warning in float_text(stage, session)


async def test_c296_an_ordinary_address_has_no_warning():
    async with Stage() as stage:
        session, _ = await ask_link(stage)
        assert "!" not in float_text(stage, session)


async def test_c297_no_other_text_is_a_link():
    async with Stage() as stage:
        session = await stage.start()
        field = {"type": "string", "title": "https://a.org", "description": "see https://b.org"}
        question = await ask_form(stage, session, {"a": field}, message="go to https://c.org")
        shown = float_of(stage, session, question)
        for line in shown.lines:
            groups = {mark.group for mark in line.marks if isinstance(mark, Highlight)}
            assert groups.isdisjoint({"AcpUrl", "AcpLink", "AcpFormHost"})
        assert {row.kind for row in shown.form} == {"text", "action"}


async def test_c298_accept_has_no_content_and_is_sent_at_once():
    async with Stage() as stage:
        session, question = await ask_link(stage)
        assert stage.respond(question.id, "accept", {"a": 1})
        assert (await stage.agent.answer_to("e"))["result"] == {"action": "accept"}
        assert session.state.questions == ()


async def test_c299_only_a_completion_that_is_waited_for_counts():
    async with Stage() as stage:
        session, question = await ask_link(stage)
        done = "accounts.example.com: done, the agent has what it needs"
        for params in ({"elicitationId": "other"}, {"elicitationId": "l"}, {}, None, [], {"x": 1}):
            stage.agent.notify("elicitation/complete", params)
        await stage.agent.quiet()
        assert session.state.questions == (question,) and done not in notices(session)
        stage.respond(question.id, "accept")
        await stage.agent.answer_to("e")
        for _ in range(2):
            stage.agent.notify("elicitation/complete", {"elicitationId": "l"})
        await stage.agent.quiet()
        assert notices(session).count(done) == 1


async def test_c300_the_user_is_told_what_to_do_if_no_completion_comes():
    async with Stage() as stage:
        session = await stage.start()
        prompt = await stage.turn(session)
        request_link(stage)
        question = await opened(stage, session)
        stage.respond(question.id, "accept")
        await stage.agent.answer_to("e")
        assert ":Acp cancel" in notices(session)[-1]
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        stage.agent.reply(prompt, {"stopReason": "cancelled"})
        await stage.until(lambda: session.state.status == "idle")
        await stage.turn(session, "again")


async def test_c301_a_tool_call_in_whose_name_it_is_asked_is_open():
    async with Stage() as stage:
        session = await stage.start()
        stage.agent.update("tool_call", toolCallId="call-1", title="Ask an MCP server")
        question = await ask_form(stage, session, {}, toolCallId="call-1")
        assert question.tool_call_id == tool(session).id


@pytest.mark.parametrize("method", ["initialize", "session/new"])
async def test_c301_before_any_session(method: str):
    async with Stage() as stage:
        session = stage.launch()
        if method == "session/new":
            await stage.agent.initialize()
        waiting = await stage.agent.expect(method)
        params = {"mode": "form", "message": "m", "requestedSchema": {}}
        stage.agent.request("elicitation/create", params | {"requestId": waiting["id"]}, "e")
        question = await opened(stage, stage.client.outside)
        assert session.state.questions == ()
        stage.respond(question.id, "accept")
        result = (await stage.agent.answer_to("e"))["result"]
        assert result == {"action": "accept", "content": {}}
        assert stage.client.outside.state.questions == ()


async def test_c301_for_a_session_that_is_being_opened():
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        opening = await stage.agent.expect("session/new")
        request_form(stage)
        await stage.agent.quiet()
        stage.agent.reply(opening, {"sessionId": "sess 1/ü"})
        question = await opened(stage, session)
        stage.respond(question.id, "decline")
        assert (await stage.agent.answer_to("e"))["result"] == {"action": "decline"}


async def test_c301_for_a_session_that_is_not_it_is_refused():
    async with Stage() as stage:
        await stage.start()
        request_form(stage, sessionId="nobody's")
        assert (await stage.agent.answer_to("e"))["error"]["code"] == -32002


async def test_c302_several_are_kept_apart():
    async with Stage() as stage:
        session = await stage.start()
        properties = {"properties": {"a": {"type": "string"}}}
        request_form(stage, 1, requestedSchema=properties)
        request_form(stage, "1", requestedSchema=properties)
        request_link(stage, request_id=2)
        await opened(stage, session, 3)
        one, two, three = session.state.questions
        stage.questions.fill(one.id, 0, "first")
        stage.questions.fill(two.id, 0, "second")
        for question, request_id, result in (
            (two, "1", {"action": "accept", "content": {"a": "second"}}),
            (three, 2, {"action": "accept"}),
            (one, 1, {"action": "accept", "content": {"a": "first"}}),
        ):
            assert stage.respond(question.id, "accept")
            assert (await stage.agent.answer_to(request_id))["result"] == result
            assert not stage.respond(question.id, "accept")
            await stage.agent.quiet()


async def test_c303_answers_are_neither_logged_nor_kept():
    secret = "mArKeR"
    async with Stage() as stage:
        session = await stage.start()
        question = await ask_form(stage, session, {"a": {"type": "string"}})
        stage.questions.fill(question.id, 0, secret)
        assert secret not in repr(stage.questions.draft(question.id))
        stage.respond(question.id, "accept")
        result = (await stage.agent.answer_to("e"))["result"]
        assert result["content"] == {"a": secret}
        logged = [json.loads(line) for line in stage.logged().splitlines()]
        assert any("is not logged" in entry["line"] for entry in logged)
        assert secret not in stage.logged()
        assert secret not in repr(session.state) + repr(stage.events)
        assert secret not in repr(stage.questions.draft(question.id).filled)


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "vim:quit",
        "-oProxyCommand=x",
        "https://",
        "https://good.com\\@evil.com",
        "https://a b.com",
        "https://a.com/\nx",
        "https://a\u202e.com",
        "http://[::1",
        "",
    ],
)
async def test_c304_other_addresses_are_refused(url: str):
    async with Stage() as stage:
        session, question = await ask_link(stage, url)
        assert "is not opened" in float_text(stage, session)
        actions = [row.action for row in float_of(stage, session, question).form]
        assert actions == ["decline", "cancel"]
        assert not stage.respond(question.id, "accept")
        await stage.agent.quiet()
        stage.respond(question.id, "decline")
        assert (await stage.agent.answer_to("e"))["result"] == {"action": "decline"}


async def test_c063_c301_while_the_agent_logs_in():
    async with LoginStage() as stage:
        await stage.refused([{"id": "key", "name": "API key"}])
        login = stage.log_in("key")
        request = await stage.agent.expect("authenticate")
        params = {"mode": "url", "message": "m", "elicitationId": "l", "url": URL}
        stage.agent.request("elicitation/create", params | {"requestId": request["id"]}, "e")
        await stage.agent.quiet()
        (question,) = stage.client.outside.state.questions
        assert stage.host.questions.answer(question.id, ElicitationAnswer("accept"))
        assert (await stage.agent.answer_to("e"))["result"] == {"action": "accept"}
        stage.agent.notify("elicitation/complete", {"elicitationId": "l"})
        stage.agent.reply(request, {})
        await stage.agent.open()
        assert await login.done() == ""


def test_c295_a_link_is_opened_by_the_system_and_by_nothing_else() -> None:
    """The host has no way to fetch a page, and Neovim hands the address to the system's opener.

    What reaches a remote agent is in `transport`, and the relay of the tools goes over a socket of
    this machine: neither knows anything of elicitation.
    """
    python = {path: path.read_text() for path in ROOT.glob("python/acp_nvim/**/*.py")}
    connects = {path for path in python if path.parent.name in ("transport", "tools")}
    assert connects and not [path for path in connects if "elicitation" in python[path]]
    tools = [python[path] for path in connects if path.parent.name == "tools"]
    assert any("AF_UNIX" in text for text in tools) and not any("AF_INET" in it for it in tools)
    python = {path: text for path, text in python.items() if path not in connects}
    fetches = re.compile(r"\b(urllib\.request|http\.client|webbrowser|socket)\b")
    assert not [path.name for path, text in python.items() if fetches.search(text)]
    lua = {path: path.read_text() for path in ROOT.glob("lua/acp/**/*.lua")}
    opens = {path.name for path, text in lua.items() if "vim.ui.open" in text}
    assert opens == {"form.lua"}  # for a question, and for the user's `gx` in the chat
