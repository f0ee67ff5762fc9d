"""Whose change it is: the turn that runs in a session, and the tool call that it is busy with.

A change is "named" where it came through us, or a tool call names the file (of a command the words
of its line do), else "found": the disk changed meanwhile. What Neovim wrote is the user's
(`lua/acp/files/stamps.lua`). A rescan keeps the author for whom it was asked, however late it
comes; what has changed since the end of its turn, by the file's own time, is not that turn's.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from contextlib import suppress
from itertools import takewhile
from operator import attrgetter

from msgspec.structs import replace

from acp_nvim.client.session import Session
from acp_nvim.errors import FileProblem
from acp_nvim.files.roots import Roots
from acp_nvim.history.author import Author, SessionKey
from acp_nvim.session import sub_agents
from acp_nvim.session.content import Text
from acp_nvim.session.place import LOOKING, named
from acp_nvim.session.reduce.entries import OPEN
from acp_nvim.session.reduce.messages import prompt_key
from acp_nvim.session.state import Entry, Message, SessionState, SubAgent, ToolCall
from acp_nvim.workspace.workspace import Workspace

SHOWN = 200
"""Characters of a prompt, or of a title, that are remembered with what came of it."""
RECENT = 256
"""Entries among which the tool call is looked for that an agent is busy with."""
DEEPEST = 16
"""Sub-agents of sub-agents."""
FIRST = 16
"""Entries of a turn among which the prompt is."""


class Authors:
    """Knows the sessions."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def of(self, state: SessionState, tool_call: str = "") -> Author | None:
        """Return the turn that runs in a session, None if none does, or the agent has no prompt.

        What is found meanwhile is only supposed to be its doing. Without a tool call it is the one
        that is open, else the last of the turn.
        """
        return self.found(state, self.last(state, tool_call))

    def found(self, state: SessionState, author: Author | None) -> Author | None:
        """Return that author of the last turn as one that is only supposed to have done it."""
        turn = self._turn(state)
        runs = turn.is_running and turn.prompted
        return replace(author, how="found") if author is not None and runs else None

    def last(
        self, state: SessionState, tool_call: str = "", known: ToolCall | None = None
    ) -> Author | None:
        """Return the same of the last turn, whether or not it runs: some agents go on after it.

        Turn 0 is what is done before any prompt; None: the agent has not named the session. What a
        sub-agent does is a part of the turn of the session that has begun it.
        """
        turn = self._turn(state)
        if turn.id is None:
            return None
        started = turn.turn_started
        began = 0.0 if started is None else round(self._workspace.epoch + started, 3)
        if known is None:  # the call of that id, which mostly has been looked up
            known = state.tool_call(tool_call) if tool_call else _current(state)
        author = Author(
            turn.agent,
            turn.id,
            turn.turn,
            began,
            known.id if known is not None else tool_call,
            _prompt(turn),
            known.title[:SHOWN] if known is not None else "",
        )
        return _by_sub_agent(author, *self._sub_agent(state, known))

    def of_session(self, agent: str, session_id: str, path: str = "") -> Author | None:
        """Return the last turn in the session of that id: what the agent asks for is its own.

        The tool call that names the file, and works now, says which sub-agent asks; without one, or
        where several have one, it is the agent itself.
        """
        session = self._workspace.session(agent, session_id)
        if session is None:
            return None
        roots = self._workspace.roots(session) if path and session.state.sub_agents else None
        naming = _naming(session.state, roots, path) if roots else ()
        calls = [it for it in naming if it.kind not in LOOKING]
        is_one = len({it.parent for it in calls}) == 1
        return self.last(session.state, calls[0].id if is_one else "")

    def _turn(self, state: SessionState) -> SessionState:
        """Return the session whose turn it is: of a sub-agent that which has begun it."""
        for _ in range(DEEPEST if state.parent else 0):
            above = self._workspace.session(state.agent, state.parent) if state.parent else None
            if above is None:
                break
            state = above.state
        return state

    def _sub_agent(
        self, state: SessionState, call: ToolCall | None
    ) -> tuple[SessionState, SubAgent | None]:
        """Return which sub-agent does it, and the session that knows it."""
        above = self._workspace.session(state.agent, state.parent) if state.parent else None
        if above is not None and state.id is not None:
            return above.state, sub_agents.find(above.state, state.id)
        return state, sub_agents.in_call(state, call)

    def of_path(self, path: str) -> Author | None:
        """Return the turn that runs in a session whose folders the resolved path is in.

        Of several, that which has a tool call open that names the file.
        """
        here = [it for it in self._workspace.sessions() if self._runs_at(it, path)]
        for session in here:
            for call in _naming(session.state, self._workspace.roots(session), path):
                if call.kind not in LOOKING:
                    return self.last(session.state, call.id, call)
        return self.of(here[0].state) if here else None

    def at(self, key: SessionKey, path: str) -> list[str]:
        """Return the open tool calls of that session that name the resolved path."""
        session = self._workspace.session(*key)
        if session is None:
            return []
        roots = self._workspace.roots(session)
        return [call.id for call in _naming(session.state, roots, path)]

    def around(self, path: str) -> tuple[Author, Roots] | None:
        """Return the same with the folders of the session."""
        return next((it for it in self.running() if it[1].has(path)), None)

    def _runs_at(self, session: Session, path: str) -> bool:
        return self.of(session.state) is not None and self._workspace.roots(session).has(path)

    def running(self) -> Iterator[tuple[Author, Roots]]:
        """Return the turns that run, each with the folders of its session."""
        for session in self._workspace.sessions():
            author = self.of(session.state)
            if author is not None:
                yield author, self._workspace.roots(session)


