"""The agents that were installed by us: where each is, and how it is started."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field
from msgspec.structs import asdict

from acp_nvim.storage import private

RECORD = "installed.json"
ABANDONED = 86_400.0
"""Seconds after which a folder that no record names was left by an installation that died."""


class Installed(Struct, frozen=True):
    """One agent; `folder` is all that there is of it, `origin` what was installed."""

    name: str
    title: str
    command: str
    folder: str
    origin: str
    version: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_there(self) -> bool:
        """Whether its program can be started."""
        return os.access(self.command, os.X_OK)


_TEXTS = ("name", "title", "command", "folder", "origin", "version")


def installed(folder: str) -> Mapping[str, Installed]:
    """Return them by name; those whose program is gone are left out."""
    return {name: it for name, it in _read(folder).items() if it.is_there}


def remember(folder: str, new: Installed) -> Installed | None:
    """Take an agent into the record; return the one that it replaces. Raises `OSError`."""
    known = _read(folder)
    _write(folder, {**known, new.name: new})
    return known.get(new.name)


def forget(folder: str, name: str) -> Installed | None:
    """Take an agent out of the record; return it. Raises `OSError`."""
    known = _read(folder)
    gone = known.pop(name, None)
    if gone is not None:
        _write(folder, known)
    return gone


def clear(folder: str, *, now: float | None = None) -> None:
    """Remove what installations have left that died: old folders that no record names."""
    named = {it.folder for it in _read(folder).values()}
    oldest = (time.time() if now is None else now) - ABANDONED
    try:
        found = list(os.scandir(folder))
    except OSError:
        return
    for it in found:
        is_old = (
            it.is_dir(follow_symlinks=False) and it.stat(follow_symlinks=False).st_mtime < oldest
        )
        if is_old and it.path not in named:
            shutil.rmtree(it.path, ignore_errors=True)


def _read(folder: str) -> dict[str, Installed]:
    try:
        with private.read(Path(folder, RECORD)) as file:
            found = [_decoded(record) for record in json.load(file)]
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return {}
    return {it.name: it for it in found}


def _decoded(record: Mapping[str, Any]) -> Installed:
    texts = {key: str(record[key]) for key in _TEXTS if key in record}
    args = tuple(str(it) for it in record.get("args", ()))
    return Installed(**texts, args=args, env=dict(record.get("env", {})))


def _write(folder: str, records: Mapping[str, Installed]) -> None:
    text = json.dumps([asdict(it) for it in records.values()], indent=1)
    private.replace(Path(folder, RECORD), text)


NEAR = 4
"""Folders above a program in which its package may be."""
MOST = 1 << 20
"""Bytes of a file with a version in it."""


def version_of(command: str) -> str:
    """Return the version of an installed program of npm or of a Python environment, else ""."""
    try:
        path = Path(os.path.realpath(command))
        return _of_npm(path) or _of_python(path)
    except (OSError, ValueError):
        return ""


def _of_npm(path: Path) -> str:
    for folder in path.parents[:NEAR]:
        file = folder / "package.json"
        is_one = "node_modules" in folder.parts and file.is_file() and file.stat().st_size < MOST
        version = package(file).get("version") if is_one else None
        if isinstance(version, str):
            return version
    return ""


def package(file: Path) -> Mapping[str, object]:
    """Return what a package of npm says of itself, which may be anything."""
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _of_python(path: Path) -> str:
    """Look in the environment of a tool, whose folder has the name of its package."""
    tool = path.parent.parent
    package = tool.name.lower().replace("-", "_")
    if not (tool / "pyvenv.cfg").is_file():
        return ""
    for found in tool.glob("lib/python3*/site-packages/*.dist-info"):
        name, _, version = found.name.removesuffix(".dist-info").rpartition("-")
        if name.lower().replace("-", "_") == package:
            return version
    return ""
