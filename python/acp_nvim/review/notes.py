"""What an agent does not know yet: what the user made of its files since it last saw them.

Kept for each session: the text that the agent has last seen or made of a file, and, where
something of its was rejected or undone, the text as it had left it. What is told is the difference
to the files at the moment of sending, so that it is never stale, and nothing where there is none.
Beside it goes what the user has said on the code: comments, and why something was rejected. What
was rejected, and said, outlives the host, for a session may be loaded again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from acp_nvim.editor import Files
from acp_nvim.errors import EditorError, FileProblem
from acp_nvim.files.baselines.snapshot import UNKNOWN
from acp_nvim.files.encoding import clean
from acp_nvim.files.knowledge import Knowledge
from acp_nvim.files.live import LiveFile, load_surveyed
from acp_nvim.files.roots import Roots, inside
from acp_nvim.files.text import reconciled
from acp_nvim.history.author import SessionKey
from acp_nvim.history.comment import Comment, Reason, signed
from acp_nvim.review.comments import Comments
from acp_nvim.storage.edits import KeptLessons, Reasons, Texts
from acp_nvim.storage.json_store import JsonStore
from acp_nvim.view.review.comment import comments_note
from acp_nvim.view.review.note import Drift, Held, Key, Note, Unreadable, note


class Notes(Struct, frozen=True):
    """What would go along with a prompt now, and what the files were when that was found."""

    notes: tuple[Note, ...] = ()
    told: Mapping[Key, Mapping[str, Held]] = field(default_factory=dict)
    """By the key of a note the files that it tells of."""
    settled: tuple[str, ...] = ()
    """Files that are again as the agent had left them."""
    comments: tuple[Comment, ...] = ()


class _Memory(Struct):
    """What is known of one session."""

    rejected: Texts = field(default_factory=dict)
    """As the agent had left them."""
    underway: Texts = field(default_factory=dict)
    """Those of `rejected` that a prompt has taken along which the agent has not answered yet."""
    reasons: Reasons = field(default_factory=dict)
    """Why, as long as a file is among these."""
    sent: tuple[Note, ...] = ()
    """What went along with the last prompt."""
    said: frozenset[str] = frozenset()
    """The comments that such a prompt has taken along."""
    silent: bool = False
    """The user does not want comments to go along with the next prompt."""
    before: dict[str, tuple[str | None, Held]] = field(default_factory=dict)
    """Known texts that such a prompt tells of: what they were, and what they became."""
    shown: Notes = Notes()
    revision: int = -1
    """What the agent knew when `shown` was found: what it compares with is over with the next."""
    kept: tuple[Texts, Reasons] = field(default_factory=lambda: ({}, {}))
    """What the store has of it."""


class PromptNotes:
    """Remembers for all sessions of the host; nothing here raises."""

    def __init__(
        self,
        files: Files,
        knowledge: Knowledge,
        kept: JsonStore[KeptLessons],
        comments: Comments,
        fault: Callable[[BaseException], None],
    ) -> None:
        self._files = files
        self._knowledge = knowledge
        self._kept = kept
        self._comments = comments
        self._fault = fault
        self._memories: dict[SessionKey, _Memory] = {}

    async def restore(self) -> None:
        """Take up what an earlier host has kept; only the first call does anything."""
        for it in await self._kept.restore():
            memory = self._memory(it.key)
            memory.kept = (it.rejected, it.reasons)
            memory.rejected |= it.rejected
            memory.reasons = memory.reasons | it.reasons
            self._keep(it.key)

    # --- what happens

    def rejected(
        self,
        key: SessionKey,
        path: str,
        theirs: str | None,
        left: str | None = None,
        because: str = "",
    ) -> None:
        """Something of the agent's in that file was rejected or undone, which held `theirs`.

        `because`: why the user wants it to be `left` like that.

        Of several since the last prompt the first counts. A redo needs no call: what the file
        holds as the agent had left it is nothing to tell.
        """
        memory = self._memory(key)
        memory.rejected.setdefault(path, _cleaned(theirs))
        if because:
            reason = Reason(because, signed(_cleaned(theirs), _cleaned(left)))
            more = {path: (*memory.reasons.get(path, ()), reason)}
            memory.reasons = memory.reasons | more
        self._keep(key)

    def wrote(self, key: SessionKey, path: str, before: str | None, after: str | None) -> None:
        """The agent has made `after` of the file: what it has done anew is no rejection any more.

        Only what was rejected is looked at; `Knowledge` has the rest.
        """
        memory = self._memory(key)
        for texts in (memory.rejected, memory.underway):
            if path in texts:
                sides = _cleaned(before), _cleaned(after), texts.pop(path)
                if None not in sides:  # else the file came, or went: nothing to remember
                    # where both differ what it has made anew counts
                    texts[path] = reconciled(*(it or "" for it in sides))[0]
                self._keep(key)

    def let_go(self, key: SessionKey) -> None:
        """The user has ended the session: what the agent was served is not kept for it.

        What it has not been told of yet is, should the session be opened again.
        """
        self._knowledge.forget(key)
        if (memory := self._memories.get(key)) is not None:
            memory.shown, memory.revision = Notes(), -1

    def forget(self, key: SessionKey) -> None:
        """The session was deleted."""
        self._knowledge.forget(key)
        if self._memories.pop(key, None) is not None:
            self._kept.note("\0".join(key), None)

    # --- what is told

    async def draft(self, key: SessionKey, roots: Roots) -> Notes:
        """Return what would be told now, of the files within the roots.

        Nothing when the editor fails to say what they hold: no prompt waits for that, and it is
        told another time.
        """
        await self.restore()
        await self._comments.restore()
        memory, texts = self._memory(key), self._knowledge.texts(key)
        folders, revision = roots.folders(), self._knowledge.revision(key)
        try:
            comments = () if memory.silent else await self._comments.within(folders)
            paths = {*memory.rejected, *texts}
            lives = await self._lives(paths, folders) if paths else {}
        except EditorError as error:
            self._fault(error)
            return Notes()
        rejected = {
            path: _with_all(it, texts.get(path))
            for path, it in _moved(memory.rejected, lives, roots, memory.reasons).items()
        }
        known = {path: text for path, text in texts.items() if path not in rejected}
        memory.revision = revision
        memory.shown = _draft(
            comments_note(comments, roots.told),
            {"rejected": rejected, "changed": _moved(known, lives, roots)},
            tuple(path for path in memory.rejected if path in lives and path not in rejected),
            comments,
        )
        return memory.shown

    def last_sent(self, key: SessionKey) -> tuple[Note, ...]:
        """Return what went along with the last prompt of that session."""
        return self._memory(key).sent

    def was_rejected(self, key: SessionKey, path: str) -> bool:
        """Return whether something was rejected in that file of which the agent is to be told."""
        return key in self._memories and path in self._memories[key].rejected

    def is_about(self, key: SessionKey, path: str) -> bool:
        """Return whether a note may tell of that file."""
        is_known = self._knowledge.of(key, path).text is not UNKNOWN
        return is_known or self.was_rejected(key, path) or path in self._comments.paths()

    def shown(self, key: SessionKey) -> Notes:
        """Return the last draft: what the user was shown; nothing if the agent has learned more."""
        memory = self._memories.get(key)
        is_over = memory is None or memory.revision != self._knowledge.revision(key)
        return Notes() if memory is None or is_over else memory.shown

    def drop(self, key: SessionKey, which: Key) -> None:
        """The user does not want that note to go along: what it told of counts as told.

        Only comments stay: they go along with the prompt after the next.
        """
        memory = self._memory(key)
        shown = self.shown(key)
        memory.silent = memory.silent or which == "comments"
        self._count_as_told(key, shown.told.get(which, {}))
        memory.revision = self._knowledge.revision(key)
        memory.shown = Notes(
            tuple(it for it in shown.notes if it.key != which),
            {key: files for key, files in shown.told.items() if key != which},
            shown.settled,
            () if which == "comments" else shown.comments,
        )
        self._keep(key)

    # --- the prompt that takes it along

    def sent(self, key: SessionKey, draft: Notes) -> None:
        """A prompt with this draft is on its way; `arrived` or `failed` comes later."""
        memory = self._memory(key)
        memory.sent = draft.notes
        told = {path: text for files in draft.told.values() for path, text in files.items()}
        texts = self._knowledge.texts(key)
        memory.before = {path: (texts[path], text) for path, text in told.items() if path in texts}
        memory.underway = {path: memory.rejected[path] for path in told if path in memory.rejected}
        self._count_as_told(key, told)
        for path in told:
            self._knowledge.was_told(key, path)
        for path in draft.settled:
            memory.rejected.pop(path, None)
        memory.said, memory.silent = self._comments.sent(draft.comments), False
        memory.shown = Notes()
        self._keep(key)

    def arrived(self, key: SessionKey) -> None:
        """The agent has had the prompt, or will have it: it waits with all that it holds."""
        memory = self._memory(key)
        self._comments.told(memory.said)
        memory.underway, memory.before, memory.said = {}, {}, frozenset()
        self._keep(key)

    def failed(self, key: SessionKey) -> None:
        """The agent may not have had the prompt: all of it is to be told with the next."""
        memory = self._memory(key)
        memory.rejected |= memory.underway
        for path, (text, became) in memory.before.items():
            known = self._knowledge.of(key, path).text
            # else the agent has seen it since
            if (Unreadable() if known is UNKNOWN else known) == became:
                self._knowledge.learn(key, path, text, "told")
        self._comments.failed(memory.said)
        memory.underway, memory.before, memory.said = {}, {}, frozenset()

    def _count_as_told(self, key: SessionKey, files: Mapping[str, Held]) -> None:
        memory = self._memory(key)
        for path, text in files.items():
            memory.rejected.pop(path, None)
            if isinstance(text, Unreadable):
                self._knowledge.unlearn(key, path)
            else:
                self._knowledge.learn(key, path, text, "told")

    def _keep(self, key: SessionKey) -> None:
        """Keep what the agent has not been told, or has not answered yet."""
        memory = self._memory(key)
        untold = memory.underway | memory.rejected
        memory.reasons = {path: it for path, it in memory.reasons.items() if path in untold}
        if (untold, memory.reasons) != memory.kept:
            memory.kept = (untold, memory.reasons)
            kept = KeptLessons(*key, untold, memory.reasons) if untold else None
            self._kept.note("\0".join(key), kept)

    def _memory(self, key: SessionKey) -> _Memory:
        return self._memories.setdefault(key, _Memory())

    async def _lives(self, paths: Iterable[str], folders: tuple[str, ...]) -> dict[str, LiveFile]:
        """Return the files as they are now, of those that are in the folders."""
        opened = {it.path: it for it in await self._files.survey(folders)}
        starts = tuple(map(inside, folders))
        return {
            path: await load_surveyed(self._files, path, opened.get(path))
            for path in paths
            if path.startswith(starts)
        }


def _draft(
    said: Note | None,
    files: Mapping[Key, Mapping[str, Drift]],
    settled: tuple[str, ...],
    comments: tuple[Comment, ...],
) -> Notes:
    notes = (said, *(note(key, list(moved.values())) for key, moved in files.items()))
    told = {key: {path: it.after for path, it in moved.items()} for key, moved in files.items()}
    return Notes(tuple(it for it in notes if it is not None), told, settled, comments)


def _moved(
    texts: Mapping[str, str | None],
    lives: Mapping[str, LiveFile],
    roots: Roots,
    reasons: Reasons | None = None,
) -> dict[str, Drift]:
    """Return the files that are not as the texts say; no file is as good as an empty one."""
    whys = reasons or {}
    return {
        path: Drift(roots.told(path), text, held, live.unsaved, whys.get(path, ()))
        for path, text in sorted(texts.items())
        if (live := lives.get(path)) is not None and ((held := _held(live)) or "") != (text or "")
    }


def _with_all(rejected: Drift, known: str | None) -> Drift:
    """Return it with what the user has changed beside what was rejected, if the agent knows it."""
    after = rejected.after
    if known is None or not isinstance(after, str):
        return rejected
    is_part = set(signed(rejected.before, after)) <= set(signed(known, after))
    return replace(rejected, known=known) if is_part else rejected


def _held(live: LiveFile) -> Held:
    try:
        return live.for_agent
    except FileProblem:
        return Unreadable()


def _cleaned(text: str | None) -> str | None:
    return None if text is None else clean(text)
