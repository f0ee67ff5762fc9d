"""Which sessions were open when a Neovim ended, for the next one in the same project.

Each host has a file, locked as long as it lives: each line has all that are open by then, and the
last whole line counts. It is in the page cache, not synced: it survives the process.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias
from uuid import uuid4

from msgspec import Struct

from acp_nvim.storage import limits, private

ENDING: Final = ".open"
MOST: Final = 20
"""Files of hosts that are gone; the oldest go first."""
MOST_DAYS: Final = 30
MOST_BYTES: Final = 1 << 20
"""Of a file; then it begins anew."""

Key: TypeAlias = tuple[str, str]
"""An agent, and its id of a session."""


class _File(Struct, frozen=True):
    """What a host has left that is gone; it is ours as long as it is open."""

    path: Path
    handle: int
    sessions: Mapping[Key, str]


class LeftOpen:
    """The sessions that are open here, and those that were where nobody is any more.

    A disk that is full or read-only costs that, and nothing else.
    """

    def __init__(self, folder: Callable[[], str]) -> None:
        """Take what tells the folder, which is configured late."""
        self._folder = folder
        self._open: dict[Key, str] = {}
        """With the folder that each works in."""
        self._path: Path | None = None
        self._handle: int | None = None
        self._is_over = False

    def opened(self, key: Key, cwd: str) -> None:
        """That session is open here from now on."""
        if self._open.get(key) != cwd:
            self._take({key: cwd})

    def closed(self, key: Key) -> None:
        """The user wants no more of it."""
        if self._open.pop(key, None) is not None:
            self._write()

    def left(self, is_here: Callable[[str], bool]) -> Mapping[Key, str]:
        """Return what was open last in the folders that are meant, each with its folder."""
        for file in _left(self._folder()):
            here = {key: cwd for key, cwd in file.sessions.items() if is_here(cwd)}
            if here:
                return here
        return {}

    def take(self, is_here: Callable[[str], bool]) -> Mapping[Key, str]:
        """Return the same; they count as open here from now on, and in no other Neovim."""
        for file in _left(self._folder()):
            here = {key: cwd for key, cwd in file.sessions.items() if is_here(cwd)}
            if here:
                self._take(here, file)
                return here
        return {}

    def elsewhere(self, key: Key) -> bool:
        """Return whether that session is open in another Neovim that lives."""
        paths = Path(self._folder()).glob(f"*{ENDING}")
        return any(key in _living(path) for path in paths if path != self._path)

    def forget(self) -> None:
        """Keep nothing of what is open here, nor of what was where nobody is any more."""
        for file in _left(self._folder()):
            private.remove(file.path)
        if self._path is not None:
            private.remove(self._path)

    def leave(self) -> None:
        """Leave all as it is: what ends from now on ends with the host."""
        self._is_over = True
        self._let_go()

    def _take(self, sessions: Mapping[Key, str], held: _File | None = None) -> None:
        """`held`: where they stood, which is ours."""
        self._open |= sessions
        with suppress(OSError):
            self._append()
            if self._handle is None:
                return  # they stay where they are, as they do if that fails
            if held is not None:
                _without(held, sessions)
            for file in _left(self._folder()):
                _without(file, sessions)

    def _write(self) -> None:
        with suppress(OSError):
            self._append()

    def _append(self) -> None:
        if not self._is_over and (self._path is None or not self._path.exists()):
            self._begin()
        if self._handle is not None:
            _append(self._handle, self._open)

    def _begin(self) -> None:
        folder = Path(self._folder())
        private.make_folder(folder)
        limits.drop((it.path for it in _left(str(folder))), most=MOST, days=MOST_DAYS)
        self._let_go()
        self._path = folder / f"{uuid4().hex}{ENDING}"
        self._handle = private.locked(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND)

    def _let_go(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def _left(folder: str) -> Iterator[_File]:
    """Yield the files of hosts that are gone, the newest first; each is ours for that moment."""
    for path in sorted(Path(folder).glob(f"*{ENDING}"), key=private.modified, reverse=True):
        handle = None
        with suppress(OSError):  # what somebody else has put there is none
            handle = private.locked(path, os.O_RDWR | os.O_APPEND)
        if handle is None:
            continue
        try:
            yield _File(path, handle, _parsed(os.pread(handle, MOST_BYTES, 0)))
        finally:
            os.close(handle)


def _living(path: Path) -> Mapping[Key, str]:
    """Return what is open in the host of that file; nothing if it is gone."""
    with suppress(OSError):
        handle = private.locked(path, os.O_RDWR)
        if handle is not None:
            os.close(handle)
            return {}
        with os.fdopen(private.opened(path), "rb") as file:
            return _parsed(file.read(MOST_BYTES))
    return {}


def _without(file: _File, sessions: Mapping[Key, str]) -> None:
    """Let the file of a host that is gone tell of these no more."""
    rest = {key: cwd for key, cwd in file.sessions.items() if key not in sessions}
    if not rest:
        private.remove(file.path)
    elif len(rest) < len(file.sessions):
        _append(file.handle, rest)


def _parsed(data: bytes) -> Mapping[Key, str]:
    """Return what the last whole line says; nothing for what is none of ours."""
    for line in reversed(data.split(b"\n")):
        with suppress(ValueError, TypeError):
            rows = json.loads(line)
            return {(str(agent), str(key)): str(cwd) for agent, key, cwd in rows}
    return {}


def _append(handle: int, sessions: Mapping[Key, str]) -> None:
    rows = [[*key, cwd] for key, cwd in sessions.items()]
    line = f"\n{json.dumps(rows)}\n".encode()
    if os.fstat(handle).st_size + len(line) > MOST_BYTES:
        os.ftruncate(handle, 0)
    private.write(handle, line)
