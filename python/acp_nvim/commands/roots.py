"""Folders that an agent is let into: those that the user has chosen, and others once asked for."""

from __future__ import annotations

import os
from contextlib import suppress

from acp_nvim.errors import UserError
from acp_nvim.workspace.host import Host
from acp_nvim.workspace.root import is_too_wide


async def let_in(host: Host, agent: str, root: str, *, chosen: bool) -> None:
    """Let the user confirm a root, unless it is a project that they have chosen.

    Only ever as the direct result of the user's command. Raises `UserError` if it is not wanted, or
    cannot be shown as it is.
    """
    wide = is_too_wide(root)
    if chosen and not wide:
        return
    if not root.isprintable():
        raise UserError(f"not started: the name of the folder of {agent} cannot be shown as it is")
    why = "which is not a project" if wide else "a folder that it names, not you"
    title = f"{agent} wants to work in {_whole(root)}, {why}. Allow it?"
    if not await host.agrees(title, f"Yes, in all of {root}", "acp.root"):
        raise UserError(f"not started: :cd to a project, then :AcpStart {agent}")


def _whole(root: str) -> str:
    """Return a folder as it is called, and where it leads."""
    real = root
    with suppress(OSError):  # a link that may not be read, as /proc/1/cwd
        real = os.path.realpath(root)
    return root if real == root else f"{root} (that is {ascii(real)[1:-1]})"
