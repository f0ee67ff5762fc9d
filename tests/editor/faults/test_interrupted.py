"""What the user is in the middle of while frames come: all is drawn later, and nothing is lost."""

from __future__ import annotations

import pytest

from tests.support.agents.agent_edits import write
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LINES = "".join(f"line {number}\n" for number in range(1, 11))
CHUNKS = [f"chunk {number}" for number in range(30)]
CALL = {"toolCallId": "call-1", "title": "Edit a.txt", "kind": "edit"}


def flood(agent: StdioAgent) -> None:
    """Say a lot, and ask something."""
    for chunk in CHUNKS:
        agent.say(f"{chunk}\n", messageId="m")
    agent.request_permission("p", toolCall=CALL)


def all_is_there(job: MainJob, agent: StdioAgent) -> None:
    """Wait until the chat holds all of it, and answer."""
    job.until(lambda: [it for it in job.chat() if it.startswith("chunk")] == CHUNKS)
    job.until(job.asks)
    job.command("Acp permit 1")
    assert agent.answer_to("p")["result"]["outcome"]["optionId"] == "yes"
    assert "rror" not in job.nvim.messages()
    job.usable()


@pytest.mark.parametrize(
    ("keys", "end"),
    [
        (":echo 'a'|echo 'b'|echo 'c'<CR>", "<CR>"),  # hit-enter
        ("r", "<Esc>"),
        ("g", "<Esc>"),
        ("qa", "q"),
    ],
)
def test_neovim_waits_for_a_key(job: MainJob, keys: str, end: str) -> None:
    agent = job.start()
    job.edit("a.txt", LINES)
    job.turn(agent)
    job.command("wincmd t")
    job.nvim.rpc.request("nvim_input", keys)
    flood(agent)
    agent.request("fs/write_text_file", of(job, "agent\n"), "write")
    job.nvim.rpc.request("nvim_input", end)
    assert agent.answer_to("write")["result"] == {}
    all_is_there(job, agent)
    assert (job.work / "a.txt").read_text() == "agent\n"


def of(job: MainJob, text: str) -> dict[str, str]:
    return {"sessionId": "sess 1/ü", "path": str(job.work / "a.txt"), "content": text}


@pytest.mark.parametrize("keys", ["q:", "q/", ":" + "<C-f>"])
def test_the_command_line_window_is_open(job: MainJob, keys: str) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    prompt = job.turn(agent)
    job.command("wincmd t")
    job.nvim.input(keys)
    assert job.nvim.eval("getcmdwintype()")
    flood(agent)
    agent.request("fs/write_text_file", of(job, "agent\n"), "write")
    job.until(lambda: [it for it in job.chat() if it.startswith("chunk")] == CHUNKS)
    assert job.nvim.eval("getcmdwintype()")
    job.nvim.input(":quit<CR>")
    job.until(lambda: not job.nvim.eval("getcmdwintype()"))
    assert agent.answer_to("write")["result"] == {}
    all_is_there(job, agent)
    job.finish(agent, prompt)
    assert path.read_text() == "agent\n"


def test_the_user_goes_to_another_folder(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    cwd = job.session()["cwd"]
    prompt = job.turn(agent)
    elsewhere = job.folder / "elsewhere"
    elsewhere.mkdir()
    for command in ("cd", "lcd", "tcd"):
        job.command(f"{command} {elsewhere}")
    assert write(agent, path, "agent\n")["result"] == {}
    made = agent.ask("terminal/create", command="pwd")["result"]["terminalId"]
    agent.ask("terminal/wait_for_exit", terminalId=made)
    assert cwd in agent.ask("terminal/output", terminalId=made)["result"]["output"]
    outside = write(agent, elsewhere / "b.txt", "agent\n")
    assert "error" in outside and not (elsewhere / "b.txt").exists()
    job.finish(agent, prompt)
    assert job.session()["cwd"] == cwd
    job.command("Acp undo")
    job.until(lambda: path.read_text() == LINES)
    job.command("AcpPrompt on")
    agent.prompted()
