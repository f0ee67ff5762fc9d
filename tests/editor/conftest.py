"""The fixture of these tests: a real Neovim, ended after each test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.nvim import Neovim


@pytest.fixture
def nvim() -> Iterator[Neovim]:
    """Yield a Neovim with plugin/acp.lua loaded and nothing else."""
    with Neovim() as child:
        yield child
