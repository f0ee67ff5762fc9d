"""What is known of a plan's world, and what must be true of it after each step."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Awaitable

from acp_nvim.hunks import reconcile, split_lines
from tests.proof.beliefs import Beliefs, By
from tests.proof.deciding import added, text_of
from tests.proof.lines import (
    Form,
    agents,
    bodies,
    glued,
    join,
    merge_complaint,
    moved,
    rows,
    split,
    users,
)
from tests.proof.services import Services
from tests.proof.steps import Step, User
from tests.proof.world import FORMS, NAMES, Sight, World

TAKEN_OVER = ("move", "copy", "undo", "redo", "revert", "drop", "join")
"""Acts that may make a line the user's that was an agent's."""
UNSURE = "the user has changed it since"


class Violation(AssertionError):
    """Something that must never happen has happened."""


class Model:
    """One plan in one world.

    `seen`: the disk as the client saw it last; `origin`: as each buffer was last equal to it;
    `known`: the text that each agent has in mind; `misread`: who is to read a file anew before a
    write, for it is in another encoding since it was opened, or closed; `told`: the same text with
    what a prompt has told of the user's decisions; `noted`: who was told of all that the user has
    made of the file, and has not read or written it since; `allowed`: the user's words that agents
    have taken out of a file that they had read; `reported`: the agents' words that the books were
    told of; `pending`: those that wait for the user; `pristine`: the text before all
    that waits, if the user has done nothing since; `kept`: files, and words, that the user has
    kept; `home`: the file that a word of the user's was typed into; `scripted`: what a script of
    the user's wrote to the disk, which nothing tells from an agent's; `unsaved`: the user's words
    that neither the user has saved nor an agent has written itself, though a merge may have saved
    them; `put_away`: what of those the user has taken out; `shared`: files with unsaved edits that
    a merge has saved; `older`: what agents have left in which file; `consented`: what of `scripted`
    the user has let an undo take, be it that another agent's line stood in its place then; `made`:
    what the tool of each has left since it read or wrote, in order; `commanded`: files that a
    command has changed since the client looked; `touched`: files that were written as they were,
    which Neovim takes for news; `taken_out`: the user's words that the user took out last, be it
    that an agent has put them in again; `adopted`: those that agents have put in again, and were
    counted to them; `acted`: files that the user has changed since the host began, `edited`: ever;
    `untaken`: what an agent has written that the user's text stands against; `late`: files that the
    user has saved, of which the host has not heard yet; `own_files`: files that only the user has
    written, by path; `unwritten`: files that the user has read anew, so that the undo file is
    another's; `amid`: what another program has written in the middle of an agent's write;
    `brought`: the user's words that an undo has brought back: a redo may take them again;
    `removed`: what a file had that a command of an agent's has taken away, while it is not there;
    `overlooked`: the text that it has left where the agent had nothing to write, which may count as
    known, or as found; `untold`: files that an agent has made while the user typed into them, of
    which no book may speak.
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
        self.misread: set[tuple[int, str]] = set()
        self.told: dict[tuple[int, str], str] = {}
        self.noted: set[tuple[int, str]] = set()
        self.allowed: dict[str, set[str]] = {name: set() for name in NAMES}
        self.reported: dict[str, set[str]] = {name: set() for name in NAMES}
        self.pending: dict[str, set[str]] = {name: set() for name in NAMES}
        self.pristine: dict[str, str | None] = dict(self.sight.disk)
        self.kept: set[str] = set()
        self.late: set[str] = set()
        self.own_files: dict[str, str] = {}
        self.unwritten: set[str] = set()
        self.amid: set[str] = set()
        self.kept_words: set[str] = set()
        self.home: dict[str, str] = {}
        self.scripted: set[str] = set()
        self.consented: set[str] = set()
        self.unsaved: dict[str, set[str]] = {name: set() for name in NAMES}
        self.put_away: set[str] = set()
        self.shared: set[str] = set()
        self.older: set[tuple[str, str]] = set()
        self.taken_out: set[str] = set()
        self.adopted: set[str] = set()
        self.made: dict[tuple[int, str], list[str]] = {}
        self.commanded: set[str] = set()
        self.touched: set[str] = set()
        self.acted: set[str] = set()
        self.edited: set[str] = set()
        self.brought: dict[str, set[str]] = {name: set() for name in NAMES}
        self.overlooked: dict[str, str | None] = {}
        self.untaken: dict[tuple[int, str], set[str]] = {}
        self.untold: set[str] = set()
        self.removed: dict[str, str] = {}
        self.soft: Counter[str] = Counter()
        self._numbers = itertools.count(1)
        self.beliefs = Beliefs(self.sight.disk)

    def _user_word(self, name: str) -> str:
        word = f"u{next(self._numbers)}"
        self.home[word] = name
        coding = self.world.codings.get(name)
        return f"{coding.odd}{word}" if coding else word

    def _forget_reading(self, name: str) -> None:
        """An agent reads a file anew that is read otherwise since it was opened, or closed."""
        for key in [it for it in self.known if it[1] == name]:
            del self.known[key]
            self.misread.add(key)
            self.beliefs.forget(key)

    def _agent_word(self) -> str:
        return f"g{next(self._numbers)}"

    # The client looks at files

    async def _settle(self, session: int, names: tuple[str, ...], *, named: bool = True) -> None:
        """`named`: by a tool call, if it is one."""
        is_one = len(names) == 1
        if is_one:
            look = self.services.look(session, names[0], named=named)
        else:
            look = self.services.sweep(session)
        if is_one and named:  # what another program has done just before counts as that call's
            new = users(self.sight.disk[names[0]]) - users(self.seen[names[0]])
            self.consented |= new & self.scripted
        self._count_as_made(session, names)
        await self._settled_by(look, names)

    def _note_lines(self, by: By = "edit") -> None:
        """Note who has made the live texts what they are now."""
        for name in NAMES:
            self.beliefs.live(name, self.sight.live(name), by)

    def _count_as_made(self, session: int, names: tuple[str, ...]) -> None:
        """What a command has left is that agent's who is looked for."""
        for name in self.commanded & {*names}:
            self.commanded.remove(name)
            text = self.sight.disk[name]
            if text is not None:
                self.made.setdefault((session, name), []).append(text)

    async def _settled_by(self, look: Awaitable[None], names: tuple[str, ...]) -> None:
        before = self.sight
        await look
        self.log = self.services.log
        self._check_look(before, names)
        self._note_lines()

    def _check_look(self, before: Sight, names: tuple[str, ...]) -> None:
        """Check what becomes of files that the client has looked at."""
        safe = {name: self.unsaved[name] if name in before.shown else set() for name in names}
        after = self._agents_look(before, {name: self.allowed[name] - safe[name] for name in names})
        self.touched -= {*names}
        self.late -= {*names}
        for name in names:
            self._check_told(name, self._stood(before, name), after)
            self._check_settled(name, before, after)
            self.seen[name] = after.disk[name]
            self.allowed[name] = set()
        self._check_silence(names)

    def _stood(self, before: Sight, name: str) -> str | None:
        """Return what a file had, of which a buffer may have been opened empty where it was."""
        shown = before.shown.get(name)
        is_opened_late = shown and not (shown.text or shown.modified or before.disk[name])
        return self.seen[name] if shown is None or is_opened_late else shown.text

    async def _read(self, session: int, name: str) -> str:
        """Let an agent read that file; if it was seen, what the disk has new is taken first."""
        before, path, waits = self.sight, self.world.path(name), self.world.lingers
        text = self.known[session, name] = await self.services.read(session, name)
        self.beliefs.reads((session, name), text)
        self.told.pop((session, name), None)
        self.noted.discard((session, name))
        is_told = any(it.path == path for it in self.log.records)
        is_followed = name in before.shown and not waits
        is_found = self._unsettled(name) and (is_told or is_followed)
        if is_found:
            self._count_as_made(0, (name,))  # that no call has named is the first one's
        self.made.pop((session, name), None)
        self.misread.discard((session, name))
        if is_found:
            self._check_look(before, (name,))
        return text

    def _check_settled(self, name: str, before: Sight, after: Sight) -> None:
        base, theirs = self.seen[name], before.disk[name]
        self._assert(after.disk[name] == theirs, f"{name}: the disk changed by looking at it")
        shown = before.shown.get(name)
        if shown is None:
            return
        if theirs is None:
            self._assert(after.live(name) in (shown.text, "", None), f"{name}: odd text")
            return
        if self._may_differ(name, theirs) and after.live(name) != theirs:
            self._check_kept(name, after)
            if not self._conflicts(name):  # else both go on from what they had in common
                self.origin[name] = theirs
            return
        if not shown.modified:
            self._assert(after.live(name) == theirs, f"{name}: the buffer is not the disk")
            self._assert(not after.shown[name].modified, f"{name} is modified by following")
            self.origin[name] = theirs
            return
        origin = self.origin[name]
        if not self._conflicts(name):
            read = [text for (_, of), text in self.known.items() if of == name]
            # a decision alone does not stand against what an agent does next
            read += [] if name in self.edited else [shown.text]
            ours = [
                merge_complaint(it or "", shown.text, theirs, after.live(name))
                for it in (base, origin, *read)
            ]
            self._assert("" in ours, f"{name}: {ours[0]}")
            self.origin[name] = theirs
        elif theirs != base and origin is not None and not is_conflict(origin, shown.text, theirs):
            self.soft["needless conflict"] += 1

    def _may_differ(self, name: str, theirs: str) -> bool:
        """Return whether the disk may lack what is not to be taken out of the buffer: what only a
        merge has saved, or what an agent did not know that has written the disk; or something new
        stands where an agent knows lines that are gone since."""
        older = {text for (_, of), text in self.known.items() if of == name}
        gone = set().union(*map(bodies, older)) - {*bodies(self.seen[name])}
        if gone and self._conflicts(name):
            return True
        older |= {text for of, text in self.older if of == name}
        return name in self.shared or any(goes_back(self.seen[name], theirs, it) for it in older)

    def _check_kept(self, name: str, after: Sight) -> None:
        """A buffer that is not as the disk is unsaved, and has the agents' lines, or a conflict."""
        self._assert(after.shown[name].modified, f"{name} differs from the disk, yet unmodified")
        new = agents(after.disk[name]) - agents(self.seen[name]) - agents(after.live(name))
        standing = self._conflicts(name) or not new - self._known_words(name)
        self._assert(standing, f"{name}: has not the agent's {sorted(new)}")

    def _known_words(self, name: str) -> set[str]:
        """Return the agents' words that were there before, those that the user has saved or kept
        with them: with them nothing is new."""
        return agents(self.services.everything(name)) | self.kept_words

    # What holds always

    def _check_pristine(self, name: str) -> None:
        """The user's text is there again: if the user's `u` has left it with the line ends of an
        agent's, those that it had at first are right as well."""
        wanted, now = self.pristine[name], text_of(self.sight, name)
        own = None if wanted is None else join(split(wanted)[0], FORMS.get(name, Form()))
        same = wanted in (UNSURE, now) or (now is not None and now == own)
        same |= wanted is None and now == "" and self._conflicts(name)  # it is left on the disk
        self._assert(same, f"{name}: all rejected, but not as it was: {now!r}, was {wanted!r}")

    def _check_books(self, step: Step) -> None:
        """Nothing pending is dropped, and what agents took of the user's can be had back; nothing
        is told of files of the user's own."""
        told = [it for it in self.log.records if it.path in self.own_files]
        self._assert(not told, f"the user's own file was told: {told}")
        for name in NAMES:
            if self._unsettled(name) or self._conflicts(name):
                continue
            text = text_of(self.sight, name)
            self.services.observe(name, text)
            found = self.services.changes(name)
            if isinstance(step, User) and step.act in TAKEN_OVER:
                self.pending[name] &= agents(added(found))
            dropped = (self.pending[name] & agents(text)) - agents(added(found))
            self._assert(not dropped, f"{name}: dropped from the review: {sorted(dropped)}")
            if not found:
                # an agent may go on from what is only open; what it has removed comes back
                is_gone = text is None and (self.sight.live(name) or name in self.removed)
                self.pristine[name] = UNSURE if is_gone else text

    def _agents_look(self, before: Sight, allowed: dict[str, set[str]]) -> Sight:
        """Look after a step that was not the user's, and check what holds after all of them.

        A mark stays with its line, unless the step has changed the order of lines, or has taken it
        out in between.
        """
        self.sight = after = self.world.look()
        for name in NAMES:
            shown = before.shown.get(name)
            was_gone = shown and not shown.modified and self.seen[name] is None
            was = None if was_gone else text_of(before, name)
            lost = users(was) - users(text_of(after, name))
            lost -= {word for other in NAMES for word in users(text_of(after, other))}
            others = [it for it in NAMES if it != name and self._conflicts(it)]
            lost -= {word for it in others for word in users(after.disk[it])}  # moved there
            if self._conflicts(name):  # a script's line may stand against a rejection
                lost -= users(after.disk[name]) & self.scripted
            at_home = {word for word in lost if self.home[word] == name}
            too_many = at_home - allowed.get(name, set()) - self.taken_out
            self._assert(not too_many, f"{name}: lost the user's {sorted(too_many)}")
            gone = lost - users("".join(self.services.everything(other) for other in NAMES))
            self._assert(not gone, f"{name}: no way back to the user's {sorted(gone)}")
        changed = {it for it, own in before.others.items() if not own.is_like(after.others.get(it))}
        self._assert(not changed, f"buffers of the user's have changed: {sorted(changed)}")
        for name in NAMES:
            self._assert(not glued(after.live(name)), f"{name}: glued {glued(after.live(name))}")
        for name, shown in after.shown.items():
            is_moved = moved(rows(before.live(name)), rows(after.live(name)))
            if not is_moved and not self._came_again(name, before, after):
                self._assert(not shown.wrong, f"{name}: marks moved: {shown.wrong}")
        return after

    def _came_again(self, name: str, before: Sight, after: Sight) -> bool:
        """Return whether the buffer has first followed the disk, which lacked lines, and then an
        agent's write, that has them again: what was upon them has gone with them."""
        shown, disk = before.shown.get(name), before.disk[name]
        if shown is None or shown.modified or disk in (self.seen[name], after.disk[name]):
            return False
        gone = {*bodies(shown.text)} - {*bodies(disk)}
        return bool(gone & {*bodies(after.live(name))})

    def _check_silence(self, names: tuple[str, ...]) -> None:
        """Neovim has no question about these when all is settled."""
        if self.log.standing or any(self._unsettled(name) for name in NAMES):
            return
        paths = [self.world.path(name) for name in names]
        found = self.world.hand("questions")
        asked = [row for row in found if row[1] != "deleted" and row[0] in paths]
        reasons = sorted({row[1] for row in asked})
        self._assert(not asked, f"Neovim would ask: {reasons} {asked}")

    def _check_undo_trees(self) -> None:
        """Neovim can go to each state of each buffer, and back."""
        broken = self.world.hand("walk")
        self._assert(not broken, f"the undo tree is broken: {broken}")

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
            self.adopted |= self.taken_out & (users(it.after) - users(it.before))
            self.pending[name] |= new - self.kept_words
            if self.pristine[name] is not UNSURE and new & agents(self.pristine[name]):
                self.pristine[name] = UNSURE  # it was there, and found to be an agent's only now
        hidden = agents(after.live(name)) - self.reported[name]
        self._assert(not hidden, f"{name}: the agent's {sorted(hidden)} are not told")
        text = before
        if typed or self._conflicts(name) or self.origin[name] != self.seen[name]:
            return told[-1].after if told else None
        if told and told[0].before is None and self.seen[name] is None:
            text = None  # a buffer keeps the text of a file that is gone
        for record in told:
            is_gone = text is None and record.before == before  # as the buffer has it still
            is_back = text == "" and record.before == self.seen[name]  # it was gone when opened
            is_made = text == record.after == "" and record.before is None  # the user saved it then
            told_right = record.before == text or is_gone or is_back or is_made
            self._assert(told_right, f"{name}: told of another text: {record} {text!r}")
            text = record.after
        if not told and after.live(name) == self.overlooked.get(name):
            return text
        if told and text is None and before == after.live(name) == after.disk[name]:
            return before  # a command has removed it, and the buffer's text was written again
        gone = after.disk[name] is None and text is None
        self._assert(gone or text == after.live(name), f"{name}: not told: {text!r}")
        return text

    def _conflicts(self, name: str) -> bool:
        return self.world.path(name) in self.log.standing

    def _assert(self, holds: object, complaint: str) -> None:
        if holds:
            return
        for kind in self.lenient:
            if kind in complaint:
                self.soft[kind] += 1
                return
        raise Violation(complaint)


def is_conflict(base: str | None, ours: str | None, theirs: str) -> bool:
    """Return whether both sides have changed the same place."""
    sides = (split_lines(text or "") for text in (base, ours, theirs))
    return bool(reconcile(*sides).conflicts)


def goes_back(newer: str | None, text: str, older: str) -> bool:
    """Return whether lines of a newer text are in this one as they were in an older one."""
    was, now, once = (Counter(bodies(it)) for it in (newer, text, older))
    return bool((now - was) & once or was - (now | once))
