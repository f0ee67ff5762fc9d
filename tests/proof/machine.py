"""Carries out a plan step by step and holds each step against what must be true of it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from acp_nvim.errors import AskFailed
from acp_nvim.hunks import Conflict, merge
from acp_nvim.ledger.change import Change
from acp_nvim.services.text import split_lines
from tests.proof.deciding import (
    added,
    complaint_of_others,
    complaint_of_reject,
    removed,
    text_of,
)
from tests.proof.lines import (
    Form,
    agents,
    bodies,
    edited,
    glued,
    join,
    merge_complaint,
    moved,
    users,
)
from tests.proof.services import SESSIONS, Services
from tests.proof.steps import (
    Decides,
    EndsTurn,
    Pause,
    Returns,
    Runs,
    Step,
    Sweeps,
    TakesBack,
    Tool,
    User,
    Writes,
)
from tests.proof.world import NAMES, Sight, World

TAKEN_OVER = ("move", "copy", "undo", "redo", "revert", "drop", "join")
"""Acts that may make a line the user's that was an agent's."""
UNSURE = "the user has changed it since"


class Violation(AssertionError):
    """Something that must never happen has happened."""


class Machine:
    """One plan in one world.

    `seen`: the disk as the client saw it last; `origin`: as each buffer was last equal to it;
    `known`: the text that each agent has in mind; `allowed`: the user's words that agents have
    taken out of a file that they had read; `reported`: the agents' words that the books were told
    of; `pending`: those that wait for the user; `pristine`: the text before all that waits, if the
    user has done nothing since; `kept`: files, and words, that the user has kept; `home`: the file
    that a word of the user's was typed into.
    A complaint that contains one of `lenient` is only counted, in `soft`.
    """

    def __init__(self, world: World, lenient: tuple[str, ...] = ()) -> None:
        world.begin()
        self.lenient = lenient
        self.world = world
        self.services = Services(world)
        self.log = self.services.log
        self.sight = world.look()
        self.seen = dict(self.sight.disk)
        self.origin = dict(self.sight.disk)
        self.known: dict[tuple[int, str], str] = {}
        self.allowed: dict[str, set[str]] = {name: set() for name in NAMES}
        self.reported: dict[str, set[str]] = {name: set() for name in NAMES}
        self.pending: dict[str, set[str]] = {name: set() for name in NAMES}
        self.pristine: dict[str, str | None] = dict(self.sight.disk)
        self.kept: set[str] = set()
        self.kept_words: set[str] = set()
        self.home: dict[str, str] = {}
        self.soft: Counter[str] = Counter()
        self._numbers = itertools.count(1)
        self._acts: dict[type[Any], Callable[[Any], Awaitable[None]]] = {
            User: self._user,
            Writes: self._writes,
            Tool: self._tool,
            Runs: self._runs,
            Sweeps: self._sweeps,
            EndsTurn: self._ends_turn,
            Decides: self._decides,
            TakesBack: self._takes_back,
            Returns: self._returns,
        }

    async def run(self, steps: Iterable[Step]) -> None:
        """Carry out all steps, and let all turns end."""
        for session in (0, 1):
            await self.services.begin_turn(session)
        for step in (*steps, EndsTurn(0), EndsTurn(1)):
            await self.step(step)

    async def step(self, step: Step) -> None:
        """Carry out one step. Raises `Violation`."""
        if isinstance(step, Pause):
            return
        await self._acts[type(step)](step)
        self._check_books(step)

    def _user_word(self, name: str) -> str:
        word = f"u{next(self._numbers)}"
        self.home[word] = name
        return word

    def _agent_word(self) -> str:
        return f"g{next(self._numbers)}"

    # The user

    async def _user(self, step: User) -> None:
        """Act, and have the client look where the user opens or saves a file, unless it is late."""
        name = NAMES[step.file % len(NAMES)]
        is_late = step.to % 4 == 3
        if name not in self.sight.shown and not is_late:
            self._act(User("open", step.file), name)
            await self._settle(0, (name,))
        self._act(step, name)
        if step.act in ("save", "revert") and not is_late:
            await self._settle(0, (name,))

    def _act(self, step: User, name: str) -> None:
        loaded = set(self.sight.shown)
        lines = bodies(self.sight.live(name)) or [""]
        row = step.at % len(lines) + 1
        word = self._user_word(name)
        match step.act:
            case "save":
                return self._save(name, "y" if step.at % 2 else "n")
            case "close" | "drop":
                self.world.hand("close", self.world.path(name), step.act == "drop")
            case "linger":
                self.world.linger(name, f"{row}GA {word}")
            case _:
                to = step.to % (len(lines) + 1)
                self.world.act(name, *_keys(step.act, row, to, word))
        before, self.sight = self.sight, self.world.look()
        self._excuse(name)
        if text_of(before, name) != text_of(self.sight, name):
            self.pristine[name] = UNSURE
            self.pending[name] &= agents(self.sight.live(name))
        if step.act == "copy":  # which of the two is whose cannot be known
            self.pending[name] -= agents(lines[row - 1])
        if step.act == "revert" or name not in loaded:
            self.origin[name] = self.sight.disk[name]

    def _excuse(self, name: str) -> None:
        """The user has acted upon what the client was late to look at: whose is it, then?"""
        if self._unsettled(name) or self._clashes(name):
            self.reported[name] |= agents(self.sight.disk[name])

    def _save(self, name: str, answer: str) -> None:
        behind = self.sight.disk[name] != self.origin[name] or self._clashes(name)
        may_refuse = answer == "n" or self.origin[name] is None  # E13: the file exists
        shown = self.sight.shown.get(name)
        self._excuse(name)
        still_modified = self.world.hand("save", self.world.path(name), answer)
        self.sight = now = self.world.look()
        if still_modified:
            self._assert(behind and may_refuse, f"Neovim asked, or refused, at :w of {name}")
        if still_modified or (behind and may_refuse):
            return
        self.seen[name] = self.origin[name] = now.disk[name]
        if shown or now.disk[name] is not None:
            self._assert(now.disk[name] == now.live(name), f"{name} differs from its file")

    # Agents

    async def _writes(self, step: Writes) -> None:
        name = NAMES[step.file % len(NAMES)]
        known = self.known.get((step.session, name))
        if known is None or not step.stale:
            known = await self.services.read(step.session, name)
            self.known[step.session, name] = known
        await self._write(step, name, known, edited(known, step.edits, self._agent_word))

    async def _write(self, step: Writes, name: str, known: str, text: str) -> None:
        before, unsettled = self.sight, self._unsettled(name)
        self._interrupt(step, name)
        refused = ""
        try:
            await self.services.write(step.session, name, text)
        except AskFailed as error:
            refused = str(error)
        typed = self.world.before_call is None and step.meanwhile > 0
        self.world.before_call = None
        if typed:
            before = self.sight
        gone = users(known) - users(text)
        is_moved = moved(bodies(known), bodies(text))  # a tool may do so that had read the disk
        after = self._agents_look(before, {name: gone | self.allowed[name]}, marks=not is_moved)
        shown = before.shown.get(name)
        last = self._check_told(name, shown.text if shown else self.seen[name], after, bool(typed))
        if last == after.disk[name] and refused:
            self.seen[name] = last  # looked at before it was refused
        live = before.live(name)
        if not refused:
            self.known[step.session, name] = text
            self.seen[name] = self.origin[name] = after.disk[name]
            if not typed:
                self._check_written(name, after)
            if not unsettled and not typed:
                base = "" if live is None else known  # a file that is not there is made
                complaint = merge_complaint(base, live or "", text, after.live(name))
                self._assert(not complaint, f"{name}: {complaint}")
        elif not unsettled and not typed:
            self._assert(live == after.live(name), f"{name} changed though refused: {refused}")
            needed = _conflict(known, live, text)
            self._assert(needed or self._clashes(name), f"needless: {refused}")

    def _interrupt(self, step: Writes, name: str) -> None:
        """Have the user type before the n-th call from now."""
        if not step.meanwhile:
            return
        countdown = itertools.count(1)

        def type_once() -> None:
            if next(countdown) == step.meanwhile:
                self.world.before_call = None
                lines = bodies(self.sight.live(name)) or [""]
                row = step.edits[0].at % len(lines) + 1
                self.world.act(name, f"{row}Go{self._user_word(name)}<Esc>")
                self.pristine[name] = UNSURE
                self.sight = self.world.look()

        self.world.before_call = type_once

    def _check_written(self, name: str, after: Sight) -> None:
        same = after.live(name) == after.disk[name]
        self._assert(same, f"{name} was written, but the disk has other text")
        shown = after.shown.get(name)
        self._assert(not (shown and shown.modified), f"{name} was written and is modified")

    async def _tool(self, step: Tool) -> None:
        name = NAMES[step.file % len(NAMES)]
        old = self.sight.disk[name] or ""
        new = edited(old, step.edits, self._agent_word)
        self._put(name, new, rename=step.way == "renamed over")
        if step.twice:
            known = self.known.get((step.session, name))
            if known is None:
                known = old
            await self._write(Writes(step.session, step.file, ()), name, known, new)
        if step.told:
            await self._settle(step.session, (name,))

    async def _sweeps(self, step: Sweeps) -> None:
        await self._settle(step.session, NAMES)

    async def _ends_turn(self, step: EndsTurn) -> None:
        await self._settle(step.session, NAMES)
        await self.services.begin_turn(step.session)

    async def _runs(self, step: Runs) -> None:
        name, other = NAMES[step.file % len(NAMES)], NAMES[step.other % len(NAMES)]
        old, target = self.sight.disk[name], self.sight.disk[other]
        if step.what == "create" and old is None:
            self._put(name, join([self._agent_word() for _ in range(3)], Form()))
        elif step.what == "remove" and old is not None:
            self._put(name, None)
        elif step.what == "rename" and old is not None and target is None:
            self._put(other, old)
            self._put(name, None)
        elif step.what == "swap" and None not in (old, target) and old != target:
            self._put(name, target)
            self._put(other, old)

    def _put(self, name: str, text: str | None, *, rename: bool = False) -> None:
        """Change the disk behind everybody's back."""
        old = self.sight.disk[name]
        self.world.put(name, text, rename=rename)
        self.allowed[name] |= users(old) - users(text)
        self.sight.disk[name] = text

    async def _settle(self, session: int, names: tuple[str, ...]) -> None:
        before = self.sight
        if len(names) == 1:
            await self.services.look(session, names[0])
        else:
            await self.services.sweep(session)
        after = self._agents_look(before, {name: self.allowed[name] for name in names})
        for name in names:
            shown = before.shown.get(name)
            self._check_told(name, shown.text if shown else self.seen[name], after)
            self._check_settled(name, before, after)
            self.seen[name] = after.disk[name]
            self.allowed[name] = set()
        self._check_silence()

    def _check_settled(self, name: str, before: Sight, after: Sight) -> None:
        base, theirs = self.seen[name], before.disk[name]
        self._assert(after.disk[name] == theirs, f"{name}: the disk changed by looking at it")
        shown = before.shown.get(name)
        if shown is None:
            return
        if theirs is None:
            self._assert(after.live(name) in (shown.text, "", None), f"{name}: odd text")
            return
        if not shown.modified:
            self._assert(after.live(name) == theirs, f"{name}: the buffer is not the disk")
            self._assert(not after.shown[name].modified, f"{name} is modified by following")
            self.origin[name] = theirs
            return
        origin = self.origin[name]
        if not self._clashes(name):
            ours = [
                merge_complaint(it or "", shown.text, theirs, after.live(name))
                for it in (base, origin)
            ]
            self._assert("" in ours, f"{name}: {ours[0]}")
            self.origin[name] = theirs
        elif theirs != base and origin is not None and not _conflict(origin, shown.text, theirs):
            self.soft["needless clash"] += 1

    # Decisions

    async def _decides(self, step: Decides) -> None:
        await self._settle(0, NAMES)
        waiting = [name for name in NAMES if self.services.changes(name)] or NAMES
        names = waiting if step.scope == "all" else (waiting[step.file % len(waiting)],)
        for name in names:
            await self._decide(step, name)

    async def _decide(self, step: Decides, name: str) -> None:
        before, path = self.sight, self.world.path(name)
        await self.services.review.look(path)
        found = self.services.changes(name)
        rows, touched = _meant(step, found)
        if step.verdict == "keep":
            count = await self.services.review.keep(path, rows)
        else:
            count = await self.services.review.reject(path, rows)
        may = users(added(touched))
        after = self._agents_look(before, {name: may})
        others = [other for other in NAMES if other != name or step.verdict == "keep"]
        complaint = complaint_of_others(before, after, others)
        self._assert(not complaint, complaint)
        left = len(self.services.changes(name))
        if step.scope != "part":
            self._assert(count == len(touched), f"{name}: {count} of {len(touched)} decided")
            self._assert(left == len(found) - count, f"{name}: {left} of {len(found)} left")
        if step.verdict == "reject":
            if step.scope != "part" and touched:
                complaint = complaint_of_reject(name, before, after, touched)
                self._assert(not complaint, complaint)
            if not left and rows is None:
                self._check_pristine(name)
            self.seen[name] = after.disk[name]
            shown = after.shown.get(name)
            if shown is None or not shown.modified:
                self.origin[name] = after.disk[name]
            self.pending[name] &= agents(after.live(name))
        else:
            self.pending[name] -= agents(added(touched))
            self.kept_words |= agents(added(touched))
            if count:
                self.pristine[name] = UNSURE
                self.kept.add(name)

    async def _takes_back(self, step: TakesBack) -> None:
        await self._settle(0, NAMES)
        before = self.sight
        for name in NAMES:
            await self.services.review.look(self.world.path(name))
        turns = self.services.turns()
        if not turns:
            return
        turn = turns[-1 - step.turn % len(turns)]
        undone = await self.services.review.undo(turn)
        self._after_rewind(before, strict=True)
        self._assert(not undone.failed, f"undo failed: {undone.failed}")
        if step.returns and undone.paths:
            back = {name: self._brought_back(name) for name in NAMES}
            redone = await self.services.redo(turn.author.session)
            self._assert(redone and not redone.failed, f"redo failed: {redone}")
            self._after_rewind(self.sight, strict=False, back=back)
            for name in NAMES:
                same = text_of(before, name) == text_of(self.sight, name)
                self._assert(
                    same or not (before.live(name) or self.sight.live(name)),
                    f"{name}: undo and redo are not the identity: "
                    f"{text_of(before, name)!r} {text_of(self.sight, name)!r}",
                )

    async def _returns(self, step: Returns) -> None:
        await self._settle(0, NAMES)
        for name in NAMES:
            await self.services.review.look(self.world.path(name))
        back = {name: self._brought_back(name) for name in NAMES}
        redone = await self.services.redo(SESSIONS[step.session])
        self._assert(not (redone and redone.failed), f"redo failed: {redone}")
        self._after_rewind(self.sight, strict=False, back=back)

    def _brought_back(self, name: str) -> set[str]:
        """Return the user's words that an undo has brought back: a redo may take them again."""
        ledger = self.services.edits.ledger(self.world.path(name))
        spans = () if ledger is None else ledger.weave
        return users("".join(it for span in spans if span.undone for it in span.lines))

    def _after_rewind(
        self, before: Sight, *, strict: bool, back: Mapping[str, set[str]] | None = None
    ) -> None:
        """Check what holds after an undo (strict), or a redo: that may take out what it did."""
        allowed = {}
        for name in NAMES:
            path = self.world.path(name)
            both = (*self.services.changes(name), *self.services.edits.changes(path, "kept"))
            allowed[name] = set() if strict else users(removed(both)) | (back or {})[name]
        after = self._agents_look(before, allowed)
        for name in NAMES:
            if before.live(name) != after.live(name):
                if not self.services.changes(name) and name not in self.kept:
                    self._check_pristine(name)
                self.pristine[name] = UNSURE
                self.pending[name] &= agents(after.live(name))
            if before.disk[name] != after.disk[name]:
                shown = after.shown.get(name)
                self._assert(
                    shown is None or not shown.modified or after.disk[name] is None,
                    f"{name}: modified and written",
                )
                self.origin[name] = after.disk[name]
            self.seen[name] = after.disk[name]

    def _check_pristine(self, name: str) -> None:
        wanted, now = self.pristine[name], text_of(self.sight, name)
        same = wanted in (UNSURE, now)
        self._assert(same, f"{name}: all rejected, but not as it was: {now!r}, was {wanted!r}")

    def _check_books(self, step: Step) -> None:
        """Nothing pending is dropped, and what agents took of the user's can be had back."""
        for name in NAMES:
            if self._unsettled(name) or self._clashes(name):
                continue
            text = text_of(self.sight, name)
            self.services.observe(name, text)
            found = self.services.changes(name)
            if isinstance(step, User) and step.act in TAKEN_OVER:
                self.pending[name] &= agents(added(found))
            dropped = (self.pending[name] & agents(text)) - agents(added(found))
            self._assert(not dropped, f"{name}: dropped from the review: {sorted(dropped)}")
            if not found:
                self.pristine[name] = text

    # What holds always

    def _agents_look(
        self, before: Sight, allowed: dict[str, set[str]], *, marks: bool = True
    ) -> Sight:
        """Look after a step that was not the user's, and check what holds after all of them."""
        self.sight = after = self.world.look()
        for name in NAMES:
            shown = before.shown.get(name)
            was_gone = shown and not shown.modified and self.seen[name] is None
            was = None if was_gone else text_of(before, name)
            lost = users(was) - users(text_of(after, name))
            lost -= {word for other in NAMES for word in users(text_of(after, other))}
            at_home = {word for word in lost if self.home[word] == name}
            too_many = at_home - allowed.get(name, set())
            self._assert(not too_many, f"{name}: lost the user's {sorted(too_many)}")
            gone = lost - users("".join(self.services.everything(other) for other in NAMES))
            self._assert(not gone, f"{name}: no way back to the user's {sorted(gone)}")
        for name in NAMES:
            self._assert(not glued(after.live(name)), f"{name}: glued {glued(after.live(name))}")
        wrong = [line for shown in after.shown.values() for line in shown.wrong]
        self._assert(not (wrong and marks), f"marks moved: {wrong}")
        return after

    def _check_silence(self) -> None:
        """Neovim has no question when all is settled."""
        if self.log.clashes or any(self._unsettled(name) for name in NAMES):
            return
        asked = [row for row in self.world.hand("questions") if row[1] != "deleted"]
        reasons = sorted({row[1] for row in asked})
        self._assert(not asked, f"Neovim would ask: {reasons} {asked}")

    def _unsettled(self, name: str) -> bool:
        return self.sight.disk[name] != self.seen[name]

    def _check_told(
        self, name: str, before: str | None, after: Sight, typed: bool = False
    ) -> str | None:
        """The recorder was told of all that agents did, and of nothing else; return the last."""
        path = self.world.path(name)
        told = [record for record in self.log.records if record.path == path]
        self.log.records = [record for record in self.log.records if record.path != path]
        for it in told:
            new = agents(it.after) - agents(it.before)
            self.reported[name] |= new
            self.pending[name] |= new - self.kept_words
        hidden = agents(after.live(name)) - self.reported[name]
        self._assert(not hidden, f"{name}: the agent's {sorted(hidden)} are not told")
        text = before
        if typed or self._clashes(name) or self.origin[name] != self.seen[name]:
            return told[-1].after if told else None
        if told and told[0].before is None and self.seen[name] is None:
            text = None  # a buffer keeps the text of a file that is gone
        for record in told:
            is_gone = text is None and record.before == before  # as the buffer has it still
            told_right = record.before == text or is_gone
            self._assert(told_right, f"{name}: told of another text: {record} {text!r}")
            text = record.after
        gone = after.disk[name] is None and text is None
        self._assert(gone or text == after.live(name), f"{name}: not told: {text!r}")
        return text

    def _clashes(self, name: str) -> bool:
        return self.world.path(name) in self.log.clashes

    def _assert(self, holds: object, complaint: str) -> None:
        if holds:
            return
        for kind in self.lenient:
            if kind in complaint:
                self.soft[kind] += 1
                return
        raise Violation(complaint)


def _meant(step: Decides, found: Sequence[Change]) -> tuple[range | None, tuple[Change, ...]]:
    """Return the rows that a decision names, and the hunks that they touch."""
    if step.scope in ("file", "all"):
        return None, tuple(found)
    if step.scope == "hunk" and found:
        change = found[step.at % len(found)]
        return range(change.first, max(change.last, change.first + 1)), (change,)
    rows = range(step.at, step.at + 2)
    return rows, tuple(found)


def _conflict(base: str | None, ours: str | None, theirs: str) -> bool:
    sides = (split_lines(text or "") for text in (base, ours, theirs))
    return isinstance(merge(*sides), Conflict)


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
