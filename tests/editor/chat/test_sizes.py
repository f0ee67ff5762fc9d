"""What is huge, or made to be slow: the user's word gets through, and the editor goes on."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

BACKTRACKING = "".join(
    f"```{language}\n{'a ' * 1_950}\n```\n\n"
    for language in ("java", "autoit", "arduino", "aspectj", "apacheconf", "basemake")
)


def cancelled(job: MainJob, agent: StdioAgent, prompt: dict[str, Any]) -> None:
    """Cancel the turn: the agent hears of it, and all that it has sent is there in the end."""
    job.command("Acp cancel")
    agent.expect("session/cancel")
    agent.end(prompt, "cancelled")
    job.until(lambda: job.session()["state"] == "idle")


def test_cancel_gets_through_while_code_is_lexed_that_never_would_be(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    agent.say(BACKTRACKING * 3 + "the end")
    cancelled(job, agent, prompt)
    job.until(lambda: "the end" in job.chat())
    job.usable()


def test_cancel_gets_through_while_a_large_diff_is_drawn(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    lines = [f"line {number}\n" for number in range(100_000)]
    old, new = "".join(lines), "".join(sorted(lines, key=lambda line: line[::-1]))
    diff = {"type": "diff", "path": "/tmp/a", "oldText": old, "newText": new}
    agent.update("tool_call", toolCallId="t", title="Edit", status="failed", content=[diff])
    cancelled(job, agent, prompt)
    sentence = "too large to compare line by line: 100,000 lines before, 100,000 after"
    job.until(lambda: sentence in job.chat())
    job.usable()


@pytest.mark.parametrize(
    "text", ["word " * 4_000_000, "some *words*\n" * 1_500_000], ids=["one line", "many lines"]
)
def test_a_message_of_20_megabytes_is_cut_and_kept(job: MainJob, text: str) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    agent.say(text)
    cancelled(job, agent, prompt)
    job.until(lambda: any("opens all" in line for line in job.chat()))
    assert max(map(len, job.chat())) < 70_000
    assert len(job.chat()) < 5_250
    job.usable()


def test_the_rest_is_opened_in_a_buffer_of_its_own(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    agent.say("".join(f"row {number}\n" for number in range(6_000)))
    job.finish(agent, prompt)
    rest = "… 900 more lines: <CR> opens all"
    job.until(lambda: rest in job.chat() and "row 5999" in job.chat())
    job.command("stopinsert")
    job.command(f"call win_gotoid(bufwinid({job.session()['bufnr']}))")
    job.command(f"call cursor({job.chat().index(rest) + 1}, 1)")
    job.command('execute "normal \\<CR>"')
    job.until(lambda: job.nvim.lua("return vim.fn.getline('$')") == "row 5999")
    assert job.nvim.lua("return vim.fn.getline(1)") == "row 0"
    assert not job.nvim.lua("return vim.bo.modifiable")
    job.command("normal q")
    assert job.nvim.lua("return vim.fn.tabpagenr('$')") == 1


def test_numbers_beyond_64_bits_are_drawn(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    agent.update("usage_update", used=10**30, size=10**40)
    agent.say("still here")
    job.until(lambda: "still here" in job.chat())
    job.finish(agent, prompt)
    job.usable()


def test_a_status_is_no_larger_than_a_person_reads(job: MainJob) -> None:
    agent = job.start()
    commands = [{"name": f"c{number}", "description": "d" * 1_000} for number in range(5_000)]
    agent.update("available_commands_update", availableCommands=commands)
    status = "return vim.b[...].acp_status"
    chat = job.session()["bufnr"]
    ready_made = 5
    job.until(lambda: len(job.nvim.lua(status, chat)["commands"]) > ready_made)
    assert len(job.nvim.lua(status, chat)["commands"]) == 200 + ready_made
    assert len(job.session()["commands"]) == 5_000


def test_a_line_of_endless_quotes_is_drawn_without_a_word(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    agent.say(">" * 10_000 + " deep\n\n" + "- " * 900 + "deep\n\nthe end")
    cancelled(job, agent, prompt)
    job.until(lambda: "the end" in job.chat())
    job.command("redraw!")
    assert "E363" not in job.nvim.messages()
    job.usable()


def test_a_question_of_very_many_changes_is_asked_and_cancelled(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    changes = [
        {"type": "diff", "path": f"/tmp/{at}", "oldText": "a\n", "newText": "b\n"}
        for at in range(5_000)
    ]
    call = {"toolCallId": "t", "title": "Edit", "kind": "edit", "content": changes}
    agent.request_permission("ask", toolCall=call)
    job.command("Acp cancel")
    agent.expect("session/cancel")
    assert agent.answer_to("ask")["result"]["outcome"] == {"outcome": "cancelled"}
    agent.end(prompt, "cancelled")
    job.until(lambda: job.session()["state"] == "idle")
    job.usable()
