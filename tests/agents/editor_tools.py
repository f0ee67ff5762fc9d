"""The editor as the agent's tool: diagnostics of unsaved text, a rename, and what was rejected."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.agents.skipped import Skipped
from tests.support.tools.tools_job import PYLSP

if TYPE_CHECKING:
    from tests.agents.script import Agent
    from tests.support.main_job import MainJob

A = "def total(values):\n    return sum(values)\n"
B = "from a import total\n\nprint(total([1]))\n"
UNSAVED = "print(nowhere)"


class EditorTools:
    """A step of `Script`."""

    agent: Agent
    job: MainJob

    def step_editor(self) -> str:
        """It is told the unsaved text; its rename is reviewed; it learns what was rejected."""
        self.needs_script()
        if not self.agent.editor:
            raise Skipped("its names of MCP tools are not known")
        pylsp = str(Path(sys.executable).with_name("pylsp"))
        self.job.nvim.lua(PYLSP, pylsp, {"jedi_completion": {"enabled": False}})
        a = self.job.edit("a.py", A)
        b = self.job.edit("b.py", B)
        buffer = self.job.nvim.eval("bufnr()")
        self.job.nvim.api.nvim_buf_set_lines(buffer, -1, -1, True, [UNSAVED])
        self._asks("read_file", path=str(b))
        assert UNSAVED in self._answer(), self._answer()
        self._asks("diagnostics", path=str(b))
        assert "undefined name 'nowhere'" in self._answer(), self._answer()
        self._asks("rename", path=str(a), line=1, symbol="total", to="add")
        assert str(a) in self._answer() and str(b) in self._answer(), self._answer()
        self.until(lambda: len(self._waiting()) == 2)
        assert self.job.nvim.lines(buffer)[2:] == ["print(add([1]))", UNSAVED]
        self.job.command("Acp reject all because it is called total elsewhere")
        self.until(lambda: not self._waiting())
        assert self.job.nvim.lines(buffer) == [*B.splitlines(), UNSAVED]
        self._asks("review")
        assert "it is called total elsewhere" in self._answer(), self._answer()
        self.job.command("bwipeout!")
        return f"ok, {self.asked} asked"

    def _asks(self, tool: str, **arguments: Any) -> None:
        name = self.agent.editor.format(tool=tool)
        self.turn(f"tool:{name}:{json.dumps(arguments)}\nsay:done")

    def _answer(self) -> str:
        """Return what the last tool call has answered, as the chat has it."""
        return json.dumps(self.tools()[-1]).replace("\\\\", "\\").replace('\\"', '"')

    def _waiting(self) -> list[dict[str, Any]]:
        edits = self.job.inspect()["edits"]
        return [it for it in edits if any(hunk["state"] == "pending" for hunk in it["hunks"])]

    if TYPE_CHECKING:
        asked: int

        def needs_script(self) -> None: ...
        def turn(self, text: str) -> None: ...
        def tools(self) -> list[dict[str, Any]]: ...
        def until(self, predicate: Any) -> Any: ...
