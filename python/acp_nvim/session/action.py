"""What the user wants of the session, in the imperative: what `decide` takes."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from acp_nvim.session.model import Prompt


class SubmitPrompt(Struct, frozen=True):
    """Say this; at once if nothing runs, else after the turn, or instead of it (`interrupt`)."""

    prompt: Prompt
    at: float
    interrupt: bool = False


class SendQueued(Struct, frozen=True):
    """Start the next turn from the queue, if nothing runs and something waits."""

    at: float


class ArrangeQueue(Struct, frozen=True):
    """Let just these prompts wait, in this order."""

    prompts: tuple[Prompt, ...]


class CancelTurn(Struct, frozen=True):
    """Cancel the running turn; the queue stays."""


class SetMode(Struct, frozen=True):
    """Switch to another session mode."""

    mode: str


class SetOption(Struct, frozen=True):
    """Give a config option another value; a bool for a boolean one."""

    option: str
    value: str | bool


Action: TypeAlias = SubmitPrompt | SendQueued | ArrangeQueue | CancelTurn | SetMode | SetOption


class Refused(Struct, frozen=True):
    """The action is not possible now; `reason` is a sentence that says what to do."""

    reason: str
