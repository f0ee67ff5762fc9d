"""Sub-agents that have a session of their own: taken in when their agent tells of them."""

from __future__ import annotations

import os
from contextlib import suppress

from acp_nvim.client.client import Client
from acp_nvim.client.session import Session
from acp_nvim.errors import FileProblem
from acp_nvim.session.event import ReportedState, SessionOpened, SubAgentUpdated
from acp_nvim.session.saved import restored
from acp_nvim.session.state import SessionState
from acp_nvim.session.sub_agents import find
from acp_nvim.workspace.host import Host

MOST = 200
"""Sessions of sub-agents of one agent."""


def adopt(host: Host, session: Session, before: SessionState, event: SubAgentUpdated) -> None:
    """Take in the session of a sub-agent, or what is new of it.

    One that is known is this session's, or it is none of its: an agent may name any.
    """
    client = _client(host, session)
    if client is None or event.id == session.id:
        return
    child = client.registry.find(event.id)
    if child is None and find(before, event.id) and len(client.registry.children()) >= MOST:
        return
    child = child or _begun(host, client, session, event)
    if child.state.parent != session.id:
        client.traffic.record("host", f"{event.id} is no sub-agent of {session.id}")
        return
    child.apply(event)
    if isinstance(event.reported, ReportedState):
        client.report(child, event.reported)


def go_on(host: Host, session: Session, _before: SessionState, event: SessionOpened) -> None:
    """Open the sessions of its sub-agents with it: what the agent did not replay was kept."""
    client = _client(host, session)
    for child in client.registry.children(event.session_id) if client else ():
        if client is None or child.state.status != "loading" or child.id is None:
            continue
        kept = None if child.state.entries else host.store.read(child.state.agent, child.id)
        child.apply(*(restored(kept) if kept else ()), SessionOpened(child.id, replayed=True))
        if client.ready is not None:
            client.ready.turns.opened(child)


def _client(host: Host, session: Session) -> Client | None:
    return next((it for it in host.workspace.clients if session in it.registry), None)


def _begun(host: Host, client: Client, parent: Session, event: SubAgentUpdated) -> Session:
    """Return the session of a sub-agent that is new here, or that a chat shows as history."""
    key = parent.state.agent, event.id
    chats = host.workspace.chats.values()
    chat = next((it for it in chats if it.session.state.key == key), None)
    if chat is not None and chat.session.state.parent == parent.id:
        chat.client, child = client, chat.session
    else:
        child = parent.child(_folder(host, parent, event))
    client.registry.adopt(event.id, child, is_open=parent.state.status != "loading")
    return child


def _folder(host: Host, parent: Session, event: SubAgentUpdated) -> str:
    """Return where it works: its agent is let into no other folder by naming one."""
    cwd = event.cwd if isinstance(event.cwd, str) else ""
    with suppress(FileProblem):
        if cwd and os.path.isdir(cwd):
            return host.workspace.roots(parent).resolve(cwd)
    return parent.state.cwd
