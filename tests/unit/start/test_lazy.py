"""What is rare is loaded when it is used first, by one mechanism, and nothing else loads it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from acp_nvim import lazy

ROOT = Path(__file__).resolve().parents[3]
REPORT = """
import json, sys
sys.path.insert(0, sys.argv[1])
import acp_nvim.app, acp_nvim.nvim.editor
from acp_nvim import lazy
waiting = [it for it in lazy.RARE if type(sys.modules.get(it)) is lazy._Waiting]
print(json.dumps([waiting, sorted(sys.modules)]))
"""


@pytest.fixture(scope="module")
def started() -> tuple[list[str], list[str]]:
    """Return what waits in a new process that has loaded the program, and all its modules."""
    command = [sys.executable, "-I", "-c", REPORT, str(ROOT / "python")]
    environment = {**os.environ, "PYDANTIC_DISABLE_PLUGINS": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    waiting, modules = json.loads(run.stdout)
    return waiting, modules


def test_a_start_loads_nothing_that_is_rare(started: tuple[list[str], list[str]]) -> None:
    assert set(started[0]) == lazy.RARE


@pytest.mark.parametrize(
    "library", ["httpx2", "websockets", "truststore", "pygments.lexer", "pygments.lexers._mapping"]
)
def test_libraries_of_what_is_rare_are_not_loaded(
    started: tuple[list[str], list[str]], library: str
) -> None:
    assert library not in started[1]


def test_nothing_of_the_second_version_is_loaded(started: tuple[list[str], list[str]]) -> None:
    ours = {it for it in started[1] if it.startswith("acp_nvim.protocol.v2.")}
    assert ours == {"acp_nvim.protocol.v2.dialect"}


@pytest.fixture
def rare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[ModuleType]:
    """Import a rare module with that source."""
    name = "rare_module_of_a_test"
    (tmp_path / f"{name}.py").write_text(request.param, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(lazy, "RARE", lazy.RARE | {name})
    yield __import__(name)
    del sys.modules[name]


@pytest.mark.parametrize("rare", ["word = 'here'"], indirect=True)
def test_it_is_filled_when_it_is_asked(rare: ModuleType) -> None:
    assert type(rare) is lazy._Waiting
    assert "word" not in rare.__dict__
    assert rare.word == "here"
    assert type(rare) is ModuleType


@pytest.mark.parametrize("rare", ["import no_such_package_anywhere"], indirect=True)
def test_a_missing_package_is_told_each_time(rare: ModuleType) -> None:
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError) as told:
            _ = rare.word
        assert told.value.name == "no_such_package_anywhere"


SLOW = """
import sys
sys.modules["rare_module_of_a_test"].__dict__["runs"] = runs = [0]
runs[0] += 1
with open(__file__ + ".fifo") as fifo:
    fifo.read()
word = 'here'
"""


@pytest.mark.parametrize("rare", [SLOW], indirect=True)
def test_two_threads_load_it_once(rare: ModuleType) -> None:
    assert rare.__file__ is not None
    fifo = Path(rare.__file__ + ".fifo")
    os.mkfifo(fifo)
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(rare.word)) for _ in range(2)]
    for thread in threads:
        thread.start()
    with fifo.open("w") as end:  # the first is in the middle of it
        end.write("on")
    for thread in threads:
        thread.join()
    assert found == ["here", "here"]
    assert rare.runs == [1]
