"""A request that the agent never answers, or late: the user is told, and may give it up."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest
from msgspec.structs import replace

from acp_nvim.client import listing, login, opening, settings
from acp_nvim.client import session as told
from acp_nvim.config import Defaults
from acp_nvim.errors import UserError
from acp_nvim.view.chat.transcript import render
from tests.support.stage import PROJECT, Stage, notices

MODES = {
    "availableModes": [{"id": "ask", "name": "Ask"}, {"id": "plan", "name": "Plan"}],
    "currentModeId": "ask",
}
CONFIG = [
    {
        "id": "effort",
        "name": "Effort",
        "type": "select",
        "currentValue": "low",
        "options": [{"value": "low", "name": "Low"}, {"value": "high", "name": "High"}],
    }
]


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time be up at once."""
    monkeypatch.setattr(opening, "SLOW", 0.0)
    monkeypatch.setattr(told, "SLOW", 0.0)


class Asked:
    """A wish of the user's whose end is kept."""

    def __init__(self, stage: Stage, wish: Callable[[], Awaitable[Any]]) -> None:
        self.error = ""
        self.done = anyio.Event()
        self._wish = wish
        stage.tasks.start_soon(self._run)

    async def _run(self) -> None:
        try:
            await self._wish()
        except UserError as error:
            self.error = str(error)
        self.done.set()


async def opened(stage: Stage) -> Any:
    session = stage.launch()
    await stage.agent.initialize(agentCapabilities={"sessionCapabilities": {"setTitle": {}}})
    await stage.agent.open(modes=MODES, configOptions=CONFIG)
    await stage.until(lambda: session.state.status == "idle")
    return session


async def test_a_mode_that_is_not_answered_is_told_given_up_and_taken_late() -> None:
    async with Stage() as stage:
        session = await opened(stage)
        asked = Asked(stage, lambda: stage.client.set_mode(session, "plan"))
        request = await stage.agent.expect("session/set_mode")
        await stage.until(lambda: any("to switch to mode plan" in it for it in notices(session)))
        assert "to switch to mode plan" in notices(session)[-1]
        assert ":Acp cancel gives the request up" in notices(session)[-1]
        stage.client.cancel(session)
        await asked.done.wait()
        assert asked.error == "scripted did not switch to mode plan: the request is given up"
        assert not notices(session)
        assert session.state.mode == "ask"
        cancelled = await stage.agent.next()
        assert cancelled["params"] == {"requestId": request["id"]}
        stage.agent.reply(request, {})
        await stage.agent.quiet()
        assert session.state.mode == "plan", "the agent has switched all the same"
        with pytest.raises(UserError):
            stage.client.cancel(session)


async def test_an_option_that_is_refused_late_stays_as_it_is() -> None:
    async with Stage() as stage:
        session = await opened(stage)
        asked = Asked(stage, lambda: stage.client.set_option(session, "effort", "high"))
        request = await stage.agent.expect("session/set_config_option")
        await stage.until(lambda: any("to set effort" in it for it in notices(session)))
        stage.client.cancel(session)
        await asked.done.wait()
        assert "given up" in asked.error
        await stage.agent.next()
        stage.agent.refuse(request, -32800, "cancelled")
        await stage.agent.quiet()
        assert session.state.config[0].value == "low"


async def test_an_answer_after_the_notice_is_as_any_other() -> None:
    async with Stage() as stage:
        session = await opened(stage)
        asked = Asked(stage, lambda: stage.client.set_mode(session, "plan"))
        request = await stage.agent.expect("session/set_mode")
        await stage.until(lambda: any("to switch to mode plan" in it for it in notices(session)))
        stage.agent.reply(request, {})
        await asked.done.wait()
        assert (asked.error, session.state.mode) == ("", "plan")
        assert not notices(session), "it is over"


async def test_cancel_in_a_turn_is_of_the_turn_and_then_of_the_setting() -> None:
    async with Stage() as stage:
        session = await opened(stage)
        prompt = await stage.turn(session)
        asked = Asked(stage, lambda: stage.client.set_mode(session, "plan"))
        await stage.agent.expect("session/set_mode")
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        assert not asked.done.is_set()
        stage.agent.reply(prompt, {"stopReason": "cancelled"})
        await stage.until(lambda: session.state.status == "idle")
        stage.client.cancel(session)
        await asked.done.wait()
        assert "given up" in asked.error


async def test_a_session_that_is_not_opened_is_told_and_can_be_cancelled() -> None:
    async with Stage() as stage:
        session = stage.launch()
        await stage.agent.initialize()
        await stage.agent.expect("session/new")
        await stage.until(lambda: any("to open this session" in it for it in notices(session)))
        other = stage.open()
        await stage.until(lambda: any("another session first" in it for it in notices(other)))
        stage.client.cancel(session)
        await stage.until(lambda: session.state.status == "closed")
        await stage.agent.expect("$/cancel_request")
        await stage.agent.open()
        await stage.until(lambda: other.state.status == "idle")
        await stage.until(lambda: not notices(other))
        assert not render(other.state, frozenset(), None).blocks.height


async def test_a_session_that_waits_behind_one_that_is_not_opened_can_be_cancelled() -> None:
    async with Stage() as stage:
        first = stage.launch()
        await stage.agent.initialize()
        await stage.agent.expect("session/new")
        second, third = stage.open(), stage.open()
        await stage.until(lambda: any("opens another session first" in it for it in notices(third)))
        stage.client.cancel(second)
        await stage.until(lambda: second.state.status == "closed")
        assert notices(second) == ["This session was not opened: :AcpStart opens another"]
        assert (first.state.status, third.state.status) == ("loading", "loading")
        stage.client.cancel(first)
        assert (await stage.agent.next())["method"] == "$/cancel_request"
        await stage.agent.open("third")
        await stage.until(lambda: third.state.status == "idle")
        assert second.state.status == "closed"


