"""Facts about one session, in the past tense: what `reduce` takes.

An event carries no session id: whoever applies it knows whose it is. Times are seconds of a
monotonic clock and come from outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal, TypeAlias

from acp_nvim.session.content import Content, ToolContent


class Unset(Enum):
    """The third state of a patched field: not mentioned, so unchanged."""

    UNSET = 0


UNSET: Final = Unset.UNSET

Role: TypeAlias = Literal["user", "agent", "thought"]
ToolStatus: TypeAlias = Literal["pending", "in_progress", "completed", "failed", "cancelled"]
Severity: TypeAlias = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Mode:
    """A session mode that can be chosen."""

    id: str
    name: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class ConfigChoice:
    """One value of a select option; `group` is the name of its group, if any."""

    value: str
    name: str
    description: str | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class ConfigOption:
    """A session config option; `value` is a choice's value, or a bool when `type` is boolean."""

    id: str
    name: str
    type: Literal["select", "boolean"]
    value: str | bool
    category: str | None = None
    description: str | None = None
    choices: tuple[ConfigChoice, ...] = ()


@dataclass(frozen=True, slots=True)
class Command:
    """A slash command of the agent; `name` without the slash."""

    name: str
    description: str
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class PlanEntry:
    """One step of a plan; unknown priorities and statuses are kept as the agent wrote them."""

    content: str
    priority: str
    status: str


@dataclass(frozen=True, slots=True)
class Cost:
    """Cumulative cost of the session; `currency` is ISO 4217 as sent."""

    amount: float
    currency: str


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file that a tool call works on; `line` is 1-based, None if not said."""

    path: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """Lines of a buffer that go with a prompt; `mark` finds them again when it is sent.

    `first` and `last` are 1-based and inclusive; `lines` is what they held when chosen, used only
    if the buffer is gone by then. `path` is None for a buffer without a file.
    """

    buffer: int
    mark: int
    path: str | None
    first: int
    last: int
    lines: tuple[str, ...]
    filetype: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the user wants to say: ready blocks, and selections that are read when it is sent."""

    blocks: tuple[Content, ...]
    selections: tuple[Selection, ...] = ()


@dataclass(frozen=True, slots=True)
class PermissionOption:
    """One answer that the agent offers; `kind` as sent (allow_once, reject_always, …)."""

    id: str
    name: str
    kind: str


@dataclass(frozen=True, slots=True)
class PendingAsk:
    """A question to the user that waits for an answer; `id` is ours, unique in the host."""

    id: str
    kind: Literal["permission"]
    tool_call_id: str
    options: tuple[PermissionOption, ...]


# --- facts from the agent


@dataclass(frozen=True, slots=True)
class SessionOpened:
    """`session/new` (or a load, a resume) was answered."""

    session_id: str
    modes: tuple[Mode, ...] = ()
    mode: str | None = None
    config: tuple[ConfigOption, ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkReceived:
    """A piece of a message (v1/prompt-turn § Message IDs)."""

    role: Role
    content: Content
    message_id: str | None = None


@dataclass(frozen=True, slots=True)
class ToolCallUpdated:
    """A `tool_call`, a `tool_call_update`, or the `toolCall` of a permission: always an upsert."""

    id: str
    title: str | Unset = UNSET
    kind: str | Unset = UNSET
    status: ToolStatus | Unset = UNSET
    content: tuple[ToolContent, ...] | Unset = UNSET
    locations: tuple[Location, ...] | Unset = UNSET
    raw_input: str | Unset = UNSET
    """JSON text, as compact as it came; an empty object is left UNSET (C-164)."""
    raw_output: str | Unset = UNSET


@dataclass(frozen=True, slots=True)
class PlanReplaced:
    """The whole plan, anew (C-265)."""

    entries: tuple[PlanEntry, ...]
    plan_id: str = "default"


@dataclass(frozen=True, slots=True)
class CommandsReplaced:
    """The whole list of slash commands."""

    commands: tuple[Command, ...]


@dataclass(frozen=True, slots=True)
class ModeChanged:
    """The current mode is another one; the id need not be in the list (C-248)."""

    mode: str


@dataclass(frozen=True, slots=True)
class ConfigReplaced:
    """The whole list of config options."""

    options: tuple[ConfigOption, ...]


@dataclass(frozen=True, slots=True)
class InfoChanged:
    """Title and time of last activity; None clears, UNSET keeps (C-273)."""

    title: str | Unset | None = UNSET
    updated_at: str | Unset | None = UNSET


@dataclass(frozen=True, slots=True)
class UsageChanged:
    """Context tokens used and available; a missing cost keeps the last one."""

    used: int
    size: int
    cost: Cost | None = None


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something to be said plainly in the transcript, by the agent or by us."""

    text: str
    severity: Severity = "info"


@dataclass(frozen=True, slots=True)
class Unknown:
    """An update of a kind that this client does not know; kept for the log only."""

    kind: str
    raw: str


# --- facts from this side


@dataclass(frozen=True, slots=True)
class PromptQueued:
    """A prompt waits until the turn ends; `first` puts it at the head."""

    prompt: Prompt
    first: bool = False


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A prompt leaves for the agent; `queued` when it came from the head of the queue."""

    prompt: Prompt
    at: float
    queued: bool = False


@dataclass(frozen=True, slots=True)
class PromptSent:
    """The blocks as they went out, selections read: replaces what the turn's prompt shows."""

    blocks: tuple[Content, ...]


@dataclass(frozen=True, slots=True)
class CancelRequested:
    """The user cancelled the running turn; open tool calls are shown as cancelled (C-141)."""


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The prompt was answered, or never will be: `stop_reason` is None after an error."""

    at: float
    stop_reason: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class AskOpened:
    """The agent waits for the user."""

    ask: PendingAsk


@dataclass(frozen=True, slots=True)
class AskClosed:
    """An ask was answered or withdrawn; `option_id` None when nothing was chosen."""

    id: str
    option_id: str | None = None


@dataclass(frozen=True, slots=True)
class SessionClosed:
    """Nothing more will come: stopped, or the agent is gone. `reason` is a sentence or None."""

    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SessionReopening:
    """A closed session is being opened again; `replay` empties the transcript first."""

    replay: bool = False


Event: TypeAlias = (
    SessionOpened
    | ChunkReceived
    | ToolCallUpdated
    | PlanReplaced
    | CommandsReplaced
    | ModeChanged
    | ConfigReplaced
    | InfoChanged
    | UsageChanged
    | Noticed
    | Unknown
    | PromptQueued
    | TurnStarted
    | PromptSent
    | CancelRequested
    | TurnEnded
    | AskOpened
    | AskClosed
    | SessionClosed
    | SessionReopening
)
