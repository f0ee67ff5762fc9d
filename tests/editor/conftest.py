"""The fixtures of these tests: a real Neovim, without a host or with one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.support.agents.stdio_agent import StdioAgent
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


Shared = tuple[MainJob, StdioAgent]


@pytest.fixture(scope="module")
def sharing() -> Iterator[tuple[ExitStack, list[Shared]]]:
    """Yield where the tests of a module keep what they share; see `shared`."""
    with ExitStack() as stack:
        yield stack, []


@pytest.fixture
def shared(
    request: pytest.FixtureRequest, sharing: tuple[ExitStack, list[Shared]]
) -> Iterator[Shared]:
    """Yield a Neovim and its agent, with which other tests were at work before.

    For a test with files and tool calls of its own, that ends in normal mode and in a turn. After
    one that fails there is a new Neovim.
    """
    stack, kept = sharing
    if not kept:
        job = stack.enter_context(MainJob())
        kept.append((job, job.start()))
    failed = request.session.testsfailed
    job, agent = kept[0]
    yield job, agent
    if request.session.testsfailed > failed:
        kept.clear()
        stack.close()
    else:
        job.finish(agent, job.prompt)
