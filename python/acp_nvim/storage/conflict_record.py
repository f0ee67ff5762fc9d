"""A conflict as it is kept on disk: one object of JSON. Reading is tolerant: else it is none."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import Author

VERSION = 1


def to_text(conflict: Conflict) -> str:
    """Return the conflict as text; ASCII, so that a lone surrogate survives."""
    return json.dumps({"acp_clash": VERSION} | asdict(conflict))


def conflict_of(text: str) -> Conflict | None:
    """Return the conflict that the text holds, None if it holds none."""
    try:
        plain = json.loads(text)
        if plain.pop("acp_clash") != VERSION:
            return None
        author = Author(**plain.pop("author"))
        places = tuple((int(first), int(last)) for first, last in plain.pop("places"))
        conflict = Conflict(author=author, places=places, **plain)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None
    return conflict if _is_whole(conflict) else None


def _is_whole(conflict: Conflict) -> bool:
    texts: tuple[Any, ...] = (conflict.path, conflict.base, conflict.theirs)
    author = conflict.author
    named: tuple[Any, ...] = (author.agent, author.session, author.prompt, author.title)
    numbers: tuple[Any, ...] = (author.turn, author.began)
    return all(isinstance(it, str) for it in (*texts, *named)) and all(
        isinstance(it, int | float) for it in numbers
    )
