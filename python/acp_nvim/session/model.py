"""The nouns of a session: what events speak of and the state is made of. Values only."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from acp_nvim.session.content import Content, ToolContent
from acp_nvim.session.elicitation.model import Elicitation
from acp_nvim.session.stored import Stored

Role: TypeAlias = Literal["user", "agent", "thought"]
ToolStatus: TypeAlias = Literal[
    "pending", "in_progress", "completed", "failed", "cancelled", "ended"
]
"""`cancelled`: cut off, or refused by the user; `ended`: its turn ended well, and nobody said how
it did."""
Severity: TypeAlias = Literal["info", "warning", "error"]
Mark: TypeAlias = Literal["", "cut_off", "anew", "passing"]
"""What a notice stands for: its turn was cut off; the agent knows nothing of what is above; or it
only holds for a while."""
How: TypeAlias = Literal["done", "failed", "cancelled", "refused", "stopped"]
"""How a turn has ended."""


class Mode(Stored, frozen=True):
    """A session mode that can be chosen."""

    id: str
    name: str
    description: str | None = None


class ConfigChoice(Stored, frozen=True):
    """One value of a select option; `group` is the name of its group, if any."""

    value: str
    name: str
    description: str | None = None
    group: str | None = None


class ConfigOption(Stored, frozen=True):
    """A session config option; `value` is a choice's value, or a bool when `type` is boolean."""

    id: str
    name: str
    type: Literal["select", "boolean"]
    value: str | bool
    category: str | None = None
    description: str | None = None
    choices: tuple[ConfigChoice, ...] = ()
    way: Literal["set_config_option", "set_model"] = "set_config_option"
    """The request that sets it; `set_model` for the list of models of older agents."""


class Chosen(Stored, frozen=True):
    """What was set in a session, as it is kept for an agent that does not tell it again."""

    config: tuple[ConfigOption, ...] = ()
    modes: tuple[Mode, ...] = ()
    mode: str | None = None


NOTHING_CHOSEN: Final = Chosen()


class BackgroundWork(Struct, frozen=True):
    """What an agent does on, be its turn over: a `terminal` or a `tool_call`, or what it says."""

    kind: str
    id: str


class Command(Struct, frozen=True):
    """A slash command of the agent; `name` without the slash."""

    name: str
    description: str
    hint: str | None = None


class PlanEntry(Struct, frozen=True):
    """One step of a plan; unknown priorities and statuses are kept as the agent wrote them."""

    content: str
    priority: str
    status: str


class ListedSession(Struct, frozen=True):
    """A session that the agent knows (v1/session-list); `updated_at` as sent, ISO 8601 if valid."""

    id: str
    cwd: str
    title: str | None = None
    updated_at: str | None = None
    additional_directories: tuple[str, ...] = ()


class Cost(Stored, frozen=True):
    """Cumulative cost of the session; `currency` is ISO 4217 as sent."""

    amount: float
    currency: str


class LineCount(Stored, frozen=True):
    """Lines that were added to a file, and removed from it."""

    path: str
    added: int
    removed: int


class RateLimit(Struct, frozen=True):
    """How much the user's account has used of what it may use in a stretch of time."""

    name: str
    """As the agent calls it: `five_hour`."""
    used: float
    """From 0 to 1."""
    resets_at: int | None = None
    """Seconds since 1970."""


class Location(Stored, frozen=True):
    """A place in a file that a tool call works on; `line` is 1-based, None if not said."""

    path: str
    line: int | None = None


class Selection(Stored, frozen=True):
    """Lines of a buffer that go with a prompt; `mark` finds them again when it is sent.

    `first` and `last` are 1-based and inclusive; `lines` is what they held when chosen, used only
    if they are gone by then. `path` is None for a buffer without a file.
    """

    buffer: int
    mark: int
    path: str | None
    first: int
    last: int
    lines: tuple[str, ...]
    filetype: str = ""


class Mention(Stored, frozen=True):
    """An `@…` in a prompt: the names that it may stand for, the longest first.

    There are several only where it ends in punctuation: `@a.py.` may mean `a.py`.
    """

    names: tuple[str, ...]


class Prompt(Stored, frozen=True):
    """What the user wants to say: ready blocks, and what is read when it is sent."""

    blocks: tuple[Content, ...]
    selections: tuple[Selection, ...] = ()
    held: bool = False
    """Only the user sends it: it was refused for want of a login (C-054), or waited for a turn of
    which nobody knows how far it came."""
    until_answer: bool = False
    """It is held only until the user has said what becomes of that turn."""
    mentions: tuple[Mention, ...] = ()


class PermissionOption(Struct, frozen=True):
    """One answer that the agent offers; `kind` as sent (allow_once, reject_always, …)."""

    id: str
    name: str
    kind: str


class Subject(Struct, frozen=True):
    """What a question is about: its title, and the diffs or texts that say it all."""

    title: str
    content: tuple[ToolContent, ...] = ()
    kind: str = "edit"
    cwd: str = ""
    """Where a command would run, if that is told."""
    raw_input: str | None = None
    """What the agent says of a command, as JSON: its arguments, variables, input."""


class PermissionQuestion(Struct, frozen=True):
    """May this tool call, or what the subject says, go on? `id` is ours, as below."""

    id: str
    tool_call_id: str
    options: tuple[PermissionOption, ...]
    subject: Subject | None = None
    """What it is about, where that is no tool call."""
    asks: str = ""
    """The agent's own words for what it wants to know; "" if the tool call says it."""
    is_ours: bool = False
    """It is acp.nvim that asks, not the agent."""


class ElicitationQuestion(Struct, frozen=True):
    """What does the user say to this form or link? `id` is ours, unique in the host."""

    id: str
    elicitation: Elicitation
    tool_call_id: str = ""
    """The tool call that it is about; "" if it is about none."""


Question: TypeAlias = PermissionQuestion | ElicitationQuestion
"""A question to the user that waits for an answer."""
