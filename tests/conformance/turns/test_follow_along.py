"""C-171: the editor goes where the agent is, as far as the agent says where."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import anyio
import pytest

from acp_nvim.client.session import Session
from acp_nvim.follow.follow_along import FollowAlong
from acp_nvim.reactions import follow
from acp_nvim.reactions.sessions import REACTIONS
from acp_nvim.session.event import Event, SessionOpened, SessionReopening, ToolCallUpdated
from acp_nvim.session.model import Location
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.workspace import Workspace
from tests.support.fakes.fake_ports import FakeFiles, FakeFollower, FakeNotifier
from tests.support.stage import Stage

TEXT = "one\ntwo\nthree\n"


def walked(along: FollowAlong, session: Session, event: Event) -> None:
    """Do what follows from an event for those who follow the agent."""
    host = cast(Host, SimpleNamespace(follow=along, workspace=Workspace()))
    for react in REACTIONS.get(type(event), ()):
        if react in (follow.walk, follow.begin):
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
