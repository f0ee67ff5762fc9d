"""Work that takes too long ends; nothing else does."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count

from acp_nvim.budget import within

SHORT = 0.004


def test_what_is_done_in_time_is_returned() -> None:
    assert within(10.0, lambda: 42) == 42


def test_what_never_ends_is_ended() -> None:
    def endless() -> int:
        while True:
            pass

    assert within(SHORT, endless) is None


def test_a_regular_expression_that_tries_all_ways_is_ended() -> None:
    assert within(SHORT, lambda: re.match(r"(a+)+$", "a" * 60 + "b")) is None


def test_who_catches_all_exceptions_does_not_go_on() -> None:
    def stubborn() -> int:
        for number in count():
            try:
                sum(range(1000))
            except Exception:
                return number
        return -1

    assert within(SHORT, stubborn) is None


def test_what_comes_after_it_has_all_the_time() -> None:
    assert within(SHORT, lambda: 1) == 1
    end = time.process_time() + 5 * SHORT
    while time.process_time() < end:
        pass


def test_what_is_raised_is_raised() -> None:
    def numbers() -> Iterator[int]:
        yield from ()

    try:
        within(10.0, lambda: next(numbers()))
    except StopIteration:
        return
    raise AssertionError


def test_a_thread_has_all_the_time() -> None:
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(within, SHORT, lambda: sum(range(1_000_000))).result() == 499999500000
