"""Answers of the agent that mean the same in every version of ACP."""

from __future__ import annotations

from acp_nvim.protocol.common import answer_types as types
from acp_nvim.protocol.dialect import AuthStatus, SessionPage
from acp_nvim.session.model import ListedSession


def decode_sessions(result: object) -> SessionPage:
    """Return one page of `session/list`; what is no id, no cwd or no cursor is as good as none.

    A session that names no folder stays, one that names a relative folder does not.
    """
    told = types.ListResult.model_validate(result if isinstance(result, dict) else {})
    sessions = tuple(
        ListedSession(
            it.session_id, it.cwd or "", it.title, it.updated_at, it.additional_directories or ()
        )
        for it in told.sessions or ()
        if it.session_id and (it.cwd or "/").startswith("/")
    )
    return SessionPage(sessions, told.next_cursor)


def decode_auth_status(result: object) -> AuthStatus:
    """Return what `auth/status` and `auth/status_update` tell; odd accounts are left out."""
    told = types.AuthStatus.model_validate(result if isinstance(result, dict) else {})
    accounts = (it.email or it.name or it.label for it in told.accounts or ())
    return AuthStatus(told.state or "unknown", tuple(accounts))
