"""Prints what an update costs the host as the 10th and as the 100,000th: µs of CPU, and the ratio.

Run as `python bench/sizes.py`. **reduce** is the state after one more update, **draw** the
frame that shows it: rendering, and what differs from the last one. Each figure is the median of 50
in a row. **memory** is what the state and its drawing take, by the text that came.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import process_time_ns

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from acp_nvim.session.content import Text
from acp_nvim.session.event import ChunkReceived, Event, PlanReplaced, ToolCallUpdated
from acp_nvim.session.model import PlanEntry
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.state import Entry, Message, SessionState, ToolCall
from acp_nvim.view.chat.transcript import Transcript, render
from acp_nvim.view.patch import patch

MOST = 100_000
FEW = 50
MARKS = (1_000, 10_000, MOST)
FIRST = 10
STEPS = 10_000
"""Updates of which the memory is measured."""
WORDS = "some words of an answer "

WAYS: dict[str, Callable[[int], Event]] = {
    "a chunk of one message": lambda n: ChunkReceived("agent", Text(f"word {n}\n")),
    "a message": lambda n: ChunkReceived("agent", Text(f"word {n}"), message_id=f"m{n}"),
    "a tool call": lambda n: ToolCallUpdated(f"t{n}", title="Read", status="completed"),
    "an update of one tool call": lambda n: ToolCallUpdated("t", title=f"Read {n}"),
    "a plan": lambda n: PlanReplaced((PlanEntry(f"Step {n}", "high", "pending"),)),
}
TEXTS: dict[str, Callable[[int], Event]] = {
    "chunks of 24 characters": lambda n: ChunkReceived("agent", Text(f"{n} {WORDS}"[:23] + "\n")),
    "messages of 480": lambda n: ChunkReceived("agent", Text(said(n, 20)), message_id=f"m{n}"),
    "tool calls of 2,400": lambda n: ToolCallUpdated(f"t{n}", content=(Text(said(n, 100)),)),
}


def said(number: int, times: int) -> str:
    return f"{number:06} {WORDS}"[:23] + "\n" + WORDS * (times - 1)


@dataclass
class Run:
    make: Callable[[int], Event]
    state: SessionState = field(
        default_factory=lambda: SessionState("a", "/w", id="s", status="running", turn=1)
    )
    shown: Transcript = field(default_factory=Transcript)
    count: int = 0

    def reach(self, count: int) -> None:
        while self.count < count:
            self.state = reduce(self.state, self.make(self.count))
            self.count += 1
        self.shown = render(self.state, frozenset(), self.shown)

    def costs(self) -> tuple[float, float]:
        reducing, drawing = [], []
        for _ in range(FEW):
            event = self.make(self.count)
            began = process_time_ns()
            self.state = reduce(self.state, event)
            between = process_time_ns()
            shown = render(self.state, frozenset(), self.shown)
            patch(self.shown.blocks, shown.blocks)
            drawing.append(process_time_ns() - between)
            reducing.append(between - began)
            self.shown = shown
            self.count += 1
        return median(reducing) / 1000, median(drawing) / 1000


def memory(make: Callable[[int], Event]) -> float:
    """Return how many bytes are taken for one character."""
    tracemalloc.start()
    run = Run(make)
    run.reach(STEPS)
    taken, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return taken / sum(map(length, run.state.entries))


def length(entry: Entry) -> int:
    parts = entry.content if isinstance(entry, Message | ToolCall) else ()
    return sum(part.length for part in parts if isinstance(part, Text))


def main() -> None:
    gc.disable()
    print(f"{'':28}{'':8}{FIRST:>7}th{''.join(f'{mark:>10,}th' for mark in MARKS)}{'ratio':>8}")
    for name, make in WAYS.items():
        run = Run(make)
        run.reach(FIRST)
        costs = [run.costs()]
        for mark in MARKS:
            run.reach(mark)
            costs.append(run.costs())
        for label, row in zip(("reduce", "draw"), zip(*costs, strict=True), strict=True):
            figures = "".join(f"{cost:>12.1f}" for cost in row[1:])
            print(f"{name:28}{label:8}{row[0]:>9.1f}{figures}{row[-1] / row[0]:>8.2f}")
    for name, make in TEXTS.items():
        print(f"memory ÷ text, {STEPS:,} {name}: {memory(make):.1f}")


if __name__ == "__main__":
    main()
