"""What the user is told of a session whose chat is not on screen: whether it is, Lua knows."""

from __future__ import annotations

from acp_nvim.client.session import Session
from acp_nvim.session.event import SessionClosed, TurnEnded
from acp_nvim.session.state import SessionState
from acp_nvim.view import attention
from acp_nvim.view.measure import Tally
from acp_nvim.view.review.marks import waiting
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host


def ended(host: Host, session: Session, before: SessionState, event: TurnEnded) -> None:
    """Say how a turn has ended, unless the next one begins at once."""
    chat, how = host.workspace.chat_of(session), event.stop_reason or event.error
    is_own = before.is_running and not session.state.parent
    if chat is not None and is_own and how is not None:
        host.tasks.start_soon(_tell_end, host, chat, event)


def closed(host: Host, session: Session, before: SessionState, event: SessionClosed) -> None:
    """Say why there is nothing more to come; that it was not opened, the command says."""
    chat, is_open = host.workspace.chat_of(session), before.status not in ("closed", "loading")
    if chat is not None and event.reason is not None and is_open:
        told = f"{called(host, session.state)}: {one_line(event.reason, attention.WORDS)}"
        host.editor.notifier.attend(chat.number, told, warning=True)


def called(host: Host, state: SessionState) -> str:
    """Return what to call a session."""
    chats = [it for it in host.workspace.chats.values() if not it.session.state.parent]
    return attention.name(state, is_one_of_many=len(chats) > 1)


async def _tell_end(host: Host, chat: Chat, event: TurnEnded) -> None:
    state = chat.session.state
    await host.review.sync.drain()
    await host.review.presenter.settled()
    now = chat.session.state.status
    if now == "closed" or (now != "idle" and event.error is None):
        return
    told, warning = attention.ending(called(host, state), event, _waiting(host, state))
    host.editor.notifier.attend(chat.number, told, warning=warning)


def _waiting(host: Host, state: SessionState) -> Tally:
    """Return what of the last turn waits for the user."""
    turn = (state.agent, state.id, state.turn)
    return waiting(
        host.review.presenter.reviews(),
        lambda hunk: turn in {(it.agent, it.session, it.turn) for it in hunk.authors},
    )
