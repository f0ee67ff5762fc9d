"""Asks whether to take back, too, what an agent is only supposed to have done."""

from __future__ import annotations

import os
from collections.abc import Sequence

from acp_nvim.editor import Choice, Chooser
from acp_nvim.view.place import relative
from acp_nvim.view.review.doubt import LEAVE, TAKE, doubt


async def wants_found(chooser: Chooser, agents: Sequence[str], paths: Sequence[str]) -> bool | None:
    """Ask about these files; None: no answer."""
    title = doubt(agents, [relative(path, os.getcwd()) for path in paths])
    rows = [Choice(LEAVE, False), Choice(TAKE, True)]
    wanted: bool | None = await chooser.choose(title, "acp.found", rows)
    return wanted
