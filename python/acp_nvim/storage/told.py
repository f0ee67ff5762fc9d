"""What the user was told once and for all: a line of a file for each.

That an agent is at a host elsewhere, that it has left a process running.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from acp_nvim.storage import private


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
