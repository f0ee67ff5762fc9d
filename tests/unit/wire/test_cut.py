"""The beginning of a line that is too long: it names who has asked, or whose answer that was."""

from __future__ import annotations

import tracemalloc

import pytest

from acp_nvim.wire.events import Events
from acp_nvim.wire.framing import BEGINNING, Cut, Framer
from acp_nvim.wire.message import Failure, Noise, Request, parse_beginning


@pytest.mark.parametrize(
    ("beginning", "known"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"fs/write","params":{"a', Request(7, "fs/write")),
        (b' { "method" : "m" , "id" : "x" , "params" : [', Request("x", "m")),
        (b'{"jsonrpc":"2.0","id":3,"result":{"text":"', Failure(3, 0, "the answer is too large")),
        (b'{"id":null,"jsonrpc":"2.0","error":', Failure(None, 0, "the answer is too large")),
        (b'{"jsonrpc":"2.0","method":"session/update","params":{"id":1,', None),
        (b'{"params":{"id":1,"method":"m"},"id":5,"method":"n"', None),
        (b'{"id":"\\ud800","method":"m","params":', Request("\ud800", "m")),
        (b"x" * 1_000, None),
        (b"", None),
    ],
)
def test_who_is_answered(beginning: bytes, known: object) -> None:
    noise, *rest = parse_beginning(beginning.decode(), "too large")
    assert isinstance(noise, Noise) and noise.reason == "too large"
    assert rest == ([] if known is None else [known])


@pytest.mark.parametrize("piece", [1, 7, 64, 1_000])
def test_a_line_without_an_end_keeps_its_beginning_only(piece: int) -> None:
    framer = Framer(most=5_000)
    line = b"".join(b"%06d" % number for number in range(2_000))
    data = b"before\n" + line + b"\nbehind\n" + b"y" * 5_000 + b"\n"
    found = [
        each for at in range(0, len(data), piece) for each in framer.feed(data[at : at + piece])
    ]
    assert found[0] == b"before" and found[2:] == [b"behind", b"y" * 5_000]
    assert isinstance(found[1], Cut) and len(found[1]) <= BEGINNING
    assert line.startswith(found[1]) and len(found[1]) > 0


def test_a_line_in_pieces_of_two_bytes_holds_no_more_than_it_has() -> None:
    """Each would be an object of 40 bytes: a line of 32 MB would hold 600."""
    framer, events = Framer(), Events(1 << 20)
    tracemalloc.start()
    try:
        for number in range(4_000):
            framer.feed(b"%02d" % (number % 100))
            events.feed(b"data:%d\n" % (number % 10))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 60_000
    assert len(framer.close()[0]) == 8_000
    assert len(events.feed(b"\n")[0]) == 7_999


def test_what_is_kept_of_it_does_not_grow() -> None:
    framer = Framer(most=10_000)
    for _ in range(10_000):
        assert framer.feed(b"z" * 1_000) == []
    assert len(framer._begun) <= BEGINNING
    (last,) = framer.close()
    assert isinstance(last, Cut)
