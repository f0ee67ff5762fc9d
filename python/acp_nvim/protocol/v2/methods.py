"""The method names of ACP v2 that no other version has."""

from __future__ import annotations

from typing import Final

LOGIN: Final = "auth/login"
LOGOUT: Final = "auth/logout"
CANCEL_TOOL_CALL: Final = "tool_call/cancel"
CANCEL_TERMINAL: Final = "terminal/cancel"
