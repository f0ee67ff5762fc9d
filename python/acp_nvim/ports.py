"""What the program wants of the editor, as small Protocols; `nvim/editor.py` implements them.

Tests fake these, never `vim`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from acp_nvim.hunks import Hunk
from acp_nvim.session.noun import Selection
from acp_nvim.view.block import Block, Line


@dataclass(frozen=True, slots=True)
class LiveBuffer:
    """A loaded buffer at one moment.

    `lines` are as `nvim_buf_get_lines` gives them: without line ends, a NUL is "\\0", a byte that
    is no UTF-8 is a lone surrogate.
    `fileformat`: unix, dos or mac. `encoding`: 'fileencoding', "" means utf-8. `empty`: a buffer
    of zero bytes, which also has one line, "".
    """

    number: int
    changedtick: int
    lines: tuple[str, ...]
    modified: bool
    modifiable: bool = True
    readonly: bool = False
    fileformat: str = "unix"
    encoding: str = "utf-8"
    bom: bool = False
    endofline: bool = True
    empty: bool = False


@dataclass(frozen=True, slots=True)
class BufferOptions:
    """How the text of a buffer is to be written, so that its bytes are exact."""

    fileformat: str = "unix"
    encoding: str = "utf-8"
    bom: bool = False
    endofline: bool = True


class Files(Protocol):
    """Live buffers of the editor. Paths are absolute and resolved (no symlinks)."""

    async def loaded(self, path: str) -> LiveBuffer | None:
        """Return the loaded file buffer of that path, or None."""

    async def loaded_paths(self, roots: Sequence[str]) -> Sequence[str]:
        """Return the resolved paths of all loaded file buffers below the roots."""

    async def write(
        self, buffer: LiveBuffer, hunks: Sequence[Hunk], options: BufferOptions
    ) -> bool:
        """Apply line hunks and save, in one step; False when the buffer has changed meanwhile.

        The hunks' positions are those of `buffer.lines`. One undo step of its own. No autocommand
        that could change the text runs; BufWritePost does. Raises `AskFailed` when the editor
        cannot save, and the buffer is then as it was.
        """

    async def follow(
        self, buffer: LiveBuffer, hunks: Sequence[Hunk], options: BufferOptions
    ) -> bool:
        """Apply line hunks so that the unmodified buffer equals the disk again, and settle it.

        As `write`, but nothing is written: the buffer stays unmodified and Neovim forgets that the
        file changed (no W11, no W12).
        """

    async def selection(self, selection: Selection) -> Selection:
        """Return it as it stands now and drop its mark; unchanged if its buffer is gone."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One row of a picker."""

    label: str
    value: Any


class Chooser(Protocol):
    """Asks the user to pick; only ever as the direct result of a user's command."""

    async def choose(self, title: str, kind: str, choices: Sequence[Choice]) -> Any | None:
        """Return the value of the chosen row, or None."""


@dataclass(frozen=True, slots=True)
class AskView:
    """The permission float: its text, and which of its lines are options (0-based rows)."""

    id: str
    title: str
    footer: str
    lines: tuple[Line, ...]
    option_rows: tuple[int, ...]
    option_ids: tuple[str, ...]
    detail: tuple[Line, ...]
    """The full diff or text that `d` shows; empty when there is no more to show."""
    chat: int = 0
    """Buffer of the chat that it belongs to."""
    detail_filetype: str = ""


class Asks(Protocol):
    """Floating menus, one for each pending ask; calls return at once and keep their order."""

    def open(self, view: AskView, announce: Callable[[], None]) -> None:
        """Open the menu without taking focus or changing the mode, then call `announce`."""

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
