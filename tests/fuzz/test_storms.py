"""A few storms, always the same; `python -m tests.fuzz.long_run` plays others."""

from __future__ import annotations

import tempfile
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings

from tests.fuzz.play import survives
from tests.fuzz.storm import Storm, storms
from tests.fuzz.talks import Talk, talks


@pytest.mark.parametrize("talk", talks(), ids=lambda talk: talk.name)
def test_a_session_survives_storms(talk: Talk) -> None:
    @settings(
        max_examples=8,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(storms(talk))
    def run(storm: Storm) -> None:
        with tempfile.TemporaryDirectory() as folder:
            anyio.run(survives, talk, storm, Path(folder).resolve())

    run()


@pytest.mark.parametrize("talk", talks(), ids=lambda talk: talk.name)
def test_a_talk_without_a_storm_is_survived(talk: Talk, tmp_path: Path) -> None:
    anyio.run(survives, talk, Storm((), ()), tmp_path)
