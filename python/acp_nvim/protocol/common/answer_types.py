"""What an agent answers that is the same in every version of ACP, as the schemas say."""

from __future__ import annotations

from acp_nvim.protocol.base import Lenient, LenientList, WireModel


class SessionInfo(WireModel):
    """A session of `session/list`; without an id it is none (C-101)."""

    session_id: str
    cwd: Lenient[str]
    title: Lenient[str]
    updated_at: Lenient[str]
    additional_directories: LenientList[str]


class ListResult(WireModel):
    """The result of `session/list`: a page, and the cursor of the next one."""

    sessions: LenientList[SessionInfo]
    next_cursor: Lenient[str]


class AuthAccount(WireModel):
    """An account that the agent is logged in with."""

    label: str
    name: Lenient[str]
    email: Lenient[str]


class AuthStatus(WireModel):
    """The result of `auth/status`, and `auth/status_update`."""

    state: Lenient[str]
    accounts: LenientList[AuthAccount]


class Implementation(WireModel):
    """Name and version of the agent."""

    name: Lenient[str]
    title: Lenient[str]
    version: Lenient[str]
