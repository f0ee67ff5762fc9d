"""What follows when the connection to a remote agent is lost: it is tried again until it is back.

Its sessions wait meanwhile, and prompts in them. Nothing that may have run is sent again but by the
user. Called by `clients`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from acp_nvim.client.client import Client
from acp_nvim.client.session import Session
from acp_nvim.errors import UserError
from acp_nvim.session.content import Text
from acp_nvim.session.event import (
    QuestionClosed,
    QuestionOpened,
    SessionClosed,
    SessionReopening,
    ToolCallUpdated,
)
from acp_nvim.session.model import PermissionOption, Prompt
from acp_nvim.session.request import PermissionAnswer, PermissionRequest
from acp_nvim.session.state import Message
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

LONGEST = 30.0
"""Seconds between two attempts at most."""

StartAnew: TypeAlias = Callable[[Host, Client, Sequence[Chat]], Client]

_AGAIN = PermissionOption("again", "Send it again", "allow_once")
_LEAVE = PermissionOption("leave", "Leave it: it may have run", "reject_once")


def pauses() -> Iterator[float]:
    """Yield the seconds before each attempt: 1, 2, 4, … up to `LONGEST`."""
    pause = 1.0
    while True:
        yield pause
        pause = min(2 * pause, LONGEST)


async def have_back(host: Host, lost: Client, start_anew: StartAnew) -> None:
    """Connect again and open the sessions of a lost connection; the user may end that."""
    cut_off = {session: _prompt(session) for session in lost.cut_off}
    chats = [chat for chat in host.workspace.chats.values() if chat.session in lost.left]
    lost.waiting = lost.left
    for session in lost.waiting:
        session.apply(SessionReopening(session_id=session.id))
    with lost.retrying:
        client = await _connected(host, lost, chats, start_anew)
        if client is None:
            return
        for chat in chats:
            prompt = cut_off.get(chat.session)
            host.tasks.start_soon(_reopen, host, client, chat.session, prompt)


async def _connected(
    host: Host, lost: Client, chats: Sequence[Chat], start_anew: StartAnew
) -> Client | None:
    """Return the client that is connected again; None if there is no use in going on."""
    current = lost
    for pause in pauses():
        await host.sleep(pause)
        try:
            client = host.workspace.client(lost.name)
            # the user may have started it
            current = start_anew(host, current, chats) if client in (current, None) else client
        except UserError as error:
            _give_up(lost, str(error))
            return None
        current.waiting, current.retrying = lost.waiting, lost.retrying
        if await current.begun():
            return current
        if current.hopeless:
            _give_up(lost, current.error)
            return None
    return None


def _give_up(lost: Client, why: str | None) -> None:
    for session in lost.waiting:
        if session.state.status == "loading":
            session.apply(SessionClosed(why))


async def _reopen(host: Host, client: Client, session: Session, prompt: Prompt | None) -> None:
    if session.state.status != "loading":
        return
    await client.reopen(session, session.id)
    if prompt is not None and client.registry.find(session.id or "") is session:
        await _ask(host, client, session, prompt)


def _prompt(session: Session) -> Prompt | None:
    """Return what was said in the turn that was cut off."""
    said = session.state.entry(f"user:{session.state.turn}#prompt")
    return Prompt(said.content) if isinstance(said, Message) else None


async def _ask(host: Host, client: Client, session: Session, prompt: Prompt) -> None:
    """Let the user decide whether a prompt is sent again that may have run."""
    call = ToolCallUpdated(
        f"cut-off-{host.clock()}",
        "The connection broke while this prompt ran. Send it again?",
        content=tuple(block for block in prompt.blocks if isinstance(block, Text)),
    )
    request = PermissionRequest(session.id or "", call, (_AGAIN, _LEAVE))
    question = host.questions.put(request)
    session.apply(call, QuestionOpened(question))
    answer = await host.questions.wait(question)
    chosen = answer.option_id if isinstance(answer, PermissionAnswer) else None
    session.apply(QuestionClosed(question.id, chosen))
    if chosen == _AGAIN.id:
        session.apply(ToolCallUpdated(call.id, status="completed"))
        client.submit(session, prompt)
