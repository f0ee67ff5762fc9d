"""What the user decides: keep, reject, take a turn back, return it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from msgspec.structs import replace

from acp_nvim.history.conflict import Conflict
from acp_nvim.history.hunk import ReviewHunk
from acp_nvim.review.log import Turn
from acp_nvim.review.outcome import Undone
from tests.proof.deciding import (
    added,
    complaint_of_others,
    complaint_of_reject,
    removed,
    text_of,
)
from tests.proof.lines import agents, bodies, split, users
from tests.proof.model import UNSURE, Model
from tests.proof.services import SESSIONS
from tests.proof.steps import Decides, Returns, TakesBack
from tests.proof.world import NAMES, Sight


class DecisionSteps(Model):
    """By the review that the plugin has."""

    _stood_against: Mapping[str, Conflict] = MappingProxyType({})
    """What stood against unsaved text before the undo."""

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
        self._check_disk(before, after)
        others = [other for other in NAMES if other != name or step.verdict == "keep"]
        complaint = complaint_of_others(before, after, others)
        self._assert(not complaint, complaint)
        left = len(self.services.changes(name))
        is_part = step.scope == "part" or _is_shared(rows, found)
        if not is_part:
            self._assert(count == len(touched), f"{name}: {count} of {len(touched)} decided")
            self._assert(left == len(found) - count, f"{name}: {left} of {len(found)} left")
        if step.verdict == "reject":
            if not is_part and touched:
                complaint = complaint_of_reject(name, before, after, touched)
                self._assert(not complaint, complaint)
            if not left and rows is None:
                self._check_pristine(name)
            self._count_as_saved(name, before, after)
            # who rejects a line in which they have typed lets their words go with it
            self.taken_out |= users(before.live(name)) - users(after.live(name))
            self.seen[name] = after.disk[name]
            shown = after.shown.get(name)
            if shown is None or not shown.modified:
                self.origin[name] = after.disk[name]
            self.pending[name] &= agents(after.live(name))
        else:
            # how the file is written is decided from a line, which is kept with it
            beside = bodies(text_of(before, name))[rows.start : rows.stop] if rows else []
            words = agents("".join((added(touched), *beside)))
            # what its own removal of the file took out again goes with that, when it is kept
            self.pending[name] -= words if left else self.pending[name]
            self.kept_words |= words
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
        undone = await self._undone(turn, before)
        self._check_failed(undone, before)
        if step.returns and undone.paths:
            redone = await self.services.redo(turn.author.session)
            # what was given back to the disk below unsaved text, no redo takes from it again
            is_back = all(Path(it).name in self._stood_against for it in undone.paths)
            self._assert(redone is not None or is_back, "there was nothing to redo")
            if redone is not None:  # of a file that a later turn has removed it says so
                self._check_failed(redone, before)
            self._after_rewind(self.sight, strict=False, back=self.brought)
            for name in () if is_back else NAMES:  # then it was an earlier undo that came back
                same = text_of(before, name) == text_of(self.sight, name)
                self._assert(
                    same or not (before.live(name) or self.sight.live(name)),
                    f"{name}: undo and redo are not the identity: "
                    f"{text_of(before, name)!r} {text_of(self.sight, name)!r}",
                )

    async def _undone(self, turn: Turn, before: Sight) -> Undone:
        """Take back what is sure, and then, as the user says yes, what was only found."""
        review = self.services.review
        self._stood_against = {Path(it.path).name: it for it in self.services.edits.conflicts()}
        # a kept line that is gone by now does not come back, though nothing moves by this
        self.pristine |= dict.fromkeys({Path(it).name for it in turn.paths} & self.kept, UNSURE)
        sure = await review.undo(turn, found=False)
        self._after_rewind(before, strict=True)
        if not sure.found:
            return sure
        then = self.sight
        asked = (Path(path).name for path in sure.found)
        self.consented |= users("".join(map(self.services.everything, asked))) & self.scripted
        rest = await review.undo(replace(turn, paths=sure.found), batch=sure.batch)
        # done anew as one: what came back for the time being may stand in the place of something
        came = {it: users(text_of(then, it)) - users(text_of(before, it)) for it in NAMES}
        self._after_rewind(then, strict=True, asked=True, back=came)
        return replace(rest, paths=sure.paths + rest.paths, failed=sure.failed + rest.failed)

    async def _returns(self, step: Returns) -> None:
        await self._settle(0, NAMES)
        for name in NAMES:
            await self.services.review.look(self.world.path(name))
        redone = await self.services.redo(SESSIONS[step.session])
        if redone is not None:
            self._check_failed(redone, self.sight)
        self._after_rewind(self.sight, strict=False, back=self.brought)

    def _check_failed(self, undone: Undone, before: Sight) -> None:
        """Of a file that another has removed an undo or a redo brings back no scrap, and says so;
        so does an undo where an agent's text on the disk stands against what is not saved."""
        gone = [f"{self.world.path(it)} is gone" for it in NAMES if before.disk[it] is None]
        shown = (it for it in NAMES if (at := before.shown.get(it)) is not None and at.modified)
        left = [f"{self.world.path(it)} is on the disk as the agent left it" for it in shown]
        failed = [it for it in undone.failed if not it.startswith((*gone, *left))]
        self._assert(not failed, f"undo or redo failed: {failed}")

    def _after_rewind(
        self,
        before: Sight,
        *,
        strict: bool,
        asked: bool = False,
        back: Mapping[str, set[str]] | None = None,
    ) -> None:
        """Check what holds after an undo (strict), or a redo: that may take out what it did, and so
        may an undo of what was only found when the user was asked."""
        allowed = {}
        for name in NAMES:
            path = self.world.path(name)
            both = (*self.services.changes(name), *self.services.edits.changes(path, "kept"))
            allowed[name] = set(back[name]) if back else set()
            allowed[name] |= set() if strict else users(removed(both))
            allowed[name] |= self.scripted if asked or not strict else self.consented
        after = self._agents_look(before, allowed)
        self._check_disk(before, after)
        for name in NAMES:
            came = users(after.live(name)) - users(before.live(name))
            self.brought[name] |= came if strict else set()
            if before.live(name) != after.live(name):
                if not self.services.changes(name) and name not in self.kept:
                    self._check_pristine(name)
                self.pristine[name] = UNSURE
                self.pending[name] &= agents(after.live(name))
                if split(before.live(name))[1].end != split(after.live(name))[1].end:
                    # what the user has gone on in, and has the user's line ends again, is kept
                    mixed = (it for it in bodies(after.live(name)) if users(it))
                    self.pending[name] -= agents("".join(mixed))
            if before.disk[name] != after.disk[name]:
                shown = after.shown.get(name)
                is_back = self.removed.get(name) in (UNSURE, after.disk[name])
                if stood := self._stood_against.get(name):  # the disk has again what it had
                    is_back |= stood.before == after.disk[name]
                self._assert(
                    not (shown and shown.modified) or after.disk[name] is None or is_back,
                    f"{name}: modified and written",
                )
                self.origin[name] = after.disk[name]
            self._count_as_saved(name, before, after)
            self.seen[name] = after.disk[name]

    def _check_restored(self) -> None:
        """What agents have removed, and nobody made anew, has its bytes back once all is undone."""
        for name, text in self.removed.items():
            now = self.sight.disk[name]
            same = text in (UNSURE, now)
            self._assert(same, f"{name}: removed by an agent, and not restored: {now!r}")

    def _check_disk(self, before: Sight, after: Sight) -> None:
        """What the disk had of the user's, though the editor had not, is somewhere yet."""
        kept = "".join(it.theirs for it in self.log.standing.values())
        there = [kept, *map(self.services.everything, NAMES)]
        there += [text or "" for it in NAMES for text in (after.disk[it], after.live(it))]
        had = set().union(*(users(before.disk[it]) for it in NAMES))
        gone = had - users("".join(there)) - self.taken_out
        self._assert(not gone, f"nowhere, after it was on the disk: {sorted(gone)}")
        for path, conflict in self.log.standing.items():
            name = Path(path).name
            was, is_unsaved = before.disk[name], name in after.shown and after.shown[name].modified
            same = was != conflict.theirs or not is_unsaved or after.disk[name] is not None
            self._assert(same, f"{name}: what stood against unsaved text was removed: {was!r}")

    def _count_as_saved(self, name: str, before: Sight, after: Sight) -> None:
        """What the user's decision has brought back, and written, the user has saved."""
        self.unsaved[name] -= users(after.disk[name]) - users(before.disk[name])


def _is_shared(rows: range | None, found: Sequence[ReviewHunk]) -> bool:
    """Tell whether how the file is written has its hunk in a row that a line's is in."""
    met = [it for it in found if rows and it.first < rows.stop and rows.start < it.last + 1]
    return len({bool(it.form) for it in met}) > 1


def _meant(
    step: Decides, found: Sequence[ReviewHunk]
) -> tuple[range | None, tuple[ReviewHunk, ...]]:
    """Return the rows that a decision names, and the hunks that they touch."""
    if step.scope in ("file", "all"):
        return None, tuple(found)
    if step.scope == "hunk" and found:
        change = found[step.at % len(found)]
        return range(change.first, max(change.last, change.first + 1)), (change,)
    rows = range(step.at, step.at + 2)
    return rows, tuple(found)
