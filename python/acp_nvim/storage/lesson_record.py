"""What one agent was not told yet, as it is kept on disk: one object of JSON, read tolerantly."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeAlias

from acp_nvim.ledger.delta import SessionKey

VERSION = 1
Texts: TypeAlias = dict[str, str | None]
"""What files hold, by resolved path; None: there is no such file."""


def to_text(key: SessionKey, rejected: Mapping[str, str | None]) -> str:
    """Return what files held before something in them was rejected, as text in ASCII."""
    agent, session = key
    head = {"acp_lessons": VERSION, "agent": agent, "session": session}
    return json.dumps(head | {"rejected": dict(rejected)})


def lessons_of(text: str) -> tuple[SessionKey, Texts] | None:
    """Return what the text holds, None if it is no such record."""
    try:
        plain = json.loads(text)
        if plain["acp_lessons"] != VERSION:
            return None
        key, rejected = (plain["agent"], plain["session"]), plain["rejected"]
        texts = [*key, *rejected, *(it for it in rejected.values() if it is not None)]
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None
    return (key, rejected) if all(isinstance(it, str) for it in texts) else None
