"""What was open when a host ended: known to the next one, taken once, and nobody's that lives."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from acp_nvim.storage import hosts, left_open, private
from acp_nvim.storage.left_open import LeftOpen

ONE, TWO, FAR = ("a", "one"), ("a", "two\n\udcff"), ("b", "far")
Made = Callable[[], LeftOpen]


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Made]:
    """Yield what makes what another host has in the same folder."""
    with ExitStack() as stack:

        def make() -> LeftOpen:
            made = LeftOpen(lambda: str(tmp_path / "sessions"))
            stack.callback(made.leave)
            return made

        yield make


def here(cwd: str) -> bool:
    return cwd == "/w"


def age(folder: Path) -> None:
    """Make what was written until now older than what comes."""
    for path in folder.glob("**/*.open"):
        os.utime(path, ns=(1, path.stat().st_mtime_ns - 10**9))


def test_of_a_host_that_lives_nothing_is_left(host: Made) -> None:
    mine, other = host(), host()
    mine.opened(ONE, "/w")
    assert other.left(here) == {}
    mine.leave()
    assert other.left(here) == {ONE: "/w"}


def test_what_the_user_has_closed_is_not_left(host: Made) -> None:
    mine = host()
    for key in (ONE, TWO):
        mine.opened(key, "/w")
    mine.closed(ONE)
    mine.leave()
    mine.opened(FAR, "/w")  # too late
    mine.closed(TWO)
    assert host().left(here) == {TWO: "/w"}


def test_it_is_taken_once_and_of_the_project_only(host: Made, tmp_path: Path) -> None:
    mine = host()
    mine.opened(ONE, "/w")
    mine.opened(FAR, "/other")
    mine.leave()
    next_one, third = host(), host()
    assert next_one.take(here) == {ONE: "/w"}
    assert third.take(here) == {}
    next_one.leave()  # it was killed before it had them open
    assert third.take(here) == {ONE: "/w"}
    assert third.take(lambda cwd: cwd == "/other") == {FAR: "/other"}
    assert len([*tmp_path.glob("**/*.open")]) == 1


def test_of_two_that_have_ended_the_last_comes_first(host: Made, tmp_path: Path) -> None:
    one, two = host(), host()
    one.opened(ONE, "/w")
    age(tmp_path)
    two.opened(TWO, "/w")
    one.leave()
    two.leave()
    assert host().take(here) == {TWO: "/w"}
    assert host().take(here) == {ONE: "/w"}


def test_what_is_opened_by_hand_is_left_by_nobody(host: Made, tmp_path: Path) -> None:
    mine, other = host(), host()
    mine.opened(ONE, "/w")
    mine.opened(TWO, "/w")
    mine.leave()
    other.opened(ONE, "/w")
    assert host().left(here) == {TWO: "/w"}


@pytest.mark.parametrize("text", ["", "\0", "{}\n", '[["a"]]\n', "[1]\n", '\n[["a", "one", "/w"'])
def test_what_a_kill_or_somebody_else_has_left_is_nothing(
    host: Made, tmp_path: Path, text: str
) -> None:
    folder = tmp_path / "sessions"
    folder.mkdir()
    (folder / "x.open").write_text(text)
    assert host().take(here) == {}
    (folder / "x.open").write_text(f'[["a", "one", "/w"]]\n{text}')
    assert host().take(here) in ({ONE: "/w"}, {})


def test_a_file_that_has_grown_begins_anew(
    host: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosts, "MOST_BYTES", 500)
    mine = host()
    for _ in range(100):
        mine.opened(ONE, "/w")
        mine.closed(ONE)
    mine.opened(ONE, "/w")
    assert next(tmp_path.glob("**/*.open")).stat().st_size <= 500
    mine.leave()
    assert host().left(here) == {ONE: "/w"}


def test_a_disk_that_takes_nothing_costs_only_that(host: Made, tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("no folder")
    mine = host()
    mine.opened(ONE, "/w")
    mine.closed(ONE)
    assert mine.take(here) == {}


def test_two_that_begin_at_once_do_not_both_take_it(
    host: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine, one, other = host(), host(), host()
    mine.opened(ONE, "/w")
    mine.leave()
    taken, opened = [], private.opened

    def slowly(path: Path, flags: int = os.O_RDONLY) -> int:
        handle = opened(path, flags)
        if not taken:  # the other one is faster between our opening of the file and its lock
            taken.append(None)
            taken.append(one.take(here))
        return handle

    monkeypatch.setattr(private, "opened", slowly)
    assert other.take(here) == {}
    assert taken[1:] == [{ONE: "/w"}]


def test_what_is_open_in_another_one_that_lives_is_known(host: Made) -> None:
    mine, other = host(), host()
    mine.opened(ONE, "/w")
    assert other.elsewhere(ONE) and not other.elsewhere(TWO)
    assert not mine.elsewhere(ONE)
    mine.leave()
    assert not other.elsewhere(ONE)


def test_what_goes_for_its_number_or_is_forgotten_is_of_nobody_that_lives(
    host: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(left_open, "MOST", 1)
    living, gone, last = host(), host(), host()
    living.opened(ONE, "/w")
    gone.opened(TWO, "/w")
    gone.leave()
    last.opened(FAR, "/w")
    assert last.elsewhere(ONE)
    last.forget()
    assert last.elsewhere(ONE)
    assert last.left(here) == {}
    last.leave()
    assert host().left(here) == {}
    living.leave()
    assert host().left(here) == {ONE: "/w"}
