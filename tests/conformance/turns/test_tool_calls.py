"""C-160 to C-173: a tool call is one thing, whatever of it comes when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acp_nvim.client.session import Session
from acp_nvim.session.content import Diff, TerminalOutput, Text
from acp_nvim.session.model import Location
from acp_nvim.view.chat.transcript import location_at, render
from tests.conformance.connection.probe import chat, menu_text, shows
from tests.support.stage import PROJECT, Stage, tool

KINDS = ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode"]
STATUSES = {"pending": "○", "in_progress": "◐", "completed": "✓", "failed": "✗"}


def text(words: str) -> dict[str, Any]:
    """Return an item of a tool call's content."""
    return {"type": "content", "content": {"type": "text", "text": words}}


async def opened(stage: Stage, **fields: Any) -> Session:
    """Start a turn with one tool call in it."""
    session = await stage.start()
    await stage.turn(session)
    stage.agent.update("tool_call", **({"toolCallId": "call-1", "title": "Look"} | fields))
    await stage.agent.quiet()
    return session


async def patched(stage: Stage, **fields: Any) -> None:
    """Send an update of that call."""
    stage.agent.update("tool_call_update", **({"toolCallId": "call-1"} | fields))
    await stage.agent.quiet()


async def test_c160_an_update_changes_only_what_it_has():
    async with Stage() as stage:
        session = await opened(
            stage,
            kind="read",
            content=[text("a")],
            locations=[{"path": "/a", "line": 2}],
            rawInput={"path": "/a"},
        )
        before = tool(session)
        await patched(stage, status="completed")
        after = tool(session)
        assert after.status == "completed"
        for name in ("title", "kind", "content", "locations", "raw_input", "raw_output"):
            assert getattr(after, name) == getattr(before, name)
        await patched(stage, title=None, kind=None, status=None, rawInput=None, rawOutput=None)
        assert tool(session) == after


@pytest.mark.parametrize(
    ("update", "expected"),
    [
        ({"content": [text("b")], "locations": [{"path": "/b"}]}, ("b", "/b")),
        ({"content": [], "locations": []}, ()),
        ({"content": None, "locations": None}, ("a", "/a")),
        ({}, ("a", "/a")),
    ],
)
async def test_c161_collections_are_replaced(update: dict[str, Any], expected: tuple[str, ...]):
    async with Stage() as stage:
        session = await opened(stage, content=[text("a")], locations=[{"path": "/a"}])
        await patched(stage, **update)
        call = tool(session)
        assert call.content == tuple(Text(it) for it in expected[:1])
        assert call.locations == tuple(Location(it) for it in expected[1:])


async def test_c162_a_second_tool_call_of_an_id_merges():
    diff = {"type": "diff", "path": "/a", "oldText": "x", "newText": "y"}
    async with Stage() as stage:
        session = await opened(stage, content=[diff], status="in_progress")
        stage.agent.update("tool_call", toolCallId="call-1", title="Look again")
        await stage.agent.quiet()
        call = tool(session)
        assert (call.title, call.status) == ("Look again", "in_progress")
        assert call.content == (Diff("/a", "x", "y"),)
        assert len(session.state.entries) == 2


@pytest.mark.parametrize(
    ("fields", "title"), [({}, "call-1"), ({"kind": "read"}, "read"), ({"title": "T"}, "T")]
)
async def test_c163_an_update_of_an_unknown_id_creates(fields: dict[str, Any], title: str):
    async with Stage() as stage:
        session = await stage.start()
        await patched(stage, status="in_progress", **fields)
        assert tool(session).title == title
        assert shows(session, "◐ ") and shows(session, title)


async def test_c164_a_permission_updates_the_same_call():
    async with Stage() as stage:
        session = await opened(
            stage, title="Run it", content=[text("the plan")], rawInput={"command": "make all"}
        )
        call = {"toolCallId": "call-1", "rawInput": {}, "status": "pending"}
        stage.agent.request_permission(1, toolCall=call)
        await stage.until(lambda: session.state.questions)
        for words in ("Run it", "make all", "the plan"):
            assert words in menu_text(session)
        stage.agent.request_permission(2, toolCall={"toolCallId": "call-1", "title": "Run it now"})
        await stage.until(lambda: len(session.state.questions) == 2)
        assert tool(session).title == "Run it now"
        assert "make all" in menu_text(session, session.state.questions[1])


async def test_c165_ids_are_those_of_the_session():
    async with Stage() as stage:
        session = await opened(stage, title="One")
        other = await stage.start_another("other")
        stage.agent.update("tool_call", "other", toolCallId="call-1", title="Two")
        await patched(stage, status="completed")
        assert (tool(session).title, tool(session).status) == ("One", "completed")
        assert (tool(other).title, tool(other).status) == ("Two", "pending")


@pytest.mark.parametrize("kind", [*KINDS, "other"])
async def test_c166_every_kind_is_shown(kind: str):
    async with Stage() as stage:
        session = await opened(stage, kind=kind)
        assert tool(session).kind == kind
        assert shows(session, "○ ") and shows(session, "Look")


