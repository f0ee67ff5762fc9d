"""Makes everything harmful or invisible in an agent's text visible.

The security boundary of the view: text that is not ours reaches a buffer, virtual text or a
winbar only through here. Anyone who shows such text may call it; it is idempotent.
"""

from __future__ import annotations

import re

from acp_nvim.patterns import lazy_pattern

_CONTROL = r"\x00-\x08\x0b-\x1f\x7f-\x9f"
_SURROGATE = r"\ud800-\udfff"
_SEPARATOR = r"\u2028\u2029"
_FORMAT = (
    r"\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\ufeff\ufff0-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Not of category Cf, yet drawn as nothing: joiners, fillers, inherent vowels, selectors.
_BLANK = r"\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0f\uffa0\U0001d159"

_SUSPECT_ASCII = lazy_pattern(r"[\x00-\x08\x0b-\x1f\x7f]")  # four times as fast as the next
_SUSPECT = lazy_pattern(f"[{_CONTROL}{_SURROGATE}{_SEPARATOR}{_FORMAT}{_BLANK}]")

_EMOJI = r"\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff"
_SYMBOL = rf"{_EMOJI}\xa9\xae\u203c\u2049\u2122\u2139\u24c2\u3030\u303d\u3297\u3299"
_JOINED = lazy_pattern(rf"(?:(?<=[{_EMOJI}])|(?<=[{_EMOJI}]\ufe0f))\u200d(?=[{_EMOJI}])")
_SELECTED = lazy_pattern(rf"(?<=[{_SYMBOL}])[\ufe0e\ufe0f]|(?<=[0-9#*])\ufe0f(?=\u20e3)")

_JOINER = "\u200d"
_SELECTORS = "\ufe0e\ufe0f"
_READ = 65_536
"""Characters of a text that are looked at for one line of it."""


def visible(text: str) -> str:
    r"""Return the text with every harmful or invisible character replaced by a visible form.

    Controls but ``\n`` and ``\t`` become control pictures (ESC is "␛") or, from U+0080, "<9b>";
    ``\r\n`` becomes ``\n``; format characters, separators and blanks become "<U+202E>"; a lone
    surrogate becomes U+FFFD. Kept: the joiner between two emoji and the selector after one.
    Returns the same object when there is nothing to replace.
    """
    suspect = _SUSPECT_ASCII if text.isascii() else _SUSPECT
    if suspect.search(text) is None:
        return text
    return _SUSPECT.sub(_shown, text)


def one_line(text: str, limit: int) -> str:
    """Return the visible text as one line of at most `limit` characters, cut with "…" (C-274).

    Each line end, with the white space around it, becomes one space; a tab becomes a space.
    """
    if len(text) <= limit and text.isascii() and text.isprintable() and text == text.strip():
        return text  # as nearly all are
    parts = (part.strip() for part in visible(text[:_READ]).split("\n"))
    line = " ".join(part for part in parts if part).replace("\t", " ")
    if len(line) <= limit:
        return line
    return line[: max(limit - 1, 0)].rstrip(f" {_JOINER}") + "…" if limit > 0 else ""


def _shown(match: re.Match[str]) -> str:
    character, at, text = match[0], match.start(), match.string
    code = ord(character)
    if code < 0x20:
        return "" if character == "\r" and text.startswith("\n", at + 1) else chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if code < 0xA0:
        return f"<{code:02x}>"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    if character == _JOINER and _JOINED.match(text, at):
        return character
    if character in _SELECTORS and _SELECTED.match(text, at):
        return character
    return f"<U+{code:04X}>"
