"""What the user does in the editor."""

from __future__ import annotations

from tests.proof.deciding import text_of
from tests.proof.lines import agents, bodies
from tests.proof.model import UNSURE
from tests.proof.own_writes import OwnWrites
from tests.proof.steps import User
from tests.proof.world import NAMES

GOES = ("close", "drop", "wipe", "reopen", "rename", "save as")
"""Acts after which the file is not open any more."""


class UserSteps(OwnWrites):
    """Acts by keys and commands; what may go then is known by the act."""

    async def _user(self, step: User) -> None:
        """Act, and have the client look where the user opens or saves a file, unless it is late."""
        name = NAMES[step.file % len(NAMES)]
        is_late = step.to % 4 == 3
        if name not in self.sight.shown and not is_late:
            self._act(User("open", step.file), name)
            await self._settle(0, (name,), named=False)
        if step.act in GOES and name in self.late:
            # no text is left of what was saved, should the file go before the event has come
            await self._settle(0, (name,), named=False)
        self._act(step, name)
        if step.act == "save as":
            await self.services.look(0, next(reversed(self.own_files)), named=False)
        if step.act in ("save", "quiet save", "revert"):
            if is_late:
                self.late.add(name)
            else:
                await self._settle(0, (name,), named=False)

    def _act(self, step: User, name: str) -> None:
        before = self.sight
        lines = bodies(before.live(name)) or [""]
        row = step.at % len(lines) + 1
        word = self._user_word(name)
        match step.act:
            case "save" | "quiet save":
                quiet = "noautocmd " if step.act == "quiet save" else ""
                self._save(name, "y" if step.at % 2 else "n", quiet)
                if text_of(before, name) != text_of(self.sight, name):
                    self.pristine[name] = UNSURE  # the user has brought back what was gone
                return
            case "linger":
                self.world.linger(name, f"{row}GA {word}")
            case it if it in GOES:
                self._let_go(step.act, name)
            case _:
                to = step.to % (len(lines) + 1)
                self.world.act(name, *_keys(step.act, row, to, word))
        self.sight = self.world.look()
        self._has_acted(name, before, drops=step.act == "revert")
        if step.act == "copy":  # which of the two is whose cannot be known
            self.pending[name] -= agents(lines[row - 1])
            self.kept_words |= agents(lines[row - 1])  # also where nobody has looked yet
        if step.act == "revert":
            self.unwritten.add(name)
        shown = before.shown.get(name)
        is_reopened = step.act == "reopen" and shown and not shown.modified
        if step.act == "revert" or is_reopened or shown is None:
            self.origin[name] = self.sight.disk[name]
        come = {*self.sight.shown} - {*before.shown}  # Neovim goes there from what is closed
        self.origin |= {it: self.sight.disk[it] for it in come}

    def _let_go(self, act: str, name: str) -> None:
        match act:
            case "reopen":
                self._reopen(name)
            case "rename" | "save as":
                self._give_name(name, act)
            case _:
                self.world.hand("close", self.world.path(name), act == "drop", act)

    def _reopen(self, name: str) -> None:
        """Wipe out the buffer and open the file anew: with 'undofile' its history goes on, but that
        of a file that is empty."""
        same = self.sight.live(name) == self.sight.disk[name]
        history = self.world.hand("reopen", self.world.path(name))
        if history and same and self.sight.disk[name] and name not in self.unwritten:
            self._assert(history[0] == history[1], f"{name}: the undo history is lost: {history}")

    def _give_name(self, name: str, act: str) -> None:
        """Give the buffer, and with "save as" its text, a name that the plan has no file of."""
        path = self.world.path(f"x{next(self._numbers)}.txt")
        shown = self.sight.shown.get(name)
        self.world.act(name, "", f"file {path}" if act == "rename" else f"saveas {path}")
        if act == "save as":
            self.own_files[path] = shown.text if shown else self.sight.disk[name] or ""

    def _save(self, name: str, answer: str, quiet: str) -> None:
        shown = self.sight.shown.get(name)
        if shown is None:
            self.origin[name] = self.sight.disk[name]  # it is opened first
        behind = self.sight.disk[name] != self.origin[name] or self._conflicts(name)
        may_refuse = answer == "n" or self.origin[name] is None  # E13: the file exists
        unheard = agents(self.sight.disk[name]) - self.reported[name]
        unseen = agents(self.sight.disk[name]) - agents(self.seen[name])
        self._excuse(name)
        still_modified = self.world.hand("save", self.world.path(name), answer, quiet)
        self.sight = now = self.world.look()
        if still_modified:
            is_newer = behind or name in self.touched
            self._assert(is_newer and may_refuse, f"Neovim asked, or refused, at :w of {name}")
        is_written = now.disk[name] == now.live(name)
        if still_modified or (behind and may_refuse and not is_written):
            return
        self.touched.discard(name)
        self.unwritten.discard(name)
        self.origin[name] = now.disk[name]
        self.kept_words |= unheard  # the user has written them before anybody looked
        self.pending[name] -= unseen  # so with what was gone by then
        if not quiet or (shown and shown.modified):
            self.seen[name] = now.disk[name]  # what is written as it was, without news, is not
        self.unsaved[name].clear()
        self.shared.discard(name)
        if shown or now.disk[name] is not None:
            self._assert(now.disk[name] == now.live(name), f"{name} differs from its file")


def _keys(act: str, row: int, to: int, word: str) -> tuple[str, str]:
    """Return what the user types, and the command they run."""
    typed = {
        "insert": f"{row}Go{word}<Esc>",
        "above": f"{row}GO{word}<Esc>",
        "amend": f"{row}GA {word}<Esc>",
        "replace": f"{row}Gcc{word}<Esc>",
        "delete": f"{row}Gdd",
        "join": f"{row}GJ",
        "undo": "u",
        "redo": "<C-r>",
    }
    command = {
        "substitute": f"g/{row % 10}$/s/$/ {word}/",
        "global": f"g/{row % 10}$/d _",
        "move": f"{row}m{min(to, row - 1)}",
        "copy": f"{row}t{to}",
        "revert": "edit!",
        "split": ("split", "tab split", "only", "vsplit")[row % 4],
    }
    return typed.get(act, ""), command.get(act, "")
