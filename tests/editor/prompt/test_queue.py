"""`:Acp queue`: what waits, as lines that are taken back, dropped, moved and brought back."""

from __future__ import annotations

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob


def queued(job: MainJob) -> list[str]:
    return [it["text"] for it in job.session()["queue"]]


def start(job: MainJob, *texts: str) -> tuple[StdioAgent, object]:
    """Let prompts wait while a turn runs, and open their list."""
    agent = job.start()
    running = job.turn(agent, "now")
    for text in texts:
        job.command(f"AcpPrompt {text}")
    job.until(lambda: queued(job) == list(texts))
    job.command("Acp queue")
    job.until(lambda: job.nvim.eval("&filetype") == "acp-queue")
    assert job.nvim.lines() == [f"{at}  {text}" for at, text in enumerate(texts, 1)]
    return agent, running


def test_rows_are_numbered_once(job: MainJob) -> None:
    job.command("set number relativenumber")
    start(job, "one")
    assert job.nvim.eval("[&number, &relativenumber]") == [0, 0]


def test_drop_move_and_undo(job: MainJob) -> None:
    start(job, "one", "two", "three")
    job.nvim.input("ggdd")
    job.until(lambda: queued(job) == ["two", "three"])
    job.until(lambda: job.nvim.lines() == ["1  two", "2  three"])
    job.nvim.input("p")
    job.until(lambda: queued(job) == ["two", "one", "three"])
    job.nvim.input(":move 0<CR>")
    job.until(lambda: queued(job) == ["one", "two", "three"])
    job.nvim.input("Gdd")
    job.until(lambda: queued(job) == ["one", "two"])
    job.nvim.input("u")
    job.until(lambda: queued(job) == ["one", "two", "three"])


def test_one_is_taken_back_into_the_prompt(job: MainJob) -> None:
    start(job, "one", "two")
    job.nvim.input("gg<CR>")
    job.until(lambda: queued(job) == ["two"])
    session = job.session()
    job.until(lambda: job.nvim.lines(session["prompt_bufnr"]) == ["one"])
    assert job.nvim.eval("bufnr()") == session["prompt_bufnr"]


def test_what_is_sent_leaves_the_list(job: MainJob) -> None:
    agent, running = start(job, "one", "two")
    assert isinstance(running, dict)
    agent.end(running)
    agent.prompted()
    job.until(lambda: job.nvim.lines() == ["1  two"])
    job.nvim.input("q")
    assert job.nvim.eval("&filetype") != "acp-queue"


def test_one_that_is_sent_meanwhile_is_not_taken_back(job: MainJob) -> None:
    agent, running = start(job, "one", "two")
    assert isinstance(running, dict)
    job.command("set eventignore=User")
    agent.end(running)
    agent.prompted()
    assert job.nvim.lines()[0] == "1  one"
    job.nvim.input("gg<CR>")
    job.told("does not wait any more")
    assert job.nvim.lines(job.session()["prompt_bufnr"]) == [""]
    job.until(lambda: job.nvim.lines() == ["1  two"])


def test_changed_words_change_nothing(job: MainJob) -> None:
    start(job, "one", "two")
    job.nvim.input("ggA and more<Esc>yyp")
    job.until(lambda: len(job.nvim.lines()) >= 2)
    assert queued(job) == ["one", "two"]


def test_nothing_waits(job: MainJob) -> None:
    job.start()
    job.command("Acp queue")
    job.told("no prompt waits")


def test_two_of_the_same_words_are_two(job: MainJob) -> None:
    start(job, "yes", "yes")
    job.nvim.input("ggdd")
    job.until(lambda: queued(job) == ["yes"])
    job.nvim.input("p")
    job.until(lambda: queued(job) == ["yes", "yes"])


def test_all_that_waited_can_be_dropped_and_brought_back(job: MainJob) -> None:
    start(job, "one")
    job.nvim.input("dd")
    job.until(lambda: queued(job) == [])
    winbar = "vim.api.nvim_eval_statusline(vim.wo.winbar, { winid = 0, use_winbar = true }).str"
    job.until(lambda: "no prompt waits" in job.nvim.lua(f"return {winbar}"))
    job.nvim.input("u")
    job.until(lambda: queued(job) == ["one"])
