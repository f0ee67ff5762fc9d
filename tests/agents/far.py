"""What every agent behind an address is put through: start, floods, a server that dies.

The servers on the official SDKs have verbs of their own (`tests/support/peers`); released agents
are spoken to in the lines of `script`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.agents.script import Agent, Script
from tests.agents.skipped import Skipped
from tests.support.peers.served import Served

SAVED, UNSAVED = "saved", "typed and not saved"


@dataclass(frozen=True, slots=True)
class FarAgent(Agent):
    """An agent that a server of ours serves."""

    url: str = ""
    chunks: int = 10_000
    """Of the long stream."""
    deaf: bool = False
    """It ignores that a turn is cancelled: it has to be ended."""

    def options(self) -> dict[str, Any]:
        """Return its part of `vim.g.acp.agents`."""
        return {"url": self.url, "fs": True, "terminal": True, "protocol": self.protocol}


class FarScript(Script):
    """One agent in one Neovim; each of `STEPS` is a row of the table."""

    STEPS = ("start", "flood", "ask", "buffer", "cancel", "list", "load", "killed", "stop")
    agent: FarAgent

    def __init__(self, agent: FarAgent, server: Served, *, log_level: str = "info") -> None:
        super().__init__(agent, log_level=log_level)
        self._server = server

    @classmethod
    def steps(cls) -> list[str]:
        """Return the names of the steps, in order."""
        return list(cls.STEPS)

    def step_flood(self) -> str:
        """A long stream comes whole and in order."""
        count = self.agent.chunks
        self.turn(f"stream:{count}")
        first = 1 if self.agent.scripted else 0
        word = "chunk {} " if self.agent.scripted else "{} "
        expected = "".join(word.format(number) for number in range(first, first + count))
        said = "".join(self.texts("agent"))
        assert expected.strip() in said, f"not all of it: {len(said)} of {len(expected)}"
        return f"ok, {count:,} chunks"

    def step_ask(self) -> str:
        """The user is asked, and the answer reaches the agent."""
        self.turn(self.agent.running("touch made") if self.agent.scripted else "ask:")
        if not self.asked:
            raise Skipped("never asks")
        assert (self.job.work / "made").exists() if self.agent.scripted else self.said("answer y")
        return f"ok, {self.asked} asked"

    def step_buffer(self) -> str:
        """It reads what the user has not saved: where it reads through us."""
        if self.agent.protocol > 1:
            raise Skipped("version 2 has no fs/*")
        path = self.job.edit("buffer.txt", f"{SAVED}\n")
        self.job.nvim.api.nvim_buf_set_lines(0, 0, 1, True, [UNSAVED])
        self.turn(f"read:{path}")
        shown = str(self.session()["entries"][-3:])
        self.job.nvim.command("silent write")
        if UNSAVED not in shown and SAVED in shown:
            raise Skipped("reads the disk itself")
        assert UNSAVED in shown, f"it has read neither: {shown[:200]}"
        return "ok"

    def step_cancel(self) -> str:
        """A stream is cut short, and the next turn goes on."""
        self.begin("slow:8" if self.agent.deaf else "slow:600")
        self.until(lambda: self.said("tick 2"))
        ended = self.cancel()
        self.turn("say:and on")
        assert self.said("and on")
        return ended

    def step_load(self) -> str:
        """The session is opened again on a connection of its own, and goes on."""
        before, said = self.session()["id"], len(self.texts("user"))
        connection = self._sockets()
        self.job.command("Acp restart")
        self.until(lambda: not connection & self._sockets())
        return self._goes_on(before, said)

    def step_killed(self) -> str:
        """The server dies in the middle of a turn, and comes back."""
        before, said = self.session()["id"], len(self.texts("user"))
        self.begin("slow:600")
        self.until(lambda: self.said("tick 2"))
        self._server.kill()
        self.until(lambda: self.state() == "loading")
        self.job.usable()
        self._server.start()
        return self._goes_on(before, said)

    def step_stop(self) -> str:
        """Nothing is left: no task, no socket."""
        self.job.command("Acp stop")
        self.until(lambda: self.state() == "closed")
        self.until(lambda: not self._sockets())
        messages = self.job.nvim.messages()
        assert "Error" not in messages and "internal error" not in messages, messages
        return "ok, no socket left"

    def _goes_on(self, session_id: str, said: int) -> str:
        self.until(lambda: self.state() == "idle")
        users = self.texts("user")
        self.turn("say:still here")
        assert self.said("still here")
        same = self.session()["id"] == session_id
        kept = f"{min(len(users), said)} of {said} prompts"
        return f"ok, {kept}" if same else f"ok, but began anew, {kept}"

    def _sockets(self) -> set[str]:
        return sockets(self.job.host(), self._server.port)


def sockets(process: int, port: int) -> set[str]:
    """Return what a process of this machine has open to that port, by inode."""
    held = {_target(link) for link in Path(f"/proc/{process}/fd").iterdir()}
    rows = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    found = {f"socket:[{row[9]}]" for row in rows if row[2].endswith(f":{port:04X}")}
    return found & held


def _target(link: Path) -> str:
    try:
        return str(link.readlink())
    except OSError:  # closed meanwhile
        return ""
