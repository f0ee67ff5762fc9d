"""C-265 to C-277: plan, slash commands, title and usage, whenever the agent tells them."""

from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.client.session import Session
from acp_nvim.session.model import Command, Cost
from acp_nvim.view.status import completed, summary
from tests.conformance.connection.probe import bar, chat, shows
from tests.support.stage import Stage


def step(content: str, status: str = "pending", priority: str = "medium") -> dict[str, str]:
    """Return an entry of a plan."""
    return {"content": content, "status": status, "priority": priority}


async def told(stage: Stage, session: Session, update: str, **fields: Any) -> None:
    """Send an update and wait until it is handled."""
    stage.agent.update(update, **fields)
    await stage.agent.quiet()


async def test_c265_a_plan_replaces_the_one_before():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        steps = [step("dig", "completed"), step("fill", "in_progress"), step("rest")]
        await told(stage, session, "plan", entries=steps)
        assert chat(session)[1:] == ["Plan 1/3", "☑ dig", "◐ fill", "☐ rest"]
        await told(stage, session, "plan", entries=[step("only")])
        assert chat(session)[1:] == ["Plan 0/1", "☐ only"]
        await told(stage, session, "plan", entries=[])
        assert session.state.plan is None and not shows(session, "Plan")


async def test_c266_unknown_statuses_are_kept():
    async with Stage() as stage:
        session = await stage.start()
        entries = [step("wait", "blocked", "urgent"), {"content": "bare"}, {"status": "pending"}]
        await told(stage, session, "plan", entries=entries)
        assert chat(session) == ["Plan 0/2", "• wait", "☐ bare"]


async def test_c267_a_plan_is_that_of_its_session():
    async with Stage() as stage:
        session = await stage.start()
        other = await stage.start_another("other")
        stage.agent.update("plan", "other", entries=[step("theirs")])
        await told(stage, session, "plan", entries=[step("ours")])
        assert chat(session) == ["Plan 0/1", "☐ ours"]
        assert chat(other) == ["Plan 0/1", "☐ theirs"]


async def test_c268_commands_are_replaced():
    async with Stage() as stage:
        session = await stage.start()
        both = [{"name": "web", "description": "search"}, {"name": "test", "description": "run"}]
        await told(stage, session, "available_commands_update", availableCommands=both)
        assert [it["name"] for it in completed(session.state.commands)] == ["web", "test"]
        await told(stage, session, "available_commands_update", availableCommands=both[1:])
        assert [it["name"] for it in completed(session.state.commands)] == ["test"]
        await told(stage, session, "available_commands_update", availableCommands=[])
        assert completed(session.state.commands) == []


@pytest.mark.parametrize("text", ["/web x", "/web  two  spaces\nand a line", "/web"])
async def test_c269_a_command_is_ordinary_text(text: str):
    async with Stage() as stage:
        session = await stage.start()
        known = [{"name": "web", "description": "search"}]
        await told(stage, session, "available_commands_update", availableCommands=known)
        stage.prompt(session, text, "more")
        request = await stage.agent.expect("session/prompt")
        assert request["params"]["prompt"][0] == {"type": "text", "text": text}
        assert len(request["params"]["prompt"]) == 2


async def test_c270_the_hint_of_a_command_is_known():
    async with Stage() as stage:
        session = await stage.start()
        commands = [
            {"name": "web", "description": "search", "input": {"hint": "what to look for"}},
            {"name": "test", "description": "run", "input": None},
            {"name": "free", "description": "takes anything", "input": {}},
        ]
        await told(stage, session, "available_commands_update", availableCommands=commands)
        hints = [command.hint for command in session.state.commands]
        assert hints == ["what to look for", None, ""]
        shown = completed(session.state.commands)
        assert [it.get("hint") for it in shown] == ["what to look for", None, None]


async def test_c271_an_unknown_command_is_sent():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session, "/unknown thing")
        assert request["params"]["prompt"] == [{"type": "text", "text": "/unknown thing"}]


