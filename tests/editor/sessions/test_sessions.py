"""Sessions of now and of earlier days: the picker, the replay, :edit and :mksession."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

LISTS = {"agentCapabilities": {"loadSession": True, "sessionCapabilities": {"list": {}}}}
EVERYTHING = {
    "agentCapabilities": {
        "loadSession": True,
        "sessionCapabilities": {"list": {}, "delete": {}, "close": {}},
    }
}

PICKER = """
_G.picks = {}
vim.ui.select = function(items, how, on_choice)
  table.insert(_G.picks, { how.kind, how.prompt, items, on_choice })
end
"""


def picked(job: MainJob, count: int = 1) -> list[Any]:
    """Wait for the picker; return its kind, title and labels."""
    job.until(lambda: job.nvim.lua("return #_G.picks") >= count)
    return list(job.nvim.lua(f"local it = _G.picks[{count}] return {{ it[1], it[2], it[3] }}"))


def choose(job: MainJob, index: int, count: int = 1) -> None:
    """Choose a row, from 1."""
    job.nvim.lua(f"local it = _G.picks[{count}] it[4](it[3][{index}], {index})")


def talk(job: MainJob, agent: StdioAgent, session: str = "sess 1/ü") -> None:
    """Play a turn that is worth keeping."""
    prompt = job.turn(agent, "remember the milk")
    agent.say("I will", session)
    job.finish(agent, prompt)


def kept(job: MainJob) -> list[Path]:
    """Return the files of the kept sessions, as soon as no turn runs in them."""
    folder = job.nvim.eval("stdpath('state')")
    files = list(Path(folder, "acp.nvim", "sessions").glob("*.jsonl"))
    running = '"running":true'
    try:
        return files if not any(running in file.read_text() for file in files) else []
    except FileNotFoundError:  # one was removed meanwhile
        return kept(job)


def restart_host(job: MainJob) -> None:
    """Do what another Neovim would find: the folders are the same, nothing runs."""
    pid = job.host()
    job.kill(pid)
    job.until(lambda: not job.inspect()["host"]["running"])
    job.command("silent! %bwipeout!")


def replay(agent: StdioAgent, session: str = "old") -> None:
    """Say what the session held."""
    text = {"type": "text", "text": "what did I say?"}
    agent.update("user_message_chunk", session, content=text)
    agent.say("You said this", session)


@pytest.fixture
def picking(job: MainJob) -> Iterator[MainJob]:
    """Yield the job with `:Acp sessions` as a picker, which waits for the test."""
    job.nvim.lua("require('acp').setup({ ui = { sessions = 'pick' } })")
    job.nvim.lua(PICKER)
    yield job


def listed(agent: StdioAgent, *sessions: dict[str, Any]) -> None:
    """Answer `session/list`."""
    agent.reply(agent.expect("session/list"), {"sessions": list(sessions)})


def test_the_picker_shows_open_listed_and_kept_ones_each_once(picking: MainJob) -> None:
    job = picking
    agent = job.start(**LISTS)
    talk(job, agent)
    job.until(lambda: kept(job))
    job.command("Acp sessions")
    work = str(job.work)
    listed(
        agent,
        {"sessionId": "older", "cwd": work, "title": "Older", "updatedAt": "2001-01-01T00:00:00Z"},
        {"sessionId": "sess 1/ü", "cwd": work, "title": "Milk"},
        {"sessionId": "newer", "cwd": work, "title": "Newer", "updatedAt": "2020-01-01T00:00:00Z"},
    )
    kind, title, labels = picked(job)
    assert (kind, title) == ("acp.session", "Go to a session")
    assert [label.split(" · ")[0].strip() for label in labels] == ["open", "agent", "agent"]
    assert [label.split(" · ")[1] for label in labels] == ["scripted"] * 3
    assert labels[0].split(" · ")[2:4] == ["idle", "Milk"]
    assert "Newer" in labels[1] and labels[1].endswith(" w ago")
    assert "Older" in labels[2]
    job.command("wincmd t | only")
    choose(job, 1)
    job.until(lambda: job.nvim.eval("bufnr()") == job.session()["prompt_bufnr"])


@pytest.mark.parametrize("late", [False, True])
def test_a_listed_session_is_loaded_with_its_replay(picking: MainJob, *, late: bool) -> None:
    job = picking
    agent = job.start(**LISTS)
    job.command("Acp sessions")
    (job.work / ".git").mkdir()
    inner = str(job.work / "inner")
    listed(agent, {"sessionId": "old", "cwd": inner, "title": "Old"})
    choose(job, 1 + len(picked(job)[2]) - 1)
    kind, title, _ = picked(job, 2)
    assert (kind, f"wants to work in {inner}, a folder that it names" in title) == (
        "acp.root",
        True,
    )
    agent.quiet()
    choose(job, 2, 2)
    request = agent.expect("session/load")
    assert [it["name"] for it in request["params"].pop("mcpServers")] == ["editor"]
    assert request["params"] == {"sessionId": "old", "cwd": inner}
    if not late:
        replay(agent)
    agent.reply(request, {})
    if late:
        replay(agent)
    job.until(lambda: job.session()["state"] == "idle")
    session = job.session()
    assert session["id"] == "old" and session["turn"] == 1
    assert [(it["kind"], it["text"]) for it in session["entries"]] == [
        ("user", "what did I say?"),
        ("agent", "You said this"),
    ]
    assert "You said this" in job.chat()
    assert job.events("AcpTurnStarted") == job.events("AcpTurnEnded") == []


@pytest.mark.parametrize("where", ["home", "above home", "elsewhere", "a link to home"])
def test_sessions_of_other_folders_are_not_in_this_list(picking: MainJob, where: str) -> None:
    job = picking
    home = Path(job.nvim.eval("$HOME"))
    link = job.folder / "link"
    link.symlink_to(home)
    elsewhere = job.folder / "elsewhere"
    elsewhere.mkdir()
    named = {"home": home, "above home": home.parent, "a link to home": link}.get(where, elsewhere)
    agent = job.start(**LISTS)
    job.command("Acp sessions")
    listed(
        agent,
        {"sessionId": "old", "cwd": str(named), "title": "Old"},
        {"sessionId": "ours", "title": "Ours"},
        {"sessionId": "mine", "cwd": f"{job.work}/", "title": "Mine"},
    )
    labels = picked(job)[2]
    assert [any(it in label for label in labels) for it in ("Old", "Ours", "Mine")] == [
        False,
        True,
        True,
    ]
    agent.quiet()


def test_yesterdays_session_is_found_without_the_help_of_the_agent(picking: MainJob) -> None:
    job = picking
    talk(job, job.start())
    job.until(lambda: kept(job))
    assert kept(job)[0].stat().st_mode & 0o777 == 0o600
    restart_host(job)
    job.command("Acp sessions")
    label = picked(job)[2][0]
    assert label.startswith("kept ") and "remember the milk" in label
    choose(job, 1)
    again = job.stage.accept()
    job.until(lambda: "I will" in job.chat())  # before the agent has said a word
    again.initialize()
    again.open("new one")
    job.until(lambda: job.session()["state"] == "idle")
    assert "I will" in job.chat()
    assert any("cannot load sessions: this one starts anew" in line for line in job.chat())


def test_edit_of_a_name_opens_the_session(job: MainJob) -> None:
    talk(job, job.start())
    name = job.nvim.api.nvim_buf_get_name(job.session()["bufnr"])
    job.until(lambda: kept(job))
    restart_host(job)
    job.command(f"edit {name.replace('%', chr(92) + '%')}")
    again = job.stage.accept()
    job.until(lambda: "I will" in job.chat())
    again.initialize(agentCapabilities={"sessionCapabilities": {"resume": {}}})
    request = again.expect("session/resume")
    assert request["params"]["sessionId"] == "sess 1/ü"
    again.reply(request, {})
    job.until(lambda: job.session()["state"] == "idle")
    assert job.nvim.api.nvim_buf_get_name(job.session()["bufnr"]) == name
    talk(job, again)


def test_mksession_brings_the_chat_back(job: MainJob) -> None:
    talk(job, job.start())
    name = job.nvim.api.nvim_buf_get_name(job.session()["bufnr"])
    file = job.folder / "Session.vim"
    job.command(f"mksession {file}")
    job.until(lambda: kept(job))
    restart_host(job)
    job.command(f"source {file}")
    again = job.stage.accept()
    again.initialize(agentCapabilities={"sessionCapabilities": {"resume": {}}})
    again.reply(again.expect("session/resume"), {})
    job.until(lambda: job.session()["state"] == "idle")
    session = job.session()
    assert job.nvim.api.nvim_buf_get_name(session["bufnr"]) == name
    assert job.nvim.eval(f"bufwinid({session['bufnr']})") > 0
    assert "I will" in job.chat()
    job.command("Acp prompt")
    assert job.nvim.eval("bufnr()") == session["prompt_bufnr"]
    talk(job, again)


def test_a_session_is_deleted_only_after_a_yes(picking: MainJob) -> None:
    job = picking
    agent = job.start(**EVERYTHING)
    talk(job, agent)
    job.until(lambda: kept(job))
    for answer in (1, 2):
        job.nvim.lua("_G.picks = {}")
        job.command("Acp sessions delete")
        listed(agent)
        picked(job)
        choose(job, 1)
        kind, title, labels = picked(job, 2)
        assert kind == "acp.confirm"
        assert title == "Delete this session of scripted for good: remember the milk?"
        assert labels == ["No", "Yes, delete it"]
        choose(job, answer, 2)
        if answer == 1:
            agent.quiet()
    agent.reply(agent.expect("session/close"), {})
    request = agent.expect("session/delete")
    assert request["params"] == {"sessionId": "sess 1/ü"}
    agent.reply(request, {})
    job.until(lambda: not kept(job))
    assert job.session()["state"] == "closed"


def test_a_session_is_closed_and_its_chat_stays(picking: MainJob) -> None:
    job = picking
    agent = job.start(**EVERYTHING)
    job.command("Acp sessions close")
    listed(agent, {"sessionId": "other", "cwd": str(job.work)})
    labels = picked(job)[2]
    assert len(labels) == 1 and labels[0].startswith("open ")
    choose(job, 1)
    agent.reply(agent.expect("session/close"), {})
    job.until(lambda: job.session()["state"] == "closed")
    job.command("Acp sessions close")
    listed(agent)
    job.told("no session is open")
