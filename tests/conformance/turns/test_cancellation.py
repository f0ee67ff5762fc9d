"""C-140 to C-149: a cancel is felt at once, and leaves no question unanswered."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_nvim.client.session import UNWANTED
from acp_nvim.errors import Code, RequestFailed
from acp_nvim.session.request import WriteFileRequest
from tests.conformance.connection.probe import bar, chat
from tests.conformance.requests.asking import CANCELLED, asked
from tests.conformance.requests.files import Files
from tests.conformance.requests.terminals import Terminals
from tests.conformance.sessions.test_sub_agents import announce
from tests.conformance.tools.test_offered import Tools
from tests.support.agents.scripted_agent import PATIENCE, SESSION
from tests.support.stage import AcpError, Stage, texts, tool


async def test_c140_cancel_is_a_notification():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.client.cancel(session)
        message = await stage.agent.expect("session/cancel")
        assert "id" not in message
        assert message["params"] == {"sessionId": SESSION}


async def test_c141_open_tool_calls_are_shown_as_cancelled_at_once():
    async with Stage() as stage:
        session = await stage.start()
        first = await stage.turn(session)
        stage.agent.update("tool_call", toolCallId="old", title="Old", status="completed")
        stage.agent.reply(first, {"stopReason": "end_turn"})
        await stage.until(lambda: session.state.status == "idle")
        await stage.turn(session)
        for status in ("pending", "in_progress", "completed", "failed"):
            stage.agent.update("tool_call", toolCallId=status, title=status, status=status)
        await stage.agent.quiet()
        stage.client.cancel(session)
        assert [line[0] for line in chat(session) if line[0] in "○◐✓✗⊘"] == list("✓⊘⊘✓✗")
        assert "cancelling" in bar(session)


async def test_c142_cancel_answers_all_permissions():
    async with Stage() as stage:
        session = await stage.start()
        await asked(stage, session, 1, 2)
        stage.client.cancel(session)
        assert (await stage.agent.answer_to(1))["result"] == CANCELLED
        assert (await stage.agent.answer_to(2))["result"] == CANCELLED
        await stage.agent.expect("session/cancel")
        await stage.until(lambda: not session.state.questions)
        assert stage.questions.pending == ()


async def test_c142_only_those_of_its_own_session():
    async with Stage() as stage:
        session = await stage.start()
        other = await stage.start_another("other")
        await asked(stage, session, 1)
        stage.agent.request_permission(2, "other")
        await stage.until(lambda: other.state.questions)
        stage.client.cancel(session)
        assert (await stage.agent.answer_to(1))["result"] == CANCELLED
        await stage.agent.expect("session/cancel")
        await stage.agent.quiet()
        assert len(other.state.questions) == 1


async def test_c143_a_permission_after_cancel_is_cancelled_too():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        stage.agent.request_permission(1)
        assert (await stage.agent.answer_to(1))["result"] == CANCELLED
        assert session.state.questions == ()
        assert tool(session).status == "cancelled"
        stage.agent.reply(request, {"stopReason": "cancelled"})
        await stage.until(lambda: session.state.status == "idle")
        stage.agent.request_permission(2)
        await stage.until(lambda: session.state.questions)


async def test_c145_late_updates_win_over_cancelled():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        for call in ("done", "failed", "running"):
            stage.agent.update("tool_call", toolCallId=call, title=call, status="in_progress")
        await stage.agent.quiet()
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        stage.agent.update("tool_call_update", toolCallId="done", status="completed")
        stage.agent.update("tool_call_update", toolCallId="failed", status="failed")
        stage.agent.update("tool_call_update", toolCallId="running", status="in_progress")
        stage.agent.update("tool_call", toolCallId="new", title="new")
        stage.agent.say("last words")
        await stage.agent.quiet()
        calls = ("done", "failed", "running", "new")
        statuses = [tool(session, call).status for call in calls]
        assert statuses == ["completed", "failed", "cancelled", "cancelled"]
        assert texts(session) == ["last words"]


async def test_c146_the_turn_runs_until_the_response():
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.client.cancel(session)
        stage.prompt(session, "next")
        await stage.agent.expect("session/cancel")
        await stage.agent.quiet()
        assert session.state.status == "cancelling"
        stage.agent.reply(request, {"stopReason": "cancelled"})
        following = await stage.agent.expect("session/prompt")
        assert following["params"]["prompt"] == [{"type": "text", "text": "next"}]


@pytest.mark.parametrize("reason", ["cancelled", "end_turn"])
async def test_c147_a_cancelled_turn_is_no_error(reason: str):
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.client.cancel(session)
        stage.agent.reply(request, {"stopReason": reason})
        await stage.until(lambda: session.state.status == "idle")
        assert session.state.stop_reason == reason
        assert [said.split(" · ")[0] for said in chat(session)[1:]] == ["── cancelled"]


@pytest.mark.parametrize(
    ("code", "said"),
    [(-32800, []), (-32603, ["· Cancelled; the agent said: aborted"])],
)
async def test_c147_an_error_after_cancel_is_shown_softly(code: int, said: list[str]):
    async with Stage() as stage:
        session = await stage.start()
        request = await stage.turn(session)
        stage.client.cancel(session)
        stage.agent.refuse(request, code, "aborted")
        await stage.until(lambda: session.state.status == "idle")
        *told, row = chat(session)[1:]
        assert told == said
        assert row.startswith("── cancelled")


async def test_c148_an_agent_that_ignores_cancel_can_be_killed():
    async with Stage() as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        await stage.client.end(kill=True)
        await stage.until(lambda: session.state.status == "closed")
        assert stage.link.killed


async def test_c149_cancel_without_a_turn_sends_nothing():
    async with Stage() as stage:
        session = await stage.start()
        with pytest.raises(AcpError, match="nothing is running"):
            stage.client.cancel(session)
        await stage.agent.quiet()
        await stage.turn(session)
        stage.client.cancel(session)
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        await stage.agent.quiet()


def ask_for_writes(stage: Stage, folder: Path, session: str, numbers: Iterable[int]) -> list[Path]:
    """Let the agent ask for writes, each of a file of its own."""
    paths = [folder / f"{session.replace('/', ' ')} {it}" for it in numbers]
    for path in paths:
        params = {"sessionId": session, "path": str(path), "content": "new\n"}
        stage.agent.request("fs/write_text_file", params, path.name)
    return paths


@asynccontextmanager
async def one_has_begun(stage: Files, folder: Path, session: str = SESSION) -> AsyncIterator[Path]:
    """Let the editor be amid a write of that session; it ends behind this."""
    begun, ends, write = anyio.Event(), anyio.Event(), stage.files.write

    async def slow(*args: Any, **options: Any) -> Any:
        begun.set()
        await ends.wait()
        return await write(*args, **options)

    stage.files.write = slow  # type: ignore[method-assign]
    path = folder / f"{session.replace('/', ' ')} 0"
    path.write_text("old\n")
    stage.files.open(path, "old")
    ask_for_writes(stage, folder, session, [0])
    with anyio.fail_after(PATIENCE):
        await begun.wait()
    try:
        yield path
    finally:  # nothing can cancel it
        ends.set()


async def test_a_cancel_refuses_what_has_not_begun_and_the_rest_is_finished(tmp_path: Path):
    async with Files(tmp_path) as stage:
        session = await stage.start()
        request = await stage.turn(session)
        async with one_has_begun(stage, tmp_path) as begun:
            others = ask_for_writes(stage, tmp_path, SESSION, range(1, 200))
            await anyio.wait_all_tasks_blocked()
            stage.client.cancel(session)
            await stage.agent.expect("session/cancel")
            refused = [(await stage.agent.answer_to(it.name))["error"] for it in others]
            assert {it["code"] for it in refused} == {Code.REQUEST_CANCELLED}
            assert {it["message"] for it in refused} == {UNWANTED}
        assert (await stage.agent.answer_to(begun.name))["result"] == {}
        assert begun.read_text() == "new\n"
        assert not any(map(Path.exists, others))
        stage.agent.reply(request, {"stopReason": "cancelled"})
        await stage.until(lambda: session.state.status == "idle")
        assert len(chat(session)) == 2  # what was refused is no news
        await stage.turn(session)
        assert await stage.write(others[0], "next") == {}


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("fs/write_text_file", {"path": "new", "content": "x"}, Code.REQUEST_CANCELLED),
        ("fs/read_text_file", {"path": "there"}, Code.REQUEST_CANCELLED),
        ("terminal/create", {"command": "touch new"}, Code.REQUEST_CANCELLED),
        ("terminal/output", {}, None),
        ("terminal/wait_for_exit", {}, None),
        ("terminal/kill", {}, None),
        ("terminal/release", {}, None),
    ],
)
async def test_between_cancel_and_the_end_of_the_turn_nothing_begins(
    method: str, params: dict[str, Any], code: Code | None, tmp_path: Path
):
    """What runs is the agent's to look at and to end (C-150)."""
    (tmp_path / "there").write_text("text")
    if "path" in params:
        params = {**params, "path": str(tmp_path / params["path"])}
    async with Terminals(tmp_path) as stage:
        session = await stage.start()
        request = await stage.turn(session)
        terminal = await stage.create("true")
        await stage.exited(terminal)
        stage.client.cancel(session)
        await stage.agent.expect("session/cancel")
        params = {"sessionId": SESSION, "terminalId": terminal, **params}
        late = await stage.agent.ask(method, params, "late")
        assert late.get("error", {}).get("code") == code
        assert not (tmp_path / "new").exists()
        stage.agent.reply(request, {"stopReason": "cancelled"})
        await stage.until(lambda: session.state.status == "idle")
        if code is not None:  # what goes on behind the turn is no part of it
            assert "result" in await stage.agent.ask(method, params, "later")


