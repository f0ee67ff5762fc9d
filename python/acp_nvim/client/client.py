"""One agent from start to end: it connects, it is ready for sessions, and it goes away.

A client is used once; another process of the same agent is another client.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from functools import partial
from typing import Literal, Protocol, TypeAlias

import anyio
from anyio.abc import TaskGroup

from acp_nvim.client import reasons
from acp_nvim.client.agent import SpeaksOlder, initialize
from acp_nvim.client.connection import Connection
from acp_nvim.client.inbound import Inbound, Services
from acp_nvim.client.launch import Launch
from acp_nvim.client.questioning import withdraw
from acp_nvim.client.ready import Ready
from acp_nvim.client.registry import Registry, SubAgents, close_waiting, let_wait
from acp_nvim.client.session import Session
from acp_nvim.client.traffic import Traffic
from acp_nvim.editor import Files
from acp_nvim.errors import AgentError, ConnectionLost, NotLetIn, UserError
from acp_nvim.protocol.dialect import Dialect
from acp_nvim.protocol.mapped import mapped
from acp_nvim.protocol.negotiate import asked
from acp_nvim.protocol.records import AgentInfo, AuthStatus, StateTold
from acp_nvim.session.action import Action, CancelTurn, SetMode, SetOption, SubmitPrompt
from acp_nvim.session.event import (
    CancelRequested,
    InfoChanged,
    Noticed,
    NoticeOver,
    SessionClosed,
    SessionReopening,
    TurnEnded,
)
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

    def forgotten(self, client: Client, session: Session) -> None:
        """The agent does not know the session any more, which waits to be opened again."""


class Client:
    """One agent and its sessions; what needs its answer to `initialize` is in `ready`."""

    def __init__(
        self,
        launch: Launch,
        services: Services,
        *,
        open_link: Callable[[Launch], Awaitable[Link]],
        files: Files,
        traffic: Traffic,
        watcher: Watcher,
        clock: Callable[[], float],
    ) -> None:
        self.launch = launch
        self.traffic = traffic
        self.terminals = services.terminals
        self.outside = services.outside
        self.registry = Registry()
        self.sub_agents = SubAgents(launch, self.registry, self._told)
        self.registry.heard = self.sub_agents.heard
        self.state: ClientState = "starting"
        self.error: str | None = None
        self.link: Link | None = None
        self.ready: Ready | None = None
        """None as long as the agent has not answered; it stays when the agent is gone."""
        self.auth: AuthStatus | None = None
        """Whether the agent is logged in, if it tells."""
        self.left: tuple[Session, ...] = ()
        """The sessions that were open when the connection to a remote agent was lost."""
        self.waiting: tuple[Session, ...] = ()
        """Sessions that wait for a lost connection to come back; ending the client closes them."""
        self.pauses: Iterator[float] | None = None
        """Before further attempts to have it back; None once a session was opened again."""
        self.retrying = anyio.CancelScope()
        """Around what tries to have that connection back; ending the client ends it."""
        self.hopeless = False
        """The agent does not let us in: there is no use in asking again."""
        self._ended: Ended | None = None
        self._services = services
        self._open_link = open_link
        self._files = files
        self._watcher = watcher
        self._clock = clock
        self._begun = anyio.Event()
        """Set once sessions can be opened, or never can."""
        self._connecting = anyio.CancelScope()
        self._over = anyio.Event()
        self._ending = False

    @property
    def name(self) -> str:
        """The agent's name in the configuration."""
        return self.launch.name

    @property
    def info(self) -> AgentInfo | None:
        """What the agent told of itself; None before it did."""
        return None if self.ready is None else self.ready.agent.info

    @property
    def label(self) -> str:
        """The user's name for the agent, and once known its own with its version (C-048)."""
        if self.info is None or not self.info.label:
            return self.name
        own, version = self.info.label, self.info.version
        if own.casefold() == self.name.casefold():
            return f"{self.name} {version}".rstrip()
        return f"{self.name} ({f'{own} {version}'.rstrip()})"

    @property
    def exit(self) -> ExitStatus | None:
        """How its process ended; None as long as it runs, or if there was none."""
        return None if self._ended is None else self._ended.exit

    @property
    def forks(self) -> bool:
        """Whether the agent can begin a session that goes on from another one."""
        return self.info is not None and self.info.capabilities.fork and self._lives()

    async def run(self) -> None:
        """Start the agent and serve it until it is gone; never raises for what an agent does."""
        try:
            self._dialect: Dialect | None = asked(self.launch.protocol)
            while self._dialect is not None and not self._ending:
                with anyio.CancelScope() as self._connecting:
                    self.link = await self._open_link(self.launch)
                if self._connecting.cancelled_caught or self.link is None:
                    break
                await self._serve(self.link, self._dialect)
        except UserError as error:
            self.hopeless = isinstance(error, NotLetIn)
            self._gone("failed", str(error))
        except Exception as error:  # a fault of ours must not take the other agents along
            self._services.fault(error)
            self._gone("failed", f"{self.name} had to be ended: acp.nvim made a mistake")
        finally:
            self.traffic.close()
            self._over.set()
        self._watcher.disconnected(self)

    async def begun(self) -> bool:
        """Wait until sessions can be opened, or never can: False then."""
        await self._begun.wait()
        return self._lives()

    # --- sessions

    async def open(self, session: Session) -> None:
        """Open a new session; what goes wrong is said in the session, which is closed then."""
        await self._open(session, session.state.id)

    async def reopen(self, session: Session, session_id: str | None) -> None:
        """Open a session of an earlier process again: load, else resume, else anew."""
        session.apply(SessionReopening(session_id=session_id))
        await self._open(session, session_id)

    def submit(self, session: Session, prompt: Prompt, *, interrupt: bool = False) -> None:
        """Send or queue a prompt; raises `UserError` when that is not possible."""
        self._act(session, SubmitPrompt(prompt, self._clock(), interrupt))

    def cancel(self, session: Session) -> None:
        """Cancel the session's opening, its turn or a login; raises `UserError` if none is."""
        if self.ready is None or not self.ready.cancel(session):
            self._act(session, CancelTurn())

    async def set_mode(self, session: Session, mode: str) -> None:
        """Switch the session's mode; raises `UserError` if it is refused."""
        if self.ready is None:
            session.act(SetMode(mode))  # which is refused: no session is open yet
        else:
            await self.ready.settings.set_mode(session, mode)

    async def set_option(self, session: Session, option_id: str, value: str | bool) -> None:
        """Give a config option another value; raises `UserError` if it is refused."""
        if self.ready is None:
            session.act(SetOption(option_id, value))
        else:
            await self.ready.settings.set_option(session, option_id, value)

    async def fork(self, session: Session, source_id: str) -> None:
        """Open a session that goes on from another one; raises `UserError` if it cannot be.

        What was said there is not told again: it is for the caller to show it.
        """
        if self.ready is None or not self.forks:
            raise UserError(f"{self.name} cannot fork sessions")
        self.registry.add(session)
        try:
            await self.ready.opening.fork(session, source_id)
        except UserError as error:
            self._close(session, str(error))
            raise

    async def rename(self, session: Session, title: str) -> bool:
        """Give the session a title; False if only we know it. Raises `UserError`."""
        if self.ready is None or not self._lives() or session.state.parent:
            session.apply(InfoChanged(title=title))
            return False
        return await self.ready.settings.set_title(session, title)

    async def steer(self, session: Session, text: str) -> bool:
        """Put text into the running turn; False: the agent does not take it. `UserError`."""
        return self.ready is not None and await self.ready.turns.steer(session, text)

    async def close(self, session: Session) -> None:
        """Close one session, with the agent's help where it offers that (C-093, C-094).

        That of a sub-agent goes on as long as its agent's.
        """
        if session.state.parent:
            return
        if session.state.status == "running":
            self._act(session, CancelTurn())
        if self.ready is not None:
            self.ready.opening.abort(session)
            self.ready.login.forget(session)
        for each in (*self.sub_agents.below(session), session):
            self._close(each, None)
            self.registry.remove(each)
        if self.ready is not None and session.id is not None and self._lives():
            await self.ready.opening.close(session.id)

    def end(self, *, kill: bool = False, reopens: Sequence[Session] = ()) -> Awaitable[None]:
        """End the agent: close stdin, TERM, KILL, or KILL at once; its sessions are closed at once.

        Those of `reopens` wait from now on, and prompts in them: another client opens them again.
        The agent is gone when what is returned is awaited: nothing of it touches the sessions then.
        """
        self._ending = True
        self.retrying.cancel()
        self._connecting.cancel()
        close_waiting(self.waiting, None)
        self._gone("closed", None)
        self.waiting = let_wait(reopens)
        return self._end(kill=kill)

    async def _end(self, *, kill: bool) -> None:
        if self.link is not None and kill:
            self.link.kill()
        elif self.link is not None:
            await self.link.end(grace=GRACE)
        await self._over.wait()

    # --- from the start to the answer

    async def _serve(self, link: Link, dialect: Dialect) -> None:
        self._dialect = None
        launch, services = self.launch, self._services
        dialect = mapped(dialect, launch.paths, commands_there=launch.there is not None)
        if self._ending:
            link.kill()
        try:
            async with anyio.create_task_group() as tasks:
                fault, cancel_request = services.fault, dialect.cancel_request
                connection = Connection(link, self.traffic, fault, cancel_request)
                inbound = Inbound(
                    connection, tasks, dialect, launch, self.registry, services, self._told
                )
                tasks.start_soon(self.terminals.run)
                tasks.start_soon(self._tell_waiting)
                tasks.start_soon(link.watch, self._tell_life)
                tasks.start_soon(self._connect, link, connection, inbound, tasks)
                ended = await connection.run(inbound)
                if self._dialect is None:
                    self._ended = ended
                    self._lost(ended)
                tasks.cancel_scope.cancel()
        finally:
            link.kill()
            await link.end(grace=0)

    async def _connect(
        self, link: Link, connection: Connection, inbound: Inbound, tasks: TaskGroup
    ) -> None:
        dialect = inbound.dialect
        try:
            agent = await initialize(self.launch, connection, dialect, tasks, self._clock)
        except ConnectionLost:
            return  # `_lost` says how it ended
        except SpeaksOlder as error:
            self._dialect = error.dialect
            await link.end(grace=GRACE)
            return
        except (AgentError, UserError) as error:
            self._gone("failed", reasons.not_initialized(self.name, dialect, error))
            await link.end(grace=GRACE)
            return
        if self._ending:
            return
        self.ready = Ready.of(
            agent,
            self.registry,
            self._services,
            self._files,
            self._needs_login,
            partial(self._watcher.forgotten, self),
            inbound.offer_tools,
        )
        self.state = "ready"
        self._begun.set()
        self._watcher.connected(self)
        if (status := await self.ready.login.status()) is not None:
            self._told_login(status)

    async def _tell_waiting(self) -> None:
        await anyio.sleep(PATIENCE)
        if self.state == "starting":
            said = reasons.silent(self.name, PATIENCE)
            self.registry.apply(Noticed(said, "warning", "passing"))
            await self._begun.wait()
            self.registry.apply(NoticeOver(said))

    def _tell_life(self, silence: float | None) -> None:
        """Tell of a silence of the agent's machine, or that it is over."""
        said = reasons.life(self.name, silence)
        self.registry.apply(Noticed(said, "warning" if silence else "info"))

    # --- in both states

    def _act(self, session: Session, action: Action) -> None:
        """Do what the user wants; before the agent has answered that is at most to queue."""
        decided = session.act(action)
        if self.ready is not None:
            self.ready.turns.perform(session, decided)
        if any(isinstance(it, CancelRequested) for it in decided):
            for child in self.sub_agents.below(session):  # the agent waits for no answer any more
                withdraw(child, self._services.questions)

    async def _open(self, session: Session, session_id: str | None) -> None:
        self.registry.add(session)
        await self._begun.wait()
        ready, problem = self.ready if self._lives() else None, self.error
        if ready is not None:
            problem = await ready.opening.open(session, session_id)
        if session in self.waiting and not self._lives():
            return  # another client opens it
        if ready is None or problem is not None:
            self._close(session, problem)
        elif session.state.status == "idle":
            for child in self.sub_agents.opened(session):
                ready.turns.opened(child)
            await ready.begin(session, is_new=session_id is None)

    def _needs_login(self, said: str | None) -> None:
        if self._lives():
            self.state, self.error = "ready" if said is None else "needs_login", said

    def _told(self, told: AuthStatus | StateTold) -> None:
        """Take what the agent tells of itself, or of what it is at in a session."""
        if isinstance(told, AuthStatus):
            self._told_login(told)
            return
        session = self.registry.find(told.session_id)
        if session is not None and self.ready is not None:
            self.ready.turns.told(session, told)

    def _told_login(self, status: AuthStatus) -> None:
        """Take what the agent tells of its login by itself: so nothing has to be refused first."""
        self.auth = status
        if self.ready is not None and status.state == "unauthenticated":
            self.ready.login.wanted()
        elif status.state in ("authenticated", "not_required"):
            self._needs_login(None)

    def _lives(self) -> bool:
        return self.state in ("ready", "needs_login")

    # --- the end

    def _lost(self, ended: Ended) -> None:
        begun = self.state != "starting"
        self.hopeless = isinstance(ended.problem, NotLetIn)
        if self.launch.remote is not None and begun and self._lives() and not self.hopeless:
            self.left = tuple(it for it in self.registry if not it.state.parent)
        said = reasons.gone(self.launch, ended, self.traffic.stderr, begun=begun)
        self._gone("closed" if begun else "failed", said)
        self.waiting = let_wait(self.left) or self.waiting

    def _gone(self, state: ClientState, error: str | None) -> None:
        """Close what there is, once: who ended it first knows why."""
        if self.state in ("failed", "closed"):
            return
        error = error and self.traffic.redaction.values(error)  # servers say what they were sent
        self.state, self.error = state, error
        for session in self.registry:
            self._close(session, error)
        self._begun.set()

    def _close(self, session: Session, reason: str | None) -> None:
        """Close a session that can go on no more; one that is closed stays as it is."""
        if session.state.status in ("running", "cancelling"):
            session.apply(TurnEnded(self._clock(), cut_off=not self._ending))
        withdraw(session, self._services.questions)
        if session.id is not None:
            self.terminals.close(session.id)
        if session.state.status != "closed":
            session.apply(SessionClosed(reason))
