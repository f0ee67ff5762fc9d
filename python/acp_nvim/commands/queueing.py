"""The prompts that wait in a session: shown, put into another order, dropped, brought back."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from acp_nvim.commands.payloads import OfChat
from acp_nvim.errors import UserError
from acp_nvim.session.action import ArrangeQueue
from acp_nvim.view.snapshot import prompt_text
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.waiting import words_of


class Arrange(Struct, frozen=True):
    """What the user has made of the lines of the list, of which these numbers were `shown`."""

    chat: int
    shown: tuple[int, ...]
    lines: tuple[str, ...]
    taken: int | None = None
    """The prompt of that line, from 1, goes because the user wants to have it back."""


def queue(host: Host, payload: OfChat) -> dict[str, Any]:
    """Answer what waits, the next one first: its lines, their numbers, and how many they are."""
    chat = host.workspace.chat(payload.chat)
    prompts = chat.session.state.queue
    count = "prompt waits" if len(prompts) == 1 else "prompts wait"
    return {
        "lines": [f"{place}  {words_of(prompt)}" for place, prompt in enumerate(prompts, 1)],
        "numbers": [chat.waiting.number(prompt) for prompt in prompts],
        "title": f"{len(prompts)} {count}" if prompts else "no prompt waits",
    }


def arrange(host: Host, payload: Arrange) -> dict[str, Any]:
    """Put what waits into the order of the lines; answer what waits now, and what was `taken`.

    What has come since stays behind it; what was sent meanwhile stays sent. Raises `UserError`,
    and changes nothing, if that is what was to be taken back.
    """
    chat = host.workspace.chat(payload.chat)
    waits, text = chat.session.state.queue, ""
    numbers = chat.waiting.meant(waits, payload.shown, payload.lines)
    if payload.taken is not None:
        number = numbers.pop(payload.taken - 1)
        taken = next((it for it in waits if chat.waiting.number(it) == number), None)
        if taken is None:
            raise UserError("this prompt does not wait any more: it was sent, or taken back")
        text = prompt_text(taken)
    order = [number for number in numbers if number is not None]
    prompts = chat.waiting.arranged(waits, payload.shown, order)
    if prompts != tuple(waits):
        chat.session.act(ArrangeQueue(prompts))
    return queue(host, OfChat(payload.chat)) | {"taken": text}
