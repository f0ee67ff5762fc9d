"""Agents that nobody uses are ended, and come back when one of their sessions is chosen."""

from __future__ import annotations

import pytest

from acp_nvim import app as program
from acp_nvim.reactions import idle
from acp_nvim.session.state import Notice
from acp_nvim.workspace.session_list import open_rows
from tests.faults.whole_app import CHAT, LOADS, WholeApp
from tests.support.agents.scripted_agent import SESSION

LIST = 9
SOON = 0.005
"""Minutes."""


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "TICK", 0.01)


async def configure(app: WholeApp, minutes: float) -> None:
    options = {"agents": {"scripted": {"command": "true"}}, "idle_minutes": minutes}
    paths = {"root": "/", "state": str(app.state), "data": str(app.work)}
    await app.ask("configure", {"options": options, "paths": paths})


async def test_an_idle_agent_is_ended_and_its_session_is_opened_again_when_chosen() -> None:
    async with WholeApp() as app:
        await app.open()
        await app.job()
        first = app.client
        await app.ask("list_sessions", {"list": LIST, "file": "", "cwd": "/", "sidebar": True})
        await configure(app, SOON)
        await app.until(lambda: first.state == "closed")
        [row] = open_rows(app.host.workspace.chats, 0.0)
        assert (row.chat, row.state) == (CHAT, "closed")
        assert "was ended after" in app.chat.suspended
        assert app.host.left_open.elsewhere(app.session.state.key) is False
        await configure(app, 0)
        chosen = {"list": LIST, "agent": "scripted", "session": SESSION, "chat": CHAT}
        app.app.receive("session", chosen | {"action": "open"}, None)
        await app.until(lambda: len(app.links) == 2)
        await app.agent.initialize(**LOADS)
        request = await app.agent.expect("session/load")
        app.agent.reply(request, {})
        await app.until(lambda: app.session.state.status == "idle")
        assert not app.chat.suspended
        texts = [it.text for it in app.session.state.entries if isinstance(it, Notice)]
        assert "was ended after" not in str(texts)


async def test_an_agent_that_works_or_is_not_to_be_ended_stays() -> None:
    async with WholeApp() as app:
        await app.open()
        await app.job()
        idle.tick(app.host)
        assert not app.host.workspace.idle_since and idle.patience(app.host) is None
        await app.ask("prompt", {"chat": CHAT, "text": "go", "selections": [], "bang": False})
        await app.agent.expect("session/prompt")
        await configure(app, SOON)
        idle.tick(app.host)
        assert not app.host.workspace.idle_since and app.client.state == "ready"
