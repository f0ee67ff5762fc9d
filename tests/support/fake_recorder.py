"""A recorder that keeps what it is told."""

from __future__ import annotations

from acp_nvim.files.recorder import Recorder
from acp_nvim.ledger.conflict import Conflict
from acp_nvim.ledger.delta import Author


class FakeRecorder(Recorder):
    """`wrote` keeps no delta that changed nothing, as it is agreed."""

    def __init__(self) -> None:
        self.deltas: list[tuple[str, str | None, str | None, Author]] = []
        self.conflicts: list[Conflict] = []
        self.over: list[str] = []

    def wrote(self, path: str, before: str | None, after: str | None, author: Author) -> None:
        if before != after:
            self.deltas.append((path, before, after, author))

    def conflicted(self, conflict: Conflict) -> None:
        self.conflicts.append(conflict)

    def settled(self, path: str) -> None:
        self.over.append(path)
