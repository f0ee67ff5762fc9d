"""The table of verbs: what Lua may ask for, and who does it (`doc/architecture.md`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from acp_nvim.commands import (
    agent,
    asking,
    choosing,
    eliciting,
    evidence,
    explaining,
    following,
    login,
    noting,
    prompting,
    reviewing,
    sessions,
    terminals,
    viewing,
)
from acp_nvim.errors import UserError
from acp_nvim.workspace.workspace import Desk

Handler: TypeAlias = Callable[[Desk, Mapping[str, Any]], Any]

VERBS: Mapping[str, Handler] = {
    "configure": agent.configure,
    "start": agent.start,
    "stop": agent.stop,
    "restart": agent.restart,
    "sessions": sessions.sessions,
    "reopen": sessions.reopen,
    "agents": agent.agents,
    "pick_agent": agent.pick_agent,
    "log": agent.log,
    "login": login.login,
    "logout": login.logout,
    "prompt": prompting.prompt,
    "files": prompting.files,
    "cancel": prompting.cancel,
    "mode": choosing.mode,
    "config": choosing.config,
    "respond": asking.respond,
    "fill": eliciting.fill,
    "permit": asking.permit,
    "ask_window": asking.ask_window,
    "compare": evidence.compare,
    "toggle": viewing.toggle,
    "repaint": viewing.repaint,
    "prompt_made": viewing.prompt_made,
    "follow": following.follow,
    "follow_link": viewing.follow_link,
    "chat_wiped": viewing.chat_wiped,
    "inspect": viewing.inspect,
    "review": reviewing.review,
    "edited": reviewing.edited,
    "met": reviewing.met,
    "free": reviewing.free,
    "decide": reviewing.decide,
    "undo": reviewing.undo,
    "redo": reviewing.redo,
    "why": explaining.why,
    "notes": noting.notes,
    "note_text": noting.note_text,
    "drop_note": noting.drop_note,
    "terminals": terminals.pick,
    "terminal_input": terminals.typed,
    "terminal_size": terminals.resized,
}


def unknown(_desk: Desk, _payload: Mapping[str, Any]) -> None:
    """Stand in for a verb that is not in the table."""
    raise UserError("the Lua side is newer than the host: restart Neovim after an update")
