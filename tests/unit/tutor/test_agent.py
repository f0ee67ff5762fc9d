"""The tutor is a well-behaved agent: handshake, sessions, cancel, errors, end of input."""

from __future__ import annotations

import asyncio
import subprocess
import sys

from tests.unit.tutor.client import is_request, is_response, tutor, tutor_environment


async def test_it_introduces_itself():
    async with tutor() as client:
        result = client.received[0]["result"]
    assert result["protocolVersion"] == 1
    assert result["agentInfo"]["name"] == "tutor"
    assert result["agentCapabilities"]["promptCapabilities"]["embeddedContext"] is True


async def test_a_session_has_modes_and_commands():
    async with tutor() as client:
        response = await client.request("session/new", cwd="/project", mcpServers=[])
        assert await client.open() == "tutor-2"
        commands = client.updates("available_commands_update")
    assert response["result"]["sessionId"] == "tutor-1"
    assert response["result"]["modes"]["currentModeId"] == "guide"
    names = [command["name"] for command in commands[0]["availableCommands"]]
    assert names == ["help", "read", "edit", "plan", "ask"]


async def test_commands_come_after_the_session_is_named():
    async with tutor() as client:
        await client.open()
        await client.until(is_request("session/update"))
        methods = [message.get("method") for message in client.received]
    assert methods == [None, None, "session/update"]


async def test_quiet_says_less():
    async with tutor() as client:
        session = await client.open()
        assert (await client.request("session/set_mode", sessionId=session, modeId="quiet"))[
            "result"
        ] == {}
        await client.prompt(session, "hello")
        assert client.said() == "I am the tutor. `/help` says what I can do."
        wrong = await client.request("session/set_mode", sessionId=session, modeId="loud")
    assert wrong["error"]["code"] == -32602


async def test_errors_are_answered():
    async with tutor() as client:
        unknown = await client.request("session/fork", sessionId="x")
        nobody = await client.request("session/prompt", sessionId="x", prompt=[])
        nowhere = await client.request("session/new")
        client.send({"method": "unknown/notification"})
        client.cancel("x")
        session = await client.open()
    assert unknown["error"]["code"] == -32601
    assert nobody["error"]["code"] == -32602
    assert nowhere["error"]["code"] == -32602
    assert session == "tutor-1"


async def test_cancel_ends_the_turn_at_once():
    async with tutor() as client:
        session = await client.open()
        turn = client.start(
            "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "/ask"}]
        )
        question = await client.until(is_request("session/request_permission"))
        client.cancel(session)
        response = await client.until(lambda message: is_response(message, turn))
        client.send({"id": question["id"], "result": {"outcome": {"outcome": "cancelled"}}})
        assert response["result"] == {"stopReason": "cancelled"}
        assert await client.prompt(session, "/help") == "end_turn"


async def test_cancel_before_the_first_word():
    async with tutor() as client:
        session = await client.open()
        client.send(
            {"id": "p", "method": "session/prompt", "params": {"sessionId": session, "prompt": []}},
            {"method": "session/cancel", "params": {"sessionId": session}},
        )
        response = await client.until(lambda message: message.get("id") == "p")
    assert response["result"] == {"stopReason": "cancelled"}


async def test_a_withdrawn_question_ends_the_turn():
    async with tutor() as client:
        client.answers["session/request_permission"] = lambda _: {
            "result": {"outcome": {"outcome": "cancelled"}}
        }
        assert await client.prompt(await client.open(), "/ask") == "cancelled"


async def test_one_turn_at_a_time_in_each_of_several_sessions():
    async with tutor() as client:
        one, two = await client.open(), await client.open()
        ask = [{"type": "text", "text": "/ask"}]
        turn = client.start("session/prompt", sessionId=one, prompt=ask)
        await client.until(is_request("session/request_permission"))
        second = await client.request("session/prompt", sessionId=one, prompt=ask)
        assert second["error"]["code"] == -32600
        assert await client.prompt(two, "/help") == "end_turn"
        client.cancel(one)
        await client.until(lambda message: is_response(message, turn))


async def test_end_of_input_ends_it_in_the_middle_of_a_turn():
    async with tutor() as client:
        session = await client.open()
        client.start("session/prompt", sessionId=session, prompt=[{"type": "text", "text": "/ask"}])
        await client.until(is_request("session/request_permission"))


async def test_noise_is_reported_and_skipped():
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "acp_tutor"),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=tutor_environment(),
    )  # fmt: skip
    output, errors = await process.communicate(
        b'hello\n{"id":"a","method":"initialize","params":[]}\n'
    )
    assert process.returncode == 0
    assert output.startswith(b'{"jsonrpc":"2.0","id":"a","result":{"protocolVersion":1')
    assert errors.decode().startswith("tutor: ignored, not JSON")
