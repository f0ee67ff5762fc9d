"""Whatever an agent sends, and however much of it: others go on, and what is too much is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.client import listing, registry
from acp_nvim.errors import Code
from acp_nvim.files.event import WriteRefused
from acp_nvim.files.roots import LONGEST
from acp_nvim.session.reduce import reduce, terminals
from acp_nvim.session.state import ToolCall
from acp_nvim.transport import link
from acp_nvim.view.snapshot import snapshot
from acp_nvim.wire.framing import Framer
from tests.conformance.requests.files import Files
from tests.fuzz.play import draw
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import PROJECT, Stage, notices, texts

DEEP: Any = json.loads("[" * 900 + "]" * 900)
CALL = {"toolCallId": "c", "title": "t"}
OPTIONS = [{"optionId": "a", "name": "A", "kind": "allow_once"}]


def update(**fields: Any) -> dict[str, Any]:
    return {"sessionId": SESSION, "update": fields}


@pytest.mark.parametrize(
    "fields",
    [
        {"sessionUpdate": "tool_call", **CALL, "rawInput": DEEP},
        {"sessionUpdate": "tool_call", **CALL, "rawOutput": {"x": DEEP}},
        {"sessionUpdate": "tool_call", **CALL, "_meta": {"x": DEEP}},
        {"sessionUpdate": "plan", "entries": DEEP},
        {"sessionUpdate": "nobody_knows", "x": DEEP},
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "odd", "x": DEEP}},
        {"sessionUpdate": "config_option_update", "configOptions": [{"options": DEEP}]},
        DEEP,
    ],
)
async def test_an_update_that_is_nested_deeply(fields: Any) -> None:
    async with Stage() as stage:
        session = await stage.start()
        params = {"sessionId": SESSION, "update": fields}
        stage.agent.notify("session/update", params)
        stage.agent.say("behind it")
        await stage.until(lambda: texts(session) == ["behind it"])
        draw(session)
        assert "nested too deeply" in stage.logged()


@pytest.mark.parametrize(
    "method", ["session/request_permission", "fs/read_text_file", "terminal/create", "_other"]
)
async def test_a_request_that_is_nested_deeply_is_refused(method: str) -> None:
    async with Stage() as stage:
        await stage.start()
        asked = {"sessionId": SESSION, "toolCall": CALL | {"rawInput": DEEP}, "options": OPTIONS}
        answer = await stage.agent.ask(method, asked | {"path": "/a", "command": "true"})
        expected = Code.METHOD_NOT_FOUND if method == "_other" else Code.INVALID_PARAMS
        assert answer["error"]["code"] == expected


async def test_capabilities_that_are_nested_deeply_are_an_error_of_that_agent_alone() -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize(agentCapabilities={"_meta": DEEP})
        await stage.until(lambda: session.state.status == "closed")
        assert any("nested too deeply" in it for it in notices(session))
        snapshot(session.state)


async def test_a_line_that_is_too_long_is_skipped_said_and_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        monkeypatch.setattr(stage.link, "_framer", Framer(100_000))
        params = {"sessionId": SESSION, "path": f"{PROJECT}/x", "content": "x" * 200_000}
        answer = await stage.agent.ask("fs/write_text_file", params)
        assert answer["error"]["code"] == Code.INVALID_PARAMS
        assert any(f"more than {link.MOST >> 20} MB" in it for it in notices(session))
        stage.agent.say("behind it")
        await stage.until(lambda: texts(session) == ["behind it"])


async def test_notices_of_one_turn_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reduce, "MOST_NOTICES", 10)
    async with Stage() as stage:
        session = await stage.start()
        for _ in range(2):
            prompt = await stage.turn(session)
            for number in range(1_000):
                told = update(sessionUpdate="notice", title=f"n {number}", severity="info")
                stage.agent.notify("session/update", told)
            stage.agent.reply(prompt, {"stopReason": "refusal"})
            await stage.until(lambda: session.state.status == "idle")
        said = notices(session)
        assert len(said) == 22 and sum(it == reduce.MORE_NOTICES for it in said) == 2
        assert sum("refused" in it for it in said) == 2, "how a turn ends is always said"


async def test_what_one_session_says_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "MOST_SAID", 50_000)
    async with Stage() as stage:
        session = await stage.start()
        for _ in range(100):
            stage.agent.say("x" * 1_000)
        await stage.agent.quiet()
        assert 30_000 < sum(map(len, texts(session))) < 50_000
        assert sum("were said here" in it for it in notices(session)) == 1
        other = await stage.start_another("two")
        stage.agent.say("there", "two")
        await stage.until(lambda: texts(other) == ["there"])


async def test_what_one_turn_says_has_a_bound_and_the_next_one_says_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "MOST_IN_TURN", 50_000)
    async with Stage() as stage:
        session = await stage.start()
        prompt = await stage.turn(session)
        for _ in range(100):
            stage.agent.say("x" * 1_000)
        await stage.agent.quiet()
        assert 30_000 < sum(map(len, texts(session))) < 50_000
        assert sum("said in this turn" in it for it in notices(session)) == 1
        stage.agent.reply(prompt, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.status == "idle")
        await stage.turn(session)
        stage.agent.say("there")
        await stage.until(lambda: texts(session)[-1:] == ["there"])


async def test_one_message_is_shown_though_it_has_more_than_its_turn_may(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(registry, "MOST_IN_TURN", 50_000)
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.agent.say("x" * 60_000)
        stage.agent.say("y")
        await stage.agent.quiet()
        assert "".join(texts(session)) == "x" * 60_000
        assert sum("said in this turn" in it for it in notices(session)) == 1


async def test_a_long_turn_may_say_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "MOST_IN_TURN", 50_000)
    monkeypatch.setattr(registry, "HOUR", 1e-9)
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        for _ in range(100):
            stage.agent.say("x" * 1_000)
        await stage.until(lambda: sum(map(len, texts(session))) == 100_000)


async def test_entries_of_a_session_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "MOST_ENTRIES", 50)
    async with Stage() as stage:
        session = await stage.start()
        for number in range(100):
            told = update(sessionUpdate="tool_call", toolCallId=f"t{number}", title="t")
            stage.agent.notify("session/update", told)
        await stage.agent.quiet()
        assert len(session.state.entries) == 51
        assert any("50 entries" in it for it in notices(session))


@pytest.mark.parametrize("is_loaded", [False, True])
async def test_entries_of_a_turn_have_a_bound_and_turns_that_are_loaded_that_of_their_session(
    monkeypatch: pytest.MonkeyPatch, *, is_loaded: bool
) -> None:
    monkeypatch.setattr(registry, "MOST_NEW", 20)
    monkeypatch.setattr(registry, "MOST_ENTRIES", 80)
    async with Stage() as stage:
        session, ending = await stage.start(agentCapabilities={"loadSession": True}), {}
        if is_loaded:
            session = stage.reopen("old")
            ending = await stage.agent.expect("session/load")
        else:
            await stage.turn(session)
        for number in range(100):
            call = {"sessionUpdate": "tool_call", "toolCallId": f"t{number}", "title": "t"}
            told = {"sessionId": "old" if is_loaded else SESSION, "update": call}
            stage.agent.notify("session/update", told)
        if is_loaded:
            stage.agent.reply(ending, {})
            await stage.until(lambda: session.state.status == "idle")
        await stage.agent.quiet()
        calls = [it for it in session.state.entries if isinstance(it, ToolCall)]
        assert len(calls) in range(*((80, 85) if is_loaded else (20, 25)))
        most = f"{80 if is_loaded else 20} entries"
        assert any(most in it for it in notices(session))


@pytest.mark.parametrize("in_each_other", [False, True])
async def test_sub_agents_have_one_bound_with_their_session_however_many_and_deep(
    monkeypatch: pytest.MonkeyPatch, *, in_each_other: bool
) -> None:
    monkeypatch.setattr(registry, "MOST_NEW", 20)
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        above = SESSION
        for child in map("child{}".format, range(6)):
            stage.agent.update("subagent_update", session=above, sessionId=child)
            above = child if in_each_other else SESSION
            for number in range(15):
                call = {"sessionUpdate": "tool_call", "toolCallId": f"t{number}", "title": "t"}
                told = {"sessionId": child, "update": call}
                stage.agent.notify("session/update", told)
        await stage.agent.quiet()
        every = [session, *stage.client.registry.children()]
        calls = [it for each in every for it in each.state.entries if isinstance(it, ToolCall)]
        assert len(calls) in range(20, 25)


async def test_what_comes_before_its_session_has_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "MOST_EARLY_SIZE", 10_000)
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        opening = await stage.agent.expect("session/new")
        for _ in range(100):
            stage.agent.say("x" * 1_000)
        stage.agent.reply(opening, {"sessionId": SESSION})
        await stage.until(lambda: session.state.status == "idle")
        assert 0 < sum(map(len, texts(session))) < 10_000


async def test_sessions_that_an_agent_lists_have_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "MOST_LISTED", 25)
    async with Stage() as stage:
        await stage.start(agentCapabilities={"sessionCapabilities": {"list": {}}})
        found: list[listing.Listed] = []
        assert stage.client.ready is not None
        ready = stage.client.ready

        async def ask() -> None:
            found.append(await ready.listing.all(PROJECT))

        stage.tasks.start_soon(ask)
        for page in range(3):
            asked = await stage.agent.expect("session/list")
            rows = [{"sessionId": f"{page}-{it}", "cwd": PROJECT} for it in range(10)]
            stage.agent.reply(asked, {"sessions": rows, "nextCursor": str(page)})
        await stage.agent.quiet()
        assert len(found[0]) == 25


async def test_terminals_that_an_agent_speaks_of_have_a_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(terminals, "MOST_TERMINALS", 5)
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        for number in range(100):
            told = update(sessionUpdate="terminal_update", terminalId=f"t{number}", command="x")
            stage.agent.notify("session/update", told)
        await stage.agent.quiet()
        assert len(session.state.terminals) == 5


async def test_states_that_nobody_knows_are_told_of_for_a_while() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start_2()
        for number in range(100):
            told = update(sessionUpdate="state_update", state=f"state {number}")
            stage.agent.notify("session/update", told)
        await stage.agent.quiet()
        assert sum("does not know" in it for it in notices(session)) == 20


async def test_refused_writes_are_told_by_few_messages(tmp_path: Path) -> None:
    async with Files(tmp_path) as stage:
        await stage.start()
        for number in range(50):
            params = {"sessionId": SESSION, "path": f"/etc/no/{number}", "content": "x"}
            await stage.agent.ask("fs/write_text_file", params, number)
        refused = [it for it in stage.rig.events if isinstance(it, WriteRefused)]
        assert [it.known for it in refused] == [False] * 10 + [True] * 40
        params = {"sessionId": SESSION, "path": "/" + "long" * 100_000, "content": "x"}
        await stage.agent.ask("fs/write_text_file", params, 50)
        last = stage.rig.events[-1]  # kept, to be told once
        assert isinstance(last, WriteRefused) and len(last.path) <= LONGEST


async def test_options_of_a_permission_have_a_bound() -> None:
    async with Stage() as stage:
        await stage.start()
        options = [{"optionId": f"o{it}", "name": "A", "kind": "allow_once"} for it in range(101)]
        params = {"sessionId": SESSION, "toolCall": CALL, "options": options}
        refused = await stage.agent.ask("session/request_permission", params)
        assert "at most 100 options" in refused["error"]["message"]


async def test_objects_on_one_line_have_a_bound() -> None:
    async with Stage() as stage:
        session = await stage.start()
        params = update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": "x"})
        one = json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params})
        stage.agent.write((one * 150 + "\n").encode())
        await stage.agent.quiet()
        assert texts(session) == ["x" * 100]
