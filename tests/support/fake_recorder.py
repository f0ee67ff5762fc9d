"""A recorder that keeps what it is told."""

from __future__ import annotations

from acp_nvim.files.recorder import Recorder
from acp_nvim.ledger.conflict import Clash
from acp_nvim.ledger.deed import Author


class FakeRecorder(Recorder):
    """`wrote` keeps no deed that changed nothing, as it is agreed."""

    def __init__(self) -> None:
        self.deeds: list[tuple[str, str | None, str | None, Author]] = []
        self.clashes: list[Clash] = []
        self.over: list[str] = []

    def wrote(self, path: str, before: str | None, after: str | None, author: Author) -> None:
        if before != after:
            self.deeds.append((path, before, after, author))

    def clashed(self, clash: Clash) -> None:
        self.clashes.append(clash)

    def settled(self, path: str) -> None:
        self.over.append(path)
