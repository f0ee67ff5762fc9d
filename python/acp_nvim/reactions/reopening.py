"""What follows when a session is opened again: a prompt that was cut off is the user's to send.

Called by `clients` and commands. A lost connection to a remote agent is tried again until it is
back: its sessions wait meanwhile, and prompts in them. Nothing that may have run is sent again but
by the user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from acp_nvim.client import questioning
from acp_nvim.client.client import Client
from acp_nvim.client.registry import close_waiting
from acp_nvim.client.session import Session
from acp_nvim.errors import UserError
from acp_nvim.questions.questions import OwnRequest
from acp_nvim.session.action import ArrangeQueue
from acp_nvim.session.content import Text
from acp_nvim.session.event import PromptQueued, TurnStarted
from acp_nvim.session.model import PermissionOption, PermissionQuestion, Prompt, Subject
from acp_nvim.session.state import Message, SessionState
from acp_nvim.view.talk import is_talk
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

_AGAIN = PermissionOption("again", "Send it again", "allow_once")
_LEAVE = PermissionOption("leave", "Leave it: it may have run", "reject_once")


async def reopen(host: Host, client: Client, session: Session, session_id: str | None) -> None:
    """Open a session again, and ask what is to become of the prompt that was cut off in it.

    What waits was said after that prompt: it goes on waiting until the user has answered.
    """
    prompt = _cut_off(session.state)
    queue = session.state.queue
    holds = prompt is not None and not (queue and queue[0].held and not queue[0].until_answer)
    if holds:
        _let_wait(session, held=True)
    await client.reopen(session, session_id)
    if prompt is None or not _is_open(session):
        return
    # an agent that says it is at work again has not lost the prompt
    at_work = session.state.status != "idle"
    is_again = not at_work and await _is_again(host, client, session, prompt)
    if not _is_open(session):
        return
    if holds:
        _let_wait(session, held=False)
    if is_again:
        session.apply(PromptQueued(prompt, first=True))
    if client.ready is not None:
        client.ready.turns.go_on(session)


def _is_open(session: Session) -> bool:
    return session.state.status in ("idle", "running", "cancelling")


def _let_wait(session: Session, *, held: bool) -> None:
    """Hold the queue, or let it go on."""
    if session.state.queue:
        first, *others = session.state.queue
        session.act(ArrangeQueue((replace(first, held=held, until_answer=held), *others)))


def moot(host: Host, session: Session, _before: SessionState, event: TurnStarted) -> None:
    """The user goes on with something else."""
    for question in () if event.by_agent else session.state.questions:
        if isinstance(question, PermissionQuestion) and question.options == (_AGAIN, _LEAVE):
            host.questions.withdraw(question.id)


def _cut_off(state: SessionState) -> Prompt | None:
    """Return what was said in the turn that was cut off."""
    if not state.cut_off:
        return None
    for entry in state.entries:
        if isinstance(entry, Message) and entry.role == "user" and entry.turn == state.turn:
            return Prompt(tuple(block for block in entry.content if not is_talk(block)))
    return None


async def _is_again(host: Host, client: Client, session: Session, prompt: Prompt) -> bool:
    """Ask whether the prompt is sent again; False, too, if the user goes on with something else."""
    how = "The connection broke" if client.launch.remote is not None else f"{client.name} ended"
    subject = Subject(
        f"{how} while this prompt ran. Send it again?",
        tuple(block for block in prompt.blocks if isinstance(block, Text)),
        "other",
    )
    request = OwnRequest(subject, (_AGAIN, _LEAVE))
    return await questioning.ask(session, host.questions, request) == _AGAIN.id


LONGEST = 30.0
"""Seconds between two attempts at most."""

StartAnew: TypeAlias = Callable[[Host, Client, Sequence[Chat]], Client]


def pauses() -> Iterator[float]:
    """Yield the seconds before each attempt: 1, 2, 4, … up to `LONGEST`."""
    pause = 1.0
    while True:
        yield pause
        pause = min(2 * pause, LONGEST)


async def have_back(host: Host, lost: Client, start_anew: StartAnew) -> None:
    """Connect again and open the sessions of a lost connection; the user may end that."""
    chats = [chat for chat in host.workspace.chats.values() if chat.session in lost.left]
    with lost.retrying:
        client = await _connected(host, lost, chats, start_anew)
        if client is None:
            return
        for chat in chats:
            host.tasks.start_soon(_open_again, host, client, chat.session)


async def _connected(
    host: Host, lost: Client, chats: Sequence[Chat], start_anew: StartAnew
) -> Client | None:
    """Return the client that is connected again; None if there is no use in going on."""
    current = lost
    # one that answers, and is lost before it has opened a session, is not asked each second
    left = lost.pauses or pauses()
    for pause in left:
        await host.sleep(pause)
        try:
            client = host.workspace.client(lost.name)
            # the user may have started it
            current = start_anew(host, current, chats) if client in (current, None) else client
        except UserError as error:
            close_waiting(lost.waiting, str(error))
            return None
        current.waiting, current.retrying = lost.waiting, lost.retrying
        current.pauses = left
        if await current.begun():
            return current
        if current.hopeless:
            close_waiting(lost.waiting, current.error)
            return None
    return None


async def _open_again(host: Host, client: Client, session: Session) -> None:
    if session.state.status == "loading":
        await reopen(host, client, session, session.id)
    if session.state.status == "idle":
        client.pauses = None
