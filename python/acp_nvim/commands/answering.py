"""The agent's questions: show them, answer them."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from acp_nvim.commands import eliciting
from acp_nvim.errors import UserError
from acp_nvim.questions.preview import EvidenceService, Exhibit
from acp_nvim.session.model import Question
from acp_nvim.session.proposal.proposal import Evidence, proposals
from acp_nvim.session.state import SessionState, ToolCall
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.permission import ask_view
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host


def show(host: Host, chat: Chat, question: Question) -> None:
    """Open the menu of a new question, and tell the user's scripts once it is there."""
    state, tool = chat.session.state, _tool(chat, question)
    options = [{"id": it.id, "name": it.name, "kind": it.kind} for it in question.options]
    data = {
        "agent": state.agent,
        "session": state.id or "",
        "ask": question.id,
        "title": title(state, question),
        "options": options,
    }

    def announce() -> None:
        host.editor.notifier.event("AcpPermissionRequested", data)
        if host.workspace.options.permission.focus == "auto":
            host.editor.menus.focus(question.id, calmly=True)

    is_told = tool is not None and proposals(tool, state.cwd)
    better = partial(_with_evidence, host, chat, question) if is_told else None
    host.editor.menus.open(menu(host, chat, question), announce, better)


async def _with_evidence(host: Host, chat: Chat, question: Question) -> Menu:
    found = await gather(host, chat, question)
    return menu(host, chat, question, tuple(it.evidence for it in found))


async def gather(host: Host, chat: Chat, question: Question) -> tuple[Exhibit, ...]:
    """Return what the question is about, as the files are now."""
    tool = _tool(chat, question)
    if tool is None:
        return ()
    return await EvidenceService(host.editor.files).gather(tool, host.workspace.roots(chat.session))


def menu(host: Host, chat: Chat, question: Question, evidence: Sequence[Evidence] = ()) -> Menu:
    """Return how a permission looks."""
    tool, cwd = _tool(chat, question), chat.session.state.cwd
    drawn = ask_view(question, tool, agent=label(chat), cwd=cwd, said=chat.said, evidence=evidence)
    return replace(drawn, chat=chat.number)


def label(chat: Chat) -> str:
    """Return what the agent is called."""
    return chat.client.label if chat.client is not None else chat.session.state.agent


def find(host: Host, ask_id: str) -> tuple[Chat, Question] | None:
    """Return the open permission of that id, and its chat."""
    for chat in host.workspace.chats.values():
        for question in chat.session.state.questions:
            if question.id == ask_id and question.kind == "permission":
                return chat, question
    return None


def _tool(chat: Chat, question: Question) -> ToolCall | None:
    tool = chat.session.state.entry(f"tool:{question.tool_call_id}")
    return tool if isinstance(tool, ToolCall) else None


def title(state: SessionState, question: Question) -> str:
    """Return what the question is about: the message, or the title of the tool call."""
    if question.elicitation is not None:
        return eliciting.title(question.elicitation)
    tool = state.entry(f"tool:{question.tool_call_id}")
    return tool.title if isinstance(tool, ToolCall) else question.tool_call_id


def respond(host: Host, payload: Mapping[str, Any]) -> bool | Awaitable[None] | None:
    """Answer one question: with `option` a permission, with `answer` an elicitation.

    A late or unknown answer does nothing.
    """
    question = host.elicitations.questions.find(str(payload.get("ask")))
    if question is None:
        return False
    answer = payload.get("answer")
    if question.kind == "elicitation":
        return eliciting.respond(host, question, answer if isinstance(answer, Mapping) else {})
    return host.permissions.answer(question.id, str(payload.get("option")))


def permit(host: Host, payload: Mapping[str, Any]) -> None:
    """Answer the oldest permission by an option's number (from 1) or kind.

    Else go to the oldest question of any kind.
    """
    pending, kind = host.elicitations.questions.pending, payload.get("kind")
    if not pending:
        raise UserError("no agent is asking for anything")
    wants_option = kind is not None or payload.get("number")
    permissions = host.permissions.pending if wants_option else ()
    oldest = permissions[0] if permissions else pending[0]
    if oldest.kind == "elicitation":
        host.editor.menus.focus(oldest.id)
        return
    if kind is not None:
        options = [option for option in oldest.options if option.kind == kind][:1]
    else:
        number = int(payload.get("number") or 0)
        options = list(oldest.options[number - 1 : number]) if number > 0 else []
        if number and not options:
            raise UserError(f"there is no option {number}: the agent offers {len(oldest.options)}")
    if options:
        host.permissions.answer(oldest.id, options[0].id)
    else:
        host.editor.menus.focus(oldest.id)


def ask_window(host: Host, payload: Mapping[str, Any]) -> None:
    """Take note that the editor had to open a menu anew."""
    host.editor.menus.moved(str(payload["ask"]), int(payload["bufnr"]), int(payload["winid"]))
