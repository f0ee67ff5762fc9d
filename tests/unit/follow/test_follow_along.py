from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import anyio
import pytest

from acp_nvim.files.roots import Roots
from acp_nvim.follow import follow_along
from acp_nvim.follow.follow_along import AgentId, FollowAlong
from acp_nvim.session.content import Diff
from acp_nvim.session.place import Place
from tests.support.fakes.fake_ports import FakeFiles, FakeFollower, FakeNotifier

WALKER = AgentId("scripted", "s")
OTHER = AgentId("scripted", "t")


class Walk:
    """Follow-along over two files of a folder, with an editor that notes what it was asked."""

    def __init__(self, folder: Path) -> None:
        folder = folder.resolve()
        self.roots = Roots(str(folder))
        self.a, self.b = str(folder / "a"), str(folder / "b")
        for path in (self.a, self.b):
            Path(path).write_text("1\n2\n3\n")
        self.follower, self.notifier = FakeFollower(), FakeNotifier()
        self.files = FakeFiles()
        self.along = FollowAlong(self.files, self.follower, self.notifier)

    def walk(self, *steps: Place, call: str = "call-1", walker: AgentId = WALKER) -> None:
        self.along.walked(walker, self.roots, call, steps)

    def told(self) -> list[tuple[str, int]]:
        """Return the places of the events so far."""
        assert {name for name, _ in self.notifier.events} <= {"AcpLocation"}
        return [(data["path"], data["line"]) for _, data in self.notifier.events]


@pytest.fixture
async def walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Walk]:
    monkeypatch.setattr(follow_along, "PAUSE", 0)
    made = Walk(tmp_path)
    task = asyncio.create_task(made.along.run())
    yield made
    task.cancel()


async def test_places_are_told_and_the_last_is_shown(walk: Walk) -> None:
    walk.along.switch(enabled=True)
    walk.walk(Place(walk.a, 1), Place(walk.b), Place(walk.a, 3))
    shown = await walk.along.snapshot()
    assert shown == {"enabled": True, "path": walk.a, "line": 3, "winid": 1000}
    assert walk.follower.shown == [(walk.a, 3)]
    assert walk.told() == [(walk.a, 1), (walk.b, 0), (walk.a, 3)]
    assert walk.notifier.events[0][1] == {
        "agent": "scripted",
        "session": "s",
        "path": walk.a,
        "line": 1,
        "tool_call": "call-1",
    }


async def test_what_a_call_told_already_is_no_news(walk: Walk) -> None:
    walk.along.switch(enabled=True)
    walk.walk(Place(walk.a, 1))
    walk.walk(Place(walk.b, 2), call="call-2")
    walk.walk(Place(walk.a, 1))
    assert (await walk.along.snapshot())["path"] == walk.b
    walk.walk(Place(walk.a, 1), call="call-3")
    assert (await walk.along.snapshot())["path"] == walk.a
    assert walk.told() == [(walk.a, 1), (walk.b, 2), (walk.a, 1)]
    walk.along.begin(WALKER)
    walk.walk(Place(walk.a, 1))
    assert len(walk.told()) == 4


async def test_a_line_is_better_than_none(walk: Walk) -> None:
    walk.along.switch(enabled=True)
    walk.walk(Place(walk.a, 2))
    walk.walk(Place(walk.a), call="call-2")
    walk.along.touched(WALKER, walk.a, None)
    walk.along.touched(WALKER, walk.a, 2)
    assert (await walk.along.snapshot())["line"] == 2
    assert walk.told() == [(walk.a, 2), (walk.a, 0)]
    walk.along.touched(WALKER, walk.a, 3)
    walk.along.touched(WALKER, walk.b, None)
    assert walk.told()[2:] == [(walk.a, 3), (walk.b, 0)]
    assert "tool_call" not in walk.notifier.events[-1][1]


async def test_a_call_does_not_take_its_line_back(walk: Walk) -> None:
    walk.walk(Place(walk.a, 2))
    walk.walk(Place(walk.a))
    assert walk.told() == [(walk.a, 2)]


