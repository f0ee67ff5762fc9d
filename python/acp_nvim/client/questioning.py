"""Questions of the agent to the user: where they are shown, and how long they are open.

A question belongs to its session; an elicitation about a request of ours to none, for there may be
no session yet (C-301). Called by `Inbound` only.
"""

from __future__ import annotations

from typing import TypeAlias

from acp_nvim.client.registry import Registry
from acp_nvim.client.session import Session
from acp_nvim.errors import Code, RequestFailed
from acp_nvim.questions.elicitation import Elicitations
from acp_nvim.questions.permission import Permissions
from acp_nvim.session.elicitation import address
from acp_nvim.session.elicitation.model import Link
from acp_nvim.session.event import Noticed, QuestionClosed, QuestionOpened
from acp_nvim.session.model import Question
from acp_nvim.session.request import (
    ElicitationAnswer,
    ElicitationRequest,
    PermissionAnswer,
    PermissionRequest,
)

Opened: TypeAlias = tuple[Session, Question]
"""A question to the user, and the session that it is shown in."""


class Questioning:
    """The open questions of one agent; `outside` stands for the agent where no session does."""

    def __init__(
        self,
        registry: Registry,
        permissions: Permissions,
        elicitations: Elicitations,
        outside: Session,
    ) -> None:
        self._registry = registry
        self._permissions = permissions
        self._elicitations = elicitations
        self._outside = outside
        self._visited: dict[str, tuple[Session, str]] = {}
        """Session and host of the links that were opened and are not complete, by their ids."""

    def open(self, question: PermissionRequest | ElicitationRequest) -> Opened | None:
        """Put the question to the user; None when it must wait for its session to be opened."""
        session = self._session(question)
        if session is None:
            return None
        if isinstance(question, PermissionRequest):
            session.apply(question.tool_call)
            pending = self._permissions.open(question.tool_call.id, question.options)
        else:
            pending = self._elicitations.open(question.elicitation, question.tool_call_id or "")
        if session.state.status == "cancelling":
            self._permissions.cancel(pending.id)
        else:
            session.apply(QuestionOpened(pending))
        return session, pending

    async def answer(
        self, question: PermissionRequest | ElicitationRequest, opened: Opened | None
    ) -> PermissionAnswer | ElicitationAnswer:
        """Return the user's answer; raises `RequestFailed` when there is no such session."""
        if opened is None:
            await self._registry.opened()
            opened = self.open(question)
        if opened is None:
            raise unknown(question.session_id or "")
        if isinstance(question, PermissionRequest):
            return await self._permission(*opened)
        return await self._elicitation(*opened)

    def complete(self, elicitation_id: str | None) -> None:
        """Take note that a link has done its work; any other id is ignored (C-299)."""
        session, host = self._visited.pop(elicitation_id or "", (None, ""))
        if session is not None:
            session.apply(Noticed(f"{host}: done, the agent has what it needs"))

    def _session(self, question: PermissionRequest | ElicitationRequest) -> Session | None:
        return (
            self._outside
            if question.session_id is None
            else self._registry.find(question.session_id)
        )

    async def _permission(self, session: Session, pending: Question) -> PermissionAnswer:
        option_id = None
        try:
            option_id = await self._permissions.wait(pending)
        finally:
            session.apply(QuestionClosed(pending.id, option_id))
        return PermissionAnswer(option_id)

    async def _elicitation(self, session: Session, pending: Question) -> ElicitationAnswer:
        try:
            answer = await self._elicitations.wait(pending)
        finally:
            session.apply(QuestionClosed(pending.id))
        wanted = pending.elicitation.wanted if pending.elicitation else None
        if answer.action == "accept" and isinstance(wanted, Link):
            host = address.judge(wanted.url).host
            self._visited[wanted.id] = session, host
            text = f"{host} is open in the browser; if nothing follows, :Acp cancel and ask again"
            session.apply(Noticed(text))
        return answer


def unknown(session_id: str) -> RequestFailed:
    """Return the error for a session that is not here."""
    return RequestFailed(
        Code.RESOURCE_NOT_FOUND, f"no session {session_id!r} here", {"sessionId": session_id}
    )
