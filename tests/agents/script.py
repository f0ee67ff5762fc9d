"""What every agent is put through: one script in a real Neovim, step by step.

The agents' models are replaced by a server that takes the prompt for a script (`say:`, `run:` …),
so what happens is the same each time. An agent without a model (an SDK's example) skips those.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from acp_nvim.transport import group
from tests.agents.editor_tools import EditorTools
from tests.agents.safety import Safety
from tests.agents.skipped import Skipped
from tests.support.main_job import MainJob

LONG = 180
"""Seconds that an agent has for a step."""
SLEEP = f"sleep 471.{os.getpid()}"
"""A command that no other process of this machine runs."""

SELECT = """
_G.acp_labels = nil
vim.ui.select = function(items, options, done)
  local label = options.format_item or tostring
  _G.acp_labels = vim.tbl_map(label, items)
  if options.kind == 'acp.found' then
    return done(items[2], 2)
  end
  done(nil)
end
"""


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent and how it is spoken to."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    scripted: bool = True
    """Its model takes the prompt for a script."""
    edit: str = "edit:{path}:two:TWO"
    """The line of the script that changes a file; the model's server does not know all tools."""
    run: str = "run:{command}"
    """The line that runs a command; `{quoted}` is the command in a text of JSON."""
    plan: str = "plan:first|second"
    """The line that makes a plan of two entries."""
    editor: str = ""
    """How it names a tool of the editor, `{tool}` for the tool's own name; "": not known."""
    protocol: int = 1
    tools: tuple[tuple[str, ...], ...] = ()
    """Names and commands of MCP servers, for an agent that has no tools of its own."""

    def running(self, command: str) -> str:
        """Return the line of the script that runs a command."""
        return self.run.format(command=command, quoted=json.dumps(command)[1:-1])

    def options(self) -> dict[str, Any]:
        """Return its part of `vim.g.acp.agents`."""
        command = {"command": self.command, "args": list(self.args), "env": dict(self.env)}
        return command | {"protocol": self.protocol, "editor": bool(self.editor)}


