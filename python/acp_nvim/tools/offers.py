"""Which session is offered the tools of the editor, and where its relay finds us.

A folder for the user alone, a socket in it, a token for each session: nothing listens on a network.
All that serves is loaded when an agent says its first word; until then this costs a socket.
"""

from __future__ import annotations

import errno
import os
import shutil
import socket
import struct
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from hmac import compare_digest
from typing import Any, Final

import anyio

from acp_nvim.client.launch import EDITOR, Caller, EditorTools, Notify
from acp_nvim.client.session import Session
from acp_nvim.config import McpServer, NamedValue
from acp_nvim.errors import Code, RequestFailed
from acp_nvim.session.request import McpMessage, McpOutcome
from acp_nvim.tools import connection, server
from acp_nvim.tools.offered import Answers, Names, Offered
from acp_nvim.tools.tool import Parts

RELAY: Final = os.path.join(os.path.dirname(__file__), "relay.py")
PREFIX: Final = "acp.nvim-tools-"
LONGEST: Final = 100
"""Bytes of a socket's path: systems take 104 or 108."""
AGAIN: Final = 0.2
"""Seconds after which somebody is let in where the process had no descriptor left."""
_NO_DESCRIPTOR: Final = (errno.EMFILE, errno.ENFILE)
MOST_RELAYS: Final = 4
"""Relays of one session that are connected at a time: some agents start two."""


class Offers:
    """Knows the sessions of all agents that are offered tools."""

    def __init__(
        self,
        parts: Parts,
        start_soon: Callable[..., None],
        fault: Callable[[BaseException], None],
        secret: Callable[[Iterable[str]], None],
        run_folder: Callable[[], str],
    ) -> None:
        """Take who runs tasks, is told of faults of ours, and of what is to be in no log; and the
        folder for sockets, which is configured late."""
        self._parts = parts
        self._start_soon = start_soon
        self._fault = fault
        self._secret = secret
        self._offered: dict[Session, Offered] = {}
        self._count = 0
        self._socket: socket.socket | None = None
        self._strangers: connection.Strangers = {}
        self.folder = ""
        """That of the socket; "" without one."""
        self._run_folder = run_folder

    # --- what clients want

    def of_agent(self, names: Names) -> EditorTools | None:
        """Return what offers an agent the tools of these names: all, none, or some."""
        if not names:
            return None
        return EditorTools(
            lambda caller: self.offer(caller, names).id,
            partial(self.relay, names=names),
            self.answer,
        )

    def relay(self, caller: Caller, names: Names) -> McpServer | None:
        """Offer the tools to a session by a relay; None: there is no place for a socket."""
        try:
            path = self._listen()
        except OSError as error:
            self._fault(error)
            return None
        offered = self.offer(caller, names)
        env = {"ACP_TOOLS_SOCKET": path, "ACP_TOOLS_TOKEN": offered.token}
        return McpServer(
            name=EDITOR,
            command=sys.executable,
            args=("-I", "-S", RELAY),
            env=tuple(NamedValue(name=key, value=it) for key, it in env.items()),
        )

    async def answer(self, message: McpMessage, notify: Notify) -> McpOutcome:
        """Answer a request that came over ACP. Raises `RequestFailed` without such a server."""
        offered = next((it for it in self._offered.values() if it.id == message.server_id), None)
        if offered is None:
            raise RequestFailed(Code.RESOURCE_NOT_FOUND, f"no server {message.server_id!r} here")
        try:
            result = await _server(offered).answer(message.method, message.params, notify)
        except RequestFailed as error:
            told = {"code": int(error.code), "message": error.message}
            return McpOutcome(error=told if error.data is None else {**told, "data": error.data})
        return McpOutcome(result)

    def offer(self, caller: Caller, names: Names) -> Offered:
        """Offer the tools to a session, in place of what it was offered before."""
        older = self._offered.get(caller.session)
        self.close(caller.session)
        self._count += 1
        token = os.urandom(24).hex()
        self._secret([token])
        offered = Offered(f"{EDITOR}-{self._count}", token, caller, names, self._parts, self._fault)
        if older is not None:
            offered.on, offered.counts = older.on, older.counts
        self._offered[caller.session] = offered
        return offered

    # --- what the user wants, and what becomes of sessions

    def of(self, session: Session) -> Offered | None:
        """Return what that session is offered; None: nothing."""
        return self._offered.get(session)

    def switch(self, session: Session, *, on: bool) -> None:
        """Let the agent of a session call tools, or no longer."""
        offered = self._offered.get(session)
        if offered is not None and offered.on != on:
            offered.on = on
            _tell_changed([offered])

    def changed(self) -> None:
        """The user's own tools are others now."""
        _tell_changed(self._offered.values())

    def close(self, session: Session) -> None:
        """The session is over, and its tools with it."""
        offered = self._offered.pop(session, None)
        for relay in offered.relays if offered is not None else ():
            relay.scope.cancel()

    def end(self) -> None:
        """The host ends: nothing of the socket is left."""
        if self._socket is not None:
            anyio.notify_closing(self._socket)
            self._socket.close()
            self._socket = None
            shutil.rmtree(self.folder, ignore_errors=True)

    # --- the socket

    def _listen(self) -> str:
        """Return the path of the socket, which is made now if there is none. Raises `OSError`."""
        path = os.path.join(self.folder, "socket")
        if self._socket is not None and os.path.exists(path):
            return path
        if self._socket is not None:  # somebody has cleaned up there
            anyio.notify_closing(self._socket)
            self._socket.close()
        self.folder = _make_folder(self._run_folder())
        path = os.path.join(self.folder, "socket")
        listening = socket.socket(socket.AF_UNIX)
        listening.setblocking(False)
        listening.bind(path)
        listening.listen()
        self._socket = listening
        self._start_soon(self._accept, listening)
        return path

    async def _accept(self, listening: socket.socket) -> None:
        with suppress(anyio.ClosedResourceError, OSError):  # it is closed at the end of the host
            while listening.fileno() >= 0:
                await anyio.wait_readable(listening)
                try:
                    connected, _ = listening.accept()
                except OSError as error:
                    if error.errno in _NO_DESCRIPTOR:
                        await anyio.sleep(AGAIN)
                    continue
                connected.setblocking(False)
                self._start_soon(self._welcome, connected)

    async def _welcome(self, connected: socket.socket) -> None:
        if not _is_own(connected):
            connected.close()
            return
        await connection.serve(connected, self._entitled, self._strangers)

    def _entitled(self, token: bytes) -> Offered | None:
        """Return the session that a relay with that token speaks for; None: none."""
        for offered in self._offered.values():
            if compare_digest(offered.token.encode(), token):
                _server(offered)
                return offered if len(offered.relays) < MOST_RELAYS else None
        return None


