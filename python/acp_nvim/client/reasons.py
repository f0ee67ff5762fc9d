"""The sentences that a user reads when an agent cannot go on: what happened, and what to do.

Called by `Client` only.
"""

from __future__ import annotations

from acp_nvim.client.launch import Launch
from acp_nvim.process.child import Exit
from acp_nvim.protocol.dialect import AgentInfo

LAST_LINES = 3
"""So many lines of stderr stand in the sentence; the log has more."""


def silent(name: str, seconds: float) -> str:
    """Return what to say of an agent that does not answer `initialize`."""
    return (
        f"{name} has not answered for {seconds:.0f} seconds: "
        ":Acp log shows what it said, :Acp cancel ends it"
    )


def wants_login(launch: Launch, info: AgentInfo | None) -> str:
    """Return how to log in, as long as that happens outside of the editor (C-065)."""
    methods = info.auth_methods if info is not None else ()
    ways = ", ".join(method.name for method in methods) or "it offers no way to do so here"
    return (
        f"{launch.name} wants you to log in ({ways}): run `{launch.command}` in a terminal, "
        f"log in there, then :Acp restart {launch.name}"
    )


def ended(name: str, when: str, exit_: Exit | None, stderr: str) -> str:
    """Return how an agent ended that nobody told to, with its last words (C-024)."""
    how = "" if exit_ is None else f" ({exit_.signal or f'exit code {exit_.code}'})"
    tail = " / ".join(stderr.strip().splitlines()[-LAST_LINES:])
    said = f": {tail}" if tail else ""
    return (
        f"{name} ended {when}{how}{said}. "
        f":Acp restart {name} starts it again, :Acp log {name} shows more"
    )