async def test_c272_odd_names_are_taken():
    async with Stage() as stage:
        session = await stage.start()
        commands: list[Any] = [
            {"name": "mcp:foo (bar)", "description": "odd"},
            {"name": "/help", "description": "with a slash"},
            {"name": "bare"},
            {"name": ""},
            {"description": "no name"},
            "none",
        ]
        await told(stage, session, "available_commands_update", availableCommands=commands)
        assert session.state.commands == (
            Command("mcp:foo (bar)", "odd"),
            Command("help", "with a slash"),
            Command("bare", ""),
        )


async def test_c273_omitted_keeps_null_clears_a_value_sets():
    async with Stage() as stage:
        session = await stage.start()
        await told(stage, session, "session_info_update", title="a")
        assert "a" in bar(session)
        await told(stage, session, "session_info_update", updatedAt="2026-01-02T03:04:05Z")
        assert (session.state.title, session.state.updated_at) == ("a", "2026-01-02T03:04:05Z")
        await told(stage, session, "session_info_update", title=None)
        assert (session.state.title, session.state.updated_at) == (None, "2026-01-02T03:04:05Z")
        await told(stage, session, "session_info_update", title=5, updatedAt=None)
        assert (session.state.title, session.state.updated_at) == (None, None)


async def test_c274_long_titles_are_cut():
    async with Stage() as stage:
        session = await stage.start()
        title = "100%\nof it " * 500
        await told(stage, session, "session_info_update", title=title)
        shown = bar(session)
        assert session.state.title == title
        assert "\n" not in shown and len(shown) < 300
        assert "100%" in shown  # tests/editor/chat/test_bar.py: no item of the status line


@pytest.mark.parametrize(
    ("usage", "look"),
    [
        ({"used": 12_000, "size": 200_000}, "12k/200k (6%)"),
        ({"used": 10, "size": 0}, "10"),
        ({"used": 300, "size": 100}, "300/100 (300%)"),
        ({"used": 1, "size": 10, "cost": {"amount": 0.5, "currency": "XBT"}}, "0.50 XBT"),
        ({"used": 1, "size": 10, "cost": None}, "1/10 (10%)"),
        ({"used": 1, "size": 10, "cost": {"amount": "much"}}, "1/10 (10%)"),
    ],
)
async def test_c275_usage_is_shown(usage: dict[str, Any], look: str):
    async with Stage() as stage:
        session = await stage.start()
        await told(stage, session, "usage_update", **usage)
        assert look in bar(session).replace("%%", "%")


async def test_c276_usage_is_state_and_no_increment():
    async with Stage() as stage:
        session = await stage.start()
        cost = {"amount": 1.5, "currency": "EUR"}
        await told(stage, session, "usage_update", used=100, size=1000, cost=cost)
        cost = {"amount": 2.0, "currency": "EUR"}
        await told(stage, session, "usage_update", used=50, size=1000, cost=cost)
        status = summary(session.state)
        assert (status["used"], status["size"]) == (50, 1000)
        assert status["cost"] == {"amount": 2.0, "currency": "EUR"}
        await told(stage, session, "usage_update", used=60, size=1000)
        assert session.state.usage and session.state.usage.cost == Cost(2.0, "EUR")


async def test_c277_all_are_taken_when_no_turn_runs():
    async with Stage() as stage:
        session = await stage.start()
        assert session.state.status == "idle" and session.state.turn == 0
        stage.agent.update("plan", entries=[step("dig")])
        commands = [{"name": "web", "description": "search"}]
        stage.agent.update("available_commands_update", availableCommands=commands)
        stage.agent.update("session_info_update", title="Idle talk")
        await told(stage, session, "usage_update", used=1, size=10)
        state = session.state
        assert state.plan and state.commands and state.usage and state.title == "Idle talk"
        assert state.status == "idle"
