from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_nvim.wire.framing import Framer

LINES = ['{"a":1}', '{"text":"ü 😀"}', "[]", "starting …"]

STEADY = settings(derandomize=True, deadline=None)


def lines_of(pieces: list[bytes]) -> list[bytes]:
    framer = Framer()
    found = [line for piece in pieces for line in framer.feed(piece)]
    return found + framer.close()


def cut(data: bytes, places: list[int]) -> list[bytes]:
    marks = [0, *sorted(places), len(data)]
    return [data[a:b] for a, b in pairwise(marks)]


@STEADY
@given(st.data())
def test_c014_any_split_gives_the_same_lines(data: st.DataObject) -> None:
    end = data.draw(st.sampled_from(["\n", "\r\n", "\n\n", "\n \r\n"]))
    last = data.draw(st.sampled_from(["", end]))
    stream = (end.join(LINES) + last).encode()
    places = data.draw(st.lists(st.integers(0, len(stream))))
    assert lines_of(cut(stream, places)) == [line.encode() for line in LINES]


@STEADY
@given(st.binary(), st.lists(st.integers(0, 50)))
def test_c014_any_bytes_at_all_are_cut_alike(stream: bytes, places: list[int]) -> None:
    inside = [place for place in places if place <= len(stream)]
    assert lines_of(cut(stream, inside)) == lines_of([stream])


def test_c014_one_byte_at_a_time() -> None:
    stream = "\ufeff" + "\r\n".join(LINES)
    assert lines_of([bytes([byte]) for byte in stream.encode()]) == [s.encode() for s in LINES]


def test_c014_two_messages_in_one_write() -> None:
    assert Framer().feed(b"1\n2\n3") == [b"1", b"2"]


def test_c014_a_line_without_newline_comes_at_the_end() -> None:
    framer = Framer()
    assert framer.feed(b"tail") == []
    assert framer.close() == [b"tail"]
    assert framer.close() == []


def test_c014_blank_lines_and_a_lone_bom_are_skipped() -> None:
    assert lines_of([b"\xef\xbb\xbf\r\n\n  \n\t\r\n"]) == []


def test_a_carriage_return_inside_a_line_stays() -> None:
    assert lines_of([b"a\rb\r\n"]) == [b"a\rb"]


def test_c015_a_line_of_twenty_megabytes() -> None:
    line = b"x" * 20_000_000
    pieces = [line[at : at + 65536] for at in range(0, len(line), 65536)]
    assert lines_of([*pieces, b"\nsmall\n"]) == [line, b"small"]
