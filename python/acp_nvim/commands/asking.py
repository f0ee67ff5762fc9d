"""The agent's questions: show them, answer them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from acp_nvim.commands.chat import Chat
from acp_nvim.commands.desk import Desk
from acp_nvim.errors import UserError
from acp_nvim.ports import AskView
from acp_nvim.session.noun import PendingAsk
from acp_nvim.session.state import ToolCall
from acp_nvim.view.permission import ask_view


def show(desk: Desk, chat: Chat, ask: PendingAsk) -> None:
    """Open the menu of a new question, and tell the user's scripts once it is there."""
    state = chat.session.state
    tool = state.entry(f"tool:{ask.tool_call_id}")
    known = tool if isinstance(tool, ToolCall) else None
    agent = chat.client.label if chat.client is not None else state.agent
    drawn = ask_view(ask, known, agent=agent, cwd=state.cwd, said=chat.said)
    view = AskView(
        id=ask.id,
        title=drawn.title,
        footer=drawn.footer,
        lines=drawn.lines,
        option_rows=drawn.option_rows,
        option_ids=drawn.option_ids,
        detail=drawn.detail,
        chat=chat.number,
        detail_filetype=drawn.detail_filetype,
    )
    options = [{"id": it.id, "name": it.name, "kind": it.kind} for it in ask.options]
    data = {
        "agent": state.agent,
        "session": state.id or "",
        "ask": ask.id,
        "title": known.title if known else ask.tool_call_id,
        "options": options,
    }

    def announce() -> None:
        desk.ground.notifier.event("AcpPermissionRequested", data)
        if desk.options.permission.focus == "auto":
            desk.ground.asks.focus(ask.id, calmly=True)

    desk.ground.asks.open(view, announce)


def respond(desk: Desk, payload: Mapping[str, Any]) -> bool:
    """Answer one question; a late or unknown answer does nothing."""
    return desk.ground.permissions.answer(str(payload.get("ask")), str(payload.get("option")))


def permit(desk: Desk, payload: Mapping[str, Any]) -> None:
    """Answer the oldest question by an option's number (from 1) or kind, else focus its menu."""
    pending = desk.ground.permissions.pending
    if not pending:
        raise UserError("no agent is asking for anything")
    oldest, kind = pending[0], payload.get("kind")
    if kind is not None:
        options = [option for option in oldest.options if option.kind == kind][:1]
    else:
        number = int(payload.get("number") or 0)
        options = list(oldest.options[number - 1 : number]) if number > 0 else []
        if number and not options:
            raise UserError(f"there is no option {number}: the agent offers {len(oldest.options)}")
    if options:
        desk.ground.permissions.answer(oldest.id, options[0].id)
    else:
        desk.ground.asks.focus(oldest.id)


def ask_window(desk: Desk, payload: Mapping[str, Any]) -> None:
    """Take note that the editor had to open a menu anew."""
    desk.ground.asks.moved(str(payload["ask"]), int(payload["bufnr"]), int(payload["winid"]))