async def test_a_cancel_is_for_its_session_and_those_of_its_sub_agents(tmp_path: Path):
    async with Files(tmp_path) as stage:
        session = await stage.start()
        other = await stage.start_another("other")
        await stage.turn(other)
        await stage.turn(session)
        await announce(stage, "child", state={"state": "running"})
        async with one_has_begun(stage, tmp_path, "other") as begun:
            theirs = ask_for_writes(stage, tmp_path, "other", [1])
            children = ask_for_writes(stage, tmp_path, "child", [1, 2])
            await anyio.wait_all_tasks_blocked()
            stage.client.cancel(session)
            for path in children:
                assert (await stage.agent.answer_to(path.name))["error"]["message"] == UNWANTED
            late = ask_for_writes(stage, tmp_path, "child", [3])
            assert (await stage.agent.answer_to(late[0].name))["error"]["message"] == UNWANTED
        assert [(await stage.agent.answer_to(it.name))["result"] for it in (begun, *theirs)] == [
            {},
            {},
        ]


async def test_closing_a_session_refuses_what_has_not_begun(tmp_path: Path):
    async with Files(tmp_path) as stage:
        session = await stage.start()
        async with one_has_begun(stage, tmp_path):
            others = ask_for_writes(stage, tmp_path, SESSION, [1, 2])
            await anyio.wait_all_tasks_blocked()
            await stage.client.close(session)
            for path in others:
                assert (await stage.agent.answer_to(path.name))["error"]["message"] == UNWANTED
        assert not any(map(Path.exists, others))


@pytest.mark.parametrize("version", [1, 2])
async def test_what_a_tool_of_the_editor_is_to_write_is_refused_as_well(
    version: int, tmp_path: Path
):
    tools, refused = Tools(), list[str]()
    stage = Files(tmp_path, protocol=version)
    stage.tools = tools.offered()
    async with stage:
        if version == 1:
            session = await stage.start()
        else:
            capabilities = {"session": {"mcp": {"stdio": {}}}}
            session = await stage.start_2(capabilities=capabilities)
        await stage.turn(session)
        (path := tmp_path / "file").write_text("old\n")
        stage.files.open(path, "old")
        stage.files.busy[str(path)] = "visual mode"

        async def write() -> None:
            with pytest.raises(RequestFailed) as caught:
                await tools.callers[0].files(WriteFileRequest(SESSION, str(path), "new\n"))
            refused.append(caught.value.message)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(write)
            await anyio.wait_all_tasks_blocked()
            stage.client.cancel(session)
        await write()
        assert refused == [UNWANTED, UNWANTED]
