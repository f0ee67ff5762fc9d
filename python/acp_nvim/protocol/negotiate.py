"""Which protocol version a connection speaks (v1/initialization § Version Negotiation).

Used by `client`: `choose(LATEST, LATEST)` before `initialize`, then with the agent's answer.
"""

from __future__ import annotations

from acp_nvim.errors import UserError
from acp_nvim.protocol.dialect import Dialect
from acp_nvim.protocol.v1.dialect import V1

LATEST = 1

_DIALECTS: dict[int, Dialect] = {1: V1()}


def choose(requested: int, answered: object) -> Dialect:
    """Return the dialect of the version that the agent answered (C-034, C-035).

    `answered` is the `protocolVersion` of its result, as received; None if it gave none. Raises
    `UserError`, naming both versions, when this client does not speak it.
    """
    # bool is an int, and True == 1
    if isinstance(answered, int) and not isinstance(answered, bool) and answered in _DIALECTS:
        return _DIALECTS[answered]
    told = "no protocol version" if answered is None else f"protocol version {answered!r}"
    raise UserError(
        f"the agent answered {told}, but acp.nvim asked for {requested}"
        f" and supports {', '.join(map(str, _DIALECTS))}: update the agent or acp.nvim"
    )
