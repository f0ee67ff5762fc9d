"""Nothing of the user's is lost, whichever way the agent edits: the steps that show it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.agents.script import Agent
    from tests.support.main_job import MainJob

TEXT = "one\ntwo\nthree\nfour\nfive\n"


class Safety:
    """Steps of `Script`."""

    agent: Agent
    job: MainJob
    asked: int

    def step_unsaved(self) -> str:
        """An edit goes into a buffer with unsaved text; the turn is taken back and returned."""
        self.needs_script()
        path = self.job.edit("unsaved.txt", TEXT)
        buffer = self.job.nvim.eval("bufnr()")
        self._turn(f"read:{path}")
        self._typed(buffer, 4, "mine, not saved")
        self._turn(self.agent.edit.format(path=path))
        mine = [*TEXT.replace("two", "TWO").splitlines()]
        mine[4] = "mine, not saved"
        self.until(lambda: self.job.nvim.lines(buffer) == mine)  # past the editor: after the turn
        self._command("Acp undo")
        self.until(lambda: "two" in self.job.nvim.lines(buffer))
        assert self.job.nvim.lines(buffer)[4] == "mine, not saved"
        self._command("Acp redo")
        self.until(lambda: self.job.nvim.lines(buffer) == mine)
        return self._way(path)

    def step_twice(self) -> None:
        """The agent edits, and then writes its own text to the disk: as OpenCode and Kilo do."""
        self.needs_script()
        path = self.job.edit("twice.txt", TEXT)
        buffer = self.job.nvim.eval("bufnr()")
        self._turn(f"read:{path}")
        self._typed(buffer, 4, "mine, not saved")
        again = TEXT.replace("two", "TWO").replace("\n", "\\n")
        edit = self.agent.edit.format(path=path)
        again = self.agent.running(f"printf '{again}' > twice.txt")
        self._turn(f"{edit}\n{again}")
        mine = [*TEXT.replace("two", "TWO").splitlines()]
        mine[4] = "mine, not saved"
        assert self.job.nvim.lines(buffer) == mine, self.job.nvim.lines(buffer)
        self._command("Acp undo")
        self.until(lambda: "two" in self.job.nvim.lines(buffer))
        assert self.job.nvim.lines(buffer)[4] == "mine, not saved"

    def step_shell(self) -> str:
        """A shell command changes, makes and removes files; all of it is reviewed and goes back."""
        self.needs_script()
        opened = self.job.edit("opened.txt", TEXT)
        buffer = self.job.nvim.eval("bufnr()")
        closed, gone, new = (self.job.work / name for name in ("closed.txt", "gone.txt", "new.txt"))
        closed.write_text(TEXT)
        gone.write_text(TEXT)
        before = self._files(opened, closed, gone, new)
        change = "sed -i s/two/TWO/ opened.txt closed.txt"
        self._turn(self.agent.running(f"{change} && rm gone.txt && echo new > new.txt"))
        after = self._files(opened, closed, gone, new)
        assert before != after, "the command has changed nothing"
        paths = {Path(it["path"]).name for it in self._pending()}
        assert paths >= {"opened.txt", "closed.txt", "gone.txt", "new.txt"}, paths
        self.until(lambda: "TWO" in self.job.nvim.lines(buffer))
        self._command("Acp undo")
        self.until(lambda: self._files(opened, closed, gone, new) == before)
        assert "two" in self.job.nvim.lines(buffer)
        self._command("Acp redo")
        self.until(lambda: self._files(opened, closed, gone, new) == after)
        self._command("Acp reject all")
        self.until(lambda: self._files(opened, closed, gone, new) == before)
        return f"ok, 4 files, {self.asked} asked"

    def step_learn(self) -> None:
        """What was rejected goes along with the next prompt, and the turn after it has no more."""
        self.needs_script()
        path = self.job.edit("learn.txt", TEXT)
        self._turn(f"read:{path}")
        self._turn(self.agent.edit.format(path=path))
        self.until(lambda: self._pending())
        self._command("Acp reject all")
        self.until(lambda: "TWO" not in path.read_text())
        self._turn("say:understood")
        told = self.texts("user")[-1]
        # the name of what goes along; its text for an agent that takes none
        assert "rejected" in told, f"it was not told: {told!r}"
        self._turn("say:and now")
        assert "rejected" not in self.texts("user")[-1], "it was told twice"

    def _turn(self, text: str) -> None:
        """Run a turn whose script ends with its line: some agents put what goes along behind it."""
        self.turn(f"{text}\nsay:done")

    def _way(self, path: Path) -> str:
        """Return which way the agent's edit came."""
        written = [it for it in self.job.events("AcpFileWritten") if it["path"] == str(path)]
        return f"ok, told {len(written)} times"

    def _pending(self) -> list[dict[str, Any]]:
        edits = self.job.inspect()["edits"]
        return [it for it in edits if any(hunk["state"] == "pending" for hunk in it["hunks"])]

    def _files(self, *paths: Path) -> list[str | None]:
        return [_text(path) for path in paths]

    def _typed(self, buffer: int, row: int, text: str) -> None:
        self.job.nvim.api.nvim_buf_set_lines(buffer, row, row + 1, True, [text])

    def _command(self, command: str) -> None:
        self.job.command(command)

    if TYPE_CHECKING:

        def needs_script(self) -> None: ...
        def turn(self, text: str) -> None: ...
        def until(self, predicate: Any) -> Any: ...
        def texts(self, kind: str) -> list[str]: ...


def _text(path: Path) -> str | None:
    """Return what a file holds; None for one that is not there, or goes this moment."""
    try:
        return path.read_text()
    except FileNotFoundError:
        return None
