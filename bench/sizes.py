"""Prints what an update costs the host as the 10th and as the 100,000th: µs of CPU, and the ratio.

Run as `python bench/sizes.py`. **reduce** is the state after one more update, **draw** the
frame that shows it: rendering, and what differs from the last one. Each figure is the median of 50
in a row. **memory** is what the state and its drawing take, by the text that came. **worst answer
while** something large is drawn is the longest slice of it, in ms: what a cancel waits for at most.
"""

from __future__ import annotations

import gc
import random
import sys
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time_ns

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from acp_nvim.nvim.plain import op, plain
from acp_nvim.session.content import Diff, Text
from acp_nvim.session.event import ChunkReceived, Event, PlanReplaced, ToolCallUpdated
from acp_nvim.session.model import PlanEntry
from acp_nvim.session.reduce.reduce import reduce
from acp_nvim.session.state import Entry, Message, SessionState, ToolCall
from acp_nvim.view.chat.transcript import Transcript, render
from acp_nvim.view.op import portions
from acp_nvim.view.patch import patch
from acp_nvim.view.snapshot import snapshot
from acp_nvim.workspace.chat import SLICE

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
HOSTILE = "a " * 1_950
"""A line in which a lexer of Java looks for ever."""


def shuffled(count: int) -> str:
    lines = [f"line {n}" for n in range(count)]
    random.Random(1).shuffle(lines)
    return "\n".join(lines)


def rows(word: str) -> str:
    return "\n".join(f"line {n} of {word} words here" for n in range(2_500))


def edits(diffs: list[Diff]) -> Event:
    return ToolCallUpdated("t", title="Edit", status="completed", content=tuple(diffs))


LARGE: dict[str, Callable[[], Event]] = {
    "a message of 5,000 lines": lambda: ChunkReceived("agent", Text(said(1, 20) * 2_500)),
    "a fence that its lexer cannot read": lambda: ChunkReceived(
        "agent", Text(f"```java\n{HOSTILE}\n```\n")
    ),
    "20,000 diffs in one call": lambda: edits(
        [Diff(f"/{n}", "a\nb", "a\nc") for n in range(20_000)]
    ),
    "200 diffs of 500 lines": lambda: edits(
        [Diff(f"/{n}", shuffled(500), f"{shuffled(500)} {n}") for n in range(200)]
    ),
    "a diff of 70,000 shuffled lines": lambda: edits(
        [Diff("/a", "\n".join(f"line {n}" for n in range(70_000)), shuffled(70_000))]
    ),
    "a diff of 2,500 lines, each another": lambda: edits([Diff("/a", rows("some"), rows("other"))]),
    "a plan of 10,000 entries": lambda: PlanReplaced(
        tuple(PlanEntry(f"Step {n}", "high", "pending") for n in range(10_000))
    ),
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


def _is_over(end: float) -> bool:
    return process_time_ns() >= end


def longest_slice(event: Event) -> float:
    """Return how many ms of CPU drawing it holds the loop at a time, closed and then opened."""
    state, shown, longest = reduce(Run(lambda _: event).state, event), Transcript(), 0
    for opened in (frozenset[str](), frozenset({"tool:t", "plan"})):
        going_on = True
        while going_on:
            began = process_time_ns()
            end = began + SLICE * 1e9
            before, shown = (
                shown,
                render(state, opened, shown, partial(_is_over, end)),
            )
            for portion in portions(patch(before.blocks, shown.blocks)):
                [op(each) for each in portion]
                longest, began = max(longest, process_time_ns() - began), process_time_ns()
            going_on = shown.paused
    return longest / 1e6


def told(entries: int) -> tuple[float, float]:
    """Return the ms of CPU of `inspect()`: in a thread, and what holds the loop."""
    run = Run(WAYS["a tool call"])
    run.reach(entries)
    began = process_time_ns()
    said = snapshot(run.state)
    between = process_time_ns()
    plain(said)
    return (between - began) / 1e6, (process_time_ns() - between) / 1e6


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
    for name, large in LARGE.items():
        longest_slice(large())  # what is loaded on first use
        print(f"worst answer while {name} is drawn, ms: {longest_slice(large()):.0f}")
    aside, held = told(20_000)
    print(
        f"worst answer while inspect() tells 20,000 entries, ms: {held:.0f}, and {aside:.0f} aside"
    )


if __name__ == "__main__":
    main()
