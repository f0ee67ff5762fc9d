"""The method names of ACP; those of one version alone are in its dialect."""

from __future__ import annotations

from typing import Final

INITIALIZE: Final = "initialize"
NEW_SESSION: Final = "session/new"
RESUME_SESSION: Final = "session/resume"
CLOSE_SESSION: Final = "session/close"
LIST_SESSIONS: Final = "session/list"
DELETE_SESSION: Final = "session/delete"
FORK_SESSION: Final = "session/fork"
SET_TITLE: Final = "session/set_title"
ARCHIVE_SESSION: Final = "session/archive"
UNARCHIVE_SESSION: Final = "session/unarchive"
AUTH_STATUS: Final = "auth/status"
"""These five are of the unstable schemas: sent only to agents that offer them."""
STEER: Final = "_session/steering"
"""In no schema: a convention of agents, who offer it in `_meta.steering`."""
PROMPT: Final = "session/prompt"
CANCEL: Final = "session/cancel"
SET_OPTION: Final = "session/set_config_option"

UPDATE: Final = "session/update"
REQUEST_PERMISSION: Final = "session/request_permission"
CREATE_ELICITATION: Final = "elicitation/create"
COMPLETE_ELICITATION: Final = "elicitation/complete"
AUTH_STATUS_UPDATE: Final = "auth/status_update"
MCP_MESSAGE: Final = "mcp/message"
"""Of the unstable schemas: only of agents that take MCP servers over ACP."""
CANCEL_REQUEST: Final = "$/cancel_request"
