"""Files on disk: read as text, replaced as a whole or not at all.

Blocking work runs in a thread where it may take long. Failures become sentences for the agent.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from anyio import to_thread

from acp_nvim.errors import AskFailed, Code
from acp_nvim.services.text import decode, is_binary

LONG = 1_000_000
"""Bytes from which on reading is left to a thread."""


@dataclass(frozen=True, slots=True)
class DiskText:
    """The text of a file, exact, and the encoding that it was read with."""

    text: str
    encoding: str


async def read(path: str, encoding: str = "") -> DiskText:
    """Return the text of a file; `encoding` is tried first, then UTF-8, then Latin-1.

    Raises `AskFailed`: RESOURCE_NOT_FOUND if there is no such file, INTERNAL_ERROR if it is no
    text file or cannot be read.
    """
    with _sentences(path, "read"):
        if _file_size(path, "read") < LONG:
            return _read(path, encoding)
        return await to_thread.run_sync(_read, path, encoding)


async def read_if_text(path: str, encoding: str = "") -> DiskText | None:
    """Return what `read` does, or None for a file that is not there or holds no text."""
    try:
        return await read(path, encoding)
    except AskFailed:
        return None


async def write(path: str, data: bytes) -> None:
    """Make this the content of the file, with its missing folders; it changes at once or not.

    Mode and owner stay, a new file gets what the umask leaves. Raises `AskFailed`
    (INTERNAL_ERROR), and then nothing has changed.
    """
    with _sentences(path, "written"):
        await to_thread.run_sync(_write, path, data)


def check_writable(path: str) -> None:
    """Raise `AskFailed` if there is something at that path that must not be overwritten.

    The mode counts even where the system would let us: it says what the user wants (C-236).
    """
    with _sentences(path, "written"):
        if _file_size(path, "written", missing=0) and not os.access(path, os.W_OK):
            raise PermissionError("it is read-only")
        if os.path.exists(path) and not os.stat(path).st_mode & 0o222:
            raise PermissionError("it is read-only")


def make_folders(path: str) -> None:
    """Make the folders that the file is to be in. Raises `AskFailed`."""
    with _sentences(path, "written"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)


@contextmanager
def _sentences(path: str, done: str) -> Iterator[None]:
    """Turn the system's errors into what the agent is told."""
    try:
        yield
    except FileNotFoundError as error:
        uri = {"uri": Path(path).as_uri()}
        raise AskFailed(Code.RESOURCE_NOT_FOUND, f"{path} does not exist", uri) from error
    except OSError as error:
        reason = error.strerror or str(error)
        raise AskFailed(Code.INTERNAL_ERROR, f"{path} cannot be {done}: {reason}") from error
