"""What the agent sends: updates go into their session, requests get a task and one answer.

Called by the reader, in wire order; nothing here waits before the session knows of it (C-021).
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import Any

import anyio
from anyio.abc import TaskGroup
from msgspec import Struct
from msgspec.structs import replace

from acp_nvim.client import questioning, quirks, reasons
from acp_nvim.client.connection import Connection, Faults
from acp_nvim.client.launch import Caller, EditorTools, Launch, offer
from acp_nvim.client.questioning import Opened, Questioning, unknown
from acp_nvim.client.registry import Registry
from acp_nvim.client.session import Session
from acp_nvim.config import Defaults
from acp_nvim.errors import AcpError, Code, OutsideRoots, RequestFailed
from acp_nvim.files.guard import Guard
from acp_nvim.files.roots import Roots, resolved
from acp_nvim.files.service import FileService
from acp_nvim.prompt.mentions import Mentions
from acp_nvim.protocol.dialect import Dialect
from acp_nvim.protocol.records import (
    AgentNotification,
    AuthStatus,
    ElicitationCompleted,
    RequestCancelled,
    Server,
    SessionUpdated,
    StateTold,
)
from acp_nvim.questions.questions import ALLOW, OwnRequest, Questions
from acp_nvim.review.notes import PromptNotes
from acp_nvim.session.content import Diff
from acp_nvim.session.event import Event, Noticed
from acp_nvim.session.model import Subject
from acp_nvim.session.request import (
    AgentRequest,
    Answer,
    CreateTerminalRequest,
    ElicitationAnswer,
    ElicitationRequest,
    FileAnswer,
    FileRead,
    FileRequest,
    FileWritten,
    KillTerminalRequest,
    McpMessage,
    McpOutcome,
    PermissionAnswer,
    PermissionRequest,
    ReadFileRequest,
    ReleaseTerminalRequest,
    TerminalOutputRequest,
    TerminalRequest,
    WaitForTerminalRequest,
    WriteFileRequest,
)
from acp_nvim.terminals.service import Terminals
from acp_nvim.wire.message import Notification, Request
from acp_nvim.wire.peer import id_key

MOST_OPEN = 1_000
"""Requests of one agent that wait for an answer."""
MOST_HELD = 64 * 1024 * 1024
"""Characters of all that these hold: texts to be written, what is asked."""


class Services(Struct, frozen=True):
    """What answers the requests of one agent; the questions to the user are those of all."""

    files: FileService
    questions: Questions
    fault: Faults
    outside: Session
    """Shows what the agent asks where no session does."""
    terminals: Terminals
    mentions: Mentions
    """Asks nothing of the agent: finds what prompts speak of."""
    lessons: PromptNotes
    """Asks nothing either: knows what goes along with prompts."""
    prepare: Callable[[Roots], Awaitable[None]]
    """Done before a turn's prompt is sent: what was in the files then is not the turn's doing."""
    defaults: Callable[[], Defaults] = Defaults
    """What a new session is set to."""
    tools: EditorTools | None = None
    """Serves the tools of the editor, if the agent may call any."""


class Inbound:
    """Serves one connection: implements `connection.Receiver`."""

    def __init__(
        self,
        connection: Connection,
        tasks: TaskGroup,
        dialect: Dialect,
        launch: Launch,
        registry: Registry,
        services: Services,
        told: Callable[[AuthStatus | StateTold], None],
    ) -> None:
        """Take where answers go, where requests run, and what is spoken."""
        self.dialect = dialect
        self._connection = connection
        self._tasks = tasks
        self._launch = launch
        self._capabilities = launch.capabilities
        self._registry = registry
        self._services = services
        self._told = told
        self._questioning = Questioning(registry, services.questions, services.outside)
        self._scopes: dict[str, anyio.CancelScope] = {}
        self._held = 0
        """Characters of the requests that wait for an answer."""
        self._reading = anyio.Lock()

    def hear(self, line: bytes | str) -> bool:
        """See `Receiver`."""
        told = self.dialect.read_update(line)
        if told is None:
            return False
        events = quirks.heard(told.events, self._launch.quirks)
        self._updated(told.session_id, events, len(line))
        return True

    def understand(self, message: Notification | Request, size: int) -> Callable[[], None]:
        """See `Receiver`; an unknown notification is ignored silently (C-017)."""
        if isinstance(message, Request):
            return partial(self._requested, message, self._asked(message), size)
        told = self.dialect.decode_notification(message.method, message.params)
        if isinstance(told, SessionUpdated):
            events = quirks.heard(told.events, self._launch.quirks)
            return partial(self._updated, told.session_id, events, size)
        return partial(self._notified, told)

    def skipped(self) -> None:
        """See `Receiver`: each session that waits for the agent is told."""
        waiting = [it for it in self._registry if it.state.status in ("running", "loading")]
        for session in waiting:
            session.apply(Noticed(reasons.skipped(self._launch.name), "warning"))

    def disturbed(self) -> None:
        """See `Receiver`."""
        self._registry.apply(Noticed(reasons.disturbed(self._launch.name), "warning"))

    def _asked(self, request: Request) -> AgentRequest | RequestFailed:
        try:
            return self.dialect.decode_request(request.method, request.params, self._capabilities)
        except RequestFailed as error:
            return _bare(error)

    def _updated(self, session_id: str, events: tuple[Event, ...], size: int) -> None:
        if dropped := self._registry.deliver(session_id, events, size):
            self._connection.note(dropped[:1_000])

    def _notified(self, told: AgentNotification | None) -> None:
        match told:
            case ElicitationCompleted(elicitation_id):
                self._questioning.complete(elicitation_id)
            case AuthStatus() | StateTold() as told:
                self._told(told)
            case RequestCancelled(request_id):
                scope = self._scopes.get(id_key(request_id))
                if scope is not None:
                    scope.cancel()

    def _requested(self, request: Request, ask: AgentRequest | RequestFailed, size: int) -> None:
        """Take a request: the session learns of it at once, the answer comes from a task.

        One that has the id of another open one is refused: the answers could not be told apart.
        """
        if id_key(request.id) in self._scopes:
            said = f"a request with the id {request.id!r} is open already"
            self._connection.refuse(request.id, Code.INVALID_REQUEST, said)
            return
        if full := self._full(size):
            self._connection.fail(request.id, Code.INTERNAL_ERROR, full)
            return
        opened = self._opened(ask)
        if isinstance(opened, RequestFailed):
            self._connection.fail(request.id, opened.code, opened.message, opened.data)
            return
        # Made here, so that a `RequestCancelled` in the same read finds it.
        scope = self._scopes[id_key(request.id)] = anyio.CancelScope()
        assert not isinstance(ask, RequestFailed)  # `_opened` has returned it
        self._held += size
        self._tasks.start_soon(self._serve_within, request, ask, opened, scope, size)

    def _full(self, size: int) -> str:
        """Return why no request of that size is taken; "" if it is."""
        if len(self._scopes) >= MOST_OPEN:
            return f"{MOST_OPEN:,} requests are open already: wait for an answer first"
        if self._held and self._held + size > MOST_HELD:
            return f"open requests hold {self._held:,} characters: wait for an answer first"
        return ""

    def _opened(self, ask: AgentRequest | RequestFailed) -> Opened | RequestFailed | None:
        """Return the question that it puts to the user, if it does, or why it cannot be met."""
        if isinstance(ask, RequestFailed):
            return ask
        if not isinstance(ask, PermissionRequest | ElicitationRequest):
            return None
        try:
            return self._questioning.open(ask)
        except RequestFailed as error:
            return _bare(error)

    async def _serve_within(
        self,
        request: Request,
        ask: AgentRequest,
        opened: Opened | None,
        scope: anyio.CancelScope,
        size: int,
    ) -> None:
        try:
            await self._serve(request, ask, opened, scope)
        finally:
            self._held -= size

    async def _serve(
        self, request: Request, ask: AgentRequest, opened: Opened | None, scope: anyio.CancelScope
    ) -> None:
        try:
            with scope:
                answer = await self._answer(ask, opened)
                result = self.dialect.encode_answer(answer)
                private = isinstance(answer, ElicitationAnswer) and answer.content is not None
                if isinstance(answer, FileRead):
                    size = len(answer.content)
                    await self._connection.respond_long(request.id, result, size)
                    return
                chosen = _is_chosen(answer)
                self._connection.respond(request.id, result, by_user=chosen, private=private)
        except RequestFailed as error:
            self._fail(request, error)
        except AcpError as error:
            self._fail(request, RequestFailed(Code.INTERNAL_ERROR, str(error)))
        except Exception as error:  # a fault of ours must not hang the agent, nor end the others
            self._services.fault(error)
            self._connection.fail(request.id, Code.INTERNAL_ERROR, "internal error of the client")
        finally:
            if self._scopes.get(id_key(request.id)) is scope:
                del self._scopes[id_key(request.id)]
        if scope.cancelled_caught:
            self._connection.fail(request.id, Code.REQUEST_CANCELLED, "cancelled")

    def _fail(self, request: Request, error: RequestFailed) -> None:
        told = self.dialect.encode_failure(error)
        self._connection.fail(request.id, told.code, told.message, told.data)

    async def _answer(self, ask: AgentRequest, opened: Opened | None) -> Answer:
        match ask:
            case PermissionRequest() | ElicitationRequest():
                return await self._questioning.answer(ask, opened)
            case ReadFileRequest() | WriteFileRequest():
                return await self._serve_file(ask)
            case McpMessage():
                return await self._answer_tool(ask)
            case (
                CreateTerminalRequest()
                | TerminalOutputRequest()
                | WaitForTerminalRequest()
                | KillTerminalRequest()
                | ReleaseTerminalRequest()
            ):
                if isinstance(ask, TerminalOutputRequest):
                    await self._connection.room()
                return await self._serve_terminal(ask)

    async def _serve_terminal(self, ask: TerminalRequest) -> Answer:
        """Run a command, unless the user has cancelled; one that runs is the agent's to end."""
        session = self._session(ask.session_id)
        with session.wanted() if isinstance(ask, CreateTerminalRequest) else nullcontext():
            ask = self._placed(ask, session.state.cwd)
            cwd = self._folder(ask, session.state.cwd)
            return await self._services.terminals.answer(ask, cwd, session.apply)

    @asynccontextmanager
    async def _room(self) -> AsyncIterator[None]:
        """Wait until a text can be served: one after the other, when those before it are read."""
        async with self._reading:
            await self._connection.room()
            yield

    async def _serve_file(self, ask: FileRequest) -> FileAnswer:
        """Read or write a file, as `fs/*` and the tools of the editor want it."""
        with self._session(ask.session_id).wanted():
            roots = self._roots(ask.session_id)
            if isinstance(ask, WriteFileRequest):
                return await self._write(ask, roots)
            empty = "empty_for_missing_file" in self._launch.quirks
            return await self._services.files.read(ask, roots, self._room, empty_for_missing=empty)

    async def _write(self, ask: WriteFileRequest, roots: Roots) -> FileWritten:
        """Write, if need be after the user has seen it: their own tools would obey that file."""
        guard = Guard(self._launch.guard, partial(self._may_write, ask.session_id))
        return await self._services.files.write(ask, roots, guard)

    async def _may_write(self, session_id: str, change: Diff) -> bool:
        about = Subject(f"Write {change.path}? Tools of yours may run what it says", (change,))
        return await self._allowed(self._session(session_id), about)

    async def _allowed(self, session: Session, about: Subject) -> bool:
        """Ask the user, of our own accord, whether that may be done."""
        questions = self._services.questions
        return await questioning.ask(session, questions, OwnRequest(about)) == ALLOW

    def offer_tools(self, session: Session, taken: frozenset[str]) -> Server | None:
        """Return the MCP server with the tools of the editor for a session that is opened, if the
        agent, which takes these kinds of servers, is to have them."""
        caller = Caller(
            session,
            self._launch,
            partial(session.roots, self._launch.folders, self._launch.paths),
            self._serve_file,
            partial(self._allowed, session),
        )
        return offer(self._services.tools, caller, taken)

    async def _answer_tool(self, ask: McpMessage) -> McpOutcome:
        def notify(method: str, params: Mapping[str, Any]) -> None:
            self._connection.notify(*self.dialect.mcp_notification(ask, method, params))

        if self._services.tools is None:
            said = "this client offers no MCP server over ACP"
            raise RequestFailed(Code.METHOD_NOT_FOUND, said)
        return await self._services.tools.answer(ask, notify)

    def _roots(self, session_id: str) -> Roots:
        return self._session(session_id).roots(self._launch.folders, self._launch.paths)

    def _placed(self, ask: TerminalRequest, cwd: str) -> TerminalRequest:
        """Return it with the folder of the session, if it says none and runs where the agent is."""
        if self._launch.there is None or not isinstance(ask, CreateTerminalRequest):
            return ask
        return replace(ask, cwd=ask.cwd or self._launch.paths.there(cwd) or "/")

    def _folder(self, ask: TerminalRequest, cwd: str) -> str:
        """Return the resolved folder where a command is to run; other requests need none.

        Raises `RequestFailed` where a remote agent would run it outside of the roots.
        """
        if self._launch.there is not None:
            return self._launch.cwd
        if not isinstance(ask, CreateTerminalRequest):
            return cwd
        if ask.cwd is None:
            return os.path.realpath(cwd)
        try:
            if self._launch.remote is None:
                return resolved(ask.cwd)
            return self._roots(ask.session_id).resolve(ask.cwd)
        except OutsideRoots as error:
            raise RequestFailed(Code.INVALID_PARAMS, f"terminal/create: {error}") from error

    def _session(self, session_id: str) -> Session:
        """Return the session of that id, or the one being opened, whose id is not known yet."""
        session = self._registry.find(session_id) or self._registry.opening
        if session is None:
            raise unknown(session_id)
        return session


def _bare(error: RequestFailed) -> RequestFailed:
    """Return the error without a traceback: its frames hold the error itself, and nothing searches
    for such circles as long as a flood of them goes on."""
    error.__context__ = error.__cause__ = None
    return error.with_traceback(None)


def _is_chosen(answer: Answer) -> bool:
    """Tell whether the user has given that answer: no flood of requests makes such ones."""
    match answer:
        case PermissionAnswer(option_id):
            return option_id is not None
        case ElicitationAnswer(action):
            return action != "cancel"
        case _:
            return False
