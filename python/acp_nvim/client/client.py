"""One agent from start to end: initialize, its sessions, and how it goes away.

A client is used once; another process of the same agent is another client.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol, TypeAlias

import anyio
from anyio.abc import TaskGroup

from acp_nvim.client import reasons
from acp_nvim.client.connection import Connection
from acp_nvim.client.inbound import Inbound, Services
from acp_nvim.client.launch import Launch
from acp_nvim.client.listing import Listing
from acp_nvim.client.login import OPENING, Login, is_refusal
from acp_nvim.client.opening import Setup
from acp_nvim.client.registry import Registry
from acp_nvim.client.session import Session
from acp_nvim.client.settings import Settings
from acp_nvim.client.traffic import Traffic
from acp_nvim.client.turns import Turns
from acp_nvim.editor import Files
from acp_nvim.errors import AgentError, ConnectionLost, UserError
from acp_nvim.protocol.dialect import AgentInfo, Dialect
from acp_nvim.protocol.negotiate import NEWEST, choose
from acp_nvim.session.event import Noticed, SessionClosed, SessionReopening, TurnEnded
from acp_nvim.session.model import Prompt
from acp_nvim.session.terminal import ExitStatus
from acp_nvim.transport.link import Ended, Link

ClientState: TypeAlias = Literal["starting", "ready", "needs_login", "failed", "closed"]

GRACE = 2.0
"""Seconds that an agent has to end by itself, and again after TERM."""
PATIENCE = 10.0
"""Seconds without an answer to `initialize` after which the user is told."""


class Watcher(Protocol):
    """Learns of the connection's own changes."""

    def connected(self, client: Client) -> None:
        """The agent answered `initialize`."""

    def disconnected(self, client: Client) -> None:
        """The agent is gone, or never came."""


