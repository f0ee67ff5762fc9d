"""The bar above the prompt says how to send, and when nothing can be sent."""

from __future__ import annotations

from tests.support.fakes.spy import BridgeSpy
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim


def bar(nvim: Neovim, prompt: int) -> str:
    return str(nvim.lua("return vim.b[...].acp_winbar", prompt))


def test_it_names_the_key_of_the_mode(nvim: Neovim, spy: BridgeSpy) -> None:
    _, prompt = spy.open_session()
    assert "<CR> sends to tutor" in bar(nvim, prompt)
    nvim.input("i")
    assert "<C-s> sends to tutor" in bar(nvim, prompt)
    nvim.input("<Esc>")
    assert "<CR> sends to tutor" in bar(nvim, prompt)


def test_after_a_stop_and_a_crash_nothing_is_sent(job: MainJob) -> None:
    agent = job.start()
    prompt = job.session()["prompt_bufnr"]
    assert "sends to scripted" in bar(job.nvim, prompt)
    agent.exit()
    job.until(lambda: "closed: :Acp restart scripted goes on" in bar(job.nvim, prompt))
    job.command("Acp restart scripted")
    again = job.stage.accept()
    again.initialize()
    again.open()
    job.until(lambda: "sends to scripted" in bar(job.nvim, prompt))
    job.command("Acp stop scripted")
    job.until(lambda: "closed" in bar(job.nvim, prompt))


def test_a_stop_before_a_restart_is_answered_is_told(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    status = {"agent": "tutor", "state": "closed"}
    closed = [{"name": "AcpSessionClosed", "data": {}}]
    spy.frame(chat, status=status, events=closed)
    assert "closed" in bar(nvim, prompt)
    nvim.api.nvim_command("Acp restart tutor")
    assert "sends to tutor" in bar(nvim, prompt), "a prompt waits"
    spy.frame(chat, status=status | {"state": "loading"})
    spy.frame(chat, status=status, events=closed)
    spy.answer(None)
    assert "closed" in bar(nvim, prompt)


def test_an_agent_that_does_not_start_takes_nothing(job: MainJob) -> None:
    job.nvim.lua("require('acp').setup({ agents = { none = { command = '/no/such' } } })")
    job.command("AcpStart none")
    job.until(
        lambda: "closed: :Acp restart none goes on" in bar(job.nvim, job.nvim.eval("bufnr()"))
    )


def test_a_sub_agent_is_said_to_take_no_prompts(nvim: Neovim, spy: BridgeSpy) -> None:
    chat, prompt = spy.open_session()
    spy.frame(chat, status={"agent": "tutor", "state": "running", "turn": 1, "parent": "s1"})
    assert "a sub-agent: it takes no prompts" in bar(nvim, prompt)
    assert "sends" not in bar(nvim, prompt)
