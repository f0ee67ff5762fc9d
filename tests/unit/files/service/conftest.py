"""A folder with the service."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.files.file_rig import FileRig


@pytest.fixture
def rig(tmp_path: Path) -> FileRig:
    return FileRig(tmp_path.resolve())
