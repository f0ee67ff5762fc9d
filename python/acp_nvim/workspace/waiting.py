"""Numbers for the prompts that wait, by which the user's list of them names each."""

from __future__ import annotations

from collections.abc import Sequence

from acp_nvim.session.model import Prompt


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
