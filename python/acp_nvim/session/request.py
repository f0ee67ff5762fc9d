"""What the agent wants of us, and what we answer (v1/tool-calls, v1/file-system, v1/terminals).

`protocol` makes these of JSON-RPC requests, and results of answers; `client` stands between.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from msgspec import Struct

from acp_nvim.session.elicitation.model import Elicitation, Value
from acp_nvim.session.event import ToolCallUpdated
from acp_nvim.session.model import PermissionOption, Subject
from acp_nvim.session.terminal import ExitStatus


class PermissionRequest(Struct, frozen=True):
    """`session/request_permission`: may this tool call, or what the `subject` says, go on?"""

    session_id: str
    tool_call: ToolCallUpdated | None
    options: tuple[PermissionOption, ...]
    asks: str = ""
    """The agent's own words for what it wants to know; "" if the tool call says it."""
    subject: Subject | None = None
    """What it is about, where that is no tool call."""


class ReadFileRequest(Struct, frozen=True):
    """`fs/read_text_file`; `line` is 1-based, `limit` a number of lines, None means all."""

    session_id: str
    path: str
    line: int | None = None
    limit: int | None = None


class WriteFileRequest(Struct, frozen=True):
    """`fs/write_text_file`: the whole new text of a file."""

    session_id: str
    path: str
    content: str


class CreateTerminalRequest(Struct, frozen=True):
    """`terminal/create`: run a command; without `args` it may be a whole line for the shell.

    `limit` is the number of bytes of output to keep, None if the agent does not say.
    """

    session_id: str
    command: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    cwd: str | None = None
    limit: int | None = None


class TerminalOutputRequest(Struct, frozen=True):
    """`terminal/output`: what has it written so far?"""

    session_id: str
    terminal_id: str


class WaitForTerminalRequest(Struct, frozen=True):
    """`terminal/wait_for_exit`: say when it has ended."""

    session_id: str
    terminal_id: str


class KillTerminalRequest(Struct, frozen=True):
    """`terminal/kill`: end the command; the terminal stays."""

    session_id: str
    terminal_id: str


class ReleaseTerminalRequest(Struct, frozen=True):
    """`terminal/release`: end the command, forget the terminal."""

    session_id: str
    terminal_id: str


TerminalRequest: TypeAlias = (
    CreateTerminalRequest
    | TerminalOutputRequest
    | WaitForTerminalRequest
    | KillTerminalRequest
    | ReleaseTerminalRequest
)


class ElicitationRequest(Struct, frozen=True):
    """`elicitation/create`, of a session (and a tool call of it), or of a request of ours."""

    elicitation: Elicitation
    session_id: str | None = None
    tool_call_id: str | None = None
    request_id: str | int | None = None


class McpMessage(Struct, frozen=True):
    """`mcp/message`: a request to an MCP server of ours; `request_id` is its own, of MCP."""

    server_id: str
    request_id: str
    method: str
    params: Mapping[str, Any] | None = None


FileRequest: TypeAlias = ReadFileRequest | WriteFileRequest

AgentRequest: TypeAlias = (
    PermissionRequest | ElicitationRequest | FileRequest | TerminalRequest | McpMessage
)


class PermissionAnswer(Struct, frozen=True):
    """The chosen option, or None: the turn was cancelled."""

    option_id: str | None


ElicitationAction: TypeAlias = Literal["accept", "decline", "cancel"]


class ElicitationAnswer(Struct, frozen=True):
    """What the user did; `content` is there for an accepted form only, and is shown nowhere."""

    action: ElicitationAction
    content: Mapping[str, Value] | None = None

    def __repr__(self) -> str:
        return f"ElicitationAnswer(action={self.action!r})"


class FileRead(Struct, frozen=True):
    """The text of the file, or of the window asked for, exact to the last line end."""

    content: str


class FileWritten(Struct, frozen=True):
    """The write is done."""


class TerminalCreated(Struct, frozen=True):
    """The command runs, or has run, in this terminal."""

    terminal_id: str


class TerminalShown(Struct, frozen=True):
    """What it has written: plain text, its beginning dropped if `truncated`."""

    output: str
    truncated: bool
    exit: ExitStatus | None = None


class TerminalExited(Struct, frozen=True):
    """The command has ended."""

    exit: ExitStatus


class TerminalEnded(Struct, frozen=True):
    """The command is killed, or the terminal released."""


class McpOutcome(Struct, frozen=True):
    """What the MCP server says: a result, or an error (`code`, `message`, perhaps `data`)."""

    result: Any = None
    error: Mapping[str, Any] | None = None


FileAnswer: TypeAlias = FileRead | FileWritten

TerminalAnswer: TypeAlias = TerminalCreated | TerminalShown | TerminalExited | TerminalEnded

Answer: TypeAlias = PermissionAnswer | ElicitationAnswer | FileAnswer | TerminalAnswer | McpOutcome
