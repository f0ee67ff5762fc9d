"""Numbers for the prompts that wait, by which the user's list of them names each."""

from __future__ import annotations

import re
from collections.abc import Sequence

from acp_nvim.patterns import lazy_pattern
from acp_nvim.session.model import Prompt
from acp_nvim.view.snapshot import prompt_text

_LINE = lazy_pattern(r"\s*(\d{1,9})?\s*(.*?)\s*$", re.ASCII | re.DOTALL)


def words_of(prompt: Prompt) -> str:
    """Return a prompt as it stands in a line."""
    return " ".join(prompt_text(prompt).split())


class Waiting:
    """Each prompt has one number as long as the chat is there; what was dropped can come back."""

    def __init__(self) -> None:
        self._known: list[Prompt] = []
        self._dropped: set[int] = set()

    def number(self, prompt: Prompt) -> int:
        """Return the number of a prompt, from 1; of two with the same words each has its own."""
        for number, known in enumerate(self._known, 1):
            if known is prompt:
                return number
        self._known.append(prompt)
        return len(self._known)

    def meant(
        self, queue: Sequence[Prompt], shown: Sequence[int], lines: Sequence[str]
    ) -> list[int | None]:
        """Return the number of the prompt that each line of the user's list means, None for none.

        It is that of its words, be the line from before; else that of its place in what is `shown`.
        """
        allowed = sorted({*map(self.number, queue), *self._dropped})
        words = {number: words_of(self._known[number - 1]) for number in allowed}
        found: list[int | None] = []
        for line in lines:
            place, text = _LINE.match(line).groups()  # type: ignore[union-attr]  # all match
            at = int(place or 0)
            there = shown[at - 1] if 0 < at <= len(shown) else None
            same = [it for it in allowed if place and it not in found and words[it] == text]
            free = there if there in allowed and there not in found else None
            found.append(there if there in same else next(iter(same), free))
        return found

    def arranged(
        self, queue: Sequence[Prompt], seen: Sequence[int], order: Sequence[int]
    ) -> tuple[Prompt, ...]:
        """Return the queue in that order, without what was `seen` and is not in it.

        A number that neither waits nor was dropped was sent: it does not count.
        """
        waiting = [self.number(prompt) for prompt in queue]
        allowed = {*waiting, *self._dropped}
        kept = [number for number in dict.fromkeys(order) if number in allowed]
        later = [number for number in waiting if number not in seen and number not in kept]
        self._dropped |= {number for number in waiting if number not in (*kept, *later)}
        self._dropped -= set(kept)
        return tuple(self._known[number - 1] for number in (*kept, *later))
