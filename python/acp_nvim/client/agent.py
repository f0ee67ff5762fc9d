"""An agent that has answered `initialize`, and how it came to that (v1/initialization).

The newest dialect serves until the answer says which one both sides speak. Called by `Client`; what
is made of an `Agent` is in `ready`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from anyio.abc import TaskGroup

import acp_nvim
from acp_nvim.client.connection import Connection, Outcome
from acp_nvim.client.inbound import Inbound
from acp_nvim.client.launch import Launch
from acp_nvim.errors import AgentError, ConnectionLost
from acp_nvim.protocol.dialect import AgentInfo, Dialect
from acp_nvim.protocol.negotiate import NEWEST, choose

NAME = "acp.nvim"


@dataclass(frozen=True, slots=True)
class Agent:
    """How to speak to one agent, and what it told of itself."""

    launch: Launch
    connection: Connection
    dialect: Dialect
    """The one that `initialize` chose."""
    info: AgentInfo
    tasks: TaskGroup
    """Ends with the connection."""
    clock: Callable[[], float]


async def initialize(
    launch: Launch,
    connection: Connection,
    inbound: Inbound,
    tasks: TaskGroup,
    clock: Callable[[], float],
) -> Agent:
    """Introduce ourselves to an agent, and return it.

    Raises `AgentError`, `ConnectionLost`, and `UserError` if the answer names no version of ours.
    """

    def answered(outcome: Outcome) -> None:
        # at once: what follows the answer is in the dialect that it names
        if not isinstance(outcome, AgentError | ConnectionLost):
            inbound.speak(choose(outcome))

    NEWEST.warm()
    method, params = NEWEST.initialize(
        launch.capabilities, name=NAME, title=NAME, version=acp_nvim.__version__
    )
    result = await connection.request(method, params, answered)
    dialect = inbound.dialect
    return Agent(launch, connection, dialect, dialect.decode_initialize(result), tasks, clock)
