"""One session as it stands: frozen, shared freely, replaced as a whole by `reduce`.

The same object means unchanged: the view skips what is identical, so `reduce` must keep every
part that an event does not touch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Literal, TypeAlias

from msgspec import Struct, field

from acp_nvim.session.content import Content, ToolContent
from acp_nvim.session.model import (
    BackgroundWork,
    Command,
    ConfigOption,
    Cost,
    How,
    LineCount,
    Location,
    Mark,
    Mode,
    PlanEntry,
    Prompt,
    Question,
    RateLimit,
    Role,
    Severity,
    ToolStatus,
)
from acp_nvim.session.origin import Origin, SessionKey, Stretch, stretches
from acp_nvim.session.stored import Stored
from acp_nvim.session.terminal import Terminal

Status: TypeAlias = Literal["idle", "running", "cancelling", "loading", "closed"]


class Message(Stored, frozen=True):
    """A message of the user or the agent, or a thought; neighbouring texts are one block."""

    key: str
    role: Role
    turn: int
    content: tuple[Content, ...]
    message_id: str | None = None
    local: bool = False
    """True for the prompt as this client sent it: a live echo of it is not shown again (C-128)."""
    peer: str = ""
    """Which sub-agent it is for, or from: "to tests for stats"."""


class ToolCall(Stored, frozen=True):
    """A tool call, merged from all that was said of it (C-160 to C-167)."""

    key: str
    id: str
    """ "" for the row of a sub-agent that has a session of its own."""
    turn: int
    title: str = ""
    kind: str = "other"
    status: ToolStatus = "pending"
    content: tuple[ToolContent, ...] = ()
    locations: tuple[Location, ...] = ()
    raw_input: str | None = None
    raw_output: str | None = None
    terminals: tuple[Terminal, ...] = ()
    """What is known of the terminals in its content."""
    name: str | None = None
    """What the agent's program calls the tool."""
    cancellable: bool = False
    """The agent lets it be cancelled by itself, when its turn is over."""
    parent: str = ""
    """Key of the call, a sub-agent's, in which this one was made; that one is in none itself."""
    children: tuple[str, ...] = ()
    """Keys of the calls that were made in this one."""
    changes: tuple[LineCount, ...] = ()
    """What it has changed in files, as we have seen it."""


class Notice(Stored, frozen=True):
    """A line of ours or the agent's that is no message: how a turn ended, what went wrong."""

    key: str
    turn: int
    text: str
    severity: Severity = "info"
    mark: Mark = ""


class Compaction(Stored, frozen=True):
    """The agent's context made shorter: where it began, and what has become of it."""

    key: str
    turn: int
    status: str = "in_progress"
    summary: tuple[Content, ...] = ()
    error: str | None = None


class Ending(Stored, frozen=True):
    """The end of a turn: how it ended, and what is known of what it took and did."""

    key: str
    turn: int
    how: How = "done"
    seconds: float | None = None
    cost: Cost | None = None
    """Of this turn alone."""
    changes: tuple[LineCount, ...] = ()
    """What it has changed in files in the end."""
    is_silent: bool = False
    """Nothing came after the prompt."""


Entry: TypeAlias = Message | ToolCall | Notice | Compaction | Ending


class Plan(Struct, frozen=True):
    """The current plan and the turn that it belongs to; empty entries: none."""

    turn: int
    entries: tuple[PlanEntry, ...]
    id: str = "default"


class Usage(Struct, frozen=True):
    """Context tokens in use, size of the window, cumulative cost and limits if the agent tells."""

    used: int
    size: int
    cost: Cost | None = None
    limits: tuple[RateLimit, ...] = ()


NO_INDEX: Mapping[str, int] = MappingProxyType({})
NO_NAMES: Mapping[str, str] = MappingProxyType({})
NO_TERMINALS: Mapping[str, Terminal] = MappingProxyType({})
NOT_SHOWN: Mapping[str, tuple[int, ...]] = MappingProxyType({})


class SubAgent(Struct, frozen=True, omit_defaults=True):
    """Who does a part of a turn for the agent; see `session.sub_agents`."""

    id: str
    """Of the tool call in which it works, or of its own session."""
    turn: int
    """The last one in which it began."""
    key: str = ""
    """Key of that call; "": it has a session."""
    name: str = ""
    """What commands call it; no other of its turn is called so."""
    title: str = ""
    """As the agent tells it; that of a call is the call's."""
    activity: Literal["running", "done", "failed", ""] = ""
    """What the agent has told, of one with a session."""


