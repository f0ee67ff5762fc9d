"""What follows where a sub-agent has a session of its own, which is opened with its agent's."""

from __future__ import annotations

from acp_nvim.client.session import Session
from acp_nvim.session.event import SessionOpened
from acp_nvim.session.saved import restored
from acp_nvim.session.state import SessionState
from acp_nvim.workspace.host import Host


def go_on(host: Host, session: Session, _before: SessionState, event: SessionOpened) -> None:
    """Show what was kept of it, if the agent has not replayed it, in the chat of an earlier day."""
    state = session.state
    if not state.parent:
        return
    if event.replayed and not state.entries:
        kept = host.store.read(state.agent, event.session_id)
        if kept is not None and kept.parent == state.parent:
            session.apply(*restored(kept))
    for chat in host.workspace.chats.values():
        if chat.session is not session and chat.session.state.key == state.key:
            chat.session, chat.is_drawn = session, True
            chat.client = host.workspace.client(state.agent)
            host.editor.screen.show(chat.number, chat.picture)
