"""What each agent knows of each file: a pointer to a version, one record a session and file.

The pointer moves when the agent is served a text, writes one through us, changes the disk by a tool
call or a command of its own, reads the disk by itself, or is told by a note that is sent with a
prompt. Its next write is merged upon the version that it points at. Where it is not sure whose a
change of the disk was there are two candidates: the version before and the one after.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from sys import getsizeof
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.files.baselines.snapshot import UNKNOWN, Text, Unknown
from acp_nvim.files.encoding import clean
from acp_nvim.files.live import LiveFile
from acp_nvim.files.settle import Candidate, Candidates, Followed, as_carried
from acp_nvim.files.write import WriteRequest, WriteResult
from acp_nvim.history.author import Author, SessionKey, TurnKey
from acp_nvim.history.form import same_lines
from acp_nvim.history.versions import nearest, taken_back

MOST_KNOWN = 2_000
"""Files that are remembered, of all sessions together; what was learned longest ago goes first."""

MOST_TEXT = 32 << 20
"""Bytes of their texts; the newest one counts whatever its size."""

MOST_UPON = 10
"""Versions that an agent's own changes were made upon, one after the other."""

How: TypeAlias = Literal["served", "written", "left", "read", "told"]
"""How an agent came to know a text: by `fs/read`, by `fs/write`, by a write of its own tool, by a
read of its own tool, by a note."""


Sure: TypeAlias = Literal["sure", "likely", "unlikely"]
"""Whether an agent has changed the disk: it has said so, its turn runs, neither."""


class Known(Struct, frozen=True):
    """What an agent takes one file for; `text` None: for no file, `UNKNOWN`: nothing is known.

    `text`: what it was told last, be it by a note; `base`: the version that it points at; `made`:
    that with what may be its own doing since. `encoding`: that of the buffer by which it has read,
    "" without one. `upon`: the versions that its own changes were made upon since it has read the
    file last. `returned`: its version with what the user has decided since, of which it was not
    told yet. `writer`: the turn that has written the base through us. `calls`: tool calls that were
    at this file when it was served: their ends tell nothing new. `saved`: of `DISK`, the stamp of
    the file as the user had last written it: with another one that is over.
    """

    text: Text = UNKNOWN
    how: How = "read"
    base: Text = UNKNOWN
    made: Text = UNKNOWN
    encoding: str = ""
    upon: tuple[str, ...] = ()
    returned: Text = UNKNOWN
    writer: TurnKey | None = None
    calls: frozenset[str] = frozenset()
    saved: str = ""

    @property
    def size(self) -> int:
        """How many bytes it holds: a text of one emoji has four for each character."""
        texts = (self.text, self.base, self.made, self.returned, *self.upon)
        held = {id(it): it for it in texts if isinstance(it, str)}
        return sum(map(getsizeof, held.values()))

    @property
    def latest(self) -> Text:
        """The version with all that may be its own doing."""
        return self.base if self.made is UNKNOWN else self.made

    @property
    def candidates(self) -> tuple[str, ...]:
        """The versions that its next text may be made of; of two that are as near the first."""
        told = self.text if self.how == "told" else UNKNOWN
        return tuple(it for it in (self.made, self.base, told) if isinstance(it, str))

    def base_of(self, content: str) -> Text:
        """Return what a whole text that it writes was made of."""
        if isinstance(self.base, str) and self.candidates:
            return nearest(self.candidates, content)
        return self.made if self.base is UNKNOWN else self.base

    def untold(self, now: str | None) -> Text:
        """Return its version with what was taken back of its own changes, of which it was not told:
        the file holds that `now`."""
        version = self.returned if isinstance(self.returned, str) else self.base
        if not isinstance(version, str) or now is None:
            return self.returned
        back = taken_back(version, self.upon, now)
        return self.returned if back is None else back

    def has_written(self, content: str, author: Author | None) -> bool:
        """Return whether the same turn has written the same text last, through us."""
        is_last = self.how == "written" and content == self.base
        return is_last and author is not None and author.turn_key == self.writer

    def changed(self, base: Text) -> Known:
        """Return it after a change of its own has made this version of its last one."""
        older = self.base if self.base is not None else ""
        upon = (*self.upon, older) if isinstance(older, str) else self.upon
        return replace(self, base=base, made=UNKNOWN, upon=tuple(dict.fromkeys(upon))[-MOST_UPON:])


NOTHING = Known()
DISK = "", ""
"""Stands for whoever reads the disk alone: what a file that agents have written through us would
hold without those unsaved edits of the user's that these writes have saved."""


