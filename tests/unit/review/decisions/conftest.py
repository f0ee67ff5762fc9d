"""A project under review."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.review_desk import ReviewDesk


@pytest.fixture
def desk(tmp_path: Path) -> ReviewDesk:
    folder = tmp_path.resolve() / "project"
    folder.mkdir()
    return ReviewDesk(folder, tmp_path / "kept")
