"""Agents: start, stop, restart, list, log."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any

from acp_nvim.client.client import Client
from acp_nvim.config import parse
from acp_nvim.editor import Choice
from acp_nvim.errors import UserError
from acp_nvim.session.event import SessionClosed
from acp_nvim.session.state import Notice
from acp_nvim.view.agents import advice, label
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.launching import available, launch
from acp_nvim.workspace.root import find_root, is_too_wide
from acp_nvim.workspace.workspace import Desk


def configure(desk: Desk, payload: Mapping[str, Any]) -> list[str]:
    """Take the user's configuration; answer what is wrong with it."""
    desk.options, problems = parse(payload.get("options"))
    desk.paths = payload.get("paths") or {}
    desk.ground.follow.configure(enabled=desk.options.follow.enabled)
    return list(problems)


def start(desk: Desk, payload: Mapping[str, Any]) -> Awaitable[dict[str, Any]]:
    """Open a session in a chat that Lua has opened; answer its agent and id.

    The chat is on the desk at once, so that a prompt that follows is queued in it.
    """
    name = str(payload["agent"])
    cwd = find_root(str(payload.get("file") or ""), str(payload.get("cwd") or ""))
    session = desk.ground.new_session(name, cwd)
    chat = Chat(int(payload["chat"]), int(payload["prompt"]), session, desk.ground.clock)
    desk.add(chat)
    return _start(desk, chat)


async def _start(desk: Desk, chat: Chat) -> dict[str, Any]:
    state = chat.session.state
    try:
        plan = launch(state.agent, desk.options, root=desk.paths["root"], cwd=state.cwd)
        await _ask_about(desk, state.agent, state.cwd)
    except UserError as error:
        chat.session.apply(SessionClosed(str(error)))
        raise
    chat.client = desk.connect(plan)
    await chat.client.open(chat.session)
    if chat.session.id is None:
        raise UserError(_reason(chat))
    return {"agent": state.agent, "session": chat.session.id}


def _reason(chat: Chat) -> str:
    """Return what the chat says of the end of its session."""
    last = next(reversed(chat.session.state.entries), None)
    return last.text if isinstance(last, Notice) else "the session was not opened"


async def _ask_about(desk: Desk, name: str, root: str) -> None:
    """Let the user confirm a root that is no project; raises `UserError` if it is not wanted."""
    if not is_too_wide(root):
        return
    title = f"{name} would work in {root}, which is no project: let it?"
    choices = [Choice("No", value=False), Choice(f"Yes, in all of {root}", value=True)]
    if not await desk.ground.chooser.choose(title, "acp.root", choices):
        raise UserError(f"not started: :cd to a project, then :AcpStart {name}")


async def stop(desk: Desk, payload: Mapping[str, Any]) -> None:
    """End an agent and close its sessions; kill it with `bang`."""
    await desk.target(payload).end(kill=bool(payload.get("bang")))


def restart(desk: Desk, payload: Mapping[str, Any]) -> Awaitable[None]:
    """End an agent, start it anew, and open its sessions again where it can."""
    return _restart(desk, desk.target(payload))


async def _restart(desk: Desk, old: Client) -> None:
    await old.end()
    chats = [chat for chat in desk.chats.values() if chat.client is old]
    cwd = chats[0].session.state.cwd if chats else old.launch.cwd
    client = desk.replace(launch(old.name, desk.options, root=desk.paths["root"], cwd=cwd))
    for chat in chats:
        chat.client = client
        desk.ground.start_soon(client.reopen, chat.session, chat.session.id)


async def pick_agent(desk: Desk, _payload: Mapping[str, Any]) -> str | None:
    """Let the user pick an agent to start; answer its name, or None if none was picked."""
    rows = available(desk.options, root=desk.paths["root"])
    choices = [Choice(label(row), row) for row in rows]
    row = await desk.ground.chooser.choose("Start an agent", "acp.agent", choices)
    if row is not None and not row["found"]:
        raise UserError(advice(row))
    return None if row is None else str(row["name"])


def agents(desk: Desk, _payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Answer the agents for `:checkhealth acp`: found, tutor, missing."""
    rows = available(desk.options, root=desk.paths["root"])
    for row in rows:
        client = desk.client(row["name"])
        if client is not None and client.info is not None:
            row["version"] = client.info.version
    return rows


def log(desk: Desk, payload: Mapping[str, Any]) -> str:
    """Answer the path of the connection's log."""
    client = desk.target(payload)
    client.traffic.flush()
    return client.traffic.path
