"""Obligations C-001 to C-021: JSON-RPC through the whole client. Its lines and its process
have modules of their own, test_transport_*.py.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_nvim.session.event import ChunkReceived, TurnEnded
from tests.conformance.connection.whole import whole_session, whole_stage
from tests.support.agents.scripted_agent import SESSION, line
from tests.support.stage import PROJECT, Stage, texts

NOT_TESTED = {"C-026": "there are no custom transports"}


async def test_c001_every_line_is_a_valid_message(tmp_path: Path) -> None:
    async with whole_stage(tmp_path) as stage:
        await whole_session(stage, tmp_path)  # the agent validates each line, and no rest is left
        said = {message["method"] for message in stage.agent.received if "method" in message}
        assert said == {
            "initialize",
            "session/new",
            "session/load",
            "session/prompt",
            "session/cancel",
            "session/set_mode",
            "session/close",
            "$/cancel_request",
        }


async def test_c002_a_prompt_of_many_lines_is_one_line() -> None:
    text = "a\nb\r\u2028c\u0085 😀\0"
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session, text)
        assert request["params"]["prompt"] == [{"type": "text", "text": text}]
        assert b"\r" not in stage.agent.raw[-1]
        assert "😀".encode() in stage.agent.raw[-1]
        await stage.agent.quiet()


async def test_c003_what_is_not_unicode_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "latin1"
    async with Stage(tmp_path) as stage:
        stage.files.open(file, "caf\udce9", modified=True)
        session = await stage.start()
        request = await stage.turn(session, "caf\udce9 \ud83d 😀")
        assert request["params"]["prompt"][0]["text"] == "caf\ufffd \ufffd 😀"
        question = {"sessionId": SESSION, "path": str(file)}
        answer = await stage.agent.ask("fs/read_text_file", question)
        assert "caf\ufffd" in answer["result"]["content"]


async def test_c003_no_nan_leaves_the_client() -> None:
    async with Stage() as stage:
        await stage.start()
        stage.agent.write(b'{"jsonrpc":"2.0","id":NaN,"method":"_x/y"}\n')
        answer = await stage.agent.next()  # parsed by one that refuses NaN
        assert answer["id"] is None


async def test_c004_every_message_says_jsonrpc_2(tmp_path: Path) -> None:
    async with whole_stage(tmp_path) as stage:
        await whole_session(stage, tmp_path)
        assert {message["jsonrpc"] for message in stage.agent.received} == {"2.0"}


async def test_c005_outstanding_requests_have_different_ids() -> None:
    modes = {"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}]}
    async with Stage() as stage:
        first = stage.launch()
        await stage.agent.initialize()
        await stage.agent.open("one", modes=modes)
        await stage.until(lambda: first.state.status == "idle")
        second = await stage.start_another("two")
        requests = [await stage.turn(first), await stage.turn(second)]
        stage.tasks.start_soon(stage.client.set_mode, first, "a")
        requests.append(await stage.agent.expect("session/set_mode"))
        stage.open()
        requests.append(await stage.agent.expect("session/new"))
        ids = [request["id"] for request in requests]
        assert len(set(ids)) == 4
        assert all(type(each) in (int, str) for each in ids)
        stage.agent.reply(requests[2], {})


async def test_c006_an_answer_has_the_id_of_its_question(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    ids = [0, -1, 2**53 + 1, "abc", "1", 1, None]
    async with Stage(tmp_path) as stage:
        await stage.start()
        question = {"sessionId": SESSION, "path": str(tmp_path / "file")}
        for each in ids:
            stage.agent.request("fs/read_text_file", question, each)
        for each in ids:
            answer = await stage.agent.answer_to(each)
            assert answer["result"] == {"content": "text"}, each


async def test_c007_both_directions_count_for_themselves(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    async with Stage(tmp_path) as stage:
        session = await stage.start()
        prompt = await stage.turn(session)
        question = {"sessionId": SESSION, "path": str(tmp_path / "file")}
        for each in (0, 1, 2, prompt["id"]):
            assert "result" in await stage.agent.ask("fs/read_text_file", question, each)
        assert session.state.status == "running"
        stage.agent.reply(prompt, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.stop_reason == "end_turn")


async def test_c008_a_notification_gets_no_answer() -> None:
    async with Stage() as stage:
        await stage.start()
        stage.agent.say("hello")
        stage.agent.notify("_x/y", {"a": 1})
        stage.agent.notify("$/foo", None)
        stage.agent.notify("$/cancel_request", {"requestId": 99})
        stage.agent.notify("$/cancel_request", 5)
        for params in (None, [], "x", {"sessionId": 5}, {"sessionId": SESSION, "update": {}}):
            stage.agent.notify("session/update", params)
        await stage.agent.quiet()


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("_x/ping", {}, -32601),
        ("fs/read_text_file", {}, -32602),
        ("fs/read_text_file", {"sessionId": SESSION, "path": "FOLDER/missing"}, -32002),
        ("fs/read_text_file", {"sessionId": SESSION, "path": "FOLDER"}, -32603),
        ("fs/read_text_file", {"sessionId": "other", "path": "FOLDER/file"}, -32002),
    ],
)
async def test_c009_an_answer_is_a_result_or_an_error(
    tmp_path: Path, method: str, params: dict[str, str], code: int
) -> None:
    if "path" in params:
        params = params | {"path": params["path"].replace("FOLDER", str(tmp_path))}
    async with Stage(tmp_path) as stage:
        await stage.start()
        answer = await stage.agent.ask(method, params)
        assert answer.keys() == {"jsonrpc", "id", "error"}
        assert answer["error"]["code"] == code
        assert isinstance(answer["error"]["message"], str)
        assert answer["error"]["message"]


async def test_c010_answers_come_in_any_order() -> None:
    async with Stage() as stage:
        first = await stage.start("one")
        second = await stage.start_another("two")
        asked_first, asked_second = await stage.turn(first), await stage.turn(second)
        stage.agent.reply(asked_second, {"stopReason": "max_tokens"})
        await stage.until(lambda: second.state.stop_reason == "max_tokens")
        assert first.state.status == "running"
        stage.agent.reply(asked_first, {"stopReason": "refusal"})
        await stage.until(lambda: first.state.stop_reason == "refusal")


@pytest.mark.parametrize("method", ["_x/ping", "foo/bar", "mcp/connect", "initialize", ""])
async def test_c016_an_unknown_request_is_refused(method: str) -> None:
    async with Stage() as stage:
        await stage.start()
        answer = await stage.agent.ask(method, {"a": [1]})
        assert answer["error"]["code"] == -32601


async def test_c017_an_unknown_notification_is_ignored_silently() -> None:
    async with Stage() as stage:
        session = await stage.start()
        before, state = len(stage.events), session.state
        stage.agent.notify("_cognition.ai/x", {"sessionId": SESSION, "text": "hi"})
        stage.agent.notify("session/other", {"sessionId": SESSION})
        await stage.agent.quiet()
        assert len(stage.events) == before
        assert session.state is state


async def test_c018_protocol_notifications_are_ignored() -> None:
    async with Stage() as stage:
        session = await stage.start()
        state = session.state
        stage.agent.notify("$/progress", {"token": 1})
        await stage.agent.quiet()
        assert session.state is state


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("session/request_permission", {"sessionId": SESSION, "toolCall": {}, "options": "x"}),
        ("session/request_permission", None),
        ("session/request_permission", [1]),
        ("fs/read_text_file", {"sessionId": SESSION, "path": 5}),
        ("fs/write_text_file", {"sessionId": SESSION, "path": f"{PROJECT}/x"}),
        ("fs/write_text_file", "x"),
    ],
)
async def test_c019_invalid_params_are_refused(method: str, params: object) -> None:
    async with Stage() as stage:
        session = await stage.start()
        answer = await stage.agent.ask(method, params)
        assert answer["error"]["code"] == -32602
        stage.agent.say("alive")
        await stage.agent.quiet()
        assert texts(session) == ["alive"]


async def test_c020_an_open_question_blocks_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    async with Stage(tmp_path) as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.agent.request_permission("ask")
        await stage.until(lambda: session.state.questions)
        question = {"sessionId": SESSION, "path": str(tmp_path / "file")}
        assert (await stage.agent.ask("fs/read_text_file", question))["result"] == {
            "content": "text"
        }
        assert session.state.questions


async def test_c021_what_came_before_an_answer_is_applied_before_it() -> None:
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"stopReason": "end_turn"}}
        chunks = [line(_chunk(f"{number} ")) for number in range(100)]
        stage.agent.write(b"".join([*chunks, line(answer), line(_chunk("late"))]))
        await stage.until(lambda: texts(session) and "late" in texts(session)[-1])
        kinds = [type(event) for _, event in stage.events]
        end = kinds.index(TurnEnded)
        assert kinds[:end].count(ChunkReceived) == 100
        assert kinds[end + 1 :] == [ChunkReceived]


async def test_c021_the_session_is_open_before_what_follows_the_answer() -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        request = await stage.agent.expect("session/new")
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": {"sessionId": SESSION}}
        stage.agent.write(line(answer) + line(_chunk("hello")))
        await stage.until(lambda: texts(session) == ["hello"])
        assert "dropped" not in stage.logged()


# What no obligation names: a mistake of ours in one message concerns that message alone.


async def test_a_fault_in_a_message_spoils_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        apply = session.apply

        def faulty(*events: Any) -> None:
            if "bad" in str(events) or isinstance(events[0], TurnEnded):
                raise RuntimeError("our mistake")
            apply(*events)

        monkeypatch.setattr(session, "apply", faulty)
        stage.agent.say("bad")
        stage.agent.request_permission("ask", toolCall={"toolCallId": "bad"})
        assert (await stage.agent.answer_to("ask"))["error"]["code"] == -32603
        stage.agent.say("good")
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.agent.quiet()
        assert texts(session) == ["good"]
        assert [str(fault) for fault in stage.faults] == ["our mistake"] * 3
        stage.faults.clear()


def _chunk(text: str) -> dict[str, Any]:
    content = {"type": "text", "text": text}
    update = {"sessionUpdate": "agent_message_chunk", "content": content}
    params = {"sessionId": SESSION, "update": update}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}
