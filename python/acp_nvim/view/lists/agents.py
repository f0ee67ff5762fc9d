"""Agents, each in one line: how one is started or installed, and what it has left running."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from acp_nvim.view.styled import plural
from acp_nvim.view.visible import one_line

MOST_NAMES = 3
LIMIT = 60


def label(row: Mapping[str, Any]) -> str:
    """Return the line of an agent; `row` is {name, title, command, found, install}."""
    name = row["name"]
    if row["found"]:
        return name if row["title"] == name else f"{name} — {row['title']}"
    return f"{name} — not installed: {row['install'] or _missing(row)}"


def advice(row: Mapping[str, Any]) -> str:
    """Return how an agent that was not found can be had."""
    install = (
        f"Install it with: {row['install']}" if row["install"] else f"There is {_missing(row)}"
    )
    return f"{row['name']} is not installed. {install}"


def process(command: str, pid: int, count: int) -> str:
    """Return the words for a program, and how many processes besides it are in its group."""
    program, _, rest = command.partition(" ")
    name = one_line(f"{program.rpartition('/')[2]} {rest}", LIMIT) or "a process"
    return f"{name} ({pid}, with {count - 1} more)" if count > 1 else f"{name} ({pid})"


def left(agent: str, names: Sequence[str], advice: str = "") -> str:
    """Return what an agent has left running, and what can be done; `names` are from `process`."""
    shown = ", ".join(names[:MOST_NAMES]) + (", …" if len(names) > MOST_NAMES else "")
    return f"{agent} has left {plural(len(names), 'program')} running{advice}: {shown}"


def stayed(titles: Sequence[str]) -> str:
    """Return that these sessions have ended with their host, and how to go on with them."""
    shown = ", ".join(one_line(title, LIMIT // 2) for title in titles[:MOST_NAMES])
    more = ", …" if len(titles) > MOST_NAMES else ""
    ended = f"{plural(len(titles), 'session')} ended with the host"
    return f"{ended}; :Acp restart or :Acp sessions goes on: {shown}{more}"


def _missing(row: Mapping[str, Any]) -> str:
    return f"no {row['command']} on PATH"
