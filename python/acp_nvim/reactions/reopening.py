"""What follows when a session is opened again: a prompt that was cut off is the user's to send.

Called by `outage`, `clients` and commands.
"""

from __future__ import annotations

from acp_nvim.client import questioning
from acp_nvim.client.client import Client
from acp_nvim.client.session import Session
from acp_nvim.questions.questions import OwnRequest
from acp_nvim.session.content import Text
from acp_nvim.session.event import TurnStarted
from acp_nvim.session.model import PermissionOption, PermissionQuestion, Prompt, Subject
from acp_nvim.session.state import Message, SessionState
from acp_nvim.view.talk import is_talk
from acp_nvim.workspace.host import Host

_AGAIN = PermissionOption("again", "Send it again", "allow_once")
_LEAVE = PermissionOption("leave", "Leave it: it may have run", "reject_once")


async def reopen(host: Host, client: Client, session: Session, session_id: str | None) -> None:
    """Open a session again, and ask what is to become of the prompt that was cut off in it."""
    prompt = _cut_off(session.state)
    await client.reopen(session, session_id)
    if prompt is not None and session.state.status in ("idle", "running"):
        await _ask(host, client, session, prompt)


def moot(host: Host, session: Session, _before: SessionState, event: TurnStarted) -> None:
    """The user goes on with something else."""
    for question in () if event.queued else session.state.questions:
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


async def _ask(host: Host, client: Client, session: Session, prompt: Prompt) -> None:
    how = "The connection broke" if client.launch.remote is not None else f"{client.name} ended"
    subject = Subject(
        f"{how} while this prompt ran. Send it again?",
        tuple(block for block in prompt.blocks if isinstance(block, Text)),
        "other",
    )
    request = OwnRequest(subject, (_AGAIN, _LEAVE))
    if await questioning.ask(session, host.questions, request) == _AGAIN.id:
        client.submit(session, prompt)
