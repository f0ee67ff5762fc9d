"""What the window of the questions shows: found out from what waits, whenever it is drawn."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.aside import LARGE, aside
from acp_nvim.client.session import Session
from acp_nvim.session.content import Diff, Text, ToolContent
from acp_nvim.session.model import PermissionQuestion, Question
from acp_nvim.session.proposal.proposal import Preview
from acp_nvim.session.reduce.terminals import shown_in
from acp_nvim.session.saved import title_of
from acp_nvim.session.state import ToolCall
from acp_nvim.view.block import Line
from acp_nvim.view.question.deeds import Project
from acp_nvim.view.question.elicitation import elicitation_menu
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.permission import changed, detail, permission_menu
from acp_nvim.view.visible import one_line
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host

OURS = "acp.nvim"
SESSION = 40
"""Characters of a session's title."""
MANY = 50
"""Changes or texts for which a thread pays."""


class Asked(Struct, frozen=True):
    """An open question, and the session that it is of."""

    session: Session
    question: Question


def all_asked(host: Host) -> Iterator[Asked]:
    """Yield all open questions."""
    for session in host.workspace.sessions():
        for question in session.state.questions:
            yield Asked(session, question)


def find(host: Host, question_id: str) -> Asked | None:
    """Return the open question of that id."""
    if host.questions.find(question_id) is None:
        return None
    for session in host.workspace.sessions():
        for question in session.state.questions:
            if question.id == question_id:
                return Asked(session, question)
    return None


def waiting(host: Host) -> list[Asked]:
    """Return those that can be shown, oldest first."""
    known = {it.question.id: it for it in all_asked(host)}
    pending = [known[it.id] for it in host.questions.pending if it.id in known]
    return [it for it in pending if host.questions.sight(it.question.id).ready]


def current(host: Host) -> Asked | None:
    """Return the one that the window shows: that which the user went to, else the oldest."""
    found = waiting(host)
    chosen = (it for it in found if it.question.id == host.questions.chosen)
    return next(chosen, found[0] if found else None)


def go(host: Host, step: int) -> None:
    """Show the next one, or that before, counted round."""
    found, here = waiting(host), current(host)
    if here is not None:
        host.questions.chosen = found[(found.index(here) + step) % len(found)].question.id


def showing(host: Host) -> Menu | None:
    """Return what the window shows now."""
    asked = current(host)
    if asked is None:
        return None
    found = waiting(host)
    return replace(shown(host, asked), position=(found.index(asked) + 1, len(found)))


def shown(host: Host, asked: Asked) -> Menu:
    """Return how a question looks now."""
    session, question = asked.session, asked.question
    sight, chat = host.questions.sight(question.id), _chat(host, session)
    menu = _menu(host, asked)()
    menu = changed(menu) if sight.asked and sight.asked != menu.seen else menu
    return replace(
        menu,
        chat=0 if chat is None else chat.number,
        title=menu.title + _whose(asked) + _which(host, session),
    )


def deed(call: ToolCall | None) -> object:
    """Return what a call says that it would do to files: with another deed they are read anew."""
    if call is None:
        return None
    diffs = tuple(it for it in call.content if isinstance(it, Diff))
    return call.raw_input, diffs, call.kind, call.name


def previews(host: Host, asked: Asked) -> tuple[Preview, ...]:
    """Return what its files are and would be, as far as that is known of the call as it is now."""
    sight = host.questions.sight(asked.question.id)
    if not sight.previews or sight.of != deed(subject(asked)):
        return ()
    return tuple(it for it, _ in sight.previews)


def _menu(host: Host, asked: Asked) -> Callable[[], Menu]:
    """Return what makes the menu; it may be called in a thread."""
    session, question = asked.session, asked.question
    sight, agent = host.questions.sight(question.id), session.state.agent
    if not isinstance(question, PermissionQuestion):
        draft = host.questions.draft(question.id)
        return partial(elicitation_menu, question, draft, agent=agent)
    return partial(
        permission_menu,
        question,
        subject(asked),
        agent=OURS if question.is_ours else agent,
        cwd=session.state.cwd,
        said=sight.said,
        previews=previews(host, asked),
        project=_project(host, session),
        within=_within(asked),
    )


