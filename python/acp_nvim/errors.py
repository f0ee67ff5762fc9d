"""Sentences that a user, or an agent, can act on.

Three kinds: `UserError` is shown as it stands; `RequestFailed` goes to the agent as a JSON-RPC
error; anything else is ours, and leaves a traceback in the log and one line on screen. A
`FileProblem` becomes one of the first two where it is known who wanted the file.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from enum import IntEnum


class AcpError(Exception):
    """The parent of all that this plugin raises on purpose."""


class UserError(AcpError):
    """A sentence for the user that says what is wrong and what to do."""


class NotLetIn(UserError):
    """A remote agent is not reached until the user changes something: asking again is no use."""


class Code(IntEnum):
    """JSON-RPC error codes of ACP (`ErrorCode`)."""

    INVALID_REQUEST = -32600
    METHOD_NOT_FOUND = -32601
    INVALID_PARAMS = -32602
    INTERNAL_ERROR = -32603
    REQUEST_CANCELLED = -32800
    AUTH_REQUIRED = -32000
    RESOURCE_NOT_FOUND = -32002
    UNSUPPORTED_VERSION = -32022


class RequestFailed(AcpError):
    """An agent's request cannot be met: becomes the error of its response.

    `data` is JSON-able, for instance `{"uri": …}` for a missing file.
    """

    def __init__(self, code: Code, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class FileProblem(AcpError):
    """A file cannot be read, written or removed; the message is a whole sentence.

    `told`: why the agent could not write it, for the user, where that is another sentence.
    """

    def __init__(self, message: str, told: str | None = None) -> None:
        super().__init__(message)
        self.told = told


class OutsideRoots(FileProblem):
    """A path is relative, or leads out of the folders of its session."""


class AgentError(AcpError):
    """The agent answered a request of ours with a JSON-RPC error.

    Its text has the first line of `data.details`, where many agents say what "Internal error" is.
    """

    def __init__(self, code: int, message: str, data: object = None) -> None:
        message = message or f"the agent does not say why (code {code})"
        details = data.get("details") if isinstance(data, dict) else None
        first = details.strip().partition("\n")[0][:200] if isinstance(details, str) else ""
        super().__init__(f"{message}: {first}" if first and first not in message else message)
        self.code = code
        self.message = message
        self.data = data


class ConnectionLost(AcpError):
    """The agent is gone: its output ended before it answered."""


class EditorError(AcpError):
    """Neovim refused or failed a call; the message is its own."""


def suggest(name: str, known: Sequence[str]) -> str:
    """Return what to say after a name that is not known: the nearest that is, else all."""
    near = get_close_matches(name[:200], known, n=1)  # a comparison may take as long as it likes
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(known)}"
