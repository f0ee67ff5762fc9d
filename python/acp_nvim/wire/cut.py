"""What the beginning of a message tells where the rest of it cannot be taken in.

It may be too long, or nested too deeply for any parser. Called by `message`.
"""

from __future__ import annotations

import json
from typing import Any

from acp_nvim.patterns import lazy_pattern

BEGINNING = 1_000
"""Characters that are looked at."""

_FIELD = r'\s*"(?:jsonrpc|id|method)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+|null)\s*'
_FIELDS = lazy_pattern(r"\s*\{(" + _FIELD + r"(?:," + _FIELD + r")*)")


def first_fields(text: str) -> dict[str, Any]:
    """Return the id, the method and the version, as far as they stand before anything else."""
    found = _FIELDS.match(text[:BEGINNING])
    if found is None:
        return {}
    try:
        value: dict[str, Any] = json.loads("{" + found[1] + "}")
    except ValueError:
        return {}
    return value
