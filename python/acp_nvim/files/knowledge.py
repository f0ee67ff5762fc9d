"""What each agent knows of each file: one record a session and file, the only place for it.

An agent learns a text when it is served one, writes one through us, leaves one on disk by its own
tool, reads the disk by a tool of its own, or is told by a note that goes along with a prompt. Its
next change is made upon the `base`: what it has read or written as a whole, with what its own tools
have made of it since. And what the user has agreed to is known: the text without those unsaved
edits that only a merge has saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.files.base import Ancestor, Lineage, agreed_by_write, carried, returned, without
from acp_nvim.files.baselines.snapshot import UNKNOWN, Text, Unknown
from acp_nvim.files.encoding import clean
from acp_nvim.files.line_ends import even
from acp_nvim.files.live import LiveFile
from acp_nvim.files.settle import Followed
from acp_nvim.files.write import WriteRequest, WriteResult
from acp_nvim.history.author import Author, SessionKey, TurnKey
from acp_nvim.hunks import split_lines

MOST_KNOWN = 1_000
"""Texts that are remembered of a session; what the agent has learned longest ago goes first."""

MOST_TEXT = 32 << 20
"""Characters of all texts that are remembered, of all sessions together; the newest one counts
whatever its size."""

How: TypeAlias = Literal["served", "written", "left", "read", "told"]
"""How an agent came to know a text: by `fs/read`, by `fs/write`, by a write of its own tool, by a
read of its own tool, by a note."""


Sure: TypeAlias = Literal["sure", "likely", "unlikely"]
"""Whether an agent has changed the disk: it has said so, its turn runs, neither."""


class Known(Struct, frozen=True):
    """What an agent takes one file for; `text` None: for no file, `UNKNOWN`: nothing is known.

    `base`: what it last read or wrote as a whole. `made`: what its own tools seem to have made of
    that since; it may have been another program. `whole`: what it last read or wrote through us.
    Of what it was told in a note only what the user has decided is in them, not what they edited.
    `encoding`: that of the buffer when it read or wrote it, "" without one.
    `returned`: its latest text with what the user has decided on the file since, of which it was
    not told yet: the base once it was. `writer`: the turn that has written the base through us,
    and `upon` what it had made that of.
    `refused`: what it could not write through us since then, and what it had made that of.
    `calls`: tool calls that were at this file when it was served: their ends tell nothing new.
    """

    text: Text = UNKNOWN
    how: How = "read"
    base: Text = UNKNOWN
    made: Text = UNKNOWN
    encoding: str = ""
    whole: Text = UNKNOWN
    calls: frozenset[str] = frozenset()
    refused: tuple[str, str] | None = None
    returned: Text = UNKNOWN
    writer: TurnKey | None = None
    upon: str | None = None

    @property
    def size(self) -> int:
        """How many characters it holds."""
        own = (self.text, self.base, self.made, self.whole, self.returned, self.upon)
        texts = (*own, *(self.refused or ()))
        return sum(len(it) for it in {id(it): it for it in texts if isinstance(it, str)}.values())

    @property
    def latest(self) -> Text:
        """The text that its own tool would write anew."""
        return self.base if self.made is UNKNOWN else self.made

    def untold(self, now: str | None) -> Text:
        """Return its latest text with what was taken back of it, of which it was not told: the file
        holds that `now`."""
        if self.writer is None or not isinstance(self.base, str) or self.returned is not UNKNOWN:
            return self.returned
        back = None if None in (self.upon, now) else returned(self.base, self.upon or "", now or "")
        return UNKNOWN if back is None else back

    def has_written(self, content: str, author: Author | None) -> bool:
        """Return whether the same turn has written the same text last, through us."""
        return author is not None and author.turn_key == self.writer and content == self.base


NOTHING = Known()


class Agreed(Struct, frozen=True):
    """What a file that an agent wrote would hold without the edits that the user has not saved.

    `older`: and without those that the agent was served and has written back; it may know the file
    from before them as well.
    `saved`: the stamp of the file as the user has last written it; with another one this is over.
    `encoding`: that of the buffer by which it is read, "" without one.
    `is_last`: nothing has happened to the file since an agent wrote it through us.
    """

    text: str
    older: str
    saved: str
    encoding: str
    is_last: bool = True


class Knowledge:
    """What all agents of the host know, by session and resolved path. Texts are clean.

    It learns of large texts in a thread, of one at a time.
    """

    def __init__(self) -> None:
        self._sessions: dict[SessionKey, dict[str, Known]] = {}
        self._revisions: dict[SessionKey, int] = {}
        self._size = 0
        """Characters of all that the sessions know."""
        self._agreed: dict[str, Agreed] = {}
        self._writers: dict[str, Author] = {}
        """By path, who has written it through us, and since then at most the user."""

    def learn(
        self, session: SessionKey, path: str, text: str | None, how: How, encoding: str = ""
    ) -> None:
        """The agent takes the file for this text from now on; None: for no file.

        `encoding`: that of the buffer by which it is read, "" without one.
        """
        known = None if text is None else clean(text)
        was = self.of(session, path)
        if how == "told":
            self._know(session, path, replace(was, text=known, how=how))
        else:
            self._know(session, path, Known(known, how, known, encoding=encoding, whole=known))

    def served_to(self, session: SessionKey, path: str, calls: Iterable[str]) -> None:
        """What it was served last was for these tool calls."""
        self._know(session, path, replace(self.of(session, path), calls=frozenset(calls)))

    def was_refused(self, session: SessionKey, request: WriteRequest) -> None:
        """The user's text stands against what the agent wanted to write through us."""
        if isinstance(request.base, str):
            known = self.of(session, request.path)
            refused = (request.content, request.base)
            self._know(session, request.path, replace(known, refused=refused))

    def wrote(
        self,
        session: SessionKey,
        request: WriteRequest,
        written: WriteResult,
        author: Author | None = None,
    ) -> None:
        """The agent has written through us.

        It knows its own text, not the merged one: what the user added is no news that it has had.
        """
        path, saved, content = request.path, written.saved, request.content
        was = self._agreement(path, saved)
        base, disk = request.base, written.disk
        agreed = agreed_by_write(disk if was is None else was.text, base, written.before, content)
        older = disk if was is None else was.older
        if older is not None and written.before is not None:
            older = carried(older, written.before, written.after)
        if written.taken:
            before, turn = self.of(session, path), None if author is None else author.turn_key
            self.learn(session, path, content, "written", written.encoding or "")
            upon = base if isinstance(base, str) else None
            known = replace(self.of(session, path), writer=turn, upon=upon)
            if before.has_written(content, author):
                known = replace(known, returned=before.returned)
            self._know(session, path, known)
        else:  # of its own lines it knows those that were taken, of the user's text what it did
            if isinstance(base, str):
                base = carried(base, written.before, written.after)
            known = replace(self.of(session, path), base=base, made=UNKNOWN)
            self._know(session, path, replace(known, text=content, how="written"))
        self._agreed.pop(path, None)
        self._writers.pop(path, None)
        if author is not None:
            self._writers[path] = author
        encoding = written.encoding or ""
        self._agreed[path] = Agreed(agreed, agreed if older is None else older, saved, encoding)
        while len(self._agreed) > 1 and self._agreed_too_much():
            del self._agreed[next(iter(self._agreed))]

    def left(
        self,
        session: SessionKey,
        live: LiveFile,
        text: str | None,
        followed: Followed,
        how_sure: Sure,
    ) -> None:
        """The agent has left that on the disk by a tool of its own; `followed`: what came of it.

        It need not know all of it: its tool may have changed some lines of what others wrote.
        """
        path = live.path
        was, known = self.of(session, path), None if text is None else clean(text)
        made: Text = known
        older = was.latest
        if followed.conflicts and not isinstance(older, str):
            older = followed.base
        if isinstance(older, str) and known != was.base:  # else it is as the agent had it at last
            made = carried(older, followed.before, followed.after)
        encoding = live.encoding if was.latest is UNKNOWN else was.encoding
        is_whole = known is not None and isinstance(was.base, str) and even(known) == even(was.base)
        how: How = was.how if is_whole else "left"  # other line ends are no other text
        if how_sure == "sure" or _begins(was, known):
            now = Known(known, how, made, encoding=encoding, whole=was.whole)
        else:
            made = made if how_sure == "likely" else was.made
            now = Known(known, how, was.base, made, encoding, was.whole)
        if isinstance(was.returned, str):
            now = replace(now, returned=carried(was.returned, followed.before, followed.after))
        self._know(session, path, now)

    def repeats(self, live: LiveFile) -> Author | None:
        """Return whose write through us the disk has again, or the beginning of it, though at most
        the user has written the file since; None: nobody's, or the buffer has that already.

        It may come after the turn, and no tool call names it.
        """
        author, disk, buffer = self._writers.get(live.path), live.disk, live.buffer
        if author is None or disk is None or not disk.text:
            return None
        if buffer is None or (live.stamp and live.stamp == buffer.synced):
            return None
        known = self.of(author.session_key, live.path)
        is_same = _begins(known, clean(disk.text, live.encoding))
        return replace(author, how="found") if is_same else None

    def followed(self, path: str, author: Author | None, found: Followed) -> None:
        """The disk has changed, and that has come of it, as it is read."""
        self.changed(path, found.before, found.after)
        writer = self._writers.get(path)
        is_another = writer is None or author is None or writer.session_key != author.session_key
        if is_another and found.before != found.after:
            self._writers.pop(path, None)

    def changed(self, path: str, before: str | None, after: str | None) -> None:
        """The live text has become another one because the disk did, or by a user's decision."""
        agreed = self._agreed.get(path)
        if agreed is not None and before != after:
            text, older = (carried(it, before, after) or "" for it in (agreed.text, agreed.older))
            self._agreed[path] = replace(agreed, text=text, older=older, is_last=False)

    def decided(self, path: str, before: str | None, after: str | None) -> None:
        """The user has decided what the file holds: agents know that once they are told."""
        self.changed(path, before, after)
        for session, files in tuple(self._sessions.items()):
            known = files.get(path, NOTHING)
            if isinstance(known.latest, Unknown) or before == after:
                continue
            last = known.latest if isinstance(known.returned, Unknown) else known.returned
            now = carried(last, before, after) if last is not None else after and clean(after)
            untold: Text = UNKNOWN if now == known.latest else now
            self._know(session, path, replace(known, returned=untold))

    def was_told(self, session: SessionKey, path: str) -> None:
        """A prompt has told the agent what the user has decided: it goes on from there."""
        known = self.of(session, path)
        base, nothing = known.untold(known.text if isinstance(known.text, str) else None), UNKNOWN
        if not isinstance(base, Unknown):
            known = replace(known, base=base, made=nothing, whole=base, returned=nothing)
            self._know(session, path, replace(known, writer=None))

    def given_up(self, path: str) -> None:
        """The user has read the file anew: there are no unsaved edits in it."""
        self._agreed.pop(path, None)

    def taken_back(
        self, session: SessionKey, path: str, before: str | None, after: str | None
    ) -> None:
        """The user has rejected what the agent's own tool made: if it makes the same again, now or
        after other changes, that is no late repetition, but new. What the agent has read or written
        through us it may well repeat late. What has come back in its place it need not know."""
        known = self.of(session, path)
        if known.how == "left":
            kept = known.whole if isinstance(known.whole, str) else ""
            base, made = (
                without(it, kept, before, after) if isinstance(it, str) else it
                for it in (known.base, known.made)
            )
            made = made or UNKNOWN  # nothing is left of it: what it makes next is made of the base
            self._know(session, path, replace(known, how="told", base=base, made=made))

    def lineage(self, author: Author | None, path: str, known: Known | None, saved: str) -> Lineage:
        """Return which texts a change of the disk may come from; `saved`: see `Agreed`.

        `known`: what its author knew when it was seen, None: what it knows.
        """
        found: list[Ancestor] = []
        own = None if author is None else author.session_key
        known = NOTHING if own is None else known or self.of(own, path)
        if isinstance(known.latest, str) and known.how != "told" and known.base is not UNKNOWN:
            firm = known.how in ("served", "written", "read")
            found.append(Ancestor(known.latest, firm, known.encoding))
        left: Ancestor | None = None
        if isinstance(known.text, str) and known.how == "left" and known.text != known.latest:
            left = Ancestor(known.text, False, known.encoding)
        refused = known.refused and (
            known.refused[0],
            Ancestor(known.refused[1], True, known.encoding),
        )
        agreed = self._agreement(path, saved)
        if agreed is None:
            return Lineage(tuple(found), refused=refused, left=left)
        encoding = agreed.encoding
        everybodys = {key: it[path] for key, it in tuple(self._sessions.items()) if path in it}
        is_doubtful = author is not None and author.how == "found"
        firm = is_doubtful and _may_be_anothers(
            agreed, [it for key, it in everybodys.items() if key != own]
        )
        found.append(Ancestor(agreed.older, firm, encoding))
        found.append(Ancestor(agreed.text, True, encoding))
        wrote = (it.base for it in everybodys.values() if it.how == "written" and agreed.is_last)
        repeats = frozenset(it for it in wrote if isinstance(it, str))
        return Lineage(tuple(found), repeats, refused, left)

    def _agreement(self, path: str, saved: str) -> Agreed | None:
        """Return what is agreed upon, None if that is not known, or the user has saved."""
        agreed = self._agreed.get(path)
        if agreed is not None and agreed.saved != saved:
            del self._agreed[path]
            return None
        return agreed

    def _agreed_too_much(self) -> bool:
        size = sum(len(it.text) + len(it.older) for it in self._agreed.values())
        return len(self._agreed) > MOST_KNOWN or size > MOST_TEXT

    def _know(self, session: SessionKey, path: str, known: Known) -> None:
        files = self._sessions.setdefault(session, {})
        self._drop(files, path)
        files[path] = known
        self._size += known.size
        self._revisions[session] = self.revision(session) + 1
        self._bound(files)
        if self._size > MOST_TEXT:
            self._forget_oldest(session, path)

    def _drop(self, files: dict[str, Known], path: str) -> None:
        if known := files.pop(path, None):
            self._size -= known.size

    def _forget_oldest(self, session: SessionKey, path: str) -> None:
        """Forget texts, those of that session first, until the rest is not too much."""
        sessions = sorted(self._sessions, key=lambda it: it != session)
        for each in sessions:
            for old in [it for it in self._sessions[each] if (each, it) != (session, path)]:
                if self._size <= MOST_TEXT:
                    return
                self._drop(self._sessions[each], old)

    def unlearn(self, session: SessionKey, path: str) -> None:
        """Nobody knows any more what the agent takes the file for."""
        self._unlearn_text(self._sessions.get(session, {}), path)

    def _unlearn_text(self, files: dict[str, Known], path: str) -> None:
        """Forget the text as which the agent knows the file, and leave the rest as it is."""
        if path in files:
            self._size -= files[path].size
            files[path] = replace(files[path], text=UNKNOWN)
            self._size += files[path].size

    def of(self, session: SessionKey, path: str) -> Known:
        """Return what the agent knows of one file."""
        return self._sessions.get(session, {}).get(path, NOTHING)

    def texts(self, session: SessionKey) -> Mapping[str, str | None]:
        """Return what the agent takes files for, of all of which that is known, oldest first."""
        files = self._sessions.get(session, {})
        return {path: it.text for path, it in tuple(files.items()) if it.text is not UNKNOWN}

    def revision(self, session: SessionKey) -> int:
        """Return a number that is another when the agent has learned something."""
        return self._revisions.get(session, 0)

    def close(self, session: SessionKey) -> None:
        """The session is over, or begins anew: what it was served is no base of a write."""
        files = self._sessions.get(session, {})
        self._sessions[session] = {
            path: replace(it, base=UNKNOWN, made=UNKNOWN, whole=UNKNOWN)
            for path, it in files.items()
        }
        self._measure()

    def forget(self, session: SessionKey) -> None:
        """The session was deleted."""
        self._sessions.pop(session, None)
        self._revisions.pop(session, None)
        self._measure()

    def _measure(self) -> None:
        records = (it for files in tuple(self._sessions.values()) for it in tuple(files.values()))
        self._size = sum(it.size for it in records)

    def _bound(self, files: dict[str, Known]) -> None:
        if len(files) <= MOST_KNOWN:
            return
        known = [path for path, it in files.items() if it.text is not UNKNOWN]
        for path in known[:-MOST_KNOWN]:
            self._unlearn_text(files, path)


def _begins(known: Known, text: str | None) -> bool:
    """Tell whether a text is what the agent last read or wrote as a whole, or the beginning of it,
    as of a file that is being written."""
    return bool(text) and isinstance(known.base, str) and known.base.startswith(text or "")


def _may_be_anothers(agreed: Agreed, others: Iterable[Known]) -> bool:
    """Tell whether another agent knows the file without any of those edits that the user has not
    saved: it may be the one that has written it, and does not mean them."""
    texts = [it.latest for it in others if isinstance(it.latest, str)]
    edits = set(split_lines(agreed.text)) - set(split_lines(agreed.older)) if texts else set()
    return bool(edits) and any(edits.isdisjoint(split_lines(it)) for it in texts)
