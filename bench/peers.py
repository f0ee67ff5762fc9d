"""Prints what other clients of ACP take for what all of them do, beside this one and the least.

Run as `python bench/peers.py FOLDER`, in which there are `zenodea`, `codecompanion.nvim` with
`plenary.nvim`, or `agentic.nvim`: what is not there is left out. README.md says what is measured.
Linux only.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from agent import streamed
from everyday import (
    BENCH,
    Bare,
    Client,
    Plugin,
    Row,
    Watch,
    asked,
    started,
    until,
)
from stream import machine, screen

from tests.support.nvim import ROOT, Neovim

PEERS = {
    "zenodea": ("zenodea",),
    "codecompanion": ("codecompanion.nvim", "plenary.nvim"),
    "agentic": ("agentic.nvim",),
}
SECONDS = 4
SHOWN = """
local word = ...
return vim.iter(vim.api.nvim_list_bufs()):any(function(buffer)
  local lines = vim.api.nvim_buf_get_lines(buffer, -20, -1, false)
  return table.concat(lines, '\\n'):find(word, 1, true) ~= nil
end)
"""


class Peer(Client):
    """Another client, by `peers.lua`."""

    def __init__(self, nvim: Neovim, notes: Path, name: str, folders: list[str]) -> None:
        super().__init__(nvim, notes)
        nvim.lua("vim.opt.rtp:append(...)", folders)
        nvim.lua("_G.peer = dofile(...)[select(2, ...)]", str(BENCH / "peers.lua"), name)

    def start(self) -> None:
        agent = self.nvim.lua("return vim.g.acp.agents.bench")
        self.nvim.lua("peer.start(...)", [agent["command"], *agent["args"]])
        until(lambda: self.nvim.lua("return peer.is_ready()"))

    def prompt(self, text: str) -> int:
        return int(self.nvim.lua("local now = vim.uv.hrtime() peer.prompt(...) return now", text))

    def turns(self) -> int:
        return self.count("ended") - bool(self.nvim.lua("return peer.is_busy()"))

    def answer(self, option: str) -> int:
        return int(self.nvim.lua("local now = vim.uv.hrtime() peer.answer(...) return now", option))


def prompted(client: Client, watch: Watch) -> None:
    """Prompt: not for nothing, which codecompanion does not get over."""
    client.turn("burst 1 1")
    with watch.of("a prompt that is answered by a line", times=5):
        sent = [(client.turn("burst 1 1"), client.noted("prompted")) for _ in range(5)]
    there, since = min((there - when, when) for when, there in sent)
    watch.tell("a prompt, until the agent has it", since + there, since)


def measured(name: str, folders: list[str]) -> dict[Row, float]:
    """Return what each thing costs with that client."""
    with tempfile.TemporaryDirectory(prefix="acp") as folder:
        notes = Path(folder) / "notes"
        command = [sys.executable, str(BENCH / "agent.py"), str(notes)]
        options = {"agents": {"bench": {"command": command[0], "args": command[1:]}}}
        root, environment = Path(folders[0]) if folders else ROOT, {"LC_ALL": "C.UTF-8"}
        is_ours = name == "acp.nvim"
        with Neovim(options, root=root, env=environment, plugin=is_ours) as nvim, screen(nvim):
            kinds: dict[str, type[Client]] = {"acp.nvim": Plugin, "bare": Bare}
            kind = kinds.get(name)
            client = kind(nvim, notes) if kind else Peer(nvim, notes, name, folders)
            watch = Watch(client)
            started(client, watch)
            prompted(client, watch)
            asked(client, watch)
            with watch.of(f"{SECONDS} s of 200 chunks a second"):
                client.turn(f"stream {SECONDS}")
            words = [it.strip() for it in streamed(SECONDS)]
            word = next(it for it in reversed(words) if "\n" not in it)
            assert client.nvim.lua(SHOWN, word), f"{name} does not show {word!r}"
            return watch.costs


def rows(found: dict[str, dict[Row, float]]) -> Iterator[str]:
    """Yield the lines of a Markdown table; beside a peer's figure how many times ours it is."""
    yield f"| | least of each | {' | '.join(found)} |"
    yield f"|---|---|{'--:|' * len(found)}"
    for row, ours in found["acp.nvim"].items():
        cells = [f"{ours:,.1f}"]
        for name in [*found][1:]:
            cost = found[name].get(row)
            is_large = cost is not None and ours > 0.1
            times = f" ({cost / ours:.2g}×)" if cost is not None and is_large else ""
            cells.append("–" if cost is None else f"{cost:,.1f}{times}")
        yield f"| {row[0]} | {row[1]} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the others are")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    subjects: dict[str, list[str]] = {"acp.nvim": [], "bare": []}
    for name, folders in PEERS.items():
        paths = [options.folder.resolve() / it for it in folders]
        if all(it.is_dir() for it in paths):
            subjects[name] = [*map(str, paths)]
    found: dict[str, dict[Row, float]] = {}
    for _ in range(options.rounds):
        for name, paths in subjects.items():
            known = found.setdefault(name, {})
            for row, cost in measured(name, paths).items():
                known[row] = min(cost, known.get(row, cost))
    print("\n".join(rows(found)))
    print(f"\n{machine()}")


if __name__ == "__main__":
    main()