class Knowledge:
    """What all agents of the host know, by session and resolved path. Texts are clean.

    It learns of large texts in a thread, of one at a time.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[SessionKey, str], Known] = {}
        self._revisions: dict[SessionKey, int] = {}
        self._size = 0
        """Bytes of all that is known."""
        self._writers: dict[str, Author] = {}
        """By path, who has written it through us, and since then at most the user."""

    def learn(
        self, session: SessionKey, path: str, text: str | None, how: How, encoding: str = ""
    ) -> None:
        """The agent takes the file for this text from now on; None: for no file.

        `encoding`: that of the buffer by which it is read, "" without one.
        """
        known = None if text is None else clean(text)
        if how == "told":
            self._know(session, path, replace(self.of(session, path), text=known, how=how))
        else:
            self._know(session, path, Known(known, how, known, encoding=encoding))

    def served_to(self, session: SessionKey, path: str, calls: Iterable[str]) -> None:
        """What it was served last was for these tool calls."""
        self._know(session, path, replace(self.of(session, path), calls=frozenset(calls)))

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
        path, base, content = request.path, request.base, request.content
        older = self.on_disk(path, written.saved).base
        was, encoding = self.of(session, path), written.encoding or ""
        if written.taken:
            upon = written.disk if base is UNKNOWN else base
            # what it repeats its own tool has made, of what it knew before
            known = (was if content == was.made else replace(was, base=upon)).changed(content)
            returned = was.returned if was.has_written(content, author) else UNKNOWN
            turn = None if author is None else author.turn_key
            known = replace(known, encoding=encoding, returned=returned, writer=turn)
        else:  # of its own lines it knows those that were taken, of the user's text what it did
            made = (
                as_carried(base, written.before, written.after) if isinstance(base, str) else base
            )
            known = replace(was, base=made, made=UNKNOWN)
        self._know(session, path, replace(known, text=content, how="written"))
        self._writers.pop(path, None)
        if author is not None:
            self._writers[path] = author
        older = older if isinstance(older, str) else written.disk
        left = written.after if written.left is None else written.left
        now = content if older is None else as_carried(older, written.before, left)
        self._know(DISK, path, Known(base=now or "", encoding=encoding, saved=written.saved))

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
        before, after = followed.before, followed.after
        older = was.latest
        if followed.conflicts and not isinstance(older, str):
            older = followed.base
        made: Text = known
        if isinstance(older, str) and known != was.base:  # else it is as the agent had it at last
            made = as_carried(older, before, after)
        encoding = live.encoding if was.latest is UNKNOWN else was.encoding
        is_whole = known is not None and isinstance(was.base, str) and same_lines(known, was.base)
        how: How = was.how if is_whole else "left"  # other line ends are no other text
        now = replace(was, text=known, how=how, encoding=encoding)
        if isinstance(was.returned, str):
            now = replace(now, returned=as_carried(was.returned, before, after))
        if how_sure == "sure" or _begins(was, known):
            now = now if made == was.base else now.changed(made)
            now = replace(now, made=UNKNOWN)
        elif how_sure != "unlikely":
            now = replace(now, made=made)
        self._know(session, path, now)

    def repeats(self, live: LiveFile) -> Author | None:
        """Return whose write through us the disk has again, or the beginning of it, though at most
        the user has written the file since; None: nobody's, or the buffer has that already.

        It may come after the turn, and no tool call names it.
        """
        author, disk, buffer = self._writers.get(live.path), live.disk, live.buffer
        if author is None or not disk:
            return None
        if buffer is None or (live.stamp and live.stamp == buffer.synced):
            return None
        known = self.of(author.reader_key, live.path)
        is_same = _begins(known, clean(disk, live.encoding))
        return replace(author, how="found") if is_same else None

    def followed(self, path: str, author: Author | None, found: Followed) -> None:
        """The disk has changed, and that has come of it, as it is read."""
        self._moved_on(path, found.before, found.after)
        writer = self._writers.get(path)
        is_another = writer is None or author is None or writer.reader_key != author.reader_key
        if is_another and found.before != found.after:
            self._writers.pop(path, None)

    def _moved_on(self, path: str, before: str | None, after: str | None) -> None:
        """The live text has become another one because the disk did, or by a user's decision."""
        known = self.of(DISK, path)
        if isinstance(known.base, str) and before != after:
            base = as_carried(known.base, before, after)
            self._know(DISK, path, replace(known, base=base or ""))

    def decided(
        self, path: str, before: str | None, after: str | None, *, is_saved: bool = True
    ) -> None:
        """The user has decided what the file holds: agents know that once they are told. Without
        `is_saved` whoever reads the disk finds what it held."""
        if before == after:
            return
        if is_saved:
            self._moved_on(path, before, after)
        self._writers.pop(path, None)
        for (session, name), known in tuple(self._known.items()):
            if name != path or session == DISK or isinstance(known.latest, Unknown):
                continue
            last = known.latest if isinstance(known.returned, Unknown) else known.returned
            now = as_carried(last, before, after) if last is not None else after and clean(after)
            untold: Text = UNKNOWN if now == known.latest else now
            self._know(session, path, replace(known, returned=untold))

    def was_told(self, session: SessionKey, path: str) -> None:
        """A prompt has told the agent what the user has decided: it goes on from there."""
        known = self.of(session, path)
        base = known.untold(known.text if isinstance(known.text, str) else None)
        if not isinstance(base, Unknown):
            told = replace(known, base=base, made=UNKNOWN, returned=UNKNOWN, writer=None, upon=())
            self._know(session, path, told)

    def taken_back(
        self, session: SessionKey, path: str, before: str | None, after: str | None
    ) -> None:
        """The user has rejected what the agent's own tool made: if it makes the same again that is
        no late repetition, but new. What it wrote through us it may well repeat late. What has come
        back in its place it need not know: it may go on from what it had before its change."""
        known = self.of(session, path)
        if known.how == "left" and isinstance(known.latest, str):
            made = as_carried(known.latest, before, after)
            if known.made is UNKNOWN and known.upon:
                known = replace(known, base=known.upon[-1], upon=known.upon[:-1])
            self._know(session, path, replace(known, how="told", made=made))

    def candidates(
        self, author: Author | None, path: str, known: Known | None, saved: str
    ) -> Candidates:
        """Return which texts a change of the disk may come from; `saved`: see `Known`.

        `known`: what its author knew when it was seen, None: what it knows.
        """
        known = NOTHING if author is None else known or self.of(author.reader_key, path)
        found: list[Candidate] = []
        if known.base is not UNKNOWN and isinstance(known.latest, str):
            found.append(Candidate(known.latest, known.encoding, has_unsaved=True))
        others = self.on_disk(path, saved)
        if isinstance(others.base, str):
            found.append(Candidate(others.base, others.encoding))
        return tuple(found)

    def on_disk(self, path: str, saved: str) -> Known:
        """Return what whoever reads the disk knows, nothing if the user has saved since."""
        if self.of(DISK, path).saved != saved:
            self._drop(DISK, path)
        return self.of(DISK, path)

    def _know(self, session: SessionKey, path: str, known: Known) -> None:
        self._drop(session, path)
        self._known[session, path] = known
        self._size += known.size
        self._revisions[session] = self.revision(session) + 1
        while len(self._known) > 1 and (self._size > MOST_TEXT or len(self._known) > MOST_KNOWN):
            self._drop(*next(iter(self._known)))

    def _drop(self, session: SessionKey, path: str) -> None:
        if known := self._known.pop((session, path), None):
            self._size -= known.size

    def unlearn(self, session: SessionKey, path: str) -> None:
        """Nobody knows any more what the agent takes the file for."""
        if known := self._known.get((session, path)):
            self._known[session, path] = replace(known, text=UNKNOWN)
            self._measure()

    def of(self, session: SessionKey, path: str) -> Known:
        """Return what the agent knows of one file."""
        return self._known.get((session, path), NOTHING)

    def texts(self, session: SessionKey) -> Mapping[str, str | None]:
        """Return what the agent takes files for, of all of which that is known, oldest first."""
        known = self._of_session(session).items()
        return {path: it.text for path, it in known if it.text is not UNKNOWN}

    def _of_session(self, session: SessionKey) -> dict[str, Known]:
        return {path: it for (whose, path), it in tuple(self._known.items()) if whose == session}

    def revision(self, session: SessionKey) -> int:
        """Return a number that is another when the agent has learned something."""
        return self._revisions.get(session, 0)

    def close(self, session: SessionKey) -> None:
        """The session is over, or begins anew: what it was served is no base of a write."""
        for path, known in self._of_session(session).items():
            self._known[session, path] = replace(known, base=UNKNOWN, made=UNKNOWN, upon=())
        self._measure()

    def forget(self, session: SessionKey) -> None:
        """The session was deleted."""
        for path in self._of_session(session):
            self._drop(session, path)
        self._revisions.pop(session, None)

    def _measure(self) -> None:
        self._size = sum(it.size for it in tuple(self._known.values()))


def _begins(known: Known, text: str | None) -> bool:
    """Tell whether a text is what the agent last read or wrote as a whole, or the beginning of it,
    as of a file that is being written."""
    return bool(text) and isinstance(known.base, str) and known.base.startswith(text or "")