@pytest.mark.parametrize("way", ["load", "resume"])
async def test_a_session_that_is_not_opened_again_is_told(way: str) -> None:
    able: dict[str, Any] = {"sessionCapabilities": {"resume": {}}}
    async with Stage() as stage:
        await stage.start(agentCapabilities={"loadSession": True} if way == "load" else able)
        session = stage.reopen("old")
        await stage.agent.expect(f"session/{way}")
        await stage.until(lambda: any("to open this session" in it for it in notices(session)))
        stage.client.cancel(session)
        await stage.until(lambda: session.state.status == "closed")


@pytest.mark.parametrize("way", ["new", "load", "resume"])
async def test_a_session_that_comes_after_it_was_given_up_is_closed_with_the_agent(
    way: str,
) -> None:
    able = {"close": {}, **({"resume": {}} if way == "resume" else {})}
    capabilities = {"loadSession": way == "load", "sessionCapabilities": able}
    async with Stage() as stage:
        await stage.start(agentCapabilities=capabilities)
        session = stage.open() if way == "new" else stage.reopen("late")
        request = await stage.agent.expect(f"session/{way}")
        stage.client.cancel(session)
        await stage.agent.expect("$/cancel_request")
        stage.agent.reply(request, {"sessionId": "late"} if way == "new" else {})
        closing = await stage.agent.expect("session/close")
        assert closing["params"]["sessionId"] == "late"
        assert session.state.status == "closed"


async def test_what_was_opened_again_meanwhile_is_not_closed_for_an_answer_that_was_late() -> None:
    capabilities = {"loadSession": True, "sessionCapabilities": {"close": {}}}
    async with Stage() as stage:
        await stage.start(agentCapabilities=capabilities)
        first = stage.reopen("late")
        request = await stage.agent.expect("session/load")
        stage.client.cancel(first)
        await stage.agent.expect("$/cancel_request")
        second = stage.reopen("late")
        again = await stage.agent.expect("session/load")
        stage.agent.reply(request, {})
        stage.agent.reply(again, {})
        await stage.until(lambda: second.state.status == "idle")
        await stage.agent.quiet()


async def test_a_fork_that_is_not_answered_is_told() -> None:
    async with Stage() as stage:
        session = await stage.start(agentCapabilities={"sessionCapabilities": {"fork": {}}})
        forked = stage.session()
        asked = Asked(stage, lambda: stage.client.fork(forked, session.id or ""))
        await stage.agent.expect("session/fork")
        await stage.until(lambda: any("to open this session" in it for it in notices(forked)))
        stage.client.cancel(forked)
        await asked.done.wait()
        assert "not forked" in asked.error


async def test_defaults_that_are_not_answered_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "BEGINNING", 0.05)
    monkeypatch.setattr(told, "SLOW", 10.0)
    async with Stage() as stage:
        services = replace(stage.client._services, defaults=lambda: Defaults(mode="plan"))
        stage.client._services = services
        session = stage.launch()
        await stage.agent.initialize()
        await stage.agent.open(modes=MODES)
        request = await stage.agent.expect("session/set_mode")
        await stage.until(lambda: any("agents.scripted.defaults" in it for it in notices(session)))
        await stage.agent.expect("$/cancel_request")
        stage.agent.reply(request, {})
        await stage.agent.quiet()
        assert session.state.mode == "plan"


LISTING: dict[str, Any] = {"list": {}, "delete": {}, "archive": {}, "setTitle": {}}


@pytest.mark.parametrize("deed", ["delete", "archive", "rename"])
async def test_what_is_done_with_a_session_is_given_up_in_time(
    monkeypatch: pytest.MonkeyPatch, deed: str
) -> None:
    monkeypatch.setattr(listing, "ANSWERING", 0.0)
    async with Stage() as stage:
        await stage.start(agentCapabilities={"sessionCapabilities": LISTING})
        assert stage.client.ready is not None
        known = stage.client.ready.listing
        known._capabilities = replace(known._capabilities, delete=True, archive=True, title=True)
        wish = {
            "delete": lambda: known.delete("s"),
            "archive": lambda: known.archive("s"),
            "rename": lambda: known.rename("s", "t"),
        }[deed]
        asked = Asked(stage, wish)
        await asked.done.wait()
        assert f"to {deed} it within" in asked.error and ":Acp log scripted" in asked.error


async def test_a_list_that_is_not_told_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "LISTING", 0.05)
    async with Stage() as stage:
        await stage.start(agentCapabilities={"sessionCapabilities": {"list": {}}})
        assert stage.client.ready is not None
        known = stage.client.ready.listing
        assert await known.all(PROJECT) == () and known.late
        request = await stage.agent.expect("session/list")
        await stage.agent.expect("$/cancel_request")
        asked = Asked(stage, lambda: known.all(PROJECT))
        again = await stage.agent.expect("session/list")
        stage.agent.reply(request, {"sessions": []})
        stage.agent.reply(again, {"sessions": []})
        await asked.done.wait()
        assert not known.late


async def test_a_logout_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login, "ANSWERING", 0.0)
    async with Stage() as stage:
        await stage.start(agentCapabilities={"auth": {"logout": {}}})
        assert stage.client.ready is not None
        asked = Asked(stage, stage.client.ready.login.logout)
        await asked.done.wait()
        assert "to log out within" in asked.error
