"""Chats that have outlived their host: taken in by the next one, and gone on with."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence

from msgspec import Struct

from acp_nvim.client.registry import close_waiting, let_wait
from acp_nvim.commands.roots import let_in
from acp_nvim.errors import UserError
from acp_nvim.reactions import clients
from acp_nvim.session.event import SessionClosed, SessionReopening
from acp_nvim.session.saved import restored, title_of
from acp_nvim.view.lists.agents import stayed as sentence
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host


class StayedChat(Struct, frozen=True):
    """A chat of an earlier host; without `session` the agent had not named it yet."""

    chat: int
    prompt: int
    agent: str
    cwd: str
    session: str | None = None


def stayed(host: Host, chats: tuple[StayedChat, ...]) -> None:
    """Take in the chats of a host that has ended, the last used first, with what was kept; what
    they show stays."""
    for each in reversed(chats):
        _take_in(host, each)
    states = [host.workspace.chats[each.chat].session.state for each in chats]
    titles = [title_of(it) or it.id for it in states if it.id is not None]
    if titles:
        host.editor.notifier.notice(sentence(titles))


def _take_in(host: Host, told: StayedChat) -> None:
    record = host.store.read(told.agent, told.session) if told.session else None
    cwd, parent = (record.cwd, record.parent) if record else (told.cwd, "")
    session = clients.new_session(host, told.agent, cwd, parent)
    chat = host.workspace.chats[told.chat] = Chat(told.chat, told.prompt, session, host.clock)
    session.apply(
        *(restored(record) if record is not None else ()),
        SessionReopening(session_id=told.session),
        SessionClosed(),
    )
    chat.is_drawn = False


def waiting(host: Host, agent: str) -> list[Chat]:
    """Return the chats of an earlier host with that agent that nothing was done with yet; those of
    sub-agents come back with their agent's."""
    waiting = [it for it in host.workspace.chats.values() if not it.is_drawn]
    states = [(it, it.session.state) for it in waiting]
    return [it for it, state in states if state.agent == agent and not state.parent]


def go_on(host: Host, chats: Sequence[Chat]) -> Awaitable[None]:
    """Open the sessions of these chats again, beside what runs; prompts wait in them at once."""
    let_wait([chat.session for chat in chats])
    return _go_on(host, chats)


async def _go_on(host: Host, chats: Sequence[Chat]) -> None:
    for place, chat in enumerate(chats):
        state = chat.session.state
        try:
            plan = host.workspace.launch(state.agent, state.cwd)
            await let_in(host, state.agent, state.cwd, chosen=True)
        except UserError as error:
            close_waiting([it.session for it in chats[place:]], str(error))
            raise
        chat.client = clients.connect(host, plan)
        host.tasks.start_soon(chat.client.reopen, chat.session, chat.session.id)
