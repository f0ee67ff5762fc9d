"""How the sessions of one agent are opened and closed (v1/session-setup).

One is opened at a time, because what an agent says of a session before its id is known could
belong to any of them. Called by `Client` only.

A session is loaded where the agent can, else resumed, else another one begins below a line that is
marked `anew`; what stands above that line (`session.saved.untold`) is sent with prompts until the
agent has answered one. A turn is `cut_off` where nobody knows how far it came: then the user is
asked whether its prompt is sent again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeAlias

import anyio
from msgspec.structs import replace

from acp_nvim.client import quirks, reasons
from acp_nvim.client.agent import Agent
from acp_nvim.client.connection import Outcome, Patience
from acp_nvim.client.login import OPENING, Login, is_refusal
from acp_nvim.client.registry import Registry
from acp_nvim.client.session import Session, patience
from acp_nvim.errors import AgentError, ConnectionLost, UserError
from acp_nvim.protocol.records import Call, Server
from acp_nvim.session.event import (
    Event,
    Noticed,
    NoticeOver,
    SessionOpened,
    SessionReopening,
    TranscriptRestored,
)
from acp_nvim.session.replay import with_kept
from acp_nvim.session.state import Message, Notice, ToolCall

MOST_SESSIONS = 200
"""Sessions of one agent that are open at a time."""
CLOSING = 2.0
"""Seconds that an agent has to answer `session/close`."""
SLOW = 30.0
"""Seconds without an answer after which the user is told: servers are started, talks replayed."""
QUIET = 0.5
"""Seconds without a word after which a late replay has ended, or there is none."""
MOST_QUIET = 10.0
"""Seconds that a late replay may take at most."""
_NO_REPLAY = "{} knows this session, but sent nothing of it: this is what acp.nvim has kept"

OfferTools: TypeAlias = Callable[[Session, frozenset[str]], Server | None]
"""Returns the MCP server with the tools of the editor, for an agent that takes these kinds."""
_Again: TypeAlias = Callable[[str, str, tuple[Server, ...], tuple[str, ...]], Call]


class Opening:
    """Opens and closes sessions."""

    def __init__(self, agent: Agent, registry: Registry, login: Login, offer: OfferTools) -> None:
        self._offer = offer
        self._launch = agent.launch
        self._connection = agent.connection
        self._tasks = agent.tasks
        self._dialect = agent.dialect
        self._capabilities = agent.info.capabilities
        self._registry = registry
        self._login = login
        self._lock = anyio.Lock()
        self._scopes: dict[Session, anyio.CancelScope] = {}
        """Of the sessions that are being opened, or wait for that."""

    async def open(self, session: Session, session_id: str | None) -> str | None:
        """Open a session, or that of an earlier process again: load, else resume, else anew.

        Without effect on a session that is closed by then. Returns what to tell the user when it
        is not open; after a login it is then tried once more.
        """
        if (
            sum(it.state.status != "closed" and not it.state.parent for it in self._registry)
            > MOST_SESSIONS
        ):
            return f"{MOST_SESSIONS} sessions of {self._launch.name} are open: close one first"
        try:
            with self._abortable(session):
                async with self._alone(session):
                    if session.state.status == "loading":  # not closed meanwhile
                        await self._open(session, session_id)
        except (AgentError, ConnectionLost, UserError) as error:
            if not is_refusal(error):
                return reasons.not_opened(self._launch.name, error, again=session_id is not None)
            key = session, OPENING
            return self._login.wanted(key, lambda client: client.reopen(session, session_id))
        if session.state.status == "loading":
            return "This session was not opened: :AcpStart opens another"
        if session.state.status == "idle":
            self._login.accepted()
        return None

    async def fork(self, session: Session, source_id: str) -> None:
        """Open a session that goes on from that one; raises `UserError` if there is none then."""
        call = self._dialect.fork_session(source_id, *self._setup(session))
        try:
            with self._abortable(session):
                async with self._alone(session):
                    await self._begin(session, call)
        except (AgentError, ConnectionLost) as error:
            raise UserError(f"{self._launch.name} did not fork the session: {error}") from error
        if session.state.status == "loading":
            raise UserError("the session was not forked")

    def abort(self, session: Session) -> bool:
        """Take back the request that opens this session (C-154), or is to open it once another one
        is open; False if there is none."""
        scope = self._scopes.get(session)
        if scope is None or session.state.status != "loading":
            return False
        scope.cancel()
        return True

    async def close(self, session_id: str) -> None:
        """Let the agent free the session, if it offers that (C-093); its refusal is no harm."""
        if not self._capabilities.close:
            return
        try:
            with anyio.move_on_after(CLOSING):
                await self._connection.request(*self._dialect.close_session(session_id))
        except (AgentError, ConnectionLost):
            return  # an agent may refuse to close what it does not know (C-095)

    @contextmanager
    def _abortable(self, session: Session) -> Iterator[None]:
        """Do what can be aborted: it ends without a word then."""
        with anyio.CancelScope() as self._scopes[session]:
            try:
                yield
            finally:
                del self._scopes[session]

    @asynccontextmanager
    async def _alone(self, session: Session) -> AsyncIterator[None]:
        """Open a session once no other one is being opened, and say so if that takes long."""
        with anyio.move_on_after(SLOW) as waiting:
            await self._lock.acquire()
        if waiting.cancelled_caught:
            said = reasons.behind(self._launch.name)
            session.apply(Noticed(said, "warning", "passing"))
            try:
                await self._lock.acquire()
            finally:
                session.apply(NoticeOver(said))
        self._registry.begin(session)
        try:
            yield
        finally:
            self._registry.finish()
            self._lock.release()

    async def _open(self, session: Session, session_id: str | None) -> None:
        if session_id is not None:
            why = await self._open_again(session, session_id)
            if why is None:
                return
            if not _is_told(session, why):
                session.apply(Noticed(why, "warning", "anew"))
        await self._begin(session, self._dialect.new_session(*self._setup(session)))

    async def _open_again(self, session: Session, session_id: str) -> str | None:
        """Load a session, else resume it; return why it must begin anew, if it must.

        Raises what the agent has said where it may still know the session, or where one of earlier
        has nothing that was said: another one is of no use then.
        """
        ways = [self._load] if self._capabilities.load else []
        ways += [self._resume] if self._capabilities.resume else []
        refusal: AgentError | None = None
        for open_so in ways:
            try:
                await open_so(session, session_id)
            except AgentError as error:
                if is_refusal(error):
                    raise
                refusal = refusal or error
            else:
                return None
        is_said = _is_said(session)
        if refusal is not None and not (reasons.is_lost(refusal) and (is_said or session.was_open)):
            raise refusal
        return reasons.anew(self._launch.name, refusal, is_said=is_said)

    async def _resume(self, session: Session, session_id: str) -> None:
        call = self._dialect.resume_session
        await self._begin(
            session, self._call(call, session, session_id, SessionReopening()), session_id
        )

    async def _begin(self, session: Session, call: Call, session_id: str | None = None) -> None:
        def opened(event: SessionOpened) -> None:
            self._registry.enter(event.session_id, session, event)

        await self._ask(session, call, session_id, opened)

    async def _ask(
        self,
        session: Session,
        call: Call,
        session_id: str | None,
        opened: Callable[[SessionOpened], None],
    ) -> None:
        """Ask for a session. One that the agent opens after that was taken back is closed there."""
        (method, params), is_wanted = call, True

        def then(outcome: Outcome) -> None:
            if not isinstance(outcome, SessionOpened):
                return
            if is_wanted:
                opened(outcome)
            elif self._registry.find(outcome.session_id) is None:
                self._tasks.start_soon(self.close, outcome.session_id)

        decode, patience = self._decode(method, session_id), self._patience(session)
        try:
            await self._connection.request(method, params, then, decode, patience, takes_late=True)
        except anyio.get_cancelled_exc_class():
            is_wanted = False
            raise

    async def _load(self, session: Session, session_id: str) -> None:
        """Let the agent replay a session: before its answer, or (as gemini does) after it.

        The session is loading until the replay has come to its end, so that nothing of it is taken
        for what happens now. What was shown before comes back if there is none.
        """
        kept = TranscriptRestored(tuple(session.state.entries), session.state.title)
        loading = SessionReopening(replay=True)
        call = self._call(self._dialect.load_session, session, session_id, loading)
        answer: list[SessionOpened] = []

        def opened(event: SessionOpened) -> None:
            answer.append(replace(event, replayed=True))
            if _is_said(session):
                session.apply(*_more(session, kept), *answer)

        try:
            await self._ask(session, call, session_id, opened)
            if session.state.status == "loading":
                await _quiet(session)
        except (AgentError, ConnectionLost, anyio.get_cancelled_exc_class()):
            session.apply(_put_back(session, kept))
            raise
        if session.state.status == "loading":
            session.apply(*_shown(session, kept, self._launch.name), *answer)

    def _patience(self, session: Session) -> Patience:
        """Return what tells in a session that it takes long to open it."""
        name = self._launch.name
        return patience(session, lambda it: reasons.slow(name, it, "to open this session"), SLOW)

    def _decode(self, method: str, session_id: str | None) -> Callable[[object], SessionOpened]:
        def decode(result: object) -> SessionOpened:
            event = self._dialect.decode_session(method, result, session_id)
            return quirks.opened(event, self._launch.quirks)

        return decode

    def _call(
        self, call: _Again, session: Session, session_id: str, reopening: SessionReopening
    ) -> Call:
        """Return the request, and prepare for what the agent says before it answers."""
        self._registry.enter(session_id, session, reopening)
        return call(session_id, *self._setup(session))

    def _setup(self, session: Session) -> tuple[str, tuple[Server, ...], tuple[str, ...]]:
        """Return what every way to open a session takes: cwd, MCP servers, further roots."""
        offered = self._capabilities.additional_directories
        roots = self._roots(session) if offered else ()
        return session.state.cwd, self._servers(session), roots

    def _roots(self, session: Session) -> tuple[str, ...]:
        """Return the further roots that the agent sees, and say which it does not."""
        seen = self._launch.folders
        for folder in self._launch.additional_directories:
            if folder not in seen:
                session.apply(Noticed(self._launch.paths.unseen(folder), "warning"))
        return seen

    def _servers(self, session: Session) -> tuple[Server, ...]:
        """Return the MCP servers that the agent can reach, and say which it cannot (C-072); last
        our own."""
        taken = self._capabilities.mcp
        for server in self._launch.mcp_servers:
            if server.type not in taken:
                text = f"MCP server {server.name} is left out: {self._launch.name} takes no"
                session.apply(Noticed(f"{text} {server.type} servers", "warning"))
        servers = tuple(server for server in self._launch.mcp_servers if server.type in taken)
        own = self._offer(session, taken)
        if own is None or any(it.name == own.name for it in servers):  # the user's takes its place
            return servers
        return (*servers, own)


def _more(session: Session, kept: TranscriptRestored) -> tuple[Event, ...]:
    """Return what adds to a replay what was kept and the agent does not tell."""
    replayed = session.state.entries
    whole = with_kept(replayed, kept.entries)
    return () if whole is replayed else (TranscriptRestored(tuple(whole), session.state.title),)


def _shown(session: Session, kept: TranscriptRestored, name: str) -> tuple[Event, ...]:
    """Return what shows all that is known, when a replay has come to its end or never began."""
    if _is_said(session):
        return _more(session, kept)
    return (kept, Noticed(_NO_REPLAY.format(name))) if kept.entries else ()


def _is_told(session: Session, text: str) -> bool:
    """Tell whether that is the last that stands in a session."""
    last = session.state.entries[-1] if session.state.entries else None
    return isinstance(last, Notice) and last.text == text


def _put_back(session: Session, kept: TranscriptRestored) -> TranscriptRestored:
    """Return what was shown before a load that came to nothing, and our own words since."""
    notices = (entry for entry in session.state.entries if isinstance(entry, Notice))
    return replace(kept, entries=(*kept.entries, *notices))


def _is_said(session: Session) -> bool:
    """Tell whether anything was said, since a load began for instance; our notices are not."""
    return any(isinstance(entry, Message | ToolCall) for entry in session.state.entries)


async def _quiet(session: Session) -> None:
    """Wait until the agent says no more in a session."""
    with anyio.move_on_after(MOST_QUIET):
        before = None
        while before is not session.state.entries:
            before = session.state.entries
            await anyio.sleep(QUIET)
