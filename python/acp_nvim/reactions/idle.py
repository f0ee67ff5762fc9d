"""Agents that nobody has used for long are ended, if the user wants that (`idle_minutes`).

Only those that can open their sessions again: who chooses one of these has it back.
"""

from __future__ import annotations

from acp_nvim.client.client import Client
from acp_nvim.session.event import Noticed
from acp_nvim.session.state import SessionState
from acp_nvim.view.styled import plural
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host


def tick(host: Host) -> None:
    """Take note of which agents are idle, and end those that have been for long enough."""
    now, limit, known = host.clock(), _limit(host), host.workspace.idle_since
    host.workspace.idle_since = {
        it: max(known.get(it, now), _last_turn(host, it))
        for it in host.workspace.clients
        if limit and _is_idle(host, it)
    }
    for client, since in host.workspace.idle_since.items():
        if now - since >= limit:
            host.tasks.start_soon(_end, host, client)


def patience(host: Host) -> float | None:
    """Return the seconds until the next agent may be ended; None if there is none."""
    since = host.workspace.idle_since.values()
    return max(0.0, min(since) + _limit(host) - host.clock()) if since else None


def _limit(host: Host) -> float:
    return host.workspace.options.idle_minutes * 60


def _chats(host: Host, client: Client) -> list[Chat]:
    chats = host.workspace.chats.values()
    return [it for it in chats if it.client is client and not it.session.state.parent]


def _last_turn(host: Host, client: Client) -> float:
    return max(it.session.state.turn_ended or 0.0 for it in _chats(host, client))


def _is_idle(host: Host, client: Client) -> bool:
    chats = [it for it in _chats(host, client) if it.session.state.status != "closed"]
    is_able = client.state == "ready" and client.ready is not None and client.ready.listing.reopens
    subs = [it.state for it in client.registry.children()]
    has_work = any(it.is_running or it.questions for it in subs)
    return bool(chats) and is_able and not has_work and all(_rests(client, it) for it in chats)


def _rests(client: Client, chat: Chat) -> bool:
    state = chat.session.state
    has_work = state.queue or state.questions or state.background or client.terminals.runs(state.id)
    return state.status == "idle" and not has_work and chat.login_since is None


async def _end(host: Host, client: Client) -> None:
    for chat in _chats(host, client):
        if chat.session.state.status == "idle":
            chat.suspended = _said(host, chat.session.state)
            chat.session.apply(Noticed(chat.suspended, mark="passing"))
    await client.end()


def _said(host: Host, state: SessionState) -> str:
    minutes = host.workspace.options.idle_minutes
    span = plural(int(minutes), "minute") if minutes >= 1 else "less than a minute"
    way = f":Acp restart {state.agent}, or <CR> in :Acp sessions, opens this session again"
    return f"{state.agent} was ended after {span} without work: {way}"
