"""The one door to agents that run elsewhere; loaded, with its libraries, for such an agent only."""

from __future__ import annotations

from collections.abc import Mapping

from acp_nvim.errors import UserError
from acp_nvim.transport.address import Address
from acp_nvim.transport.http import open_http
from acp_nvim.transport.link import Link
from acp_nvim.transport.proxy import proxy_of
from acp_nvim.transport.websocket import open_websocket


async def connect(agent: str, url: str, headers: Mapping[str, str]) -> Link:
    """Return a link to the agent at that address; raises `UserError`."""
    try:
        address = Address(agent, url, headers, proxy_of(url))
    except UserError as error:
        raise UserError(f"{agent}: {error}") from error
    address.check()
    return open_http(address) if url.startswith("http") else await open_websocket(address)
