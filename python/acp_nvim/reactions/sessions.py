"""What follows from an event of a session: one table. Nothing in it waits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from acp_nvim.client.session import Session
from acp_nvim.reactions import disk, follow, notes, questions, screen
from acp_nvim.session.event import (
    CancelRequested,
    ConfigReplaced,
    Event,
    InfoChanged,
    ModeChanged,
    Noticed,
    PromptSent,
    QuestionClosed,
    QuestionOpened,
    SessionClosed,
    SessionOpened,
    SessionReopening,
    ToolCallUpdated,
    TurnEnded,
    TurnStarted,
    UsageChanged,
)
from acp_nvim.session.state import SessionState
from acp_nvim.view.announcement import announce
from acp_nvim.workspace.host import Host

Reaction: TypeAlias = Callable[[Host, Session, SessionState, Any], None]
"""Takes the session, its state before the event, and the event."""


def changed(host: Host, session: Session, before: SessionState, event: Event) -> None:
    """Draw the session's chat, and do what else follows; see `client.session.Listener`."""
    screen.touch(host, session)
    for react in REACTIONS.get(type(event), ()):
        react(host, session, before, event)


def keep(host: Host, session: Session, _before: SessionState, _event: Event) -> None:
    """Keep the session on disk as it is now."""
    host.store.note(session.state)


def tell(host: Host, session: Session, before: SessionState, event: Event) -> None:
    """Tell the user's scripts."""
    if found := announce(before, event, session.state):
        host.editor.notifier.event(*found)


REACTIONS: Mapping[type[Event], tuple[Reaction, ...]] = {
    SessionOpened: (screen.name, keep, disk.prepare, notes.look_again, tell),
    SessionReopening: (disk.forget, follow.begin),
    SessionClosed: (disk.forget, tell, follow.begin),
    CancelRequested: (disk.let_go,),
    TurnStarted: (tell, follow.begin),
    PromptSent: (disk.begin, notes.look_again),
    TurnEnded: (keep, disk.sweep, notes.look_again, tell),
    ToolCallUpdated: (disk.look, tell, follow.walk),
    QuestionOpened: (questions.show,),
    QuestionClosed: (questions.hide, tell),
    InfoChanged: (keep,),
    ModeChanged: (tell,),
    ConfigReplaced: (tell,),
    UsageChanged: (tell,),
    Noticed: (screen.notice,),
}
