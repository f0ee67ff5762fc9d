"""Texts that are merged in a thread: nothing else waits, and what comes meanwhile is not lost."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from acp_nvim import aside
from acp_nvim.files import write
from tests.support.files.file_rig import FileRig

BEFORE = "1\n2\n3\n4\n5\n6\n7\n"


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> set[int]:
    """Every text is large; the threads in which some was merged."""
    found: set[int] = set()
    merge = write._merge

    def noted(request: write.WriteRequest, base: str, ours: str, on_disk: str | None) -> str:
        found.add(threading.get_ident())
        return merge(request, base, ours, on_disk)

    monkeypatch.setattr(aside, "LARGE", 0)
    monkeypatch.setattr(write, "_merge", noted)
    return found


async def test_a_merge_is_made_in_a_thread(rig: FileRig, threads: set[int]) -> None:
    path = rig.file(BEFORE)
    await rig.read(path)
    rig.files.open(path, "one", *BEFORE.split()[1:])
    await rig.write(path, BEFORE.replace("7", "seven"))
    assert rig.files.buffers[str(path)].lines == ("one", "2", "3", "4", "5", "6", "seven")
    assert threads
    assert threading.get_ident() not in threads


async def test_what_the_disk_gets_meanwhile_stays(
    rig: FileRig, threads: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = rig.file(BEFORE)
    await rig.read(path)
    merge, others = write._merge, [BEFORE.replace("1", "another's")]

    def late(request: write.WriteRequest, base: str, ours: str, on_disk: str | None) -> str:
        if others:
            Path(path).write_text(others.pop(), encoding="utf-8")
        return merge(request, base, ours, on_disk)

    monkeypatch.setattr(write, "_merge", late)
    await rig.write(path, BEFORE.replace("7", "seven"))
    assert path.read_text(encoding="utf-8") == "another's\n2\n3\n4\n5\n6\nseven\n"
    assert threading.get_ident() not in threads
