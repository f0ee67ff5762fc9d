"""A project under review."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.files.file_rig import FileRig


@pytest.fixture
def rig(tmp_path: Path) -> FileRig:
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    return FileRig(folder, tmp_path / "kept")
