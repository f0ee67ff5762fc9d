"""What comes while a look waits for a file that is being written, or a write for the editor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_nvim.files.baselines.baselines import Baselines
from acp_nvim.files.baselines.listing import Listings
from acp_nvim.files.git import Names
from tests.support.files.file_rig import AGENT, FileRig


class Amid(Listings):
    """Does something once, while an inventory is taken."""

    act: Callable[[], None] | None = None

    async def take(self, folder: str) -> Any:
        if self.act is not None:
            self.act, act = None, self.act
            act()
        return await super().take(folder)


async def no_names(*_: object) -> Names | None:
    return None


@pytest.fixture
def listings() -> Amid:
    return Amid(names=no_names)


@pytest.fixture
def rig(tmp_path: Path, listings: Amid) -> Iterator[FileRig]:
    rig = FileRig(tmp_path.resolve(), baselines=Baselines(inventories=listings, quiet=60))
    yield rig
    assert not rig.faults


THEIRS = {"removed": None, "written": "theirs\none\nmine\n"}


def goes_on(rig: FileRig, path: Path, theirs: str | None) -> None:
    """Let the user save a line, and then the agent's tool change the file."""
    if str(path) not in rig.files.buffers:
        rig.files.open(path)
    rig.files.type(path, "one", "mine")
    rig.files.save(path)
    if theirs is None:
        path.unlink()
    else:
        path.write_text(theirs)


@pytest.mark.parametrize("is_open", [True, False])
@pytest.mark.parametrize("theirs", THEIRS.values(), ids=THEIRS.keys())
async def test_a_look_at_a_file(rig: FileRig, theirs: str | None, *, is_open: bool) -> None:
    path = rig.file("one\n")
    if is_open:
        rig.files.open(path)
    await rig.begin()
    path.write_text("half")  # so that it waits
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(rig.look, path)
        await anyio.wait_all_tasks_blocked()
        path.write_text("one\n")
        goes_on(rig, path, theirs)
    await rig.look(path)
    assert rig.texts == [("one\nmine\n", theirs)]


@pytest.mark.parametrize("theirs", THEIRS.values(), ids=THEIRS.keys())
async def test_a_look_at_everything(rig: FileRig, listings: Amid, theirs: str | None) -> None:
    path = rig.file("one\n")
    await rig.begin()
    listings.act = lambda: goes_on(rig, path, theirs)
    rig.sync.sweep(AGENT, rig.roots)
    await rig.passed()
    assert rig.texts == [("one\nmine\n", theirs)]


@pytest.mark.parametrize("is_open", [True, False])
async def test_what_an_agents_tool_writes_amid_its_write_is_the_agents(
    rig: FileRig, monkeypatch: pytest.MonkeyPatch, *, is_open: bool
) -> None:
    path = rig.file("one\ntwo\n")
    await rig.begin()
    await rig.read(path)
    rig.running[""] = AGENT

    async def holder(_path: str) -> None:
        monkeypatch.undo()
        path.write_text("one\ntwo\ntool\n")

    if is_open:
        rig.files.open(path)
        rig.files.before_change = lambda: (
            rig.files.reload(path) if path.write_text("one\ntwo\ntool\n") else None
        )
    else:
        monkeypatch.setattr(rig.files, "holder", holder)
    await rig.write(path, "ours\none\ntwo\n")
    assert path.read_text() == "ours\none\ntwo\ntool\n"
    await rig.undo(agent="a")
    assert path.read_text() == "one\ntwo\n"
