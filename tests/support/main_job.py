"""A Neovim with the real host, and an agent that the test plays: the main job, end to end.

with MainJob() as job:
    agent = job.start()
    job.command("AcpPrompt hello")
    prompt = agent.prompted()
"""

from __future__ import annotations

import os
import signal
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from acp_nvim.transport import group
from tests.support.agents.stdio_agent import PATIENCE, AgentStage, StdioAgent
from tests.support.nvim import Neovim

RECORD = """
_G.acp_events = {}
vim.api.nvim_create_autocmd('User', {
  pattern = 'Acp*',
  callback = function(event)
    table.insert(_G.acp_events, { event.match, event.data })
  end,
})
"""

PATIENT = """
local time = 0
require('acp.ask.answer').now = function()
  time = time + 1000
  return time
end
"""
"""A clock of the questions by which nobody is ever too quick for one that has just come."""


class MainJob:
    """`options` are merged into `vim.g.acp`; the agent's name is "scripted"."""

    def __init__(self, options: dict[str, Any] | None = None) -> None:
        self._stack = ExitStack()
        self.folder = Path(
            # What the test has let go of may still write there while it is removed.
            self._stack.enter_context(
                tempfile.TemporaryDirectory(prefix="acp", ignore_cleanup_errors=True)
            )
        ).resolve()
        self.stage = AgentStage(self.folder)
        self._stack.callback(self.stage.close)
        self.work = self.folder / "work"
        self.work.mkdir()
        agents = {"scripted": self.stage.options()} | (options or {}).get("agents", {})
        merged = {"default_agent": "scripted"} | (options or {}) | {"agents": agents}
        self.nvim = self._stack.enter_context(Neovim(merged, cwd=self.work))
        self.prompt: dict[str, Any] = {}
        """That of the last turn."""
        # Only where there is a screen can a message make Neovim wait for a key.
        self.nvim.api.nvim_ui_attach(120, 30, {"rgb": True, "ext_linegrid": True})
        self.nvim.lua(RECORD)
        self.nvim.lua(PATIENT)

    def __enter__(self) -> MainJob:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    # --- steps

    def command(self, command: str) -> None:
        """Run an Ex command."""
        self.nvim.api.nvim_command(command)

    def start(self, **initialize: Any) -> StdioAgent:
        """Start the agent up to an open session; the cursor is in its prompt."""
        self.command("AcpStart scripted")
        agent = self.stage.accept()
        agent.initialize(**initialize)
        agent.open()
        self.until(lambda: self.session().get("state") == "idle")
        return agent

    def turn(self, agent: StdioAgent, text: str = "go") -> dict[str, Any]:
        """Prompt, and return the agent's `session/prompt`, not yet answered."""
        self.command(f"AcpPrompt {text}")
        self.prompt = agent.prompted()
        return self.prompt

    def finish(self, agent: StdioAgent, prompt: dict[str, Any], reason: str = "end_turn") -> None:
        """Let the agent end the turn, and wait until that is on the screen."""
        agent.end(prompt, reason)
        self.until(lambda: self.session()["state"] == "idle")

    def edit(self, name: str, text: str) -> Path:
        """Make a file of the project and open it in a window beside the chat."""
        path = self.work / name
        path.write_text(text)
        self.command(f"wincmd t | if &buftype != '' | topleft vnew | endif | edit {path}")
        return path

    # --- looking

    def inspect(self) -> dict[str, Any]:
        """Return the snapshot of `:help acp-inspect`."""
        return dict(self.nvim.lua("return require('acp').inspect()"))

    def session(self) -> dict[str, Any]:
        """Return the newest session; empty if there is none."""
        return dict((self.inspect()["sessions"] or [{}])[-1])

    def chat(self) -> list[str]:
        """Return the lines of the newest chat, as they are in the buffer."""
        return self.nvim.lines(self.session()["bufnr"])

    def asks(self) -> list[dict[str, Any]]:
        """Return the questions that are pending, oldest first."""
        return list(self.inspect()["asks"])

    def events(self, name: str = "") -> list[Any]:
        """Return the `User` events so far, as [name, data]; or the data of those of one name."""
        all_events = self.nvim.lua("return _G.acp_events")
        return [data for event, data in all_events if event == name] if name else all_events

    def until(self, predicate: Callable[[], Any]) -> Any:
        """Wait until it is true."""
        return self.nvim.wait(predicate)

    def until_event(self, name: str, count: int = 1) -> dict[str, Any]:
        """Wait for the event, as often as that; return the data of the last one."""
        self.until(lambda: len(self.events(name)) >= count)
        return dict(self.events(name)[count - 1])

    def told(self, *words: str) -> str:
        """Wait for one message with all these words, and return it; the editor must not wait."""

        def line() -> str | None:
            lines = self.nvim.messages().splitlines()
            return next((it for it in lines if all(word in it for word in words)), None)

        found = str(self.until(line))
        self.usable()
        return found

    def usable(self) -> None:
        """Assert that the editor waits for nothing, and takes keys and commands."""
        assert not self.nvim.mode()["blocking"]
        assert self.nvim.eval("1 + 1") == 2

    # --- processes

    def host(self) -> int:
        """Return the process id of the host."""
        return int(self.inspect()["host"]["pid"])

    def kill(self, pid: int) -> None:
        """Kill a process without a word, as a crash would."""
        os.kill(pid, signal.SIGKILL)

    def gone(self, *groups: int) -> None:
        """Wait until no process of these groups is left, whether or not there is an editor."""
        deadline = time.monotonic() + PATIENCE
        while left := [each for each in groups if group.alive(each)]:
            assert time.monotonic() < deadline, f"still alive: {left}"
