"""The agents to start, each in one line; and what to do about one that is not installed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


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


def _missing(row: Mapping[str, Any]) -> str:
    return f"no {row['command']} on PATH"
