"""Through which proxy an address is reached, as the environment says; and what to say of a proxy.

One rule for all libraries. Its address may have a password, and is never said as it is. For
`address`.
"""

from __future__ import annotations

from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from msgspec import Struct

from acp_nvim.errors import NotLetIn, UserError
from acp_nvim.loopback import is_this_machine

_SCHEMES = {"ws": "http", "wss": "https"}
_KNOWN = ("http", "https")
_REFUSED = (401, 403, 405, 407)
_FAILED = 500


class Proxy(Struct, frozen=True):
    """A proxy, and the variable that names it."""

    url: str
    variable: str

    def __repr__(self) -> str:
        return f"Proxy(variable={self.variable!r})"

    @property
    def shown(self) -> str:
        """Host and port."""
        parts = urlsplit(self.url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        return f"{parts.hostname}:{port}"

    @property
    def is_secure(self) -> bool:
        """Whether the way to it is TLS."""
        return self.url.startswith("https:")

    def refused(self, status: int, host: str) -> UserError:
        """Return what to say when it does not let us through to that host."""
        if status == 407:
            said = f"wants a login: write user and password in {self.variable}"
        elif status in _REFUSED:
            said = f"does not let us through to {host}: ask who runs it, or add it to $NO_PROXY"
        else:
            said = f"cannot reach {host}: check the address, or add it to $NO_PROXY"
        sentence = f"the proxy {self.shown} {said} (status {status})"
        return NotLetIn(sentence) if status in _REFUSED else UserError(sentence)


def proxy_of(url: str) -> Proxy | None:
    """Return the proxy to an address, None for none; raises `UserError` for one that is none.

    What is on this machine is reached without: no proxy could.
    """
    parts = urlsplit(url)
    scheme, host = _SCHEMES.get(parts.scheme, parts.scheme), parts.hostname or ""
    known = getproxies()
    name = next((name for name in (scheme, "all") if known.get(name)), "")
    if (
        not name
        or is_this_machine(host)
        or proxy_bypass(f"{host}:{parts.port}" if parts.port else host)
    ):
        return None
    variable, given = f"${name.upper()}_PROXY", known[name]
    found = Proxy(given if "://" in given else f"http://{given}", variable)
    return _checked(found)


def _checked(proxy: Proxy) -> Proxy:
    try:
        scheme, shown = urlsplit(proxy.url).scheme, proxy.shown
    except ValueError as error:
        raise UserError(f"{proxy.variable} is not the address of a proxy") from error
    if scheme not in _KNOWN or shown.startswith("None:"):
        what = "is not http://HOST:PORT or https://HOST:PORT: other proxies are not spoken to"
        raise UserError(f"{proxy.variable} {what}")
    return proxy
