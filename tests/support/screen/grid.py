"""What a user sees: a UI attached to a Neovim, its text grid and its attribute grid.

screen = Screen(nvim, columns=80, rows=24)
screen.wait_for("Starting tutor")
assert "AcpUser" in screen.cell(3, 10).groups
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from tests.support.nvim import Neovim
from tests.support.rpc import NOTIFICATION, Rpc


@dataclass(frozen=True, slots=True)
class Attributes:
    """How a cell is drawn; a colour is 0xRRGGBB, None the default.

    `groups` are the highlight groups, the innermost last, each as the group that its links lead to.
    """

    foreground: int | None = None
    background: int | None = None
    bold: bool = False
    italic: bool = False
    underline: bool = False
    strikethrough: bool = False
    reverse: bool = False
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """One screen cell; the second cell of a wide character has the text ""."""

    text: str = " "
    attributes: Attributes = Attributes()

    @property
    def groups(self) -> tuple[str, ...]:
        return self.attributes.groups


@dataclass(frozen=True, slots=True)
class Picture:
    """The whole screen at one moment, as Neovim wanted it to be seen (after `flush`)."""

    rows: tuple[tuple[Cell, ...], ...]
    cursor: tuple[int, int]
    mode: str
    foreground: int
    background: int

    def text(self) -> list[str]:
        return ["".join(cell.text for cell in row).rstrip() for row in self.rows]


@dataclass
class _Grid:
    """The grid while events change it."""

    rows: list[list[Cell]] = field(default_factory=list)
    cursor: tuple[int, int] = (0, 0)
    mode: str = "normal"
    defaults: tuple[int, int] = (0xD0D0D0, 0x101010)
    table: dict[int, Attributes] = field(default_factory=lambda: {0: Attributes()})

    def grid_resize(self, _grid: int, width: int, height: int) -> None:
        self.rows = [[Cell()] * width for _ in range(height)]

    def grid_clear(self, _grid: int) -> None:
        self.rows = [[Cell()] * len(row) for row in self.rows]

    def default_colors_set(self, foreground: int, background: int, *_rest: Any) -> None:
        self.defaults = foreground, background

    def hl_attr_define(
        self, number: int, rgb: dict[str, Any], _terminal: Any, info: list[dict[str, Any]]
    ) -> None:
        names = (entry.get("hi_name") or entry.get("ui_name", "") for entry in info)
        self.table[number] = Attributes(
            foreground=rgb.get("foreground"),
            background=rgb.get("background"),
            bold=rgb.get("bold", False),
            italic=rgb.get("italic", False),
            underline=rgb.get("underline", False),
            strikethrough=rgb.get("strikethrough", False),
            reverse=rgb.get("reverse", False),
            groups=tuple(dict.fromkeys(name for name in names if name)),
        )

    def grid_line(self, _grid: int, row: int, column: int, cells: list[Any], *_rest: Any) -> None:
        number = 0
        for text, *more in cells:
            number = more[0] if more else number
            for _ in range(more[1] if len(more) > 1 else 1):
                self.rows[row][column] = Cell(text, self.table[number])
                column += 1

    def grid_scroll(
        self, _grid: int, top: int, bottom: int, left: int, right: int, rows: int, _columns: int
    ) -> None:
        order = range(top, bottom - rows) if rows > 0 else range(bottom - 1, top - rows - 1, -1)
        for row in order:
            self.rows[row][left:right] = self.rows[row + rows][left:right]

    def grid_cursor_goto(self, _grid: int, row: int, column: int) -> None:
        self.cursor = row, column

    def mode_change(self, mode: str, _index: int) -> None:
        self.mode = mode

    def picture(self) -> Picture:
        rows = tuple(tuple(row) for row in self.rows)
        return Picture(rows, self.cursor, self.mode, *self.defaults)


class Screen:
    """A UI of one Neovim. A thread of its own reads the redraw events until `close`."""

    def __init__(self, nvim: Neovim, columns: int = 80, rows: int = 24) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(nvim.socket)
        self._rpc = Rpc(self._socket.fileno(), self._socket.fileno())
        self._changed = threading.Condition()
        self._grid = _Grid()
        self._picture: Picture | None = None
        options = {"rgb": True, "ext_linegrid": True, "ext_hlstate": True}
        self._rpc.notify("nvim_ui_attach", columns, rows, options)
        self._thread = threading.Thread(target=self._read, name="screen", daemon=True)
        self._thread.start()
        self.wait(lambda picture: len(picture.rows) == rows)

    def picture(self) -> Picture:
        """Return what is on screen now."""
        with self._changed:
            assert self._picture
            return self._picture

    def text(self) -> list[str]:
        """Return the rows of text, without blanks at their ends."""
        return self.picture().text()

    def attributes(self) -> list[list[Attributes]]:
        """Return the rows of attributes."""
        return [[cell.attributes for cell in row] for row in self.picture().rows]

    def cell(self, row: int, column: int) -> Cell:
        """Return one cell; both numbers are 0-based."""
        return self.picture().rows[row][column]

    def find(self, text: str) -> tuple[int, int] | None:
        """Return row and column of the first place that shows the text."""
        for row, cells in enumerate(self.picture().rows):
            line = "".join(cell.text or "\0" for cell in cells)
            if (column := line.find(text)) >= 0:
                return row, column
        return None

    def wait(self, predicate: Callable[[Picture], Any], timeout: float = 40) -> Picture:
        """Wait until a picture pleases the predicate; raises TimeoutError with the last one."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while self._picture is None or not predicate(self._picture):
                if not self._changed.wait(max(0, deadline - time.monotonic())):
                    shown = "\n".join(self._picture.text()) if self._picture else "(nothing)"
                    raise TimeoutError(f"never on screen; now:\n{shown}")
            return self._picture

    def wait_for(self, text: str, timeout: float = 40) -> Picture:
        """Wait until some row shows the text."""
        return self.wait(lambda picture: any(text in row for row in picture.text()), timeout)

    def wait_gone(self, text: str, timeout: float = 40) -> Picture:
        """Wait until no row shows the text."""
        return self.wait(lambda picture: not any(text in row for row in picture.text()), timeout)

    def resize(self, columns: int, rows: int) -> None:
        """Give the UI another size."""
        self._rpc.notify("nvim_ui_try_resize", columns, rows)
        self.wait(lambda picture: len(picture.rows) == rows and len(picture.rows[0]) == columns)

    def close(self) -> None:
        """Detach, and end the thread."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(40)
        self._socket.close()

    def _read(self) -> None:
        while True:
            try:
                kind, *rest = self._rpc.receive(time.monotonic() + 3600, "redraw")
            except (EOFError, OSError):
                return
            if kind == NOTIFICATION and rest[0] == "redraw":
                self._redraw(rest[1])

    def _redraw(self, batch: list[list[Any]]) -> None:
        for name, *calls in batch:
            if name == "flush":
                with self._changed:
                    self._picture = self._grid.picture()
                    self._changed.notify_all()
            elif handle := getattr(self._grid, name, None):
                for arguments in calls:
                    handle(*arguments)

    def __enter__(self) -> Screen:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
