"""A unit does not travel further through the code than doc/architecture.md says."""

from __future__ import annotations

import pytest

from tests.support.nvim import ROOT
from tests.support.trace import Traces, trace

SLACK = 1.1
TRIES = 3
HEADING = "## How far a unit travels"


def written() -> dict[str, dict[str, int]]:
    """Return the figures in the table of architecture.md, by way and column."""
    text = (ROOT / "doc" / "architecture.md").read_text(encoding="utf-8")
    section = text.partition(HEADING)[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    (_, *columns), _, *rows = [[cell.strip() for cell in it.split("|")[1:-1]] for it in lines]
    return {way: dict(zip(columns, map(int, cells), strict=True)) for way, *cells in rows}


def grown(traces: Traces) -> dict[str, object]:
    """Return what is longer than it is written, with the calls that are made; into how many frames
    a drawing falls is up to load."""
    found = {}
    for name, traced in traces.items():
        figures, limits = traced.figures(), written()[name]
        assert figures.keys() == limits.keys()
        assert figures["files"] and figures["editor calls"], f"nothing is seen of {name}"
        assert name != "write" or figures["buffer reads"], f"no read is seen among {traced.calls}"
        longer = {it: figures[it] for it in limits if figures[it] > limits[it] * SLACK}
        longer.pop("hops", None)
        frames = traced.calls.get("acp.ui.apply.frame", 1)
        if figures["editor calls"] - frames + 1 <= limits["editor calls"]:
            longer.pop("editor calls", None)
        if longer:
            found[f"{name} was {limits}"] = (longer, traced.calls)
    return found


def holds(*ways: str) -> Traces:
    """Assert that the ways have not grown."""
    for _ in range(TRIES):
        traces = trace(*ways)
        if not (longer := grown(traces)):
            break
    assert not longer
    return traces


@pytest.mark.parametrize("ways", [("chunk", "prompt", "permission"), ("write",), ("undo",)])
def test_a_way_has_not_grown(ways: tuple[str, ...]) -> None:
    holds(*ways)


def test_the_end_of_a_command_asks_the_editor_as_often_with_more_open_buffers() -> None:
    calls = [traced.figures()["editor calls"] for traced in holds("command").values()]
    assert calls[0] <= 4
    assert set(calls) == {calls[0]}
