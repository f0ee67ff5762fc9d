"""All tools of the editor, in the order in which agents read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from acp_nvim.tools import changes, files, history, queries, windows
from acp_nvim.tools.tool import Tool

TOOLS: Final[Sequence[Tool]] = (
    *windows.TOOLS,
    *files.TOOLS,
    *queries.TOOLS,
    *changes.TOOLS,
    *history.TOOLS,
)
