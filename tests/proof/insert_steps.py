"""The user saves straight out of insert mode, while what an agent has written waits for that."""

from __future__ import annotations

from tests.proof.agent_steps import AgentSteps
from tests.proof.lines import agents, bodies, edited, merge_complaint
from tests.proof.model import is_conflict
from tests.proof.steps import SavesFromInsert
from tests.proof.world import NAMES

KEYS = (
    "<Esc>:silent! write<CR>",
    "<Cmd>silent! write<CR><Esc>",
    "<C-o>:silent! write<CR><Esc>",
    "<Esc>:silent! update<CR>",
    "<Esc>:silent! noautocmd write<CR>",
)
ANSWER = "n<Esc>"
"""Should Neovim ask."""


class InsertSteps(AgentSteps):
    """All in one keystroke, as a mapping has it."""

    async def _saves_from_insert(self, step: SavesFromInsert) -> None:
        """Nothing is asked, both texts are in the file, and the agent's lines are the agent's."""
        name = NAMES[step.file % len(NAMES)]
        await self._settle(0, NAMES)
        if name not in self.sight.shown or self._conflicts(name) or self.sight.disk[name] is None:
            return
        self._types(step, name)
        ours, old = self.sight.live(name) or "", self.sight.disk[name] or ""
        new = edited(old, step.edits, self._agent_word)
        if is_conflict(old, ours, new) or self._may_differ(name, new):
            self.world.end_insert()
            return  # that is decided by the user
        self._put(name, new)
        self.made.setdefault((step.session, name), []).append(new)
        self.world.stays = True
        await self.services.look(step.session, name)
        self.world.stays = False
        self.world.end_insert(KEYS[step.keys % len(KEYS)] + ANSWER)
        await self._check_saved(name, ours, old, new)

    def _types(self, step: SavesFromInsert, name: str) -> None:
        before, lines = self.sight, bodies(self.sight.live(name)) or [""]
        self.world.linger(name, f"{step.at % len(lines) + 1}Go{self._user_word(name)}")
        self.sight = self.world.look()
        self._has_acted(name, before)

    async def _check_saved(self, name: str, ours: str, old: str, new: str) -> None:
        saved = self.world.look()
        shown, live = saved.shown[name], saved.live(name)
        self._assert(not shown.modified, f"{name}: not saved straight out of insert mode")
        self._assert(live == saved.disk[name], f"{name}: saved, but differs from its file")
        complaint = merge_complaint(old, ours, new, live)
        self._assert(not complaint, f"{name}: saved out of insert mode, but {complaint}")
        self.services.free()
        await self.services.settled()
        await self.services.look(0, name, named=False)  # of a save the client hears
        after = self._agents_look(self.sight, {})
        self._assert(after.live(name) == live, f"{name}: changed after it was saved")
        self._check_told(name, ours, after)
        self.unsaved[name].clear()
        for files in (self.shared, self.touched, self.late, self.unwritten):
            files.discard(name)
        self.seen[name] = self.origin[name] = after.disk[name]
        self.allowed[name] = set()
        pending = agents(new) - agents(old)
        self._assert(pending <= self.pending[name] | self.kept_words, f"{name}: {pending} untold")
