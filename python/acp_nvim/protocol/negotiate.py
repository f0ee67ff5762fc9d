"""Which protocol version a connection speaks (v1/initialization § Version Negotiation).

Used by `client`: `NEWEST` serves until `initialize` is answered, `choose` says what is spoken then.
"""

from __future__ import annotations

from acp_nvim.errors import UserError
from acp_nvim.protocol.dialect import Dialect
from acp_nvim.protocol.v1.dialect import V1

NEWEST: Dialect = V1()

_DIALECTS: dict[int, Dialect] = {dialect.version: dialect for dialect in (NEWEST,)}


def choose(result: object) -> Dialect:
    """Return the dialect of the version that the agent answered (C-034, C-035).

    `result` is that of the `initialize` of `NEWEST`, as received. Raises `UserError`, naming both
    versions, when this client does not speak it.
    """
    answered = result.get("protocolVersion") if isinstance(result, dict) else None
    # bool is an int, and True == 1
    if isinstance(answered, int) and not isinstance(answered, bool) and answered in _DIALECTS:
        return _DIALECTS[answered]
    told = "no protocol version" if answered is None else f"protocol version {answered!r}"
    raise UserError(
        f"the agent answered {told}, but acp.nvim asked for {NEWEST.version}"
        f" and supports {', '.join(map(str, _DIALECTS))}: update the agent or acp.nvim"
    )
