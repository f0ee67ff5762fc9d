"""Worktrees that are merged back while the user types and another agent writes.

A worktree is what it has made of the files: texts. Plans merge it, take it back, kill
the host in the middle; all words are unique, so that an account besides knows whose is what.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Literal, TypeAlias

from hypothesis import strategies as st
from msgspec import Struct

from acp_nvim.errors import RequestFailed
from acp_nvim.history.author import MERGED, Author
from acp_nvim.review.log import Turn
from acp_nvim.review.merging import Foreign
from acp_nvim.session.origin import Stretch
from tests.proof.lines import agents, bodies, edited, merge_complaint, users
from tests.proof.model import Violation, is_conflict
from tests.proof.services import SESSIONS, Services
from tests.proof.steps import Edit
from tests.proof.world import World

FILES = ("a.txt", "b.txt", "c.txt", "d.txt")
WORKTREE = ("w", "in the worktree")


class Works(Struct, frozen=True):
    """The agent in the worktree edits a file there."""

    file: int
    edits: tuple[Edit, ...]


class Types(Struct, frozen=True):
    """The user types a line, and saves, or not, or is still in insert mode."""

    file: int
    at: int
    then: Literal["saves", "leaves it", "stays"] = "leaves it"


class Writes(Struct, frozen=True):
    """Another agent writes the user's file, through the client or by its own tool."""

    file: int
    edits: tuple[Edit, ...]
    by_tool: bool = False


class Merges(Struct, frozen=True):
    """The worktree is merged; before the n-th call to the editor the user types in the file, or the
    host is killed."""

    amid: Literal["nothing", "typing", "a kill"] = "nothing"
    call: int = 1


class Decides(Struct, frozen=True):
    """The user keeps or rejects a hunk."""

    verdict: Literal["keep", "reject"]
    file: int
    at: int


class Undoes(Struct, frozen=True):
    """The user takes the last merge back; `returns`: and redoes that."""

    returns: bool = False


Act: TypeAlias = Works | Types | Writes | Merges | Decides | Undoes

files, places = st.integers(0, len(FILES) - 1), st.integers(0, 11)


def _edits(*changes: str) -> st.SearchStrategy[tuple[Edit, ...]]:
    each = st.builds(Edit, st.sampled_from(changes), places)
    return st.lists(each, min_size=1, max_size=3).map(tuple)


merging = st.builds(
    Merges, st.sampled_from((*2 * ("nothing",), "typing", "a kill")), st.integers(1, 9)
)
ways = st.sampled_from(("saves", "leaves it", "stays"))
acts: st.SearchStrategy[Act] = st.one_of(
    st.builds(Works, files, _edits("insert", "amend", "replace", "delete")),
    merging,
    st.builds(Types, files, places, ways),
    st.builds(Works, files, _edits("insert", "amend", "replace", "delete")),
    st.builds(Writes, files, _edits("insert", "amend"), st.booleans()),
    st.builds(Decides, st.sampled_from(("keep", "reject")), files, places),
    st.builds(Undoes, st.booleans()),
)
plans = st.lists(acts, min_size=3, max_size=14)


class Killed(BaseException):
    """The host is gone."""


