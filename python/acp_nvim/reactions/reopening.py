"""What follows when a session is opened again: a prompt that was cut off is the user's to send.

Called by `outage`, `clients` and commands.
"""

from __future__ import annotations

from msgspec.structs import replace

from acp_nvim.client import questioning
from acp_nvim.client.client import Client
from acp_nvim.client.session import Session
from acp_nvim.questions.questions import OwnRequest
from acp_nvim.session.action import ArrangeQueue
from acp_nvim.session.content import Text
from acp_nvim.session.event import PromptQueued, TurnStarted
from acp_nvim.session.model import PermissionOption, PermissionQuestion, Prompt, Subject
from acp_nvim.session.state import Message, SessionState
from acp_nvim.view.talk import is_talk
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
