"""The agents' terminals: pick one and go there, type into it."""

from __future__ import annotations

from typing import Any

from acp_nvim.commands.payloads import Nothing
from acp_nvim.commands.payloads.of_views import TerminalInput, TerminalSize
from acp_nvim.editor import Choice
from acp_nvim.errors import UserError
from acp_nvim.session.state import SessionState, ToolCall
from acp_nvim.terminals.terminal import Terminal
from acp_nvim.view.chat.terminal import ended
from acp_nvim.view.snapshot import pruned
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.host import Host


async def pick(host: Host, _payload: Nothing) -> None:
    """Let the user choose a terminal, those that run first, and open it."""
    found = [(client.name, each) for client in host.workspace.clients for each in client.terminals]
    if not found:
        raise UserError("no agent has a terminal")
    found.sort(key=lambda pair: pair[1].exit is not None)
    rows = [Choice(f"{_label(each)} — {name}", each.number) for name, each in found]
    number = await host.editor.chooser.choose("Terminals", "acp.terminal", rows)
    if number is not None:
        await show(host, number)


async def show(host: Host, number: int) -> None:
    """Open that terminal in a window."""
    if not await host.editor.terminals.show(number):
        raise UserError("that terminal's buffer is gone")


def in_entry(host: Host, state: SessionState, key: str | None) -> int | None:
    """Return the number on the screens of the terminal that a tool call shows, or None."""
    entry = None if key is None else state.entry(key)
    ids = {each.id for each in entry.terminals} if isinstance(entry, ToolCall) else set()
    for client in host.workspace.clients:
        for each in client.terminals:
            if client.name == state.agent and each.session_id == state.id and each.id in ids:
                return each.number
    return None


def typed(host: Host, payload: TerminalInput) -> None:
    """Hand on what the user typed into a terminal."""
    data = payload.data
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape")
    host.editor.terminals.typed(payload.terminal, raw)


def resized(host: Host, payload: TerminalSize) -> None:
    """Take note of the size in which a terminal is shown."""
    host.editor.terminals.resized(payload.terminal, payload.rows, payload.columns)


def listed(host: Host) -> list[dict[str, Any]]:
    """Return the terminals for `inspect()`."""
    return [_plain(host, each) for client in host.workspace.clients for each in client.terminals]


def _plain(host: Host, terminal: Terminal) -> dict[str, Any]:
    status = terminal.exit
    return pruned(
        {
            "id": terminal.id,
            "session": terminal.session_id,
            "command": terminal.command,
            "bufnr": host.editor.terminals.buffer(terminal.number),
            "running": status is None,
            "exit_code": status and status.code,
            "signal": status and status.signal,
            "released": terminal.released,
        }
    )


def _label(terminal: Terminal) -> str:
    state = "running" if terminal.exit is None else ended(terminal.exit)
    return f"{one_line(terminal.command, 100)} ({state})"
