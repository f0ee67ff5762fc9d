"""Whether a file may be what a turn has made of it that is over."""

from __future__ import annotations

import os
from pathlib import Path

from msgspec.structs import replace

from acp_nvim.files.attribution import EndedTurns
from tests.support.files.file_rig import AGENT, FileRig

FOUND = replace(AGENT, how="found")
SECOND = 1_000_000_000


def test_what_has_changed_since_a_turn_ended_is_none_of_its(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("1")
    changed = os.lstat(path).st_ctime_ns
    clock = [changed - 1]
    ended = EndedTurns(lambda: clock[-1])
    assert ended.may_be_of(FOUND, str(path))
    ended.end(FOUND)
    clock.append(changed + SECOND)
    assert not ended.may_be_of(FOUND, str(path))
    assert ended.may_be_of(AGENT, str(path))  # a tool call has named it
    assert ended.may_be_of(replace(FOUND, turn=2), str(path))
    assert ended.may_be_of(replace(FOUND, session="other"), str(path))
    assert ended.may_be_of(FOUND, str(tmp_path / "gone"))
    ended.end(FOUND)
    assert ended.may_be_of(FOUND, str(path))  # changed before


def test_a_clock_that_is_ahead_of_ours_tells_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("1")
    ended = EndedTurns(lambda: os.lstat(path).st_ctime_ns - 1)
    ended.end(FOUND)
    assert ended.may_be_of(FOUND, str(path))


async def test_a_sweep_after_the_turn_counts_only_what_was_there_before(tmp_path: Path) -> None:
    rig = FileRig(tmp_path.resolve())
    await rig.begin()
    theirs = rig.file("theirs\n")
    mine = rig.file("mine\n", "b")
    times = [os.lstat(theirs).st_ctime_ns]
    while os.lstat(mine).st_ctime_ns == times[0]:
        mine = rig.file("mine\n", "b")  # until the clock of the file system has gone on
    rig.sync.ended.now = lambda: times[-1]
    rig.sync.ended.end(FOUND)
    times.append(os.lstat(mine).st_ctime_ns)
    rig.sync.sweep(FOUND, rig.roots)
    await rig.passed()
    assert rig.named == [("a", None, "theirs\n")]
    assert not rig.faults
