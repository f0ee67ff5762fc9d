"""All that is said to an agent is in the dialect that it was asked for, and has agreed to."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from acp_nvim.protocol import negotiate
from acp_nvim.protocol.records import AgentNotification, Call, TurnResult
from acp_nvim.protocol.v1.dialect import V1
from acp_nvim.session.content import Content
from tests.conformance.connection.burst import burst
from tests.support.agents import scripted_agent
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import Stage, texts

CHUNK = {
    "sessionUpdate": "agent_message_chunk",
    "content": {"type": "text", "text": "in the other dialect"},
}
UPDATE = {"sessionId": SESSION, "update": CHUNK}


class Other:
    """A dialect with method names of its own, in which a prompt's answer ends no turn."""

    version = 2

    def __getattr__(self, name: str) -> object:
        return getattr(V1(), name)

    def prompt(self, session_id: str, blocks: Sequence[Content]) -> Call:
        return "other/prompt", V1().prompt(session_id, blocks)[1]

    def cancel_request(self, request_id: str | int) -> Call:
        return "other/cancel_request", {"id": request_id}

    def decode_prompt(self, result: object) -> TurnResult | None:
        return None

    def read_update(self, line: bytes | str) -> None:
        """Nothing comes by thousands in it."""

    def decode_notification(self, method: str, params: object) -> AgentNotification | None:
        known = method == "other/update"
        return V1().decode_notification("session/update", params) if known else None


@pytest.fixture(autouse=True)
def other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(negotiate._DIALECTS, 2, Other)
    # the schema is that of version 1
    monkeypatch.setattr(scripted_agent, "validate_client_message", lambda *_: None)


async def test_it_is_spoken_from_the_first_message_on() -> None:
    async with Stage(protocol=2) as stage:
        stage.launch()
        request = await stage.agent.expect("initialize")
        stage.agent.notify("session/update", UPDATE)
        await stage.agent.quiet()
        assert "dropped" not in stage.logged()
        with burst(stage.agent):
            stage.agent.reply(request, {"protocolVersion": 2})
            stage.agent.notify("other/update", UPDATE)
        opening = await stage.agent.expect("session/new")
        assert "dropped" in stage.logged()  # it was understood, though of no session yet
        stage.agent.reply(opening, {"sessionId": SESSION})


async def test_all_that_is_sent_and_taken_is_in_the_agreed_dialect() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start(protocolVersion=2)
        assert stage.client.ready is not None
        assert stage.client.ready.agent.dialect.version == 2
        stage.prompt(session, "go")
        await stage.agent.expect("other/prompt")
        stage.agent.notify("other/update", UPDATE)
        stage.agent.notify("session/update", UPDATE)
        await stage.agent.quiet()
        assert texts(session) == ["in the other dialect"]


async def test_a_request_is_cancelled_in_the_agreed_dialect() -> None:
    async with Stage(protocol=2) as stage:
        await stage.start(protocolVersion=2)
        opening = stage.session()
        stage.tasks.start_soon(stage.client.open, opening)
        request = await stage.agent.expect("session/new")
        stage.client.cancel(opening)
        cancel = await stage.agent.expect("other/cancel_request")
        assert cancel["params"] == {"id": request["id"]}


async def test_an_answer_that_only_says_that_the_turn_has_begun_does_not_end_it() -> None:
    async with Stage(protocol=2) as stage:
        session = await stage.start(protocolVersion=2)
        stage.prompt(session, "go")
        stage.prompt(session, "then")
        stage.agent.reply(await stage.agent.expect("other/prompt"), {"messageId": "m"})
        await stage.agent.quiet()
        assert session.state.status == "running"
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        await stage.agent.quiet()
