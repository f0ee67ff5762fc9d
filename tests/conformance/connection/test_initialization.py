"""Obligations C-030 to C-048: initialize, versions, capabilities.

Authentication (C-050 to C-065) is an issue of its own; here only that the user is told.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

import acp_nvim
from acp_nvim.protocol.records import AgentCapabilities
from acp_nvim.session.content import Audio, Image, Resource
from acp_nvim.view.status import winbar
from tests.conformance.connection.whole import whole_session, whole_stage
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import Stage, notices

NOT_TESTED = {
    "C-047": "its retry: there is no version before 1 to fall back to; its message is tested",
}


TERMINAL = [f"terminal/{verb}" for verb in ("create", "output", "wait_for_exit", "kill", "release")]


async def test_c030_initialize_comes_first_and_alone() -> None:
    async with Stage() as stage:
        session = stage.launch()
        stage.prompt(session, "in a hurry")
        request = await stage.agent.expect("initialize")
        await stage.agent.quiet()
        assert session.state.status == "loading"
        stage.agent.reply(request, {"protocolVersion": 1})
        await stage.agent.open()
        await stage.agent.expect("session/prompt")


async def test_c031_the_latest_version_is_an_integer() -> None:
    async with Stage() as stage:
        stage.launch()
        version = (await stage.agent.expect("initialize"))["params"]["protocolVersion"]
        assert type(version) is int
        assert version == 1


@pytest.mark.parametrize("read", [True, False])
@pytest.mark.parametrize("write", [True, False])
async def test_c032_what_is_served_is_advertised(
    tmp_path: Path, *, read: bool, write: bool
) -> None:
    (tmp_path / "file").write_text("text")
    async with Stage(tmp_path, read_files=read, write_files=write) as stage:
        stage.launch()
        request = await stage.agent.initialize()
        await stage.agent.open()
        offered = request["params"]["clientCapabilities"]
        assert offered["fs"] == {"readTextFile": read, "writeTextFile": write}
        question = {"sessionId": SESSION, "path": str(tmp_path / "file")}
        answer = await stage.agent.ask("fs/read_text_file", question, 1)
        assert _refused(answer) is not read
        answer = await stage.agent.ask("fs/write_text_file", question | {"content": "new"}, 2)
        assert _refused(answer) is not write


async def test_c033_the_client_says_who_it_is() -> None:
    async with Stage() as stage:
        stage.launch()
        request = await stage.agent.expect("initialize")
        info = request["params"]["clientInfo"]
        assert info == {"name": "acp.nvim", "title": "acp.nvim", "version": acp_nvim.__version__}


@pytest.mark.parametrize("version", [99, 0, "1", True, 1.5, None])
async def test_c034_another_version_ends_the_connection(version: object) -> None:
    async with Stage() as stage:
        session = stage.launch()
        stage.prompt(session, "queued")
        stage.agent.reply(await stage.agent.expect("initialize"), {"protocolVersion": version})
        await stage.agent.closed()
        await stage.until(lambda: stage.over)
        assert stage.client.state == "failed"
        assert session.state.status == "closed"
        said = notices(session)[-1]
        assert "asked for 1" in said
        assert "no protocol version" in said if version is None else str(version) in said
        assert [message["method"] for message in stage.agent.received] == ["initialize"]
        assert stage.announced == ["disconnected"]


async def test_c035_version_1_is_spoken_after_1() -> None:
    async with Stage() as stage:
        session = await stage.start()
        assert stage.client.info is not None
        assert stage.client.info.protocol_version == 1
        await stage.turn(session)  # each line is judged by the schema of v1


async def test_c036_what_is_left_out_is_not_offered(tmp_path: Path) -> None:
    async with whole_stage(tmp_path) as stage:
        session = stage.launch()
        await stage.agent.initialize()
        assert stage.client.info is None or stage.client.info.capabilities == AgentCapabilities()
        params = (await stage.agent.open())["params"]
        assert [server["name"] for server in params["mcpServers"]] == ["files"]
        assert "additionalDirectories" not in params
        await stage.until(lambda: session.state.status == "idle")
        blocks = (
            Image("aGk=", "image/png"),
            Audio("aGk=", "audio/wav"),
            Resource("file:///x", "x"),
        )
        stage.prompt(session, "look", *blocks)
        request = await stage.agent.expect("session/prompt")
        assert {block["type"] for block in request["params"]["prompt"]} <= {"text", "resource_link"}
        stage.agent.reply(request, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.status == "idle")
        await stage.client.close(session)
        await stage.agent.quiet()


MATRIX = list(itertools.product([True, False], [True, False], [True, False]))


@pytest.mark.parametrize(("load", "resume", "close"), MATRIX)
async def test_c037_any_combination_of_capabilities(
    *, load: bool, resume: bool, close: bool
) -> None:
    offered = {"resume": {} if resume else None, "close": {} if close else None}
    capabilities = {"loadSession": load, "sessionCapabilities": offered}
    expected = "load" if load else "resume" if resume else "new"
    async with Stage() as stage:
        await stage.start(agentCapabilities=capabilities)
        old = stage.session()
        stage.tasks.start_soon(stage.client.reopen, old, "old")
        request = await stage.agent.expect(f"session/{expected}")
        stage.agent.reply(request, {"sessionId": "new"} if expected == "new" else {})
        await stage.until(lambda: old.state.status == "idle")
        assert old.id == ("new" if expected == "new" else "old")
        stage.tasks.start_soon(stage.client.close, old)
        if close:
            stage.agent.reply(await stage.agent.expect("session/close"), {})
        await stage.agent.quiet()


@pytest.mark.parametrize(
    "capabilities",
    [
        False,
        [],
        "all",
        {"loadSession": "yes", "sessionCapabilities": {"resume": True, "close": 1}},
        {"loadSession": 1, "sessionCapabilities": False, "promptCapabilities": {"image": "x"}},
        {"mcpCapabilities": {"http": "true"}, "auth": [], "promptCapabilities": None},
    ],
)
async def test_c038_malformed_capabilities_are_none(capabilities: object) -> None:
    async with Stage() as stage:
        session = await stage.start(agentCapabilities=capabilities, agentInfo=5)
        assert stage.client.info is not None
        assert stage.client.info.capabilities == AgentCapabilities()
        await stage.client.close(session)
        await stage.agent.quiet()


@pytest.mark.parametrize(
    ("marker", "offered"),
    [({}, True), ({"_meta": {}}, True), ({"zzz": 1}, True), (None, False), (True, False)],
)
async def test_c039_an_object_means_yes(marker: object, *, offered: bool) -> None:
    async with Stage() as stage:
        capabilities = {"sessionCapabilities": {"close": marker}}
        session = await stage.start(agentCapabilities=capabilities)
        stage.tasks.start_soon(stage.client.close, session)
        await stage.until(lambda: session.state.status == "closed")
        if offered:
            stage.agent.reply(await stage.agent.expect("session/close"), {})
        await stage.agent.quiet()


async def test_c040_bad_auth_methods_are_skipped() -> None:
    async with Stage() as stage:
        session = stage.launch()
        methods = [5, {"id": "a", "name": "Log in with A"}, {"id": "b"}, None]
        await stage.agent.initialize(authMethods=methods)
        stage.agent.refuse(await stage.agent.expect("session/new"), -32000, "auth required")
        await stage.until(lambda: session.state.status == "closed")
        assert stage.client.info is not None
        assert [method.id for method in stage.client.info.auth_methods] == ["a"]
        assert "Log in with A" in notices(session)[-1]
        assert stage.client.state == "needs_login"


@pytest.mark.parametrize("method", ["fs/read_text_file", "fs/write_text_file", *TERMINAL])
async def test_c041_what_was_not_advertised_is_not_served(tmp_path: Path, method: str) -> None:
    params = {
        "sessionId": SESSION,
        "path": str(tmp_path / "file"),
        "content": "x",
        "command": "true",
        "terminalId": "t",
    }
    async with Stage(tmp_path, read_files=False, write_files=False, terminals=False) as stage:
        await stage.start()
        assert _refused(await stage.agent.ask(method, params))
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize("terminals", [True, False])
async def test_c042_the_terminal_methods_are_served_all_or_none(*, terminals: bool) -> None:
    async with Stage(terminals=terminals) as stage:
        stage.launch()
        request = await stage.agent.initialize()
        await stage.agent.open()
        advertised = request["params"]["clientCapabilities"]["terminal"]
        assert advertised is terminals
        for method in TERMINAL:
            answer = await stage.agent.ask(
                method, {"sessionId": SESSION, "terminalId": "t"}, method
            )
            assert _refused(answer) is not advertised


async def test_c046_initialize_is_sent_once(tmp_path: Path) -> None:
    async with whole_stage(tmp_path) as stage:
        await whole_session(stage, tmp_path)
        methods = [message.get("method") for message in stage.agent.received]
        assert methods.count("initialize") == 1
        assert methods[0] == "initialize"


@pytest.mark.parametrize(
    ("code", "error", "advice"),
    [
        (-32602, "unsupported protocol version", "agents.scripted.protocol = 'auto'"),
        (-32603, "no disk", ":Acp log scripted"),
    ],
)
async def test_c047_an_error_to_initialize_is_readable(code: int, error: str, advice: str) -> None:
    async with Stage() as stage:
        session = stage.launch()
        request = await stage.agent.expect("initialize")
        stage.agent.refuse(request, code, error)
        await stage.agent.closed()
        await stage.until(lambda: stage.over)
        assert stage.client.state == "failed"
        assert error in notices(session)[-1]
        assert advice in notices(session)[-1]


@pytest.mark.parametrize("result", [None, "hello", [], {"protocolVersion": 1, "agentInfo": []}])
async def test_c047_a_strange_answer_to_initialize_is_no_crash(result: object) -> None:
    async with Stage() as stage:
        session = stage.launch()
        stage.agent.reply(await stage.agent.expect("initialize"), result)
        if isinstance(result, dict):
            await stage.agent.open()
            await stage.until(lambda: session.state.status == "idle")
        else:
            await stage.until(lambda: stage.over)
            assert session.state.status == "closed"
            assert notices(session)


@pytest.mark.parametrize(
    ("info", "label"),
    [
        ({"name": "gem", "title": "Gemini CLI", "version": "1.2"}, "scripted (Gemini CLI 1.2)"),
        ({"name": "gem", "version": "1.2"}, "scripted (gem 1.2)"),
        ({"name": "gem", "title": None, "version": 5}, "scripted (gem)"),
        ({"name": "Scripted", "version": "1"}, "scripted 1"),
        (None, "scripted"),
    ],
)
async def test_c048_the_agent_is_shown_by_title_and_version(info: object, label: str) -> None:
    async with Stage() as stage:
        session = await stage.start(agentInfo=info)
        shown = winbar(session.state, title=stage.client.label, now=0.0).text
        assert label in shown.split(" · ")


def _refused(answer: dict[str, Any]) -> bool:
    return bool(answer.get("error", {}).get("code") == -32601)


async def test_c045_custom_capabilities_stand_under_meta():
    async with Stage() as stage:
        stage.launch()
        told = (await stage.agent.initialize())["params"]["clientCapabilities"]
        assert told["_meta"] == {"terminal_output": True}
        assert set(told) <= {
            "fs",
            "terminal",
            "session",
            "auth",
            "elicitation",
            "subagents",
            "_meta",
        }
