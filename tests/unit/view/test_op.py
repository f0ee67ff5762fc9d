"""What is much is drawn in portions, to the same lines."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from acp_nvim.view.block import Highlight, Line
from acp_nvim.view.op import EACH, PORTION, Replace, portions


def applied(lines: list[str], ops: list[Replace]) -> list[str]:
    for op in ops:
        last = len(lines) if op.last < 0 else op.last
        lines = [*lines[: op.first], *(line.text for line in op.lines), *lines[last:]]
    return lines


def made(count: int) -> tuple[Line, ...]:
    return tuple(Line(str(number), (Highlight(0, 1, "A"),)) for number in range(count))


@settings(deadline=None)  # a busy machine is no fault
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4_000)), max_size=4))
def test_the_same_lines(sizes: list[tuple[int, int]]) -> None:
    ops, row = [], 0
    for gone, come in sizes:
        ops.append(Replace(row, row + gone, made(come)))
        row += come
    old = ["old"] * 20
    parts = list(portions(ops))
    assert applied(old, [op for part in parts for op in part]) == applied(old, ops)
    assert all(3 * sum(len(op.lines) for op in part) <= PORTION + 3 for part in parts)
    assert all(EACH * len(part) <= PORTION + EACH for part in parts)


def test_everything_anew() -> None:
    parts = list(portions([Replace(0, -1, made(12_000))]))
    assert len(parts) > 5
    assert applied(["x"], [op for part in parts for op in part]) == [
        line.text for line in made(12_000)
    ]


def test_nothing_is_one_portion_of_nothing() -> None:
    assert list(portions([])) == [[]]
