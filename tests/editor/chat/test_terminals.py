"""Terminals of an agent as the user has them: real terminal buffers to look at and to type in."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.agents.voice import SESSION
from tests.support.main_job import MainJob


def run(agent: StdioAgent, command: str) -> str:
    """Let the agent run a command; return the terminal's id."""
    return str(agent.ask("terminal/create", command=command)["result"]["terminalId"])


def listed(job: MainJob, terminal: str) -> dict[str, Any]:
    """Return what `inspect()` says of a terminal."""
    return dict(next(it for it in job.inspect()["terminals"] if it["id"] == terminal))


def shown(job: MainJob, terminal: str) -> list[str]:
    """Return the lines of its buffer without empty ones at the end."""
    lines = [line.rstrip() for line in job.nvim.lines(listed(job, terminal)["bufnr"])]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def test_c209_the_end_of_the_output_is_exact(job: MainJob) -> None:
    agent = job.start()
    terminal = run(agent, "seq 20000; exit 3")
    job.until(lambda: not listed(job, terminal)["running"])
    job.until(lambda: shown(job, terminal)[-1:] == ["[exit 3]"])
    lines = shown(job, terminal)
    assert [line for line in lines[-102:] if line][:-1] == [str(it) for it in range(19900, 20001)]
    plain = listed(job, terminal)
    assert plain == {
        "id": terminal,
        "session": SESSION,
        "command": "seq 20000; exit 3",
        "bufnr": plain["bufnr"],
        "running": False,
        "exit_code": 3,
        "released": False,
    }
    assert job.nvim.lua("return vim.bo[...].buftype", plain["bufnr"]) == "terminal"


def test_the_user_picks_one_and_types_into_it(job: MainJob) -> None:
    job.nvim.lua(
        """vim.ui.select = function(items, options, on_choice)
          _G.picked = { items, options.kind }
          on_choice(items[1], 1)
        end"""
    )
    agent = job.start()
    done = run(agent, "true")
    job.until(lambda: not listed(job, done)["running"])
    terminal = run(agent, "printf 'name? '; read name; echo hello $name; stty size")
    job.until(lambda: shown(job, terminal) == ["name?"])
    job.command("Acp terminals")
    buffer = listed(job, terminal)["bufnr"]
    job.until(lambda: job.nvim.api.nvim_get_current_buf() == buffer)
    picked = job.nvim.lua("return _G.picked")
    assert picked[1] == "acp.terminal"
    assert "(running)" in picked[0][0]
    assert "true (exit 0)" in picked[0][1]
    size = job.nvim.lua(
        "local i = vim.fn.getwininfo(vim.fn.win_getid())[1]"
        " return i.height .. ' ' .. (i.width - i.textoff)"
    )
    job.nvim.input("iworld<CR>")
    job.until(lambda: shown(job, terminal)[-1:] == ["[exit 0]"])
    assert "hello world" in shown(job, terminal)
    assert size in shown(job, terminal)
    job.nvim.input("<C-\\><C-n>")
    job.usable()


def test_no_terminals_is_said(job: MainJob) -> None:
    job.start()
    job.command("Acp terminals")
    assert job.told("no agent has a terminal")


def test_c170_the_chat_shows_it_live_and_after_its_release(job: MainJob) -> None:
    agent = job.start()
    prompt = job.turn(agent)
    terminal = run(agent, "echo before; read x; echo after $x; exit 2")
    content = [{"type": "terminal", "terminalId": terminal}]
    agent.update("tool_call", toolCallId="t", title="Run it", kind="execute", content=content)
    job.until(lambda: "Run it" in job.chat())
    chat = job.session()["bufnr"]
    row = job.chat().index("Run it") + 1
    job.command(f"call win_gotoid(bufwinid({chat})) | call cursor({row}, 1)")
    job.nvim.input("<CR>")
    job.until(lambda: "before" in job.chat())
    job.nvim.input("gf")
    buffer = listed(job, terminal)["bufnr"]
    job.until(lambda: job.nvim.api.nvim_get_current_buf() == buffer)
    job.nvim.input("iit<CR>")
    job.until(lambda: "after it" in job.chat())
    job.until(lambda: "[exit 2]" in job.chat())
    assert agent.ask("terminal/release", terminalId=terminal)["result"] == {}
    job.finish(agent, prompt)
    assert "after it" in job.chat()
    assert listed(job, terminal)["released"]


