"""What each agent knows of each file: one record a session and file, the only place for it.

An agent learns a text when it is served one, writes one through us, leaves one on disk by its own
tool, reads the disk by a tool of its own, or is told by a note that goes along with a prompt. Its
next write through us is made upon what it was last served, or wrote so: that is the `base`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from acp_nvim.errors import FileProblem
from acp_nvim.files import disk
from acp_nvim.files.baselines.snapshot import UNKNOWN, Text
from acp_nvim.files.encoding import clean
from acp_nvim.files.roots import Roots
from acp_nvim.ledger.delta import SessionKey

MOST_KNOWN = 1_000
"""Texts that are remembered of a session; what the agent has learned longest ago goes first."""

How: TypeAlias = Literal["served", "written", "left", "read", "told"]
"""How an agent came to know a text: by `fs/read`, by `fs/write`, by a write of its own tool, by a
read of its own tool, by a note."""


@dataclass(frozen=True, slots=True)
class Known:
    """What an agent takes one file for; `text` None: for no file, `UNKNOWN`: nothing is known.

    `base`: what it was last served, or wrote, through us.
    """

    text: Text = UNKNOWN
    how: How = "read"
    base: Text = UNKNOWN


NOTHING = Known()


class Knowledge:
    """What all agents of the host know, by session and resolved path. Texts are clean."""

    def __init__(self) -> None:
        self._sessions: dict[SessionKey, dict[str, Known]] = {}
        self._revisions: dict[SessionKey, int] = {}

    def learn(self, session: SessionKey, path: str, text: str | None, how: How) -> None:
        """The agent takes the file for this text from now on; None: for no file."""
        files = self._sessions.setdefault(session, {})
        base = files.pop(path, NOTHING).base
        known = None if text is None else clean(text)
        files[path] = Known(known, how, known if how in ("served", "written") else base)
        self._revisions[session] = self.revision(session) + 1
        self._bound(files)

    def unlearn(self, session: SessionKey, path: str) -> None:
        """Nobody knows any more what the agent takes the file for."""
        files = self._sessions.get(session, {})
        if path in files:
            files[path] = replace(files[path], text=UNKNOWN)

    def of(self, session: SessionKey, path: str) -> Known:
        """Return what the agent knows of one file."""
        return self._sessions.get(session, {}).get(path, NOTHING)

    def texts(self, session: SessionKey) -> Mapping[str, str | None]:
        """Return what the agent takes files for, of all of which that is known, oldest first."""
        files = self._sessions.get(session, {})
        return {path: it.text for path, it in files.items() if it.text is not UNKNOWN}

    def revision(self, session: SessionKey) -> int:
        """Return a number that is another when the agent has learned something."""
        return self._revisions.get(session, 0)

    def close(self, session: SessionKey) -> None:
        """The session is over, or begins anew: what it was served is no base of a write."""
        files = self._sessions.get(session, {})
        self._sessions[session] = {path: replace(it, base=UNKNOWN) for path, it in files.items()}

    def forget(self, session: SessionKey) -> None:
        """The session was deleted."""
        self._sessions.pop(session, None)
        self._revisions.pop(session, None)

    def _bound(self, files: dict[str, Known]) -> None:
        if len(files) <= MOST_KNOWN:
            return
        known = [path for path, it in files.items() if it.text is not UNKNOWN]
        for path in known[:-MOST_KNOWN]:
            files[path] = replace(files[path], text=UNKNOWN)


async def learn_from_disk(
    knowledge: Knowledge, session: SessionKey, roots: Roots, paths: Iterable[str]
) -> None:
    """Take note that an agent's own tool has read these files; those outside are none of ours."""
    for path in paths:
        try:
            real = roots.resolve(path)
            found = await disk.read(real)
        except FileProblem:
            continue
        if found is not None:
            knowledge.learn(session, real, clean(found.text, ""), "read")