async def test_a_change_is_looked_for_in_the_live_text(walk: Walk) -> None:
    walk.along.switch(enabled=True)
    walk.files.open(Path(walk.a), "0", "1", "2", "3")
    walk.walk(Place(walk.a, None, Diff(walk.a, "2\n3", "2\nIII")))
    assert (await walk.along.snapshot())["line"] == 4
    walk.walk(Place(walk.b, None, Diff(walk.b, "2\n3", "2\nIII")))
    assert (await walk.along.snapshot())["line"] == 3
    assert walk.told() == [(walk.a, 4), (walk.b, 3)]


async def test_only_files_of_the_project_are_shown(walk: Walk, tmp_path: Path) -> None:
    walk.along.switch(enabled=True)
    (tmp_path / "link").symlink_to("/etc/passwd")
    gone, folder, link = (str(tmp_path / name) for name in ("gone", ".", "link"))
    walk.walk(*(Place(path, 1) for path in (gone, folder, link, "/etc/passwd", "a", "/\0")))
    assert len(walk.told()) == 6
    guesses = (Place(path, guessed=True) for path in (gone, folder, link, "/\0"))
    walk.walk(*guesses, call="call-2")
    assert len(walk.told()) == 6
    assert (await walk.along.snapshot())["path"] is None
    assert walk.follower.shown == []


async def test_a_file_that_is_new_is_shown_once_it_is_there(walk: Walk, tmp_path: Path) -> None:
    walk.along.switch(enabled=True)
    path = tmp_path / "new"
    walk.walk(Place(str(path), 1))
    path.write_text("new\n")
    walk.walk(Place(str(path), 1))
    assert (await walk.along.snapshot())["path"] == str(path)
    assert walk.told() == [(str(path), 1)]


async def test_it_comes_to_where_the_agent_is_when_it_is_turned_on(walk: Walk) -> None:
    walk.walk(Place(walk.a, 2))
    assert await walk.along.snapshot() == {"enabled": False}
    walk.along.switch(enabled=True)
    assert (await walk.along.snapshot())["line"] == 2
    assert walk.follower.shown == [(walk.a, 2)]
    walk.along.switch(enabled=False)
    assert walk.follower.posted == ["stop"]


async def test_a_new_turn_takes_the_place_away(walk: Walk) -> None:
    walk.along.switch(enabled=True)
    walk.walk(Place(walk.a, 2))
    walk.along.begin(OTHER)
    assert (await walk.along.snapshot())["path"] == walk.a
    walk.along.begin(WALKER)
    assert (await walk.along.snapshot())["path"] is None
    assert walk.follower.posted == ["clear"]


async def test_what_the_editor_refuses_is_tried_again(walk: Walk) -> None:
    walk.follower.refusals = 2
    walk.along.switch(enabled=True)
    walk.walk(Place(walk.a, 2))
    with anyio.fail_after(40):
        await walk.follower.gave_in.wait()
    assert walk.follower.shown == [(walk.a, 2)] * 3
    assert (await walk.along.snapshot())["line"] == 2


async def test_many_steps_are_few_moves(walk: Walk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow_along, "PAUSE", 3600)
    walk.along.switch(enabled=True)
    walk.walk(Place(walk.a, 1))
    await walk.along.snapshot()
    for number in range(50):
        walk.walk(Place(walk.b, 3), call=f"call-{number}")
    await anyio.wait_all_tasks_blocked()
    assert walk.follower.shown == [(walk.a, 1)]


async def test_an_option_counts_until_a_command_says_otherwise(walk: Walk) -> None:
    walk.along.configure(enabled=True)
    assert walk.along.enabled
    walk.along.switch(enabled=False)
    walk.along.configure(enabled=True)
    assert not walk.along.enabled


async def test_where_nobody_follows_no_file_is_looked_at_until_somebody_does(
    walk: Walk, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    look = follow_along._file
    monkeypatch.setattr(
        follow_along, "_file", lambda roots, path: looked.append(path) or look(roots, path)
    )
    for number in range(1, 100):
        walk.walk(Place(walk.a, number), call=f"call-{number}")
    walk.walk(Place(f"{walk.a}/none"), call="call-100")
    assert (len(walk.told()), looked) == (100, [])
    walk.along.switch(enabled=True)
    assert len(looked) == follow_along.MOST_PASSED
    assert (await walk.along.snapshot())["line"] == 99
    assert len(walk.told()) == 100
    walk.along.switch(enabled=False)
    walk.walk(Place(walk.b, 1))
    walk.along.touched(WALKER, walk.b, None)
    assert len(walk.told()) == 101  # the call has told it, and better
