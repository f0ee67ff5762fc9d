"""The prompts that wait in a session: shown, put into another order, dropped, brought back."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from acp_nvim.commands.payloads import OfChat
from acp_nvim.errors import UserError
from acp_nvim.session.action import ArrangeQueue
from acp_nvim.view.snapshot import prompt_text
from acp_nvim.workspace.host import Host


class Arrange(Struct, frozen=True):
    """The order of what waits; of what was `seen` the rest is dropped. Numbers as `queue` gave."""

    chat: int
    seen: tuple[int, ...]
    order: tuple[int, ...]
    taken: int | None = None
    """That one is dropped because the user wants to have it back."""


def queue(host: Host, payload: OfChat) -> list[dict[str, Any]]:
    """Answer what waits, the next one first: a number for each, and its text."""
    chat = host.workspace.chat(payload.chat)
    return [
        {"number": chat.waiting.number(prompt), "text": prompt_text(prompt)}
        for prompt in chat.session.state.queue
    ]


def arrange(host: Host, payload: Arrange) -> list[dict[str, Any]]:
    """Put what waits into that order; answer what waits now.

    What has come since stays behind it; what was sent meanwhile stays sent. Raises `UserError`,
    and changes nothing, if that is what was to be taken back.
    """
    chat = host.workspace.chat(payload.chat)
    waiting = map(chat.waiting.number, chat.session.state.queue)
    if payload.taken is not None and payload.taken not in waiting:
        raise UserError("this prompt does not wait any more: it was sent, or taken back")
    prompts = chat.waiting.arranged(chat.session.state.queue, payload.seen, payload.order)
    chat.session.act(ArrangeQueue(prompts))
    return queue(host, OfChat(payload.chat))
