"""Which file is meant, and reading it so that the user sees it. Called by the scenes."""

from __future__ import annotations

import os
from pathlib import PurePosixPath

from acp_tutor.connection import RequestFailed
from acp_tutor.lessons import READ_FAILED
from acp_tutor.prompt import Prompt
from acp_tutor.session import Session


def target(session: Session, prompt: Prompt) -> str:
    """Return the absolute path: the one named, else the last file, else the first one there is."""
    if prompt.argument:
        return str(PurePosixPath(session.cwd, prompt.argument))
    return session.last_path or str(PurePosixPath(session.cwd, _first(session.cwd)))


def _first(folder: str) -> str:
    """Return the name of a file of the folder, the README last."""
    try:
        names = [it.name for it in os.scandir(folder) if it.is_file() and it.name[:1] != "."]
    except OSError:
        names = []
    return min(names, key=lambda name: (name == "README.md", name), default="README.md")


async def read_shown(session: Session, path: str) -> str | None:
    """Read a file as a tool call; when it cannot be read, say so and return None."""
    name = PurePosixPath(path).name
    call = session.start_call(f"Read {name}", "read", locations=[{"path": path}])
    session.update_call(call, status="in_progress")
    try:
        text = await session.read_file(path)
    except RequestFailed as error:
        session.update_call(call, status="failed")
        await session.say(READ_FAILED.format(name, error))
        return None
    shown = {"type": "content", "content": {"type": "text", "text": text}}
    session.update_call(call, status="completed", content=[shown])
    return text
