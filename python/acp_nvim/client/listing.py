"""The sessions that an agent knows: all pages of `session/list`, and `session/delete`.

Called by `Client`, and by commands that ask several agents at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import anyio
from msgspec.structs import replace

from acp_nvim.client import reasons
from acp_nvim.client.agent import Agent
from acp_nvim.client.login import Login, is_refusal
from acp_nvim.errors import AgentError, ConnectionLost, UserError
from acp_nvim.protocol.records import Call
from acp_nvim.session.model import ListedSession

MOST_PAGES = 100
"""Pages that are asked for; nobody looks at more sessions."""
MOST_LISTED, MOST_SAID = 10_000, 8_000_000
"""Sessions that are taken of all pages, and the characters of these."""
LISTING = 10.0
"""Seconds in which an agent has to tell all of them."""
ANSWERING = 30.0
"""Seconds in which it has to answer anything else; nothing of it is seen meanwhile."""

Listed: TypeAlias = tuple[ListedSession, ...]


class Listing:
    """Asks one agent for its sessions."""

    def __init__(self, agent: Agent, login: Login) -> None:
        self.name = agent.launch.name
        self._connection = agent.connection
        self._dialect = agent.dialect
        self._capabilities = agent.info.capabilities
        self._login = login
        self.late = False
        """It has not told all of its sessions, when it was asked last."""

    @property
    def reopens(self) -> bool:
        """Whether the agent can load or resume what it lists (C-102)."""
        return self._capabilities.load or self._capabilities.resume

    async def all(self, cwd: str, *, archived: bool = False) -> Listed:
        """Return the sessions of that folder; none if the agent lists none (C-096).

        One that names no folder is of the folder that was asked for; others are as the agent tells
        them, which need not look at the folder. `archived`: those only that were put away.
        What came before an error, or before the time was up, is better than nothing. Cursors are
        sent back verbatim; one that comes again would never end (C-099, C-100).
        """
        found: dict[str, ListedSession] = {}
        room = MOST_SAID
        cursor: str | None = None
        seen: set[str | None] = set()
        if not self._capabilities.list or (archived and not self._capabilities.archive):
            return ()
        with anyio.move_on_after(LISTING) as patience:
            while cursor not in seen and len(seen) < MOST_PAGES and len(found) < MOST_LISTED:
                seen.add(cursor)
                try:
                    page = await self._connection.request(
                        *self._dialect.list_sessions(cwd, cursor, archived=archived),
                        understand=self._dialect.decode_sessions,
                    )
                except (AgentError, ConnectionLost, UserError) as error:
                    if is_refusal(error):
                        self._login.wanted()
                    break
                for it in page.sessions:
                    if (room := room - _characters(it)) < 0:
                        break
                    found[it.id] = replace(it, cwd=it.cwd or cwd)
                cursor = page.cursor
                if cursor is None or (room := room - len(cursor)) < 0:
                    break
        self.late = patience.cancelled_caught
        return tuple(found.values())[:MOST_LISTED]

    async def delete(self, session_id: str) -> bool:
        """Let the agent delete a session; False if it offers no such thing (C-103)."""
        if not self._capabilities.delete:
            return False
        await self._answer(self._dialect.delete_session(session_id), "delete")
        return True

    async def rename(self, session_id: str, title: str) -> str | None:
        """Let the agent give a session a title; return it as kept, None if it keeps none."""
        if not self._capabilities.title:
            return None
        told = await self._answer(self._dialect.set_title(session_id, title), "rename")
        return self._dialect.decode_title(told) or title

    async def archive(self, session_id: str) -> None:
        """Let the agent put a session away, so that it is listed no more; raises `UserError`."""
        await self._put("archive", self._dialect.archive_session(session_id))

    async def unarchive(self, session_id: str) -> None:
        """Let the agent list a session again that was put away; raises `UserError`."""
        await self._put("unarchive", self._dialect.unarchive_session(session_id))

    async def _put(self, what: str, call: Call) -> None:
        if not self._capabilities.archive:
            raise UserError(f"{self.name} cannot {what} its sessions")
        await self._answer(call, what)

    async def _answer(self, call: Call, what: str) -> Any:
        """Return the answer to a request that does this with a session, if it comes in time; raises
        `UserError` else."""
        try:
            with anyio.move_on_after(ANSWERING):
                return await self._connection.request(*call)
        except (AgentError, ConnectionLost) as error:
            if is_refusal(error):
                raise UserError(self._login.wanted()) from error
            raise UserError(f"{self.name} did not {what} the session: {error}") from error
        raise UserError(reasons.unanswered(self.name, ANSWERING, f"to {what} it"))


def _characters(it: ListedSession) -> int:
    texts = (it.id, it.cwd, it.title or "", it.updated_at or "", *it.additional_directories)
    return sum(map(len, texts))


async def list_all(
    listings: Sequence[Listing], cwd: str, *, archived: bool = False
) -> Mapping[str, Listed]:
    """Ask several agents at once; return what each has told, by its name."""
    found: dict[str, Listed] = {}

    async def ask(listing: Listing) -> None:
        found[listing.name] = await listing.all(cwd, archived=archived)

    async with anyio.create_task_group() as tasks:
        for listing in listings:
            tasks.start_soon(ask, listing)
    return found
