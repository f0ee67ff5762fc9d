"""Which messages on a line with text are the agent's own, and which a log line of its quotes.

An agent that logs its traffic to stdout prints each message twice, and ours once more. Taken for
messages of its own, they would say everything twice and settle requests that wait. Pure; called by
`client/connection`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from acp_nvim.patterns import lazy_pattern
from acp_nvim.wire.message import (
    TOO_DEEP,
    Failure,
    Message,
    Noise,
    Request,
    Response,
    parse_line,
    parse_text,
    to_line,
)

KEPT = 64
"""Lines of ours that a log line may quote."""
NEAR = 8
"""Messages between one and its quotation. One without an id may be said twice: it must be next."""
LARGE = 65_536
"""Characters of a line from which it is not remembered: that would keep its memory."""

_SIGNS = lazy_pattern(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|.)|[\x00-\x20\x7f\ufeff]"
)
"""What a terminal is told, and blanks: no words that could announce a quotation."""


class Sieve:
    """Remembers what was said lately on one connection."""

    def __init__(self) -> None:
        self.noisy = 0
        """Lines on which text stood beside a message."""
        self._sent: deque[int] = deque(maxlen=KEPT)
        self._taken: deque[Message] = deque(maxlen=NEAR)
        self._lines: deque[bytes | str] = deque(maxlen=NEAR)
        """Behind these; each holds one message, and nobody has asked which."""
        self._behind_text: deque[Message] = deque(maxlen=NEAR)

    def sent(self, line: bytes) -> None:
        """Remember a line of ours."""
        if len(line) < LARGE:
            self._sent.append(hash(line))

    @property
    def is_idle(self) -> bool:
        """Whether all is taken that is plainly a message."""
        return not self._behind_text

    def took(self, line: bytes | str) -> None:
        """Remember a line that is one message, taken without a look at it here."""
        self._lines.append(line)

    def sift(self, messages: Sequence[Message], size: int) -> Sequence[Message]:
        """Return the messages of one line with that many characters, without those quoted."""
        for line in self._lines:
            self._taken.extend(parse_text(line) if isinstance(line, str) else parse_line(line))
        self._lines.clear()
        if len(messages) > 1 and any(map(_is_text, messages)):
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
                behind = behind or (_is_text(message) and bool(_SIGNS.sub("", message.text)))
            elif behind and self._is_quotation(message):
                message = Noise(getattr(message, "method", "an answer"), "a log line quotes it")
            elif behind:
                self._behind_text.append(message)
            kept.append(message)
        return kept

    def _is_quotation(self, message: Message) -> bool:
        """Tell whether it is ours, or was said just before."""
        said = self._taken if _has_id(message) else _others(self._taken)[-1:]
        return message in said or hash(to_line(message)) in self._sent  # type: ignore[arg-type]

    def _was_quoted(self, message: Message) -> bool:
        """Tell whether it is that which a log line has quoted just before."""
        quoted = self._behind_text
        if message in (quoted if _has_id(message) else _others(quoted)[:1]):
            quoted.remove(message)
            if message in self._taken:  # the next one that is alike is another one
                self._taken.remove(message)
            return True
        if not _has_id(message):
            quoted.clear()
        return False


def _is_text(message: Message) -> bool:
    """Tell whether it is text beside messages: of one that is too deep, noise is a part of it."""
    return isinstance(message, Noise) and message.reason != TOO_DEEP


def _others(messages: Iterable[Message]) -> list[Message]:
    """Return those that may be said twice."""
    return [it for it in messages if not _has_id(it)]


def _has_id(message: Message) -> bool:
    return isinstance(message, Request | Response | Failure)
