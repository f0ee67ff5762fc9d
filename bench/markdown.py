"""Prints what one append to a streamed message costs: µs of Python, medians.

Run as `python bench/markdown.py`. Each case starts from a message of so many lines and appends
small chunks to it, as a frame does.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

from acp_nvim.view.markdown.render import render

PROSE = (
    "## A heading\n\n"
    "Some **bold** text with `code`, a [link](https://example.org/a) and *more* words.\n"
    "- an item\n- [x] a task\n> quoted\n\n"
    "```python\ndef f(x: int) -> str:\n    return f'{x}'  # done\n```\n\n"
    "| name | meaning |\n|---|---|\n| `a` | the first |\n| `b` | the second one |\n\n"
)
OPEN = {
    "prose": "",
    "open fence of 900 lines": "```python\n" + "x = f(1)  # one\n" * 900,
    "open table of 50 rows": "| a | b | c |\n|---|---|---|\n"
    + "| one | **two** | `three` |\n" * 50,
    "open table of 450 rows": "| a | b | c |\n|---|---|---|\n"
    + "| one | **two** | `three` |\n" * 450,
    "one line of 100 KB": "word " * 20_000,
}
CHUNKS = {"prose": PROSE, "fence": "y = g(2, 'two')\n" * 20, "table": "| longer | x | y |\n" * 15}


def appended(start: str, more: str, size: int = 12) -> list[float]:
    """Return the seconds of each append of `size` characters of `more` to `start`."""
    text, times = start, []
    rendered = render(text)
    for at in range(0, len(more), size):
        text += more[at : at + size]
        began = perf_counter()
        rendered = render(text, rendered)
        times.append(perf_counter() - began)
    return times


def chunks_for(name: str) -> str:
    return next((chunk for key, chunk in CHUNKS.items() if key in name), "word " * 60)


def main() -> None:
    print(f"{'':26}{'lines before':>14}{'median':>10}{'worst':>10}  µs per append")
    for name, opening in OPEN.items():
        for lines in (0, 5_000, 50_000):
            body = PROSE * (lines // PROSE.count("\n"))
            times = appended(body + opening, chunks_for(name))
            row = f"{median(times) * 1e6:10.0f}{max(times) * 1e6:10.0f}"
            print(f"{name:26}{lines:14,}{row}")
    began = perf_counter()
    render(PROSE * 300)
    print(f"5,100 lines at once: {(perf_counter() - began) * 1e3:.0f} ms")
    began = perf_counter()
    render("```python\n" + "def f(x):  # one\n" * 999 + "```\n")
    print(f"a closed fence of 999 lines at once: {(perf_counter() - began) * 1e3:.0f} ms")


if __name__ == "__main__":
    main()
