"""The turn of an agent that a change came from."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

How: TypeAlias = Literal["named", "found"]
"""How it is known whose a change is: it came through us, or a tool call named the file; or it was
found on disk while the agent worked, so that it is only supposed to be the agent's."""
SessionKey: TypeAlias = tuple[str, str]
"""The agent's name in the configuration, and its id of the session."""
TurnKey: TypeAlias = tuple[str, str, int, float]
"""Agent, session, turn, and when it began: one turn."""


MERGED = "merged from "
"""How the title begins of what was merged from a worktree, instead of that of a tool call."""


class Author(Struct, frozen=True):
    """The turn of an agent, and the tool call in it, that a change came from."""

    agent: str
    """Its name in the configuration."""
    session: str
    """The agent's id of the session, verbatim."""
    turn: int
    """The turn's number in the session, from 1."""
    began: float
    """Seconds since 1970; tells turns of the same number apart, for numbers begin anew."""
    tool_call: str = ""
    """Its id, "" if none is known."""
    prompt: str = ""
    """The beginning of the turn's prompt."""
    title: str = ""
    """What the tool call is called."""
    how: How = "named"
    """How it is known that it was this agent."""

    @property
    def session_key(self) -> SessionKey:
        """The session that the turn is in."""
        return self.agent, self.session

    @property
    def turn_key(self) -> TurnKey:
        """What is the same for all that one turn has done."""
        return self.agent, self.session, self.turn, self.began
