"""Where the user and an agent have changed the same place of a file."""

from __future__ import annotations

from msgspec import Struct

from acp_nvim.history.author import Author


class Conflict(Struct, frozen=True, omit_defaults=True):
    """The user and an agent have changed the same place of a file; the user's text is kept."""

    path: str
    author: Author
    base: str
    """The text that both started from."""
    theirs: str
    """The agent's whole text."""
    places: tuple[tuple[int, int], ...]
    """0-based half-open ranges of lines of the live text."""
    on_disk: bool
    """The disk holds `theirs`, the agent wrote it there itself; else its write was refused."""
    before: str | None = None
    """What the disk held until then, None: not known."""
    mode: int = 0
    """The permission bits of a file that the agent has removed, 0: not known."""