def _server(offered: Offered) -> Answers:
    """Return what answers for a session, made now if nobody has asked before."""
    if offered.server is None:
        offered.server = server.Server(offered)
    return offered.server


def _tell_changed(offers: Iterable[Offered]) -> None:
    nothing: Mapping[str, Any] = {}
    for offered in offers:
        for relay in offered.relays:
            relay.notify("notifications/tools/list_changed", nothing)


def _make_folder(preferred: str) -> str:
    """Return a new folder for the user alone, short enough for a socket; raises `OSError`."""
    for folder in (preferred, tempfile.gettempdir()):
        _sweep(folder)
        if len(os.fsencode(folder)) + len(PREFIX) + 24 < LONGEST:
            with suppress(OSError):
                return tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=folder)
    return tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir="/tmp")


def _sweep(folder: str) -> None:
    """Remove what hosts have left there that were killed."""
    with suppress(OSError):
        for entry in os.scandir(folder):
            pid = entry.name.removeprefix(PREFIX).partition("-")[0]
            is_ours = entry.name.startswith(PREFIX) and pid.isdecimal()
            if is_ours and not os.path.exists(f"/proc/{pid}") and os.path.isdir("/proc/self"):
                shutil.rmtree(entry.path, ignore_errors=True)


def _is_own(connected: socket.socket) -> bool:
    """Return whether the other side is of our user, where the system tells that."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack(
        "3i", connected.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size)
    )
    return bool(user == os.getuid())
