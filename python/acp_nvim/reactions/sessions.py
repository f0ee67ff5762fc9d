"""What follows from an event of a session: one table. Nothing in it waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from acp_nvim.client.session import Session
from acp_nvim.follow.follow_along import AgentId
from acp_nvim.reactions import (
    attention,
    disk,
    measuring,
    notes,
    questions,
    reopening,
    screen,
)
from acp_nvim.session.event import (
    CancelRequested,
    ConfigReplaced,
    Event,
    InfoChanged,
    ModeChanged,
    Noticed,
    PlanReplaced,
    PromptQueued,
    PromptSent,
    PromptSteered,
    QuestionClosed,
    QuestionOpened,
    QueueArranged,
    SessionClosed,
    SessionOpened,
    SessionReopening,
    SubAgentUpdated,
    ToolCallUpdated,
    TurnEnded,
    TurnMeasured,
    TurnStarted,
    UsageChanged,
)
from acp_nvim.session.saved import restored
from acp_nvim.session.state import SessionState
from acp_nvim.view.announcement import announce
from acp_nvim.workspace.host import Host

Reaction: TypeAlias = Callable[[Host, Session, SessionState, Any], None]
"""Takes the session, its state before the event, and the event."""


def changed(host: Host, session: Session, before: SessionState, event: Event) -> None:
    """Draw the session's chat, and do what else follows; see `client.session.Listener`.

    One that fails keeps neither the others nor the session from going on.
    """
    for react in (draw, count_on, *REACTIONS.get(type(event), ())):
        try:
            react(host, session, before, event)
        except Exception as error:  # whatever it is, it concerns this reaction alone
            host.editor.notifier.fault(error)


def draw(host: Host, session: Session, _before: SessionState, _event: Event) -> None:
    """Draw the session's chat."""
    screen.touch(host, session)


def count_on(host: Host, _session: Session, _before: SessionState, _event: Event) -> None:
    """Have one more second counted, for the clocks that this may have set going."""
    host.pulse.stir()


def keep(host: Host, session: Session, _before: SessionState, _event: Event) -> None:
    """Keep the session on disk as it is now."""
    host.store.note(session.state)


def keep_at_once(host: Host, session: Session, _before: SessionState, _event: TurnEnded) -> None:
    """Do the same: a kill from now on has cut off nothing."""
    host.store.note(session.state, now=True)


def follow_up(host: Host, session: Session, _before: SessionState, _event: Event) -> None:
    """Keep what the user has said before anything comes of it, should the host be killed."""
    host.store.follow(session.state, now=True)


def follow_soon(host: Host, session: Session, _before: SessionState, _event: TurnStarted) -> None:
    """Keep it with what is kept once the prompt is sent, a moment later, or soon: one write."""
    host.store.follow(session.state)


def let_go(host: Host, session: Session, before: SessionState, _event: SessionClosed) -> None:
    """Nothing more will come of it; of half a replay nothing is known but what was kept."""
    if before.status != "loading":
        host.store.close(session.state)


def take_up(host: Host, _session: Session, before: SessionState, _event: SessionReopening) -> None:
    """Prompts that wait until it is open again are kept."""
    host.store.take_up(before)


def take_note(host: Host, session: Session, _before: SessionState, _event: SessionOpened) -> None:
    """It is open here, should Neovim end; a sub-agent's is as long as its agent's is."""
    if session.state.parent:
        return
    host.left_open.opened(session.state.key, session.state.cwd)


def end_tools(host: Host, session: Session, _before: SessionState, _event: SessionClosed) -> None:
    """Its agent can call tools of the editor no more."""
    host.tools.close(session)


def strike_out(host: Host, session: Session, _before: SessionState, event: SessionClosed) -> None:
    """It is not, if the user has closed it; whose agent has died is still wanted."""
    chat = host.workspace.chat_of(session)
    if event.reason is None and not (chat and chat.suspended):
        host.left_open.closed(session.state.key)


def tick(host: Host) -> None:
    """Keep what has come of the turns that run, each second."""
    for session in host.workspace.sessions():
        if session.state.is_running:
            host.store.follow(session.state)
            host.pulse.stir()


def tell(host: Host, session: Session, before: SessionState, event: Event) -> None:
    """Tell the user's scripts."""
    if found := announce(before, event, session.state):
        host.editor.notifier.event(*found)


def begin_anew(host: Host, session: Session, _before: SessionState, _event: Event) -> None:
    """Forget where the agent was: a turn begins, or the session is over."""
    host.follow.begin(AgentId(session.state.agent, session.state.id))


def show_kept(host: Host, session: Session, _before: SessionState, event: SessionOpened) -> None:
    """Show what was kept of it, if the agent has not replayed it, in the chat of an earlier day."""
    state = session.state
    if not state.parent:
        return
    if event.replayed and not state.entries:
        kept = host.store.read(state.agent, event.session_id)
        if kept is not None and kept.parent == state.parent:
            session.apply(*restored(kept))
    for chat in host.workspace.chats.values():
        if chat.session is not session and chat.session.state.key == state.key:
            chat.session, chat.is_drawn = session, True
            chat.client = host.workspace.client(state.agent)
            host.editor.screen.show(chat.number, chat.picture)


REACTIONS: Mapping[type[Event], tuple[Reaction, ...]] = {
    SessionOpened: (
        screen.name,
        screen.list_anew,
        keep,
        take_note,
        show_kept,
        disk.prepare,
        notes.look_again,
        tell,
    ),
    SubAgentUpdated: (keep, screen.list_anew),
    SessionReopening: (take_up, screen.show, screen.list_anew, disk.forget, begin_anew),
    SessionClosed: (
        disk.forget,
        let_go,
        end_tools,
        strike_out,
        tell,
        attention.closed,
        begin_anew,
        screen.list_anew,
    ),
    CancelRequested: (screen.list_anew,),
    PromptQueued: (follow_up,),
    QueueArranged: (keep,),
    TurnStarted: (follow_soon, tell, begin_anew, screen.list_anew, reopening.moot),
    PromptSent: (questions.warm, disk.begin, follow_up, notes.look_again, notes.look_around),
    PromptSteered: (follow_up,),
    TurnEnded: (
        keep_at_once,
        disk.sweep,
        notes.look_again,
        tell,
        measuring.ended,
        attention.ended,
        screen.list_anew,
    ),
    TurnMeasured: (keep,),
    ToolCallUpdated: (questions.follow, tell, disk.look, screen.list_work),
    PlanReplaced: (screen.list_work,),
    QuestionOpened: (questions.show, screen.list_anew),
    QuestionClosed: (questions.hide, tell, screen.list_anew),
    InfoChanged: (keep, screen.list_anew),
    ModeChanged: (tell,),
    ConfigReplaced: (tell,),
    UsageChanged: (tell, screen.list_work),
    Noticed: (screen.notice,),
}
