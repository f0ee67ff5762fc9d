"""The log of a connection: whatever is said, whatever the disk does."""

from __future__ import annotations

import itertools
import json
import tracemalloc
from pathlib import Path
from typing import IO, Any

import pytest

from acp_nvim.client import traffic
from acp_nvim.client.traffic import Traffic
from acp_nvim.storage import private


def make(path: Path) -> Traffic:
    times = itertools.count()
    return Traffic(str(path), lambda: float(next(times)))


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_line_is_logged_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "new" / "log.jsonl"
    log = make(path)
    log.record("client", '{"a": "größe \udcff"}')
    log.flush()
    assert entries(path) == [{"t": 0.0, "from": "client", "line": '{"a": "größe \udcff"}'}]
    log.close()
    log.record("agent", "after the end")
    assert len(entries(path)) == 1


def test_a_long_line_is_cut(tmp_path: Path) -> None:
    log = make(tmp_path / "log")
    log.record("agent", "x" * 100_000)
    log.close()
    (entry,) = entries(tmp_path / "log")
    assert entry["line"].endswith("… (100000 characters)")
    assert len(entry["line"]) < 10_000


def test_a_large_answer_is_counted_and_cut_without_a_copy(tmp_path: Path) -> None:
    log = make(tmp_path / "log")
    line = "ä€😀x".encode() * 1_000_000 + b"\n"
    tracemalloc.start()
    log.sent(line)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    log.close()
    assert most < len(line) / 4
    assert entries(tmp_path / "log")[0]["line"].endswith("… (4000000 characters)")


def test_whole_lines_are_whole(tmp_path: Path) -> None:
    log = Traffic(str(tmp_path / "log"), lambda: 0.0, whole=True)
    log.record("agent", "x" * 100_000)
    log.close()
    assert entries(tmp_path / "log")[0]["line"] == "x" * 100_000


def test_the_file_starts_anew_when_it_is_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(traffic, "LARGEST", 200)
    monkeypatch.setattr(traffic, "GROUP", 1)
    log = make(tmp_path / "log")
    for number in range(20):
        log.record("agent", f"line {number}")
    log.close()
    last = [entry["line"] for path in ("log.1", "log") for entry in entries(tmp_path / path)]
    assert last[-1] == "line 19"
    assert 1 < len(last) < 20


def test_a_folder_that_cannot_be_made_silences_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = make(tmp_path / "file" / "log")
    log.record("agent", "lost")
    log.error_output(b"kept\n")
    assert log.stderr == "kept"
    log.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a file that is always full")
@pytest.mark.parametrize("size", [10, 100_000])
def test_a_disk_that_is_full_silences_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """What could not be written waits in the file, which tries again when it is closed."""

    def full(_path: Path) -> IO[str]:
        return Path("/dev/full").open("w")

    monkeypatch.setattr(private, "create", full)
    log = Traffic(str(tmp_path / "log"), lambda: 0.0, whole=True)
    for _ in range(3):
        log.record("agent", "x" * size)
        log.flush()
    log.forget()
    log.record("agent", "x" * size)
    log.close()


def test_stderr_may_be_cut_anywhere(tmp_path: Path) -> None:
    log = make(tmp_path / "log")
    for byte in "größe\n\r\nzwei".encode():
        log.error_output(bytes([byte]))
    assert log.stderr == "größe\n\r\nzwei"
    log.close()


def test_only_the_tail_of_stderr_is_kept(tmp_path: Path) -> None:
    log = make(tmp_path / "log")
    log.error_output(b"".join(b"%d\n" % number for number in range(1000)) + b"x" * 100_000)
    lines = log.stderr.split("\n")
    assert len(lines) == traffic.TAIL + 1
    assert lines[-2] == "999"
    assert len(lines[-1]) == traffic.LONGEST
    log.close()
