"""What the user chose last of each agent: its mode, its model, its options. One file of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from acp_nvim.config import Defaults, Options, parse
from acp_nvim.storage import private


class Choices:
    """Remembers them; `folder` is asked at each use, for it is configured late."""

    def __init__(self, folder: Callable[[], str]) -> None:
        self._folder = folder

    def of(self, agent: str) -> Defaults:
        """Return what was chosen last; what the file cannot say is not chosen."""
        told: Mapping[str, Any] = {"agents": {agent: {"defaults": self._read().get(agent)}}}
        options: Options = parse(told)[0]
        found = options.agents.get(agent)
        return found.defaults if found and isinstance(found.defaults, Defaults) else Defaults()

    def note(self, agent: str, key: str, value: str | bool) -> None:
        """Remember a choice: of the "mode", of the "model", else of the option of that id."""
        known = self.of(agent)
        if key in ("mode", "model"):
            chosen = known.model_dump() | {key: value}
        else:
            chosen = known.model_dump() | {"config": {**known.config, key: value}}
        with suppress(OSError):  # it is not the last choice then
            private.replace(self._path, json.dumps(self._read() | {agent: chosen}))

    @property
    def _path(self) -> Path:
        return Path(self._folder(), "choices.json")

    def _read(self) -> dict[str, Any]:
        try:
            with private.read(self._path) as file:
                found = json.load(file)
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}
