"""What cannot be kept is told once, and is kept as soon as it can be."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from acp_nvim.storage import private
from acp_nvim.storage.edits import LESSONS, KeptLessons
from acp_nvim.storage.json_store import JsonStore


class Disk:
    """One on which nothing can be written while it is `full`."""

    def __init__(self, replace: Callable[[Path, str], None]) -> None:
        self.full = True
        self.tried = 0
        self._replace = replace

    def replace(self, path: Path, text: str) -> None:
        self.tried += 1
        if self.full:
            raise OSError(errno.EMFILE, "Too many open files")
        self._replace(path, text)


async def test_it_is_told_once_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk, told = Disk(private.replace), list[OSError]()
    monkeypatch.setattr(private, "replace", disk.replace)
    store = JsonStore(lambda: str(tmp_path / "kept"), ".json", LESSONS, report=told.append)

    async def wait(is_so: Callable[[], bool]) -> None:
        with anyio.fail_after(40):
            while not is_so():  # noqa: ASYNC110
                await anyio.sleep(0.01)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(store.run)
        store.note("a", KeptLessons("agent", "a", {}))
        await wait(lambda: len(told) == 1)
        assert not store.is_settled()
        store.note("b", KeptLessons("agent", "b", {}))
        await wait(lambda: disk.tried >= 3)
        disk.full = False
        store.note("c", KeptLessons("agent", "c", {}))
        await wait(store.is_settled)
        assert {kept.session for kept in store.read_all()} == {"a", "b", "c"}
        assert len(told) == 1
        disk.full = True
        store.note("a", KeptLessons("agent", "a2", {}))
        await wait(lambda: len(told) == 2)
        disk.full = False
        store.flush()
        assert {kept.session for kept in store.read_all()} == {"a2", "b", "c"}
        tasks.cancel_scope.cancel()