def test_c216_the_end_of_the_session_ends_its_terminals(job: MainJob) -> None:
    agent = job.start()
    terminal = run(agent, "sleep 1000")
    buffer = listed(job, terminal)["bufnr"]
    job.command("Acp stop")
    job.until(lambda: job.inspect()["terminals"] == [])
    job.until(lambda: not job.nvim.api.nvim_buf_is_valid(buffer))


@pytest.mark.parametrize("how", ["qall", "kill", "kill the host"])
def test_c216_no_command_outlives_the_editor(job: MainJob, how: str) -> None:
    agent = job.start()
    pid_file = job.work / "pid"
    run(agent, f"trap '' TERM HUP; echo $$ > {pid_file}; while :; do sleep 1000; done")
    job.until(lambda: pid_file.exists() and pid_file.read_text().strip())
    group = int(pid_file.read_text())
    host = job.host()
    if how == "kill":
        job.nvim.kill()
    elif how == "kill the host":
        job.kill(host)
    else:
        job.nvim.rpc.notify("nvim_command", "qall")
        assert job.nvim.exit_code() == 0
    job.gone(host, agent.pid, group)


def test_what_cannot_be_shown_in_time_is_left_out_and_said(job: MainJob) -> None:
    agent = job.start()
    terminal = run(agent, "seq 300000")
    job.until(lambda: shown(job, terminal)[-1:] == ["[exit 0]"])
    lines = shown(job, terminal)
    assert "300000" in lines
    assert any("bytes not shown" in line for line in lines)
    job.usable()


def test_the_rows_of_all_have_a_bound(job: MainJob) -> None:
    """Each takes 2 KB of Neovim, an empty one too: 100 KB of line ends in each were 50 GB."""
    job.nvim.lua("_G.terminal = require('acp.chat.terminal')")
    rows = "return vim.iter(vim.api.nvim_list_bufs()):map(vim.api.nvim_buf_line_count):totable()"
    for number in range(12):
        job.nvim.lua("_G.terminal.open(..., 'it/' .. ...)", number)
        for _ in range(3):
            job.nvim.lua("_G.terminal.write(..., ('\\r\\n'):rep(2000))", number)
        job.until(lambda: job.nvim.lua(rows)[-1] > 6000)
    job.nvim.lua("_G.terminal.write(..., 'last')", 11)
    held = job.nvim.lua(rows)
    assert held[-1] > 6000
    assert sum(held) <= 50_000


def test_what_is_typed_for_a_host_that_is_gone_goes_nowhere(job: MainJob) -> None:
    agent = job.start()
    terminal = run(agent, "cat")
    buffer = listed(job, terminal)["bufnr"]
    job.command(f"botright sbuffer {buffer}")
    job.kill(job.host())
    job.told("the host ended")
    job.nvim.input("ix<C-\\><C-n>")
    job.usable()
    assert not job.inspect()["host"]["running"]


def test_a_wiped_buffer_hinders_nothing(job: MainJob) -> None:
    agent = job.start()
    terminal = run(agent, "echo up; read x; seq 10")
    job.until(lambda: shown(job, terminal) == ["up"])
    job.command(f"bwipeout! {listed(job, terminal)['bufnr']}")
    params = {"terminalId": terminal}
    assert agent.ask("terminal/kill", **params)["result"] == {}
    assert agent.ask("terminal/output", **params)["result"]["output"] == "up\n"
    job.until(lambda: "bufnr" not in listed(job, terminal))
    job.usable()
