"""How HTTP is spoken: over TLS that is verified, through the proxy of an address.

Loaded, with its library, only when an agent is remote or something is fetched. For `http` and
`download`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import AsyncIterator, Sequence
from http.cookiejar import Cookie, CookieJar, CookiePolicy
from typing import Any
from urllib.request import Request

import anyio
import httpx2

import acp_nvim
from acp_nvim.errors import UserError
from acp_nvim.patterns import lazy_pattern
from acp_nvim.transport.address import PATIENCE, Address, trust
from acp_nvim.transport.link import MOST
from acp_nvim.transport.proxy import Proxy

TAKEN = 60.0
"""Seconds in which a server must take a message."""

KEPT = 2.0
"""Seconds in which a connection that is idle serves the next message: servers close theirs after 5,
and a message that is on its way then is lost."""
REST = 1.0
"""Seconds in which the rest of an answer must come."""

MOST_OF_COOKIES, MOST_COOKIES = 16 * 1024, 64
"""Characters of all cookies, each of which is sent with each message, and how many these are."""
MOST_OF_ERROR = 8 * 1024
"""Bytes of the body of an error that are kept."""

_PLAIN = {"accept-encoding": "identity"}
_CLOSED = lazy_pattern("^(server disconnected|peer closed)", re.IGNORECASE)
"""With which begins what the library says of a connection that ended before the answer."""
_STATUS = lazy_pattern(r"[1-5]\d\d")
"""With which begins what the library says of an answer of a proxy."""


def client(address: Address) -> httpx2.AsyncClient:
    """Return what speaks to it, and to nobody yet."""
    given = {name.lower(): value for name, value in address.headers.items()}
    return httpx2.AsyncClient(
        # the user's own go along with those of the server, which a header would put aside
        cookies=_cookies(given.pop("cookie", "")),
        headers={"user-agent": f"acp.nvim/{acp_nvim.__version__}", **given, **_PLAIN},
        verify=trust(),
        proxy=through(address.proxy),
        trust_env=False,  # which proxy is found out by one rule
        timeout=httpx2.Timeout(PATIENCE, read=TAKEN, write=TAKEN, pool=None),
        # each stream holds a connection
        limits=httpx2.Limits(
            max_connections=None, max_keepalive_connections=4, keepalive_expiry=KEPT
        ),
    )


class _All(CookiePolicy):
    """Takes each cookie and gives it back: all that is asked is one address.

    What it says of paths, domains and TLS is meant for a proxy that it has come by.
    """

    netscape, rfc2965, hide_cookie2 = True, False, True

    def set_ok(self, cookie: Cookie, request: Request) -> bool:
        return True

    def return_ok(self, cookie: Cookie, request: Request) -> bool:
        return not cookie.is_expired()


class _Jar(CookieJar):
    """Keeps the user's own cookies, and of those of the server what there is room for."""

    def make_cookies(self, response: Any, request: Request) -> Sequence[Cookie]:
        return super().make_cookies(response, request)[:MOST_COOKIES]

    def set_cookie(self, cookie: Cookie) -> None:
        super().set_cookie(cookie)
        sizes = [len(it.name) + len(it.value or "") + len(it.path) for it in self]
        if cookie.domain and (sum(sizes) > MOST_OF_COOKIES or len(sizes) > MOST_COOKIES):
            self.clear(cookie.domain, cookie.path, cookie.name)


def _cookies(header: str) -> CookieJar:
    cookies = httpx2.Cookies(_Jar(_All()))
    for pair in header.split(";"):
        name, _, value = pair.strip().partition("=")
        if name:
            cookies.set(name, value)
    return cookies.jar


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
    return address.unreachable(EOFError() if _CLOSED.search(str(error)) else error)


def how(error: httpx2.HTTPError) -> str:
    """Return how a connection that there was has ended."""
    if isinstance(error, httpx2.TimeoutException):
        return "the server does not answer"
    return "it broke off"


def told(response: httpx2.Response) -> dict[str, str]:
    """Return the headers by their names in lower case."""
    return dict(response.headers.items())


def kind(response: httpx2.Response) -> str:
    """Return the type of the content."""
    return str(response.headers.get("content-type", "")).lower()


def chunks(response: httpx2.Response) -> AsyncIterator[bytes]:
    """Return the body as it comes. Nobody has asked for a compressed one, of which a few bytes may
    be gigabytes: the library would inflate them at once. Raises `DecodingError` for one."""
    encoding = response.headers.get("content-encoding") or "identity"
    if encoding.strip().lower() != "identity":
        raise httpx2.DecodingError("it is compressed")
    return response.aiter_raw()


async def whole(address: Address, response: httpx2.Response) -> str:
    """Return all that it says; raises `UserError` if that is compressed, or more than one message
    may be."""
    body = bytearray()
    try:
        parts = chunks(response)
    except httpx2.DecodingError as error:
        raise address.not_acp() from error
    async for data in parts:
        body += data
        if len(body) > MOST:
            raise address.not_acp()
    return body.decode("utf-8", "replace")


async def drain(response: httpx2.Response) -> None:
    """Read what nobody wants to know, so that its connection serves the next message, too."""
    with anyio.move_on_after(REST), contextlib.suppress(httpx2.HTTPError):
        await beginning(response)


async def beginning(response: httpx2.Response) -> str:
    """Return what an error says, or the beginning of it."""
    body = b""
    with contextlib.suppress(httpx2.DecodingError):
        async for data in chunks(response):
            body += data
            if len(body) > MOST_OF_ERROR:
                break
    return body[:MOST_OF_ERROR].decode("utf-8", "replace")
