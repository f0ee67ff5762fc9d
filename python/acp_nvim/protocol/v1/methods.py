"""The method names of ACP v1 that this client sends or serves (schema/v1/meta.json)."""

from __future__ import annotations

from typing import Final

AUTHENTICATE: Final = "authenticate"
LOGOUT: Final = "logout"
LOAD_SESSION: Final = "session/load"
SET_MODE: Final = "session/set_mode"
SET_MODEL: Final = "session/set_model"
"""In no schema any more; for agents that have the quirk `legacy_models`."""

READ_TEXT_FILE: Final = "fs/read_text_file"
WRITE_TEXT_FILE: Final = "fs/write_text_file"
CREATE_TERMINAL: Final = "terminal/create"
TERMINAL_OUTPUT: Final = "terminal/output"
WAIT_FOR_TERMINAL: Final = "terminal/wait_for_exit"
KILL_TERMINAL: Final = "terminal/kill"
RELEASE_TERMINAL: Final = "terminal/release"
