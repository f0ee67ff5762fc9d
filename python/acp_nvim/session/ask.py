"""What the agent wants of us, and what we answer (v1/tool-calls, v1/file-system).

`protocol` makes asks out of requests and results out of answers; `services` stand between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from acp_nvim.session.event import ToolCallUpdated
from acp_nvim.session.noun import PermissionOption


@dataclass(frozen=True, slots=True)
class PermissionAsk:
    """`session/request_permission`: may this tool call go on?"""

    session_id: str
    tool_call: ToolCallUpdated
    options: tuple[PermissionOption, ...]


@dataclass(frozen=True, slots=True)
class ReadFileAsk:
    """`fs/read_text_file`; `line` is 1-based, `limit` a number of lines, None means all."""

    session_id: str
    path: str
    line: int | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class WriteFileAsk:
    """`fs/write_text_file`: the whole new text of a file."""

    session_id: str
    path: str
    content: str


Ask: TypeAlias = PermissionAsk | ReadFileAsk | WriteFileAsk


@dataclass(frozen=True, slots=True)
class PermissionAnswer:
    """The chosen option, or None: the turn was cancelled."""

    option_id: str | None


@dataclass(frozen=True, slots=True)
class FileRead:
    """The text of the file, or of the window asked for, exact to the last line end."""

    content: str


@dataclass(frozen=True, slots=True)
class FileWritten:
    """The write is done."""


Answer: TypeAlias = PermissionAnswer | FileRead | FileWritten
