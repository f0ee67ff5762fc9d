"""What an agent of ACP v1 asks of the client, as the schema says and no stricter: the parameters of
its requests, and of the notifications that go with them. See `types` for what it tells.
"""

from __future__ import annotations

from pydantic import Field

from acp_nvim.protocol.base import Items, Lenient, Whole, WireModel
from acp_nvim.protocol.common.request_types import PermissionOption
from acp_nvim.protocol.v1.types import ToolCall


class RequestPermission(WireModel):
    """`session/request_permission`."""

    session_id: str
    tool_call: ToolCall
    options: Items[PermissionOption]


class ReadTextFile(WireModel):
    """`fs/read_text_file`; `line` is 1-based. Null is absent; nothing else is forgiven."""

    session_id: str
    path: str
    line: Whole | None = Field(default=None, ge=0)
    limit: Whole | None = Field(default=None, ge=0)


class WriteTextFile(WireModel):
    """`fs/write_text_file`."""

    session_id: str
    path: str
    content: str


class EnvVariable(WireModel):
    """A variable of the environment of a command."""

    name: str
    value: str


class CreateTerminal(WireModel):
    """`terminal/create`: null is absent, and what is wrong otherwise must run nothing."""

    session_id: str
    command: str
    args: list[str] | None = None
    env: list[EnvVariable] | None = None
    cwd: str | None = None
    output_byte_limit: Whole | None = Field(default=None, ge=0)


class TerminalRequest(WireModel):
    """`terminal/output`, `wait_for_exit`, `kill` and `release`."""

    session_id: str
    terminal_id: str


class ToldExit(WireModel):
    """`_meta.terminal_exit`, a convention of agents, who write it in snake_case."""

    exit_code: Lenient[int]
    signal: Lenient[str]
