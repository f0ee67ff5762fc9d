"""Facts about one session, in the past tense: what `reduce` takes.

An event carries no session id: whoever applies it knows whose it is. Times are seconds of a
monotonic clock and come from outside.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias

from acp_nvim.session.content import Content, ToolContent
from acp_nvim.session.noun import (
    Command,
    ConfigOption,
    Cost,
    Location,
    Mode,
    PendingAsk,
    PlanEntry,
    Prompt,
    Role,
    Severity,
    ToolStatus,
)


class Unset(Enum):
    """The third state of a patched field: not mentioned, so unchanged."""

    UNSET = 0


UNSET: Final = Unset.UNSET


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
