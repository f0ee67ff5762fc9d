"""Ctrl-Z in a terminal, and `fg`: the agent goes on, and all of it is there afterwards."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.agents.agent_edits import write
from tests.support.agents.stdio_agent import PATIENCE
from tests.support.main_job import MainJob
from tests.support.nvim import binary

SHELL = """
import fcntl, os, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
"""
CTRL_U, CTRL_Z = "\x15", "\x1a"
WHAT_ARE_YOU = b"\x1b[c"
CHUNKS = [f"chunk {number}" for number in range(200)]


class Terminal:
    """A shell with job control in a terminal of its own."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._shown = b""

    def type(self, keys: str) -> None:
        """Type keys as they are."""
        os.write(self._descriptor, keys.encode())

    def until(self, text: str) -> None:
        """Wait until it was shown that text, after what was waited for before."""
        deadline = time.monotonic() + PATIENCE
        while text.encode() not in self._shown:
            wait = max(0, deadline - time.monotonic())
            assert select.select([self._descriptor], [], [], wait)[0], self._shown
            before, self._shown = self._shown, self._shown + os.read(self._descriptor, 1 << 16)
            if self._shown.count(WHAT_ARE_YOU) > before.count(WHAT_ARE_YOU):
                self.type("\x1b[?62c")  # Neovim waits for the answer before it stops
        self._shown = self._shown.partition(text.encode())[2]


@contextmanager
def terminal() -> Iterator[Terminal]:
    """Yield one, with the shell's prompt in it."""
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (30, 100))
    env = os.environ | {"TERM": "xterm", "PS1": "ready> ", "LC_ALL": "C.UTF-8"}
    shell = subprocess.Popen(
        [sys.executable, "-S", "-c", SHELL], stdin=theirs, stdout=theirs, stderr=theirs, env=env
    )
    os.close(theirs)
    try:
        made = Terminal(ours)
        made.until("ready> ")
        yield made
    finally:
        shell.kill()
        shell.wait(PATIENCE)
        os.close(ours)  # and so what runs in it ends


def screens(job: MainJob) -> int:
    return len(job.nvim.api.nvim_list_uis())


def test_ctrl_z_and_fg(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", "one\n")
    prompt = job.turn(agent)
    job.nvim.api.nvim_ui_detach()
    with terminal() as shell:
        shell.type(f"{binary()} --server {job.nvim.socket} --remote-ui\r")
        job.until(lambda: screens(job) == 1)
        job.command("wincmd t")
        job.nvim.input("Omine<Esc>")
        shell.type(CTRL_Z)
        shell.until("Stopped")
        shell.until("ready> ")
        job.until(lambda: not screens(job))
        for chunk in CHUNKS:
            agent.say(f"{chunk}\n", messageId="m")
        assert write(agent, path, "one\ntwo\n")["result"] == {}
        agent.request_permission("p")
        job.until(job.asks)
        shell.type(f"{CTRL_U}fg\r")  # a late answer to Neovim may stand in the line
        job.until(lambda: screens(job) == 1)
        shell.until(CHUNKS[-1])
        shell.type(":Acp permit 1\r")
        assert agent.answer_to("p")["result"]["outcome"]["optionId"] == "yes"
        job.finish(agent, prompt)
        assert [it for it in job.chat() if it.startswith("chunk")] == CHUNKS
        lines = job.nvim.lua("return vim.fn.getbufline(...)", str(path), 1, "$")
        assert lines == ["mine", "one", "two"]
        job.usable()
