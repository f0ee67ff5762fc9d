"""All of the editor that the program wants, in one bundle."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from msgspec import Struct

from acp_nvim.editor.bridge import Bridge
from acp_nvim.editor.chats import ChatWindows
from acp_nvim.editor.chooser import Chooser
from acp_nvim.editor.comparer import Comparer
from acp_nvim.editor.files import Files
from acp_nvim.editor.follower import Follower
from acp_nvim.editor.logins import LoginTerminals
from acp_nvim.editor.notifier import Notifier
from acp_nvim.editor.questions import QuestionWindow
from acp_nvim.editor.reviewer import Reviewer
from acp_nvim.editor.screen import Screen
from acp_nvim.editor.surroundings import Surroundings
from acp_nvim.editor.terminals import TerminalScreens
from acp_nvim.editor.tools import ToolAnswers


class Editor(Struct, frozen=True):
    """The ports; an editor of another kind is another one of these."""

    files: Files
    surroundings: Surroundings
    chats: ChatWindows
    screen: Screen
    questions: QuestionWindow
    comparer: Comparer
    chooser: Chooser
    logins: LoginTerminals
    terminals: TerminalScreens
    follower: Follower
    reviewer: Reviewer
    notifier: Notifier
    tools: ToolAnswers
    bridge: Bridge
    runners: tuple[Callable[[], Awaitable[None]], ...]
    """What must run, for ever, for the rest to work."""
