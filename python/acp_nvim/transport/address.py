"""Where a remote agent is, and sentences that say why it cannot be reached, and what to do.

Neither the values of headers nor what stands after `?` in an address is ever said: they are
secrets. For `websocket` and `http`.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from urllib.parse import SplitResult, urljoin, urlsplit

import truststore
from msgspec import Struct, field

from acp_nvim.errors import NotLetIn, UserError
from acp_nvim.patterns import lazy_pattern
from acp_nvim.transport.proxy import Proxy

PATIENCE = 20.0
"""Seconds in which a server must take a connection."""

_NAME = lazy_pattern(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = lazy_pattern(r"[\t -~]*")
_NOTHING: Mapping[str, str] = {}


class Address(Struct, frozen=True):
    """The address of an agent by that name, as configured, and the headers of each request."""

    agent: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    proxy: Proxy | None = None
    """Through which it is reached."""

    def __repr__(self) -> str:
        return f"Address(agent={self.agent!r}, proxy={self.proxy!r})"

    @property
    def shown(self) -> str:
        """What may be said of the address: no query, no user."""
        return public(self.url)

    @property
    def host(self) -> str:
        """The name of the server."""
        return urlsplit(self.url).hostname or ""

    def check(self) -> None:
        """Raise `UserError` for headers that cannot be sent."""
        for name, value in self.headers.items():
            if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
                what = "has characters that no header may have"
                raise UserError(f"{self.agent}: the header {name!r} {what}: check {self._headers}")

    def refused(self, status: int, told: Mapping[str, str] = _NOTHING) -> UserError:
        """Return what to say of an answer with that status and those headers, in lower case."""
        if self.proxy is not None and status == HTTPStatus.PROXY_AUTHENTICATION_REQUIRED:
            return self.blocked(self.proxy, status)
        said, hopeless = _REFUSALS.get(status) or (_of_class(status), False)
        if status == HTTPStatus.OK:
            said = "it answers with {page}, not with ACP; check {url}, and any proxy"
        words = {
            "url": self._url,
            "headers": self._headers,
            "page": _page(told.get("content-type", "")),
            "to": self._target(told.get("location", "")),
            "when": _when(told.get("retry-after", "")),
        }
        sentence = f"{self.agent}: {self.shown}: {said.format(**words)} (status {status})"
        return NotLetIn(sentence) if hopeless else UserError(sentence)

    def not_acp(self) -> UserError:
        """Return what to say of an answer to `initialize` that is none."""
        what = "what it answers to initialize is not ACP"
        return UserError(f"{self.agent}: {self.shown}: {what}; check {self._url}")

    def thrown_out(self, why: str) -> UserError:
        """Return what to say of a server that ends a connection because of who we are."""
        said = f"it does not let us in; check {self._headers}"
        return NotLetIn(f"{self.agent}: {self.shown}: {said} ({why})")

    def _target(self, to: str) -> str:
        """Return where an answer leads to."""
        try:
            return public(urljoin(self.url, to)) if to else "elsewhere"
        except ValueError:
            return "what is not an address"

    def blocked(self, proxy: Proxy, status: int) -> UserError:
        """Return what to say of a proxy that does not let us through, but answers with that."""
        problem = proxy.refused(status, self.host)
        return type(problem)(f"{self.agent}: {problem}")

    def unreachable(self, error: BaseException) -> UserError:
        """Return what to say of an error that came instead of a connection."""
        chain = tuple(causes(error))
        for one in chain:
            if isinstance(one, ssl.SSLCertVerificationError):
                return NotLetIn(f"{self.agent}: {self._untrusted(one)}")
        return UserError(f"{self.agent}: {self._why(chain)}. :Acp restart {self.agent} tries again")

    def _untrusted(self, error: ssl.SSLCertVerificationError) -> str:
        who, check = self.host, self._url
        if self.proxy is not None and self.proxy.is_secure:  # the error does not tell whose it is
            both = urlsplit(self.url).scheme in ("https", "wss")
            who = f"the proxy {self.proxy.shown}" + (f", or of {self.host}," if both else "")
            check = self.proxy.variable
        said = (
            f"the certificate of {who} is not trusted: {error.verify_message or 'it is not valid'}"
        )
        todo = _TRUST.get(error.verify_code, f"Check {check}, and that server")
        return f"{said}. {todo}; this check is never left out"

    def _why(self, chain: tuple[BaseException, ...]) -> str:
        place, host, check = f"{self.host}:{self._port}", f"host {self.host}", self._url
        if any(isinstance(one, ssl.SSLError) for one in chain):
            return f"{place} does not speak TLS as it should: check {check}"
        if self.proxy is not None:  # who else is spoken to before that
            place = host = f"proxy {self.proxy.shown}"
            check = self.proxy.variable
        if any(isinstance(one, socket.gaierror) for one in chain):
            return f"no {host} is found: check {check}, and the network"
        if any(isinstance(one, TimeoutError) for one in chain):
            return f"{place} did not answer within {PATIENCE:.0f} seconds: check {check}"
        if any(is_refusal(one) for one in chain):
            return f"nothing listens at {place}: start the server, or check {check}"
        if any(isinstance(one, OSError | EOFError) for one in chain):
            return f"{place} has closed the connection: check {check}, and that server"
        return f"{self.shown} does not speak this protocol: check {check}"

    @property
    def _url(self) -> str:
        return f"agents.{self.agent}.url"

    @property
    def _headers(self) -> str:
        return f"agents.{self.agent}.headers"

    @property
    def _port(self) -> int:
        parts = urlsplit(self.url)
        return parts.port or (443 if parts.scheme in ("https", "wss") else 80)


_AUTHORITY = "If you trust who has signed it, put that certificate into $SSL_CERT_FILE"
_TRUST: Mapping[int, str] = dict.fromkeys((18, 19, 20, 21), _AUTHORITY)
"""What to do, by OpenSSL's codes: nobody known has signed it."""

