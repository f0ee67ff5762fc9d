"""The method names of ACP v1 that this client sends or serves (schema/v1/meta.json)."""

from __future__ import annotations

from typing import Final

INITIALIZE: Final = "initialize"
NEW_SESSION: Final = "session/new"
LOAD_SESSION: Final = "session/load"
RESUME_SESSION: Final = "session/resume"
CLOSE_SESSION: Final = "session/close"
PROMPT: Final = "session/prompt"
CANCEL: Final = "session/cancel"
SET_MODE: Final = "session/set_mode"

UPDATE: Final = "session/update"
REQUEST_PERMISSION: Final = "session/request_permission"
READ_TEXT_FILE: Final = "fs/read_text_file"
WRITE_TEXT_FILE: Final = "fs/write_text_file"

CANCEL_REQUEST: Final = "$/cancel_request"
