"""A real Neovim, a real folder, and the services between them: what a plan of steps acts upon."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from tests.proof.codings import Coding, as_bytes, as_text, of_buffer
from tests.proof.lines import Form, join
from tests.support.nvim import Neovim

HANDS = Path(__file__).with_name("hands.lua")
CALL = "local module, name = ...; return require(module)[name](select(3, ...))"
NAMES = ("a.txt", "b.txt", "c.txt", "d.txt", "e.txt")
FORMS = {"b.txt": Form("\r\n"), "c.txt": Form("\n", ended=False)}
OPEN = ("a.txt", "b.txt")
LONG_AGO = 1_000_000_000
"""Seconds since 1970: times of files that the steps write are there, each another one."""


class Shown(Struct, frozen=True):
    """A loaded buffer."""

    text: str
    modified: bool
    wrong: tuple[str, ...]
    """Marks that are not where they ought to be."""

    def is_like(self, other: Shown | None) -> bool:
        """Return whether the other has the same text, saved or not."""
        return other is not None and (self.text, self.modified) == (other.text, other.modified)


class Sight(Struct, frozen=True):
    """Everything at one moment, by name of the file."""

    disk: dict[str, str | None] = field(default_factory=dict)
    shown: dict[str, Shown] = field(default_factory=dict)
    others: dict[str, Shown] = field(default_factory=dict)
    """Buffers to which the user has given names of their own."""

    def live(self, name: str) -> str | None:
        """Return the live text: what the buffer holds, else the disk."""
        shown = self.shown.get(name)
        return shown.text if shown else self.disk[name]


class World:
    """One Neovim for all plans; a fresh folder and no buffers for each."""

    def __init__(self) -> None:
        shared = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self._top = Path(tempfile.mkdtemp(prefix="acp-proof", dir=shared)).resolve()
        self.nvim = _editor()
        self.folder = self._top / "0"
        self._plans = self._times = 0
        self.lingers = self.stays = False
        self.before_call: Callable[[], None] | None = None
        self.on_free: Callable[[], None] | None = None
        self.calls = 0
        self.codings: dict[str, Coding] = {}
        """Of the plan's files that are not in UTF-8, by name."""
        self.at_end: Callable[[], None] = lambda: None
        """What lets go of the last plan."""

    def begin(self) -> None:
        """Forget all; the files are there and two of them open."""
        self.at_end()
        self.end_insert()
        self.codings.clear()
        for ending in ("", ".kept", ".undo"):
            shutil.rmtree(f"{self.folder}{ending}", ignore_errors=True)
        self._plans += 1
        self.folder = self._top / str(self._plans)
        Path(f"{self.folder}.undo").mkdir(parents=True)
        self.hand("reset", f"{self.folder}.undo")
        self.folder.mkdir(parents=True)
        for name in NAMES[:-1]:
            self._make(name)

    def _make(self, name: str, odd: str = "") -> None:
        lines = [f"{odd}{name[0]}{number}" for number in range(1, 9)]
        self.put(name, join(lines, FORMS.get(name, Form())))
        if name in OPEN:
            self.hand("open", self.path(name))

    def code(self, name: str, coding: Coding) -> None:
        """Let that file be in that encoding, in which the user always opens it; a plan begins."""
        self.codings[name] = coding
        self.hand("close", self.path(name), True, "drop")
        self.hand("code", self.path(name), coding.encoding)
        self._make(name, coding.exact)

    def restart(self) -> None:
        """Kill Neovim, and start it anew without any file."""
        self.lingers = False
        self.nvim.kill()
        self.nvim.quit()
        self.nvim = _editor()
        self.hand("reset", f"{self.folder}.undo")
        for name, coding in self.codings.items():
            self.hand("code", self.path(name), coding.encoding)

    def close(self) -> None:
        """End Neovim and leave nothing behind."""
        self.nvim.quit()
        shutil.rmtree(self._top, ignore_errors=True)

    def path(self, name: str) -> str:
        """Return the absolute path."""
        return str(self.folder / name)

    async def lua(self, function: str, *arguments: Any) -> Any:
        """Call the plugin's Lua as the host does; `before_call` comes first, once.

        Where an edit must wait for the user, the user's insert ends at once, unless it `stays`.
        """
        if self.before_call:
            self.before_call()
        self.calls += 1
        module, _, name = function.rpartition(".")
        result = self.nvim.lua(CALL, module, name, *arguments)
        if isinstance(result, dict) and "busy" in result:
            assert self.lingers, f"busy without the user's hands: {result}"
            if not self.stays:
                self.end_insert()
                if self.on_free:
                    self.on_free()
        return result

    def hand(self, name: str, *arguments: Any) -> Any:
        """Call one of the user's hands (hands.lua)."""
        return self.nvim.lua("return hands[...](select(2, ...))", name, *arguments)

    def act(self, name: str, typed: str, command: str = "") -> str:
        """Let the user type, or run a command, in that file; return what Neovim complains of."""
        self.end_insert()
        return str(self.hand("act", self.path(name), typed, command))

    def linger(self, name: str, typed: str) -> None:
        """Let the user type and stay in insert mode."""
        self.end_insert()
        self.hand("open", self.path(name))
        self.nvim.input(typed)
        self.lingers = True

    def is_open(self, name: str) -> bool:
        """Return whether a buffer has that file."""
        return bool(self.nvim.lua("return vim.fn.bufloaded(...)", self.path(name)))

    def end_insert(self, keys: str = "<Esc>") -> None:
        """Let the user leave insert mode, by these keys."""
        if self.lingers:
            self.nvim.input(keys)
            self.lingers = False

    def put(self, name: str, text: str | None, *, rename: bool = False) -> None:
        """Make the disk hold that text, as any program would; None removes the file."""
        path = Path(self.path(name))
        if text is None:
            path.unlink()
            return
        target = path.with_name("written by a tool") if rename else path
        target.write_bytes(as_bytes(text))
        self.stamp(target)
        if rename:
            target.rename(path)

    def stamp(self, path: Path) -> None:
        """Give the file a time that no file has had."""
        self._times += 1
        os.utime(path, (LONG_AGO, LONG_AGO + self._times))

    def disk(self, name: str) -> str | None:
        """Return what the disk holds."""
        try:
            return as_text(Path(self.path(name)).read_bytes())
        except FileNotFoundError:
            return None

    def look(self) -> Sight:
        """Return everything as it is, and put fresh marks on the lines."""
        sight = Sight({name: self.disk(name) for name in NAMES})
        for row in self.hand("look"):
            folder, name = os.path.split(row["path"])
            if folder == str(self.folder):
                there = sight.shown if name in NAMES else sight.others
                there[name] = Shown(_text(row), row["modified"], tuple(row["wrong"]))
        return sight


def _editor() -> Neovim:
    nvim = Neovim(columns=80, lines=24)
    nvim.lua("dofile(...)", str(HANDS))
    nvim.lua("require('acp.files.stamps')")  # as a chat does, before the user opens files
    return nvim


def _text(row: dict[str, Any]) -> str:
    """Return what Neovim would write; counted apart from the plugin's own code for that."""
    if row["empty"]:
        return ""
    end = "\r\n" if row["fileformat"] == "dos" else "\n"
    return end.join(of_buffer(row["lines"], row["encoding"])) + (end if row["endofline"] else "")
