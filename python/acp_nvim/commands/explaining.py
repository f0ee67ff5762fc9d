"""Who wrote a line, by `:Acp why`; and what agents have changed, for `inspect()`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from acp_nvim.commands.chat import Chat
from acp_nvim.commands.desk import Desk
from acp_nvim.ledger.deed import Author
from acp_nvim.session.state import Message
from acp_nvim.view.edits import edits_snapshot
from acp_nvim.view.op import Replace, to_plain
from acp_nvim.view.transcript import row_of
from acp_nvim.view.why import why as why_lines


async def why(desk: Desk, payload: Mapping[str, Any]) -> dict[str, Any] | None:
    """Answer what the float says of a line, and its place in the chat; None: no agent's line."""
    edits = desk.ground.edits
    await edits.restore()
    path, row = str(payload.get("path")), int(payload.get("line") or 1) - 1
    await desk.ground.review.look(path)
    deed = edits.origin(path, row)
    if deed is None:
        return None
    author = deed.author
    chat = _chat_of(desk, author)
    place = None if chat is None else _row(chat, author)
    waits = any(row in range(it.first, it.last) for it in edits.changes(path))
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(deed.at))
    lines = why_lines(author, "pending" if waits else "kept", when, in_chat=place is not None)
    answer: dict[str, Any] = {"ops": [to_plain(Replace(0, -1, lines))]}
    if chat is not None and place is not None:
        answer |= {"chat": chat.number, "row": place}
    return answer


def edits(desk: Desk) -> list[dict[str, Any]]:
    """Return `edits` of the snapshot (`:help acp-inspect`)."""
    books = desk.ground.edits
    return [
        plain
        for path in books.paths()
        for plain in edits_snapshot(path, (*books.changes(path), *books.changes(path, "kept")))
    ]


def _chat_of(desk: Desk, author: Author) -> Chat | None:
    wanted = (author.agent, author.session)
    found = (it for it in desk.chats.values() if (it.session.state.agent, it.session.id) == wanted)
    return next(found, None)


def _row(chat: Chat, author: Author) -> int | None:
    """Return the row of the tool call in the chat, else that of the turn's prompt."""
    row = row_of(chat.transcript, f"tool:{author.tool_call}") if author.tool_call else None
    if row is not None:
        return row
    for entry in chat.session.state.entries:
        if entry.turn == author.turn and isinstance(entry, Message) and entry.role == "user":
            return row_of(chat.transcript, entry.key)
    return None
