"""What is secret is left out of whatever is recorded: by the key it stands under, and by its value.

By key works on the text of messages, whole or cut off, not on what they mean: what cannot be parsed
may have secrets as well. Values are those of the user's configuration, of variables with a telling
name, and what the user has answered; an agent adds none, for it could hide with them what it does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

HIDDEN: Final = "(hidden)"
SHORTEST: Final = 6
"""Characters of a value that is looked for; shorter ones are words like `true`."""
MOST: Final = 200
"""Values that are looked for."""

_TELLING = (
    r"(?:token|secret|passw|passphrase|(?:api|private)[_-]?key|authori[sz]ation|credential|cookie)"
)
_STRING = r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)'
_NAMED = re.compile(rf'("[^"\\]*{_TELLING}[^"\\]*"\s*:\s*){_STRING}', re.IGNORECASE)
_BLOCK = re.compile(
    rf'("(?:env|headers)"\s*:\s*)(\[(?:[^\]"]|{_STRING})*\]?|\{{(?:[^}}"]|{_STRING})*\}}?)'
)
_MEMBER = re.compile(rf"({_STRING}\s*:\s*)({_STRING})")
_LOOSE = re.compile(rf"(\b\w*{_TELLING}\w*\s*[=:]\s*|\bbearer\s+)[^\s\"',;]{{8,}}", re.IGNORECASE)
_TELLING_NAME = re.compile(_TELLING, re.IGNORECASE)
_STEMS = ("token", "secret", "passw", "passphr", "key", "author", "credent", "cook")
"""One of them is in each telling name, however its letters are written (none has an i)."""


class Redaction:
    """Knows the values that are secret."""

    def __init__(self) -> None:
        self._values: dict[str, None] = {}

    def learn(self, values: Iterable[str]) -> None:
        """Hide these from now on, as they are and as JSON has them."""
        for value in values:
            if len(value) >= SHORTEST and len(self._values) < MOST:
                forms = (value, *(json.dumps(value, ensure_ascii=it)[1:-1] for it in (True, False)))
                self._values.update(dict.fromkeys(forms))

    def learn_environment(self, environment: Mapping[str, str]) -> None:
        """Hide the values of the variables whose names say that they are secret."""
        self.learn(it for name, it in environment.items() if _TELLING_NAME.search(name))

    def learn_answer(self, answer: object) -> None:
        """Hide all texts in what the user has answered."""
        match answer:
            case str():
                self.learn([answer])
            case dict():
                self.learn_answer([*answer.values()])
            case list() | tuple():
                for each in answer:
                    self.learn_answer(each)

    def values(self, text: str) -> str:
        """Return the text without the values that are known."""
        for value in self._values:
            if value in text:
                text = text.replace(value, HIDDEN)
        return text

    def message(self, text: str) -> str:
        """Return the text of a message of JSON, whole or cut off, without secrets."""
        if '"env"' in text or '"headers"' in text:
            text = _BLOCK.sub(_emptied, text)
        folded = text.casefold()
        if any(stem in folded for stem in _STEMS):  # or else each chunk is searched at each quote
            text = _NAMED.sub(rf'\1"{HIDDEN}"', text)
        return self.values(text)

    def output(self, text: str) -> str:
        """Return what a program has written without secrets."""
        return self.values(_LOOSE.sub(rf"\1{HIDDEN}", text))


def _emptied(block: re.Match[str]) -> str:
    """Return a list of pairs, or a map, with its names and without its values."""
    is_list = block[2].startswith("[")

    def hide(member: re.Match[str]) -> str:
        is_name = is_list and member[1].startswith('"name"')
        return member[0] if is_name else f'{member[1]}"{HIDDEN}"'

    return block[1] + _MEMBER.sub(hide, block[2])
