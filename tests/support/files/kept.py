"""What a host has kept on the disk, while it goes on to write and to remove files there."""

from __future__ import annotations

from pathlib import Path


def read(file: Path) -> str:
    """Return what a file holds; nothing if it was removed since it was found."""
    try:
        return file.read_text(errors="replace")
    except FileNotFoundError:
        return ""


def kept(folder: Path, pattern: str) -> str:
    """Return what all files of that pattern hold."""
    return "\n".join(read(it) for it in folder.glob(pattern) if it.is_file())
