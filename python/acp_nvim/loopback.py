"""Names of this machine in addresses: what is asked there is asked of the user's own programs.

Pure: no name is looked up. Anyone may import it.
"""

from __future__ import annotations

import unicodedata
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final
from urllib.parse import unquote

from acp_nvim.patterns import lazy_pattern

_NAMES: Final = lazy_pattern(
    r"(.+\.)?localhost|localhost[46]?(\.localdomain[46]?)?|(ip6-)?loopback|ip6-localhost"
)
_OWN: Final = ("", ".local", ".localdomain")
"""What may follow the name of a machine, in itself."""
_PART: Final = lazy_pattern(r"0x[0-9a-f]*|[0-9]+")
_COMPATIBLE: Final = range(1 << 24, 1 << 32)
"""The addresses of IPv6 that are those of IPv4."""
_TRANSLATED: Final = {0x64_FF9B << 64, 0xFFFF << 16}
"""How those begin that a gateway makes of IPv4 (NAT64, SIIT); `_LOCAL_NAT64` is of a network."""
_LOCAL_NAT64: Final = 0x64_FF9B_0001
_ISATAP: Final = 0x5EFE
"""What stands before an address of IPv4 in one of a tunnel."""


def is_loopback(host: str) -> bool:
    """Tell whether what is sent to that host surely stays on this machine."""
    name = _plain(host)
    return name == "localhost" or _is_loopback(_address(name))


def is_this_machine(host: str, own: str = "") -> bool:
    """Tell whether that host may be this machine, however it is written: to refuse what is.

    `own`: what it is called itself, to others of its network too.
    """
    name, own = _plain(host), _plain(own)
    if own and name in (own, *(f"{own.partition('.')[0]}{it}" for it in _OWN)):
        return True
    found = _address(name)
    inner = [found, *(_within(found) if isinstance(found, IPv6Address) else ())]
    if _NAMES.fullmatch(name) is not None:
        return True
    return any(_is_loopback(it) or _is_unspecified(it) for it in inner)


def _within(found: IPv6Address) -> tuple[IPv4Address, ...]:
    """Return the addresses of IPv4 that a network may make of one of IPv6."""
    last = IPv4Address(int(found) & 0xFFFF_FFFF)
    client = found.teredo[1:] if found.teredo else ()
    is_named = int(found) >> 80 == _LOCAL_NAT64 or int(found) >> 32 in _TRANSLATED
    return (*client, last) if is_named or int(found) >> 32 & 0xFDFF_FFFF == _ISATAP else client


def _plain(host: str) -> str:
    """Return the name as whoever looks it up reads it."""
    name = unicodedata.normalize("NFKC", unquote(host)).replace("\u3002", ".")
    name = "".join(it for it in name if unicodedata.category(it) != "Cf")  # nobody sees these
    return name.casefold().strip("[]").partition("%")[0].rstrip(".")


def _address(name: str) -> IPv4Address | IPv6Address | None:
    try:
        found = ip_address(name)
    except ValueError:
        return _of_numbers(name)
    if isinstance(found, IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour
        return IPv4Address(int(found)) if int(found) in _COMPATIBLE else inner or found
    return found


def _of_numbers(name: str) -> IPv4Address | None:
    """Return what one to four numbers are, decimal, octal or hexadecimal: the last fills up."""
    parts = name.split(".")
    if not 1 <= len(parts) <= 4 or not all(map(_PART.fullmatch, parts)):
        return None
    try:
        *first, last = (_number(it) for it in parts)
    except ValueError:
        return None
    room = 1 << 8 * (4 - len(first))
    if last >= room or any(it > 0xFF for it in first):
        return None
    above = sum(it << 8 * (3 - place) for place, it in enumerate(first))
    return IPv4Address(above + last)


def _number(text: str) -> int:
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8 if text.startswith("0") else 10)


def _is_loopback(found: IPv4Address | IPv6Address | None) -> bool:
    return found is not None and found.is_loopback


def _is_unspecified(found: IPv4Address | IPv6Address | None) -> bool:
    if isinstance(found, IPv4Address):
        return int(found) >> 24 == 0
    return found is not None and found.is_unspecified