@pytest.mark.parametrize(("status", "icon"), STATUSES.items())
async def test_c166_every_status_is_shown(status: str, icon: str):
    async with Stage() as stage:
        session = await opened(stage, status=status)
        assert shows(session, f"{icon} Look")


async def test_c166_unknown_kinds_and_statuses():
    async with Stage() as stage:
        session = await opened(stage, kind="teleport", status="dreaming")
        assert (tool(session).kind, tool(session).status) == ("other", "pending")
        await patched(stage, status="completed")
        await patched(stage, status="dreaming", kind=7)
        assert (tool(session).kind, tool(session).status) == ("other", "completed")


async def test_c167_updates_without_a_status_are_shown():
    async with Stage() as stage:
        session = await opened(stage, status="in_progress")
        await patched(stage, title="Look closer")
        assert shows(session, "◐ Look closer")
        await patched(stage, kind="execute", rawInput={"command": "make all"})
        assert shows(session, "run") and shows(session, "make all", "tool:call-1")
        await patched(stage, content=[text("seen")])
        assert shows(session, "│ seen", "tool:call-1")


@pytest.mark.parametrize(
    ("old", "new", "look"),
    [
        (None, "x = 1\n", ["+ x = 1"]),
        ("", "x = 1\n", ["+ x = 1"]),
        ("x = 1\n", "x = 2\n", ["- x = 1", "+ x = 2"]),
        ("x = 1\n", "x = 1\n", ["no change"]),
    ],
)
async def test_c168_a_diff_is_shown_and_not_applied(
    old: str | None, new: str, look: list[str], tmp_path: Path
):
    file = tmp_path / "a.py"
    file.write_text("untouched\n")
    async with Stage(tmp_path) as stage:
        diff = {"type": "diff", "path": str(file), "oldText": old, "newText": new}
        session = await opened(stage, content=[diff], status="completed")
        lines = chat(session, "tool:call-1")
        head = lines.index("│ a.py" + ("  new file" if old is None else ""))
        assert [line.removeprefix("│ ") for line in lines[head + 1 :]] == look
    assert file.read_text() == "untouched\n"


async def test_c168_an_absent_old_text_is_a_new_file():
    async with Stage() as stage:
        session = await opened(stage, content=[{"type": "diff", "path": "/a", "newText": "x"}])
        assert tool(session).content == (Diff("/a", None, "x"),)
        assert shows(session, "new file", "tool:call-1")


async def test_c169_a_fragment_has_no_line_numbers():
    diff = {"type": "diff", "path": f"{PROJECT}/a.py", "oldText": "b\n", "newText": "B\n"}
    async with Stage() as stage:
        place = [{"path": f"{PROJECT}/a.py", "line": 812}]
        session = await opened(stage, content=[diff], locations=place)
        lines = chat(session, "tool:call-1")
        assert lines[-3:] == ["│ a.py", "│ - b", "│ + B"]


async def test_a_terminal_that_this_client_never_made_is_a_placeholder():
    async with Stage() as stage:
        item = {"type": "terminal", "terminalId": "foreign"}
        session = await opened(stage, content=[item])
        assert tool(session).content == (TerminalOutput("foreign"),)
        assert shows(session, "[terminal foreign]", "tool:call-1")


@pytest.mark.parametrize(("line", "expected"), [(7, 7), (0, None), (None, None), (-1, None)])
async def test_c171_locations_can_be_followed(line: int | None, expected: int | None):
    async with Stage() as stage:
        place = {"path": "/no/such/file", "line": line}
        session = await opened(stage, locations=[place])
        found = location_at(session.state, render(session.state, frozenset(), None), 2)
        assert found == Location("/no/such/file", expected)


async def test_c172_raw_input_and_output_stand_in_for_content():
    async with Stage() as stage:
        session = await opened(stage, rawInput={"query": "acp"}, rawOutput={"hits": 3})
        assert shows(session, '"query": "acp"', "tool:call-1")
        assert shows(session, '"hits": 3', "tool:call-1")
        assert not shows(session, '"hits": 3')
        await patched(stage, content=[text("three hits")])
        assert shows(session, "three hits", "tool:call-1")
        assert not shows(session, '"hits": 3', "tool:call-1")


@pytest.mark.parametrize(
    ("output", "look"),
    [
        ("words", "│ words"),
        ([1], "│   1"),
        (7, "│ 7"),
        (False, "│ false"),
        ({"a": 1}, '│   "a": 1'),
    ],
)
async def test_c173_raw_output_is_any_json(output: Any, look: str):
    async with Stage() as stage:
        session = await opened(stage, rawOutput=output)
        assert look in chat(session, "tool:call-1")


async def test_numbers_for_ids_and_single_things_for_lists():
    async with Stage() as stage:
        session = await opened(stage, toolCallId=7, content=text("a"))
        await patched(stage, toolCallId="7", locations={"path": "/a", "line": 3.0})
        call = tool(session, "7")
        assert call.title == "Look" and call.content == (Text("a"),)
        assert call.locations == (Location("/a", 3),)
        option = {"optionId": "yes", "name": "Yes", "kind": "allow_once"}
        stage.agent.request_permission(toolCall={"toolCallId": 7}, options=option)
        await stage.until(lambda: session.state.questions)
        assert session.state.questions[0].tool_call_id == "7"
