"""A clock that is set back or ahead, a machine that sleeps: what is newest stays the newest."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from acp_nvim.app import compose
from acp_nvim.history.author import Author
from acp_nvim.review.log import EditLog
from acp_nvim.storage.edits import EditStore
from acp_nvim.workspace.authors import Authors
from acp_nvim.workspace.session_list import SessionList
from tests.support.fakes.fake_editor import fake_editor
from tests.unit.session.conversation import OPENED, after, turn

DAY = 86400.0


async def test_what_follows_a_clock_that_was_set_back_is_newer_than_what_was_before(
    tmp_path: Path,
) -> None:
    tomorrow = time.time() + DAY
    store = EditStore(lambda: str(tmp_path / "edits"))
    author = Author("scripted", "s", 1, tomorrow - 1)
    EditLog(store, now=lambda: tomorrow, changed=lambda _: None).wrote("/a", "1\n", "2\n", author)
    store.flush()
    host = compose(fake_editor(), "/")
    host.workspace.paths = {"root": "/", "state": str(tmp_path)}
    await host.review.restore()
    assert host.review.log.now() > tomorrow
    following = Authors(host.workspace).last(after(OPENED, turn("go", host.clock())))
    assert following is not None and following.began > tomorrow


def test_how_long_ago_a_session_worked_is_not_told_by_a_clock_that_was_set() -> None:
    state = after(OPENED, turn("go", 100.0))
    chats: Any = {7: SimpleNamespace(session=SimpleNamespace(state=state), number=7)}
    wall = [5000.0]
    shown = SessionList(1, "/w", chats, clock=lambda: 160.0, now=lambda: wall[0], with_keys=False)
    for now in (5000.0, 5000.0 + DAY, 5000.0 - DAY):
        wall[0] = now
        assert [now - (row.updated or 0.0) for row in shown.rows()] == [60.0]
