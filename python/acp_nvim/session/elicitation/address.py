"""What to think of an address that an agent wants opened (v1/elicitation § URL security).

Pure: the address is read, never fetched (C-294). For links that an agent asks to open, and for
those in what it says.
"""

from __future__ import annotations

import re
import unicodedata
from html import unescape
from ipaddress import ip_address
from posixpath import normpath
from urllib.parse import SplitResult, unquote, urlsplit

from msgspec import Struct

from acp_nvim.patterns import lazy_pattern

LONGEST = 8_000
"""Characters of an address that a browser surely takes."""

# Browsers read a backslash as a slash, and drop line ends: the host would be another one.
_UNSAFE = lazy_pattern(r"[\s\\\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff]")
_HOST = lazy_pattern(
    r"(?:.*@)?(?:\[(?P<six>[^]]+)\]|(?P<name>[^\W_](?:[\w.-]*[\w.])?))(?::\d*)?", re.DOTALL
)


class Address(Struct, frozen=True):
    """`start` and `end` say where the host stands in the text; `refusal` why it is not opened."""

    url: str
    host: str = ""
    start: int = 0
    end: int = 0
    warnings: tuple[str, ...] = ()
    disguises: tuple[str, ...] = ()
    """Those of the warnings that say how it may look like another address."""
    refusal: str | None = None


def judge(url: str) -> Address:
    """Return what is to be said of it (C-296, C-304)."""
    if len(url) > LONGEST:
        return Address(url, refusal="it is too long")
    if _UNSAFE.search(url):
        return Address(url, refusal="it holds characters that an address cannot have")
    try:
        parts = urlsplit(url)
    except ValueError:
        return Address(url, refusal="it is not a valid address")
    if parts.scheme not in ("http", "https"):
        return Address(url, refusal=f"only http and https are opened, not {parts.scheme or 'this'}")
    found = _HOST.fullmatch(parts.netloc)
    if found is None:
        return Address(url, refusal="it names no host")
    group, begin = found.lastgroup or "", url.index("://") + 3
    host = found[group].lower()
    disguises = tuple(_disguises(parts, host))
    warnings = (*_plain_warnings(parts, host), *disguises)
    start, end = begin + found.start(group), begin + found.end(group)
    return Address(url, host, start, end, warnings, disguises)


def _plain_warnings(parts: SplitResult, host: str) -> list[str]:
    found = []
    if parts.scheme != "https":
        found.append("the connection is not encrypted (http)")
    if _is_ip(host):
        found.append("the host is a number, not a name")
    return found


def _disguises(parts: SplitResult, host: str) -> list[str]:
    found = []
    if "@" in parts.netloc:
        before = parts.netloc.rpartition("@")[0]
        found.append(f"the host is {host}; {before!r} before the @ is only a user name")
    if any(label.startswith("xn--") for label in host.split(".")):
        found.append(f"the name is Punycode, browsers may show it as {_decoded(host)}")
    elif not host.isascii():
        found.append("the name has letters beyond ASCII, which can look like others")
    mixed = [label for label in _decoded(host).split(".") if len(_scripts(label)) > 1]
    if mixed:
        found.append(f"{mixed[0]} mixes the letters of {' and '.join(_scripts(mixed[0]))}")
    return found


def _is_ip(host: str) -> bool:
    try:
        return bool(ip_address(host))
    except ValueError:
        # as browsers read 2130706433, 0x7f.1 and 127.1
        return re.fullmatch(r"(0x[0-9a-f]*|\d+)(\.(0x[0-9a-f]*|\d+))*", host) is not None


def _decoded(host: str) -> str:
    """Return the name with its Punycode labels decoded, as far as they can be."""
    return ".".join(map(_decoded_label, host.split(".")))


def _decoded_label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except UnicodeError:
        return label


def _scripts(label: str) -> list[str]:
    names = (unicodedata.name(character, "").split(" ")[0] for character in label)
    letters = zip(label, names, strict=True)
    return sorted({name.capitalize() for character, name in letters if character.isalpha()})


