"""What a user reads in a session while an agent does not answer there, and no longer than that."""

from __future__ import annotations

from collections.abc import Callable

from acp_nvim.client.connection import Patience
from acp_nvim.client.session import Session
from acp_nvim.session.event import Noticed, NoticeOver

SLOW = 10.0
"""Seconds after which it is said, unless others are named."""


def patience(
    session: Session, sentence: Callable[[float], str], seconds: float | None = None
) -> Patience:
    """Return what says in a session that it takes long; the sentence is made of the seconds."""

    def tell(seconds: float) -> None:
        session.apply(Noticed(sentence(seconds), "warning", "passing"))

    def over(seconds: float) -> None:
        session.apply(NoticeOver(sentence(seconds)))

    return Patience(tell, over, SLOW if seconds is None else seconds)
