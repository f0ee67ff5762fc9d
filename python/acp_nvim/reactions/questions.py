"""What follows when a question to the user opens, changes or closes: its window, and who is told.

One window shows one of those that wait. What it shows is found anew for every drawing, and for
every answer: so an answer counts only for what is asked at that moment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import anyio

from acp_nvim import lazy
from acp_nvim.aside import aside, aside_if_large
from acp_nvim.client.session import Session
from acp_nvim.files.event import DiskChanged, FileWritten
from acp_nvim.questions.preview import Previewed, PreviewService
from acp_nvim.questions.questions import Sight
from acp_nvim.reactions.asking import (
    Asked,
    deed,
    find,
    is_large,
    prepare,
    showing,
    shown,
    subject,
    waiting,
)
from acp_nvim.review.presenter import Foreseen
from acp_nvim.session.event import PromptSent, QuestionClosed, QuestionOpened, ToolCallUpdated
from acp_nvim.session.model import PermissionQuestion
from acp_nvim.session.proposal.proposal import proposals
from acp_nvim.session.shell import effects
from acp_nvim.session.state import SessionState
from acp_nvim.view.announcement import asked as announcement_of
from acp_nvim.view.block import Line
from acp_nvim.view.question.in_place import in_place
from acp_nvim.view.question.padding import shortened
from acp_nvim.workspace.host import Host

PATIENCE = 0.3
"""Seconds that a question is kept back for the files that it is about."""
SAMPLE = 'CI=1 make -C "$HOME/a" test --k=v src/*.py 2>&1 | tee log && git diff > a'
"""A command with what most have."""


def warm(host: Host, session: Session, _before: SessionState, _event: PromptSent) -> None:
    """Load what the agent's first question needs, while its answer is waited for."""
    if lazy.waits(effects):
        host.tasks.start_soon(aside, rehearse)
        if chat := host.workspace.chat_of(session):
            host.tasks.start_soon(host.editor.questions.prepare, chat.number)


def rehearse() -> None:
    """Load, and compile, what is needed for most commands."""
    effects.understood(SAMPLE, "/")
    shortened(Line(SAMPLE))


def show(host: Host, session: Session, _before: SessionState, event: QuestionOpened) -> None:
    """Show a new question, and tell the user's scripts once it is there.

    An elicitation needs no chat, nor does what a sub-agent asks.
    """
    question = event.question
    has_chat = session.state.parent or host.workspace.chat_of(session) is not None
    if isinstance(question, PermissionQuestion) and not has_chat:
        return
    sight = host.questions.sight(question.id)
    if session.state.is_running:  # else the question is ours, and about nothing that was said
        sight.said = session.state.said
    found = Asked(session, question)
    if is_large(found) or _is_about_files(found):
        host.tasks.start_soon(_open_with_files, host, found)
    else:
        _open(host, found)


def hide(host: Host, _session: Session, _before: SessionState, _event: QuestionClosed) -> None:
    """Show what else waits, or nothing."""
    draw(host)


def follow(host: Host, session: Session, before: SessionState, event: ToolCallUpdated) -> None:
    """Show what has become of a tool call that a question is about."""
    asks = [it for it in session.state.questions if isinstance(it, PermissionQuestion)]
    about = [it for it in asks if it.tool_call_id == event.id]
    if not about:
        return
    was, now = before.tool_call(event.id), session.state.tool_call(event.id)
    if was is now:
        return
    is_same = deed(was) == deed(now)
    for question in about:
        asked = Asked(session, question)
        is_read = bool(host.questions.sight(question.id).previews)
        if not is_same and (is_read or _is_about_files(asked)):
            host.tasks.start_soon(_shown_with_files, host, asked)
        elif is_large(asked):
            host.tasks.start_soon(_prepared, host, asked)
        else:
            draw(host)


async def _shown_with_files(host: Host, asked: Asked) -> None:
    """Show it as it is with the files that it is about by now; without, if these take long."""
    host.questions.sight(asked.question.id).in_place = ()
    with anyio.move_on_after(PATIENCE) as patience:
        await _safely_gather(host, asked)
    await _prepared(host, asked)
    if patience.cancelled_caught:
        _look(host, asked)


async def _prepared(host: Host, asked: Asked) -> None:
    await prepare(host, asked)
    draw(host)


def file_changed(host: Host, event: FileWritten | DiskChanged) -> None:
    """Look anew at the questions that are about a file."""
    for question in host.questions.pending:
        previews = host.questions.sight(question.id).previews
        is_about = any(it.path == event.path for _, it in previews)
        if is_about and (asked := find(host, question.id)):
            _look(host, asked)


