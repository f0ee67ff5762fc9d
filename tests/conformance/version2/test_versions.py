"""Which version is asked for, and which is spoken then."""

from __future__ import annotations

import pytest

from tests.support.stage import Stage, notices


async def test_c2_001_version_1_is_asked_for_unless_the_user_says_otherwise() -> None:
    async with Stage() as stage:
        stage.launch()
        request = await stage.agent.initialize()
        assert request["params"]["protocolVersion"] == 1
        await stage.agent.open()


@pytest.mark.parametrize("protocol", [2, "auto"])
async def test_c2_002_version_2_is_asked_for_in_its_own_words(protocol: object) -> None:
    async with Stage(protocol=protocol) as stage:
        session = await stage.start_2()
        params = stage.agent.received[0]["params"]
        assert params["protocolVersion"] == 2
        assert params["info"]["name"] == "acp.nvim"
        assert params["capabilities"] == {
            "auth": {"terminal": {}},
            "elicitation": {"form": {}, "url": {}},
        }
        assert stage.client.info is not None
        assert stage.client.info.protocol_version == 2
        assert session.state.status == "idle"


@pytest.mark.parametrize("protocol", [2, "auto"])
async def test_c2_003_an_agent_that_answers_1_is_asked_again_in_1(protocol: object) -> None:
    async with Stage(protocol=protocol) as stage:
        session = stage.launch()
        first = stage.agent
        first.reply(await first.expect("initialize"), {"protocolVersion": 1})
        await stage.until(lambda: stage.agent is not first)
        request = await stage.agent.initialize()
        assert request["params"]["protocolVersion"] == 1
        assert "fs" in request["params"]["clientCapabilities"]
        await stage.agent.open()
        await stage.until(lambda: session.state.status == "idle")
        assert stage.announced == ["connected"]
        assert notices(session) == []


@pytest.mark.parametrize("protocol", [2, "auto"])
async def test_c2_004_an_agent_that_names_its_versions_is_asked_for_one(protocol: object) -> None:
    async with Stage(protocol=protocol) as stage:
        session = stage.launch()
        first = stage.agent
        told = {"requested": 2, "supported": [1]}
        first.refuse(await first.expect("initialize"), -32022, "unsupported", told)
        await stage.until(lambda: stage.agent is not first)
        await stage.agent.initialize()
        await stage.agent.open()
        await stage.until(lambda: session.state.status == "idle")


async def test_c2_004_only_auto_asks_again_one_who_could_not_read_it() -> None:
    async with Stage(protocol="auto") as stage:
        session = stage.launch()
        first = stage.agent
        first.refuse(await first.expect("initialize"), -32602, "clientInfo: Field required")
        await stage.until(lambda: stage.agent is not first)
        await stage.agent.initialize()
        await stage.agent.open()
        await stage.until(lambda: session.state.status == "idle")
    async with Stage(protocol=2) as stage:
        session = stage.launch()
        stage.agent.refuse(await stage.agent.expect("initialize"), -32602, "no")
        await stage.until(lambda: stage.over)
        assert stage.spawned == 1
        assert "refused to initialize" in notices(session)[-1]


@pytest.mark.parametrize(
    ("protocol", "supported", "said"),
    [(2, [3], "update the agent or acp.nvim"), (1, [2], "agents.scripted.protocol = 2")],
)
async def test_c2_005_one_that_speaks_none_of_ours_is_named_with_what_it_speaks(
    protocol: int, supported: list[int], said: str
) -> None:
    async with Stage(protocol=protocol) as stage:
        session = stage.launch()
        told = {"requested": protocol, "supported": supported}
        stage.agent.refuse(await stage.agent.expect("initialize"), -32022, "unsupported", told)
        await stage.until(lambda: stage.over)
        sentence = notices(session)[-1]
        assert said in sentence
        assert f"it speaks {supported[0]}" in sentence


async def test_c2_006_an_answer_of_2_to_1_is_said_and_ends_it() -> None:
    async with Stage() as stage:
        session = stage.launch()
        stage.agent.reply(await stage.agent.expect("initialize"), {"protocolVersion": 2})
        await stage.until(lambda: stage.over)
        assert "asked for 1" in notices(session)[-1]
        assert "protocol = 2" in notices(session)[-1]
