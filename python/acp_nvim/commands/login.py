"""Logging in to an agent, and out (`:help acp-login`): by the user's choice only."""

from __future__ import annotations

from collections.abc import Mapping

from acp_nvim.client.client import Client
from acp_nvim.client.login import MOST_SHOWN, OPENING, Again, Key, Login, Method, shown
from acp_nvim.editor import Choice
from acp_nvim.errors import UserError, suggest
from acp_nvim.reactions import clients, screen
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

LONGEST = 60
"""Characters of what the agent says of a method, in a row of the picker."""


async def login(host: Host, chat: Chat, method: str | None = None) -> None:
    """Log in by the method that the command names, or that the user picks.

    A program that the agent wants run is shown first, also where it is named."""
    client = host.workspace.target(None, chat)
    agent_login = _login_of(client)
    methods = agent_login.methods()
    way: Method | None = _named(methods, method) if method else None
    if way is None or way.type == "terminal":
        way = await _pick(host, client, (way,) if way else methods)
    if way is None:
        return
    try:
        screen.touch_all(host, client)
        await agent_login.run(way, host.editor.logins)
    finally:
        screen.touch_all(host, client)
    if way.type == "terminal":
        await _reconnect(host, client)
    else:
        host.editor.notifier.notice(f"logged in to {client.name} by {way.name}")
        await _go_on(host, client, agent_login.take())


def ended(host: Host, call: int, code: int | None = None) -> None:
    """Take the end of a terminal in which the user logged in; without a code it was closed."""
    host.editor.logins.ended(call, code)


async def logout(host: Host, chat: Chat) -> None:
    """Log out; what the agent still does without a login is its business (C-055)."""
    client = host.workspace.target(None, chat)
    await _login_of(client).logout()
    host.editor.notifier.notice(f"logged out of {client.name}: :Acp login logs in again")


def _login_of(client: Client) -> Login:
    """Return what logs in; raises `UserError` before the agent has said how it can be done."""
    if client.ready is None:
        raise UserError(f"{client.name} has not answered yet: try again when it has")
    return client.ready.login


def _named(methods: tuple[Method, ...], name: str) -> Method:
    """Return the method of that id; raises `UserError` that names the nearest."""
    known = [method.id for method in methods]
    if name in known:
        return methods[known.index(name)]
    raise UserError(f"there is no way {name!r} to log in: {suggest(name, known)}")


async def _pick(host: Host, client: Client, methods: tuple[Method, ...]) -> Method | None:
    """Let the user pick, also when there is one way only: nothing runs unseen (C-064)."""
    rows = [Choice(_label(client, method), method) for method in methods]
    title = f"Log in to {client.name}"
    picked: Method | None = await host.editor.chooser.choose(title, "acp.login", rows)
    return picked


def _label(client: Client, method: Method) -> str:
    """Return what it does, whole, after as much of its name and description as there is room for.

    What cannot be shown whole is not run: `login.check` says so when it is picked.
    """
    if method.type == "terminal":
        variables, command = shown(client.launch, method)
        does = f"runs {one_line(command, MOST_SHOWN)} in a terminal"
        does += f", with {one_line(variables, MOST_SHOWN)}" if variables else ""
    else:
        does = "the agent does it, and may open a browser"
    about = f": {method.description}" if method.description else ""
    return f"{one_line(method.name + about, LONGEST)} ({does})"


async def _reconnect(host: Host, old: Client) -> None:
    """Start the agent anew after a login in a terminal, with its sessions (C-060, C-061)."""
    waiting = _login_of(old).take()
    chats = [
        chat
        for chat in host.workspace.chats.values()
        if chat.client is old and not chat.session.state.parent and _lives(chat, waiting)
    ]
    await old.end(reopens=[chat.session for chat in chats])
    client = clients.start_anew(host, old, chats)
    host.editor.notifier.notice(f"logged in to {client.name}: it is started anew")
    first: dict[Key, Again] = {
        (chat.session, OPENING): waiting.pop((chat.session, OPENING), _reopening(chat))
        for chat in chats
    }
    await _go_on(host, client, first | waiting)


def _lives(chat: Chat, waiting: Mapping[Key, Again]) -> bool:
    return chat.session.state.status != "closed" or (chat.session, OPENING) in waiting


def _reopening(chat: Chat) -> Again:
    return lambda client: client.reopen(chat.session, chat.session.id)


async def _go_on(host: Host, client: Client, waiting: Mapping[Key, Again]) -> None:
    """Try once more what was refused; what is refused again has said so itself (C-053)."""
    for again in waiting.values():
        try:
            await again(client)
        except UserError as error:
            host.editor.notifier.notice(str(error), warning=True)