class MergeMachine:
    """Carries out acts; `since` and `theirs`: what the worktree had when it was merged last, and
    has now; `first`: what the files were at first; `typed`: the user's words by files."""

    def __init__(self, world: World) -> None:
        world.begin()
        self.world = world
        self.services = Services(world)
        self.first = {it: world.disk(it) or "" for it in FILES}
        self.since, self.theirs = dict(self.first), dict(self.first)
        self.typed: dict[str, set[str]] = {it: set() for it in FILES}
        self._numbers = itertools.count(1)
        self._turns = itertools.count(1)

    async def run(self, plan: list[Act]) -> None:
        """Carry out all acts, then take all back. Raises `Violation`."""
        for number in range(len(SESSIONS)):
            await self.services.begin_turn(number)
        for act in plan:
            await self._step(act)
            self._check_users(f"after {act}")
        await self._finish()

    async def _step(self, act: Act) -> None:
        if not isinstance(act, Types | Works):
            self.world.end_insert()
        match act:
            case Works(file, edits):
                self.theirs[FILES[file]] = edited(self.theirs[FILES[file]], edits, self._word)
            case Types(file, at, then):
                self._types(FILES[file], at, then)
            case Writes(file, edits, by_tool):
                await self._writes(FILES[file], edits, by_tool=by_tool)
            case Merges():
                await self._merges(act)
            case Decides(verdict, file, at):
                await self._decides(verdict, FILES[file], at)
            case Undoes(returns):
                await self._undoes(returns=returns)

    def _word(self) -> str:
        return f"g{next(self._numbers)}"

    def _live(self, name: str) -> str:
        return self.world.look().live(name) or ""

    def _types(self, name: str, at: int, then: str) -> None:
        word, row = f"u{next(self._numbers)}", at % (len(bodies(self._live(name))) or 1) + 1
        self.typed[name].add(word)
        if then == "stays":
            self.world.linger(name, f"{row}Go{word}")
            return
        complaint = self.world.act(name, f"{row}Go{word}<Esc>", "write" if then == "saves" else "")
        _assert(not complaint, f"{name}: Neovim complains of {complaint}")

    async def _writes(self, name: str, edits: tuple[Edit, ...], *, by_tool: bool) -> None:
        known = await self.services.read(0, name)
        if by_tool:
            self.world.put(name, edited(self.world.disk(name) or "", edits, self._word))
            await self.services.look(0, name)
            return
        try:
            await self.services.write(0, name, edited(known, edits, self._word))
        except RequestFailed:
            return  # the file is in conflict: that is another machine's matter
        finally:
            await self.services.settled()

    # --- merging

    async def _merges(self, act: Merges) -> None:
        await self.services.sweep(0)
        number = next(self._turns)
        author = Author(*WORKTREE, number, self.services.log.now(), "p", "", f"{MERGED}acp/w")
        self._interrupt(act, next((it for it in FILES if self.theirs[it] != self.since[it]), ""))
        brought = []
        try:
            for name in FILES:
                if self.theirs[name] != self.since[name]:
                    await self._brings(name, author)
                    brought.append(name)
        except Killed:
            await self.services.killed(flushed=False)
        else:
            self.since |= {it: self.theirs[it] for it in brought}
        finally:
            self.world.before_call = None
        await self.services.settled()

    async def _brings(self, name: str, author: Author) -> None:
        before, base, theirs = self._live(name), self.since[name], self.theirs[name]
        foreign = Foreign(self.world.path(name), base.encode(), theirs.encode(), author)
        typed = set(self.typed[name])
        found = await self.services.review.merging.bring(foreign)
        if typed != self.typed[name]:
            return
        after = self._live(name)
        if not found.is_conflict:
            complaint = merge_complaint(base, before, theirs, after)
            _assert(not complaint, f"{name} is merged, but {complaint}")
        else:
            _assert(is_conflict(base, before, theirs), f"{name}: a needless conflict")

    def _interrupt(self, act: Merges, name: str) -> None:
        countdown = itertools.count(1)

        def once() -> None:
            if next(countdown) == act.call:
                self.world.before_call = None
                self._amid(act, name)

        self.world.before_call = once if act.amid != "nothing" and name else None

    def _amid(self, act: Merges, name: str) -> None:
        if act.amid == "a kill":
            raise Killed
        self._types(name, act.call, "leaves it")

    # --- deciding

    async def _decides(self, verdict: str, name: str, at: int) -> None:
        path = self.world.path(name)
        await self.services.review.look(path)
        if found := self.services.changes(name):
            hunk = found[at % len(found)]
            rows = range(hunk.first, max(hunk.last, hunk.first + 1))
            decide: Callable[..., object] = getattr(self.services.review, verdict)
            await decide(path, rows)  # type: ignore[misc]

    async def _undoes(self, *, returns: bool) -> None:
        await self.services.sweep(0)
        if turns := self._merged():
            before = {it: self._live(it) for it in FILES}
            undone = await self.services.review.undo(turns[-1])
            if returns and undone.paths and not undone.failed:
                await self.services.review.redo(undone.batch)
                after = {it: self._live(it) for it in FILES}
                _assert(before == after, f"undo and redo are not the identity: {before} {after}")

    def _merged(self) -> list[Turn]:
        found = self.services.edits.turns(Stretch(WORKTREE))
        return sorted(found, key=lambda it: it.author.began)

    # --- what must be true

    def _check_users(self, when: str) -> None:
        sight = self.world.look()
        for name, words in self.typed.items():
            lost = words - users(sight.live(name))
            _assert(not lost, f"{name}: lost the user's {sorted(lost)} {when}")
            twice = [
                it
                for it in agents(sight.live(name))
                if (sight.live(name) or "").split().count(it) > 1
            ]
            _assert(not twice, f"{name}: {twice} twice {when}")

    async def _finish(self) -> None:
        self.world.end_insert()
        await self.services.sweep(0)
        for _ in range(40):
            turns = [*self._merged(), *self.services.turns()]
            if not turns:
                break
            await self.services.review.undo(turns[0])
        self._check_users("when all is undone")
        for name, first in self.first.items():
            live = self._live(name)
            _assert(not agents(live), f"{name}: all is undone, but there is {live!r}")
            own = [it for it in bodies(live) if not users(it)]
            _assert(own == bodies(first), f"{name}: all is undone, but it is {live!r}")
            if not self.typed[name]:
                _assert(live == first, f"{name}: {live!r} was {first!r}")


def _assert(holds: object, complaint: str) -> None:
    if not holds:
        raise Violation(complaint)
