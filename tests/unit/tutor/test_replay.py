"""The agent that plays a log back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acp_tutor.replay import Player, read_log
from tests.support.replay import SESSIONS

VIBE = SESSIONS / "vibe.jsonl"


def entry(source: str, message: Any) -> str:
    return json.dumps({"t": 0.0, "from": source, "line": json.dumps(message)})


def call(id: int, method: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": {}}


def answer(id: Any, result: Any = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": result}


def test_each_line_waits_for_what_the_client_had_said() -> None:
    said: list[Any] = []
    log = [
        entry("client", call(0, "initialize")),
        entry("agent", answer(0, "hello")),
        entry("client", call(1, "session/prompt")),
        entry("agent", {"jsonrpc": "2.0", "method": "session/update"}),
        entry("agent", answer(1, "end")),
    ]
    player = Player(read_log(log), said.append)
    player.receive(call(7, "initialize"))
    assert said == [answer(7, "hello")], "the client's own id, and no word more"
    player.receive(call(8, "session/prompt"))
    assert said[1:] == [{"jsonrpc": "2.0", "method": "session/update"}, answer(8, "end")]
    player.receive(call(9, "session/prompt"))
    assert said[-1]["error"]["message"] == "the log holds no further session/prompt"


def test_a_question_waits_for_its_answer() -> None:
    said: list[Any] = []
    log = [
        entry("client", call(0, "session/prompt")),
        entry("agent", call(5, "session/request_permission")),
        entry("client", answer(5, {"outcome": "selected"})),
        entry("agent", answer(0)),
    ]
    player = Player(read_log(log), said.append)
    player.receive(call(0, "session/prompt"))
    assert said == [call(5, "session/request_permission")]
    player.receive(answer(5, {"outcome": "cancelled"}))
    assert said[-1] == answer(0)


def test_a_cancel_need_not_come_again() -> None:
    said: list[Any] = []
    log = [
        entry("client", call(0, "session/prompt")),
        entry("client", {"jsonrpc": "2.0", "method": "session/cancel"}),
        entry("agent", answer(0)),
    ]
    Player(read_log(log), said.append).receive(call(3, "session/prompt"))
    assert said == [answer(3)]


def test_nothing_is_written_or_run_again() -> None:
    log = [
        entry("client", call(0, "session/prompt")),
        entry("agent", call(5, "fs/write_text_file")),
        entry("client", answer(5, {})),
        entry("agent", call(6, "terminal/create")),
        entry("client", answer(6, {})),
        entry("agent", answer(0)),
    ]
    said: list[Any] = []
    Player(read_log(log), said.append).receive(call(0, "session/prompt"))
    assert said == [answer(0)]


def test_noise_is_left_out_and_a_cut_line_is_told() -> None:
    noise = json.dumps({"t": 0.0, "from": "agent", "line": "Starting"})
    assert read_log([noise, json.dumps({"t": 0.0, "from": "stderr", "line": "x"})]) == []
    cut = json.dumps({"t": 0.0, "from": "agent", "line": '{"a": "… (9000 characters)'})
    with pytest.raises(ValueError, match="line 1 is cut"):
        read_log([cut])


@pytest.mark.parametrize(
    ("arguments", "code"), [([], 2), (["/nowhere"], 1), ([str(VIBE)], 0)], ids=str
)
def test_as_a_program(arguments: list[str], code: int) -> None:
    run = subprocess.run(
        [sys.executable, "-P", "-m", "acp_tutor.replay", *arguments],
        input=json.dumps(call(0, "initialize")) + "\n",
        env={"PYTHONPATH": str(Path(__file__).parents[3] / "python")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert run.returncode == code, run.stderr
    if code == 0:
        assert json.loads(run.stdout)["result"]["agentInfo"]["version"] == "2.4.2"
    else:
        assert run.stderr.count("\n") == 1
