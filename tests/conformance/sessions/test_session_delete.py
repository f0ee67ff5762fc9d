"""Obligations C-103 and C-104: sessions are deleted; the question before it is an editor test."""

from __future__ import annotations

import pytest

from acp_nvim.errors import UserError
from tests.conformance.connection.whole import EVERYTHING
from tests.support.stage import PROJECT, Stage


@pytest.mark.parametrize("marker", [None, False, True])
async def test_c103_no_delete_without_the_capability(marker: object) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities={"sessionCapabilities": {"delete": marker}})
        assert await stage.client.ready.listing.delete("old") is False
        await stage.agent.quiet()


async def test_c103_delete_names_the_session_and_a_new_list_lacks_it() -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=EVERYTHING)
        done: list[object] = []

        async def delete() -> None:
            done.append(await stage.client.ready.listing.delete("old one"))
            done.append(await stage.client.ready.listing.all(PROJECT))
            stage._notify()

        stage.tasks.start_soon(delete)
        request = await stage.agent.expect("session/delete")
        assert request["params"] == {"sessionId": "old one"}
        stage.agent.reply(request, {})
        stage.agent.reply(await stage.agent.expect("session/list"), {"sessions": []})
        await stage.until(lambda: len(done) == 2)
        assert done == [True, ()]


async def test_c103_a_refusal_is_told() -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=EVERYTHING)
        said: list[str] = []

        async def delete() -> None:
            try:
                await stage.client.ready.listing.delete("old")
            except UserError as error:
                said.append(str(error))
            stage._notify()

        stage.tasks.start_soon(delete)
        stage.agent.refuse(await stage.agent.expect("session/delete"), -32603, "it is in use")
        await stage.until(lambda: said)
        assert said == ["scripted did not delete the session: it is in use"]


async def test_c104_the_active_session_is_closed_first() -> None:
    """The question itself is asked in `editor/test_sessions.py`."""
    async with Stage() as stage:
        session = await stage.start(agentCapabilities=EVERYTHING)
        prompt = await stage.turn(session)

        async def delete() -> None:
            await stage.client.close(session)
            await stage.client.ready.listing.delete(session.id or "")

        stage.tasks.start_soon(delete)
        await stage.agent.expect("session/cancel")
        stage.agent.reply(prompt, {"stopReason": "cancelled"})
        stage.agent.reply(await stage.agent.expect("session/close"), {})
        stage.agent.reply(await stage.agent.expect("session/delete"), {})
        await stage.agent.quiet()
        assert session.state.status == "closed"
