"""Asks whether to take back, too, what an agent is only supposed to have done.

Undo, and reject of a file or all, leave what was only found until the user has answered; then the
undo is done anew as one: redo, and undo of everything.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from acp_nvim.editor import Choice
from acp_nvim.history import switch
from acp_nvim.history.author import Author
from acp_nvim.review.conflicts import is_restorable
from acp_nvim.review.log import Turn
from acp_nvim.view.place import relative
from acp_nvim.view.review.lists import LEAVE, TAKE, doubt
from acp_nvim.workspace.host import Host


async def wants_found(host: Host, paths: Sequence[str]) -> bool | None:
    """Ask about these files; None: no answer."""
    agents = {it.agent for path in paths for it in authors(host, path) if it.how == "found"}
    title = doubt(sorted(agents), [relative(path, os.getcwd()) for path in paths])
    rows = [Choice(LEAVE, False), Choice(TAKE, True)]
    wanted: bool | None = await host.editor.chooser.choose(title, "acp.found", rows)
    return wanted


def doubtful(host: Host, turn: Turn) -> list[str]:
    """Return the files of a turn in which there is something to take back of that kind."""
    files = ((path, host.review.log.file(path)) for path in turn.paths)
    return [
        path
        for path, file in files
        if file and switch.undo(file, turn.author, "", 0.0, found=False).doubtful
    ]


def authors(host: Host, path: str) -> list[Author]:
    """Return who has changed that file, one for each change, or has on the disk what
    stands against unsaved text."""
    file, conflict = host.review.log.file(path), host.review.log.conflict(path)
    found = [it.author for it in file.changes] if file else []
    return [*found, conflict.author] if conflict and is_restorable(conflict) else found