def draw(host: Host, opened: Callable[[], None] | None = None) -> None:
    """Draw the window as it should be now; `opened` is called when it is.

    So is, behind it, what the questions are about, where their files are on the screen.
    """
    host.editor.questions.draw(partial(showing, host), opened)
    foresee(host)


async def gather(host: Host, asked: Asked) -> tuple[Previewed, ...]:
    """Return what the question is about as the files are now, and show it so from now on."""
    call = subject(asked)
    if call is None:
        return ()
    roots = host.workspace.roots(asked.session)
    found = await PreviewService(host.editor.files).gather(call, roots)
    await _prepare_marks(found)
    sight = host.questions.sight(asked.question.id)
    if deed(call) != deed(subject(asked)):
        return found
    sight.in_place = found
    is_known = [it for it, _ in found] == [it for it, _ in sight.previews]
    if not is_known or sight.of != deed(call):
        sight.previews, sight.of = found, deed(call)
        await prepare(host, asked)
        draw(host)
    return found


def _is_about_files(asked: Asked) -> bool:
    call, cwd = subject(asked), asked.session.state.cwd
    return call is not None and bool(proposals(call, cwd))


def _open(host: Host, asked: Asked) -> None:
    """Let it be shown from now on."""
    sight, question = host.questions.sight(asked.question.id), asked.question
    sight.ready = True
    sight.shows(shown(host, asked).seen, first=True)
    announcement = announcement_of(asked.session.state, question)

    def opened() -> None:
        if find(host, question.id) is None:
            return  # answered before it could be shown
        host.editor.notifier.event(*announcement, at_once=True)
        if host.workspace.options.permission.focus == "auto":
            host.editor.questions.focus(question.id, calmly=True)

    draw(host, opened)


async def _open_with_files(host: Host, asked: Asked) -> None:
    with anyio.move_on_after(PATIENCE) as patience:
        await _safely_gather(host, asked)
    await prepare(host, asked)
    if find(host, asked.question.id) is None:
        return
    _open(host, asked)
    if patience.cancelled_caught:
        call = subject(asked)
        await _safely_gather(host, asked)
        if deed(call) == deed(subject(asked)):
            host.questions.sight(asked.question.id).shows(shown(host, asked).seen, first=True)


async def _safely_gather(host: Host, asked: Asked) -> None:
    try:
        await gather(host, asked)
    except Exception as error:  # the question must be asked all the same
        host.editor.notifier.fault(error)


def _look(host: Host, asked: Asked) -> None:
    """Read its files again, once at a time."""
    sight = host.questions.sight(asked.question.id)
    if sight.ready and not sight.reading and (is_large(asked) or _is_about_files(asked)):
        sight.reading = True
        host.tasks.start_soon(_look_again, host, asked)


async def _look_again(host: Host, asked: Asked) -> None:
    sight = host.questions.sight(asked.question.id)
    seen: object = None
    while find(host, asked.question.id) and seen != deed(subject(asked)):
        seen = deed(subject(asked))
        await _safely_gather(host, asked)
    sight.reading = False


def foresee(host: Host) -> None:
    """Show it as the files were when they were read last; where nothing waits, nothing."""
    found = (it for sight in host.questions.sights if sight.ready for it in sight.in_place)
    host.review.presenter.foresee(dict(_marked(found)))


def edited(host: Host, path: str) -> None:
    """The user has opened that file, or typed in it."""
    for asked in waiting(host):
        if any(live.path == path for _, live in _sight(host, asked).in_place):
            host.tasks.start_soon(_mark_anew, host, asked)


async def _prepare_marks(found: Iterable[Previewed]) -> None:
    """Find out in a thread what is drawn in large files: `foresee` knows it then."""
    for preview, live in found:
        if live.buffer is not None:
            marking = partial(in_place, preview, len(live.buffer.lines))
            await aside_if_large(marking, preview.before or "", preview.after or "")


async def _mark_anew(host: Host, asked: Asked) -> None:
    call, roots = subject(asked), host.workspace.roots(asked.session)
    if call is not None:
        found = await PreviewService(host.editor.files).gather(call, roots)
        await _prepare_marks(found)
        _sight(host, asked).in_place = found
        foresee(host)


def _marked(found: Iterable[Previewed]) -> Iterable[tuple[str, Foreseen]]:
    for preview, live in found:
        if live.buffer is None:
            yield live.path, Foreseen()
        else:
            marks = in_place(preview, len(live.buffer.lines))
            yield live.path, Foreseen(live.buffer.changedtick, marks)


def _sight(host: Host, asked: Asked) -> Sight:
    return host.questions.sight(asked.question.id)
