"""Which file is meant, and reading it so that the user sees it. Called by the scenes."""

from __future__ import annotations

from pathlib import PurePosixPath

from acp_tutor.connection import RequestFailed
from acp_tutor.lessons import READ_FAILED
from acp_tutor.prompt import Prompt
from acp_tutor.session import Session


def target(session: Session, prompt: Prompt) -> str:
    """Return the absolute path: the one named, else the last file, else the README."""
    if prompt.argument:
        return str(PurePosixPath(session.cwd, prompt.argument))
    return session.last_path or str(PurePosixPath(session.cwd, "README.md"))


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
