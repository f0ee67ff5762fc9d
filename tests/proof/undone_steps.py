"""The end of each plan: all turns of all agents are taken back, and nothing of theirs is left."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.proof.codings import as_text
from tests.proof.deciding import text_of
from tests.proof.decision_steps import DecisionSteps
from tests.proof.lines import agents, bodies, users
from tests.proof.model import Violation
from tests.proof.steps import OwnWrite, User
from tests.proof.user_steps import UserSteps
from tests.proof.world import NAMES

MADE_ANEW = ("copy", "undo", "redo", "revert", "drop", "join", "rename", "save as")
"""Acts after which an agent's line may be the user's: nobody can tell whose it is."""


class UndoneSteps(UserSteps, DecisionSteps):
    """`theirs` are the agents' words that the user has made their own."""

    theirs: frozenset[str] = frozenset()

    def _act(self, step: User, name: str) -> None:
        before = self.sight
        super()._act(step, name)
        if step.act in MADE_ANEW:
            texts = [sight.live(name) for sight in (before, self.sight)]
            self.theirs |= agents("\n".join(it or "" for it in texts))

    def _excuse(self, name: str) -> None:
        if self._unsettled(name) or self._conflicts(name):
            texts = (self.sight.disk[name], self.sight.live(name))
            self.theirs |= agents("\n".join(it or "" for it in texts))
        super()._excuse(name)

    async def _own_write(self, step: OwnWrite) -> None:
        before = self.sight
        await super()._own_write(step)
        name = NAMES[step.file % len(NAMES)]
        if name not in self.sight.shown:  # its lines are the other file's now
            self.theirs |= agents(before.live(name))
        self.theirs |= agents(self.sight.disk[NAMES[step.other % len(NAMES)]])

    async def _all_is_undone(self) -> None:
        """Take back all turns, of one agent and of the other in turn. Raises `Violation`."""
        self.world.end_insert()  # it is a command of the user's
        await self._settle(0, NAMES)
        for name in NAMES:
            await self.services.review.look(self.world.path(name))
        done: Counter[object] = Counter()
        refused: set[object] = set()
        while turns := [turn for turn in self.services.turns() if turn.key not in refused]:
            before = self.sight
            turn = turns[-1 if len(done) % 2 else 0]
            undone = await self._undone(turn, before)
            self._check_failed(undone, before)
            if undone.paths:
                refused.clear()  # what was gone may be there again
            else:
                refused.add(turn.key)
            done[turn.key] += 1
            if done[turn.key] > len(NAMES):
                raise Violation(f"there is no end of undoing {turn}")
        self._check_restored()
        for path, text in self.own_files.items():
            now = as_text(Path(path).read_bytes())
            self._assert(now == text, f"the user's own {path} has {now!r}, not {text!r}")
        for name in NAMES:
            for line in bodies(text_of(self.sight, name)):
                is_agents = agents(line) - self.theirs and not users(line)
                self._assert(not is_agents, f"{name}: all is undone, but {line!r} is left")