def _naming(state: SessionState, roots: Roots, path: str) -> Iterator[ToolCall]:
    """Yield the open tool calls of the turn that name the resolved path."""
    for entry in _recent(state):
        if isinstance(entry, ToolCall) and entry.status in OPEN:
            names = named(entry, state.cwd, roots.paths)
            if any(_is(roots, name, path) for name in names):
                yield entry


def _is(roots: Roots, name: str, path: str) -> bool:
    with suppress(FileProblem):
        return roots.resolve(name) == path
    return False


def _by_sub_agent(author: Author, state: SessionState, sub_agent: SubAgent | None) -> Author:
    if sub_agent is None:
        return author
    return replace(
        author,
        sub_agent=sub_agent.id,
        sub_name=sub_agent.name,
        sub_title=sub_agents.title(state, sub_agent)[:SHOWN],
        has_session=not sub_agent.key,
    )


def _current(state: SessionState) -> ToolCall | None:
    """Return the agent's own call that is open, else its last one: a sub-agent's may be any's."""
    last: ToolCall | None = None
    for entry in _recent(state):
        if isinstance(entry, ToolCall) and entry.id and not entry.parent:
            if entry.status in OPEN:
                return entry
            last = last or entry
    return last


def _prompt(state: SessionState) -> str:
    """Return the beginning of what the user has said in this turn."""
    begun = state.entry(prompt_key(state))
    if begun is None:  # the agent has told of it, or begun by itself
        start = bisect_left(state.entries, state.turn, key=attrgetter("turn"))
        said = (it for it in state.entries[start : start + FIRST] if isinstance(it, Message))
        begun = next((it for it in said if it.role == "user"), None)
    blocks = begun.content if isinstance(begun, Message) else ()
    return next((it.part(0, SHOWN) for it in blocks if isinstance(it, Text)), "")


def _recent(state: SessionState) -> Iterator[Entry]:
    """Yield what came last in the turn, the newest first."""
    recent = reversed(state.entries[-RECENT:])
    return takewhile(lambda entry: entry.turn >= state.turn, recent)
