"""What is secret is left out of whatever is recorded: by the key it stands under, and by its value.

A value is known as it is, and as JSON, addresses, base64 and hex have it; not in pieces: a message
with half of it is recorded before the other half has come.

By key works on the text of messages, whole or cut off, not on what they mean: what cannot be parsed
may have secrets as well. Values are those of the user's configuration, of variables with a telling
name, and what the user has answered; an agent adds none, for it could hide with them what it does.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from urllib.parse import quote, quote_plus

from acp_nvim.patterns import lazy_pattern

HIDDEN: Final = "(hidden)"
SHORTEST: Final = 6
"""Characters of a value that is looked for; shorter ones are words like `true`."""
MOST: Final = 200
"""Values that are looked for, and so many of the user's answers, the last ones."""

_TELLING = (
    r"(?:token|secret|passw|passphrase|(?:api|private)[_-]?key|authori[sz]ation|credential|cookie)"
)
_STRING = r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)'
_NAMED = lazy_pattern(rf'("[^"\\]*{_TELLING}[^"\\]*"\s*:\s*){_STRING}', re.IGNORECASE)
_BLOCK = lazy_pattern(
    rf'("(?:env|headers)"\s*:\s*)(\[(?:[^\]"]|{_STRING})*\]?|\{{(?:[^}}"]|{_STRING})*\}}?)'
)
_MEMBER = lazy_pattern(rf"({_STRING}\s*:\s*)({_STRING})")
_LOOSE = lazy_pattern(rf"(\b\w*{_TELLING}\w*\s*[=:]\s*|\bbearer\s+)[^\s\"',;]{{8,}}", re.IGNORECASE)
_TELLING_NAME = lazy_pattern(_TELLING, re.IGNORECASE)
_STEMS = ("token", "secret", "passw", "passphr", "key", "author", "credent", "cook")
"""One of them is in each telling name, however its letters are written (none has an i)."""


class Redaction:
    """Knows the values that are secret."""

    def __init__(self) -> None:
        self._values: dict[str, None] = {}
        self._answers: dict[str, None] = {}
        self._forms: tuple[str, ...] = ()

    def learn(self, values: Iterable[str]) -> None:
        """Hide these from now on, as they are and as they are often written."""
        self._learn(self._values, values)

    def _learn(self, known: dict[str, None], values: Iterable[str]) -> None:
        """Hide values of one kind; an agent that asks for many answers pushes out no others."""
        found = dict.fromkeys(it for it in values if len(it) >= SHORTEST and it not in known)
        if not found:
            return
        known.update(found)
        for value in [*known][:-MOST]:
            del known[value]
        all_forms = dict.fromkeys(
            form for it in (*self._values, *self._answers) for form in _forms(it)
        )
        # the longest first: a form may begin with another one
        self._forms = tuple(sorted(all_forms, key=len, reverse=True))

    def learn_environment(self, environment: Mapping[str, str]) -> None:
        """Hide the values of the variables whose names say that they are secret."""
        self.learn(it for name, it in environment.items() if _TELLING_NAME.search(name))

    def learn_answer(self, answer: object) -> None:
        """Hide all texts in what the user has answered."""
        self._learn(self._answers, _texts(answer))

    def values(self, text: str) -> str:
        """Return the text without the values that are known."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, HIDDEN)
        for value in self._escaped(text):
            text = re.sub("".join(map(_written, value)), HIDDEN, text)
        return text

    def _escaped(self, text: str) -> list[str]:
        """Return the values that are there with escapes that their writer need not have made."""
        known = (*self._values, *self._answers)
        if not known or not any(sign in text for sign in ("%", "\\u", "\\x")):
            return []
        plain = _ESCAPE.sub(_unescaped, text).replace("\\", "")
        return [it for it in known if (bare := it.replace("\\", "")) and bare in plain]

    def message(self, text: str) -> str:
        """Return the text of a message of JSON, whole or cut off, without secrets."""
        if '"env"' in text or '"headers"' in text:
            text = _BLOCK.sub(_emptied, text)
        if _has_stem(text):  # or else each chunk is searched at each quote
            text = _NAMED.sub(rf'\1"{HIDDEN}"', text)
        return self.values(text)

    def is_suspect(self, text: str) -> bool:
        """Tell whether `message` may find something in one of the lines of this text."""
        is_block = '"env"' in text or '"headers"' in text
        is_known = any(form in text for form in self._forms) or bool(self._escaped(text))
        return is_block or is_known or _has_stem(text)

    def output(self, text: str) -> str:
        """Return what a program has written without secrets."""
        return self.values(_LOOSE.sub(rf"\1{HIDDEN}", text))


_ESCAPE = lazy_pattern(
    r"\\+(?:u([0-9a-f]{4})|x([0-9a-f]{2})|([^\\ux]))|((?:%[0-9a-f]{2})+)", re.IGNORECASE
)
_SHORT: Final = {"\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f"}
_LONG: Final = {short: it for it, short in _SHORT.items()}


def _unescaped(found: re.Match[str]) -> str:
    if found[4]:
        return bytes.fromhex(found[4].replace("%", "")).decode("utf-8", "surrogateescape")
    return _LONG.get(found[3], found[3]) or chr(int(found[1] or found[2], 16))


def _written(character: str) -> str:
    """Return a pattern of a character, escaped or not."""
    bare, code = re.escape(_SHORT.get(character, character)), ord(character)
    octets = "".join(f"%{it:02x}" for it in character.encode("utf-8", "surrogateescape"))
    short = "" if character.isalnum() else rf"|\\+{bare}"
    return rf"(?:{re.escape(character)}|(?i:\\+u{code:04x}|\\+x{code:02x}|{octets}){short})"


def _has_stem(text: str) -> bool:
    folded = text.casefold()
    return any(stem in folded for stem in _STEMS)


def _texts(answer: object) -> Iterator[str]:
    match answer:
        case str():
            yield answer
        case dict():
            yield from _texts([*answer.values()])
        case list() | tuple():
            for each in answer:
                yield from _texts(each)


def _forms(value: str) -> Iterator[str]:
    """Yield the value as it is, in JSON, in JSON within JSON, in addresses, base64 and hex."""
    yield value
    once = [json.dumps(value, ensure_ascii=it)[1:-1] for it in (True, False)]
    yield from once
    yield from (json.dumps(it, ensure_ascii=exact)[1:-1] for it in once for exact in (True, False))
    yield from (it.replace("/", "\\/") for it in once)  # as some programs write JSON
    data = value.encode("utf-8", "surrogateescape")
    yield from (quote(data, safe=""), quote(data), quote_plus(data), data.hex())
    for before in range(3):  # what stands before it moves the letters of base64
        code = b64encode(bytes(before) + data).decode()
        middle = code[(0, 2, 3)[before] : len(code) - (0, 4, 3)[(before + len(data)) % 3]]
        yield from (middle, middle.translate(_OF_ADDRESSES))


_OF_ADDRESSES = str.maketrans("+/", "-_")


def _emptied(block: re.Match[str]) -> str:
    """Return a list of pairs, or a map, with its names and without its values."""
    is_list = block[2].startswith("[")

    def hide(member: re.Match[str]) -> str:
        is_name = is_list and member[1].startswith('"name"')
        return member[0] if is_name else f'{member[1]}"{HIDDEN}"'

    return block[1] + _MEMBER.sub(hide, block[2])
