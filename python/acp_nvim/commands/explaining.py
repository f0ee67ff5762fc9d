"""Who wrote a line, by `:Acp why`; and what agents have changed, for `inspect()`."""

from __future__ import annotations

import time
from typing import Any

from acp_nvim.history.author import Author
from acp_nvim.session.state import Message
from acp_nvim.view.chat.transcript import row_of
from acp_nvim.view.op import Replace
from acp_nvim.view.review.why import why as why_lines
from acp_nvim.view.snapshot import edits_snapshot
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host


async def why(host: Host, path: str, line: int) -> dict[str, Any] | None:
    """Answer what the float says of a line, and its place in the chat; None: no agent's line."""
    log = host.review.log
    await host.review.restore()
    await host.review.decisions.look(path)
    found = log.written_by(path, line - 1)
    if found is None:
        return None
    change, state = found
    chat = _chat(host, change.author)
    place = None if chat is None else _row(chat, change.author)
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(change.at))
    lines = why_lines(change.author, state, when, in_chat=place is not None)
    answer: dict[str, Any] = {"ops": [Replace(0, -1, lines)]}
    if chat is not None and place is not None:
        answer |= {"chat": chat.number, "row": place}
    return answer


def edits(host: Host) -> list[dict[str, Any]]:
    """Return `edits` of the snapshot (`:help acp-inspect`)."""
    log = host.review.log
    return [
        plain
        for path in log.paths()
        for plain in edits_snapshot(path, (*log.changes(path), *log.changes(path, "kept")))
    ]


def _chat(host: Host, author: Author) -> Chat | None:
    """Return the chat of the sub-agent that did it, if it has one, else of its agent."""
    space = host.workspace
    sessions = (space.session(*key) for key in (author.reader_key, author.session_key))
    chats = (space.chat_of(it) for it in sessions if it is not None)
    return next((it for it in chats if it is not None), None)


def _row(chat: Chat, author: Author) -> int | None:
    """Return the row of the tool call in the chat, else of the sub-agent, or the turn's prompt."""
    names = (f"tool:{author.tool_call}", f"sub:{author.turn}:{author.sub_agent}")
    rows = (row_of(chat.transcript, it) for it in names)
    row = next((it for it in rows if it is not None), None)
    if row is not None:
        return row
    for entry in chat.session.state.entries:
        if entry.turn == author.turn and isinstance(entry, Message) and entry.role == "user":
            return row_of(chat.transcript, entry.key)
    return None
