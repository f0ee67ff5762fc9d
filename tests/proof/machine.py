"""Carries out a plan step by step and holds each step against what must be true of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

from tests.proof.beliefs import Beliefs
from tests.proof.codings import CODINGS
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
from tests.proof.undone_steps import UndoneSteps
from tests.proof.world import NAMES, World


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
