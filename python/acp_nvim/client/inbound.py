"""What the agent sends: updates go into their session, requests get a task and one answer.

Called by the reader, in wire order; nothing here waits before the session knows of it (C-021).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import anyio
from anyio.abc import TaskGroup

from acp_nvim.client.connection import Connection, Faults
from acp_nvim.client.launch import Launch
from acp_nvim.client.registry import Registry
from acp_nvim.client.session import Session
from acp_nvim.client.traffic import Traffic
from acp_nvim.errors import AcpError, AskFailed, Code
from acp_nvim.protocol.dialect import Dialect
from acp_nvim.services.files import FileService
from acp_nvim.services.permission import Permissions
from acp_nvim.services.roots import Roots
from acp_nvim.session.ask import (
    Answer,
    Ask,
    PermissionAnswer,
    PermissionAsk,
    ReadFileAsk,
    WriteFileAsk,
)
from acp_nvim.session.event import AskClosed, AskOpened
from acp_nvim.session.noun import PendingAsk
from acp_nvim.wire.message import Request
from acp_nvim.wire.peer import id_key

_Opened: TypeAlias = tuple[Session, PendingAsk]
"""A question to the user, and the session that it is shown in."""


@dataclass(frozen=True, slots=True)
class Services:
    """What answers the asks of one agent; the permissions are those of all."""

    files: FileService
    permissions: Permissions
    fault: Faults


class Inbound:
    """Serves one connection: implements `connection.Receiver`."""

    def __init__(
        self, launch: Launch, dialect: Dialect, registry: Registry, services: Services
    ) -> None:
        self._launch = launch
        self._dialect = dialect
        self._registry = registry
        self._services = services
        self._scopes: dict[str, anyio.CancelScope] = {}

    def attach(self, connection: Connection, tasks: TaskGroup, traffic: Traffic) -> None:
        """Say where answers go, where requests run, and where what is odd is logged."""
        self._connection = connection
        self._tasks = tasks
        self._traffic = traffic

    def notified(self, method: str, params: object) -> None:
        """Take a notification; an unknown one is ignored silently (C-017)."""
        if method == "session/update":
            session_id, events = self._dialect.decode_update(params)
            if not self._registry.deliver(session_id, events):
                self._traffic.record("host", f"update for unknown session {session_id!r} dropped")
        elif method == "$/cancel_request":
            scope = self._scopes.get(id_key(self._dialect.decode_cancel_request(params)))
            if scope is not None:
                scope.cancel()

    def requested(self, request: Request) -> None:
        """Take a request: the session learns of it at once, the answer comes from a task."""
        try:
            ask = self._dialect.decode_ask(
                request.method, request.params, self._launch.capabilities
            )
            opened = self._open(ask) if isinstance(ask, PermissionAsk) else None
        except AskFailed as error:
            self._connection.fail(request.id, error.code, error.message, error.data)
            return
        # Made here, so that a `$/cancel_request` in the same read finds it.
        scope = self._scopes[id_key(request.id)] = anyio.CancelScope()
        self._tasks.start_soon(self._serve, request, ask, opened, scope)

    def _open(self, ask: PermissionAsk) -> _Opened | None:
        """Put the question to the user; None when it must wait for its session to be opened."""
        session = self._registry.find(ask.session_id)
        if session is None:
            return None
        session.apply(ask.tool_call)
        pending = self._services.permissions.open(ask.tool_call.id, ask.options)
        if session.state.status == "cancelling":
            self._services.permissions.cancel(pending.id)
        else:
            session.apply(AskOpened(pending))
        return session, pending

    async def _serve(
        self, request: Request, ask: Ask, opened: _Opened | None, scope: anyio.CancelScope
    ) -> None:
        try:
            with scope:
                answer = await self._answer(ask, opened)
                self._connection.respond(request.id, self._dialect.encode_answer(answer))
        except AskFailed as error:
            self._connection.fail(request.id, error.code, error.message, error.data)
        except AcpError as error:
            self._connection.fail(request.id, Code.INTERNAL_ERROR, str(error))
        except Exception as error:  # a fault of ours must not hang the agent, nor end the others
            self._services.fault(error)
            self._connection.fail(request.id, Code.INTERNAL_ERROR, "internal error of the client")
        finally:
            if self._scopes.get(id_key(request.id)) is scope:
                del self._scopes[id_key(request.id)]
        if scope.cancelled_caught:
            self._connection.fail(request.id, Code.REQUEST_CANCELLED, "cancelled")

    async def _answer(self, ask: Ask, opened: _Opened | None) -> Answer:
        match ask:
            case PermissionAsk():
                return await self._permission(ask, opened)
            case ReadFileAsk():
                empty = "empty_for_missing_file" in self._launch.quirks
                roots = self._roots(ask.session_id)
                return await self._services.files.read(ask, roots, empty_for_missing=empty)
            case WriteFileAsk():
                return await self._services.files.write(ask, self._roots(ask.session_id))

    async def _permission(self, ask: PermissionAsk, opened: _Opened | None) -> Answer:
        if opened is None:
            await self._registry.opened()
            opened = self._open(ask)
        if opened is None:
            raise _unknown(ask.session_id)
        session, pending = opened
        option_id = None
        try:
            option_id = await self._services.permissions.wait(pending)
        finally:
            session.apply(AskClosed(pending.id, option_id))
        return PermissionAnswer(option_id)

    def _roots(self, session_id: str) -> Roots:
        session = self._registry.find(session_id) or self._registry.opening
        if session is None:
            raise _unknown(session_id)
        return Roots(session.state.cwd, self._launch.additional_directories)


def _unknown(session_id: str) -> AskFailed:
    return AskFailed(
        Code.RESOURCE_NOT_FOUND, f"no session {session_id!r} here", {"sessionId": session_id}
    )
