"""What the program wants of the editor, as small Protocols; `nvim/editor.py` implements them.

Tests fake these, never `vim`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from acp_nvim.editor.files import BufferOptions as BufferOptions
from acp_nvim.editor.files import Busy as Busy
from acp_nvim.editor.files import Files as Files
from acp_nvim.editor.files import LiveBuffer as LiveBuffer
from acp_nvim.session.model import Selection
from acp_nvim.view.block import Block
from acp_nvim.view.question.comparison import Comparison
from acp_nvim.view.question.menu import Menu
from acp_nvim.view.review.lists import QuickfixList
from acp_nvim.view.review.marks import Drawing, FileReview

Drawn: TypeAlias = Literal["ok", "stale", "gone"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One row of the diagnostics or of the quickfix list; 1-based, 0 is not known."""

    path: str
    line: int
    column: int
    kind: str
    """error, warning, …; "" for a row that is none."""
    text: str


@dataclass(frozen=True, slots=True)
class NamedText:
    """The lines of a buffer that is no file, and its name."""

    name: str
    lines: tuple[str, ...]
    filetype: str


class Surroundings(Protocol):
    """What the user may speak of besides files, as it is now."""

    async def selection(self) -> Selection | None:
        """Return the last visual selection of the file last worked in, as whole lines."""

    async def diagnostics(self) -> Sequence[Finding]:
        """Return those of the file last worked in."""

    async def quickfix(self) -> Sequence[Finding]:
        """Return the quickfix list."""

    async def buffer(self, name: str) -> NamedText | None:
        """Return the buffer of that name that is no file, or None."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One row of a picker."""

    label: str
    value: Any


@dataclass(frozen=True, slots=True)
class LoginProgram:
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


class Chooser(Protocol):
    """Asks the user to pick; only ever as the direct result of a user's command."""

    async def choose(self, title: str, kind: str, choices: Sequence[Choice]) -> Any | None:
        """Return the value of the chosen row, or None."""


class Asks(Protocol):
    """Floating menus, one for each pending ask; calls return at once and keep their order."""

    def open(
        self,
        view: Menu,
        announce: Callable[[], None],
        better: Callable[[], Awaitable[Menu]] | None = None,
    ) -> None:
        """Open the menu without taking focus or changing the mode, then call `announce`.

        `better` finds out what to show in place of `view`. It is waited for only briefly: the menu
        opens in any case, and is redrawn when it comes.
        """

    def redraw(self, view: Menu) -> None:
        """Show what an open one looks like now; the cursor stays in its row."""

    async def browse(self, url: str) -> str | None:
        """Let the system's browser open it; return why that failed, or None."""

    def close(self, ask_id: str) -> None:
        """Close it; nothing if it is not open."""

    def focus(self, ask_id: str, *, calmly: bool = False) -> None:
        """Move the cursor into it; `calmly`: not while the user types or selects."""

    def place(self, ask_id: str) -> tuple[int, int] | None:
        """Return buffer and window of an open menu."""

    def moved(self, ask_id: str, buffer: int, window: int) -> None:
        """The editor had to open the menu anew."""

    async def settled(self) -> None:
        """Return when all calls so far are carried out."""


class Comparer(Protocol):
    """Shows comparisons, each in a tabpage of its own; only ever by the user's command."""

    async def open(self, key: str, comparison: Comparison) -> bool:
        """Open it in place of that of the same key; False if the editor refuses just now."""

    async def close(self, key: str) -> None:
        """Close it; nothing if the user has done so. All other windows are as before."""


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

    async def settled(self) -> None:
        """Return when each that was opened has its buffer; output may still be on its way."""


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


class Reviewer(Protocol):
    """Shows what agents have changed: marks in buffers, quickfix lists, places to go to."""

    async def draw(self, path: str, tick: int, drawing: Drawing) -> Drawn:
        """Replace all marks of the loaded buffer of that resolved path.

        "stale": its changedtick is another, so nothing was done; "gone": there is no such buffer.
        """

    async def lists(self, lists: Sequence[QuickfixList], *, make: bool) -> None:
        """Bring the quickfix lists up to date, the oldest turn first; what is left out is emptied.

        `make`, by the user's command only: lists that are not there are made, and the last is shown
        as the current one.
        """

    async def files(self, reviews: Sequence[FileReview]) -> None:
        """Tell in which order motions go from file to file, and which files to ask to be drawn."""

    async def go(self, path: str, line: int) -> None:
        """Show the 1-based line in a window for files; by the user's command only."""


class Notifier(Protocol):
    """Tells the user, and the user's scripts, what happened. Never waits, never raises."""

    def notice(self, text: str, *, warning: bool = False) -> None:
        """Show one line of text."""

    def event(self, name: str, data: Mapping[str, Any]) -> None:
        """Fire `User` autocommand `name` (AcpTurnEnded, …) with plain data, after drawing."""


@dataclass(frozen=True, slots=True)
class Picture:
    """All that is to be seen of one chat at one moment."""

    blocks: tuple[Block, ...]
    status: Mapping[str, Any]
    """What `status()` returns; becomes `b:acp_status`."""
    winbar: str


class Screen(Protocol):
    """Draws chats, one small frame at a time."""

    def show(self, chat: int, source: Callable[[], Picture]) -> None:
        """Draw that chat buffer from now on; `source` is asked at each frame that needs it."""

    def touch(self, chat: int) -> None:
        """Say that the chat's picture has changed."""

    def forget(self, chat: int) -> None:
        """Stop drawing it."""

    async def settled(self) -> None:
        """Return when all that was touched before is on the screen."""
