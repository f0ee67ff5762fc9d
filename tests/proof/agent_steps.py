"""What agents do to files, in each of the three ways."""

from __future__ import annotations

import itertools

from acp_nvim.errors import RequestFailed
from tests.proof.lines import (
    Form,
    agents,
    bodies,
    edited,
    join,
    merge_complaint,
    parts_of_own,
    split,
    users,
    with_own,
    without_lines,
    without_own,
    without_unread,
)
from tests.proof.model import UNSURE, is_conflict
from tests.proof.steps import (
    SESSIONS,
    Act,
    Decides,
    DoubleWrites,
    EndsTurn,
    Kills,
    Runs,
    SavesFromInsert,
    Step,
    Sweeps,
    Tool,
    User,
    Writes,
)
from tests.proof.user_steps import UserSteps
from tests.proof.world import NAMES, Sight

KEYS = (
    "<Esc>:silent! write<CR>",
    "<Cmd>silent! write<CR><Esc>",
    "<C-o>:silent! write<CR><Esc>",
    "<Esc>:silent! update<CR>",
    "<Esc>:silent! noautocmd write<CR>",
)
ANSWER = "n<Esc>"
"""Should Neovim ask."""

TAKEN_BACK = "was undone by the user, or by another program"
AGAINST = "was changed by the user, as you were told"


