"""Which version of a program is here, as far as the files around it say so: nothing is run."""

from __future__ import annotations

import json
import os
from pathlib import Path

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
        if "node_modules" in folder.parts and file.is_file() and file.stat().st_size < MOST:
            version = json.loads(file.read_text("utf-8")).get("version")
            if isinstance(version, str):
                return version
    return ""


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
