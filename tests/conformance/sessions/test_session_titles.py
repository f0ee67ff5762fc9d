"""C-325 to C-329: what is asked of agents only where they offer it."""

from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.client.session import Session
from tests.conformance.connection.probe import chat
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import PROJECT, AcpError, Stage, texts


def offers(**session: Any) -> dict[str, Any]:
    """Return what an agent answers to `initialize` that offers these."""
    return {"agentCapabilities": {"sessionCapabilities": session}}


async def test_c325_a_title_is_set_and_shown_as_answered():
    async with Stage() as stage:
        session = await stage.start(**offers(title={}))
        stage.tasks.start_soon(stage.client.rename, session, " Fix  it ")
        request = await stage.agent.expect("session/set_title")
        assert request["params"] == {"sessionId": SESSION, "title": " Fix  it "}
        stage.agent.reply(request, {"title": "Fix it"})
        await stage.until(lambda: session.state.title == "Fix it")


async def test_c325_where_it_is_not_offered_only_we_know_it():
    async with Stage() as stage:
        session = await stage.start()
        assert not await stage.client.rename(session, "Fix it")
        assert session.state.title == "Fix it"
        await stage.agent.quiet()


async def test_c325_a_refused_title_is_told():
    async with Stage() as stage:
        session = await stage.start(**offers(title={}))
        told = []

        async def rename() -> None:
            with pytest.raises(AcpError) as caught:
                await stage.client.rename(session, "x")
            told.append(str(caught.value))

        stage.tasks.start_soon(rename)
        stage.agent.refuse(await stage.agent.expect("session/set_title"), -32602, "too short")
        await stage.agent.quiet()
        assert told == ["scripted did not rename the session: too short"]
        assert session.state.title is None


async def test_c326_a_session_is_forked():
    async with Stage() as stage:
        await stage.start(**offers(fork={}))
        assert stage.client.forks
        fork = stage.session()
        stage.tasks.start_soon(stage.client.fork, fork, SESSION)
        request = await stage.agent.expect("session/fork")
        assert request["params"] == {"sessionId": SESSION, "cwd": PROJECT, "mcpServers": []}
        stage.agent.reply(request, {"sessionId": "fork"})
        await stage.until(lambda: fork.state.status == "idle")
        assert fork.id == "fork"
        stage.prompt(fork, "go")
        assert (await stage.agent.expect("session/prompt"))["params"]["sessionId"] == "fork"


async def test_c326_a_fork_that_is_not_offered_or_refused():
    async with Stage() as stage:
        await stage.start()
        assert not stage.client.forks
        with pytest.raises(AcpError, match="scripted cannot fork sessions"):
            await stage.client.fork(stage.session(), SESSION)
        await stage.agent.quiet()
    async with Stage() as stage:
        await stage.start(**offers(fork={}))
        fork = stage.session()

        async def refused() -> None:
            with pytest.raises(AcpError, match="did not fork the session: no"):
                await stage.client.fork(fork, SESSION)

        stage.tasks.start_soon(refused)
        stage.agent.refuse(await stage.agent.expect("session/fork"), -32603, "no")
        await stage.until(lambda: fork.state.status == "closed")
        assert chat(fork) == ["! scripted did not fork the session: no"]


async def test_c327_a_session_is_archived_where_that_is_offered():
    async with Stage() as stage:
        await stage.start(**offers(archive={}))
        assert stage.client.ready is not None
        stage.tasks.start_soon(stage.client.ready.listing.archive, "old")
        request = await stage.agent.expect("session/archive")
        assert request["params"] == {"sessionId": "old"}
        stage.agent.reply(request, {})
        await stage.agent.quiet()
    async with Stage() as stage:
        await stage.start()
        assert stage.client.ready is not None
        with pytest.raises(AcpError, match="scripted cannot archive its sessions"):
            await stage.client.ready.listing.archive("old")
        await stage.agent.quiet()


