"""Known agents: what they are called, how they are started, how they are installed.

They stand in `agents.json`, which the completion in Lua reads as well. Anyone may import it. The
user's `vim.g.acp.agents` is merged over it elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

EMPTY_FOR_MISSING_FILE: Final = "empty_for_missing_file"
"""Reads a new file before writing it, and gives up on any error: answer "" instead."""

LEGACY_MODELS: Final = "legacy_models"
"""Offers its models in `models` of the session's answer, which is in no schema, to be chosen by
`session/set_model`: an option of category `model`, if it has none. Older releases of some."""

MODE_AS_TEXT: Final = "mode_as_text"
"""Announces a change of mode by a chunk of text, `[MODE_UPDATE] yolo`: it is no message."""

CONTEXT_AS_USER: Final = "context_as_user"
"""Replays what it told its model of the machine, `<session_context> …`, as the user's words."""


class Preset(Struct, frozen=True):
    """An agent; `install` is a shell command for the user."""

    name: str
    title: str
    command: str
    args: tuple[str, ...]
    install: str
    env: tuple[tuple[str, str], ...] = ()
    quirks: frozenset[str] = frozenset()
    mode: str | None = None
    """In which it begins unless the user wants another: one in which the user decides."""


def _preset(row: Mapping[str, Any]) -> Preset:
    return Preset(
        name=row["name"],
        title=row["title"],
        command=row["command"],
        args=tuple(row["args"]),
        install=row["install"],
        env=tuple(row.get("env", {}).items()),
        quirks=frozenset(row.get("quirks", ())),
        mode=row.get("mode"),
    )


_ROWS: Final = json.loads(Path(__file__).with_name("agents.json").read_text(encoding="utf-8"))

PRESETS: Mapping[str, Preset] = MappingProxyType({row["name"]: _preset(row) for row in _ROWS})
"""By the name that the user types."""
