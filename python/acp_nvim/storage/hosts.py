"""The hosts of remote agents that were connected to before: a line of a file for each."""

from __future__ import annotations

import os
from collections.abc import Callable


class KnownHosts:
    """Remembers them; `folder` is asked at each use, for it is configured late."""

    def __init__(self, folder: Callable[[], str]) -> None:
        self._folder = folder
        self._met: set[str] = set()

    def meet(self, place: str) -> bool:
        """Remember a host as `scheme://host:port`; True if it is met for the first time."""
        if place in self._met | self._read():
            return False
        self._met.add(place)
        self._add(place)
        return True

    @property
    def _path(self) -> str:
        return os.path.join(self._folder(), "hosts")

    def _read(self) -> set[str]:
        try:
            with open(self._path, encoding="utf-8", errors="replace") as file:
                return set(file.read().splitlines())
        except OSError:
            return set()

    def _add(self, place: str) -> None:
        try:
            os.makedirs(self._folder(), mode=0o700, exist_ok=True)
            with open(self._path, "a", encoding="utf-8") as file:
                file.write(place + "\n")
        except OSError:  # it is told again then
            return
