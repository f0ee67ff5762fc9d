"""Questions of the agent to the user: where they are shown, and how long they are open.

A question belongs to its session; an elicitation about a request of ours to none, for there may be
no session yet (C-301). Called by `Inbound` only.
"""

from __future__ import annotations

from typing import TypeAlias

from acp_nvim.client.registry import Registry
from acp_nvim.client.session import Session
from acp_nvim.errors import Code, RequestFailed
from acp_nvim.questions.questions import (
    OwnRequest,
    QuestionAnswer,
    QuestionRequest,
    Questions,
)
from acp_nvim.session.elicitation import address
from acp_nvim.session.elicitation.model import Link
from acp_nvim.session.event import Noticed, QuestionClosed, QuestionOpened
from acp_nvim.session.model import ElicitationQuestion, Question
from acp_nvim.session.request import (
    ElicitationAnswer,
    ElicitationRequest,
    PermissionAnswer,
    PermissionRequest,
)

Opened: TypeAlias = tuple[Session, Question]
"""A question to the user, and the session that it is shown in."""
MOST_OPTIONS = 100
AgentQuestion: TypeAlias = PermissionRequest | ElicitationRequest


class Questioning:
    """The open questions of one agent; `outside` stands for the agent where no session does."""

    def __init__(self, registry: Registry, questions: Questions, outside: Session) -> None:
        self._registry = registry
        self._questions = questions
        self._outside = outside
        self._visited: dict[str, tuple[Session, str]] = {}
        """Session and host of the links that were opened and are not complete, by their ids."""

    def open(self, request: AgentQuestion) -> Opened | None:
        """Put the question to the user; None when it must wait for its session to be opened.

        Raises `RequestFailed` for one whose answer would not be clear.
        """
        _check_options(request)
        return self._open(request)

    async def answer(self, request: AgentQuestion, opened: Opened | None) -> QuestionAnswer:
        """Return the user's answer; raises `RequestFailed` when there is no such session."""
        if opened is None:
            await self._registry.opened()
            opened = self._open(request)
        if opened is None:
            raise unknown(request.session_id or "")
        return await self._wait(*opened)

    def _open(self, request: AgentQuestion) -> Opened | None:
        session = self._session(request)
        if session is None:
            return None
        if isinstance(request, PermissionRequest) and request.tool_call is not None:
            session.apply(request.tool_call)
        return session, put(session, self._questions, request)

    async def _wait(self, session: Session, question: Question) -> QuestionAnswer:
        answer = await answered(session, self._questions, question)
        if isinstance(question, ElicitationQuestion) and isinstance(answer, ElicitationAnswer):
            self._visit(session, question.elicitation.wanted, answer)
        return answer

    def complete(self, elicitation_id: str | None) -> None:
        """Take note that a link has done its work; any other id is ignored (C-299)."""
        session, host = self._visited.pop(elicitation_id or "", (None, ""))
        if session is not None:
            session.apply(Noticed(f"{host}: done, the agent has what it needs"))

    def _session(self, request: AgentQuestion) -> Session | None:
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


async def ask(session: Session, questions: Questions, request: OwnRequest) -> str | None:
    """Ask the user something of ours in that session; return the id of the option, None for none.

    The way of whatever an agent does without having asked. Cancelling the turn answers with None.
    """
    answer = await answered(session, questions, put(session, questions, request))
    return answer.option_id if isinstance(answer, PermissionAnswer) else None


def put(session: Session, questions: Questions, request: QuestionRequest) -> Question:
    """Put a question to the user; it must be awaited by `answered`."""
    question = questions.put(request)
    if session.state.status == "cancelling":
        questions.withdraw(question.id)
    else:
        session.apply(QuestionOpened(question))
    return question


async def answered(session: Session, questions: Questions, question: Question) -> QuestionAnswer:
    """Return the answer to an open question; however that ends, it is closed then."""
    option_id = None
    try:
        answer = await questions.wait(question)
        option_id = answer.option_id if isinstance(answer, PermissionAnswer) else None
        return answer
    finally:
        questions.withdraw(question.id)
        session.apply(QuestionClosed(question.id, option_id))


def withdraw(session: Session, questions: Questions) -> None:
    """Answer every open question of the session with `cancelled` (C-142), and do nothing more of
    what its agent has asked for."""
    session.drop()
    for question in session.state.questions:
        questions.withdraw(question.id)


def unknown(session_id: str) -> RequestFailed:
    """Return the error for a session that is not here."""
    return RequestFailed(
        Code.RESOURCE_NOT_FOUND, f"no session {session_id!r} here", {"sessionId": session_id}
    )


def _check_options(request: AgentQuestion) -> None:
    """Refuse more options than can be shown, and two of one id: which of them would be chosen?"""
    if not isinstance(request, PermissionRequest):
        return
    if len(request.options) > MOST_OPTIONS:
        said = f"a permission has at most {MOST_OPTIONS} options"
        raise RequestFailed(Code.INVALID_PARAMS, said, {"options": len(request.options)})
    known = {option.id: option for option in request.options}
    for option in request.options:
        if known[option.id] != option:
            said = f"two options have the id {option.id!r}"
            raise RequestFailed(Code.INVALID_PARAMS, said, {"optionId": option.id})
