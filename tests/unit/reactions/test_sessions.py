"""What follows from an event of a session, and what does not."""

from __future__ import annotations

import inspect
import re
from types import SimpleNamespace
from typing import Any, cast, get_args

import pytest

from acp_nvim.client.session import Session
from acp_nvim.reactions.screen import chat_name
from acp_nvim.reactions.sessions import REACTIONS, changed, tell
from acp_nvim.session.content import Text
from acp_nvim.session.event import ChunkReceived, CommandsReplaced, Event, ModeChanged
from acp_nvim.session.model import Command
from acp_nvim.view import announcement
from acp_nvim.workspace.chat import Chat
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.tasks import Pulse
from acp_nvim.workspace.workspace import Workspace
from tests.support.fakes.fake_editor import FakeScreen
from tests.support.fakes.fake_ports import FakeNotifier
from tests.unit.session.conversation import OPENED, after

CHAT = 7


class Stand:
    """A chat of a host that has nothing but a screen and scripts."""

    def __init__(self) -> None:
        self.screen, self.notifier = FakeScreen(), FakeNotifier()
        workspace = Workspace()
        editor = SimpleNamespace(screen=self.screen, notifier=self.notifier)
        self.host = cast(Host, SimpleNamespace(editor=editor, workspace=workspace, pulse=Pulse()))
        self.session = Session("tutor", "/p", lambda *it: changed(self.host, *it))
        self.session.state = after(OPENED)
        workspace.chats[CHAT] = Chat(CHAT, 8, self.session, lambda: 0.0)


def test_a_chunk_is_drawn_and_nothing_else_hears_of_it() -> None:
    stand = Stand()
    stand.session.apply(ChunkReceived("agent", Text("hello")))
    assert stand.screen.touched == [CHAT]
    assert ChunkReceived not in REACTIONS


def test_a_session_without_a_chat_is_not_drawn() -> None:
    stand = Stand()
    stand.host.workspace.chats.clear()
    stand.session.apply(ChunkReceived("agent", Text("hello")))
    assert stand.screen.touched == []


def test_scripts_hear_of_it_after_the_chat_was_touched() -> None:
    stand = Stand()
    stand.session.apply(ModeChanged("code"))
    assert stand.screen.touched == [CHAT]
    assert [name for name, _ in stand.notifier.events] == ["AcpModeChanged"]


def test_scripts_are_told_of_each_event_that_has_something_for_them() -> None:
    source = inspect.getsource(announcement)
    announced = {it for it in get_args(Event) if re.search(rf"case .*\b{it.__name__}\(", source)}
    assert announced == {it for it, reactions in REACTIONS.items() if tell in reactions}


@pytest.mark.parametrize(
    ("agent", "session_id", "name"),
    [("a", "b-1._", "acp://a/b-1._"), ("a b", "x/~y", "acp://a%20b/x%2F%7Ey")],
)
def test_the_name_of_a_chat_is_encoded(agent: str, session_id: str, name: str) -> None:
    assert chat_name(agent, session_id) == name


def test_what_completion_offers_is_made_anew_when_the_commands_are_others() -> None:
    stand = Stand()
    chat = stand.host.workspace.chats[CHAT]

    def offered() -> Any:
        return chat.picture().status["commands"]

    before = offered()
    stand.session.apply(ChunkReceived("agent", Text("hello")))
    assert offered() is before
    stand.session.apply(CommandsReplaced((Command("plan", "makes a plan"),)))
    assert {"name": "plan", "description": "makes a plan"} in offered()
    chat.prompts = {"mine": "Do it"}
    assert [it["name"] for it in offered()][:2] == ["mine", "plan"]
