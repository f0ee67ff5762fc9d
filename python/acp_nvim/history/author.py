"""The turn of an agent that a change came from."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

How: TypeAlias = Literal["named", "found"]
"""How it is known whose a change is: it came through us, or a tool call named the file; or it was
found on disk while the agent worked, so that it is only supposed to be the agent's."""
SessionKey: TypeAlias = tuple[str, str]
"""The agent's name in the configuration, and its id of the session."""
TurnKey: TypeAlias = tuple[str, str, int, float]
"""Agent, session, turn, and when it began: one turn."""
DoerKey: TypeAlias = tuple[str, str, int, float, str]
"""The same, and the id of a sub-agent, "" for the agent itself: who did it in that turn."""


MERGED = "merged from "
"""How the title begins of what was merged from a worktree, instead of that of a tool call."""


class Author(Struct, frozen=True, omit_defaults=True):
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
    sub_agent: str = ""
    """Id of the sub-agent that did it: of its tool call, or of its own session; "": none did."""
    sub_name: str = ""
    """What commands call the sub-agent."""
    sub_title: str = ""
    has_session: bool = False
    """The sub-agent has a session of its own, by which it reads and writes."""

    @property
    def session_key(self) -> SessionKey:
        """The session that the turn is in."""
        return self.agent, self.session

    @property
    def turn_key(self) -> TurnKey:
        """What is the same for all that one turn has done."""
        return self.agent, self.session, self.turn, self.began

    @property
    def doer_key(self) -> DoerKey:
        """What is the same for all that the agent itself, or one sub-agent, has done in a turn."""
        return (*self.turn_key, self.sub_agent)

    @property
    def whole(self) -> Author:
        """The turn as such, whoever of the agent and its sub-agents has worked in it."""
        names = {"sub_agent": "", "sub_name": "", "sub_title": "", "has_session": False}
        return replace(self, **names) if self.sub_agent else self

    def has(self, other: Author) -> bool:
        """Tell whether what that one has done is in this turn, or by this sub-agent in it."""
        if self.sub_agent:
            return other.doer_key == self.doer_key
        return other.turn_key == self.turn_key

    @property
    def reader_key(self) -> SessionKey:
        """The session by which it reads and writes: what that was served it goes on from."""
        return (self.agent, self.sub_agent) if self.has_session else self.session_key
