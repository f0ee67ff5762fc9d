"""Projects with what is remembered of a session."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.files.roots import Roots
from tests.support.lessons_desk import Desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path.resolve())


@pytest.fixture
def linked(tmp_path: Path) -> Desk:
    """Return a desk whose session was opened in a symlink to the project."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    desk = Desk((tmp_path / "real").resolve())
    desk.roots = Roots(str(tmp_path / "link"))
    return desk
