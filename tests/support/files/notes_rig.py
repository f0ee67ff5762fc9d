"""A project, an editor, and what is remembered of a session in it."""

from __future__ import annotations

from pathlib import Path

from acp_nvim.review.notes import Notes
from acp_nvim.view.review.note import Key
from tests.support.files.file_rig import FileRig

KEY = ("tutor", "session-1")
OTHER = ("tutor", "session-2")


class NotesRig(FileRig):
    """A project with files and an editor, and what is remembered of one session in it."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, folder / "kept")

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def save(self, name: str, text: str | None) -> None:
        """Make the disk hold that, as any program could."""
        file = self.folder / name
        if text is None:
            file.unlink()
        else:
            file.write_text(text, encoding="utf-8", newline="")

    def knows(self, name: str, text: str | None, key: tuple[str, str] = KEY) -> None:
        """Let the agent learn what a file holds."""
        self.knowledge.learn(key, self.path(name), text, "read")

    def saw(self, name: str, text: str) -> None:
        """Let the agent see what the disk holds."""
        self.save(name, text)
        self.knows(name, text)

    def reject(self, name: str, theirs: str | None, left: str | None) -> None:
        """Let the user reject something of a file that held `theirs`."""
        self.lessons.rejected(KEY, self.path(name), theirs)
        self.save(name, left)

    def rejected_and_changed(self) -> None:
        """Let there be something for each note: a.py was rejected, b.py changed by the user."""
        self.saw("a.py", "bad\n")
        self.saw("b.py", "x\n")
        self.reject("a.py", "bad\n", "good\n")
        self.save("b.py", "y\n")

    async def draft(self) -> Notes:
        return await self.lessons.draft(KEY, self.roots)

    async def notes(self) -> dict[Key, str]:
        """Return what the notes say, without the sentence that they begin with."""
        return {note.key: note.diff for note in (await self.draft()).notes}

    async def labels(self) -> list[str]:
        return [note.label for note in (await self.draft()).notes]

    async def send(self) -> None:
        """Let a prompt take along what there is."""
        self.lessons.sent(KEY, await self.draft())
