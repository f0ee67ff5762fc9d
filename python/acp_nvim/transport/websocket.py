"""Messages over a WebSocket: a text frame is one (remote transports of ACP, WebSocket).

Loaded only when an agent is remote. What is not yet asked for waits at the sender: 16 frames at
most are here. Made by `launching`, used by `client` as a `Link`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    InvalidHandshake,
    InvalidProxyStatus,
    InvalidStatus,
    InvalidURI,
)
from websockets.frames import CloseCode
from websockets.typing import Subprotocol

import acp_nvim
from acp_nvim.errors import ConnectionLost, UserError
from acp_nvim.transport.address import PATIENCE, Address, trust
from acp_nvim.transport.link import MOST, Ended, Incoming, Life, incoming

PING = 25.0
"""Seconds between two pings, which keep proxies awake and find a connection that is dead."""
PONG = 60.0
"""Seconds in which a ping must be answered; it may wait behind much that we have not read."""

_HOW: Mapping[int, str] = {
    CloseCode.NORMAL_CLOSURE: "it was closed",
    CloseCode.GOING_AWAY: "the server stops",
    CloseCode.PROTOCOL_ERROR: "the server says that the protocol was broken",
    CloseCode.INVALID_DATA: "what came was no text",
    CloseCode.POLICY_VIOLATION: "the server refuses",
    CloseCode.MESSAGE_TOO_BIG: f"a message was larger than {MOST // 1024 // 1024} MB",
    CloseCode.INTERNAL_ERROR: "the server has failed, or did not answer any more",
    CloseCode.SERVICE_RESTART: "the server starts anew",
    CloseCode.TRY_AGAIN_LATER: "the server has too much to do",
}
_NOT_LET_IN = (3000, 3003, 4401, 4403)
"""Codes of their own with which servers say 401 and 403."""
_SPOKEN = "sec-websocket-protocol"


async def open_websocket(address: Address) -> WebSocket:
    """Connect; raises `UserError`."""
    secure: dict[str, Any] = (
        {"proxy_ssl": trust()} if address.proxy and address.proxy.is_secure else {}
    )
    headers, spoken = _parted(address.headers)
    try:
        socket = await _Connect(
            address.url,
            additional_headers=headers,
            subprotocols=spoken,
            user_agent_header=f"acp.nvim/{acp_nvim.__version__}",
            compression=None,
            open_timeout=PATIENCE,
            ping_interval=PING,
            ping_timeout=PONG,
            max_size=MOST,
            ssl=trust() if address.url.startswith("wss:") else None,
            proxy=None if address.proxy is None else address.proxy.url,
            **secure,
        )
    except InvalidProxyStatus as error:
        assert address.proxy is not None
        raise address.blocked(address.proxy, error.response.status_code) from error
    except InvalidStatus as error:
        told = {name.lower(): value for name, value in error.response.headers.raw_items()}
        raise address.refused(error.response.status_code, told) from error
    except InvalidURI as error:
        raise UserError(
            f"{address.agent}: {address.shown} is not an address: check its url"
        ) from error
    except (OSError, EOFError, InvalidHandshake) as error:
        raise address.unreachable(error) from error
    return WebSocket(socket, address)


def _parted(headers: Mapping[str, str]) -> tuple[dict[str, str], list[Subprotocol] | None]:
    """Return the headers, and the subprotocols among them, of which the library must know."""
    others = {name: it for name, it in headers.items() if name.lower() != _SPOKEN}
    given = ",".join(it for name, it in headers.items() if name.lower() == _SPOKEN)
    return others, [Subprotocol(it.strip()) for it in given.split(",") if it.strip()] or None


class _Connect(connect):
    """Follows no redirect: the headers are secrets, and meant for one address."""

    def process_redirect(self, exc: Exception) -> Exception:
        return exc


class WebSocket:
    """A connection as a `Link`; made by `open_websocket`."""

    pid = None

    def __init__(self, socket: ClientConnection, address: Address) -> None:
        self._socket = socket
        self._address = address

    async def receive(self) -> Incoming | None:
        """Return what the next text frame holds; others mean nothing."""
        try:
            while not isinstance(frame := await self._socket.recv(), str):
                pass
        except ConnectionClosed:
            return None
        return await incoming(frame)

    async def diagnostics(self) -> bytes:
        """Return nothing: there is no such thing."""
        return b""

    async def run(self) -> None:
        """Do nothing besides: the library has tasks of its own."""

    async def watch(self, tell: Life) -> None:
        """Do nothing: a ping without an answer ends the connection."""

    async def send(self, line: bytes) -> None:
        """Send a message, when there is room."""
        try:
            await self._socket.send(line.rstrip(b"\n"), text=True)
        except ConnectionClosed as error:
            raise ConnectionLost("the connection is lost") from error

    async def wait(self) -> Ended:
        """Return how the connection ended."""
        await self._socket.wait_closed()
        protocol = self._socket.protocol
        told = protocol.close_rcvd or protocol.close_sent
        if told is None:
            return Ended("it broke off")
        how = _HOW.get(told.code, f"code {told.code}")
        if told.reason and protocol.close_rcvd is not None:
            how = f"{how}: {' '.join(told.reason.split())}"
        problem = self._address.thrown_out(how) if told.code in _NOT_LET_IN else None
        return Ended(how, problem=problem)

    async def end(self, *, grace: float) -> None:
        """Close it, and after `grace` seconds at the latest cut it off; cannot be cancelled."""
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(grace):
                await self._socket.close()
            self.kill()
            await self._socket.wait_closed()

    def kill(self) -> None:
        """Cut it off."""
        self._socket.transport.abort()
