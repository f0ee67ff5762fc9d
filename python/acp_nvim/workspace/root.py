"""The workspace root of a session: the project that the agent is let into."""

from __future__ import annotations

import os


def find_root(file: str, cwd: str) -> str:
    """Return the nearest folder with `.git` above the file, else above `cwd`, else `cwd`.

    Always absolute; `file` may be empty, or not exist yet.
    """
    cwd = os.path.abspath(os.path.expanduser(cwd or "."))
    starts = [os.path.dirname(file)] if file.startswith("/") else []
    for start in [*starts, cwd]:
        folder = start
        while folder != os.path.dirname(folder):
            if os.path.exists(os.path.join(folder, ".git")):
                return folder
            folder = os.path.dirname(folder)
    return cwd


def is_too_wide(root: str) -> bool:
    """Tell whether the root is `/` or the home directory: never used without asking."""
    real = os.path.realpath(root)
    return real == "/" or real == os.path.realpath(os.path.expanduser("~"))
