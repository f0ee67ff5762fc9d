"""What is kept is the newest, not too much, and not for ever."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from acp_nvim.client.traffic import Traffic
from acp_nvim.storage import limits, private

DAY = 86_400


def make(folder: Path, name: str, *, days: float, size: int = 10) -> Path:
    file = folder / name
    file.write_text("x" * size)
    at = time.time() - days * DAY
    os.utime(file, (at, at))
    return file


def test_what_is_old_or_too_many_goes(tmp_path: Path) -> None:
    files = [make(tmp_path, str(days), days=days) for days in (1, 300, 2, 3, 4)]
    gone = limits.drop(files, most=3)
    assert sorted(it.name for it in gone) == ["300", "4"]
    assert sorted(it.name for it in tmp_path.iterdir()) == ["1", "2", "3"]


def test_a_clock_that_has_jumped_ahead_drops_nothing(tmp_path: Path) -> None:
    files = [make(tmp_path, str(days), days=days) for days in (0, 300, 301, 330)]
    assert limits.drop(files, most=9) == []
    # it was no jump: some days later there is something in between
    files.append(make(tmp_path, "2", days=2))
    assert sorted(it.name for it in limits.drop(files, most=9)) == ["300", "301", "330"]


def test_what_was_written_by_a_clock_that_was_never_set_stays(tmp_path: Path) -> None:
    files = [make(tmp_path, str(days), days=days) for days in (0, 2, 300)]
    unset = make(tmp_path, "unset", days=0)
    os.utime(unset, (100, 100))
    assert [it.name for it in limits.drop([*files, unset], most=9)] == ["300"]


def test_what_is_too_much_goes_but_never_the_newest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MOST_BYTES", 100)
    files = [make(tmp_path, str(days), days=days, size=60) for days in (1, 2, 3)]
    assert [it.name for it in limits.drop(files, most=9)] == ["2", "3"]
    (newest,) = tmp_path.iterdir()
    newest.write_text("x" * 1000)
    assert limits.drop([newest], most=9) == []


def test_what_a_kill_has_left_half_written_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(os, "replace", killed)
        private.replace(tmp_path / "a", "all that was said")
    file = make(tmp_path, "b", days=0)
    [half] = tmp_path.glob(".new-*")
    assert limits.drop([file], most=9) == [] and half.exists()  # somebody may be at it
    at = time.time() - 2 * DAY
    os.utime(half, (at, at))
    assert limits.drop([file], most=9) == [] and not half.exists() and file.exists()


def test_logs_of_other_agents_go_in_time(tmp_path: Path) -> None:
    for name, days in (("old.jsonl", 31), ("old.jsonl.1", 31), ("new.jsonl", 29)):
        make(tmp_path, name, days=days)
    Traffic(str(tmp_path / "own.jsonl"), lambda: 0.0).close()
    assert sorted(it.name for it in tmp_path.iterdir()) == ["new.jsonl", "own.jsonl"]


def test_a_log_is_forgotten_and_goes_on(tmp_path: Path) -> None:
    log = Traffic(str(tmp_path / "own.jsonl"), lambda: 0.0)
    log.record("agent", "before")
    log.forget()
    log.record("agent", "after")
    log.close()
    assert "before" not in (tmp_path / "own.jsonl").read_text()
    assert "after" in (tmp_path / "own.jsonl").read_text()
    log.forget()
    assert list(tmp_path.iterdir()) == []
