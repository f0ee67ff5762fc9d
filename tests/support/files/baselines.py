"""Short ways to write down what baselines are to tell."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from acp_nvim.files import git
from acp_nvim.files.baselines.baselines import Baselines, Changes, DiskChange
from acp_nvim.files.baselines.listing import Listings

NOTHING = Changes((), ())


async def no_git(folder: str, limit: int, *only: str) -> git.Names | None:
    return None


def plain(**options: Any) -> Baselines:
    """Return baselines for folders that are no repositories; git is never asked."""
    return Baselines(inventories=Listings(names=no_git), **options)


def known(*changes: tuple[Path, str | None, str | None]) -> Changes:
    return Changes(tuple(DiskChange(str(path), *texts) for path, *texts in changes), ())


def unknown(*paths: Path) -> Changes:
    return Changes((), tuple(map(str, paths)))


def run(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True)


def repository(folder: Path, *ignored: str) -> None:
    run(folder, "init", "-q")
    (folder / ".gitignore").write_text("".join(f"{rule}\n" for rule in ignored))
