"""An editor without an editor: fakes of all ports in one bundle.

`fake_editor(chooser=…)` puts another one in the place of a fake.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from acp_nvim.editor import (
    Bridge,
    ChatWindows,
    Choice,
    Chooser,
    Comparer,
    Editor,
    LoginProgram,
    LoginTerminals,
    Picture,
    QuestionWindow,
    Screen,
    ToolAnswers,
)
from acp_nvim.view.question.comparison import Comparison
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.place import Look
from tests.support.fakes.fake_ports import (
    FakeFiles,
    FakeFollower,
    FakeNotifier,
    FakeReviewer,
    FakeScreens,
    FakeSurroundings,
)


class FakeScreen(Screen):
    """Draws nothing; keeps which chats were touched, in order."""

    def __init__(self) -> None:
        self.touched: list[int] = []

    def show(self, chat: int, source: Callable[[], Picture]) -> None:
        self.touched.append(chat)

    def touch(self, chat: int) -> None:
        self.touched.append(chat)

    def forget(self, chat: int) -> None:
        self.touched = [it for it in self.touched if it != chat]

    async def settled(self) -> bool:
        return True


class FakeChats(ChatWindows):
    """Keeps the names of chats and what goes along with their prompts; opens none."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.noted: list[tuple[int, list[tuple[str, str, str]]]] = []

    async def name(self, chat: int, name: str) -> None:
        self.names[chat] = name

    async def open(self, agent: str) -> tuple[int, int] | None:
        return None

    async def show(self, chat: int) -> None:
        return

    def notes(self, chat: int, notes: Sequence[tuple[str, str, str]]) -> None:
        self.noted.append((chat, list(notes)))


class FakeToolAnswers(ToolAnswers):
    """Answers questions with what a test has put under their names; keeps what was asked."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {"own.list": []}
        self.asked: list[tuple[str, Mapping[str, Any]]] = []

    async def ask(self, question: str, arguments: Mapping[str, Any]) -> Any:
        self.asked.append((question, arguments))
        answer = self.answers[question]
        return await answer(arguments) if callable(answer) else answer

    def answered(self, number: int, error: str | None, result: Any) -> None:
        return


class FakeQuestionWindow(QuestionWindow):
    """Keeps what it shows, drawn at once, and which questions were focused."""

    def __init__(self) -> None:
        self.shown: Menu | None = None
        self.focused: list[str] = []

    def draw(
        self, source: Callable[[], Menu | None], opened: Callable[[], None] | None = None
    ) -> None:
        self.shown = source()
        if opened is not None:
            opened()

    async def browse(self, url: str) -> str | None:
        return None

    def focus(self, question_id: str, *, calmly: bool = False) -> None:
        self.focused.append(question_id)

    def place(self) -> tuple[int, int] | None:
        return None if self.shown is None else (1, 1000)

    def moved(self, buffer: int, window: int) -> None:
        return

    def look(self, look: Look) -> None:
        return

    async def prepare(self, chat: int) -> None:
        return

    async def settled(self) -> bool:
        return True


class FakeComparer(Comparer):
    """Keeps the comparisons that are open."""

    def __init__(self) -> None:
        self.shown: dict[str, Comparison] = {}

    async def open(self, key: str, comparison: Comparison) -> bool:
        self.shown[key] = comparison
        return True

    async def close(self, key: str) -> None:
        self.shown.pop(key, None)


class FakeChooser(Chooser):
    """Picks the row of that index, or nothing; keeps what was offered."""

    def __init__(self) -> None:
        self.pick: int | None = None
        self.offered: list[tuple[str, list[str]]] = []

    async def choose(self, title: str, kind: str, choices: Sequence[Choice]) -> Any | None:
        self.offered.append((kind, [choice.label for choice in choices]))
        return None if self.pick is None else choices[self.pick].value

    def chosen(self, number: int, index: int | None) -> None:
        return


class FakeLogins(LoginTerminals):
    """Every login ends at once, and well."""

    async def run(self, title: str, program: LoginProgram) -> int | None:
        return 0

    def ended(self, number: int, code: int | None) -> None:
        return


class FakeBridge(Bridge):
    """Keeps the answers to verbs, by the number of the call."""

    def __init__(self) -> None:
        self.answers: dict[int, tuple[str | None, Any]] = {}

    def answer(self, call: int, error: str | None, result: Any) -> None:
        self.answers[call] = (error, result)

    async def headers(self, agent: str) -> Mapping[str, str]:
        return {}

    def group(self, group: int, alive: bool) -> None:
        return


def fake_editor(**parts: Any) -> Editor:
    """Return an editor of fakes, with `parts` in place of some."""
    fakes: dict[str, Any] = {
        "files": FakeFiles(),
        "surroundings": FakeSurroundings(),
        "chats": FakeChats(),
        "screen": FakeScreen(),
        "questions": FakeQuestionWindow(),
        "comparer": FakeComparer(),
        "chooser": FakeChooser(),
        "logins": FakeLogins(),
        "terminals": FakeScreens(),
        "follower": FakeFollower(),
        "reviewer": FakeReviewer(),
        "notifier": FakeNotifier(),
        "tools": FakeToolAnswers(),
        "bridge": FakeBridge(),
        "runners": (),
    }
    return Editor(**(fakes | parts))
