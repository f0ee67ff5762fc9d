"""The ports, but for files: what the program wants of the editor, as small Protocols."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from msgspec import Struct

from acp_nvim.editor.files import Files
from acp_nvim.session.model import Selection
from acp_nvim.view.block import Block, Line
from acp_nvim.view.question.comparison import Comparison
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.question.place import Look
from acp_nvim.view.review.lists import QuickfixList
from acp_nvim.view.review.marks import Drawing, FileReview
from acp_nvim.view.review.overview import Overview
from acp_nvim.view.status import Bar


class Bridge(Protocol):
    """Answers verbs, tells which processes must not outlive the host, knows secrets."""

    def answer(self, call: int, error: str | None, result: Any) -> None:
        """Answer the verb that came with that number.

        The result is plain data, in which `Replace` and `Comparison` of the view may stand.
        """

    async def headers(self, agent: str) -> Mapping[str, str]:
        """Return the headers for a connection to that remote agent, as they are now: secrets.

        Raises `UserError` that names what is wrong with them, never their values.
        """

    def group(self, group: int, alive: bool) -> None:
        """Say that a process group is there now, or that it is gone."""


class ChatWindows(Protocol):
    """The chat and prompt windows; a chat is known by the number of its chat buffer."""

    async def name(self, chat: int, name: str) -> None:
        """Name the chat buffer; the editor makes a taken name another one."""

    async def open(self, agent: str) -> tuple[int, int] | None:
        """Open a chat with that agent; return its chat and its prompt buffer, None if it cannot."""

    async def show(self, chat: int) -> None:
        """Show that chat, with the cursor in its prompt; by the user's command only."""

    async def read(self, portions: Iterable[Sequence[Line]], name: str = "", cwd: str = "") -> None:
        """Show these lines in a buffer of their own, of that name if there is one.

        `cwd` is where what they name is.
        """

    def notes(self, chat: int, notes: Sequence[tuple[str, str, str]]) -> None:
        """Show in the prompt what goes along: key, label and size of each note. Never waits."""


class Choice(Struct, frozen=True):
    """One row of a picker."""

    label: str
    value: Any


class Chooser(Protocol):
    """Asks the user to pick; only ever as the direct result of a user's command."""

    async def choose(self, title: str, kind: str, choices: Sequence[Choice]) -> Any | None:
        """Return the value of the chosen row, or None."""

    def chosen(self, number: int, index: int | None) -> None:
        """Take the user's choice: the number of the picker, and a 0-based row of it, or None."""


class Comparer(Protocol):
    """Shows comparisons, each in a tabpage of its own; only ever by the user's command."""

    async def open(self, key: str, comparison: Comparison) -> bool:
        """Open it in place of that of the same key; False if the editor refuses just now."""

    async def close(self, key: str) -> None:
        """Close it; nothing if the user has done so. All other windows are as before."""


class Follower(Protocol):
    """Shows where the agent is, and moves one window along, never the current one."""

    async def start(self) -> None:
        """Have a window to move; open one if need be. By the user's command only."""

    async def show(self, path: str, line: int | None) -> bool:
        """Put the sign there and move the window; False if the editor refuses just now.

        A file that cannot be opened without a question is not opened.
        """

    async def window(self) -> int | None:
        """Return the window that is moved."""

    def clear(self) -> None:
        """Take the sign away."""

    def stop(self) -> None:
        """Take the sign away and let the window go."""


class LoginProgram(Struct, frozen=True):
    """What a login in a terminal runs; `env` is the whole environment."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str


class LoginTerminals(Protocol):
    """Terminals that the user types in to log in; only ever as the result of a user's command."""

    async def run(self, title: str, program: LoginProgram) -> int | None:
        """Show it until it ends; return its exit code, None if the user closed the terminal.

        When the waiting task is cancelled the program is ended.
        """

    def ended(self, number: int, code: int | None) -> None:
        """Take the end of a terminal: its exit code, None when the user closed it."""


