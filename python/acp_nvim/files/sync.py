"""When open buffers are brought up to the disk, and whose a change of it is.

After tool calls that name files, after turns, and before an agent writes or the user decides. One
at a time: whoever holds `exclusive` has all before it that was asked for until then.

One lock, `exclusive`: whoever reads the disk to compare it, or changes files, holds it, and finds
done what was asked for before. Facts are emitted inside of it. Without it a pass could find the
first half of a write and count it to an agent for a second time, or to the user. The editor is not
locked: each edit is for the `changedtick` that was seen, and begins anew if the user was faster.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from functools import partial

import anyio
from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.aside import aside_if_large
from acp_nvim.editor import Busy, Files, LiveBuffer
from acp_nvim.errors import FileProblem
from acp_nvim.files import disk
from acp_nvim.files.attribution import OF_EDITOR, Attribution, resolved_within
from acp_nvim.files.baselines.baselines import Baselines, DiskChange
from acp_nvim.files.baselines.snapshot import UNKNOWN, Text, Unknown
from acp_nvim.files.conflicts import Conflicts, saved_at
from acp_nvim.files.deferred import Deferred, DeferredChange, Hands, as_new
from acp_nvim.files.encoding import NotRead
from acp_nvim.files.event import Books, DiskChanged, Emit, FileWritten, Unrecoverable
from acp_nvim.files.knowledge import Knowledge, Sure
from acp_nvim.files.live import LiveFile, encoding_of, load, with_buffer
from acp_nvim.files.roots import Roots
from acp_nvim.files.settle import (
    Followed,
    Moved,
    as_gone,
    carry_out,
    last_saved,
    merge_base,
    needs_disk,
    settle,
)
from acp_nvim.files.text import reconciled
from acp_nvim.history.author import Author, SessionKey

ATTEMPTS = 5
"""How often a buffer, or a file, that changes meanwhile is tried again."""
MOST_READS = 1_000
"""Reads of agents' own tools of which nobody has learned yet: of the oldest nobody does."""


class Synced(Struct, frozen=True):
    """A file after it was brought up to the disk, and what that was known to hold until then.
    `problem`: the buffer is not, for the user's hands are on it, or Neovim cannot read that."""

    live: LiveFile
    known: Text = UNKNOWN
    problem: Busy | NotRead | None = None


