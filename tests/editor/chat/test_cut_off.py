"""Kills in a turn: its prompt, the queue and the answer so far are there when it is seen again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from acp_nvim.session.saved import CUT_OFF, WAITS
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.files.kept import kept
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

PROMPT, QUEUED = "remember the milk", "and the bread"
HALF = [
    ("user", PROMPT),
    ("agent", "I will do it in a moment"),
    ("notice", CUT_OFF),
    ("notice", WAITS),
]
LOADS = {"agentCapabilities": {"loadSession": True}}


def files(job: MainJob) -> str:
    """Return all that is kept of sessions."""
    folder = job.nvim.folder / "state" / "nvim" / "acp.nvim" / "sessions"
    return kept(folder, "*.jsonl")


class Half:
    """A turn that is not over, and a prompt that waits for its end."""

    def __init__(self, job: MainJob) -> None:
        self.job = job
        self.agent: StdioAgent = job.start(**LOADS)
        self.name = job.nvim.api.nvim_buf_get_name(job.session()["bufnr"])
        job.turn(self.agent, PROMPT)
        job.until(lambda: PROMPT in files(job))  # nothing has come of it
        self.agent.say("I will do it in")
        job.until(lambda: "I will do it in" in files(job))  # though the turn goes on
        self.agent.say(" a moment")
        job.until(lambda: "I will do it in a moment" in files(job))
        job.command(f"AcpPrompt {QUEUED}")

    def end(self, how: str) -> None:
        """End Neovim, and its host."""
        job, host = self.job, self.job.host()
        if how == "qall":
            job.nvim.rpc.notify("nvim_command", "qall!")
            job.nvim.exit_code()
        else:
            job.until(lambda: QUEUED in files(job))
            if how == "host":
                job.kill(host)
            job.nvim.kill()
        job.gone(host, self.agent.pid)


@pytest.fixture
def half(job: MainJob) -> Half:
    return Half(job)


class Later:
    """Another Neovim in the same project that has opened the session."""

    def __init__(self, half: Half, nvim: Neovim) -> None:
        self.nvim = nvim
        nvim.command(f"edit {half.name.replace('%', chr(92) + '%')}")
        self.agent = half.job.stage.accept()

    def session(self) -> dict[str, Any]:
        """Return its session."""
        return dict((self.nvim.lua("return require('acp').inspect()")["sessions"] or [{}])[-1])

    def texts(self) -> list[tuple[str, str]]:
        """Return what was said in it."""
        return [(it["kind"], it["text"]) for it in self.session().get("entries", ())]

    def until(self, texts: list[tuple[str, str]]) -> None:
        """Wait until that was said."""
        try:
            self.nvim.wait(lambda: self.texts() == texts)
        except TimeoutError:
            assert self.texts() == texts

    def until_idle(self) -> None:
        """Wait until the session is open."""
        self.nvim.wait(lambda: self.session().get("state") == "idle")

    def quit(self) -> None:
        """End Neovim."""
        self.nvim.rpc.notify("nvim_command", "qall!")
        self.nvim.exit_code()

    def queue(self) -> list[str]:
        """Return the prompts that wait."""
        return [it["text"] for it in self.session()["queue"]]


@contextmanager
def later(half: Half) -> Iterator[Later]:
    options = {"agents": {"scripted": half.job.stage.options()}, "default_agent": "scripted"}
    env = {"XDG_STATE_HOME": str(half.job.nvim.folder / "state")}
    with Neovim(options, cwd=half.job.work, env=env) as nvim:
        yield Later(half, nvim)


@pytest.mark.parametrize("how", ["host", "nvim", "qall"])
def test_all_is_shown_again_and_nothing_is_sent(half: Half, how: str) -> None:
    half.end(how)
    with later(half) as again:
        again.until(HALF)  # before the agent has said a word
        again.agent.initialize(agentCapabilities={"sessionCapabilities": {"resume": {}}})
        again.agent.reply(again.agent.expect("session/resume"), {})
        again.until_idle()
        again.until(HALF)
        assert again.queue() == [QUEUED]
        lines = again.nvim.lines(again.session()["bufnr"])
        assert any(QUEUED in line for line in lines)
        assert "cut off" not in again.nvim.messages()  # the chat says so
        again.agent.quiet()
        again.nvim.command("Acp prompt")
        again.nvim.input("<Esc><CR>")  # the empty prompt sends it: the user says so
        prompt = again.agent.prompted()
        assert prompt["params"]["prompt"][0]["text"] == QUEUED
        assert again.queue() == []
        again.agent.end(prompt)
        again.until_idle()


def test_what_the_agent_does_not_replay_is_not_gone(half: Half) -> None:
    half.end("host")
    with later(half) as again:
        again.agent.initialize(**LOADS)
        request = again.agent.expect("session/load")
        text = {"type": "text", "text": "what did I say?"}
        again.agent.update("user_message_chunk", content=text)
        again.agent.say("You said this")
        again.agent.reply(request, {})
        again.until([("user", "what did I say?"), ("agent", "You said this"), *HALF])
        assert again.queue() == [QUEUED]


def test_what_the_agent_replays_is_not_there_twice(half: Half) -> None:
    half.end("host")
    with later(half) as again:
        again.agent.initialize(**LOADS)
        request = again.agent.expect("session/load")
        again.agent.update("user_message_chunk", content={"type": "text", "text": PROMPT})
        again.agent.reply(request, {})
        again.until(HALF)
        again.quit()
    with later(half) as again:
        again.until(HALF)
        assert again.queue() == [QUEUED]


def test_what_waits_goes_on_waiting_where_the_agent_does_not_answer(half: Half) -> None:
    half.end("qall")
    for _ in range(2):
        with later(half) as again:
            again.until(HALF)
            again.agent.initialize(**LOADS)
            again.agent.expect("session/load")
            again.quit()
    with later(half) as again:
        again.until(HALF)
        assert again.queue() == [QUEUED]
