"""Slash prompts: `/name` stands for a text of `vim.g.acp.prompts`, or for one that is ready-made.

The ready-made ones stand in `prompts.json`, which completion offers after the others.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

MOST: Final = 1_000
"""Characters of a prompt in the list that completion has."""
READY_MADE: Final[Mapping[str, str]] = json.loads(
    Path(__file__).parents[1].joinpath("prompts.json").read_text(encoding="utf-8")
)


def known(own: Mapping[str, str], of_agent: Collection[str] = ()) -> Mapping[str, str]:
    """Return all prompts: the user's own count more than the agent's commands, ready-made less.

    An empty one of the user's takes the name away.
    """
    ready_made = {name: text for name, text in READY_MADE.items() if name not in of_agent}
    return {name: text for name, text in {**ready_made, **own}.items() if text}


def offered(
    own: Mapping[str, str], of_agent: Sequence[Mapping[str, str]]
) -> list[Mapping[str, str]]:
    """Return what completion offers after `/`, in its order: names, and what each is for."""
    taken = {*own, *(row["name"] for row in of_agent)}
    return [
        *(_row(name, text, "your prompt") for name, text in sorted(own.items()) if text),
        *(row for row in of_agent if not own.get(row["name"])),
        *(_row(name, READY_MADE[name], "ready-made") for name in sorted(set(READY_MADE) - taken)),
    ]


def _row(name: str, text: str, kind: str) -> Mapping[str, str]:
    return {"name": name, "description": text[:MOST], "kind": kind}


def expanded(text: str, prompts: Mapping[str, str]) -> str:
    """Return a prompt that begins with the name of one of these as that, with what follows it."""
    for name in sorted(prompts, key=len, reverse=True):
        rest = text.removeprefix(f"/{name}")
        if rest != text and not rest[:1].strip():
            return prompts[name] + rest
    return text
