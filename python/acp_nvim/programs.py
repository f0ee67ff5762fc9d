"""Programs that are started: whoever is cancelled meanwhile leaves none that nobody waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from subprocess import DEVNULL, PIPE

import anyio
from anyio.abc import Process


async def start(
    command: Sequence[str],
    *,
    stdin: int = DEVNULL,
    stderr: int = DEVNULL,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    leads: bool = False,
) -> Process:
    """Start a program whose output is read; the caller uses it as a context, or ends it.

    `leads`: it leads a session of its own. Raises `OSError`, or `ValueError` for a null character.
    A cancel comes through when it is started, so that it is the caller's to end (asyncio kills what
    it starts for one who is cancelled, but does not wait for it).
    """
    with anyio.CancelScope(shield=True):
        process = await anyio.open_process(
            command,
            stdin=stdin,
            stdout=PIPE,
            stderr=stderr,
            cwd=cwd,
            env=env,
            start_new_session=leads,
        )
    return process
