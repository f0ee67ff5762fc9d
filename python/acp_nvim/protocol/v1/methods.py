"""The method names of ACP v1 that this client sends or serves (schema/v1/meta.json)."""

from __future__ import annotations

from typing import Final

INITIALIZE: Final = "initialize"
AUTHENTICATE: Final = "authenticate"
LOGOUT: Final = "logout"
NEW_SESSION: Final = "session/new"
LOAD_SESSION: Final = "session/load"
RESUME_SESSION: Final = "session/resume"
CLOSE_SESSION: Final = "session/close"
LIST_SESSIONS: Final = "session/list"
DELETE_SESSION: Final = "session/delete"
FORK_SESSION: Final = "session/fork"
SET_TITLE: Final = "session/set_title"
ARCHIVE_SESSION: Final = "session/archive"
AUTH_STATUS: Final = "auth/status"
"""These four are of the unstable schema: sent only to agents that offer them."""
STEER: Final = "_session/steering"
"""In no schema: a convention of agents, who offer it in `_meta.steering`."""
PROMPT: Final = "session/prompt"
CANCEL: Final = "session/cancel"
SET_MODE: Final = "session/set_mode"
SET_OPTION: Final = "session/set_config_option"
SET_MODEL: Final = "session/set_model"
"""In no schema any more; for agents that have the quirk `legacy_models`."""

UPDATE: Final = "session/update"
REQUEST_PERMISSION: Final = "session/request_permission"
READ_TEXT_FILE: Final = "fs/read_text_file"
WRITE_TEXT_FILE: Final = "fs/write_text_file"
CREATE_TERMINAL: Final = "terminal/create"
TERMINAL_OUTPUT: Final = "terminal/output"
WAIT_FOR_TERMINAL: Final = "terminal/wait_for_exit"
KILL_TERMINAL: Final = "terminal/kill"
RELEASE_TERMINAL: Final = "terminal/release"

CREATE_ELICITATION: Final = "elicitation/create"
AUTH_STATUS_UPDATE: Final = "auth/status_update"
COMPLETE_ELICITATION: Final = "elicitation/complete"

CANCEL_REQUEST: Final = "$/cancel_request"
