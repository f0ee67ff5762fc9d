"""What an agent does not know yet: what the user made of its files since it last saw them.

Kept for each session: the text that the agent has last seen or made of a file, and, where
something of its was rejected or undone, the text as it had left it. What is told is the difference
to the files at the moment of sending, so that it is never stale, and nothing where there is none.
What was rejected outlives the host, for a session may be loaded again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import anyio

from acp_nvim.editor import Files
from acp_nvim.errors import EditorError
from acp_nvim.files.live import Live, live_text
from acp_nvim.files.roots import Roots, inside
from acp_nvim.files.text import clean
from acp_nvim.hunks import apply, reconcile, split_lines
from acp_nvim.ledger.delta import SessionKey
from acp_nvim.storage.edits import EditStore, Texts
from acp_nvim.view.review.note import Drift, Held, Key, Note, Unreadable, note

MOST_KNOWN = 1_000
"""So many files are remembered of a session; what the agent has seen longest ago goes first."""


@dataclass(frozen=True, slots=True)
class Notes:
    """What would go along with a prompt now, and what the files were when that was found."""

    notes: tuple[Note, ...] = ()
    told: Mapping[Key, Mapping[str, Held]] = field(default_factory=dict)
    """By the key of a note the files that it tells of."""
    settled: tuple[str, ...] = ()
    """Files that are again as the agent had left them."""


@dataclass(slots=True)
class _Memory:
    """What is known of one session."""

    known: Texts = field(default_factory=dict)
    rejected: Texts = field(default_factory=dict)
    """As the agent had left them."""
    underway: Texts = field(default_factory=dict)
    """Those of `rejected` that a prompt has taken along which the agent has not answered yet."""
    before: dict[str, tuple[str | None, Held]] = field(default_factory=dict)
    """Those of `known` that such a prompt tells of: what they were, and what they became."""
    shown: Notes = Notes()
    kept: Texts = field(default_factory=dict)
    """What the store has of it."""


class PromptNotes:
    """Remembers for all sessions of the host; nothing here raises."""

    def __init__(
        self, files: Files, fault: Callable[[BaseException], None], store: EditStore
    ) -> None:
        self._files = files
        self._fault = fault
        self._store = store
        self._memories: dict[SessionKey, _Memory] = {}
        self._restored = False
        self._restoring = anyio.Lock()

    async def restore(self) -> None:
        """Take up what an earlier host has kept; only the first call does anything."""
        async with self._restoring:
            kept = {} if self._restored else await self._store.read_lessons()
            self._restored = True
        for key, rejected in kept.items():
            memory = self._memory(key)
            memory.kept = rejected
            memory.rejected |= rejected
            self._keep(key)

    # --- what happens

    def knows(self, key: SessionKey, path: str, text: str | None) -> None:
        """The agent has seen, or made, this text of that file."""
        memory = self._memory(key)
        memory.shown = Notes()  # what it compared with is over
        known = memory.known
        known.pop(path, None)
        known[path] = _cleaned(text)
        if len(known) > MOST_KNOWN:
            del known[next(iter(known))]

    def rejected(self, key: SessionKey, path: str, theirs: str | None) -> None:
        """Something of the agent's in that file was rejected or undone, which held `theirs`.

        Of several since the last prompt the first counts. A redo needs no call: what the file
        holds as the agent had left it is nothing to tell.
        """
        self._memory(key).rejected.setdefault(path, _cleaned(theirs))
        self._keep(key)

    def wrote(self, key: SessionKey, path: str, before: str | None, after: str | None) -> None:
        """The agent has made `after` of the file: what it has done anew is no rejection any more.

        Only what was rejected is looked at; see `knows` for the rest.
        """
        memory = self._memory(key)
        for texts in (memory.rejected, memory.underway):
            if path in texts:
                theirs = _carried(texts.pop(path), _cleaned(before), _cleaned(after))
                if theirs is not None:
                    texts[path] = theirs
                self._keep(key)

    def forget(self, key: SessionKey) -> None:
        """The session was deleted."""
        if self._memories.pop(key, None) is not None:
            self._store.note_lessons(key, {})

    # --- what is told

    async def draft(self, key: SessionKey, roots: Roots) -> Notes:
        """Return what would be told now, of the files within the roots.

        Nothing when the editor fails to say what they hold: no prompt waits for that, and it is
        told another time.
        """
        await self.restore()
        memory = self._memories.get(key)
        if memory is None or not (memory.known or memory.rejected):
            return Notes()
        folders = roots.folders()
        try:
            lives = await self._lives({*memory.rejected, *memory.known}, folders)
        except EditorError as error:
            self._fault(error)
            return Notes()
        rejected = _moved(memory.rejected, lives, folders[0])
        known = {path: text for path, text in memory.known.items() if path not in rejected}
        memory.shown = _draft(
            {"rejected": rejected, "changed": _moved(known, lives, folders[0])},
            tuple(path for path in memory.rejected if path in lives and path not in rejected),
        )
        return memory.shown

    def shown(self, key: SessionKey) -> Notes:
        """Return the last draft: what the user was shown."""
        memory = self._memories.get(key)
        return Notes() if memory is None else memory.shown

    def drop(self, key: SessionKey, which: Key) -> None:
        """The user does not want that note to go along: what it told of counts as told."""
        memory = self._memory(key)
        shown = memory.shown
        _count_as_told(memory, shown.told.get(which, {}))
        memory.shown = Notes(
            tuple(it for it in shown.notes if it.key != which),
            {key: files for key, files in shown.told.items() if key != which},
            shown.settled,
        )
        self._keep(key)

    # --- the prompt that takes it along

    def sent(self, key: SessionKey, draft: Notes) -> None:
        """A prompt with this draft is on its way; `arrived` or `failed` comes later."""
        memory = self._memory(key)
        told = {path: text for files in draft.told.values() for path, text in files.items()}
        memory.before = {
            path: (memory.known[path], text) for path, text in told.items() if path in memory.known
        }
        memory.underway = {path: memory.rejected[path] for path in told if path in memory.rejected}
        _count_as_told(memory, told)
        for path in draft.settled:
            memory.rejected.pop(path, None)
        memory.shown = Notes()
        self._keep(key)

    def arrived(self, key: SessionKey) -> None:
        """The agent has had the prompt, or will have it: it waits with all that it holds."""
        memory = self._memory(key)
        memory.underway, memory.before = {}, {}
        self._keep(key)

    def failed(self, key: SessionKey) -> None:
        """The agent may not have had the prompt: all of it is to be told with the next."""
        memory = self._memory(key)
        memory.rejected |= memory.underway
        for path, (text, became) in memory.before.items():
            if memory.known.get(path, Unreadable()) == became:  # else the agent has seen it since
                memory.known[path] = text
        memory.underway, memory.before = {}, {}

    def _keep(self, key: SessionKey) -> None:
        """Keep what the agent has not been told, or has not answered yet."""
        memory = self._memory(key)
        untold = memory.underway | memory.rejected
        if untold != memory.kept:
            memory.kept = untold
            self._store.note_lessons(key, untold)

    def _memory(self, key: SessionKey) -> _Memory:
        return self._memories.setdefault(key, _Memory())

    async def _lives(self, paths: Iterable[str], folders: tuple[str, ...]) -> dict[str, Live]:
        """Return what the files hold, of those that are in the folders."""
        open_ones = frozenset(await self._files.loaded_paths(folders))
        starts = tuple(map(inside, folders))
        return {
            path: await live_text(self._files if path in open_ones else None, path)
            for path in paths
            if path.startswith(starts)
        }


def _draft(files: Mapping[Key, Mapping[str, Drift]], settled: tuple[str, ...]) -> Notes:
    notes = (note(key, list(moved.values())) for key, moved in files.items())
    told = {key: {path: it.after for path, it in moved.items()} for key, moved in files.items()}
    return Notes(tuple(it for it in notes if it is not None), told, settled)


def _moved(texts: Texts, lives: Mapping[str, Live], cwd: str) -> dict[str, Drift]:
    """Return the files that are not as the texts say; no file is as good as an empty one."""
    return {
        path: Drift(path.removeprefix(cwd + "/"), text, live.text, live.unsaved)
        for path, text in sorted(texts.items())
        if (live := lives.get(path)) is not None and (live.text or "") != (text or "")
    }


def _count_as_told(memory: _Memory, files: Mapping[str, Held]) -> None:
    for path, text in files.items():
        memory.rejected.pop(path, None)
        if isinstance(text, Unreadable):
            memory.known.pop(path, None)
        else:
            memory.known[path] = text


def _carried(theirs: str | None, before: str | None, after: str | None) -> str | None:
    """Return what the agent had left with what it has made anew, which counts where both differ.

    None, nothing to remember, if the file came or went with the write or the rejection.
    """
    if theirs is None or before is None or after is None:
        return None
    lines = split_lines(after)
    fits = reconcile(split_lines(before), lines, split_lines(theirs)).hunks
    return "".join(apply(lines, fits))


def _cleaned(text: str | None) -> str | None:
    return None if text is None else clean(text)
