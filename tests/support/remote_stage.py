"""A stage whose agent is reached by an address, as the program reaches it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio

from acp_nvim.client.launch import Launch, Remote
from acp_nvim.transport.link import Link
from acp_nvim.workspace.launching import start
from tests.support.agents.socket_wire import SocketWire
from tests.support.stage import PROJECT, Stage

SECONDS = 110
"""In which what is waited for must come."""


class RemoteStage(Stage):
    """Connects by the program's own `start`."""

    def __init__(
        self, url: str, cwd: Path | str = PROJECT, headers: Any = None, **launch: Any
    ) -> None:
        async def given() -> dict[str, str]:
            return dict(headers or {})

        remote = Remote(url, given)
        super().__init__(cwd, **{"remote": remote, **launch})
        self.opened: Link | None = None

    async def until(self, predicate: Callable[[], Any]) -> None:
        """Wait as `Stage` does, but longer: a real server has much to do."""
        with anyio.fail_after(SECONDS):
            while not predicate():
                await self._changed.wait()

    async def _spawn(self, launch: Launch) -> Link:
        self.opened = await start(launch, self._on_group)
        return self.opened


class SocketStage(RemoteStage):
    """The agent that it scripts is at the other end of a WebSocket."""

    def __init__(self, wire: SocketWire, **options: Any) -> None:
        super().__init__(wire.url, **options)
        self.agent.link = wire  # type: ignore[assignment]
