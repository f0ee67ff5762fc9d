"""Facts about one session, in the past tense: what `reduce` takes.

An event carries no session id: whoever applies it knows whose it is. Times are seconds of a
monotonic clock and come from outside.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from acp_nvim.session.content import Content, ToolContent
from acp_nvim.session.model import (
    NOTHING_CHOSEN,
    BackgroundWork,
    Chosen,
    Command,
    ConfigOption,
    Cost,
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
from acp_nvim.session.origin import Origin
from acp_nvim.session.state import Entry, SubAgent
from acp_nvim.session.terminal import ExitStatus


class Unset(Enum):
    """The third state of a patched field: not mentioned, so unchanged."""

    UNSET = 0


UNSET: Final = Unset.UNSET


# --- facts from the agent


class SessionOpened(Struct, frozen=True):
    """`session/new` (or a load, a resume) was answered."""

    session_id: str
    modes: tuple[Mode, ...] = ()
    mode: str | None = None
    config: tuple[ConfigOption, ...] | None = None
    """None: an answer to a load or a resume told nothing of them, so what is known stays."""
    models: ConfigOption | None = None
    """The list of models of older agents, which is in no schema."""
    commands: tuple[Command, ...] | None = None
    """The slash commands, if the answer tells them; None: what is known stays."""
    replayed: bool = False
    """It was loaded: tool calls that are still open were cut off long ago."""


class ChunkReceived(Struct, frozen=True):
    """A piece of a message (v1/prompt-turn § Message IDs)."""

    role: Role
    content: Content
    message_id: str | None = None


class MessageUpdated(Struct, frozen=True):
    """A whole message, or what has changed of it: an upsert. Other messages stay as they are."""

    role: Role
    message_id: str
    content: tuple[Content, ...] | Unset = UNSET
    """In place of what was known."""


class ToolCallUpdated(Struct, frozen=True):
    """A `tool_call`, a `tool_call_update`, or the `toolCall` of a permission: always an upsert."""

    id: str
    title: str | Unset = UNSET
    kind: str | Unset = UNSET
    status: ToolStatus | Unset = UNSET
    content: tuple[ToolContent, ...] | Unset = UNSET
    locations: tuple[Location, ...] | Unset = UNSET
    raw_input: str | Unset | None = UNSET
    """JSON text, as compact as it came; an empty object is left UNSET (C-164)."""
    raw_output: str | Unset | None = UNSET
    name: str | Unset | None = UNSET
    """What the agent's program calls the tool, as in `read_file`."""
    more: tuple[ToolContent, ...] = ()
    """Content that follows what was known."""
    cancellable: bool | Unset = UNSET
    """The agent lets it be cancelled by itself, when its turn is over."""
    parent: str = ""
    """Id of the call, a sub-agent's, in which this one was made; "" if that was not said."""


class BackgroundChanged(Struct, frozen=True):
    """All that the agent does on, be its turn over."""

    work: tuple[BackgroundWork, ...]


class PlanReplaced(Struct, frozen=True):
    """The whole plan, anew (C-265)."""

    entries: tuple[PlanEntry, ...]
    plan_id: str = "default"


class CommandsReplaced(Struct, frozen=True):
    """The whole list of slash commands."""

    commands: tuple[Command, ...]


class ModeChanged(Struct, frozen=True):
    """The current mode is another one; the id need not be in the list (C-248)."""

    mode: str


class ConfigReplaced(Struct, frozen=True):
    """The whole list of config options."""

    options: tuple[ConfigOption, ...]


class InfoChanged(Struct, frozen=True):
    """Title and time of last activity; None clears, UNSET keeps (C-273)."""

    title: str | Unset | None = UNSET
    updated_at: str | Unset | None = UNSET


class UsageChanged(Struct, frozen=True):
    """Context tokens used and available; a missing cost keeps the last one, and so do limits."""

    used: int
    size: int
    cost: Cost | None = None
    limits: tuple[RateLimit, ...] = ()


class Noticed(Struct, frozen=True):
    """Something to be said plainly in the transcript, by the agent or by us."""

    text: str
    severity: Severity = "info"
    mark: Mark = ""


class NoticeOver(Struct, frozen=True):
    """What a "passing" notice with that text has told of is over."""

    text: str


class CompactionUpdated(Struct, frozen=True):
    """What is known of a compaction of the context: an upsert (v1, `CompactionUpdate`)."""

    id: str
    status: str | Unset = UNSET
    """Open: in_progress, completed, failed, cancelled, or what the agent says."""
    summary: tuple[Content, ...] | Unset = UNSET
    """In place of what was known."""
    more: tuple[Content, ...] = ()
    """Content that follows what was known."""
    error: str | Unset | None = UNSET


class SubAgentUpdated(Struct, frozen=True):
    """What is known of a sub-agent that has a session of its own: an upsert."""

    id: str
    """Of that session."""
    title: str | Unset | None = UNSET
    cancellable: bool | Unset = UNSET
    activity: Literal["running", "done", "failed", ""] | Unset = UNSET
    reported: ReportedState | Unset = UNSET
    """The same as the agent has said it."""
    cwd: str | Unset | None = UNSET
    """Where it works; None: where its agent does."""


