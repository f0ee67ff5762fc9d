"""One agent from start to end: initialize, its sessions, and how it goes away.

A client is used once; another process of the same agent is another client.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Literal, Protocol, TypeAlias

import anyio
from anyio.abc import TaskGroup

from acp_nvim.client.connection import Connection, Link, Outcome
from acp_nvim.client.inbound import Inbound, Services
from acp_nvim.client.launch import Launch
from acp_nvim.client.registry import Registry
from acp_nvim.client.session import Session
from acp_nvim.client.traffic import Traffic
from acp_nvim.client.turns import Turns
from acp_nvim.errors import AgentError, Code, ConnectionLost, UserError
from acp_nvim.ports import Files
from acp_nvim.process.child import Exit
from acp_nvim.protocol.dialect import AgentInfo, Dialect
from acp_nvim.protocol.negotiate import LATEST, choose
from acp_nvim.session.action import Refused, SetMode
from acp_nvim.session.event import (
    ModeChanged,
    Noticed,
    Prompt,
    SessionClosed,
    SessionReopening,
    TurnEnded,
)

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
        self.exit: Exit | None = None
        self.info: AgentInfo | None = None
        self.link: Link | None = None
        self.registry = Registry()
        self._spawn = spawn
        self._watcher = watcher
        self._version = version
        self._dialect: Dialect = choose(LATEST, LATEST)
        self._turns = Turns(self._dialect, services.permissions, files, clock)
        self._inbound = Inbound(launch, self._dialect, self.registry, services)
        self._clock = clock
        self._ready = anyio.Event()
        self._opening = anyio.Lock()
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

    async def run(self) -> None:
        """Start the agent and serve it until it is gone; never raises for what an agent does."""
        try:
            self.link = await self._spawn(self.launch)
        except UserError as error:
            self._gone("failed", str(error))
            return
        if self._ending:
            self.link.kill()
        try:
            async with anyio.create_task_group() as tasks:
                self._connection = Connection(self.link, self.traffic, self._inbound)
                self._inbound.attach(self._connection, tasks, self.traffic)
                tasks.start_soon(self._initialize, tasks)
                self.exit = await self._connection.run()
                self._lost()
                tasks.cancel_scope.cancel()
        finally:
            self.link.kill()
            self.traffic.close()

    async def open(self, session: Session) -> None:
        """Open a new session; what goes wrong is said in the session, which is closed then."""
        await self._open(session, session.state.id)

    async def reopen(self, session: Session, session_id: str) -> None:
        """Open a session of an earlier process again: load, else resume, else anew."""
        session.apply(SessionReopening())
        await self._open(session, session_id)

    def submit(self, session: Session, prompt: Prompt, *, interrupt: bool = False) -> None:
        """See `Turns.submit`."""
        self._turns.submit(session, prompt, interrupt=interrupt)

    def cancel(self, session: Session) -> None:
        """See `Turns.cancel`."""
        self._turns.cancel(session)

    async def set_mode(self, session: Session, mode: str) -> None:
        """Switch the session's mode; raises `UserError` if it is refused."""
        decision = session.decide(SetMode(mode))
        if isinstance(decision, Refused):
            raise UserError(decision.reason)
        if session.id is None:
            raise UserError("the session is not open yet: try again when the agent has started")

        def switched(outcome: Outcome) -> None:
            if not isinstance(outcome, AgentError | ConnectionLost):
                session.apply(ModeChanged(mode))

        try:
            await self._connection.request(*self._dialect.set_mode(session.id, mode), switched)
        except (AgentError, ConnectionLost) as error:
            raise UserError(f"{self.name} did not switch to mode {mode}: {error}") from error

    async def close(self, session: Session) -> None:
        """Close one session, with the agent's help where it offers that (C-093, C-094)."""
        session_id, closable = session.id, self.info is not None and self.info.capabilities.close
        if session.state.status == "running":
            self._turns.cancel(session)
        self._turns.answer_all(session)
        session.apply(SessionClosed())
        self.registry.remove(session)
        if closable and session_id is not None and self.state == "ready":
            try:
                with anyio.move_on_after(GRACE):
                    await self._connection.request(*self._dialect.close_session(session_id))
            except (AgentError, ConnectionLost):
                return  # an agent may refuse to close what it does not know (C-095)

    async def end(self, *, kill: bool = False) -> None:
        """End the agent: close stdin, TERM, KILL, or KILL at once; its sessions are closed."""
        self._ending = True
        for session in self.registry:
            self._turns.answer_all(session)
            session.apply(SessionClosed())
        if self.link is None:
            self._gone("closed", None)
        elif kill:
            self.link.kill()
        else:
            await self.link.end(grace=GRACE)

    # --- the beginning

    async def _initialize(self, tasks: TaskGroup) -> None:
        self._dialect.warm()
        tasks.start_soon(self._tell_waiting)
        method, params = self._dialect.initialize(
            self.launch.capabilities, name="acp.nvim", title="acp.nvim", version=self._version
        )
        try:
            result = await self._connection.request(method, params)
            answered = result.get("protocolVersion") if isinstance(result, dict) else None
            choose(LATEST, answered)
            self.info = self._dialect.decode_initialize(result)
        except ConnectionLost:
            return  # `run` says how it ended
        except (AgentError, UserError) as error:
            await self._refused(error)
            return
        self.state = "ready"
        self._turns.attach(self._connection, tasks, self.info.capabilities)
        self._ready.set()
        self._watcher.connected(self)

    async def _tell_waiting(self) -> None:
        await anyio.sleep(PATIENCE)
        if self.state == "starting":
            for session in self.registry:
                session.apply(
                    Noticed(
                        f"{self.name} has not answered for {PATIENCE:.0f} seconds: "
                        ":Acp log shows what it said, :Acp cancel ends it",
                        "warning",
                    )
                )

    async def _refused(self, error: AgentError | UserError) -> None:
        said = (
            f"{self.name}: {error}"
            if isinstance(error, UserError)
            else (f"{self.name} refused to initialize: {error}. See :Acp log {self.name}")
        )
        self._gone("failed", said)
        if self.link is not None:
            await self.link.end(grace=GRACE)

    # --- sessions

    async def _open(self, session: Session, session_id: str | None) -> None:
        async with self._opening:
            self.registry.begin(session)
            try:
                await self._ready.wait()
                if session.state.status == "loading":
                    await self._request_session(session, session_id)
            except (AgentError, ConnectionLost, UserError) as error:
                self._not_opened(session, error)
            finally:
                self.registry.finish()
        if session.state.status == "idle":
            self._turns.go_on(session)

    async def _request_session(self, session: Session, session_id: str | None) -> None:
        capabilities = self.info.capabilities if self.info is not None else None
        cwd, servers = session.state.cwd, self.launch.mcp_servers
        roots: tuple[str, ...] = ()
        if capabilities is not None and capabilities.additional_directories:
            roots = self.launch.additional_directories
        if session_id is not None and capabilities is not None and capabilities.load:
            method, params = self._dialect.load_session(session_id, cwd, servers, roots)
            self.registry.enter(session_id, session, SessionReopening(replay=True))
        elif session_id is not None and capabilities is not None and capabilities.resume:
            method, params = self._dialect.resume_session(session_id, cwd, servers, roots)
            self.registry.enter(session_id, session, SessionReopening())
        else:
            if session_id is not None:
                session.apply(
                    Noticed(f"{self.name} cannot load sessions: this one starts anew", "warning")
                )
            session_id = None
            method, params = self._dialect.new_session(cwd, servers, roots)

        def opened(outcome: object) -> None:
            if not isinstance(outcome, AgentError | ConnectionLost):
                event = self._dialect.decode_session(method, outcome, session_id)
                self.registry.enter(event.session_id, session, event)

        await self._connection.request(method, params, opened)

    def _not_opened(self, session: Session, error: AgentError | ConnectionLost | UserError) -> None:
        if isinstance(error, ConnectionLost):
            return  # `_lost` closes every session and says why
        if isinstance(error, AgentError) and error.code == Code.AUTH_REQUIRED:
            self.state, self.error = "needs_login", self._login_help()
            session.apply(SessionClosed(self.error))
            return
        session.apply(
            SessionClosed(f"{self.name} did not open a session: {error}. See :Acp log {self.name}")
        )

    def _login_help(self) -> str:
        methods = self.info.auth_methods if self.info is not None else ()
        ways = ", ".join(method.name for method in methods) or "it offers no way to do so here"
        return (
            f"{self.name} wants you to log in ({ways}): run `{self.launch.command}` in a terminal, "
            f"log in there, then :Acp restart {self.name}"
        )

    # --- the end

    def _lost(self) -> None:
        if self._ending:
            self._gone("closed", None)
        elif self.state != "failed":
            when = "before it answered" if self.state == "starting" else "by itself"
            self._gone("failed" if self.state == "starting" else "closed", self._obituary(when))
        self._watcher.disconnected(self)

    def _obituary(self, when: str) -> str:
        how = "" if self.exit is None else f" ({self.exit.signal or f'exit code {self.exit.code}'})"
        tail = self.traffic.stderr.strip().splitlines()[-3:]
        said = f": {' / '.join(tail)}" if tail else ""
        return (
            f"{self.name} ended {when}{how}{said}. "
            f":Acp restart {self.name} starts it again, :Acp log {self.name} shows more"
        )

    def _gone(self, state: ClientState, error: str | None) -> None:
        self.state, self.error = state, error
        for session in self.registry:
            if session.state.status in ("running", "cancelling"):
                session.apply(TurnEnded(self._clock(), None))
            self._turns.answer_all(session)
            if session.state.status != "closed":
                session.apply(SessionClosed(error))
        if self.link is None:
            self._watcher.disconnected(self)
