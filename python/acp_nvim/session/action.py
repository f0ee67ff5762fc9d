"""What the user wants of the session, in the imperative: what `decide` takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from acp_nvim.session.model import Prompt


@dataclass(frozen=True, slots=True)
class SubmitPrompt:
    """Say this; at once if nothing runs, else after the turn, or instead of it (`interrupt`)."""

    prompt: Prompt
    at: float
    interrupt: bool = False


@dataclass(frozen=True, slots=True)
class SendQueued:
    """Start the next turn from the queue, if nothing runs and something waits."""

    at: float


@dataclass(frozen=True, slots=True)
class ArrangeQueue:
    """Let just these prompts wait, in this order."""

    prompts: tuple[Prompt, ...]


@dataclass(frozen=True, slots=True)
class CancelTurn:
    """Cancel the running turn; the queue stays."""


@dataclass(frozen=True, slots=True)
class SetMode:
    """Switch to another session mode."""

    mode: str


@dataclass(frozen=True, slots=True)
class SetOption:
    """Give a config option another value; a bool for a boolean one."""

    option: str
    value: str | bool


Action: TypeAlias = SubmitPrompt | SendQueued | ArrangeQueue | CancelTurn | SetMode | SetOption


@dataclass(frozen=True, slots=True)
class Refused:
    """The action is not possible now; `reason` is a sentence that says what to do."""

    reason: str
