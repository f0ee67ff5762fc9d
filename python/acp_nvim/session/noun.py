"""The nouns of a session: what events speak of and the state is made of. Values only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from acp_nvim.session.content import Content

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