class DiskSync:
    """Brings open buffers up to the disk: `look` and `sweep` return at once, `run` does the work.

    Whose a change is, `Attribution` knows.
    """

    def __init__(
        self,
        files: Files,
        emit: Emit,
        fault: Callable[[BaseException], None],
        *,
        knowledge: Knowledge,
        books: Books,
        author: Callable[[str], Author | None],
        baselines: Baselines | None = None,
    ) -> None:
        self._files = files
        self._emit = emit
        self.fault = fault
        self._knowledge = knowledge
        self._baselines = baselines or Baselines()
        self.recall = self._baselines.recall
        self._met = books.met
        self.foresee = books.foresee
        self._asked = Attribution(author)
        self.hands = Hands(emit)
        self.ended = self._asked.ended
        self.deferred = Deferred(emit, knowledge)
        self.conflicts = Conflicts(emit)
        self._reads: deque[tuple[Roots, SessionKey, str, str]] = deque(maxlen=MOST_READS)
        """Where, by whom, which file, in which call; resolved when somebody waits for that."""
        self._wake = anyio.Event()
        self._lock = anyio.Lock(fast_acquire=True)

    def look(
        self, author: Author | None, roots: Roots, paths: Iterable[str], *, sure: bool = False
    ) -> None:
        """A tool call names these files; those outside of the roots are none of ours.

        `sure`: it says that it changes them.
        """
        self._asked.look(author, roots, paths, sure=sure)
        self._wake.set()

    def sweep(self, author: Author | None, roots: Roots) -> None:
        """Anything below the roots may have changed."""
        self._asked.sweep(author, roots)
        self._wake.set()

    def free(self) -> None:
        """A command of the user's is over: what waits for that, or for another buffer, is done."""
        self.hands.free()
        if any(self.deferred):
            self._wake.set()

    async def run(self) -> None:
        """Follow the disk for ever; the caller's task group ends it."""
        while True:
            with anyio.move_on_after(self.hands.patience.silent if self.deferred.is_busy else None):
                await self._wake.wait()
            self._wake = anyio.Event()
            await self.drain()
            self.hands.tell()

    async def drain(self) -> None:
        """Return when all that was asked for is done, and what waits was tried again."""
        self._asked.again(self.deferred)
        async with self.exclusive():
            pass
        await self._learn_reads()

    async def follow_now(self, path: str) -> None:
        """Bring that open buffer up to the disk before all else: the user is about to write it."""
        async with self._lock:
            await self.sync(path)

    async def prepare(self, roots: Roots) -> None:
        """A turn begins, or a session: what has changed until now is none of its.

        What is under way for another one is cut short: the user waits for this.
        """
        deadline = self._baselines.hurry()
        async with self.exclusive():
            await self._sweep(None, roots, refresh_until=deadline)

    async def settle(self, roots: Roots) -> None:
        """Do now what the next turn would have to wait for at its beginning: nobody waits."""
        if self._baselines.is_torn(roots):
            async with self.exclusive():
                await self._sweep(None, roots, refresh_until=0.0)
        await self._baselines.read_on()

    async def leave(self, used: Iterable[str]) -> None:
        """Sessions work below these folders only."""
        await self._baselines.leave(used)

    def was_read(
        self, session: SessionKey, roots: Roots, paths: Iterable[str], call: str = ""
    ) -> None:
        """A tool call has read these files; those outside of the roots are none of ours.

        A call that has read through us knows what it was served, not the disk.
        """
        self._reads.extend((roots, session, path, call) for path in paths)
        self._wake.set()

    async def _learn_reads(self) -> None:
        """Have each agent know what it has read: what the disk has new is taken first, so that what
        it knows is as old as that."""
        reads = [*self._reads]
        self._reads.clear()
        names: defaultdict[Roots, set[str]] = defaultdict(set)
        for roots, _, named, _ in reads:
            names[roots].add(named)
        real = {roots: resolved_within(roots, paths) for roots, paths in names.items()}
        for roots, session, named, call in reads:
            path = real[roots].get(named)
            if path is None or call in self._knowledge.of(session, path).calls:
                continue
            with self._alone():
                async with self.exclusive():
                    live = (await self.sync(path)).live
                    if live.disk is not None:
                        text = live.read(live.disk)
                        self._knowledge.learn(session, path, text, "read", live.encoding)

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[None]:
        """Do all that was asked for, then hold off all passes: what is written to the disk herein
        is not taken for another's."""
        async with self._lock:
            with anyio.CancelScope(shield=True):  # what is looked at once stays so
                await self.catch_up()
            try:
                yield
            finally:  # what was seen is kept also where a write was refused
                await self._baselines.keep()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # it keeps nothing else from being done
            self.fault(error)

    # --- for who holds `exclusive`

    async def catch_up(self) -> None:
        """Do all that was asked for until now."""
        asked = self._asked.take()
        for path, author in asked.paths.items():
            with self._alone():
                if not self._is_as_read(path):
                    await self.sync(path, author, sure=path in asked.sure)
        for roots, author in asked.roots.items():
            with self._alone():
                await self._sweep(author, roots)

    async def sync(self, path: str, author: Author | None = None, *, sure: bool = False) -> Synced:
        """Take what the disk has new at that resolved path; return the file as it is then.

        `sure`: the author has said that it changes the file.
        """
        buffer = await self._files.loaded(path)  # may take as long as Neovim waits for a key
        with anyio.CancelScope(shield=True):  # what was seen is taken, or kept for later
            synced = await self._take(path, author, buffer, sure=sure)
        return synced

    async def _take(
        self, path: str, author: Author | None, buffer: LiveBuffer | None, *, sure: bool
    ) -> Synced:
        told: DiskChange | None = None
        before: Text = UNKNOWN
        for attempt in range(ATTEMPTS):
            encoding = encoding_of(buffer)
            known = self._baselines.text(path, encoding)
            before = before if attempt else self.deferred.seen(path, known)
            change = await self._baselines.look(path, encoding)
            if attempt or change is not None:  # the user has gone on meanwhile
                buffer = await self._files.loaded(path)
            told = told or change
            live = self._as_seen(path, buffer) or await with_buffer(path, buffer)
            if change is None and self._is_idle(live):
                break  # whoever runs, nothing is theirs
            same = change is None and isinstance(known, str) and path not in self.conflicts
            change = self.deferred.without_own(live, change)
            whose = self._asked.whose(path, author, self._knowledge.repeats(live))
            found = await self._follow(live, whose, change, same=same, sure=sure)
            if found is not None:
                live = found
                break
        if before is UNKNOWN and told is not None:
            before = told.before
        return Synced(live, before, self.deferred.problem(path))

    def _as_seen(self, path: str, buffer: LiveBuffer | None) -> LiveFile | None:
        """Return the file as it was just looked at, None if that has no text, or is over."""
        text, stamp = self._baselines.text(path, encoding_of(buffer)), disk.stamp(path)
        if not isinstance(text, str) or not self._baselines.held(path, stamp):
            return None
        return LiveFile(path, text, buffer, stamp=stamp, mode=disk.mode(path))

    async def refresh(self, path: str, encoding: str, text: str | None = None) -> None:
        """See the file as it is now: it was we who wrote it, through a buffer in that encoding.

        `text`: what we wrote, which the disk may hold no more.
        """
        if text is None:
            await self._baselines.look(path, encoding, at_once=True)
        self.decided(path, UNKNOWN if text is None else text)

    def decided(self, path: str, left: Text) -> None:
        """The user has decided what the file holds; `left`: what the disk was made to hold for
        that, `UNKNOWN`: nothing else. Another program may have changed it since."""
        if not isinstance(left, Unknown):
            self._baselines.note(path, left)
        waited = self.deferred.problem(path)
        self.deferred.over(path)
        self.conflicts.over(path)
        self._waits(path, waited)

    async def opened(self, path: str, author: Author | None, change: DiskChange) -> Followed | None:
        """Bring in a buffer of a file that was written because it had none: there may be one now.

        Returns what became of the live text, None if there is nothing to tell.
        """
        late = DeferredChange(change, author)
        try:
            live, followed = await self._settle(await load(self._files, path), late)
        except FileProblem as problem:
            waited = self.deferred.problem(path)
            self.deferred.later(path, late, problem)
            self._waits(path, waited, problem, author, tell=True)
            return None
        await self.refresh(path, live.encoding, change.after)
        if followed is not None:
            self.conflicts.note(live, author, followed, change)
        return followed

    async def tell(self, fact: FileWritten | DiskChanged) -> None:
        """Tell what has become of a file, after what large texts take long for is found out."""
        with self._alone():
            await self.foresee(fact)
        self._emit(fact)

    def is_behind(self, live: LiveFile) -> bool:
        """Return whether the disk has something new of which nobody was told yet."""
        known, buffer = self._baselines.text(live.path, live.encoding), live.buffer
        if known is UNKNOWN:  # nobody has looked yet: it was made since, by the user
            return buffer is not None and live.stamp not in ("", buffer.synced)
        return live.problem is None and known != live.on_disk

    async def _sweep(
        self, author: Author | None, roots: Roots, *, refresh_until: float | None = None
    ) -> None:
        files = {it.path: it for it in await self._files.survey(roots.folders())}
        opened = {path: it.encoding or "utf-8" for path, it in files.items()}
        refresh = partial(self._baselines.refresh, deadline=refresh_until)
        see = self._baselines.changes if refresh_until is None else refresh
        found = await see(roots, opened)
        await self._miss(found.reasons, author)
        await self._miss(dict.fromkeys(found.gone, ""), author, gone=True)
        if found.known:  # a buffer that comes from now on has what was found
            opened |= {it.path: "" for it in await self._files.survey(roots.folders())}
        done: set[str] = set()
        # open files first: what the user looks at does not wait for the rest of a tree
        for change in sorted(found.known, key=lambda it: it.path not in opened):
            with self._alone():
                if await self._found(change, author, is_open=change.path in opened):
                    done.add(change.path)
        for path in [it for it in {**opened, **dict.fromkeys(self.deferred)} if it not in done]:
            if path not in files or not self.is_in_step(path, files[path].synced):
                await self.sync(path, author)

    def _is_idle(self, live: LiveFile) -> bool:
        """Return whether the file is as its buffer was in step with it, and nothing waits."""
        if live.path in self.deferred or live.path in self.conflicts or not live.stamp:
            return False
        return live.buffer is None or live.stamp == live.buffer.synced

    def is_in_step(self, path: str, synced: str) -> bool:
        """Return whether who was in step with the file at that stamp has had what it has, as we
        have, and nothing waits."""
        stamp = disk.stamp(path)
        waits = path in self.deferred or path in self.conflicts
        return not waits and stamp == synced != "" and self._baselines.held(path, stamp)

    def holds_no_text(self, path: str) -> bool:
        """Return whether the file was seen, and no text in it that is known."""
        return self._baselines.watches(path) and isinstance(self._baselines.text(path), Unknown)

    def _is_as_read(self, path: str) -> bool:
        """Return whether the file is as its buffer was when that was read last: nobody is asked."""
        buffer = self._files.known(path)
        if buffer is None or not self._baselines.is_settled(path):
            return False
        return self.is_in_step(path, buffer.synced)

    async def _found(self, change: DiskChange, author: Author | None, *, is_open: bool) -> bool:
        """Take what a sweep has found; return whether that is done."""
        whose = self._asked.whose(change.path, author)
        with self.deferred.amid(DeferredChange(change, whose)):
            live = LiveFile(change.path, stamp=disk.stamp(change.path))
            if is_open or change.path in self.deferred:
                live = await load(self._files, change.path)
            new = self.deferred.without_own(live, change)
            whose = self._asked.whose(change.path, author, self._knowledge.repeats(live))
            return await self._follow(live, whose, new) is not None

    async def _miss(
        self, reasons: Mapping[str, str], by: Author | None, *, gone: bool = False
    ) -> None:
        missed: dict[tuple[Author, str], list[str]] = {}
        for path, reason in reasons.items():
            whose = None if OF_EDITOR.search(path) else self._asked.whose(path, by)
            if whose is not None and not await self._is_users(path):
                missed.setdefault((whose, reason), []).append(path)
        for (whose, reason), theirs in missed.items():
            self._emit(Unrecoverable(tuple(theirs), whose, gone, reason))

    async def _is_users(self, path: str) -> bool:
        """Return whether the user has written the file, or may have by another plugin."""
        if await self._files.is_open_otherwise(path):
            return True
        return disk.stamp(path) == await self._files.saved(path) != ""

    async def _follow(
        self,
        live: LiveFile,
        author: Author | None,
        change: DiskChange | None,
        *,
        same: bool = False,
        sure: bool = False,
    ) -> LiveFile | None:
        """Bring the buffer up to the disk, and tell; return the file then, None to look again."""
        path = live.path
        if self.deferred.waits(path) and await self._is_merged(path):
            await self._took_merged(await load(self._files, path), self.deferred.take(path))
        is_new = change is not None
        is_sure = self._asked.how_sure(live.path, author, said=sure)  # its turn may end meanwhile
        late = self.deferred.with_late(live.path, DeferredChange(change, author, sure=is_sure))
        author, is_sure = late.author, late.sure or is_sure
        held = self._baselines.text(live.path, live.encoding)
        with self.deferred.amid(late):
            change = self.conflicts.upon(late.change, live)
            late = replace(late, change=change)
            try:
                live, followed = await self._settle(live, late, same=same, held=held)
            except FileProblem as problem:
                # The buffer stays as it was, and Neovim warns the user as it does without us.
                self.deferred.later(live.path, late, problem, is_new=is_new)
                self._waits(path, late.problem, problem, author, tell=change is not None)
                return None if isinstance(problem, Moved) else live
            self._waits(path, late.problem)
            if followed is not None:
                followed = as_new(followed) if late.amid else followed
                await self._took(live, author, followed, change, is_sure)
            elif not is_new and late.problem and await self._is_merged(path):
                await self._took_merged(live, late)
            else:
                self.conflicts.seen(live)
        return live

    async def _is_merged(self, path: str) -> bool:
        """Return whether the editor has taken what waited, as the user wrote the file."""
        return self.deferred.is_merged(path, await self._files.merged(path))

    def _waits(
        self,
        path: str,
        waited: FileProblem | None,
        problem: FileProblem | None = None,
        author: Author | None = None,
        *,
        tell: bool = False,
    ) -> None:
        """Take note whether the file is to be tried again when the user's hands are off it;
        `waited`: why it was not done the last time."""
        self.hands.stays(path, problem, author)
        if isinstance(problem, Busy):
            if tell:
                self.hands.waits(path, author.turn_key[:2] if author else None, problem)
            if not isinstance(waited, Busy):
                self._wake.set()  # `run` looks at the clock from now on
        elif isinstance(waited, Busy):
            self.hands.over(path)

    async def _settle(
        self, live: LiveFile, late: DeferredChange, *, same: bool = False, held: Text = UNKNOWN
    ) -> tuple[LiveFile, Followed | None]:
        """Bring the buffer up to the disk as `settle` says, and begin anew when it has changed.

        `held`: what the disk was seen to hold. Returns the file then, and what became of it. Raises
        `FileProblem`, `Moved` if the disk holds something else by now; nothing has changed then.
        """
        path, change = live.path, late.change
        knows = None if self.conflicts.given_up(live) else late.author
        for _ in range(ATTEMPTS):
            saved, now = await last_saved(self._files, live, change), as_gone(live, change)
            is_needed = held is not UNKNOWN and needs_disk(now, change, saved, same=same)
            if is_needed and now.on_disk != held:
                raise Moved(path)
            settling = partial(
                settle,
                now,
                change,
                saved=saved,
                kept=late.author is not None,  # an agent's text is kept by the log
                same=same,
                in_step=change is None and self._baselines.held(path, live.read_at),
                candidates=self._knowledge.candidates(knows, path, late.known, saved),
            )
            step = await aside_if_large(settling, live.read_text if live.buffer else "")
            if await carry_out(self._files, live, step.edit):
                return live if step.edit is None else await load(self._files, path), step.followed
            live = await load(self._files, path)
        raise FileProblem(f"{path} keeps changing")

    # --- once the live text has what the disk had new

    async def _took(
        self,
        live: LiveFile,
        author: Author | None,
        followed: Followed,
        change: DiskChange | None,
        is_sure: Sure,
        *,
        left: Text = UNKNOWN,
    ) -> None:
        """Tell of it; `left`: what the author left on the disk, `UNKNOWN`: what was seen there."""
        path, after = live.path, followed.after
        if author is not None:  # of what others have made no turn of this Neovim is the author
            met = await self._met(path, followed.before, after)
            if met == after != followed.before:
                author = None
            else:
                followed = replace(followed, before=met)
        before = followed.before
        is_new = before != after or (change is not None and change.after is None)
        if is_new or followed.conflicts:
            learning = partial(self._learn, live, author, followed, is_sure, left)
            await aside_if_large(learning, before or "", after or "")
        if is_new:
            form = None if change is None else change.form
            await self.tell(DiskChanged(path, before, after, author, form, live.encoding))
        self.conflicts.note(live, author, followed, change)

    async def _took_merged(self, live: LiveFile, late: DeferredChange) -> None:
        """Tell of a change that waited, and that the editor has taken before the user wrote."""
        change, text = late.change, live.exact or ""
        if change is not None and change.after is not None:
            # beside what the user has written the rest of it may stand against that
            known = self._knowledge.candidates(late.author, live.path, late.known, saved_at(live))
            was = change.before or ""
            base = merge_base(known, was, change.after, live.encoding, change.held, unsaved=text)
            without, _ = reconciled(change.after, text, base)
            _, conflicts = reconciled(base, without, change.after)
            found = Followed(without, text, base, change.after, conflicts)
            sure = late.sure or "unlikely"
            await self._took(live, late.author, found, change, sure, left=change.after)

    def _learn(
        self, live: LiveFile, author: Author | None, followed: Followed, is_sure: Sure, left: Text
    ) -> None:
        """What an agent has made on disk it knows."""
        text = self._baselines.text(live.path, live.encoding) if left is UNKNOWN else left
        read = followed.read(live)
        self._knowledge.followed(live.path, author, read)
        is_idle = followed.before == followed.after and not followed.conflicts
        if author is None or is_idle or isinstance(text, Unknown):
            return
        self._knowledge.left(author.reader_key, live, live.read(text), read, is_sure)
