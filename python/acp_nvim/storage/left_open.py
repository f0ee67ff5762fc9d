"""Which sessions were open when a Neovim ended, for the next one in the same project."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Final, TypeAlias

from acp_nvim.storage import private
from acp_nvim.storage.hosts import Gone, HostFiles
from acp_nvim.storage.record import dumped, loaded

MOST: Final = 20
"""Files of hosts that are gone; the oldest go first."""
MOST_DAYS: Final = 30

Key: TypeAlias = tuple[str, str]
"""An agent, and its id of a session."""
Sessions: TypeAlias = Mapping[Key, str]
"""With the folder that each works in."""


class LeftOpen:
    """The sessions that are open here, and those that were where nobody is any more.

    A disk that is full or read-only costs that, and nothing else.
    """

    def __init__(self, folder: Callable[[], str]) -> None:
        """Take what tells the folder, which is configured late."""
        self._files = HostFiles(lambda: Path(folder()), ".open")
        self._open: dict[Key, str] = {}
        self._is_over = False

    def opened(self, key: Key, cwd: str) -> None:
        """That session is open here from now on."""
        if self._open.get(key) != cwd:
            self._take({key: cwd})

    def closed(self, key: Key) -> None:
        """The user wants no more of it."""
        if self._open.pop(key, None) is not None:
            self._take({})

    def left(self, is_here: Callable[[str], bool]) -> Sessions:
        """Return what was open last in the folders that are meant."""
        found = (_of(it, is_here) for it in self._files.gone(newest_first=True))
        return next(filter(None, found), {})

    def take(self, is_here: Callable[[str], bool]) -> Sessions:
        """Return the same; they count as open here from now on, and in no other Neovim."""
        for it in self._files.gone(newest_first=True):
            if here := _of(it, is_here):
                self._take(here, it)
                return here
        return {}

    def elsewhere(self, key: Key) -> bool:
        """Return whether that session is open in another Neovim that lives."""
        return any(key in _sessions(line) for line in self._files.living())

    def forget(self) -> None:
        """Keep nothing of what is open here, nor of what was where nobody is any more."""
        for it in self._files.gone():
            private.remove(it.path)
        private.remove(self._files.path(self._files.name))

    def leave(self) -> None:
        """Leave all as it is: what ends from now on ends with the host."""
        self._is_over = True
        self._files.let_go()

    def _take(self, sessions: Sessions, held: Gone | None = None) -> None:
        """They are open here from now on; `held`: where they stood, which is ours."""
        self._open |= sessions
        with suppress(OSError):  # they stay where they are
            if self._write():
                for it in chain((held,) if held else (), self._files.gone()):
                    _drop(it, sessions)

    def _write(self) -> bool:
        if self._is_over:
            return False
        if not self._files.path(self._files.name).exists():
            self._files.drop_old(most=MOST, days=MOST_DAYS)
        self._files.write(_line(self._open))
        return True


def _of(file: Gone, is_here: Callable[[str], bool]) -> Sessions:
    return {key: cwd for key, cwd in _sessions(file.line).items() if is_here(cwd)}


def _drop(file: Gone, sessions: Sessions) -> None:
    """Let the file of a host that is gone tell of these no more; raises `OSError`."""
    there = _sessions(file.line)
    rest = {key: cwd for key, cwd in there.items() if key not in sessions}
    if not rest:
        private.remove(file.path)
    elif len(rest) < len(there):
        file.write(_line(rest))


def _line(sessions: Sessions) -> str:
    return dumped([[*key, cwd] for key, cwd in sessions.items()])


def _sessions(line: str) -> Sessions:
    """Return what the line says; nothing for what is none of ours."""
    with suppress(ValueError, TypeError):
        return {(str(agent), str(key)): str(cwd) for agent, key, cwd in loaded(line)}
    return {}