def _project(host: Host, session: Session) -> Project:
    roots = host.workspace.roots(session)
    return Project((roots.cwd, *roots.additional), os.path.expanduser("~"))


def _within(asked: Asked) -> str:
    """Return what the sub-agent is called that asks; "" if the agent itself does."""
    state = asked.session.state
    if state.parent:
        return state.title or "without a name"
    call = _outer(asked)
    return "" if call is None else call.title or call.kind


def outer(asked: Asked) -> str:
    """Return the id of the call whose sub-agent asks, "" for none."""
    call = _outer(asked)
    return "" if call is None else call.id


def _outer(asked: Asked) -> ToolCall | None:
    call = subject(asked) if isinstance(asked.question, PermissionQuestion) else None
    found = asked.session.state.entry(call.parent) if call and call.parent else None
    return found if isinstance(found, ToolCall) else None


def is_large(asked: Asked) -> bool:
    """Tell whether it takes long to find out how the question looks."""
    call = subject(asked) if isinstance(asked.question, PermissionQuestion) else None
    if call is None:
        return False
    size = sum(map(_size, call.content)) + len(call.title) + len(call.raw_input or "")
    return len(call.content) > MANY or size > LARGE


def _size(part: ToolContent) -> int:
    """Return how many characters are to be looked at to show it."""
    match part:
        case Diff():
            return len(part.old_text or "") + len(part.new_text)
        case Text():
            return part.length
        case _:
            return 0


async def prepare(host: Host, asked: Asked) -> None:
    """Find out in a thread how a large question looks: `shown` knows it then."""
    files = previews(host, asked)
    size = sum(len(it.before or "") + len(it.after or "") for it in files)
    if size > LARGE or is_large(asked):
        await aside(_menu(host, asked))


def _whose(asked: Asked) -> str:
    """Name the sub-agent of a form: what asks for a permission does so itself."""
    is_form = not isinstance(asked.question, PermissionQuestion)
    within = _within(asked) if is_form else ""
    return f"· sub-agent: {one_line(within, SESSION)} " if within else ""


def _which(host: Host, session: Session) -> str:
    """Return the session's title, where another one could be meant; a sub-agent is named anyhow."""
    if len(host.workspace.chats) < 2 and len(host.questions.pending) < 2:
        return ""
    if session.state.parent:
        session = host.workspace.session(session.state.agent, session.state.parent) or session
    title = one_line(title_of(session.state) or "", SESSION)
    return f"· {title} " if title else ""


def whole(host: Host, asked: Asked) -> Callable[[], tuple[Line, ...]]:
    """Return what tells all that a question says; it may be called in a thread."""
    menu = shown(host, asked)
    if not isinstance(asked.question, PermissionQuestion):
        return lambda: (*menu.head, *menu.body)
    files, cwd = previews(host, asked), asked.session.state.cwd
    telling = partial(detail, menu, subject(asked), cwd, files, asks=asked.question.asks)
    return lambda: (*menu.notes, *telling())


def subject(asked: Asked) -> ToolCall | None:
    """Return the tool call that a question is about, as it is now; None if it is not known."""
    question, state = asked.question, asked.session.state
    if isinstance(question, PermissionQuestion) and (about := question.subject) is not None:
        where = (Text(f"in {about.cwd}"),) if about.cwd else ()
        content = (*where, *about.content)
        call = ToolCall("", "", 0, about.title, about.kind, content=content)
        return replace(call, terminals=shown_in(state, content), raw_input=about.raw_input)
    return state.tool_call(question.tool_call_id)


def _chat(host: Host, session: Session) -> Chat | None:
    """Return the session's chat, else the newest one of its agent, to show the question there.

    A sub-agent's is shown in that of the session that has begun it, if it has no chat.
    """
    if chat := host.workspace.chat_of(session):
        return chat
    agent, parent = session.state.agent, session.state.parent
    if parent and (above := host.workspace.session(agent, parent)):
        return _chat(host, above)
    chats = reversed(host.workspace.chats.values())
    return next((chat for chat in chats if chat.session.state.agent == agent), None)
