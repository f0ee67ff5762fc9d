"""A folder, an editor and the file service between them."""

from __future__ import annotations

from pathlib import Path

import pytest

from acp_nvim.errors import RequestFailed
from acp_nvim.files.roots import Roots
from acp_nvim.files.service import FileService
from acp_nvim.files.sync import DiskSync
from acp_nvim.ledger.delta import Author
from acp_nvim.session.request import ReadFileRequest, WriteFileRequest
from tests.support.fake_ports import FakeFiles
from tests.support.fake_recorder import FakeRecorder

AGENT = Author("a", "s", 1, 0.0)


class Desk:
    """A folder, an editor and the service between them, with short ways to ask."""

    def __init__(self, folder: Path, files: FakeFiles | None = None) -> None:
        self.folder = folder
        self.files = files or FakeFiles()
        self.told: list[tuple[str, str, str]] = []
        self.refused: list[tuple[str, str, str]] = []
        self.recorder = FakeRecorder()
        self.turns: dict[str, Author] = {"s": AGENT}
        self.running: Author | None = None
        self.watch = DiskSync(
            self.files, self.fault, recorder=self.recorder, author=lambda path: self.running
        )
        self.service = FileService(
            self.files,
            on_refused=lambda *told: self.refused.append(told),
            author=self.turns.get,
            recorder=self.recorder,
            watch=self.watch,
            on_read=lambda session, path: self.told.append(("read", session, path)),
            on_written=lambda session, path: self.told.append(("written", session, path)),
        )
        self.roots = Roots(str(folder))

    def fault(self, error: BaseException) -> None:
        raise error

    def deltas(self) -> list[tuple[str | None, str | None]]:
        """Return the texts of what was recorded as the agent's."""
        return [(before, after) for _, before, after, _ in self.recorder.deltas]

    def file(self, text: str | bytes, name: str = "a") -> Path:
        path = self.folder / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    async def read(self, path: Path, session: str = "s", **window: int) -> str:
        return (
            await self.service.read(ReadFileRequest(session, str(path), **window), self.roots)
        ).content

    async def write(self, path: Path, content: str, session: str = "s") -> None:
        await self.service.write(WriteFileRequest(session, str(path), content), self.roots)

    async def failure(self, path: Path, content: str | None = None) -> RequestFailed:
        with pytest.raises(RequestFailed) as caught:
            await (self.read(path) if content is None else self.write(path, content))
        return caught.value
