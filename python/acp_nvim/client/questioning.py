"""Questions of the agent to the user: where they are shown, and how long they are open.

A question belongs to its session; an elicitation about a request of ours to none, for there may be
no session yet (C-301). Called by `Inbound` only.
"""

from __future__ import annotations

from typing import TypeAlias
from uuid import uuid4

from acp_nvim.client.registry import Registry
from acp_nvim.client.session import Session
from acp_nvim.errors import Code, RequestFailed
from acp_nvim.questions.questions import QuestionAnswer, QuestionRequest, Questions
from acp_nvim.session.content import Diff
from acp_nvim.session.elicitation import address
from acp_nvim.session.elicitation.model import Link
from acp_nvim.session.event import Noticed, QuestionClosed, QuestionOpened, ToolCallUpdated
from acp_nvim.session.model import ElicitationQuestion, PermissionOption, Question
from acp_nvim.session.request import ElicitationAnswer, PermissionAnswer, PermissionRequest

Opened: TypeAlias = tuple[Session, Question]
"""A question to the user, and the session that it is shown in."""


class Questioning:
    """The open questions of one agent; `outside` stands for the agent where no session does."""

    def __init__(self, registry: Registry, questions: Questions, outside: Session) -> None:
        self._registry = registry
        self._questions = questions
        self._outside = outside
        self._visited: dict[str, tuple[Session, str]] = {}
        """Session and host of the links that were opened and are not complete, by their ids."""

    def open(self, request: QuestionRequest) -> Opened | None:
        """Put the question to the user; None when it must wait for its session to be opened."""
        session = self._session(request)
        if session is None:
            return None
        if isinstance(request, PermissionRequest):
            session.apply(request.tool_call)
        question = self._questions.put(request)
        if session.state.status == "cancelling":
            self._questions.withdraw(question.id)
        else:
            session.apply(QuestionOpened(question))
        return session, question

    async def answer(self, request: QuestionRequest, opened: Opened | None) -> QuestionAnswer:
        """Return the user's answer; raises `RequestFailed` when there is no such session."""
        if opened is None:
            await self._registry.opened()
            opened = self.open(request)
        if opened is None:
            raise unknown(request.session_id or "")
        session, question = opened
        option_id = None
        try:
            answer = await self._questions.wait(question)
            option_id = answer.option_id if isinstance(answer, PermissionAnswer) else None
        finally:
            session.apply(QuestionClosed(question.id, option_id))
        if isinstance(question, ElicitationQuestion) and isinstance(answer, ElicitationAnswer):
            self._visit(session, question.elicitation.wanted, answer)
        return answer

    async def confirm(self, session_id: str, change: Diff) -> bool:
        """Ask the user, of our own accord, whether an agent may write that; True if it may.

        It is a tool call of ours in the chat, under an id that no agent can name.
        """
        call_id, name = f"acp.nvim/{uuid4().hex}", change.path
        call = ToolCallUpdated(
            call_id,
            title=f"Write {name}? Tools of yours may run what it says (fs.guard)",
            kind="edit",
            status="pending",
            content=(change,),
        )
        options = (
            PermissionOption("reject", "Leave it as it is", "reject_once"),
            PermissionOption("allow", "Write it, this once", "allow_once"),
        )
        request = PermissionRequest(session_id, call, options)
        answer = await self.answer(request, self.open(request))
        is_allowed = isinstance(answer, PermissionAnswer) and answer.option_id == "allow"
        session = self._registry.find(session_id)
        if session is not None:
            session.apply(ToolCallUpdated(call_id, status="completed" if is_allowed else "failed"))
        return is_allowed

    def complete(self, elicitation_id: str | None) -> None:
        """Take note that a link has done its work; any other id is ignored (C-299)."""
        session, host = self._visited.pop(elicitation_id or "", (None, ""))
        if session is not None:
            session.apply(Noticed(f"{host}: done, the agent has what it needs"))

    def _session(self, request: QuestionRequest) -> Session | None:
        if request.session_id is None:
            return self._outside
        return self._registry.find(request.session_id)

    def _visit(self, session: Session, wanted: object, answer: ElicitationAnswer) -> None:
        """Take note of a link that the user has opened."""
        if answer.action == "accept" and isinstance(wanted, Link):
            host = address.judge(wanted.url).host
            self._visited[wanted.id] = session, host
            text = f"{host} is open in the browser; if nothing follows, :Acp cancel and ask again"
            session.apply(Noticed(text))


def withdraw(session: Session, questions: Questions) -> None:
    """Answer every open question of the session with `cancelled` (C-142)."""
    for question in session.state.questions:
        questions.withdraw(question.id)


def unknown(session_id: str) -> RequestFailed:
    """Return the error for a session that is not here."""
    return RequestFailed(
        Code.RESOURCE_NOT_FOUND, f"no session {session_id!r} here", {"sessionId": session_id}
    )
