"""What a ledger becomes by what is told of its file. Pure; only `log` calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from acp_nvim.history.author import Author
from acp_nvim.history.change import saw, wrote
from acp_nvim.history.file import File
from acp_nvim.history.fold import begin
from acp_nvim.review.recode import recoded

Encodings: TypeAlias = tuple[str, str]
"""That of the file's buffer, and the one when its lines were as they are in the ledger; "" without
a buffer."""
Clock: TypeAlias = Callable[[], float]


def seen(ledger: File, text: str, encodings: Encodings, now: Clock) -> File:
    """Return the ledger after the user has made another text of the file."""
    return saw(recoded(ledger, text, *encodings), text, now())


def written(
    ledger: File | None,
    before: str | None,
    after: str | None,
    author: Author,
    encodings: Encodings,
    now: Clock,
) -> File:
    """Return the ledger of a file, None: there is none yet, after the agent has written it."""
    ledger = ledger or begin(before)
    text = ledger.text
    if before is None and text is not None:
        ledger = begin(before)  # the user has removed it: what comes is another file
    elif before is not None and text != before:
        ledger = seen(ledger, before, encodings, now)
    return wrote(ledger, after, author, now())
