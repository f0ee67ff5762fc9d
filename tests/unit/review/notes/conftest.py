"""Projects with what is remembered of a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.files.roots import Roots
from tests.support.files.notes_rig import NotesRig


@pytest.fixture
def rig(tmp_path: Path) -> NotesRig:
    return NotesRig(tmp_path.resolve())


@pytest.fixture
def linked(tmp_path: Path) -> NotesRig:
    """Return a rig whose session was opened in a symlink to the project."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    rig = NotesRig((tmp_path / "real").resolve())
    rig.roots = Roots(str(tmp_path / "link"))
    return rig
