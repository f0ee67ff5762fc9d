"""The user writes files past `:write`: what the editor wrote is the user's, and told to nobody."""

from __future__ import annotations

from tests.proof.deciding import text_of
from tests.proof.lines import agents, bodies, split, users
from tests.proof.model import UNSURE, Model
from tests.proof.steps import OwnWrite
from tests.proof.world import NAMES, Sight

COMMANDS = {
    "other": "write! {path}",
    "part": "1,2write! {path}",
    "append": "write! >> {path}",
    "save as": "saveas! {path}",
    "script": "call writefile(0z{data}, '{path}', 'a')",
}


class OwnWrites(Model):
    """From the buffer of one file into another file; a script writes by itself."""

    async def _own_write(self, step: OwnWrite) -> None:
        name, other = NAMES[step.file % len(NAMES)], NAMES[step.other % len(NAMES)]
        if name not in self.sight.shown or not self._may_write(step, name, other):
            return
        if step.how == "save as" and name in self.late:
            await self._settle(0, (name,), named=False)
        before = self.sight
        word, coding = self._user_word(other), self.world.codings.get(other)
        data = f"{word}\n".encode(coding.codec if coding else "utf-8").hex()
        self.world.act(name, "", COMMANDS[step.how].format(path=self.world.path(other), data=data))
        self.sight = self.world.look()
        if name not in self.sight.shown:
            self._has_acted(name, before)
            self.reported[other] |= self.reported[name]  # its undo tree goes along
        is_refused = other in before.shown  # E139, but for a script
        is_same = self.sight.disk[other] == before.disk[other]
        if is_same and (step.how == "script" or is_refused or not self._unsettled(other)):
            return  # else what was an agent's the user has written, too
        self.pristine[other] = UNSURE
        if step.how == "script":
            self.scripted |= users(word)
            self.allowed[other] |= users(before.disk[other]) - users(self.sight.disk[other])
            await self._settle(step.session, NAMES)
        else:
            await self._followed(other)

    def _has_acted(self, name: str, before: Sight, *, drops: bool = False) -> None:
        """Note what the user has done to the text of a file, or to its buffer; `drops`: unsaved
        text was dropped for what the disk has."""
        self._excuse(name)
        was, now = users(before.live(name)), users(self.sight.live(name))
        brought = now - was if name in self.sight.shown else set()
        self.taken_out = ((self.taken_out | (was - now)) - brought) | self.adopted
        stays = users(self.sight.live(name)) if name in self.sight.shown else set()
        self.put_away |= self.unsaved[name] - stays
        shown = before.shown.get(name)
        if shown and shown.modified and (drops or not stays):  # so may what agents have made of it
            lines = (it for it in bodies(self.sight.disk[name]) if agents(it))
            self.taken_out |= users(shown.text) & users("".join(lines))
        self.unsaved[name] &= stays
        if text_of(before, name) != text_of(self.sight, name):
            is_there = users(self.sight.disk[name]) - self.put_away  # `u` has brought it back
            self.unsaved[name] |= now - was - is_there
            self.pristine[name] = UNSURE
            self.acted.add(name)
            self.edited.add(name)
            self.pending[name] &= agents(self.sight.live(name))

    def _excuse(self, name: str) -> None:
        """The user has acted upon what the client was late to look at: whose is it, then?"""
        if self._unsettled(name) or self._conflicts(name):
            self.reported[name] |= agents(self.sight.disk[name])
            self.pristine[name] = UNSURE

    def _scripted_word(self, name: str) -> str:
        """Return a new word of a program of the user's, as it is on the disk."""
        word, coding = self._user_word(name), self.world.codings.get(name)
        self.scripted |= users(word)
        return word.replace(coding.odd, coding.exact) if coding else word

    def _may_write(self, step: OwnWrite, name: str, other: str) -> bool:
        """Tell whether what comes of it is known: the other is none of the user's unsaved ones."""
        shown, disk = self.sight.shown.get(other), self.sight.disk[other]
        if name == other or self._conflicts(other) or (shown and shown.modified):
            return False
        if other in self.shared:
            return False
        codings = self.world.codings
        if step.how != "script" and codings.get(name) != codings.get(other):
            return False  # what the other file would be in then is anybody's guess
        if step.how == "script" and self._unsettled(other):
            return False
        if step.how == "part" and len(bodies(self.sight.live(name))) < 2:
            return False  # E16, and nothing is written
        ends = split(disk)[1], split(self.sight.live(name))[1]
        added = step.how in ("append", "script")
        own = "\n" if step.how == "script" else ends[1].end
        return not (added and disk and not (ends[0].ended and ends[0].end == own))

    async def _followed(self, name: str) -> None:
        """The client hears of a file that the editor has written."""
        before, path = self.sight, self.world.path(name)
        await self.services.look(0, name, named=False)
        told = [record for record in self.log.records if record.path == path]
        self._assert(not told, f"{name}: the user's own write was told: {told}")
        after = self._agents_look(before, {name: users(text_of(before, name))})
        self._assert(after.disk[name] == before.disk[name], f"{name}: not as the user wrote it")
        if name in after.shown:
            same = bodies(after.live(name)) == bodies(after.disk[name])
            self._assert(same, f"{name}: the buffer has not what the user wrote")
        self.seen[name] = self.origin[name] = after.disk[name]
        self.allowed[name] = set()
        self.unsaved[name].clear()
        self.reported[name] |= agents(after.disk[name])
        self.pending[name] &= agents(after.live(name))
