"""The user's answers to the agents' questions: nobody else gives any.

An answer is for what was shown: it names that, and is refused if something else is asked by now.
"""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import Any

from msgspec import Struct

from acp_nvim.aside import aside
from acp_nvim.errors import UserError
from acp_nvim.reactions import asking, questions
from acp_nvim.reactions.asking import Asked
from acp_nvim.session.elicitation.address import judge
from acp_nvim.session.elicitation.model import Link
from acp_nvim.session.model import ElicitationQuestion
from acp_nvim.session.request import ElicitationAction, ElicitationAnswer, PermissionAnswer
from acp_nvim.view.block import BLANK
from acp_nvim.view.op import Replace
from acp_nvim.view.question.place import Look
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.host import Host

NAME = 40
"""The longest name of a field in a sentence."""
GONE = "nothing was answered: that question is gone"
CHANGED = "nothing was answered: the question has changed, look at it and answer again"
COMING = "nothing was answered: the question has just come, look at it and answer again"


class GivenAnswer(Struct, frozen=True):
    """To an elicitation: accept, decline or cancel; without content with what its form holds."""

    action: ElicitationAction
    content: Mapping[str, Any] | None = None


class Respond(Struct, frozen=True):
    """An option answers a permission, an answer an elicitation.

    `seen` is the digest of what the user saw, None for a script that has seen no window; `inside`:
    in the window itself, where changes are marked.
    """

    ask: str
    option: str | None = None
    answer: GivenAnswer | None = None
    seen: str | None = None
    inside: bool = False


def respond(host: Host, payload: Respond) -> bool | Awaitable[bool | None] | None:
    """Answer one question: with `option` a permission, with `answer` an elicitation.

    Raises `UserError` where the user saw another question than there is now. An answer of a script
    that is late, or not known, does nothing.
    """
    asked = asking.find(host, payload.ask)
    if asked is None:
        if payload.seen is not None:
            raise UserError(GONE)
        return False
    if not _is_shown(host, asked):
        raise UserError(COMING)
    if isinstance(asked.question, ElicitationQuestion):
        return _respond(host, asked.question, payload)
    if host.questions.sight(payload.ask).previews:
        return _permit_with_files(host, asked, payload)
    return _permit(host, asked, payload)


def go(host: Host, step: int) -> None:
    """Show the next question of those that wait (`step` 1), or that before (-1), counted round."""
    asking.go(host, step)
    questions.draw(host)


async def whole(host: Host, ask: str) -> dict[str, Any] | None:
    """Answer all that a question says, as ops, and the row of its options; None when it is gone."""
    asked = asking.find(host, ask)
    if asked is None:
        return None
    telling = asking.whole(host, asked)
    lines = await aside(telling) if asking.is_large(asked) else telling()
    shown = (*lines, BLANK, *asking.shown(host, asked).options)
    return {"ops": [Replace(0, -1, shown)], "options": len(lines) + 1}


def fill(
    host: Host, ask: str, field: int, text: str | None = None, option: int | None = None
) -> None:
    """Change a field of a form, without text and option empty it; a late change does nothing."""
    if host.questions.fill(ask, field, text if option is None else option):
        questions.draw(host)


def moved(host: Host, bufnr: int, winid: int) -> None:
    """Take note that the editor had to open the window anew."""
    host.editor.questions.moved(bufnr, winid)


def look(host: Host, payload: Look) -> None:
    """Fit the question into the screen as it is by now."""
    host.editor.questions.look(payload)


def _is_shown(host: Host, asked: Asked) -> bool:
    """Tell whether it has been on screen, or has no chat in which it could be."""
    is_ready = host.questions.sight(asked.question.id).ready
    return is_ready or host.workspace.chat_of(asked.session) is None


async def _permit_with_files(host: Host, asked: Asked, payload: Respond) -> bool:
    """Answer a permission, once it is known that its files are as they were shown."""
    await questions.gather(host, asked)
    found = asking.find(host, payload.ask)
    if found is None:
        raise UserError(GONE)
    return _permit(host, found, payload)


def _permit(host: Host, asked: Asked, payload: Respond) -> bool:
    """Answer a permission for what was seen of it, and nothing else."""
    sight, now = host.questions.sight(payload.ask), asking.shown(host, asked).seen
    is_seen = payload.seen == now if payload.seen is not None else not sight.is_changed(now)
    if is_seen and payload.inside:
        sight.looked = now
    if not is_seen or sight.is_changed(now):
        if is_seen:
            sight.looked = now  # the user is told now, and has it before the eyes
        questions.draw(host)
        raise UserError(CHANGED)
    return host.questions.answer(payload.ask, PermissionAnswer(payload.option))


def _respond(
    host: Host, question: ElicitationQuestion, payload: Respond
) -> Awaitable[bool | None] | None:
    """Accept, decline or cancel; raises `UserError` for what cannot be accepted."""
    wanted, answer = question.elicitation.wanted, payload.answer
    if answer is None:
        raise UserError("an elicitation takes accept, decline or cancel, and no option")
    if answer.action == "accept" and isinstance(wanted, Link):
        return _visit(host, question.id, wanted)
    if not host.questions.answer(question.id, ElicitationAnswer(answer.action, answer.content)):
        questions.draw(host)
        raise UserError(_problems(host, question.id))
    return None


async def _visit(host: Host, question_id: str, link: Link) -> None:
    """Open the link, now that the user has agreed, and tell the agent so (C-293, C-298)."""
    if refusal := judge(link.url).refusal:
        raise UserError(f"that address is not opened: {refusal}")
    if problem := await host.editor.questions.browse(link.url):
        raise UserError(f"the browser was not started: {problem}")
    host.questions.answer(question_id, ElicitationAnswer("accept"))


def _problems(host: Host, question_id: str) -> str:
    """Return what is wrong with the form, without any answer in it."""
    errors = host.questions.draft(question_id).errors
    said = "; ".join(f"{one_line(name, NAME)}: {text}" for name, text in errors.items())
    return f"not sent: {said}"
