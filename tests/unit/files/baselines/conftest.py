"""A folder, and how files in it look."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from acp_nvim.files.baselines import baselines
from acp_nvim.files.baselines import snapshot as sight
from acp_nvim.files.roots import Roots


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def roots(root: Path) -> Roots:
    return Roots(str(root))


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let time count from the second file on: folders of tests are small."""
    monkeypatch.setattr(baselines, "AT_LEAST", 1)


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files count as old at once, as they do after two seconds."""
    monkeypatch.setattr(sight, "RACY", 0)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were read."""
    names: list[str] = []
    read = sight._read

    def spy(path: str, size: int, largest: int) -> bytes:
        names.append(os.path.basename(path))
        return read(path, size, largest)

    monkeypatch.setattr(sight, "_read", spy)
    return names
