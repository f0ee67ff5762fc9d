"""Carries out a plan step by step and holds each step against what must be true of it.

At the end all turns of all agents are taken back, and nothing of theirs is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from tests.proof.beliefs import Beliefs
from tests.proof.codings import CODINGS, as_text
from tests.proof.deciding import text_of
from tests.proof.decision_steps import DecisionSteps
from tests.proof.lines import agents, bodies, users
from tests.proof.model import Violation
from tests.proof.outside_steps import OutsideSteps
from tests.proof.steps import (
    SESSIONS,
    Coded,
    Decides,
    DoubleWrites,
    EndsTurn,
    Kills,
    Outside,
    OwnWrite,
    Pause,
    Returns,
    Runs,
    SavesFromInsert,
    Step,
    Sweeps,
    TakesBack,
    Tool,
    User,
    Writes,
)
from tests.proof.user_steps import UserSteps
from tests.proof.world import NAMES, World

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


class Machine(UndoneSteps, OutsideSteps):
    """One plan in one world; see `Model`."""

    def __init__(self, world: World, lenient: tuple[str, ...] = ()) -> None:
        super().__init__(world, lenient)
        self._acts: dict[type[Any], Callable[[Any], Awaitable[None]]] = {
            User: self._user,
            Writes: self._writes,
            Tool: self._tool,
            DoubleWrites: self._double_writes,
            SavesFromInsert: self._saves_from_insert,
            Runs: self._runs,
            Sweeps: self._sweeps,
            EndsTurn: self._ends_turn,
            Kills: self._kills,
            OwnWrite: self._own_write,
            Outside: self._outside,
            Decides: self._decides,
            TakesBack: self._takes_back,
            Returns: self._returns,
        }

    async def run(self, steps: Sequence[Step]) -> None:
        """Carry out all steps, let all turns end, take them all back, and walk the undo trees."""
        self._begin(it for it in steps if isinstance(it, Coded))
        for session in range(SESSIONS):
            await self.services.begin_turn(session)
        for step in (*steps, *map(EndsTurn, range(SESSIONS))):
            await self.step(step)
        await self._all_is_undone()
        self._check_undo_trees()

    async def step(self, step: Step) -> None:
        """Carry out one step. Raises `model.Violation`."""
        if isinstance(step, Pause | Coded):
            return
        opened = set(self.sight.shown)
        if isinstance(step, OwnWrite | Decides | TakesBack | Returns):
            self.world.end_insert()  # it is a command of the user's
        await self._acts[type(step)](step)
        self._note_lines("decision" if _decides(step) else "edit")
        self._note_removed(step, opened)
        self._check_books(step)
        for name in self.world.codings:
            if (name in opened) != (name in self.sight.shown):
                self._forget_reading(name)

    def _begin(self, codings: Iterable[Coded]) -> None:
        for it in codings:
            name = NAMES[it.file % len(NAMES)]
            if self.sight.disk[name] is not None:
                self.world.code(name, CODINGS[it.coding % len(CODINGS)])
        self.sight = self.world.look()
        for known in (self.seen, self.origin, self.pristine):
            known.update(self.sight.disk)
        self.beliefs = Beliefs(self.sight.disk)
        self._begin_outside()


def _decides(step: Step) -> bool:
    """Return whether the user takes back by it what was done, or redoes it, `u` included."""
    is_undo = isinstance(step, User) and step.act in ("undo", "redo")
    return is_undo or isinstance(step, Decides | TakesBack | Returns)