class AgentSteps(UserSteps):
    """Through the client, by a tool that writes the disk, by a command."""

    async def _writes(self, step: Writes) -> None:
        name = NAMES[step.file % len(NAMES)]
        known = self.known.get((step.session, name))
        if known is None or not step.stale:
            known = await self._read(step.session, name)
        await self._write(step, name, known, edited(known, step.edits, self._agent_word))

    async def _write(self, step: Writes, name: str, known: str, text: str) -> bool:
        """Return whether it was written."""
        before, unsettled = self.sight, self._unsettled(name)
        in_conflict = self.log.standing.get(self.world.path(name))
        key = step.session, name
        self.beliefs.begins(key, known)
        self._count_as_made(step.session, (name,))
        self._interrupt(step, name)
        refused = ""
        try:
            await self.services.write(step.session, name, text)
        except RequestFailed as error:
            refused = str(error)
        typed = self.world.before_call is None and step.meanwhile > 0
        self.world.before_call = None
        if typed:
            self.untold |= {name} if before.disk[name] is None else set()
            before = self.sight
        self._note_lines()
        then = self.world.look()
        kept = users(then.live(name)) | users(then.disk[name]) | self.taken_out
        self._assert(self.amid <= kept, f"{name}: another program's {self.amid} are written over")
        is_amid, self.amid = bool(self.amid), set()
        gone = users(known) - users(text)
        after = self._agents_look(before, {name: gone | self.allowed[name]})
        shown = before.shown.get(name)
        old = shown.text if shown else self.seen[name]
        last = self._check_told(name, old, after, bool(typed))
        stands = self.log.standing.get(self.world.path(name))
        is_found = stands is not None and stands.on_disk and stands.theirs == after.disk[name]
        now = after.shown.get(name)
        is_followed = now is not None and not now.modified and now.text == after.disk[name]
        is_told = (last not in (old, None) and not is_amid) or last == after.disk[name]
        if refused and (is_found or is_followed or is_told):
            self.seen[name] = after.disk[name]  # looked at before it was refused
        told = self.told.get(key, known)
        live, made = before.live(name), self.made.get((step.session, name), [known])[-1]
        tools = {it for (_, of), texts in self.made.items() if of == name for it in texts}
        if not refused:
            self.made.pop((step.session, name), None)
            self.known[step.session, name] = text
            untaken = set(bodies(text)) - set(bodies(known)) - set(bodies(after.live(name)))
            self.untaken[step.session, name] = untaken if typed else set()
            self._note_saved(name, text, was_modified=bool(typed or (shown and shown.modified)))
            # another program may have written after it, also after it had nothing to write
            unseen = self.seen[name] if last is None else last
            self.seen[name] = self.origin[name] = unseen if is_amid else after.disk[name]
            self.overlooked |= {name: after.disk[name]} if is_amid else {}
            if not typed:
                self._check_written(name, after)
            self._check_done(key, text, after, is_sure=not is_amid)
            if not unsettled and not typed:
                wanted = {in_conflict.base} if in_conflict else set()
                partly = without_own(known, made, after.live(name))
                bases = {""} if live is None else {known, *partly, *parts_of_own(known, made)}
                # no call has named it, and turns of both run; or it stayed though it was left out
                bases |= tools | {with_own(known, it) for it in bases | tools}
                bases |= {told}
                bases |= {without_unread(known, it) for it in bases}
                self._check_merged(name, bases | wanted, live or "", text, after)
        elif not unsettled and not typed:
            self._assert(live == after.live(name), f"{name} changed though refused: {refused}")
            taken = without_lines(known, self.untaken.get((step.session, name), set()))
            needed = any(is_conflict(it, live, text) for it in (known, made, taken, told))
            is_back = TAKEN_BACK in refused and self.beliefs.is_taken_back(key, known, live)
            # it has lines from before what a prompt has told it that the user has made of them
            is_told = key in self.noted and bool({*bodies(text)} - {*bodies(live)})
            allowed = needed or is_back or in_conflict or (is_told and AGAINST in refused)
            self._assert(allowed, f"needless: {refused}")
        return not refused

    def _check_done(self, key: tuple[int, str], text: str, after: Sight, *, is_sure: bool) -> None:
        """Success means done; `is_sure`: no other program has written in the middle of it."""
        name = key[1]
        lost = self.beliefs.missing(key, text, after.live(name), after.disk[name])
        self._assert(not (lost and is_sure), f"{name}: answered as written, but not there: {lost}")
        self.beliefs.wrote(key, text)
        self.told.pop(key, None)
        self.noted.discard(key)

    def _check_merged(self, name: str, bases: set[str], live: str, text: str, after: Sight) -> None:
        """What its own tool has made an agent knows, too, or some of it; a file that is not there
        is made; and what stands against the user's text it may want again."""
        found = {merge_complaint(it, live, text, after.live(name)) for it in bases}
        self._assert("" in found, f"{name}: {max(found)}")

    def _note_saved(self, name: str, text: str, *, was_modified: bool) -> None:
        """An agent's write has saved all that was there, which the user had not."""
        self.unsaved[name] -= users(text)
        if was_modified:
            self.shared.add(name)

    def _interrupt(self, step: Writes, name: str) -> None:
        """Have the user act before the n-th call from now."""
        if not step.meanwhile:
            return
        countdown = itertools.count(1)

        def type_once() -> None:
            if next(countdown) == step.meanwhile:
                self.world.before_call = None
                self._act_amid(step, name)

        self.world.before_call = type_once

    def _act_amid(self, step: Writes, name: str) -> None:
        path, old = self.world.path(name), self.world.disk(name)
        lines = bodies(self.sight.live(name)) or [""]
        row = (step.edits[0].at if step.edits else 0) % len(lines) + 1
        match step.by:
            case "typing":
                self.world.act(name, f"{row}Go{self._user_word(name)}<Esc>")
            case "saving":
                self.world.hand("save", path, "y", "")
                now = self.world.look()
                self.unsaved[name] -= users(now.disk[name]) if now.disk[name] != old else set()
            case "wiping":
                self.world.hand("close", path, False, "wipe")
            case "renaming":
                self.world.act(name, "", f"file {self.world.path(f'x{next(self._numbers)}.txt')}")
            case "splitting":
                self.world.act(name, "", "split")
            case "another program":
                lines, word = bodies(old), self._scripted_word(name)
                lines.insert(row - 1, word)
                self.world.put(name, join(lines, split(old)[1]))
                self.amid = users(word)
        self._excuse(name)
        self.pristine[name] = UNSURE
        before, self.sight = self.sight, self.world.look()
        if step.by in ("wiping", "renaming"):
            self._has_acted(name, before)

    def _check_written(self, name: str, after: Sight) -> None:
        same = after.live(name) == after.disk[name]
        self._assert(same, f"{name} was written, but the disk has other text")
        shown = after.shown.get(name)
        self._assert(not (shown and shown.modified), f"{name} was written and is modified")

    async def _tool(self, step: Tool) -> None:
        name = NAMES[step.file % len(NAMES)]
        old = self.sight.disk[name] or ""
        new = edited(old, step.edits, self._agent_word)
        saved = self.unsaved[name] & users(old)
        self._put(name, new, rename=step.way == "renamed over")
        if saved & users(new):  # it has read what a merge had saved: what it replaces it knows
            self.unsaved[name] -= saved
        known = self.known.get((step.session, name))
        if step.twice and (step.session, name) not in self.misread:
            known = old if known is None else known
            await self._write(Writes(step.session, step.file, ()), name, known, new)
        self.made.setdefault((step.session, name), []).append(new)
        if step.told:
            await self._settle(step.session, (name,))

    async def _double_writes(self, step: DoubleWrites) -> None:
        name, session = NAMES[step.file % len(NAMES)], step.session
        known = self.known.get((session, name))
        if known is None or not step.stale:
            known = await self._read(session, name)
        text = edited(known, step.edits, self._agent_word)
        write = Writes(session, step.file, ())
        if step.disk_first:
            self._put_by_tool(session, name, text)
            if await self._between(step, name):  # the write would be refused
                await self._settle(session, (name,))
            else:
                await self._write(write, name, known, text)
            return
        is_written = await self._write(write, name, known, text)
        is_read_anew = await self._between(step, name)
        if self.sight.disk[name] != text:
            is_same = is_written and not is_read_anew
            await self._repeat(session, name, text, is_same=is_same)

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
        after = self._agents_look(self.sight, {name: self.allowed[name]})
        self._assert(after.live(name) == live, f"{name}: changed after it was saved")
        self._check_told(name, ours, after)
        self.unsaved[name].clear()
        for files in (self.shared, self.touched, self.late, self.unwritten):
            files.discard(name)
        self.seen[name] = self.origin[name] = after.disk[name]
        self.allowed[name] = set()
        pending = agents(new) - agents(old)
        self._assert(pending <= self.pending[name] | self.kept_words, f"{name}: {pending} untold")

    def _put_by_tool(self, session: int, name: str, text: str) -> None:
        """Have an agent's own tool write a whole text that the agent has made: the user's words in
        it the agent has read, and if it replaces them, it knows what it does."""
        self._put(name, text)
        self.made.setdefault((session, name), []).append(text)
        read, live = self.known.get((session, name)), bodies(self.sight.live(name))
        replaced = {it for line in bodies(read) if line in live for it in users(line)} - users(text)
        self.unsaved[name] -= users(text) | replaced
        self.allowed[name] |= replaced

    async def _repeat(self, session: int, name: str, text: str, *, is_same: bool) -> None:
        """Write to the disk what was written through the client: nothing comes of it, but that
        lines end as the agent has it, where nothing is unsaved."""
        is_same &= self.known.get((session, name)) == text and not self._unsettled(name)
        self._put_by_tool(session, name, text)
        before = self.sight
        await self._settle(session, (name,))
        shown = self.sight.shown.get(name)
        if is_same and shown:
            was = before.live(name) or ""
            same = shown.text == was or (
                not shown.modified and shown.text.splitlines() == was.splitlines()
            )
            self._assert(same, f"{name}: the same write again has changed it: {shown.text!r}")

    async def _between(self, step: DoubleWrites, name: str) -> bool:
        """Let something happen before the second write; return whether the file is open in another
        encoding then than the one by which it was read."""
        was_open = name in self.sight.shown
        match step.between:
            case "look":
                await self._settle(step.session, (name,))
            case "sweep":
                await self._settle(step.session, NAMES)
            case "typing" | "undo" | "save":
                row = step.edits[0].at
                act: Act = "insert" if step.between == "typing" else step.between
                self._act(User(act, step.file, row, row), name)
            case "turn":
                await self._ends_turn(EndsTurn(step.session))
        return name in self.world.codings and name in self.sight.shown and not was_open

    async def _sweeps(self, step: Sweeps) -> None:
        await self._settle(step.session, NAMES)

    async def _ends_turn(self, step: EndsTurn) -> None:
        await self._settle(step.session, NAMES)
        self.beliefs.end_turn(step.session)
        if step.told:
            await self.services.tell(step.session)
            for key in [it for it in self.known if it[0] == step.session]:
                live = self.sight.live(key[1])
                self.told[key] = self.beliefs.told(key, self.known[key], live)
                self.noted.add(key)
        await self.services.begin_turn(step.session)

    async def _kills(self, step: Kills) -> None:
        """The agents go with the host; what they have done is found by the next one.

        What a merge has saved is on the disk for that, as if the user had saved it. Of what the
        user has done since an agent was last at work only the outcome is there. What an agent's own
        tool has copied of the user's unsaved text is only found then, so the user is asked.
        """
        if step.editor:
            await self._kill_editor()
        for name in NAMES:
            if not step.flushed and self._unsettled(name):
                self.scripted |= users(self.sight.disk[name]) - users(self.seen[name])
            self.unsaved[name] -= users(self.seen[name])
        self.shared.clear()
        self.older.clear()
        self.made.clear()
        self.commanded.clear()
        before = self.sight
        await self.services.killed(flushed=step.flushed)
        self.log = self.services.log
        if not step.flushed:
            self._forget_unheard()
        self._check_look(before, NAMES)
        if not step.flushed:
            for name in self.acted:
                self.pristine[name] = UNSURE
        self.acted.clear()
        self.known.clear()
        self.told.clear()
        self.noted.clear()
        self.beliefs.end_all()
        for session in range(SESSIONS):
            await self.services.begin_turn(session)

    def _forget_unheard(self) -> None:
        """What had come and gone since the books were written, nobody knows of."""
        told = {record.path for record in self.log.records}
        for name in NAMES:
            books = self.services.edits.file(self.world.path(name))
            is_as_then = books is not None and books.text == self.sight.disk[name]
            if is_as_then and self.world.path(name) not in told:
                self.seen[name] = self.sight.disk[name]

    async def _kill_editor(self) -> None:
        """What was only in buffers is gone, and what an agent has copied of it is only found; what
        the user has written is known before."""
        for name in tuple(self.late):
            await self._settle(0, (name,), named=False)
        self.late.clear()
        before = self.sight
        self.world.restart()
        self.sight = self.world.look()
        for name, shown in before.shown.items():
            if shown.modified:
                self.scripted |= users(shown.text) - users(self.origin[name])
            self._has_acted(name, before)

    async def _runs(self, step: Runs) -> None:
        name, other = NAMES[step.file % len(NAMES)], NAMES[step.other % len(NAMES)]
        old, target = self.sight.disk[name], self.sight.disk[other]
        if name != other and {name, other} & self.world.codings.keys():
            return  # would be bytes that the user's encoding may not have
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
        self.commanded |= {it for it in (name, other) if self._unsettled(it)}

    def _note_removal(self, name: str, old: str) -> None:
        """An undo gives back what was seen of it, without what agents have changed in it, kept or
        not."""
        kept = self.services.edits.changes(self.world.path(name), "kept")
        changes = self.services.changes(name) or kept
        other = self._unsettled(name) or self._conflicts(name) or changes or name in self.untold
        self.removed[name] = UNSURE if other else old

    def _note_removed(self, step: Step, opened: set[str]) -> None:
        """Forget of what agents have removed what is there again, and how it was where it is not
        sure that an undo gives it back. If the user has made the file anew in a buffer, an undo
        brings its lines there, unsaved; `opened`: buffers before the step."""
        is_kept = isinstance(step, Kills) or (isinstance(step, Decides) and step.verdict == "keep")
        gone = self.removed.keys() - {it for it in NAMES if self.sight.disk[it] is not None}
        self.removed = {it: self.removed[it] for it in gone}
        for name in self.removed:
            if is_kept or (name in self.sight.shown and name not in opened):
                self.removed[name] = UNSURE

    def _put(self, name: str, text: str | None, *, rename: bool = False) -> None:
        """Change the disk behind everybody's back."""
        old = self.sight.disk[name]
        if text is None and old is not None:
            self._note_removal(name, old)
        self.world.put(name, text, rename=rename)
        self.beliefs.on_disk(name, old, text)
        self.older.add((name, text or ""))
        if text in (old, self.origin[name]):
            self.touched.add(name)
        was = self.origin[name] if old is None else old  # it comes again as another one
        self.allowed[name] |= users(was) - users(text)
        self.sight.disk[name] = text