async def test_what_was_archived_is_listed_where_that_is_asked_for_and_comes_back():
    async with Stage() as stage:
        await stage.start(**offers(archive={}, list={}))
        assert stage.client.ready is not None
        listing = stage.client.ready.listing

        async def ask() -> None:
            found = await listing.all(PROJECT, archived=True)
            await listing.unarchive(found[0].id)

        stage.tasks.start_soon(ask)
        for cursor in ({}, {"cursor": "2"}):
            request = await stage.agent.expect("session/list")
            assert request["params"] == {"cwd": PROJECT, "archived": "only"} | cursor
            page = {"sessions": [{"sessionId": "old", "cwd": PROJECT}]}
            stage.agent.reply(request, page | ({} if cursor else {"nextCursor": "2"}))
        request = await stage.agent.expect("session/unarchive")
        assert request["params"] == {"sessionId": "old"}
        stage.agent.reply(request, {})
    async with Stage() as stage:
        await stage.start(**offers(list={}))
        assert stage.client.ready is not None
        assert await stage.client.ready.listing.all(PROJECT, archived=True) == ()
        with pytest.raises(AcpError, match="scripted cannot unarchive its sessions"):
            await stage.client.ready.listing.unarchive("old")
        await stage.agent.quiet()


async def status_asked(stage: Stage) -> Session:
    """Open a session with an agent that tells of its login."""
    session = stage.launch()
    await stage.agent.initialize(agentCapabilities={"auth": {"status": {}}})
    return session


async def test_c328_the_login_is_known_before_anything_is_refused():
    async with Stage() as stage:
        session = await status_asked(stage)
        calls = {call["method"]: call for call in [await stage.agent.next() for _ in range(2)]}
        stage.agent.reply(calls["auth/status"], {"state": "unauthenticated", "accounts": []})
        stage.agent.reply(calls["session/new"], {"sessionId": SESSION})
        await stage.until(lambda: session.state.status == "idle")
        assert stage.client.auth is not None
        assert stage.client.auth.state == "unauthenticated"
        stage.agent.notify("auth/status_update", {"state": "authenticated", "accounts": []})
        await stage.agent.quiet()
        assert (stage.client.state, stage.client.auth.state) == ("ready", "authenticated")


async def test_c328_it_is_not_asked_for_where_it_is_not_offered_and_a_refusal_does_no_harm():
    async with Stage() as stage:
        await stage.start()
        await stage.agent.quiet()
        assert stage.client.auth is None
    async with Stage() as stage:
        session = await status_asked(stage)
        calls = {call["method"]: call for call in [await stage.agent.next() for _ in range(2)]}
        stage.agent.refuse(calls["auth/status"], -32601, "no")
        stage.agent.reply(calls["session/new"], {"sessionId": SESSION})
        await stage.until(lambda: session.state.status == "idle")
        assert (stage.client.state, stage.client.auth) == ("ready", None)


STEERS = {"_meta": {"steering": {"supported": True}}}


@pytest.mark.parametrize(("outcome", "taken"), [("injected", True), ("promptRequired", False)])
async def test_c329_text_goes_into_the_running_turn(outcome: str, taken: bool):
    async with Stage() as stage:
        session = await stage.start(**STEERS)
        assert stage.client.info is not None and stage.client.info.steering
        assert not await stage.client.steer(session, "early")
        await stage.turn(session)
        answers = []

        async def steer() -> None:
            answers.append(await stage.client.steer(session, "left, please"))

        stage.tasks.start_soon(steer)
        request = await stage.agent.expect("_session/steering")
        assert request["params"]["sessionId"] == SESSION
        assert request["params"]["prompt"] == [{"type": "text", "text": "left, please"}]
        stage.agent.reply(request, {"outcome": outcome})
        await stage.agent.quiet()
        assert answers == [taken]
        assert texts(session, "user") == (["go", "left, please"] if taken else ["go"])


async def test_c329_an_agent_that_does_not_offer_it_is_not_steered():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        assert not await stage.client.steer(session, "left")
        await stage.agent.quiet()
