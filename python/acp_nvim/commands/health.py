"""What `:checkhealth acp` says of what the host knows: itself, what is kept, worktrees, agents."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeAlias

import acp_nvim
from acp_nvim.aside import aside
from acp_nvim.storage import private
from acp_nvim.view.chat.attachment import size
from acp_nvim.workspace.host import Host

Row: TypeAlias = tuple[str, ...]
"""A function of `vim.health`, the text, and what to do."""

FOLDERS: Final = {
    "sessions": "what was said",
    "open": "which sessions were open",
    "choices": "modes and models that were chosen last",
    "edits": "what agents have changed",
    "drafts": "unsent prompts",
    "log": "traffic with agents",
    "remote": "hosts that were connected to",
    "registry": "the list of agents that was fetched",
    "": "the log of the host",
}
"""In the order of the help, and what is in them."""


async def health(host: Host) -> dict[str, list[Row]]:
    """Answer the rows of each part. Makes sure that the folders are the user's."""
    state = Path(host.workspace.state_folder("")())
    kept = await aside(lambda: [kept_row(state, *row) for row in FOLDERS.items()])
    return {
        "host": [("ok", f"version {acp_nvim.__version__}, process {os.getpid()}")],
        "kept": kept,
        "worktrees": list(_worktrees(host)),
        "agents": list(_agents(host)),
    }


def kept_row(state: Path, name: str, what: str) -> Row:
    """Return the row of a folder below the state, "" for that itself."""
    try:
        private.make_folder(state / name)
    except OSError as error:
        return "error", str(error), "nothing is kept there: move it away"
    found = list(_sizes(state / name, "**/*" if name else "*"))
    label = f"{name}: {what}" if name else what
    return "ok", f"{label}: {len(found)} files, {size(sum(found))}"


def _sizes(folder: Path, pattern: str) -> Iterator[int]:
    for path in folder.glob(pattern):
        with suppress(OSError):  # it has gone meanwhile
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                yield status.st_size


def _worktrees(host: Host) -> Iterator[Row]:
    found = host.workspace.worktrees.all()
    for it in found:
        text = f"{it.name} of {it.home}: {it.folder}"
        if it.is_made and os.path.exists(it.folder):
            yield "ok", text
        else:
            yield "warn", f"{text} is not whole", f":Acp worktree remove {it.name} removes it"
    if not found:
        yield "ok", "there is none: :Acp worktree makes one"


def _agents(host: Host) -> Iterator[Row]:
    for row in host.workspace.available():
        client = host.workspace.client(row["name"])
        version = client.info.version if client is not None and client.info is not None else ""
        if row["found"]:
            yield "ok", f"{row['name']} {version}".rstrip() + f": {row['command']}"
        else:
            install, unknown = row["install"], "its command is set in vim.g.acp.agents"
            how = f"install it with: {install}" if install else unknown
            yield "info", f"{row['name']}: {row['command']} is not on PATH; {how}"