class ReportedState(Struct, frozen=True):
    """What an agent says that it is at: idle, running, requires_action, or any other word."""

    state: str
    stop_reason: str | None = None
    error: str | None = None


class MessageExchanged(Struct, frozen=True):
    """What a session has said to another one, or heard from it: an upsert."""

    id: str
    sender: str | Unset | None = UNSET
    recipient: str | Unset | None = UNSET
    content: tuple[Content, ...] | Unset = UNSET
    """In place of what was known."""
    more: tuple[Content, ...] = ()
    """Content that follows what was known."""


class Unknown(Struct, frozen=True):
    """An update of a kind that this client does not know; kept for the log only."""

    kind: str
    raw: str


class TerminalUpdated(Struct, frozen=True):
    """What is known of a terminal: an upsert, whether it is ours or the agent's own."""

    id: str
    command: str | Unset = UNSET
    tail: str | Unset = UNSET
    """The end of the output, in place of what was known."""
    more: str = ""
    """Output that follows what was known."""
    exit: ExitStatus | Unset | None = UNSET
    cancellable: bool | Unset = UNSET
    """The agent lets it be cancelled by itself."""
    cwd: str | Unset = UNSET
    size: tuple[int, int] | Unset | None = UNSET
    env: tuple[tuple[str, str], ...] | Unset = UNSET


# --- facts from this side


class PromptQueued(Struct, frozen=True):
    """A prompt waits until the turn ends; `first` puts it at the head."""

    prompt: Prompt
    first: bool = False


class QueueArranged(Struct, frozen=True):
    """The user has put what waits into this order, and dropped the rest."""

    prompts: tuple[Prompt, ...]


class TurnStarted(Struct, frozen=True):
    """A prompt leaves for the agent; `queued` when it came from the head of the queue.

    `by_agent`: the agent has begun by itself, without a prompt.
    """

    prompt: Prompt
    at: float
    queued: bool = False
    by_agent: bool = False


class PromptSent(Struct, frozen=True):
    """The blocks as they went out, selections read: replaces what the turn's prompt shows."""

    blocks: tuple[Content, ...]


class PromptSteered(Struct, frozen=True):
    """What the user said while the turn ran, and the agent has taken into it."""

    blocks: tuple[Content, ...]


class CancelRequested(Struct, frozen=True):
    """The user cancelled the running turn; open tool calls are shown as cancelled (C-141)."""


class TurnEnded(Struct, frozen=True):
    """The prompt was answered, or never will be: `stop_reason` is None after an error."""

    at: float
    stop_reason: str | None = None
    error: str | None = None
    tokens: int | None = None
    """What the turn took of the model, if the agent tells it."""
    cut_off: bool = False
    """Nobody knows how far it came; what happened is said by the session's own end."""


class CallChangedFile(Struct, frozen=True):
    """That tool call has changed a file: we have seen so, whatever the agent says of it."""

    tool_call_id: str
    change: LineCount


class TurnMeasured(Struct, frozen=True):
    """What a turn that is over has changed in files in the end."""

    turn: int
    changes: tuple[LineCount, ...]


class QuestionOpened(Struct, frozen=True):
    """The agent waits for the user."""

    question: Question


class QuestionClosed(Struct, frozen=True):
    """A question was answered or withdrawn; `option_id` None when nothing was chosen."""

    id: str
    option_id: str | None = None


class SessionClosed(Struct, frozen=True):
    """Nothing more will come: stopped, or the agent is gone. `reason` is a sentence or None."""

    reason: str | None = None


class SessionReopening(Struct, frozen=True):
    """A closed session is being opened again; `replay` empties the transcript first."""

    replay: bool = False
    session_id: str | None = None
    """Whose id it is, where the session does not know it yet."""


class TranscriptRestored(Struct, frozen=True):
    """The transcript is one that was kept: of another Neovim, or before a load that failed."""

    entries: Sequence[Entry]
    title: str | None = None
    chosen: Chosen = NOTHING_CHOSEN
    origins: tuple[Origin, ...] = ()
    """The sessions that had these turns before; () leaves what is known."""
    sub_agents: tuple[SubAgent, ...] = ()
    """Those that have a session."""


Event: TypeAlias = (
    SessionOpened
    | ChunkReceived
    | MessageUpdated
    | BackgroundChanged
    | ToolCallUpdated
    | TerminalUpdated
    | PlanReplaced
    | CommandsReplaced
    | ModeChanged
    | ConfigReplaced
    | InfoChanged
    | UsageChanged
    | Noticed
    | NoticeOver
    | CompactionUpdated
    | SubAgentUpdated
    | MessageExchanged
    | Unknown
    | PromptQueued
    | QueueArranged
    | TurnStarted
    | PromptSent
    | PromptSteered
    | CancelRequested
    | TurnEnded
    | CallChangedFile
    | TurnMeasured
    | QuestionOpened
    | QuestionClosed
    | SessionClosed
    | SessionReopening
    | TranscriptRestored
)
