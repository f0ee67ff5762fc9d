"""Conflicts on disk: they outlive the host, and what is no conflict is none."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.history.author import Author
from acp_nvim.history.conflict import Conflict
from acp_nvim.review.log import EditLog
from acp_nvim.storage.edits import CONFLICTS, EditStore

AUTHOR = Author("agent", "sess 1", 2, 3.5, "call", "prompt", "title")
CONFLICT = Conflict("/w/ä\udce9", AUTHOR, "a\n\udce9", "b\n", ((0, 1), (3, 3)), on_disk=True)


def books(folder: Path) -> tuple[EditLog, EditStore]:
    store = EditStore(lambda: str(folder))
    return EditLog(store, now=lambda: 1.0, changed=lambda path: None), store


def test_a_conflict_is_the_same_after_it_was_kept() -> None:
    text = CONFLICTS.to_text(CONFLICT)
    assert text.isascii() and text.count("\n") == 1
    assert CONFLICTS.from_text(text) == CONFLICT
    first_version = json.dumps({"acp_clash": 1} | asdict(CONFLICT))
    assert CONFLICTS.from_text(first_version) == CONFLICT


@pytest.mark.parametrize(
    "change",
    [
        {"acp_clash": 2},
        {"acp_clash": None},
        {"path": 1},
        {"base": None},
        {"places": [1]},
        {"places": [["a", "b"]]},
        {"author": {}},
        {"author": asdict(AUTHOR) | {"turn": "one"}},
        {"on_disk": "perhaps"},
    ],
)
def test_what_another_version_wrote_is_none(change: dict[str, Any]) -> None:
    assert CONFLICTS.from_text(json.dumps(json.loads(CONFLICTS.to_text(CONFLICT)) | change)) is None


def test_what_a_newer_version_adds_is_ignored() -> None:
    text = json.dumps(json.loads(CONFLICTS.to_text(CONFLICT)) | {"more": 1})
    assert CONFLICTS.from_text(text) == CONFLICT


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{", CONFLICTS.to_text(CONFLICT)[:-9], "[" * 100_000]
)
def test_what_was_cut_off_is_none(text: str) -> None:
    assert CONFLICTS.from_text(text) is None


async def test_a_conflict_outlives_the_host_until_it_is_settled(tmp_path: Path) -> None:
    edits, store = books(tmp_path)
    edits.conflicted(CONFLICT)
    store.flush()
    later, store = books(tmp_path)
    await later.restore()
    assert later.conflicts() == (CONFLICT,)
    later.settled(CONFLICT.path)
    store.flush()
    last, _ = books(tmp_path)
    await last.restore()
    assert last.conflicts() == ()


async def test_a_newer_conflict_is_not_replaced_by_the_one_that_was_kept(tmp_path: Path) -> None:
    edits, store = books(tmp_path)
    edits.conflicted(CONFLICT)
    store.flush()
    later, _ = books(tmp_path)
    newer = Conflict(CONFLICT.path, AUTHOR, "", "", (), on_disk=False)
    later.conflicted(newer)
    await later.restore()
    assert later.conflicts() == (newer,)


async def test_a_folder_that_cannot_be_written_costs_the_memory_only(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    edits, store = books(tmp_path / "file")
    edits.conflicted(CONFLICT)
    edits.settled(CONFLICT.path)
    store.flush()
    await edits.restore()
    assert edits.conflicts() == ()
