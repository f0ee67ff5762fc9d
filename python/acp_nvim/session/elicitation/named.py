"""The addresses that a text names, and whether a link beneath it leads elsewhere.

Pure. A text that names one is read as where its link goes: `[https://good…](https://evil…)`.
"""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import unquote, urlsplit

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.elicitation.address import judge

_MARKS = lazy_pattern(r"[*`~\\]")
"""Of Markdown, which a chat may hide within a name."""
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
_AFTER = ".,;:!?)]}>"
"""What stands behind an address in a sentence."""


def doubts(text: str, url: str) -> tuple[str, ...]:
    """Return why a link with that text may lead elsewhere than its reader thinks."""
    named = (f"its text names {it}" for it in named_others(text, url))
    return (*named, *judge(url).disguises)


def named_others(text: str, url: str) -> tuple[str, ...]:
    """Return the first address in a text that is not this one; nothing where there is none."""
    there = _place(url)
    seen = "".join(it for it in text if unicodedata.category(it) != "Cf")
    names = _NAMED.findall(
        _MARKS.sub("", unicodedata.normalize("NFKC", seen).replace("\u3002", "."))
    )
    other = next((it for it in names if not _leads_to(it, there)), None)
    return () if other is None else (other.rstrip(_AFTER),)


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
    path = unquote(parts.path).rstrip("/") if not query else unquote(parts.path)
    return f"{host.removeprefix('www.').rstrip('.')}{at}", f"{path}{query}"
