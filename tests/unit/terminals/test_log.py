from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.session.plain_text import plain
from acp_nvim.terminals.log import TerminalLog


def fed(limit: int, *pieces: bytes) -> tuple[str, bool]:
    log = TerminalLog(limit)
    for piece in pieces:
        log.feed(piece)
    log.feed(b"", final=True)
    return log.text()


@given(st.text(), st.integers(0, 40), st.integers(1, 7))
def test_c201_c202_c203_the_end_within_the_limit(text: str, limit: int, size: int) -> None:
    data = text.encode()
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    whole = plain(text).encode()
    shown, truncated = fed(limit, *pieces)
    assert whole.endswith(shown.encode())
    assert len(shown.encode()) <= limit
    assert truncated is (len(whole) > limit)
    assert truncated or shown == plain(text)


def test_c203_once_truncated_always_truncated() -> None:
    log = TerminalLog(4)
    log.feed(b"12345")
    assert log.text() == ("2345", True)
    log.feed(b"\r\x1b[Ka")
    assert log.text() == ("a", True)


def test_c217_half_a_character_at_the_end_is_replaced() -> None:
    assert fed(10, b"a\xc3") == ("a\ufffd", False)


@pytest.mark.parametrize("piece", [b"x" * 4096, b"\r12%", b"y\n" * 2048])
def test_c218_what_never_ends_needs_no_more_room(piece: bytes) -> None:
    log = TerminalLog(1000)
    for _ in range(1000):
        log.feed(piece)
    shown, _ = log.text()
    assert len(shown) <= 1000
    assert sum(map(len, log._chunks)) + len(log._line) < 40_000


def test_short_lines_hold_no_more_memory_than_they_have() -> None:
    """A command writes two bytes at a time, and as many terminals are kept as may be."""
    log = TerminalLog(20_000)
    tracemalloc.start()
    try:
        for number in range(10_000):
            log.feed(b"%d\n" % (number % 10))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 60_000
    assert log.text() == ("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n" * 1_000, False)
    log.feed(b"more\n")
    assert log.text() == (("0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n" * 1_000 + "more\n")[5:], True)
