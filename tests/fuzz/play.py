"""Plays a talk with a storm in it, and says what must hold after it."""

from __future__ import annotations

import itertools
from pathlib import Path

import anyio
import msgpack

from acp_nvim.client.session import Session
from acp_nvim.nvim.call import fitting
from acp_nvim.nvim.plain import bar, packed
from acp_nvim.view.op import Replace
from acp_nvim.view.snapshot import snapshot
from acp_nvim.workspace.chat import Chat
from tests.fuzz.storm import Storm
from tests.fuzz.talks import Talk
from tests.support.replay import Replay, prepare
from tests.support.stage import Stage, texts

OPENING = 2
"""Messages of the agent's without which there may be no session: initialize, session/new."""
PATIENCE = 120
"""Seconds for one talk."""


async def survives(talk: Talk, storm: Storm, project: Path) -> None:
    """Play it: no fault of ours (the stage says so), what comes next applies, all can be drawn."""
    lines = talk.lines(project)
    prepare(lines)
    with anyio.fail_after(PATIENCE):
        async with Stage(project, protocol=talk.version) as stage:
            replay = Replay(stage, lines, storm)
            session = await replay.play()
            draw(session)
            if session.state.status in ("loading", "closed") and storm.reaches(OPENING):
                return
            assert not replay.gone and session.id is not None
            stage.agent.say("the next valid update", session.id, messageId="probe")
            await replay.settle()
            assert texts(session)[-1] == "the next valid update"
            draw(session)


def draw(session: Session) -> None:
    """Draw it as Neovim would be told, folded and open, and tell scripts of it."""
    chat = Chat(1, 2, session, itertools.count(1.0).__next__)
    for action in ("close_all", "open_all"):
        chat.picture()
        chat.fold(0, action)  # type: ignore[arg-type]
        while (picture := chat.picture()).paused:
            pass
        rows = tuple(row for block in picture.blocks for row in block.lines)
        told = [packed(Replace(0, -1, rows)), dict(picture.status), bar(picture.winbar)]
        msgpack.packb(fitting(told))
    msgpack.packb(fitting(snapshot(session.state)))
