"""C-171: the editor goes where the agent is, as far as the agent says where."""

from __future__ import annotations

import os.path
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock

import anyio
import pytest

from acp_nvim.client.session import Session
from acp_nvim.follow.follow_along import FollowAlong
from acp_nvim.paths import SAME, Paths
from acp_nvim.reactions import disk
from acp_nvim.reactions.sessions import REACTIONS, begin_anew
from acp_nvim.session.event import Event, SessionOpened, SessionReopening, ToolCallUpdated
from acp_nvim.session.model import Location
from acp_nvim.session.place import named
from acp_nvim.session.state import ToolCall
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.workspace import Workspace
from tests.conformance.version2.saying import begin
from tests.support.fakes.fake_ports import FakeFiles, FakeFollower, FakeNotifier
from tests.support.stage import Stage

TEXT = "one\ntwo\nthree\n"


def walked(along: FollowAlong, session: Session, event: Event) -> None:
    """Do what follows from an event for those who follow the agent."""
    review = Mock()  # the disk is followed, too
    host = cast(Host, SimpleNamespace(follow=along, workspace=Workspace(), review=review))
    for react in REACTIONS.get(type(event), ()):
        if react in (disk.look, begin_anew):
            react(host, session, session.state, event)


async def places(stage: Stage, session: Session) -> tuple[list[Any], list[Any]]:
    """Return what an editor that follows was told of the agent's steps, and what it has shown."""
    follower, notifier = FakeFollower(), FakeNotifier()
    along = FollowAlong(FakeFiles(), follower, notifier)
    along.switch(enabled=True)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(along.run)
        for of, event in stage.events:
            if of is session:
                walked(along, session, event)
        await along.snapshot()
        tasks.cancel_scope.cancel()
    told = [(data["path"], data["line"]) for _, data in notifier.events]
    return told, follower.shown


def filled(fields: Any, path: Path) -> Any:
    """Return JSON with PATH in its strings replaced."""
    if isinstance(fields, dict):
        return {key: filled(value, path) for key, value in fields.items()}
    if isinstance(fields, list):
        return [filled(value, path) for value in fields]
    return str(path) if fields == "PATH" else fields


DIFF = {"type": "diff", "path": "PATH", "oldText": "two\nthree\n", "newText": "two\n3\n"}


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"locations": [{"path": "PATH", "line": 2}]}, 2),
        ({"locations": [{"path": "PATH", "line": 0}]}, None),
        ({"locations": [{"path": "PATH"}]}, None),
        ({"locations": [{"path": "PATH"}], "content": [DIFF]}, 3),
        ({"content": [DIFF]}, 3),
        ({"rawInput": {"file_path": "PATH"}}, None),
        ({"rawInput": {"absolute_path": "PATH"}}, None),
    ],
)
async def test_c171_the_client_follows_what_there_is(
    tmp_path: Path, fields: dict[str, Any], line: int | None
):
    path = tmp_path / "a.py"
    path.write_text(TEXT)
    async with Stage(cwd=str(tmp_path)) as stage:
        session = await stage.start()
        await stage.turn(session)
        call = {"toolCallId": "1", "title": "Look"}
        stage.agent.update("tool_call", **call, **filled(fields, path))
        await stage.agent.quiet()
        told, shown = await places(stage, session)
    assert told == [(str(path), line or 0)]
    assert shown == [(str(path), line)]


async def test_c171_a_missing_file_is_told_and_not_opened(tmp_path: Path):
    async with Stage(cwd=str(tmp_path)) as stage:
        session = await stage.start()
        await stage.turn(session)
        gone, outside = str(tmp_path / "gone"), "/etc/passwd"
        where = [{"path": gone, "line": 7}, {"path": outside, "line": 1}]
        call = {"toolCallId": "1", "title": "Look"}
        stage.agent.update("tool_call", **call, locations=where)
        stage.agent.update("tool_call", **call | {"toolCallId": "2"}, rawInput={"path": gone})
        await stage.agent.quiet()
        told, shown = await places(stage, session)
    assert told == [(gone, 7), (outside, 1)]
    assert shown == []


async def test_c087_a_replay_is_not_followed(tmp_path: Path):
    notifier = FakeNotifier()
    along = FollowAlong(FakeFiles(), FakeFollower(), notifier)
    session = Session("scripted", str(tmp_path), lambda of, _, event: walked(along, of, event))
    look = ToolCallUpdated("1", locations=(Location(str(tmp_path / "a"), 3),))
    session.apply(SessionReopening(replay=True), look)
    assert notifier.events == []
    session.apply(SessionOpened("old"), look)
    assert len(notifier.events) == 1