class SessionState(Struct, frozen=True):
    """All that is known of one session. `id` is None until the agent has named it."""

    agent: str
    cwd: str
    id: str | None = None
    status: Status = "loading"
    turn: int = 0
    turn_started: float | None = None
    prompted: bool = False
    """The turn's prompt has gone to the agent: what it does from now on it does in that turn."""
    turn_ended: float | None = None
    stop_reason: str | None = None
    cut_off: bool = False
    """The agent went away in the last turn: its prompt may have run, and nobody knows how far."""
    turn_tokens: int | None = None
    """What the last turn took of the model, if the agent told it."""
    spent_before: float | None = None
    """What the session had cost when the last turn began; None: that is not known."""
    title: str | None = None
    updated_at: str | None = None
    modes: tuple[Mode, ...] = ()
    mode: str | None = None
    config: tuple[ConfigOption, ...] = ()
    commands: tuple[Command, ...] = ()
    usage: Usage | None = None
    plan: Plan | None = None
    origins: tuple[Origin, ...] = ()
    """The sessions that this one continues, the oldest first."""
    parent: str = ""
    """It is a sub-agent's: the id of the session that has begun it."""
    cancellable: bool = False
    """The agent lets a sub-agent's be cancelled."""
    sub_agents: tuple[SubAgent, ...] = ()
    queue: tuple[Prompt, ...] = ()
    questions: tuple[Question, ...] = ()
    notices: int = 0
    """How many notices this turn has: they have a bound."""
    background: tuple[BackgroundWork, ...] = ()
    """What the agent does on, be its turn over."""
    terminals: Mapping[str, Terminal] = field(default_factory=lambda: NO_TERMINALS)
    """By id; kept after their release, for a tool call may name them later (C-205)."""
    shown: Mapping[str, tuple[int, ...]] = field(default_factory=lambda: NOT_SHOWN)
    """By a terminal's id the positions of the tool calls that have named it."""
    entries: Sequence[Entry] = ()
    """A `Log` as soon as there are some."""
    index: Mapping[str, int] = field(default_factory=lambda: NO_INDEX)
    """Position in `entries` of every key."""
    latest: Mapping[str, str] = field(default_factory=lambda: NO_NAMES)
    """By a name that the agent has used again, as "tool:t1", the key of the latest entry of that
    name; the first one has the name for its key."""
    current: str | None = None
    """Key of the message that a chunk without an id goes on with; None after anything else."""

    @property
    def key(self) -> SessionKey:
        """Its name in all that is kept: the agent, and the agent's id of it ("" until named)."""
        return self.agent, self.id or ""

    @property
    def stretches(self) -> tuple[Stretch, ...]:
        """Which session had which of its turns, the oldest first."""
        return tuple(stretches(self.origins, self.key))

    @property
    def is_running(self) -> bool:
        """Whether a turn runs, be it one that is to end."""
        return self.status in ("running", "cancelling")

    def entry(self, key: str) -> Entry | None:
        """Return the entry of that key, or None."""
        position = self.index.get(key)
        return None if position is None else self.entries[position]

    def can_be_cancelled(self, work: BackgroundWork) -> bool:
        """Tell whether the agent lets that be cancelled which goes on in the background."""
        match work.kind:
            case "tool_call":
                call = self.tool_call(work.id)
                return call is not None and call.cancellable
            case "terminal":
                terminal = self.terminals.get(work.id)
                return terminal is not None and terminal.cancellable
            case _:
                return False

    def named(self, name: str) -> Entry | None:
        """Return the latest entry to which the agent has given that name, or None."""
        return self.entry(self.latest.get(name, name))

    def tool_call(self, tool_call_id: str) -> ToolCall | None:
        """Return the latest tool call of that id, or None."""
        call = self.named(f"tool:{tool_call_id}")
        return call if isinstance(call, ToolCall) else None

    @property
    def said(self) -> str:
        """What the agent said last in this turn; "" if nothing."""
        for entry in reversed(self.entries):
            if entry.turn == self.turn and isinstance(entry, Message) and entry.role == "agent":
                return "".join(getattr(block, "text", None) or "" for block in entry.content)
        return ""
