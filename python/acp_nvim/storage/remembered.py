"""Small things that are remembered for good: what the user chose of each agent, and was told.

Choices are one file of JSON: an agent's mode, its model, its options. What was told once and for
all, as that an agent is at a host elsewhere, or has left a process running, is a line of a file.
"""

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


class Told:
    """Remembers it; `folder` is asked at each use, for it is configured late."""

    def __init__(self, folder: Callable[[], str]) -> None:
        self._folder = folder
        self._told: set[str] = set()

    def first(self, what: str) -> bool:
        """Remember one thing, as `scheme://host:port`; True if it is told for the first time."""
        if what in self._told | self._read():
            return False
        self._told.add(what)
        self._add(what)
        return True

    @property
    def _path(self) -> Path:
        return Path(self._folder(), "hosts")

    def _read(self) -> set[str]:
        try:
            with private.read(self._path) as file:
                return set(file.read().splitlines())
        except OSError:
            return set()

    def _add(self, what: str) -> None:
        known = sorted({*self._read(), what})
        with suppress(OSError):  # it is told again then
            private.replace(self._path, "".join(f"{it}\n" for it in known))
