"""Downloads by the user's command: lists of agents, and archives with agents.

Only over TLS that is verified, or from this machine if the user has named an address on it. What is
too large, or a web page, is not taken. Loaded, with its library, only when something is fetched.
"""

from __future__ import annotations

import hashlib
import socket
import ssl
from collections.abc import Callable
from http import HTTPStatus
from typing import IO
from urllib.parse import urljoin, urlsplit

import httpx2
from msgspec import Struct

import acp_nvim
from acp_nvim.errors import UserError
from acp_nvim.loopback import is_loopback, is_this_machine
from acp_nvim.transport.address import PATIENCE, causes, is_refusal, public, trust
from acp_nvim.transport.http_client import blocked, through
from acp_nvim.transport.proxy import Proxy, proxy_of

SILENCE = 60.0
"""Seconds without a word after which a server is given up."""
MOST_HOPS = 5

Progress = Callable[[int, int], None]
"""Told how many bytes are there, and how many there will be: 0 if that is not known."""

_MOVED = (301, 302, 303, 307, 308)
# what is compressed on the way would be another file than the one that has the checksum
_HEADERS = {"User-Agent": f"acp.nvim/{acp_nvim.__version__}", "Accept-Encoding": "identity"}
_SAID = {
    401: "it wants a login",
    403: "it does not let us in",
    404: "there is nothing at this address",
    407: "a proxy wants a login; see $HTTPS_PROXY",
    410: "there is nothing at this address any more",
    429: "it has too much to do; try again later",
}


class Download(Struct, frozen=True):
    """What to fetch: an address, how many bytes at most, whether it may be on this machine."""

    url: str
    most: int
    local: bool = False


async def download(wanted: Download, into: IO[bytes], progress: Callable[[int, int], None]) -> str:
    """Write what is at that address into a file; return its SHA-256 in hex.

    Raises `UserError` that names the address, without its query.
    """
    url, proxy = wanted.url, None
    try:
        for _ in range(MOST_HOPS):
            _check(url, local=wanted.local)
            proxy = proxy_of(url)
            async with (
                _client(proxy) as client,
                client.stream("GET", url, follow_redirects=False) as answer,
            ):
                if answer.status_code not in _MOVED:
                    return await _take(answer, wanted, into, progress)
                url = _joined(url, answer.headers.get("location", ""))
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        why = _why(url, error) if proxy is None else _why_through(proxy, url, error)
        raise UserError(f"{public(url)}: {why}") from error
    raise UserError(f"{public(wanted.url)}: it leads from one address to the next: given up")


def _client(proxy: Proxy | None) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(
        headers=_HEADERS,
        verify=trust(),
        proxy=through(proxy),
        trust_env=False,  # which proxy is found out by one rule
        timeout=httpx2.Timeout(PATIENCE, read=SILENCE, write=SILENCE, pool=None),
    )


def shown(url: str) -> str:
    """Return what may be said of an address."""
    return public(url)


def is_local(url: str) -> bool:
    """Tell whether the address may be on this machine."""
    return is_this_machine(urlsplit(url).hostname or "", socket.gethostname())


def _joined(url: str, to: str) -> str:
    try:
        joined = urljoin(url, to)
        _ = urlsplit(joined).port
    except ValueError as error:
        raise UserError(f"{public(url)}: it leads to something that is not an address") from error
    return joined


def _check(url: str, *, local: bool) -> None:
    parts = urlsplit(url)
    if is_local(url) and not local:
        raise UserError(f"{public(url)}: an address on this machine is refused")
    if parts.scheme != "https" and not (
        parts.scheme == "http" and is_loopback(parts.hostname or "")
    ):
        raise UserError(f"{public(url)}: only https:// is fetched, for anybody could change it")


async def _take(
    answer: httpx2.Response, wanted: Download, into: IO[bytes], progress: Progress
) -> str:
    place, status = public(str(answer.url)), answer.status_code
    if status != HTTPStatus.OK:
        failed = (
            "this server has failed; try again later" if answer.is_server_error else "it refuses"
        )
        raise UserError(f"{place}: {_SAID.get(status, failed)} (status {status})")
    if "html" in answer.headers.get("content-type", ""):
        raise UserError(f"{place}: it answers with a web page; check the address, and any proxy")
    length = answer.headers.get("content-length", "")
    total = int(length) if length.isascii() and length.isdigit() else 0
    digest, count = hashlib.sha256(), 0
    async for chunk in answer.aiter_raw():
        count += len(chunk)
        if max(count, total) > wanted.most:
            raise UserError(f"{place}: it is larger than {wanted.most >> 20} MB: not taken")
        digest.update(chunk)
        _write(into, chunk)
        progress(count, total)
    return digest.hexdigest()


def _write(into: IO[bytes], chunk: bytes) -> None:
    try:
        into.write(chunk)
    except OSError as error:
        raise UserError(f"what comes cannot be kept on disk: {error.strerror}") from error


def _why_through(proxy: Proxy, url: str, error: Exception) -> str:
    status = blocked(proxy, error)
    if status is None:
        return f"{_why(url, error)} (by the proxy {proxy.shown} of {proxy.variable})"
    return str(proxy.refused(status, urlsplit(url).hostname or ""))


def _why(url: str, error: Exception) -> str:
    host = urlsplit(url).hostname or ""
    errors = tuple(causes(error))
    for one in errors:
        match one:
            case ssl.SSLCertVerificationError():
                why = one.verify_message or "it is not valid"
                return f"its certificate is not trusted: {why}. This check is never left out"
            case ssl.SSLError():
                return "it does not speak TLS as it should"
            case socket.gaierror():
                return f"no host {host} is found: is there a network?"
            case TimeoutError() | httpx2.TimeoutException():
                return "it does not answer"
    if any(is_refusal(one) for one in errors):
        return "nothing listens there"
    return "the connection was closed before all had come"
