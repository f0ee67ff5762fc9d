"""What the agent of one session is offered, and who is connected for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

import anyio
from msgspec import Struct, field

from acp_nvim.client.launch import Caller, Notify
from acp_nvim.tools.tool import Parts

Names: TypeAlias = bool | tuple[str, ...]
"""Which tools: all, none, or those of these names."""


class Answers(Protocol):
    """Answers the requests of one session: `server.Server`, which is loaded when there is one."""

    async def answer(self, method: str, params: object, notify: Notify) -> Mapping[str, Any]:
        """Return the result; raises `RequestFailed`."""


class Offered(Struct, eq=False):
    """The server of one session, which is made when its agent says something."""

    id: str
    token: str
    caller: Caller
    names: Names
    parts: Parts
    fault: Callable[[BaseException], None]
    on: bool = True
    """The user has not turned it off."""
    counts: dict[str, int] = field(default_factory=dict)
    """How often each tool was called."""
    relays: list[Relay] = field(default_factory=list)
    kept: dict[str, Any] = field(default_factory=dict)
    """What its tools keep for later calls."""
    server: Answers | None = None

    def has(self, name: str, needs: str) -> bool:
        """Return whether the configuration lets the agent call that tool."""
        launch = self.caller.launch
        if (needs, launch.read_files) == ("read", False):
            return False
        if (needs, launch.write_files) == ("write", False):
            return False
        return self.names is True or (self.names is not False and name in self.names)


class Relay(Struct, eq=False):
    """A relay that is connected: how it is told something, and what ends it."""

    scope: anyio.CancelScope
    notify: Notify
