"""Prints what the host takes when much comes at once: chunks a second, a long session, memory.

Run as `python bench/flood.py`. README.md says what is measured and how. Linux only.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from stream import Plugin, cpu, editor, machine

from tests.support.nvim import Neovim

CHUNKS = 100_000
UPDATES = 50_000
CALLS = 20_000
PATIENCE = 300.0
INSPECT = """
local began = vim.uv.hrtime()
local found = require('acp').inspect().sessions or {}
return { (vim.uv.hrtime() - began) / 1e6, #((found[#found] or {}).entries or {}) }
"""
BUSIEST = "return bench.busiest_gap()"
LAST = "return table.concat(vim.api.nvim_buf_get_lines(..., -4, -1, false))"


def until(there: Callable[[], bool]) -> float:
    """Return the seconds until it is so."""
    began = time.monotonic()
    while not there():
        if time.monotonic() > began + PATIENCE:
            raise TimeoutError
        time.sleep(0.02)
    return time.monotonic() - began


def resident(pid: int | None) -> int:
    """Return the bytes of memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) * 1024


def _has_ended(plugin: Plugin, turns: int) -> bool:
    return plugin.turns() > turns


def flooded(nvim: Neovim, plugin: Plugin) -> list[tuple[str, str]]:
    """Let the agent speak as fast as it is heard: twice, to warm up."""
    rows = []
    for _ in range(2):
        turns, used = plugin.turns(), cpu(plugin.host)
        memory = resident(plugin.host)
        nvim.lua("bench.start_probe()")
        plugin.prompt(f"flood {CHUNKS}")
        took = until(partial(_has_ended, plugin, turns))
        gap = nvim.lua("return bench.stop_probe()")[-1]
        used = cpu(plugin.host) - used
        rows = [
            ("chunks a second", f"{CHUNKS / took:,.0f}"),
            ("chunks a second of the host's CPU", f"{CHUNKS / used:,.0f}"),
            ("longest gap of the editor meanwhile, ms", f"{gap:.0f}"),
            ("… of its own CPU", f"{nvim.lua(BUSIEST):.0f}"),
            ("host's memory ÷ text", f"{(resident(plugin.host) - memory) / (10 * CHUNKS):.1f}"),
        ]
    used, turns = cpu(plugin.host), plugin.turns()
    plugin.prompt(f"tools {CALLS}")
    until(lambda: plugin.turns() > turns)
    used = cpu(plugin.host) - used
    return [
        *rows,
        ("µs of the host's CPU for a tool call or its update", f"{1e6 * used / CALLS:.0f}"),
    ]


def loaded(nvim: Neovim, plugin: Plugin) -> list[tuple[str, str]]:
    """Load a long session."""
    used = cpu(plugin.host)
    nvim.lua("bench.start_probe()")
    nvim.command(f"edit acp://bench/{UPDATES}")
    chat = int(nvim.eval("bufnr()"))
    took = until(lambda: f"Read step_{UPDATES // 10 - 1}.py" in nvim.lua(LAST, chat))
    gap = nvim.lua("return bench.stop_probe()")[-1]
    used = cpu(plugin.host) - used
    lines = nvim.lua("return vim.api.nvim_buf_line_count(...)", chat)
    return [
        (f"loading {UPDATES:,} updates until all is drawn, s", f"{took:.1f}"),
        ("… of the host's CPU", f"{used:.1f}"),
        ("… longest gap of the editor, ms", f"{gap:.0f}"),
        ("… of its own CPU", f"{nvim.lua(BUSIEST):.0f}"),
        ("… lines in the chat", f"{lines:,}"),
    ]


def inspected(nvim: Neovim, plugin: Plugin) -> list[tuple[str, str]]:
    used = cpu(plugin.host)
    took, entries = nvim.lua(INSPECT)
    used = cpu(plugin.host) - used
    return [
        (f"inspect() of {int(entries):,} entries, ms", f"{took:.0f}"),
        ("… of the host's CPU", f"{1000 * used:.0f}"),
    ]


def main() -> None:
    rows = []
    with editor() as nvim:
        rows += flooded(nvim, Plugin(nvim))
    with editor() as nvim:
        plugin = Plugin(nvim)
        rows += loaded(nvim, plugin)
        rows += inspected(nvim, plugin)
    print("\n".join(f"| {name} | {figure} |" for name, figure in rows))
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
