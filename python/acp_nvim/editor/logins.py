"""Terminals to log in with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct


class LoginProgram(Struct, frozen=True):
    """What a login in a terminal runs; `env` is the whole environment."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str


class LoginTerminals(Protocol):
    """Terminals that the user types in to log in; only ever as the result of a user's command."""

    async def run(self, title: str, program: LoginProgram) -> int | None:
        """Show it until it ends; return its exit code, None if the user closed the terminal.

        When the waiting task is cancelled the program is ended.
        """

    def ended(self, number: int, code: int | None) -> None:
        """Take the end of a terminal: its exit code, None when the user closed it."""
