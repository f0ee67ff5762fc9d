"""Obligations C-077, C-079, C-086, C-087, C-089: the replay of a session."""

from __future__ import annotations

from typing import Any

import pytest

from acp_nvim.agents import CONTEXT_AS_USER
from acp_nvim.client.session import Session
from acp_nvim.session.content import Text
from acp_nvim.session.event import SessionClosed, TranscriptRestored
from acp_nvim.session.saved import untold
from acp_nvim.session.state import Message, Notice, ToolCall
from acp_nvim.view.announcement import announce
from tests.conformance.connection.whole import EVERYTHING
from tests.support.agents.scripted_agent import SESSION
from tests.support.stage import PROJECT, Stage, notices, texts, tool

LOADS = {"loadSession": True}
KEPT = TranscriptRestored(
    (
        Message("user:1#prompt", "user", 1, (Text("kept question"),), local=True),
        Message("agent:1#1", "agent", 1, (Text("kept answer"),)),
    ),
    "Kept",
)


def replay(stage: Stage, *, ids: bool = False) -> None:
    """Say three turns of the session "old"."""
    for turn in range(1, 4):
        text = {"type": "text", "text": f"question {turn}"}
        fields = {"messageId": f"m{turn}"} if ids else {}
        stage.agent.update("user_message_chunk", "old", content=text, **fields)
        thought = {"type": "text", "text": f"thought {turn}"}
        stage.agent.update("agent_thought_chunk", "old", content=thought)
        call = {"toolCallId": f"call-{turn}", "title": "Look", "status": "in_progress"}
        stage.agent.update("tool_call", "old", **call)
        stage.agent.say(f"answer {turn}", "old", **({"messageId": f"a{turn}"} if ids else {}))
    plan = [{"content": "rest", "priority": "low", "status": "pending"}]
    stage.agent.update("plan", "old", entries=plan)


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("<system-reminder>be nice</system-reminder>", []),
        ("<system-reminder>be\nnice</system-reminder>\n\nhello", ["hello"]),
        (
            "hello\n<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>",
            ["hello"],
        ),
        ("what is <system-reminder>a</system-reminder> for?", None),
        ("<system-reminder>is what I said", None),
    ],
)
async def test_c323_reminders_for_the_model_are_not_shown(told: str, shown: list[str] | None):
    async with Stage() as stage:
        await stage.start(agentCapabilities=LOADS)
        session = stage.reopen("old")
        request = await stage.agent.expect("session/load")
        content = {"type": "text", "text": told}
        stage.agent.update("user_message_chunk", "old", content=content)
        stage.agent.say("answer", "old")
        stage.agent.reply(request, {})
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session, "user") == ([told] if shown is None else shown)


def kinds(session: Any) -> list[str]:
    """Return what kind each entry is, in order."""
    return [it.role if isinstance(it, Message) else "tool" for it in session.state.entries]


async def test_c077_the_whole_list_of_roots_is_sent_again() -> None:
    async with Stage(additional_directories=("/one", "/two")) as stage:
        await stage.start(agentCapabilities=EVERYTHING)
        stage.reopen("old")
        params = (await stage.agent.expect("session/load"))["params"]
        assert params["additionalDirectories"] == ["/one", "/two"]


async def test_c079_the_folder_is_that_of_the_session() -> None:
    async with Stage(PROJECT) as stage:
        await stage.start(agentCapabilities=LOADS)
        stage._cwd = "/x"
        stage.reopen("old")
        assert (await stage.agent.expect("session/load"))["params"]["cwd"] == "/x"


@pytest.mark.parametrize("ids", [False, True])
@pytest.mark.parametrize("late", [False, True])
async def test_c086_a_replay_is_history_in_its_order(*, ids: bool, late: bool) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LOADS)
        session = stage.reopen("old")
        request = await stage.agent.expect("session/load")
        if late:
            stage.agent.reply(request, {})
            replay(stage, ids=ids)
        else:
            replay(stage, ids=ids)
            stage.agent.reply(request, {})
        await stage.until(lambda: session.state.status == "idle")
        assert kinds(session) == ["user", "thought", "tool", "agent"] * 3
        assert texts(session, "user") == ["question 1", "question 2", "question 3"]
        assert texts(session) == ["answer 1", "answer 2", "answer 3"]
        assert [entry.turn for entry in session.state.entries[::4]] == [1, 2, 3]
        assert session.state.plan is not None
        assert session.state.turn == 3


@pytest.mark.parametrize("late", [False, True])
async def test_c087_a_replay_starts_from_nothing_and_runs_nothing(*, late: bool) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LOADS)
        session = stage.reopen("old")
        for _ in range(2):
            request = await stage.agent.expect("session/load")
            stage.events.clear()
            if late:
                stage.agent.reply(request, {})
            replay(stage)
            if not late:
                stage.agent.reply(request, {})
            await stage.until(lambda: session.state.status == "idle")
            assert texts(session) == ["answer 1", "answer 2", "answer 3"]
            assert len(session.state.entries) == 12
            assert session.state.turn_started is None
            assert session.state.stop_reason is None
            assert tool(session, "call-3").status == "cancelled"
            stage.tasks.start_soon(stage.client.reopen, session, "old")
        await stage.agent.expect("session/load")


