"""The hosts of remote agents that were connected to before: a line of a file for each."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from acp_nvim.storage import private


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
    def _path(self) -> Path:
        return Path(self._folder(), "hosts")

    def _read(self) -> set[str]:
        try:
            with private.read(self._path) as file:
                return set(file.read().splitlines())
        except OSError:
            return set()

    def _add(self, place: str) -> None:
        known = sorted({*self._read(), place})
        with suppress(OSError):  # it is told again then
            private.replace(self._path, "".join(f"{it}\n" for it in known))
