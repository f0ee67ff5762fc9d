"""The prompts that wait in a session: shown, put into another order, dropped, brought back."""

from __future__ import annotations

from typing import Any

from acp_nvim.errors import UserError
from acp_nvim.session.action import ArrangeQueue
from acp_nvim.view.snapshot import prompt_text
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.waiting import words_of


def queue(host: Host, chat: Chat) -> dict[str, Any]:
    """Answer what waits, the next one first: its lines, their numbers, and how many they are."""
    prompts = chat.session.state.queue
    count = "prompt waits" if len(prompts) == 1 else "prompts wait"
    return {
        "lines": [f"{place}  {words_of(prompt)}" for place, prompt in enumerate(prompts, 1)],
        "numbers": [chat.waiting.number(prompt) for prompt in prompts],
        "title": f"{len(prompts)} {count}" if prompts else "no prompt waits",
    }


def arrange(
    host: Host,
    chat: Chat,
    shown: tuple[int, ...],
    lines: tuple[str, ...],
    taken: int | None = None,
) -> dict[str, Any]:
    """Put what waits into the order of the user's lines, of which these numbers were `shown`.

    Answer what waits now, and the text of the line that is `taken` back, from 1. What has come
    since stays behind it; what was sent meanwhile stays sent. Raises `UserError`, and changes
    nothing, if that is what was to be taken back.
    """
    waits, text = chat.session.state.queue, ""
    numbers = chat.waiting.meant(waits, shown, lines)
    if taken is not None:
        number = numbers.pop(taken - 1)
        back = next((it for it in waits if chat.waiting.number(it) == number), None)
        if back is None:
            raise UserError("this prompt does not wait any more: it was sent, or taken back")
        text = prompt_text(back)
    order = [number for number in numbers if number is not None]
    prompts = chat.waiting.arranged(waits, shown, order)
    if prompts != tuple(waits):
        chat.session.act(ArrangeQueue(prompts))
    return queue(host, chat) | {"taken": text}