class Script(Safety, EditorTools):
    """One agent in one Neovim; each `step_…` is a row of the table."""

    def __init__(self, agent: Agent, *, log_level: str = "info") -> None:
        self.agent = agent
        options = {
            "agents": {agent.name: agent.options()},
            "default_agent": agent.name,
            "log": {"level": log_level},
            "mcp_servers": [
                {"name": name, "command": command, "args": args}
                for name, command, *args in agent.tools
            ],
        }
        self.job = MainJob(options)
        self.job.nvim.lua(SELECT)  # Neovim's own would wait in the command line for a choice
        subprocess.run(["git", "init", "-q", str(self.job.work)], check=True)
        self.group = 0

    @classmethod
    def steps(cls) -> list[str]:
        """Return the names of the steps, in order."""
        *own, last = (name for name in vars(cls) if name.startswith("step_"))
        of_others = (it for part in (Safety, EditorTools) for it in vars(part))
        others = (name for name in of_others if name.startswith("step_"))
        return [name.removeprefix("step_") for name in (*own, *others, last)]

    def run(self, step: str) -> str:
        """Run a step and return what the table shows of it."""
        try:
            return getattr(self, f"step_{step}")() or "ok"
        except Skipped as reason:
            return f"– {reason}"
        except Exception as error:  # one step that fails must not hide the others
            return f"FAILED {str(error).partition(chr(10))[0] or type(error).__name__}"

    def close(self) -> None:
        """End Neovim, and whatever the agent left."""
        self.job.__exit__(None, None, None)
        if self.group and group.alive(self.group):
            group.kill(self.group)

    # --- steps

    def step_start(self) -> str:
        self.job.command(f"AcpStart {self.agent.name}")
        self.until(lambda: self.connection() and self.state() in ("idle", "closed"))
        self.begun = time.localtime()
        connection = self.connection()
        assert self.state() == "idle", self.last_text()
        self.group = connection.get("pid", 0)  # none: it runs elsewhere
        return f"ok {connection.get('info', {}).get('version', '')}".rstrip()

    def step_text(self) -> None:
        self.turn("say:Hello **world**, how are you?" if self.agent.scripted else "hello")
        assert self.texts("agent"), "the agent said nothing"
        if self.agent.scripted:
            assert "Hello **world**, how are you?" in self.texts("agent")[-1]

    def step_stream(self) -> None:
        self.needs_script()
        self.turn("stream:20")
        assert "chunk 1 chunk 2 " in self.texts("agent")[-1]
        assert "chunk 20" in self.texts("agent")[-1]

    def step_read(self) -> None:
        self.needs_script()
        path = self.job.edit("read.txt", "one\ntwo\nthree\n")
        self.turn(f"read:{path}")
        assert self.tools()[-1]["status"] == "completed", self.tools()[-1]

    def step_edit(self) -> str:
        self.needs_script()
        path = self.job.edit("edit.txt", "one\ntwo\nthree\nfour\nfive\n")
        buffer = self.job.nvim.eval("bufnr()")
        self.turn(f"read:{path}")  # some edit only what they have read
        self.turn(self.agent.edit.format(path=path))
        assert "TWO" in path.read_text(), f"the file holds {path.read_text()!r}"
        self.job.command("checktime")
        assert "TWO" in self.job.nvim.lines(buffer)
        return f"ok, {self.asked} asked"

    def step_run(self) -> str:
        self.needs_script()
        # not one of the harmless commands that agents run without asking
        self.turn(self.agent.running("touch made && echo from-the-agent"))
        tool = self.tools()[-1]
        assert tool["status"] == "completed", tool
        assert "from-the-agent" in str(tool), "its output is not shown"
        assert (self.job.work / "made").exists()
        return f"ok, {self.asked} asked"

    def step_permission(self) -> str:
        if self.agent.scripted:
            raise Skipped("see edit, run")
        if not self.tools():
            raise Skipped("has no tools")
        assert self.asked, "nothing was asked"
        assert {it["status"] for it in self.tools()} == {"completed"}
        return f"ok, {self.asked} asked"

    def step_plan(self) -> None:
        self.needs_script()
        self.turn(self.agent.plan)
        plan = self.session()["plan"]
        if not plan:
            raise Skipped("sends none")
        assert [it["content"] for it in plan] == ["first", "second"]

    def step_cancel_stream(self) -> str:
        if not self.agent.scripted and not self.tools():
            raise Skipped("answers at once")
        self.begin("slow:20")
        self.until(lambda: self.said("tick 2") if self.agent.scripted else self.texts("agent"))
        return self.cancel()

    def step_cancel_command(self) -> str:
        self.needs_script()
        self.begin(self.agent.running(f"touch waiting && {SLEEP}"))  # qwen refuses a sleep alone
        self.until(lambda: self.permit() or _sleeping() or self.state() == "idle")
        self.until(lambda: self.permit() or _sleeping() or self.state() == "idle")
        assert self.state() == "running", "the command did not run"
        ended = self.cancel()
        self.until(lambda: not _sleeping())
        return ended

    def step_busy(self) -> None:
        before = self.session()["turn"]
        self.begin("slow:2")
        self.job.command("AcpPrompt say:the second one")
        self.until(lambda: self.done(before + 2))
        assert self.session()["turn"] == before + 2, "one of them is lost"
        if self.agent.scripted:
            assert "tick 2" in "".join(self.texts("agent")[-2:])
            assert "the second one" in self.texts("agent")[-1]

    def step_mode(self) -> str:
        session = self.session()
        option = next((it for it in session["config"] if it.get("category") == "mode"), None)
        ids = [it["value"] for it in option["options"]] if option else []
        ids = ids or [it["id"] for it in session["modes"]]
        current = option["value"] if option else session.get("mode")
        if not ids:
            raise Skipped("has no modes")
        wanted = next(it for it in ids if it != current)
        self.job.command(f"Acp mode {wanted}")
        self.until(lambda: self.mode() == wanted)
        self.job.command(f"Acp mode {current}")
        self.until(lambda: self.mode() == current)
        return f"ok, {len(ids)} modes"

    def step_list(self) -> str:
        if not self.can("list"):
            raise Skipped("not advertised")
        self.job.nvim.lua(SELECT)
        self.job.nvim.lua("require('acp').setup({ ui = { sessions = 'pick' } })")
        self.job.command("Acp sessions")
        self.until(lambda: self.job.nvim.lua("return _G.acp_labels ~= nil"))
        return f"ok, {len(self.job.nvim.lua('return _G.acp_labels'))} listed"

    def step_load(self) -> str:
        capabilities = self.connection()["capabilities"]
        if not capabilities.get("loadSession") and not self.can("resume"):
            raise Skipped("not advertised")
        before, pid = self.session()["id"], self.connection()["pid"]
        self.begun_in_another_minute()
        self.job.command("Acp restart")
        self.until(lambda: self.connection().get("pid") not in (None, pid))
        self.group = self.connection()["pid"]
        self.until(lambda: self.state() in ("idle", "closed"))
        assert self.state() == "idle", self.last_text()
        same = self.session()["id"] == before
        self.turn("say:still here")
        assert self.said("still here")
        return "ok" if same else "ok, but began anew"

    def step_stop(self) -> None:
        self.job.command("Acp stop")
        self.until(lambda: self.state() == "closed")
        self.until(lambda: not group.alive(self.group))
        messages = self.job.nvim.messages()
        assert "Error" not in messages and "internal error" not in messages, messages

    # --- what they are made of

    def needs_script(self) -> None:
        """Skip the step for an agent without a model."""
        if not self.agent.scripted:
            raise Skipped("has no model")

    def until(self, predicate: Callable[[], Any]) -> Any:
        """Wait until it is true, as long as an agent may take."""
        return self.job.nvim.wait(predicate, LONG)

    def begin(self, text: str) -> None:
        """Send a prompt, and wait until its turn runs."""
        turn = self.session()["turn"]
        self.asked = 0
        self.job.nvim.lua("require('acp').prompt(...)", text)
        self.until(lambda: self.session()["turn"] > turn)

    def turn(self, text: str) -> None:
        """Send a prompt and allow what is asked, once, until the turn has ended."""
        self.begin(text)
        turn = self.session()["turn"]
        self.until(lambda: self.done(turn))
        assert self.session().get("stop_reason") == "end_turn", self.last_text()

    def done(self, turn: int) -> bool:
        """Allow what is asked; say whether that turn has ended."""
        self.permit()
        session = self.session()
        return session["state"] == "closed" or (
            session["state"] == "idle" and session["turn"] >= turn
        )

    def permit(self) -> bool:
        """Allow the oldest request, once, if there is one."""
        asks = self.job.asks()
        if not asks:
            return False
        kinds = [it["kind"] for it in asks[0]["options"]]
        self.job.command(f"Acp permit {kinds.index('allow_once') + 1}")
        self.until(lambda: asks[0]["id"] not in [it["id"] for it in self.job.asks()])
        self.asked += 1
        return True

    def cancel(self) -> str:
        """Cancel the turn and wait for its end."""
        self.job.command("Acp cancel")
        self.until(lambda: self.state() == "idle")
        left = [it for it in self.tools() if it["status"] in ("pending", "in_progress")]
        assert not left, f"still open: {left}"
        assert not self.job.asks(), "a question is still open"
        reason = self.session().get("stop_reason")
        return "ok" if reason == "cancelled" else f"ok, the agent said {reason}"

    def begun_in_another_minute(self) -> None:
        """Wait for the next minute where it matters: gemini's file of a session is named by it.

        Another process of gemini's in the same minute overwrites the file before it loads it.
        """
        if self.agent.name == "gemini":
            minute = time.strftime("%H:%M", self.begun)
            self.until(lambda: time.strftime("%H:%M") != minute)

    def session(self) -> dict[str, Any]:
        """Return the session."""
        return self.job.session()

    def connection(self) -> dict[str, Any]:
        """Return the connection."""
        return dict((self.job.inspect()["connections"] or [{}])[-1])

    def state(self) -> str:
        """Return the session's state; "" before there is one."""
        return str(self.session().get("state", ""))

    def mode(self) -> Any:
        """Return the mode, or the value of the option that stands for it."""
        session = self.session()
        options = [it["value"] for it in session["config"] if it.get("category") == "mode"]
        return (options or [session.get("mode")])[0]

    def can(self, name: str) -> bool:
        """Say whether the agent has that capability of sessions; in version 2 all have it."""
        if self.agent.protocol > 1:
            return True
        sessions = self.connection()["capabilities"].get("sessionCapabilities") or {}
        return isinstance(sessions.get(name), dict | list)

    def tools(self) -> list[dict[str, Any]]:
        """Return the tool calls."""
        return [it for it in self.session()["entries"] if it["kind"] == "tool"]

    def texts(self, kind: str) -> list[str]:
        """Return the texts of the entries of that kind."""
        return [it["text"] for it in self.session()["entries"] if it["kind"] == kind]

    def said(self, text: str) -> bool:
        """Say whether the agent's last message holds that text."""
        return any(text in it for it in self.texts("agent")[-1:])

    def last_text(self) -> str:
        """Return the last thing that the chat says."""
        return str((self.session().get("entries") or [{"text": "nothing"}])[-1]["text"])


def _sleeping() -> bool:
    """Say whether the command of `step_cancel_command` runs."""
    found = subprocess.run(["pgrep", "-f", f"^{SLEEP}"], capture_output=True, check=False)
    return found.returncode == 0