async def test_c087_nothing_of_a_replay_is_announced() -> None:
    told = []
    async with Stage() as stage:
        await stage.start(agentCapabilities=LOADS)
        listen, stage._listen = stage._listen, lambda session, before, event: None  # type: ignore[method-assign]

        def heard(session: Any, before: Any, event: Any) -> None:
            told.append(announce(before, event, session.state))
            listen(session, before, event)

        stage._listen = heard  # type: ignore[method-assign]
        session = stage.reopen("old")
        request = await stage.agent.expect("session/load")
        replay(stage)
        stage.agent.reply(request, {})
        await stage.until(lambda: session.state.status == "idle")
    assert [found[0] for found in told if found] == ["AcpSessionStarted"]


async def test_a_prompt_waits_until_a_late_replay_is_over() -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LOADS)
        session = stage.reopen("old")
        stage.agent.reply(await stage.agent.expect("session/load"), {})
        stage.prompt(session, "go on")
        replay(stage)
        prompt = await stage.agent.expect("session/prompt")
        assert prompt["params"]["sessionId"] == "old"
        assert texts(session, "user")[-1] == "go on"
        assert session.state.turn == 4


async def test_an_agent_that_replays_nothing_gets_what_was_kept() -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LOADS)
        session = stage.session()
        session.apply(KEPT)
        stage.tasks.start_soon(stage.client.reopen, session, "old")
        stage.agent.reply(await stage.agent.expect("session/load"), None)
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session) == ["kept answer"]
        assert "sent nothing of it" in notices(session)[0]
        assert session.state.title == "Kept"


async def test_a_replay_takes_the_place_of_what_was_kept() -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LOADS)
        session = stage.session()
        session.apply(KEPT)
        stage.tasks.start_soon(stage.client.reopen, session, "old")
        request = await stage.agent.expect("session/load")
        replay(stage)
        stage.agent.reply(request, None)
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session) == ["answer 1", "answer 2", "answer 3"]
        assert notices(session) == []


GONE = [
    (-32002, "gone"),
    (-32603, "Session not found"),
    (-32603, "Internal error: Invalid session identifier"),
]
"""That a session is gone is told by a code, or in words."""


async def refused(stage: Stage, code: int, message: str, *kept: TranscriptRestored) -> Session:
    """Have a load refused after half a replay."""
    await stage.start(agentCapabilities=LOADS)
    session = stage.session()
    session.apply(*kept)
    stage.tasks.start_soon(stage.client.reopen, session, "old")
    request = await stage.agent.expect("session/load")
    stage.agent.say("half of", "old")
    stage.agent.say(" it", "old")
    stage.agent.refuse(request, code, message)
    return session


async def test_c089_a_load_that_fails_leaves_nothing_behind() -> None:
    async with Stage() as stage:
        session = await refused(stage, -32603, "disk on fire", KEPT)
        await stage.until(lambda: session.state.status == "closed")
        assert texts(session) == ["kept answer"]
        assert "did not load this session: disk on fire" in notices(session)[-1]
        assert ":Acp new scripted begins another one" in notices(session)[-1]
        another = await stage.start_another("new")
        assert another.state.status == "idle"


@pytest.mark.parametrize(("code", "message"), GONE)
async def test_c089_one_that_is_gone_and_of_which_nothing_is_kept(code: int, message: str) -> None:
    async with Stage() as stage:
        session = await refused(stage, code, message)
        await stage.until(lambda: session.state.status == "closed")
        assert "no longer knows this session" in notices(session)[-1]
        assert ":Acp new scripted begins another one" in notices(session)[-1]


@pytest.mark.parametrize(("code", "message"), [*GONE, (-32601, "Method not found")])
async def test_c089_one_that_is_gone_begins_anew_with_what_was_kept(
    code: int, message: str
) -> None:
    async with Stage() as stage:
        session = await refused(stage, code, message, KEPT)
        await stage.agent.open("new")
        await stage.until(lambda: session.state.status == "idle")
        assert session.id == "new"
        assert texts(session) == ["kept answer"]
        assert (
            "this one starts anew, and the conversation is sent with your next prompt"
            in notices(session)[-1]
        )
        for text, is_told in (("go on", True), ("and on", False)):
            prompt = await stage.turn(session, text)
            first, *more = prompt["params"]["prompt"]
            assert first["text"] == text
            assert ("kept question" in str(more) and "kept answer" in str(more)) == is_told
            stage.agent.say("yes", "new")
            stage.agent.reply(prompt, {"stopReason": "end_turn"})
            await stage.until(lambda: session.state.status == "idle")


