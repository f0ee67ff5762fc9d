"""Obligations C-135 and C-310 to C-316: what either side may add, and what it may not."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.connection.whole import EVERYTHING, MODES, whole_session, whole_stage
from tests.support.agents.scripted_agent import OPTIONS, SESSION
from tests.support.schema import SCHEMA, NotValid, validate_client_message
from tests.support.stage import Stage, texts, tool

NOT_TESTED = {
    "C-312": "the client neither reads nor writes trace context",
    "C-313": "nothing that holds _meta is stored or sent again",
    "C-315": "there are no extension methods of ours",
}

ODD_META: list[Any] = [5, None, {}, [], "x", {"a": {"b": [1, None]}}]


def _everywhere(value: Any, extra: dict[str, Any]) -> Any:
    """Return the value with more keys in each object."""
    if isinstance(value, list):
        return [_everywhere(item, extra) for item in value]
    if isinstance(value, dict):
        return {key: _everywhere(item, extra) for key, item in value.items()} | extra
    return value


async def _conversation(stage: Stage, folder: Path, extra: dict[str, Any]) -> None:
    """Play a turn in which each object of the agent's has the extra keys, and check it all."""
    agent = stage.agent
    send = agent.send
    agent.send = lambda message: send(_everywhere(message, extra))  # type: ignore[method-assign]
    (folder / "file").write_text("text")
    session = stage.launch()
    await agent.initialize(agentCapabilities=EVERYTHING, agentInfo={"name": "n", "version": "1"})
    await agent.open(modes=MODES)
    await stage.until(lambda: session.state.status == "idle")
    assert session.state.mode == "ask"
    assert stage.client.label == "scripted (n 1)"
    request = await stage.turn(session)
    agent.say("hello")
    diff = {"type": "diff", "path": "/a", "oldText": "a", "newText": "b"}
    call = {"toolCallId": "call-1", "title": "Edit", "kind": "edit", "status": "in_progress"}
    agent.update("tool_call", **call, content=[diff], locations=[{"path": "/a", "line": 3}])
    agent.update("plan", entries=[{"content": "c", "priority": "low", "status": "pending"}])
    agent.update("usage_update", used=1, size=2, cost={"amount": 1.0, "currency": "USD"})
    read = {"sessionId": SESSION, "path": str(folder / "file"), "line": 1, "limit": 1}
    assert (await agent.ask("fs/read_text_file", read, 7))["result"] == {"content": "text"}
    agent.request_permission(8, options=OPTIONS)
    await stage.until(lambda: session.state.questions)
    assert [option.id for option in session.state.questions[0].options] == ["yes", "always", "no"]
    stage.choose(session.state.questions[0].id, "no")
    assert (await agent.answer_to(8))["result"]["outcome"]["optionId"] == "no"
    agent.reply(request, {"stopReason": "end_turn"})
    await stage.until(lambda: session.state.stop_reason == "end_turn")
    _check(session)


def _check(session: Any) -> None:
    assert texts(session) == ["hello"]
    call = tool(session)
    assert (call.title, call.kind, call.locations[0].line) == ("Edit", "edit", 3)
    assert len(call.content) == 1
    assert session.state.plan.entries[0].content == "c"
    assert session.state.usage.cost.amount == 1.0


async def test_c135_unknown_fields_are_ignored(tmp_path: Path) -> None:
    async with Stage(tmp_path) as stage:
        await _conversation(stage, tmp_path, {"zzz": 1, "newField": {"a": [1]}})


async def test_c310_no_fields_of_our_own(tmp_path: Path) -> None:
    async with whole_stage(tmp_path) as stage:
        await whole_session(stage, tmp_path)
        for message in stage.agent.received:
            if "method" not in message:
                continue
            validate_client_message(message)
            for odd in _with_a_further_key(message):
                with pytest.raises(NotValid):
                    validate_client_message(odd)


def _with_a_further_key(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return copies with a key more: at the root, in the params, in an object of theirs."""
    params = message["params"]
    odd = [message | {"zzz": 1}, message | {"params": params | {"zzz": 1}}]
    for key, value in params.items():
        if isinstance(value, dict):
            odd.append(message | {"params": params | {key: value | {"zzz": 1}}})
        if isinstance(value, list) and value and isinstance(value[0], dict):
            changed = [value[0] | {"zzz": 1}, *value[1:]]
            odd.append(message | {"params": params | {key: changed}})
    return odd


@pytest.mark.parametrize("meta", ODD_META, ids=repr)
async def test_c311_meta_may_be_anything(tmp_path: Path, meta: object) -> None:
    async with Stage(tmp_path) as stage:
        await _conversation(stage, tmp_path, {"_meta": meta})


async def test_c314_only_methods_of_the_protocol_leave_the_client(tmp_path: Path) -> None:
    definitions = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"].values()
    known = {
        definition["x-method"]
        for definition in definitions
        if definition.get("x-side") in ("agent", "protocol")
    }
    async with whole_stage(tmp_path) as stage:
        await whole_session(stage, tmp_path)
        sent = {message["method"] for message in stage.agent.received if "method" in message}
        assert sent <= known


async def test_c316_keys_are_camel_case_and_discriminators_snake_case(tmp_path: Path) -> None:
    async with whole_stage(tmp_path) as stage:
        await whole_session(stage, tmp_path)
        for message in stage.agent.received:
            for key, value in _items(message):
                assert re.fullmatch(r"[a-z][a-zA-Z0-9]*", key), message
                if key in ("type", "outcome") and isinstance(value, str):
                    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", value), message


def _items(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, list):
        return [pair for item in value for pair in _items(item)]
    if isinstance(value, dict):
        # what is in `_meta` is named by convention
        own = {key: item for key, item in value.items() if key != "_meta"}
        return [*own.items(), *(pair for item in own.values() for pair in _items(item))]
    return []
