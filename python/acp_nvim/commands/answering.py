"""The user's answers to the agents' questions: nobody else gives any."""

from __future__ import annotations

from collections.abc import Awaitable

from acp_nvim.commands.payloads import Fill, GivenAnswer, MenuReopened, Permit, Respond
from acp_nvim.errors import UserError
from acp_nvim.reactions import questions
from acp_nvim.session.elicitation.address import judge
from acp_nvim.session.elicitation.model import Link
from acp_nvim.session.model import ElicitationQuestion, PermissionOption, PermissionQuestion
from acp_nvim.session.request import ElicitationAnswer, PermissionAnswer
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.host import Host

NAME = 40
"""The longest name of a field in a sentence."""


def respond(host: Host, payload: Respond) -> bool | Awaitable[None] | None:
    """Answer one question: with `option` a permission, with `answer` an elicitation.

    A late or unknown answer does nothing.
    """
    match host.questions.find(payload.ask):
        case PermissionQuestion(id):
            return host.questions.answer(id, PermissionAnswer(payload.option))
        case ElicitationQuestion() as question:
            return _respond(host, question, payload.answer)
        case _:
            return False


def permit(host: Host, payload: Permit) -> None:
    """Answer the oldest permission by an option's number (from 1) or kind.

    Else go to the oldest question of any kind.
    """
    pending = host.questions.pending
    if not pending:
        raise UserError("no agent is asking for anything")
    permissions = [it for it in pending if isinstance(it, PermissionQuestion)]
    if not permissions or (payload.kind is None and not payload.number):
        host.editor.menus.focus(pending[0].id)
        return
    oldest = permissions[0]
    option = _option(oldest, payload.kind, payload.number)
    if option is None:
        host.editor.menus.focus(oldest.id)
    else:
        host.questions.answer(oldest.id, PermissionAnswer(option.id))


def fill(host: Host, payload: Fill) -> None:
    """Change a field of a form; a late change does nothing."""
    filled = payload.text if payload.option is None else payload.option
    if host.questions.fill(payload.ask, payload.field, filled):
        questions.redraw(host, payload.ask)


def reopened(host: Host, payload: MenuReopened) -> None:
    """Take note that the editor had to open a menu anew."""
    host.editor.menus.moved(payload.ask, payload.bufnr, payload.winid)


def _option(question: PermissionQuestion, kind: str | None, number: int) -> PermissionOption | None:
    """Return the first option of that kind, else the one of that number."""
    if kind is not None:
        return next((option for option in question.options if option.kind == kind), None)
    if not 0 < number <= len(question.options):
        count = len(question.options)
        raise UserError(f"there is no option {number}: the agent offers {count}")
    return question.options[number - 1]


def _respond(
    host: Host, question: ElicitationQuestion, answer: GivenAnswer | None
) -> Awaitable[None] | None:
    """Accept, decline or cancel; raises `UserError` for what cannot be accepted."""
    wanted = question.elicitation.wanted
    if answer is None:
        raise UserError("an elicitation takes accept, decline or cancel, and no option")
    if answer.action == "accept" and isinstance(wanted, Link):
        return _visit(host, question.id, wanted)
    if not host.questions.answer(question.id, ElicitationAnswer(answer.action, answer.content)):
        questions.redraw(host, question.id)
        raise UserError(_problems(host, question.id))
    return None


async def _visit(host: Host, question_id: str, link: Link) -> None:
    """Open the link, now that the user has agreed, and tell the agent so (C-293, C-298)."""
    if refusal := judge(link.url).refusal:
        raise UserError(f"that address is not opened: {refusal}")
    if problem := await host.editor.menus.browse(link.url):
        raise UserError(f"the browser was not started: {problem}")
    host.questions.answer(question_id, ElicitationAnswer("accept"))


def _problems(host: Host, question_id: str) -> str:
    """Return what is wrong with the form, without any answer in it."""
    errors = host.questions.draft(question_id).errors
    said = "; ".join(f"{one_line(name, NAME)}: {text}" for name, text in errors.items())
    return f"not sent: {said}"
