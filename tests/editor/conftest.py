"""The fixtures of these tests: a real Neovim, without a host or with one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.fakes.spy import BridgeSpy
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim
from tests.support.warm import hosts


@pytest.fixture
def nvim() -> Iterator[Neovim]:
    """Yield a Neovim with plugin/acp.lua loaded and nothing else."""
    with Neovim() as child:
        yield child


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the host be started as users' hosts are: for what only a start can show."""
    monkeypatch.setenv(hosts.VARIABLE, "cold")


@pytest.fixture
def spy(nvim: Neovim) -> BridgeSpy:
    """Replace the bridge of `nvim`: no host is started, and what it would be told is recorded."""
    return BridgeSpy(nvim)


@pytest.fixture
def job(request: pytest.FixtureRequest) -> Iterator[MainJob]:
    """Yield a Neovim with the real host, and an agent for the test to play.

    The parameter of the fixture, if there is one, are options.
    """
    with MainJob(getattr(request, "param", None)) as started:
        yield started
