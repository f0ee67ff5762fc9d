"""Sub-agents with sessions of their own (unstable): RFD subagents, `subagent_update`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_nvim.client.registry import MOST_CHILDREN, TOO_MANY
from acp_nvim.client.session import Session
from acp_nvim.errors import UserError
from acp_nvim.session.state import SubAgent
from acp_nvim.session.sub_agents import activity
from tests.conformance.version2.saying import state, text
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import Stage, notices, texts, tool

OPTIONS = [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]


async def announce(stage: Stage, child: str = "child", **fields: Any) -> None:
    stage.agent.update("subagent_update", **({"session": SESSION} | fields), sessionId=child)
    await stage.agent.quiet()


def children(stage: Stage) -> list[Session]:
    return stage.client.registry.children()


async def begun(stage: Stage, version: int) -> Session:
    """Return an open session in which a turn runs."""
    session = await (stage.start() if version == 1 else stage.start_2())
    request = await stage.turn(session)
    if version == 2:
        stage.agent.reply(request, {"messageId": "u1"})
        state(stage.agent, "running")
        await stage.agent.quiet()
    return session


def say(stage: Stage, child: str, said: str) -> None:
    """Let a sub-agent say something, as both versions know it."""
    stage.agent.update("agent_message_chunk", session=child, content=text(said), messageId="m")


def only(session: Session) -> SubAgent:
    (found,) = session.state.sub_agents
    return found


async def test_the_client_understands_them() -> None:
    async with Stage() as stage:
        stage.launch()
        told = (await stage.agent.initialize())["params"]["clientCapabilities"]
        assert told["subagents"] == {}


@pytest.mark.parametrize("version", [1, 2])
async def test_one_is_a_session_of_its_own_below_its_agents(version: int) -> None:
    async with Stage(protocol=version) as stage:
        session = await begun(stage, version)
        await announce(stage, title="Tests for stats", state={"state": "running"})
        (child,) = children(stage)
        assert (child.id, child.state.parent, child.state.status) == ("child", SESSION, "running")
        assert child.state.title == "Tests for stats"
        found = only(session)
        assert (found.name, activity(session.state, found)) == ("tests-for-stats", "running")
        say(stage, "child", "I look")
        await stage.agent.quiet()
        assert texts(child) == ["I look"]
        assert not texts(session)
        await announce(stage, state={"state": "idle", "stopReason": "end_turn"})
        assert child.state.status == "idle"
        assert activity(session.state, only(session)) == "done"
        assert session.state.status == "running"
        await announce(stage, state={"state": "running"})
        assert (child.state.status, child.state.turn) == ("running", 2)


async def test_in_version_2_it_says_itself_what_it_is_at() -> None:
    async with Stage(protocol=2) as stage:
        await begun(stage, 2)
        await announce(stage)
        (child,) = children(stage)
        assert child.state.status == "idle"
        stage.agent.update("state_update", session="child", state="running")
        await stage.agent.quiet()
        assert child.state.status == "running"
        stage.agent.update("state_update", session="child", state="idle", stopReason="end_turn")
        await announce(stage, state={"state": "idle", "stopReason": "end_turn"})
        assert (child.state.status, child.state.turn) == ("idle", 1)


async def test_fields_that_are_absent_stay_and_null_clears() -> None:
    async with Stage() as stage:
        session = await begun(stage, 1)
        running = {"state": "running"}
        await announce(stage, title="Look", capabilities={"cancel": {}}, state=running)
        await announce(stage)
        (child,) = children(stage)
        assert (child.state.cancellable, only(session).title) == (True, "Look")
        await announce(stage, title=None, capabilities=None, state=None)
        assert (child.state.cancellable, only(session).title) == (False, "")
        # neither idle nor stopped: nothing is known of it any more
        assert (only(session).activity, child.state.status) == ("", "running")


async def test_what_it_asks_is_asked_in_it() -> None:
    async with Stage() as stage:
        session = await begun(stage, 1)
        await announce(stage, title="Look")
        (child,) = children(stage)
        call = {"toolCallId": "call-1", "title": "rm x", "kind": "execute"}
        params = {"sessionId": "child", "toolCall": call, "options": OPTIONS}
        stage.agent.request("session/request_permission", params, 7)
        await stage.until(lambda: child.state.questions)
        assert not session.state.questions
        assert tool(child).title == "rm x"
        stage.choose(child.state.questions[0].id, "yes")
        answer = await stage.agent.answer_to(7)
        assert answer["result"]["outcome"] == {"outcome": "selected", "optionId": "yes"}


async def test_it_takes_no_prompt_and_no_setting() -> None:
    async with Stage() as stage:
        await begun(stage, 1)
        await announce(stage, state={"state": "running"})
        (child,) = children(stage)
        with pytest.raises(UserError, match="takes no prompts"):
            stage.prompt(child, "do it otherwise")
        with pytest.raises(UserError, match="takes no prompts"):
            await stage.client.set_mode(child, "plan")
        with pytest.raises(UserError, match="cannot be cancelled by itself"):
            stage.client.cancel(child)
        await stage.client.close(child)
        await stage.agent.quiet()
        assert child.state.status == "running"


async def test_it_is_cancelled_where_the_agent_lets_it() -> None:
    async with Stage() as stage:
        await begun(stage, 1)
        await announce(stage, capabilities={"cancel": {}}, state={"state": "running"})
        (child,) = children(stage)
        stage.client.cancel(child)
        assert (await stage.agent.expect("session/cancel"))["params"] == {"sessionId": "child"}
        await announce(stage, state={"state": "idle", "stopReason": "cancelled"})
        assert child.state.status == "idle"


async def test_cancelling_its_agent_withdraws_its_questions() -> None:
    async with Stage() as stage:
        session = await begun(stage, 1)
        await announce(stage)
        (child,) = children(stage)
        params = {"sessionId": "child", "toolCall": {"toolCallId": "c"}, "options": OPTIONS}
        stage.agent.request("session/request_permission", params, 7)
        await stage.until(lambda: child.state.questions)
        stage.client.cancel(session)
        assert (await stage.agent.answer_to(7))["result"]["outcome"] == {"outcome": "cancelled"}


async def test_an_agent_cannot_take_a_session_for_a_sub_agent_that_is_none() -> None:
    async with Stage() as stage:
        session = await begun(stage, 1)
        other = await stage.start_another("other")
        for child in ("other", SESSION):
            await announce(stage, child, title="mine", state={"state": "idle"})
        assert (other.state.parent, other.state.title) == ("", None)
        assert session.state.status == "running"
        await announce(stage, "child")
        await announce(stage, "child", session="other", title="theirs")
        (child,) = children(stage)
        assert (child.state.parent, child.state.title) == (SESSION, None)
        await announce(stage, SESSION, session="child")
        assert session.state.parent == ""


async def test_a_folder_outside_is_not_its(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    async with Stage(tmp_path) as stage:
        await begun(stage, 1)
        await announce(stage, "a", cwd="/")
        await announce(stage, "b", cwd=str(tmp_path / "in"))
        folders = [it.state.cwd for it in children(stage)]
        assert folders == [str(tmp_path), str((tmp_path / "in").resolve())]


async def test_it_ends_with_the_session_that_has_begun_it() -> None:
    async with Stage() as stage:
        session = await begun(stage, 1)
        await announce(stage, "child", state={"state": "running"})
        await announce(stage, "grandchild", session="child", state={"state": "running"})
        one, two = children(stage)
        await stage.client.close(session)
        assert [it.state.status for it in (one, two)] == ["closed", "closed"]
        assert not children(stage)


async def test_messages_between_sessions_are_shown_on_both_sides() -> None:
    async with Stage() as stage:
        session = await begun(stage, 1)
        await announce(stage, title="Look")
        (child,) = children(stage)
        sides = {"senderSessionId": SESSION, "recipientSessionId": "child"}
        said = {"content": [text("look at ")]}
        stage.agent.update("session_message", messageId="p", **sides, **said)
        stage.agent.update("session_message_chunk", messageId="p", content=text("stats.py"))
        stage.agent.update(
            "session_message_chunk", session="child", messageId="c", content=text("l")
        )
        stage.agent.update("session_message", session="child", messageId="c", **sides, **said)
        await stage.agent.quiet()
        assert texts(session) == ["look at stats.py"]
        assert texts(child, "user") == ["look at "]
        back = {"senderSessionId": "child", "recipientSessionId": SESSION}
        stage.agent.update("session_message", messageId="q", **back, content=[text("done")])
        await stage.agent.quiet()
        assert texts(session) == ["look at stats.py", "done"]
        assert [getattr(it, "peer", "") for it in session.state.entries][-2:] == [
            "to Look",
            "from Look",
        ]


async def test_a_session_that_is_loaded_has_its_sub_agents_again() -> None:
    async with Stage() as stage:
        stage.launch()
        await stage.agent.initialize(agentCapabilities={"loadSession": True})
        await stage.agent.open()
        session = stage.reopen("old")
        request = await stage.agent.expect("session/load")
        stage.agent.update("subagent_update", session="old", sessionId="child", title="Look")
        say(stage, "child", "I look")
        await stage.agent.quiet()
        (child,) = children(stage)
        assert child.state.status == "loading"
        stage.agent.reply(request, {})
        await stage.until(lambda: session.state.status == "idle")
        await stage.until(lambda: child.state.status == "idle")
        assert texts(child) == ["I look"]


async def test_of_very_many_those_that_have_nothing_to_do_make_room() -> None:
    async with Stage() as stage:
        session = await begun(stage, 1)
        for number in range(MOST_CHILDREN):
            await announce(
                stage, f"{number}", state={"state": "idle" if number == 3 else "running"}
            )
        oldest = children(stage)[3]
        await announce(stage, "one more")
        assert (oldest.id, oldest.state.status) == ("3", "closed")
        assert children(stage)[-1].id == "one more"
        await announce(stage, "one more", state={"state": "running"})
        for _ in range(2):
            await announce(stage, "too many")
        assert len(children(stage)) == MOST_CHILDREN
        assert notices(session) == [TOO_MANY]


@pytest.mark.parametrize(
    "fields",
    [
        {"sessionId": 5},
        {"sessionId": None},
        {"sessionId": ""},
        {"state": 5},
        {"state": {"state": 7}},
        {"state": {"state": "_new", "x": 1}},
        {"capabilities": [], "title": 7, "cwd": 5},
        {"cwd": "relative", "additionalDirectories": "x"},
    ],
)
async def test_a_malformed_one_harms_nothing(fields: dict[str, Any]) -> None:
    async with Stage() as stage:
        session = await begun(stage, 1)
        update = {"sessionUpdate": "subagent_update", "sessionId": "child"} | fields
        stage.agent.notify("session/update", {"sessionId": SESSION, "update": update})
        await stage.agent.quiet()
        assert session.state.status == "running"
        assert len(children(stage)) <= 1