class Notifier(Protocol):
    """Tells the user, and the user's scripts, what happened. Never waits, never raises."""

    def notice(self, text: str, *, warning: bool = False, passing: bool = False) -> None:
        """Show one line of text; `passing`: as long as the user's hands hold up an edit."""

    def attend(self, chat: int, text: str, *, warning: bool = False) -> None:
        """Show one line of text as `ui.notify` says, unless the user sees that chat."""

    def event(self, name: str, data: Mapping[str, Any], *, at_once: bool = False) -> None:
        """Fire `User` autocommand `name` (AcpTurnEnded, …) with plain data, after drawing.

        `at_once`: it waits for no frame.
        """

    def fault(self, error: BaseException) -> None:
        """Log our own mistake with its traceback, and show one line."""

    def redact(self, safe: Callable[[str], str]) -> None:
        """Pass what is said of our own mistakes through that: it may have secrets in it."""


class QuestionWindow(Protocol):
    """One window for all questions that wait, of which it shows one; calls return at once."""

    def draw(
        self, source: Callable[[], Menu | None], opened: Callable[[], None] | None = None
    ) -> None:
        """Show soon what `source` returns then, without taking focus; None closes the window.

        However often it is asked for, it is drawn once a frame. Then `opened` is called.
        """

    def focus(self, question_id: str, *, calmly: bool = False) -> None:
        """Move the cursor into it if it shows that; `calmly`: not under the user's hands."""

    async def browse(self, url: str) -> str | None:
        """Let the system's browser open it; return why that failed, or None."""

    def place(self) -> tuple[int, int] | None:
        """Return its buffer and window (0 while the editor refuses); None while it is closed."""

    def moved(self, buffer: int, window: int) -> None:
        """The editor had to open the window anew."""

    def look(self, look: Look) -> None:
        """The screen is another by now: fit what is shown into it."""

    async def prepare(self, chat: int) -> None:
        """Look at the screen before that chat asks for something, so that it need not wait."""

    async def settled(self) -> bool:
        """Return when all that was asked for so far is on screen; whether it was already."""


Drawn: TypeAlias = Literal["ok", "stale", "gone"]


class HeldRows(Struct, frozen=True):
    """Where lines are that the user has meant, at a changedtick of their buffer.

    `rows` are 0-based; None: the lines are gone.
    """

    tick: int
    rows: range | None


class Reviewer(Protocol):
    """Shows what agents have changed: marks in buffers, quickfix lists, places to go to."""

    async def draw(self, path: str, tick: int, drawing: Drawing) -> Drawn:
        """Replace all marks of the loaded buffer of that resolved path.

        "stale": its changedtick is another, so nothing was done; "gone": there is no such buffer.
        """

    async def update_lists(self, lists: Sequence[QuickfixList], *, make: bool = False) -> None:
        """Bring the quickfix lists up to date, the oldest turn first; what is left out is emptied.

        `make`, by the user's command only: lists that are not there are made, and the last is shown
        as the current one.
        """

    async def files(
        self, reviews: Sequence[FileReview], commented: Sequence[str] = (), *, on: bool = False
    ) -> bool:
        """Tell in which order motions go from file to file, and which files to ask to be drawn:
        those, and the `commented` ones. `on`: all of the review is shown, so that it has keys.

        Return whether there are quickfix lists that want to be brought up to date.
        """

    async def overview(self, buffer: int, whole: Overview) -> None:
        """Draw all changes in that buffer of `:Acp diff`, some rows at a time, until it is gone."""

    async def held(self, buffer: int, mark: int) -> HeldRows | None:
        """Return where lines are that Lua holds on to; None: their buffer is gone."""

    async def open_list(self) -> None:
        """Open a window with the current list; by the user's command only."""

    async def go(self, path: str, line: int) -> None:
        """Show the 1-based line in a window for files; by the user's command only."""


