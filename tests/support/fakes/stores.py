"""A store of what is kept between hosts."""

from __future__ import annotations

from pathlib import Path

from acp_nvim.storage.edits import EditStore


def kept_in(folder: Path | str) -> EditStore:
    """Return one in that folder."""
    return EditStore(lambda: str(folder))
