"""The calls that every version of ACP has alike: the base of all dialects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from acp_nvim.errors import RequestFailed
from acp_nvim.protocol.common import answers, elicitation, frequent, mcp, methods
from acp_nvim.protocol.common.content import encode_content
from acp_nvim.protocol.common.request import decode_cancel_request
from acp_nvim.protocol.dialect import (
    AgentNotification,
    AuthStatus,
    Call,
    ElicitationCompleted,
    RequestCancelled,
    Server,
    SessionPage,
    SessionUpdated,
)
from acp_nvim.session.content import Content
from acp_nvim.session.model import BackgroundWork
from acp_nvim.session.request import McpMessage


class Calls(ABC):
    """What a dialect need not say by itself; see `Dialect` for what each method does."""

    @abstractmethod
    def setup(
        self, cwd: str, mcp_servers: Sequence[Server], additional_directories: Sequence[str]
    ) -> dict[str, Any]:
        """Return what all ways to open a session share."""

    def new_session(
        self,
        cwd: str,
        mcp_servers: Sequence[Server] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/new`."""
        return methods.NEW_SESSION, self.setup(cwd, mcp_servers, additional_directories)

    def resume_session(
        self,
        session_id: str,
        cwd: str,
        mcp_servers: Sequence[Server] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/resume`."""
        setup = self.setup(cwd, mcp_servers, additional_directories)
        return methods.RESUME_SESSION, {"sessionId": session_id} | setup

    def fork_session(
        self,
        session_id: str,
        cwd: str,
        mcp_servers: Sequence[Server] = (),
        additional_directories: Sequence[str] = (),
    ) -> Call:
        """Return `session/fork`."""
        setup = self.setup(cwd, mcp_servers, additional_directories)
        return methods.FORK_SESSION, {"sessionId": session_id} | setup

    def close_session(self, session_id: str) -> Call:
        """Return `session/close`."""
        return methods.CLOSE_SESSION, {"sessionId": session_id}

    def list_sessions(self, cwd: str, cursor: str | None = None, *, archived: bool = False) -> Call:
        """Return `session/list`."""
        page = {} if cursor is None else {"cursor": cursor}
        return methods.LIST_SESSIONS, {"cwd": cwd} | page | (
            {"archived": "only"} if archived else {}
        )

    def delete_session(self, session_id: str) -> Call:
        """Return `session/delete`."""
        return methods.DELETE_SESSION, {"sessionId": session_id}

    def set_title(self, session_id: str, title: str) -> Call:
        """Return `session/set_title`."""
        return methods.SET_TITLE, {"sessionId": session_id, "title": title}

    def archive_session(self, session_id: str) -> Call:
        """Return `session/archive`."""
        return methods.ARCHIVE_SESSION, {"sessionId": session_id}

    def unarchive_session(self, session_id: str) -> Call:
        """Return `session/unarchive`."""
        return methods.UNARCHIVE_SESSION, {"sessionId": session_id}

    def auth_status(self) -> Call:
        """Return `auth/status`."""
        return methods.AUTH_STATUS, {}

    def steer(self, session_id: str, blocks: Sequence[Content]) -> Call:
        """Return `_session/steering`; a turn that is over must not begin another."""
        only_now = {"steering": {"idleBehavior": "promptRequired"}}
        return methods.STEER, _prompt(session_id, blocks) | {"_meta": only_now}

    def prompt(self, session_id: str, blocks: Sequence[Content]) -> Call:
        """Return `session/prompt`."""
        return methods.PROMPT, _prompt(session_id, blocks)

    def cancel(self, session_id: str) -> Call:
        """Return the notification `session/cancel`."""
        return methods.CANCEL, {"sessionId": session_id}

    def cancel_work(self, session_id: str, work: BackgroundWork) -> Call | None:
        """Return nothing: not every version lets a client cancel what is in the background."""
        return None

    def cancel_request(self, request_id: str | int) -> Call:
        """Return the notification `$/cancel_request`."""
        return methods.CANCEL_REQUEST, {"requestId": request_id}

    def mcp_notification(self, message: McpMessage, method: str, params: Mapping[str, Any]) -> Call:
        """Return the notification `mcp/message`."""
        return mcp.notification(message, method, params)

    def encode_failure(self, error: RequestFailed) -> RequestFailed:
        """Return the error as it is."""
        return error

    def read_update(self, line: bytes | str) -> SessionUpdated | None:
        """Return what a line says, if it has an update that comes by thousands."""
        return frequent.read_update(line)

    def decode_notification(self, method: str, params: object) -> AgentNotification | None:
        """Return what the agent tells, besides `session/update`."""
        match method:
            case methods.AUTH_STATUS_UPDATE:
                return answers.decode_auth_status(params)
            case methods.COMPLETE_ELICITATION:
                return ElicitationCompleted(elicitation.decode_complete(params))
            case methods.CANCEL_REQUEST:
                return RequestCancelled(decode_cancel_request(params))
            case _:
                return None

    def decode_sessions(self, result: object) -> SessionPage:
        """Return one page of the list."""
        return answers.decode_sessions(result)

    def decode_auth_status(self, result: object) -> AuthStatus:
        """Return whether the agent is logged in."""
        return answers.decode_auth_status(result)

    def decode_steered(self, result: object) -> bool:
        """Return whether the text is in the turn."""
        return not isinstance(result, dict) or result.get("outcome") != "promptRequired"

    def decode_title(self, result: object) -> str | None:
        """Return the title as the agent keeps it."""
        title = result.get("title") if isinstance(result, dict) else None
        return title if isinstance(title, str) and title else None


def _prompt(session_id: str, blocks: Iterable[Content]) -> dict[str, Any]:
    """Return the params of `session/prompt`, without the blocks that cannot be sent."""
    encoded = (encode_content(block) for block in blocks)
    return {"sessionId": session_id, "prompt": [block for block in encoded if block is not None]}


def offers_steering(meta: object) -> bool:
    """Tell what the `_meta` of an agent, which may be anything (C-311), says of steering."""
    steering = meta.get("steering") if isinstance(meta, dict) else None
    return isinstance(steering, dict) and steering.get("supported") is True
