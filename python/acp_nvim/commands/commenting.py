"""The user's comments on lines: made, taken back, listed, and sent with nothing else to say."""

from __future__ import annotations

from functools import partial
from typing import Any

from msgspec import Struct

from acp_nvim.commands.prompting import submit
from acp_nvim.errors import UserError
from acp_nvim.files.roots import inside
from acp_nvim.reactions.notes import key_of, refresh
from acp_nvim.session.content import Text
from acp_nvim.session.model import Prompt
from acp_nvim.view.review.comment import comment_items
from acp_nvim.view.styled import plural
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

ALONE = "Please address my review."
"""What is said where the user says nothing else: agents want to be asked for something."""


class CommentOn(Struct, frozen=True):
    """Words on lines of a file (first and last, inclusive), as these are; without text none."""

    path: str
    first: int
    last: int
    lines: tuple[str, ...] = ()
    text: str = ""
    buffer: int = 0
    """Of which a `mark` goes along with the lines; 0: they are where they were."""
    mark: int = 0


async def comment(host: Host, payload: CommentOn) -> str:
    """Say something on lines, or without a text nothing any more; answer what was done."""
    comments, path = host.review.comments, payload.path
    await comments.restore()
    if payload.text:
        rows = await _rows(host, payload)
        comments.add(path, rows.start, payload.lines, payload.text)
        done = "comment added: it is sent with your next prompt (:Acp comments lists them)"
    else:
        count = await comments.remove(path, partial(_rows, host, payload))
        if not count:
            raise UserError("no comment here: :Acp comments lists them")
        done = f"removed {plural(count, 'comment')}"
    for chat in host.workspace.chats.values():
        if path.startswith(tuple(map(inside, host.workspace.roots(chat.session).folders()))):
            refresh(host, chat)
    return done


async def _rows(host: Host, payload: CommentOn) -> range:
    """Return where the lines are by now: somebody may have changed what is above them."""
    held = await host.editor.reviewer.held(payload.buffer, payload.mark) if payload.buffer else None
    if held is None or held.rows is None:
        return range(payload.first - 1, payload.last)
    return held.rows


async def refresh_comments(host: Host) -> None:
    """Take up what another Neovim has said, sent or taken back meanwhile."""
    if await host.review.comments.refresh():
        for chat in host.workspace.chats.values():
            refresh(host, chat)


async def comments(host: Host) -> list[dict[str, Any]]:
    """Answer an entry of a quickfix list for each comment in the projects that are worked in."""
    await refresh_comments(host)
    host.workspace.look_around("")
    found = await host.review.comments.within(host.workspace.scope())
    return [
        {"filename": it.path, "lnum": it.first, "end_lnum": it.last, "text": it.text}
        for it in comment_items(found)
    ]


async def send_review(host: Host, chat: Chat) -> bool:
    """Send what the user has said on the code, if there is something; answer whether there was."""
    draft = await host.review.notes.draft(key_of(chat), host.workspace.roots(chat.session))
    if not any(note.has_words for note in draft.notes):
        return False
    submit(host, chat, Prompt((Text(ALONE),)))
    return True
