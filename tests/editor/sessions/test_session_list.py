"""The list of the sessions: what it shows, that it is always so, and what its keys do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editor.sessions.test_sessions import (
    EVERYTHING,
    LISTS,
    PICKER,
    choose,
    kept,
    listed,
    picked,
    replay,
    restart_host,
    talk,
)
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

ASKED = "_G.asked = {} vim.ui.input = function(how, done) _G.asked = how done(_G.said) end"


def opened(job: MainJob, agent: StdioAgent | None = None, *sessions: dict[str, Any]) -> int:
    """Open the list, and let the agent, if it can, list these; return its buffer."""
    job.command("Acp sessions")
    if agent is not None:
        listed(agent, *sessions)
    assert job.nvim.eval("&filetype") == "acp-sessions"
    buffer = int(job.nvim.eval("bufnr()"))
    job.until(lambda: job.nvim.lines(buffer) != [""])
    return buffer


def until_row(job: MainJob, buffer: int, *words: str) -> int:
    """Wait for a row with all these words, and put the cursor on it; return its number."""

    def row() -> int:
        rows = enumerate(job.nvim.lines(buffer), 1)
        return next((at for at, line in rows if all(word in line for word in words)), 0)

    number = int(job.until(row))
    job.nvim.api.nvim_win_set_cursor(job.nvim.eval(f"bufwinid({buffer})"), [number, 0])
    return number


def press(job: MainJob, keys: str) -> None:
    """Type, and wait until it was taken."""
    job.nvim.input(keys)
    job.usable()


def test_it_shows_what_is_open_listed_and_kept(job: MainJob) -> None:
    agent = job.start(**LISTS)
    work = str(job.work)
    buffer = opened(
        job,
        agent,
        {"sessionId": "older", "cwd": work, "title": "Older", "updatedAt": "2001-01-01T00:00:00Z"},
        {"sessionId": "newer", "cwd": work, "title": "Newer", "updatedAt": "2020-01-01T00:00:00Z"},
    )
    until_row(job, buffer, "○ agent", "Older")
    lines = job.nvim.lines(buffer)
    assert [line.split()[1] for line in lines] == ["idle", "agent", "agent"]
    assert [line.split()[-1] for line in lines[1:]] == ["Newer", "Older"]
    assert all("scripted" in line and work in line for line in lines)


def test_it_is_as_the_sessions_are(job: MainJob) -> None:
    agent = job.start()
    buffer = opened(job)
    until_row(job, buffer, "● idle")
    prompt = job.turn(agent, "remember the milk")
    until_row(job, buffer, "◐ running", "now", "remember the milk")
    agent.request_permission("p")
    until_row(job, buffer, "? 1 waiting")
    job.until(job.asks)
    job.command("Acp permit 1")
    until_row(job, buffer, "◐ running")
    job.finish(agent, prompt)
    until_row(job, buffer, "● idle", "remember the milk")
    agent.update("session_info_update", title="Milk")
    until_row(job, buffer, "● idle", "Milk")


def test_the_cursor_stays_with_its_session(job: MainJob) -> None:
    agent = job.start(**LISTS)
    work = str(job.work)
    buffer = opened(job, agent, {"sessionId": "old", "cwd": work, "title": "Old"})
    until_row(job, buffer, "Old")
    job.command("Acp new scripted")
    agent.open("second")
    job.until(lambda: len(job.nvim.lines(buffer)) == 3)
    window = job.nvim.eval(f"bufwinid({buffer})")
    assert job.nvim.lua("return vim.api.nvim_win_get_cursor(...)", window) == [3, 0]


def test_enter_goes_on_with_a_session_and_the_list_stays(job: MainJob) -> None:
    agent = job.start(**LISTS)
    work = str(job.work)
    buffer = opened(job, agent, {"sessionId": "old", "cwd": work, "title": "Old"})
    until_row(job, buffer, "Old")
    press(job, "<CR>")
    request = agent.expect("session/load")
    assert request["params"]["sessionId"] == "old"
    replay(agent)
    agent.reply(request, {})
    until_row(job, buffer, "● idle", "Old")
    assert "You said this" in job.chat()
    assert job.nvim.eval("bufnr()") == job.session()["prompt_bufnr"]
    assert len(job.nvim.lines(buffer)) == 2


def test_what_was_kept_is_gone_on_with_by_another_host(job: MainJob) -> None:
    talk(job, job.start())
    job.until(lambda: kept(job))
    restart_host(job)
    buffer = opened(job)
    until_row(job, buffer, "◌ was open", "remember the milk")
    press(job, "<CR>")
    again = job.stage.accept()
    job.until(lambda: "I will" in job.chat())
    again.initialize()
    again.open("new one")
    until_row(job, buffer, "● idle")


def test_a_session_is_closed_and_is_among_the_kept_ones(job: MainJob) -> None:
    agent = job.start(**EVERYTHING)
    talk(job, agent)
    buffer = opened(job, agent)
    until_row(job, buffer, "● idle")
    press(job, "c")
    agent.reply(agent.expect("session/close"), {})
    until_row(job, buffer, "○ kept", "remember the milk")
    assert job.session()["state"] == "closed"
    press(job, "c")
    job.told("this session is not open")


def test_a_session_is_renamed_open_or_not(job: MainJob) -> None:
    job.nvim.lua(ASKED)
    agent = job.start(**{"agentCapabilities": {"sessionCapabilities": {"title": {}, "close": {}}}})
    talk(job, agent)
    buffer = opened(job)
    until_row(job, buffer, "● idle", "remember the milk")
    job.nvim.lua("_G.said = ' Milk  run '")
    press(job, "r")
    request = agent.expect("session/set_title")
    assert request["params"]["title"] == "Milk run"
    agent.reply(request, {})
    until_row(job, buffer, "● idle", "Milk run")
    press(job, "c")
    agent.reply(agent.expect("session/close"), {})
    until_row(job, buffer, "○ kept", "Milk run")
    job.nvim.lua("_G.said = 'Butter'")
    press(job, "r")
    assert job.nvim.lua("return _G.asked.default") == "Milk run"
    request = agent.expect("session/set_title")
    assert request["params"] == {"sessionId": "sess 1/ü", "title": "Butter"}
    agent.reply(request, {})
    until_row(job, buffer, "○ kept", "Butter")


def test_a_session_is_deleted_only_after_a_yes(job: MainJob) -> None:
    job.nvim.lua(PICKER)
    agent = job.start(**EVERYTHING)
    talk(job, agent)
    job.until(lambda: kept(job))
    buffer = opened(job, agent)
    until_row(job, buffer, "● idle")
    press(job, "D")
    assert picked(job)[0] == "acp.confirm"
    choose(job, 1)
    listed(agent)
    assert kept(job)
    press(job, "D")
    picked(job, 2)
    choose(job, 2, 2)
    agent.reply(agent.expect("session/close"), {})
    agent.reply(agent.expect("session/delete"), {})
    listed(agent)
    until_row(job, buffer, "There is no session here")
    job.until(lambda: not kept(job))


def test_only_rows_with_the_words_are_shown(job: MainJob) -> None:
    job.nvim.lua(ASKED)
    agent = job.start(**LISTS)
    work = str(job.work)
    titles = ("Fix the cache", "Add tests", "Cache, again")
    named = [{"sessionId": it, "cwd": work, "title": it} for it in titles]
    buffer = opened(job, agent, *named)
    until_row(job, buffer, "again")
    job.nvim.lua("_G.said = 'CACHE agent'")
    press(job, "/")
    job.until(lambda: len(job.nvim.lines(buffer)) == 2)
    press(job, "gg<CR>")
    assert agent.expect("session/load")["params"]["sessionId"] == "Fix the cache"
    job.command(f"call win_gotoid(bufwinid({buffer}))")
    job.nvim.lua("_G.said = ''")
    press(job, "/")
    until_row(job, buffer, "Add tests")


def test_gs_opens_it_and_again_goes_to_it(job: MainJob) -> None:
    job.start()
    press(job, "gs")
    job.until(lambda: job.nvim.eval("&filetype") == "acp-sessions")
    buffer = job.nvim.eval("bufnr()")
    job.command("wincmd t")
    job.command("Acp sessions")
    assert job.nvim.eval("bufnr()") == buffer
    press(job, "q")
    job.until(lambda: not job.nvim.eval(f"bufexists({buffer})"))
    buffer = opened(job)
    until_row(job, buffer, "● idle")


@pytest.mark.parametrize("job", [{"ui": {"winbar": "placeholder"}}], indirect=True)
def test_a_bar_of_the_user_s_is_for_chats(job: MainJob) -> None:
    job.nvim.lua("require('acp').setup({ ui = { winbar = function() return 'MINE' end } })")
    job.start()
    opened(job)
    job.until(lambda: "1 session" in job.nvim.lua("return require('acp.ui.bar').line()"))
