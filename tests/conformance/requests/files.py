"""A stage for the file obligations: short ways to ask for files, and to look at the disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.agents.scripted_agent import SESSION
from tests.support.fakes.fake_ports import FakeFiles
from tests.support.stage import Stage


class Files(Stage):
    """A stage whose agent asks for files; an answer is the result, or the code of the error."""

    files: FakeFiles

    async def read(self, path: Path | str, session: str = SESSION, **window: Any) -> Any:
        """Return the text."""
        params = {"sessionId": session, "path": str(path), **window}
        answer = await self.agent.ask("fs/read_text_file", params)
        return answer["result"]["content"] if "result" in answer else answer["error"]["code"]

    async def write(self, path: Path | str, text: str, session: str = SESSION) -> Any:
        """Return the result."""
        params = {"sessionId": session, "path": str(path), "content": text}
        answer = await self.agent.ask("fs/write_text_file", params)
        return answer["result"] if "result" in answer else answer["error"]["code"]


def put(path: Path, text: str | bytes) -> None:
    path.write_bytes(text.encode() if isinstance(text, str) else text)


def text_of(path: Path) -> str:
    return path.read_bytes().decode()


def tree(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))