_MARKS = lazy_pattern(r"[*`~\\]")
"""Of Markdown, which a chat may hide within a name."""
_LOOKS_LIKE = str.maketrans(
    dict.fromkeys("\u2236\ua789\u02d0\u02f8\u0589\u05c3\u205a", ":")
    | dict.fromkeys("\u2215\u2044\u29f8\u2571", "/")
    | dict.fromkeys("\u3002\u0660\u06d4\u06f0\u0701\u0702\ua4f8\ua60e", ".")
)
"""Signs that are drawn as those of an address."""
_DISARMED = lazy_pattern(
    r"\bh(?:xx|\*\*|__)p(?=s?\b)|\s?[\[({](?:dot|[.:])[\])}]\s?", re.IGNORECASE
)
"""How people write an address that is not to be opened."""
_ENDINGS = (
    "com|org|net|edu|gov|mil|int|io|dev|app|ai|co|me|info|biz|cloud|online|site|xyz|shop|tech|page"
    "|uk|de|fr|eu|ch|at|nl|be|it|es|pt|pl|se|no|dk|fi|ie|ru|ua|cn|jp|kr|tw|hk|sg|au|nz|ca|us|br|mx"
)
"""With these, words with a dot are rather hosts than files."""
_NAMED = lazy_pattern(
    rf"""(?:https?|ftp|wss?)://[^\s<>"'|]+|\bwww\.[^\s<>"'|]+"""
    r"""|(?<![\w./@-])(?://)?(?:localhost|\d+(?:\.\d+){3})(?::\d|/)[^\s<>"'|]*"""
    rf"""|(?<![\w./@-])(?://)?(?:[\w-]+\.)+(?:{_ENDINGS})\b(?![\w.-]*\()(?:[:/?#][^\s<>"'|]*)?""",
    re.IGNORECASE,
)
_NUMBERS = lazy_pattern(r"(?:25[0-5]|(?:2[0-4]|1?\d)?\d)(?:\.(?:25[0-5]|(?:2[0-4]|1?\d)?\d)){3}")
_AFTER = ".,;:!?)]}>"
"""What stands behind an address in a sentence."""


def doubts(text: str, url: str) -> tuple[str, ...]:
    """Return why a link with that text may lead elsewhere than its reader thinks."""
    named = (f"its text names {it}" for it in named_others(text, url))
    return (*named, *judge(url).disguises)


def named_others(text: str, url: str) -> tuple[str, ...]:
    """Return the first address in a text that is not this one; nothing where there is none."""
    there = _place(url)
    seen = "".join(it for it in unescape(text) if unicodedata.category(it) != "Cf")
    plain = unicodedata.normalize("NFKC", seen).translate(_LOOKS_LIKE)
    names = _NAMED.findall(_MARKS.sub("", _DISARMED.sub(_armed, plain)))
    if _NUMBERS.fullmatch(plain.strip()) and plain.strip() not in url:  # else a version
        names.append(plain.strip())
    other = next((it for it in names if not _leads_to(it, there)), None)
    return () if other is None else (other.rstrip(_AFTER),)


def _armed(found: re.Match[str]) -> str:
    return "http" if found[0][0] in "hH" else ":" if ":" in found[0] else "."


def _leads_to(name: str, there: tuple[str, str]) -> bool:
    """Tell whether a name is that of a place, or the beginning of it."""
    beginning, is_cut = re.subn(r"(…|\.\.\.).*", "", name, flags=re.DOTALL)
    host, rest = _place(beginning.rstrip(_AFTER))
    if is_cut:
        is_part = not rest and "." not in host
        same = there[0].startswith(host) if is_part else there[0] == host
        return same and there[1].startswith(rest)
    path = there[1].rstrip(_AFTER)
    return there[0] == host and (path == rest or path.startswith((f"{rest}/", f"{rest}?")))


def _place(url: str) -> tuple[str, str]:
    """Return host and path of an address, as far as they tell one place from another."""
    try:
        parts = urlsplit(url if "://" in url else f"https://{url.lstrip('/')}")
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return url, ""
    at = "" if port in (None, 80, 443) else f":{port}"
    query = f"?{parts.query}" if parts.query else ""
    path = unquote(parts.path)
    path = normpath(path) if "/." in path else path  # as browsers do
    path = path if query else path.rstrip("/")
    return f"{host.removeprefix('www.').rstrip('.')}{at}", f"{path}{query}"
