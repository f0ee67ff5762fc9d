"""The tools of the editor that agents may call: shown, turned on and off (`:Acp tools`)."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, Literal

from acp_nvim.errors import UserError
from acp_nvim.tools import listing
from acp_nvim.tools.offered import Offered
from acp_nvim.view.block import Line
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.launching import editor_tools


def tools(host: Host, chat: Chat, to: Literal["", "on", "off"] = "") -> Awaitable[None] | None:
    """Show the tools of a session's agent, or turn them on or off."""
    offered, agent = host.tools.of(chat.session), chat.session.state.agent
    if offered is None:
        raise UserError(_why_none(host, agent))
    if not to:
        return _show(host, offered)
    host.tools.switch(chat.session, on=to == "on")
    whether = "may call the tools of the editor" if offered.on else "can call no tools any more"
    host.editor.notifier.notice(f"{agent} {whether} in this session")
    return None


def _why_none(host: Host, agent: str) -> str:
    if editor_tools(agent, host.workspace.options):
        return f"{agent} takes no MCP server of this machine: it has no tools of the editor"
    return f"{agent} has no tools of the editor: agents.{agent}.editor in vim.g.acp says so"


async def _show(host: Host, offered: Offered) -> None:
    lines = [Line(row) for row in await listing.rows(offered)]
    await host.editor.chats.read([lines])


def answered(host: Host, call: int, error: str | None = None, result: Any = None) -> None:
    """Take what the editor says to the question of a tool."""
    host.editor.tools.answered(call, error, result)


def changed(host: Host) -> None:
    """The user's own tools are others now."""
    host.tools.changed()
