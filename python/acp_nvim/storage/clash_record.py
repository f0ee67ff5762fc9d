"""A conflict as it is kept on disk: one object of JSON. Reading is tolerant: else it is none."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from acp_nvim.ledger.conflict import Clash
from acp_nvim.ledger.deed import Author

VERSION = 1


def to_text(clash: Clash) -> str:
    """Return the conflict as text; ASCII, so that a lone surrogate survives."""
    return json.dumps({"acp_clash": VERSION} | asdict(clash))


def clash_of(text: str) -> Clash | None:
    """Return the conflict that the text holds, None if it holds none."""
    try:
        plain = json.loads(text)
        if plain.pop("acp_clash") != VERSION:
            return None
        author = Author(**plain.pop("author"))
        places = tuple((int(first), int(last)) for first, last in plain.pop("places"))
        clash = Clash(author=author, places=places, **plain)
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError):
        return None
    return clash if _is_whole(clash) else None


def _is_whole(clash: Clash) -> bool:
    texts: tuple[Any, ...] = (clash.path, clash.base, clash.theirs)
    author = clash.author
    named: tuple[Any, ...] = (author.agent, author.session, author.prompt, author.title)
    numbers: tuple[Any, ...] = (author.turn, author.began)
    return all(isinstance(it, str) for it in (*texts, *named)) and all(
        isinstance(it, int | float) for it in numbers
    )
