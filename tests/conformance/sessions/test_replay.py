"""Wire logs of real agents, recorded with `:Acp log`, played back: the chat is what it was."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.replay import SESSIONS, play

LOGS = sorted(SESSIONS.glob("*.jsonl"))


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
async def test_a_recorded_session_ends_as_it_did(log: Path, tmp_path: Path) -> None:
    expected = json.loads(log.with_suffix(".expected.json").read_text(encoding="utf-8"))
    assert await play(log, tmp_path) == expected


def test_the_recordings_tell_nothing_of_where_they_were_made() -> None:
    for log in LOGS:
        text = log.read_text(encoding="utf-8")
        assert "/tmp/" not in text and "/root" not in text and "/home/user" not in text, log
        assert '"from": "stderr"' not in text, log