class Picture(Struct, frozen=True):
    """All that is to be seen of one chat at one moment."""

    blocks: Sequence[Block]
    status: Mapping[str, Any]
    """What `status()` returns; becomes `b:acp_status`."""
    winbar: Bar
    paused: bool = False
    """There is more to draw, as soon as others had their turn."""
    faults: tuple[Exception, ...] = ()
    """Why a part of it could not be drawn; a row in its place says so."""


class Screen(Protocol):
    """Draws chats, one small frame at a time."""

    def show(self, chat: int, source: Callable[[], Picture]) -> None:
        """Draw that chat buffer from now on; `source` is asked at each frame that needs it."""

    def touch(self, chat: int) -> None:
        """Say that the chat's picture has changed."""

    def forget(self, chat: int) -> None:
        """Stop drawing it."""

    async def settled(self) -> bool:
        """Return when all that was touched before is on the screen; whether it was already."""


class Finding(Struct, frozen=True):
    """One row of the diagnostics or of the quickfix list; 1-based, 0 is not known."""

    path: str
    line: int
    column: int
    kind: str
    """error, warning, …; "" for a row that is none."""
    text: str


class NamedText(Struct, frozen=True):
    """The lines of a buffer that is no file, and its name."""

    name: str
    lines: tuple[str, ...]
    filetype: str


class Surroundings(Protocol):
    """What the user may speak of besides files, as it is now."""

    async def selection(self) -> Selection | None:
        """Return the last visual selection of the file last worked in, as whole lines."""

    async def viewport(self) -> Selection | None:
        """Return what is to be seen of the file last worked in."""

    async def diagnostics(self, *, here: bool = False) -> Sequence[Finding]:
        """Return those of the file last worked in; `here`: of the line of its cursor."""

    async def enclosing(self, kind: Literal["function", "class"]) -> Selection | None:
        """Return the innermost one around the cursor in the file last worked in."""

    async def marks(self) -> Sequence[Finding]:
        """Return the user's marks: those of the file last worked in, and those of all files."""

    async def open_files(self) -> Sequence[str]:
        """Return the paths of the files that are open."""

    async def quickfix(self) -> Sequence[Finding]:
        """Return the quickfix list."""

    async def text(self, name: Literal["messages", "terminal"]) -> NamedText | None:
        """Return the messages of the editor, or the end of the terminal last used."""

    async def buffer(self, name: str) -> NamedText | None:
        """Return the buffer of that name that is no file, or None."""


class TerminalScreens(Protocol):
    """Terminal buffers of the editor; calls return at once and keep their order."""

    def open(
        self, name: str, *, typed: Callable[[bytes], None], resized: Callable[[int, int], None]
    ) -> int:
        """Make a hidden terminal buffer, and return the number that it has here.

        `typed` is told what the user types into it, `resized` its rows and columns.
        """

    def write(self, number: int, data: bytes) -> None:
        """Show output; when there is more than can be shown, its beginning is left out."""

    def forget(self, number: int) -> None:
        """Let it go: at once, or when it is in no window any more."""

    def buffer(self, number: int) -> int | None:
        """Return the buffer, None if it is not there yet, or the user has wiped it."""

    async def show(self, number: int) -> bool:
        """Open it in a window, with the cursor in it; False if it is gone."""

    def typed(self, number: int, data: bytes) -> None:
        """The user has typed into it."""

    def resized(self, number: int, rows: int, columns: int) -> None:
        """Its windows have another size."""

    async def settled(self) -> bool:
        """Return when each that was opened has its buffer, if not all output; whether it had."""


class ToolAnswers(Protocol):
    """Answers questions of tools; some take as long as a language server does."""

    async def ask(self, question: str, arguments: Mapping[str, Any]) -> Any:
        """Return plain data, as `lua/acp/tools/` has it for that question.

        Whoever is cancelled asks no more, and the language server is told. Raises `EditorError`.
        """

    def answered(self, number: int, error: str | None, result: Any) -> None:
        """Take the answer to the question of that number."""


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
