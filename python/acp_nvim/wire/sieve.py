"""Which messages on a line with text are the agent's own, and which a log line of its quotes.

An agent that logs its traffic to stdout prints each message twice, and ours once more. Taken for
messages of its own, they would say everything twice and settle requests that wait. Pure; called by
`client/connection`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from acp_nvim.wire.message import Message, Noise, to_line

KEPT = 64
"""Lines of ours that a log line may quote."""
NEAR = 8
"""Messages between one and its quotation."""
LARGE = 65_536
"""Characters of a line from which it is not remembered: that would keep its memory."""


class Sieve:
    """Remembers what was said lately on one connection."""

    def __init__(self) -> None:
        self.noisy = 0
        """Lines on which text stood beside a message."""
        self._sent: deque[int] = deque(maxlen=KEPT)
        self._taken: deque[Message] = deque(maxlen=NEAR)
        self._behind_text: deque[Message] = deque(maxlen=NEAR)

    def sent(self, line: bytes) -> None:
        """Remember a line of ours."""
        self._sent.append(hash(line))

    def sift(self, messages: Sequence[Message], size: int) -> Sequence[Message]:
        """Return the messages of one line with that many characters, without those quoted."""
        if len(messages) > 1 and any(isinstance(it, Noise) for it in messages):
            self.noisy += 1
            kept: Sequence[Message] = self._beside_text(messages)
        elif self._behind_text:
            kept = [it for it in messages if not self._was_quoted(it)]
        else:
            kept = messages
        if size < LARGE:
            self._taken.extend(kept)
        return kept

    def _beside_text(self, messages: Sequence[Message]) -> list[Message]:
        kept: list[Message] = []
        behind = False
        for message in messages:
            if isinstance(message, Noise):
                behind = True
            elif behind and self._is_quotation(message):
                message = Noise(getattr(message, "method", "an answer"), "a log line quotes it")
            elif behind:
                self._behind_text.append(message)
            kept.append(message)
        return kept

    def _is_quotation(self, message: Message) -> bool:
        return message in self._taken or hash(to_line(message)) in self._sent  # type: ignore[arg-type]

    def _was_quoted(self, message: Message) -> bool:
        """Tell whether it is that which a log line has quoted just before."""
        if message not in self._behind_text:
            return False
        self._behind_text.remove(message)
        return True
