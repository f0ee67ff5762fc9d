"""What is said of an agent that runs elsewhere, when its host is met for the first time."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from acp_nvim.loopback import is_loopback


def introduction(agent: str, place: str, may: Sequence[str]) -> str:
    """Return it in a line; `place` is `scheme://host:port`, `may` what it may do here."""
    does = f"may {' and '.join(may)} in your project" if may else "touches no file of yours by us"
    parts = urlsplit(place)
    is_local = is_loopback(parts.hostname or "")
    plain = (
        "" if parts.scheme in ("wss", "https") or is_local else "; the connection is not encrypted"
    )
    return f"{agent} is at {place}, new to you: it is sent your prompts and {does}{plain}"