async def test_c089_that_it_begins_anew_is_told_once() -> None:
    async with Stage() as stage:
        await stage.start()
        session = stage.session()
        session.apply(KEPT)
        for count in (1, 2):
            stage.tasks.start_soon(stage.client.reopen, session, f"old {count}")
            await stage.agent.open(f"new {count}")
            await stage.until(lambda: session.state.status == "idle")
            assert session.id == f"new {count}"
            session.apply(SessionClosed())
        assert len(notices(session)) == 1
        assert len(untold(session.state.entries)) == len(KEPT.entries)


async def test_c089_what_cannot_be_loaded_is_resumed() -> None:
    async with Stage() as stage:
        both = {**LOADS, "sessionCapabilities": {"resume": {}}}
        await stage.start(agentCapabilities=both)
        session = stage.session()
        session.apply(KEPT)
        stage.tasks.start_soon(stage.client.reopen, session, "old")
        stage.agent.refuse(await stage.agent.expect("session/load"), -32603, "disk on fire")
        stage.agent.reply(await stage.agent.expect("session/resume"), {})
        await stage.until(lambda: session.state.status == "idle")
        assert (session.id, texts(session)) == ("old", ["kept answer"])


@pytest.mark.parametrize("how", ["killed", "cancelled"])
async def test_what_was_shown_is_back_when_a_load_is_broken_off(how: str) -> None:
    async with Stage() as stage:
        await stage.start(agentCapabilities=LOADS)
        session = stage.session()
        session.apply(KEPT)
        stage.tasks.start_soon(stage.client.reopen, session, "old")
        await stage.agent.expect("session/load")
        stage.agent.say("half of it", "old")
        await stage.until(lambda: texts(session) == ["half of it"])
        if how == "killed":
            stage.link.exit(9)
        else:
            stage.client.cancel(session)
        await stage.until(lambda: session.state.status == "closed")
        assert texts(session) == ["kept answer"]
        assert len(notices(session)) == 1


REFUSED = [
    (-32603, "Session not found: sess"),
    (-32602, "Invalid session ID"),
    (-32002, f"Resource not found: {SESSION}"),
    (-32603, "session 'abc' does not exist"),
]


@pytest.mark.parametrize(("code", "message"), REFUSED)
async def test_a_prompt_whose_session_is_gone_opens_it_again(code: int, message: str) -> None:
    async with Stage() as stage:
        session = await stage.start(agentCapabilities=LOADS)
        prompt = await stage.turn(session, "hello")
        stage.prompt(session, "and this")
        stage.agent.refuse(prompt, code, message)
        stage.agent.refuse(await stage.agent.expect("session/load"), -32603, "Session not found")
        await stage.agent.open("new")
        prompt = await stage.agent.expect("session/prompt")
        first, *more = prompt["params"]["prompt"]
        assert first["text"] == "and this" and "hello" in str(more)
        await stage.agent.quiet()  # the other one may have run


async def test_another_thing_that_a_prompt_does_not_find_is_only_told() -> None:
    async with Stage() as stage:
        session = await stage.start(agentCapabilities=LOADS)
        prompt = await stage.turn(session, "hello")
        stage.agent.refuse(prompt, -32002, "Resource not found: file:///a.py", {"uri": "x"})
        await stage.until(lambda: session.state.status == "idle")
        await stage.agent.quiet()
        assert "The turn failed: Resource not found" in notices(session)[-1]


async def test_c083_a_replay_and_a_running_turn_side_by_side() -> None:
    async with Stage() as stage:
        one = await stage.start("one", agentCapabilities=LOADS)
        prompt = await stage.turn(one)
        two = stage.reopen("old")
        request = await stage.agent.expect("session/load")
        stage.agent.say("live ", "one")
        replay(stage)
        stage.agent.say("text", "one")
        stage.agent.reply(request, {})
        stage.agent.reply(prompt, {"stopReason": "end_turn"})
        await stage.until(lambda: two.state.status == "idle" and one.state.status == "idle")
        assert texts(one) == ["live text"]
        assert not any(isinstance(entry, ToolCall | Notice) for entry in one.state.entries)
        assert texts(two) == ["answer 1", "answer 2", "answer 3"]


@pytest.mark.parametrize("quirks", [frozenset({CONTEXT_AS_USER}), frozenset()])
async def test_gemini_replays_its_own_context_as_the_users_words(quirks: frozenset[str]) -> None:
    async with Stage(quirks=quirks) as stage:
        await stage.start(agentCapabilities=LOADS)
        session = stage.reopen("old")
        request = await stage.agent.expect("session/load")
        for text in ("<session_context>\nThis is the Gemini CLI.", "hello"):
            content = {"type": "text", "text": text}
            stage.agent.update("user_message_chunk", "old", content=content, messageId=text)
        stage.agent.reply(request, {})
        await stage.until(lambda: session.state.status == "idle")
        assert texts(session, "user")[-1] == "hello"
        assert len(texts(session, "user")) == (1 if quirks else 2)
