"""What the user does in the editor."""

from __future__ import annotations

from tests.proof.deciding import text_of
from tests.proof.lines import agents, bodies, users
from tests.proof.model import UNSURE
from tests.proof.own_writes import OwnWrites
from tests.proof.steps import User
from tests.proof.world import NAMES


class UserSteps(OwnWrites):
    """Acts by keys and commands; what may go then is known by the act."""

    async def _user(self, step: User) -> None:
        """Act, and have the client look where the user opens or saves a file, unless it is late."""
        name = NAMES[step.file % len(NAMES)]
        is_late = step.to % 4 == 3
        if name not in self.sight.shown and not is_late:
            self._act(User("open", step.file), name)
            await self._settle(0, (name,))
        if step.act in ("close", "drop") and name in self.late:
            # no text is left of what was saved, should the file go before the event has come
            await self._settle(0, (name,))
        self._act(step, name)
        self.late.discard(name)
        if step.act in ("save", "quiet save", "revert"):
            if is_late:
                self.late.add(name)
            else:
                await self._settle(0, (name,))

    def _act(self, step: User, name: str) -> None:
        loaded = set(self.sight.shown)
        lines = bodies(self.sight.live(name)) or [""]
        row = step.at % len(lines) + 1
        word = self._user_word(name)
        match step.act:
            case "save" | "quiet save":
                before = self.sight
                quiet = "noautocmd " if step.act == "quiet save" else ""
                self._save(name, "y" if step.at % 2 else "n", quiet)
                if text_of(before, name) != text_of(self.sight, name):
                    self.pristine[name] = UNSURE  # the user has brought back what was gone
                return
            case "close" | "drop":
                self.world.hand("close", self.world.path(name), step.act == "drop")
            case "linger":
                self.world.linger(name, f"{row}GA {word}")
            case _:
                to = step.to % (len(lines) + 1)
                self.world.act(name, *_keys(step.act, row, to, word))
        before, self.sight = self.sight, self.world.look()
        self._excuse(name)
        was, now = users(before.live(name)), users(self.sight.live(name))
        self.taken_out = ((self.taken_out | (was - now)) - (now - was)) | self.adopted
        stays = users(self.sight.live(name)) if name in self.sight.shown else set()
        self.put_away |= self.unsaved[name] - stays
        self.unsaved[name] &= stays
        if text_of(before, name) != text_of(self.sight, name):
            is_there = users(self.sight.disk[name]) - self.put_away  # `u` has brought it back
            self.unsaved[name] |= now - was - is_there
            self.pristine[name] = UNSURE
            self.acted.add(name)
            self.pending[name] &= agents(self.sight.live(name))
        if step.act == "copy":  # which of the two is whose cannot be known
            self.pending[name] -= agents(lines[row - 1])
        if step.act == "revert" or name not in loaded:
            self.origin[name] = self.sight.disk[name]

    def _excuse(self, name: str) -> None:
        """The user has acted upon what the client was late to look at: whose is it, then?"""
        if self._unsettled(name) or self._conflicts(name):
            self.reported[name] |= agents(self.sight.disk[name])
            self.pristine[name] = UNSURE

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
    }
    return typed.get(act, ""), command.get(act, "")
