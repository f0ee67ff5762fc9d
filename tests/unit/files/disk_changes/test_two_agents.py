"""Of two agents whose turns run in one project, each has made what its own tool calls name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from acp_nvim.history.author import Author
from tests.support.files.file_rig import FileRig

OLD = "a\nb\nc\nd\ne\n"
THEIRS = "a\nB\nc\nd\ne\n"


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[FileRig]:
    rig = FileRig(tmp_path.resolve())
    yield rig
    assert not rig.faults


@pytest.mark.parametrize("runs", ["first", "second"])
@pytest.mark.parametrize("between", [OLD, "", "a\n"])
async def test_what_its_tool_took_out_and_brought_back_is_there_again(
    rig: FileRig, runs: str, between: str
) -> None:
    turns = {it: Author("a", it, 1, 1.0) for it in ("first", "second")}
    rig.turns.update(turns)
    rig.running[""] = turns[runs]
    path = rig.file(OLD)
    rig.files.open(path)
    await rig.begin()
    await rig.read(path, "second")
    await rig.write(path, THEIRS, "second")
    path.write_text(between)
    await rig.look(path, turns["second"])
    path.write_text(THEIRS)
    await rig.look(path, turns["second"])
    assert rig.files.lines(path) == THEIRS.split()
