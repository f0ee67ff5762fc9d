"""A unit does not travel further through the code than doc/architecture.md says."""

from __future__ import annotations

import pytest

from tests.support.nvim import ROOT
from tests.support.trace import WAYS, trace

SLACK = 1.1
HEADING = "## How far a unit travels"


def written() -> dict[str, dict[str, int]]:
    """Return the figures in the table of architecture.md, by way and column."""
    text = (ROOT / "doc" / "architecture.md").read_text(encoding="utf-8")
    section = text.partition(HEADING)[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    (_, *columns), _, *rows = [[cell.strip() for cell in it.split("|")[1:-1]] for it in lines]
    return {way: dict(zip(columns, map(int, cells), strict=True)) for way, *cells in rows}


@pytest.mark.parametrize("way", WAYS)
def test_a_way_has_not_grown(way: str) -> None:
    for name, traced in trace(way).items():
        found, limits = traced.figures(), written()[name]
        assert found.keys() == limits.keys()
        grown = {it: found[it] for it in limits if found[it] > limits[it] * SLACK}
        grown.pop("hops", None)
        assert not grown, f"{name} was {limits}, and calls {traced.calls}"
        assert found["files"] and found["editor calls"], f"nothing is seen of {name}"
        assert way != "write" or found["buffer reads"], f"no read is seen among {traced.calls}"


def test_the_end_of_a_command_asks_the_editor_as_often_with_more_open_buffers() -> None:
    calls = [traced.figures()["editor calls"] for traced in trace("command").values()]
    assert calls[0] <= 4
    assert set(calls) == {calls[0]}
