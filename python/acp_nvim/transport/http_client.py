"""How HTTP is spoken: over TLS that is verified, through the proxy of an address.

Loaded, with its library, only when an agent is remote or something is fetched. For `http` and
`download`.
"""

from __future__ import annotations

import re

import httpx2

import acp_nvim
from acp_nvim.errors import UserError
from acp_nvim.transport.address import PATIENCE, Address, trust
from acp_nvim.transport.proxy import Proxy

TAKEN = 60.0
"""Seconds in which a server must take a message."""

_STATUS = re.compile(r"[1-5]\d\d")
"""With which begins what the library says of an answer of a proxy."""


def client(address: Address) -> httpx2.AsyncClient:
    """Return what speaks to it, and to nobody yet."""
    return httpx2.AsyncClient(
        headers={"User-Agent": f"acp.nvim/{acp_nvim.__version__}", **address.headers},
        verify=trust(),
        proxy=through(address.proxy),
        trust_env=False,  # which proxy is found out by one rule
        timeout=httpx2.Timeout(PATIENCE, read=TAKEN, write=TAKEN, pool=None),
        # each stream holds a connection
        limits=httpx2.Limits(max_connections=None, max_keepalive_connections=4),
    )


def through(proxy: Proxy | None) -> httpx2.Proxy | None:
    """Return the proxy as the library wants it."""
    if proxy is None:
        return None
    return httpx2.Proxy(proxy.url, ssl_context=trust() if proxy.is_secure else None)


def blocked(proxy: Proxy | None, error: Exception) -> int | None:
    """Return the status with which a proxy has answered in place of a connection, else None."""
    status = _STATUS.match(str(error))
    if proxy is None or status is None or not isinstance(error, httpx2.ProxyError):
        return None
    return int(status[0])


def unreachable(address: Address, error: httpx2.HTTPError) -> UserError:
    """Return what to say of an error that came instead of a connection."""
    status = blocked(address.proxy, error)
    if address.proxy is not None and status is not None:
        return address.blocked(address.proxy, status)
    return address.unreachable(error)


def how(error: httpx2.HTTPError) -> str:
    """Return how a connection that there was has ended."""
    if isinstance(error, httpx2.TimeoutException):
        return "the server does not answer"
    return "it broke off"
