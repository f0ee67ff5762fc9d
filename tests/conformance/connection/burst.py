"""Several messages of the agent in one read of the client, as a fast agent sends them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.agents.scripted_agent import ScriptedAgent


@contextmanager
def burst(agent: ScriptedAgent) -> Iterator[None]:
    """Hold back what the agent writes meanwhile, then write it at once."""
    held: list[bytes] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agent, "write", held.append)
        yield
    agent.write(b"".join(held))
