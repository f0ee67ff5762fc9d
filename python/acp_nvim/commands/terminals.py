"""The agents' terminals: pick one and go there, type into it; what their commands have printed."""

from __future__ import annotations

from typing import Any

from acp_nvim.editor import Choice
from acp_nvim.errors import UserError
from acp_nvim.reactions.screen import chat_name
from acp_nvim.session.plain_text import plain
from acp_nvim.session.state import Entry, SessionState, ToolCall
from acp_nvim.terminals.terminal import Terminal
from acp_nvim.view.chat import ansi
from acp_nvim.view.chat.terminal import ended
from acp_nvim.view.chat.tool_call import printed
from acp_nvim.view.snapshot import pruned
from acp_nvim.view.visible import one_line, visible
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

MOST = 2_000_000
"""Characters at the end of an output in which places are looked for."""


async def pick(host: Host) -> None:
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


def in_entry(host: Host, state: SessionState, entry: Entry | None) -> int | None:
    """Return the number on the screens of the terminal that a tool call shows, or None."""
    ids = {each.id for each in entry.terminals} if isinstance(entry, ToolCall) else set()
    for client in host.workspace.clients:
        for each in client.terminals:
            if client.name == state.agent and each.session_id == state.id and each.id in ids:
                return each.number
    return None


async def output(host: Host, chat: Chat, row: int) -> None:
    """Show all that the tool call in a row has printed, in a buffer of its own."""
    state = chat.session.state
    await read(host, state.key, state.cwd, _call_at(chat, row))


async def output_of(host: Host, agent: str, session: str, call: str) -> None:
    """Do the same for the tool call of that name, of a session that is open or was kept."""
    live = host.workspace.session(agent, session)
    kept = host.store.read(agent, session) if live is None else live.state
    key = f"tool:{call}"
    entry = next((it for it in kept.entries if it.key == key), None) if kept else None
    if kept is None or not isinstance(entry, ToolCall):
        raise UserError("there is no such tool call any more")
    await read(host, (agent, session), kept.cwd, entry)


async def read(host: Host, key: tuple[str, str], cwd: str, call: ToolCall) -> None:
    """Show what a tool call of that session has printed; raises `UserError` if that is nothing."""
    text = printed(call, _logs(host, key))
    if not text.strip():
        raise UserError("this tool call has printed nothing")
    name = chat_name(*key, "tool", call.id)
    await host.editor.chats.read(ansi.portions(text), name, cwd)


def printed_at(host: Host, chat: Chat, row: int) -> dict[str, str]:
    """Answer what the tool call in a row has printed, as plain text, and where it has run."""
    state, call = chat.session.state, _call_at(chat, row)
    text = visible(plain(printed(call, _logs(host, state.key))))
    return {"title": one_line(call.title, 60), "cwd": state.cwd, "text": text.rstrip("\n")[-MOST:]}


def _call_at(chat: Chat, row: int) -> ToolCall:
    call = chat.entry_at(row)
    if not isinstance(call, ToolCall):
        raise UserError("no tool call here")
    return call


def _logs(host: Host, key: tuple[str, str]) -> dict[str, str]:
    """Return all that the terminals of a session have printed, by their ids."""
    agent, session_id = key
    return {
        each.id: each.log.text()[0]
        for client in host.workspace.clients
        if client.name == agent
        for each in client.terminals
        if each.session_id == session_id
    }


def typed(host: Host, terminal: int, data: bytes | str) -> None:
    """Hand on what the user typed into a terminal."""
    raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape")
    host.editor.terminals.typed(terminal, raw)


def resized(host: Host, terminal: int, rows: int, columns: int) -> None:
    """Take note of the size of the largest window in which a terminal is shown."""
    host.editor.terminals.resized(terminal, rows, columns)


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
