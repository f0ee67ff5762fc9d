"""The list of the sessions as a column that stays: `ui.sessions = 'sidebar'`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.editor.sessions.test_idle import TIMERS
from tests.editor.sessions.test_session_list import press, until_row
from tests.support.main_job import MainJob
from tests.support.screen.grid import Screen

SIZES = ((80, 24), (120, 40), (200, 50))
DRAWN = """
_G.drawn = 0
local apply = require('acp.ui.apply')
local frame = apply.frame
apply.frame = function(given)
  for _, part in ipairs(given.buffers) do
    _G.drawn = _G.drawn + (part.bufnr == vim.fn.bufnr('acp-sessions') and 1 or 0)
  end
  return frame(given)
end
"""


@pytest.fixture
def job() -> Iterator[MainJob]:
    """Yield a Neovim that lists the sessions in a sidebar."""
    with MainJob({"ui": {"sessions": "sidebar"}}) as started:
        yield started


def opened(job: MainJob) -> int:
    """Open the sidebar, wait for what is in it, and return its buffer."""
    job.command("Acp sessions")
    assert job.nvim.eval("&filetype") == "acp-sessions"
    buffer = int(job.nvim.eval("bufnr()"))
    job.until(lambda: job.nvim.lines(buffer) != [""])
    return buffer


def windows(job: MainJob) -> list[tuple[int, int]]:
    """Return buffer and width of each window of the tabpage, from the left."""
    found = job.nvim.lua(
        """return vim.tbl_map(function(it)
          return { vim.api.nvim_win_get_buf(it), vim.api.nvim_win_get_width(it) }
        end, vim.api.nvim_tabpage_list_wins(0))"""
    )
    return [(buffer, width) for buffer, width in found]


def plan(*steps: tuple[str, str]) -> dict[str, Any]:
    entries = [{"content": text, "priority": "low", "status": status} for text, status in steps]
    return {"entries": entries}


def test_it_says_what_each_session_does_at_each_size(job: MainJob) -> None:
    agent = job.start()
    job.edit("stats.py", "def mean(values):\n    return sum(values)\n")
    opened(job)
    job.turn(agent, "remember the milk")
    agent.update("plan", **plan(("Buy milk", "in_progress"), ("Drink it", "pending")))
    agent.update("usage_update", used=10, size=100, cost={"amount": 0.04, "currency": "USD"})
    agent.update("tool_call", toolCallId="t", title="npm test", status="in_progress")
    job.command("Acp new scripted")
    agent.open("second")
    for columns, rows in SIZES:
        job.nvim.api.nvim_ui_try_resize(columns, rows)
        with Screen(job.nvim, columns, rows) as screen:
            screen.wait_for("(nothing said yet)")
            shown = screen.wait_for("npm test").text()
        width = windows(job)[0][1]
        column = [row[:width].rstrip() for row in shown]
        assert column[0] == " 2 sessions · 1 running"
        assert column[1].strip().endswith("/work")
        assert column[2:4] == ["· (nothing said yet)", "  scripted"]
        assert column[4][1:] == " remember the milk"
        assert column[4][0] in "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏◐"
        assert column[5:8] == ["  scripted · 0.04 USD", "  0/2 ◐ Buy milk", "  npm test"]
        assert any(row.startswith("acp-sessions") for row in column[-3:])


def test_a_question_is_answered_from_it_and_a_failed_turn_is_marked(job: MainJob) -> None:
    agent = job.start()
    buffer = opened(job)
    prompt = job.turn(agent, "go")
    agent.request_permission("p")
    job.until(job.asks)
    job.command(f"call win_gotoid(bufwinid({buffer}))")
    until_row(job, buffer, "1 question: a answers")
    press(job, "a")
    asked = job.until(lambda: job.asks()[0]["winid"])
    job.until(lambda: job.nvim.eval("win_getid()") == asked)
    press(job, "1")
    job.until(lambda: not job.asks())
    job.finish(agent, prompt, "refusal")
    with Screen(job.nvim, 120, 30) as screen:
        screen.wait_for("✗ go")
    job.command(f"call win_gotoid(bufwinid({buffer}))")
    until_row(job, buffer, "go")
    press(job, "a")
    job.told("no question waits in this session")


def test_it_keeps_its_place_and_no_file_is_shown_in_it(job: MainJob) -> None:
    job.start()
    job.edit("stats.py", "pass\n")
    buffer = opened(job)
    job.command("vertical resize 31")
    assert windows(job)[0] == (buffer, 31)
    for what in ("close", "open", "close", "open", "close"):
        where = "topleft vertical " if what == "open" else ""
        job.command(f"{where}Acp chat {what}")
        assert windows(job)[0] == (buffer, 31)
    job.command(f"call win_gotoid(bufwinid({buffer}))")
    job.command("edit other.py")
    job.until(lambda: windows(job)[0] == (buffer, 31))
    assert job.nvim.eval("expand('%:t')") == "other.py"
    assert len(windows(job)) == 2
    job.command("close | edit third.py")  # in the sidebar, which is the only window
    job.until(lambda: windows(job)[0][0] == buffer and len(windows(job)) == 2)
    assert windows(job)[0][1] < 40 and job.nvim.eval("expand('%:t')") == "third.py"
    job.command("Acp sessions")
    job.command("vertical resize 31")
    press(job, "q")
    job.until(lambda: not job.nvim.eval(f"bufexists({buffer})"))
    assert windows(job)[0][0] != buffer
    assert windows(job) and opened(job) and windows(job)[0][1] == 31


def test_it_is_drawn_only_while_it_is_seen_and_something_changes(job: MainJob) -> None:
    agent = job.start()
    buffer = opened(job)
    job.until(lambda: job.nvim.lua("return vim.b[...].acp_status ~= nil", buffer))
    job.nvim.lua(DRAWN)
    prompt = job.turn(agent, "go")
    until_row(job, buffer, "go")
    agent.update("tool_call", toolCallId="t", title="npm test", status="in_progress")
    until_row(job, buffer, "npm test")
    drawn = job.nvim.lua("return _G.drawn")
    for number in range(3):
        agent.say(f"word {number}")
    job.inspect()
    assert job.nvim.lua("return _G.drawn") == drawn
    job.command("tab split")
    job.command("enew")
    job.inspect()  # the host was told by now that nobody sees it
    agent.update("tool_call_update", toolCallId="t", title="npm run build")
    job.finish(agent, prompt)
    job.inspect()
    assert job.nvim.lua("return _G.drawn") == drawn
    job.until(lambda: job.nvim.lua(TIMERS) == 0)
    job.command("tabprevious")
    job.until(lambda: not any("npm" in line for line in job.nvim.lines(buffer)))
    job.until(lambda: job.nvim.lua(TIMERS) == 0)
