"""Logging in to an agent, and out (`:help acp-login`): by the user's choice only."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from difflib import get_close_matches

from acp_nvim.client.client import Client
from acp_nvim.client.login import OPENING, Again, Key, Method, program
from acp_nvim.commands.payloads import LogIn, LoginEnded, OfChat
from acp_nvim.editor import Choice
from acp_nvim.errors import UserError
from acp_nvim.reactions import clients, screen
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

LONGEST = 120
"""Characters of a row of the picker."""


async def login(host: Host, payload: LogIn) -> None:
    """Log in by the method that the command names, or that the user picks."""
    client = host.workspace.target(None, payload.chat)
    methods, name = client.login.methods(), payload.method
    method = _named(methods, name) if name else await _pick(host, client, methods)
    if method is None:
        return
    try:
        screen.touch_all(host, client)
        await client.login.run(method, host.editor.logins)
    finally:
        screen.touch_all(host, client)
    if method.type == "terminal":
        await _reconnect(host, client)
    else:
        host.editor.notifier.notice(f"logged in to {client.name} by {method.name}")
        await _go_on(host, client, client.login.take())


def ended(host: Host, payload: LoginEnded) -> None:
    """Take the end of a terminal in which the user logged in."""
    host.editor.logins.ended(payload.call, payload.code)


async def logout(host: Host, payload: OfChat) -> None:
    """Log out; what the agent still does without a login is its business (C-055)."""
    client = host.workspace.target(None, payload.chat)
    await client.login.logout()
    host.editor.notifier.notice(f"logged out of {client.name}: :Acp login logs in again")


def _named(methods: tuple[Method, ...], name: str) -> Method:
    """Return the method of that id; raises `UserError` that names the nearest."""
    known = [method.id for method in methods]
    if name in known:
        return methods[known.index(name)]
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there is {', '.join(known)}"
    raise UserError(f"there is no way {name!r} to log in: {hint}")


async def _pick(host: Host, client: Client, methods: tuple[Method, ...]) -> Method | None:
    """Let the user pick, also when there is one way only: nothing runs unseen (C-064)."""
    rows = [Choice(_label(client, method), method) for method in methods]
    title = f"Log in to {client.name}"
    picked: Method | None = await host.editor.chooser.choose(title, "acp.login", rows)
    return picked


def _label(client: Client, method: Method) -> str:
    if method.type == "terminal":
        delta = f"runs {shlex.join(program(client.launch, method).argv)} in a terminal"
    else:
        delta = "the agent does it, and may open a browser"
    about = f": {method.description}" if method.description else ""
    return one_line(f"{method.name}{about} ({delta})", LONGEST)


async def _reconnect(host: Host, old: Client) -> None:
    """Start the agent anew after a login in a terminal, with its sessions (C-060, C-061)."""
    waiting = old.login.take()
    chats = [
        chat
        for chat in host.workspace.chats.values()
        if chat.client is old and _lives(chat, waiting)
    ]
    await old.end()
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
