"""One thing wrong in a recorded session: the client lives, and the next valid update applies.

For C-011 to C-015, C-038, C-101 and C-131 to C-135 at once: whatever field of whatever message.
"""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.support.fakes.mutation import TEXT, Mutation, mutations
from tests.support.replay import SESSIONS, Replay, prepare, protocol, recorded
from tests.support.stage import Stage, texts

LOGS = sorted(SESSIONS.glob("*.jsonl"))
OPENING = 2
"""Messages of the agent's without which there may be no session: initialize, session/new."""


async def survives(log: Path, mutation: Mutation, project: Path) -> None:
    """Play the log with the mutation; the stage itself asserts that nothing of ours failed."""
    lines = recorded(log, project)
    prepare(lines)
    async with Stage(project, protocol=protocol(lines)) as stage:
        replay = Replay(stage, lines, mutation)
        session = await replay.play()
        if session.state.status in ("loading", "closed") and mutation.position < OPENING:
            return
        assert not replay.gone and session.id is not None
        stage.agent.say("the next valid update", session.id, messageId="probe")
        await replay.settle()
        assert texts(session)[-1] == "the next valid update"


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_a_session_survives_one_mutation(log: Path) -> None:
    messages = [message for source, message in recorded(log, Path("/p")) if source == "agent"]

    @settings(
        max_examples=60,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(mutations(messages))
    @example(Mutation(2, "broken", at=20))
    def run(mutation: Mutation) -> None:
        with tempfile.TemporaryDirectory() as folder:
            anyio.run(survives, log, mutation, Path(folder).resolve())

    run()


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
@settings(max_examples=3, derandomize=True, database=None, deadline=None)
@given(size=st.integers(1, 4096))
def test_a_session_survives_any_cut(log: Path, size: int) -> None:
    async def cut(project: Path) -> None:
        lines = recorded(log, project)
        prepare(lines)
        async with Stage(project, protocol=protocol(lines)) as stage:
            stage.agent.cut = lambda data: [data[i : i + size] for i in range(0, len(data), size)]
            session = await Replay(stage, lines).play()
            assert session.state.status == "idle" and texts(session)

    with tempfile.TemporaryDirectory() as folder:
        anyio.run(cut, Path(folder).resolve())


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
async def test_text_before_all_messages_hides_none(log: Path, tmp_path: Path) -> None:
    async def said(cut: bool) -> list[str]:
        lines = recorded(log, tmp_path)
        prepare(lines)
        numbers = itertools.count()
        async with Stage(tmp_path, protocol=protocol(lines)) as stage:
            if cut:
                stage.agent.cut = lambda data: [TEXT[next(numbers) % len(TEXT)] + data]
            session = await Replay(stage, lines).play()
            assert session.state.status == "idle"
            return texts(session)

    assert await said(cut=True) == await said(cut=False) != []
