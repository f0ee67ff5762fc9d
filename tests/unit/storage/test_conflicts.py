"""Conflicts outlive the host, until they are settled."""

from __future__ import annotations

from pathlib import Path

from acp_nvim.history.author import Author
from acp_nvim.history.conflict import Conflict
from acp_nvim.review.log import EditLog
from acp_nvim.storage.edits import EditStore

AUTHOR = Author("agent", "sess 1", 2, 3.5, "call", "prompt", "title")
CONFLICT = Conflict("/w/ä\udce9", AUTHOR, "a\n\udce9", "b\n", ((0, 1), (3, 3)), on_disk=True)


def host(folder: Path) -> tuple[EditLog, EditStore]:
    store = EditStore(lambda: str(folder))
    return EditLog(store, now=lambda: 1.0, changed=lambda path: None), store


async def test_a_conflict_outlives_the_host_until_it_is_settled(tmp_path: Path) -> None:
    edits, store = host(tmp_path)
    edits.conflicted(CONFLICT)
    store.flush()
    later, store = host(tmp_path)
    await later.restore()
    assert later.conflicts() == (CONFLICT,)
    later.settled(CONFLICT.path)
    store.flush()
    last, _ = host(tmp_path)
    await last.restore()
    assert last.conflicts() == ()


async def test_a_newer_conflict_is_not_replaced_by_the_one_that_was_kept(tmp_path: Path) -> None:
    edits, store = host(tmp_path)
    edits.conflicted(CONFLICT)
    store.flush()
    later, _ = host(tmp_path)
    newer = Conflict(CONFLICT.path, AUTHOR, "", "", (), on_disk=False)
    later.conflicted(newer)
    await later.restore()
    assert later.conflicts() == (newer,)


async def test_a_folder_that_cannot_be_written_costs_the_memory_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    edits, store = host(tmp_path / "file")
    edits.conflicted(CONFLICT)
    edits.settled(CONFLICT.path)
    store.flush()
    await edits.restore()
    assert edits.conflicts() == ()
