"""The fixtures of these tests: a real Neovim, ended after each test, and a spy on its bridge."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.nvim import Neovim


@pytest.fixture
def nvim() -> Iterator[Neovim]:
    """Yield a Neovim with plugin/acp.lua loaded and nothing else."""
    with Neovim() as child:
        yield child


@pytest.fixture
def spy(nvim: Neovim) -> BridgeSpy:
    """Replace the bridge of `nvim`: no host is started, and what it would be told is recorded."""
    return BridgeSpy(nvim)