SPELLINGS = [
    "src/a b.py",
    "./src/a b.py",
    "src/../src/a b.py",
    "file://ROOT/src/a%20b.py",
    "file://localhostROOT/src/a%20b.py",
    "file:ROOT/src/a%20b.py",
    "FILE://ROOT/src/a b.py",
    "file:src/a%20b.py",
    "file://src/a%20b.py",
]


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("end", ["", ":2", ":2:7", "#L2", "#L2-L3"])
@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_a_file_is_found_however_the_agent_names_it(
    tmp_path: Path, spelling: str, end: str, version: int
) -> None:
    if end.startswith("#") and not spelling.lower().startswith("file:"):
        spelling = f"file:{spelling}"
    path = tmp_path / "src" / "a b.py"
    path.parent.mkdir()
    path.write_text(TEXT)
    name = spelling.replace("ROOT", str(tmp_path)) + end
    async with Stage(cwd=str(tmp_path), protocol=version) as stage:
        session = await (stage.start() if version == 1 else stage.start_2())
        await (stage.turn(session) if version == 1 else begin(stage, session))
        call = {"toolCallId": "1", "title": "Edit", "kind": "edit", "status": "in_progress"}
        kind = "tool_call" if version == 1 else "tool_call_update"
        stage.agent.update(kind, **call, locations=[{"path": name}])
        await stage.agent.quiet()
        told, shown = await places(stage, session)
        assert [(os.path.normpath(it), line) for it, line in told] == [(str(path), 2 if end else 0)]
        assert shown == [(str(path), 2 if end else None)]
        assert names(session) == {str(path)}


@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_a_diff_is_of_the_file_however_the_agent_names_it(
    tmp_path: Path, spelling: str
) -> None:
    path = tmp_path / "src" / "a b.py"
    path.parent.mkdir()
    path.write_text(TEXT)
    name = spelling.replace("ROOT", str(tmp_path))
    async with Stage(cwd=str(tmp_path)) as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.agent.update(
            "tool_call", toolCallId="1", title="Edit", content=[DIFF | {"path": name}]
        )
        stage.agent.update("tool_call", toolCallId="2", title="Edit", rawInput={"path": name})
        await stage.agent.quiet()
        told, _ = await places(stage, session)
        assert {(os.path.normpath(it), line) for it, line in told} == {
            (str(path), 3),
            (str(path), 0),
        }
        assert names(session) == {str(path)}


@pytest.mark.parametrize("prefixes", [("a/", "b/"), ("", "")])
@pytest.mark.parametrize("changed", ["src/n.py", "file://ROOT/src/n.py", "ROOT/src/n.py"])
async def test_a_patch_with_relative_names_is_of_the_file(
    tmp_path: Path, prefixes: tuple[str, str], changed: str
) -> None:
    path = tmp_path / "src" / "n.py"
    path.parent.mkdir()
    path.write_text(TEXT)
    old, new = (f"{it}src/n.py" for it in prefixes)
    patch = f"--- {old}\n+++ {new}\n@@ -2,2 +2,2 @@\n two\n-three\n+3\n"
    diff = {
        "type": "diff",
        "changes": [{"operation": "modify", "path": changed.replace("ROOT", str(tmp_path))}],
        "patch": {"format": "git_patch", "text": patch},
    }
    async with Stage(cwd=str(tmp_path), protocol=2) as stage:
        session = await stage.start_2()
        await begin(stage, session)
        stage.agent.update("tool_call_update", toolCallId="1", title="Edit", content=[diff])
        await stage.agent.quiet()
        told, _ = await places(stage, session)
        assert told == [(str(path), 3)]
        assert names(session) == {str(path)}


@pytest.mark.parametrize(
    "name",
    ["src/a.py", "/box/src/a.py", "file:///box/src/a.py", "file://localhost/box/src/a.py#L2"],
)
async def test_a_file_of_a_container_is_found_however_it_is_named(
    tmp_path: Path, name: str
) -> None:
    path = tmp_path / "src" / "a.py"
    path.parent.mkdir()
    path.write_text(TEXT)
    box = Paths.of("scripted", {"/box": str(tmp_path)}, lambda it: it)
    async with Stage(cwd=str(tmp_path), paths=box) as stage:
        session = await stage.start()
        await stage.turn(session)
        stage.agent.update("tool_call", toolCallId="1", title="x", locations=[{"path": name}])
        stage.agent.update("tool_call", toolCallId="2", title="x", content=[DIFF | {"path": name}])
        stage.agent.update("tool_call", toolCallId="3", title="x", rawInput={"path": name})
        await stage.agent.quiet()
        assert names(session, box) == {str(path)}
        _, shown = await places(stage, session)
        assert {it for it, _ in shown} == {str(path)}


async def test_a_relative_name_leads_to_nothing_outside(tmp_path: Path) -> None:
    async with Stage(cwd=str(tmp_path / "in")) as stage:
        session = await stage.start()
        await stage.turn(session)
        (tmp_path / "in").mkdir()
        (tmp_path / "out").write_text(TEXT)
        for number, name in enumerate(("../out", f"file://{tmp_path}/out", "file://../out")):
            where = [{"path": name}]
            stage.agent.update("tool_call", toolCallId=str(number), title="x", locations=where)
        await stage.agent.quiet()
        assert (await places(stage, session))[1] == []


def names(session: Session, paths: Paths = SAME) -> set[str]:
    """Return the files that the calls of a session are counted to have named."""
    calls = [it for it in session.state.entries if isinstance(it, ToolCall)]
    return {os.path.normpath(it) for call in calls for it in named(call, session.state.cwd, paths)}