class Client:
    """One agent process and its sessions."""

    def __init__(
        self,
        launch: Launch,
        services: Services,
        *,
        spawn: Callable[[Launch], Awaitable[Link]],
        files: Files,
        traffic: Traffic,
        watcher: Watcher,
        clock: Callable[[], float],
        version: str,
    ) -> None:
        self.launch = launch
        self.traffic = traffic
        self.state: ClientState = "starting"
        self.error: str | None = None
        self.ended: Ended | None = None
        self.info: AgentInfo | None = None
        self.link: Link | None = None
        self.registry = Registry()
        self.terminals = services.terminals
        self._spawn = spawn
        self._watcher = watcher
        self._fault = services.fault
        self.outside = services.outside
        self._version = version
        self._dialect: Dialect = NEWEST
        self.login = Login(launch, self._dialect, clock, self._needs_login)
        self._turns = Turns(self._dialect, services, launch, files, clock, self.login)
        self._settings = Settings(launch.name, self._dialect, self.login)
        self._setup = Setup(launch, self._dialect, self.registry)
        self.listing = Listing(launch.name, self._dialect, self.login)
        self._inbound = Inbound(launch, self._dialect, self.registry, services)
        self._clock = clock
        self._begun = anyio.Event()
        """Set once sessions can be opened, or never can."""
        self._over = anyio.Event()
        self._ending = False
        self._connection: Connection

    @property
    def name(self) -> str:
        """The agent's name in the configuration."""
        return self.launch.name

    @property
    def label(self) -> str:
        """What to call the agent on screen: title and version once known (C-048)."""
        if self.info is None or not self.info.label:
            return self.name
        return f"{self.info.label} {self.info.version}".rstrip()

    @property
    def exit(self) -> ExitStatus | None:
        """How its process ended; None as long as it runs, or if there was none."""
        return None if self.ended is None else self.ended.exit

    async def run(self) -> None:
        """Start the agent and serve it until it is gone; never raises for what an agent does."""
        try:
            self.link = await self._spawn(self.launch)
            await self._serve(self.link)
        except UserError as error:
            self._gone("failed", str(error))
        except Exception as error:  # a fault of ours must not take the other agents along
            self._fault(error)
            self._gone("failed", f"{self.name} had to be ended: acp.nvim made a mistake")
        finally:
            self.traffic.close()
            self._over.set()
        self._watcher.disconnected(self)

    async def _serve(self, link: Link) -> None:
        if self._ending:
            link.kill()
        try:
            async with anyio.create_task_group() as tasks:
                self._connection = Connection(
                    link, self.traffic, self._inbound, self._fault, self._dialect.cancel_request
                )
                self._inbound.attach(self._connection, tasks, self.traffic)
                tasks.start_soon(self.terminals.run)
                tasks.start_soon(self._initialize, tasks)
                self.ended = await self._connection.run()
                self._lost()
                tasks.cancel_scope.cancel()
        finally:
            link.kill()
            await link.end(grace=0)

    async def open(self, session: Session) -> None:
        """Open a new session; what goes wrong is said in the session, which is closed then."""
        await self._open(session, session.state.id)

    async def reopen(self, session: Session, session_id: str | None) -> None:
        """Open a session of an earlier process again: load, else resume, else anew."""
        session.apply(SessionReopening(session_id=session_id))
        await self._open(session, session_id)

    def submit(self, session: Session, prompt: Prompt, *, interrupt: bool = False) -> None:
        """See `Turns.submit`."""
        self._turns.submit(session, prompt, interrupt=interrupt)

    def cancel(self, session: Session) -> None:
        """Cancel the session's opening, its turn or a login; raises `UserError` if none is."""
        if self._setup.abort(session):
            return
        if session.state.status == "running" or not self.login.cancel():
            self._turns.cancel(session)

    async def set_mode(self, session: Session, mode: str) -> None:
        """Switch the session's mode; raises `UserError` if it is refused."""
        await self._settings.set_mode(session, mode)

    async def set_option(self, session: Session, option_id: str, value: str | bool) -> None:
        """Give a config option another value; raises `UserError` if it is refused."""
        await self._settings.set_option(session, option_id, value)

    async def close(self, session: Session) -> None:
        """Close one session, with the agent's help where it offers that (C-093, C-094)."""
        if session.state.status == "running":
            self._turns.cancel(session)
        self._setup.abort(session)
        self.login.forget(session)
        self._close(session, None)
        self.registry.remove(session)
        if session.id is not None and self.state in ("ready", "needs_login"):
            await self._setup.close(session.id)

    async def end(self, *, kill: bool = False) -> None:
        """End the agent: close stdin, TERM, KILL, or KILL at once; its sessions are closed.

        Returns when it is gone: from then on nothing of it touches the sessions.
        """
        self._ending = True
        self._gone("closed", None)
        if self.link is not None and kill:
            self.link.kill()
        elif self.link is not None:
            await self.link.end(grace=GRACE)
        await self._over.wait()

    # --- the beginning

    async def _initialize(self, tasks: TaskGroup) -> None:
        self._dialect.warm()
        tasks.start_soon(self._tell_waiting)
        method, params = self._dialect.initialize(
            self.launch.capabilities, name="acp.nvim", title="acp.nvim", version=self._version
        )
        try:
            result = await self._connection.request(method, params)
            self.info = choose(result).decode_initialize(result)
        except ConnectionLost:
            return  # `_lost` says how it ended
        except (AgentError, UserError) as error:
            await self._refused(error)
            return
        if self._ending:
            return
        self.state = "ready"
        self._turns.attach(self._connection, tasks, self.info.capabilities)
        self._settings.attach(self._connection)
        self.login.attach(self._connection, self.info)
        self._setup.attach(self._connection, self.info.capabilities)
        self.listing.attach(self._connection, self.info.capabilities)
        self._begun.set()
        self._watcher.connected(self)

    async def _tell_waiting(self) -> None:
        await anyio.sleep(PATIENCE)
        if self.state == "starting":
            for session in self.registry:
                session.apply(Noticed(reasons.silent(self.name, PATIENCE), "warning"))

    async def _refused(self, error: AgentError | UserError) -> None:
        if isinstance(error, UserError):
            self._gone("failed", f"{self.name}: {error}")
        else:
            said = f"{self.name} refused to initialize: {error}. See :Acp log {self.name}"
            self._gone("failed", said)
        if self.link is not None:
            await self.link.end(grace=GRACE)

    # --- sessions

    async def _open(self, session: Session, session_id: str | None) -> None:
        self.registry.add(session)
        await self._begun.wait()
        if self.state in ("failed", "closed"):
            self._close(session, self.error)
            return
        try:
            await self._setup.open(session, session_id)
        except (AgentError, ConnectionLost, UserError) as error:
            self._not_opened(session, session_id, error)
        if session.state.status == "loading":
            self._close(session, "This session was not opened: :AcpStart opens another")
        elif session.state.status == "idle":
            self.login.accepted()
            self._turns.go_on(session)

    def _needs_login(self, said: str | None) -> None:
        if self.state in ("ready", "needs_login"):
            self.state, self.error = "ready" if said is None else "needs_login", said

    def _not_opened(
        self,
        session: Session,
        session_id: str | None,
        error: AgentError | ConnectionLost | UserError,
    ) -> None:
        if is_refusal(error):
            key, again = (session, OPENING), lambda client: client.reopen(session, session_id)
            self._close(session, self.login.wanted(key, again))
        else:
            self._close(session, reasons.not_opened(self.name, error, again=session_id is not None))

    # --- the end

    def _lost(self) -> None:
        begun = self.state != "starting"
        when = "by itself" if begun else "before it answered"
        said = reasons.ended(self.name, when, self.ended, self.traffic.stderr)
        self._gone("closed" if begun else "failed", said)

    def _gone(self, state: ClientState, error: str | None) -> None:
        """Close what there is, once: who ended it first knows why."""
        if self.state in ("failed", "closed"):
            return
        self.state, self.error = state, error
        for session in self.registry:
            self._close(session, error)
        self._begun.set()

    def _close(self, session: Session, reason: str | None) -> None:
        """Close a session that can go on no more; one that is closed stays as it is."""
        if session.state.status in ("running", "cancelling"):
            session.apply(TurnEnded(self._clock(), None))
        self._turns.answer_all(session)
        if session.id is not None:
            self.terminals.close(session.id)
        if session.state.status != "closed":
            session.apply(SessionClosed(reason))