_REFUSALS: Mapping[int, tuple[str, bool]] = {
    401: ("it does not let us in; check {headers}", True),
    403: ("it does not let us in; check {headers}", True),
    404: ("there is no agent here; check the path of {url}, which mostly is /acp", False),
    405: ("it does not speak ACP here; check the path of {url}", False),
    406: ("it does not speak ACP here; check the path of {url}", False),
    407: ("a proxy wants a login; see $HTTPS_PROXY", True),
    409: ("another client has this connection; close it there", False),
    413: ("the message is too large for this server", False),
    415: ("it does not speak ACP here; check the path of {url}", False),
    426: ("it speaks WebSocket only; write ws: or wss: in {url}", False),
    429: ("it has too much to do; try again {when}", False),
    503: ("it cannot answer now; see its log, or try again {when}", False),
}
"""What a status means, and whether it stays so until the user has changed something."""


def public(url: str) -> str:
    """Return the address without user, query and fragment; raises `ValueError` if it is none."""
    parts = urlsplit(url)
    place = parts.hostname or ""
    place = f"[{place}]" if ":" in place else place
    port = f":{parts.port}" if parts.port else ""
    return SplitResult(parts.scheme, f"{place}{port}", parts.path, "", "").geturl()


def trust() -> ssl.SSLContext:
    """Return what TLS is judged by: the certificates that this machine trusts, always."""
    return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _of_class(status: int) -> str:
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return "this server has failed; see its log"
    if HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST:
        return "it has moved to {to}; write that in {url} if you trust it"
    return "it does not speak ACP; check {url}"


def _when(seconds: str) -> str:
    return f"in {seconds} seconds" if re.fullmatch("[0-9]{1,6}", seconds) else "later"


def _page(kind: str) -> str:
    return "a web page" if "html" in kind else (kind.partition(";")[0].strip() or "something else")


def is_refusal(error: BaseException) -> bool:
    """Tell whether nothing listened there."""
    # of several addresses of one host, asyncio tells all errors in one text
    refused = f"[Errno {errno.ECONNREFUSED}]"
    return isinstance(error, ConnectionRefusedError) or refused in str(error)


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and what it came of."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for one in error.exceptions:
                yield from causes(one)
        error = error.__cause__ or error.__context__
