"""What can be told of a message whose end is missing, because it was too long to be taken in.

Whoever has asked is answered, and whoever waits for an answer learns that there is none. Called by
`transport`.
"""

from __future__ import annotations

import json
import re
from typing import Any

from acp_nvim.wire.message import Failure, Message, Noise, Request

_FIELD = rb'\s*"(?:jsonrpc|id|method)"\s*:\s*(?:"(?:[^"\\]|\\.)*"|-?\d+|null)\s*'
_FIELDS = re.compile(rb"\s*\{(" + _FIELD + rb"(?:," + _FIELD + rb")*)")


def parse_cut(beginning: bytes, reason: str) -> list[Message]:
    """Return what begins so: noise, and the request without its params, or an answer that failed.

    Nothing but the fields that stand before the params or the result is known.
    """
    noise = Noise(beginning[:500].decode("utf-8", "replace"), reason)
    known = _known(beginning)
    request_id, method = known.get("id"), known.get("method")
    if "id" not in known:
        return [noise]
    if isinstance(method, str):
        return [noise, Request(request_id, method)]
    return [noise, Failure(request_id, 0, f"the answer is {reason}")]


def _known(beginning: bytes) -> dict[str, Any]:
    found = _FIELDS.match(beginning)
    if found is None:
        return {}
    try:
        value: dict[str, Any] = json.loads(b"{" + found[1] + b"}")
    except ValueError:
        return {}
    return value
