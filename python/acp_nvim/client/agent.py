"""An agent that has answered `initialize`, and how it came to that (v1/initialization).

Called by `Client`; what is made of an `Agent` is in `ready`.
"""

from __future__ import annotations

from collections.abc import Callable

from anyio.abc import TaskGroup
from msgspec import Struct

import acp_nvim
from acp_nvim.client.connection import Connection
from acp_nvim.client.launch import Launch
from acp_nvim.errors import AcpError, AgentError
from acp_nvim.protocol.dialect import Dialect
from acp_nvim.protocol.negotiate import choose, instead
from acp_nvim.protocol.records import AgentInfo

NAME = "acp.nvim"


class Agent(Struct, frozen=True):
    """How to speak to one agent, and what it told of itself."""

    launch: Launch
    connection: Connection
    dialect: Dialect
    """The one that `initialize` chose."""
    info: AgentInfo
    tasks: TaskGroup
    """Ends with the connection."""
    clock: Callable[[], float]


class SpeaksOlder(AcpError):
    """The agent must be asked once more, on another connection, in an older version: it has read
    nothing of what we offered in the newer one."""

    def __init__(self, dialect: Dialect) -> None:
        super().__init__(f"the agent speaks version {dialect.version}")
        self.dialect = dialect


async def initialize(
    launch: Launch,
    connection: Connection,
    dialect: Dialect,
    tasks: TaskGroup,
    clock: Callable[[], float],
) -> Agent:
    """Introduce ourselves to an agent in that dialect, and return it.

    Raises `AgentError`, `ConnectionLost`, `SpeaksOlder`, and `UserError` if the answer names no
    version of ours.
    """

    dialect.warm()
    method, params = dialect.initialize(
        launch.capabilities, name=NAME, title=NAME, version=acp_nvim.__version__
    )
    try:
        result = await connection.request(method, params)
    except AgentError as error:
        older = instead(dialect, launch.protocol, error)
        if older is not None:
            raise SpeaksOlder(older) from error
        raise
    spoken = choose(dialect, result)
    if spoken.version != dialect.version:
        raise SpeaksOlder(spoken)
    return Agent(launch, connection, dialect, dialect.decode_initialize(result), tasks, clock)
