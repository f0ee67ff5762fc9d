"""No agent is let into a folder that is no project unless the user says so, however it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

CHOOSER = """
_G.asked = {}
vim.ui.select = function(items, how, done)
  table.insert(_G.asked, { how.kind, how.prompt, items })
  done(items[_G.choice], _G.choice)
end
"""
NO, YES = 1, 2


def chooses(job: MainJob, choice: int) -> None:
    """Answer all that is asked from now on with that row."""
    job.nvim.lua(CHOOSER)
    job.nvim.lua("_G.choice = ...", choice)


def asked(job: MainJob) -> list[tuple[str, list[str]]]:
    """Return the titles and answers of the questions about a root so far."""
    every = job.nvim.lua("return _G.asked")
    return [(title, labels) for kind, title, labels in every if kind == "acp.root"]


def home_of(job: MainJob) -> Path:
    return Path(job.nvim.eval("$HOME")).resolve()


def enter(job: MainJob, where: str) -> Path:
    """Work there; return the folder that the agent would be let into."""
    home = home_of(job)
    if where == "a file behind a link to home":  # as with dotfiles that git keeps
        (home / ".git").mkdir()
        (job.folder / "link").symlink_to(home)
        job.command(f"edit {job.folder / 'link' / 'notes.txt'}")
        return home
    folder = {"home": home, "above home": home.parent, "everything": Path("/")}[where]
    job.command(f"cd {folder}")
    return folder


def assert_asked(job: MainJob, root: Path) -> None:
    job.until(lambda: asked(job))
    ((title, labels),) = asked(job)
    assert f"{root}, which is not a project. Allow it?" in title or f"(that is {root})" in title
    assert labels[0] == "No"


def opened(job: MainJob, root: Path) -> StdioAgent:
    """Open the session that the agent is asked for, in that folder."""
    agent = job.stage.accept()
    agent.initialize()
    request = agent.expect("session/new")
    assert Path(request["params"]["cwd"]).resolve() == root
    agent.reply(request, {"sessionId": "wide"})
    job.until(lambda: job.session()["state"] == "idle")
    return agent


@pytest.mark.parametrize(
    "where", ["home", "above home", "everything", "a file behind a link to home"]
)
@pytest.mark.parametrize("choice", [NO, YES])
def test_a_folder_that_is_no_project_is_asked_for(job: MainJob, where: str, choice: int) -> None:
    chooses(job, choice)
    root = enter(job, where)
    job.command("AcpStart scripted")
    assert_asked(job, root)
    if choice == YES:
        opened(job, root)
        return
    job.told("not started: :cd to a project")
    assert job.session()["state"] == "closed"
    assert job.inspect()["connections"] == []


def test_a_prompt_asks_for_it_too(job: MainJob) -> None:
    chooses(job, NO)
    root = enter(job, "home")
    job.command("AcpPrompt tidy all of this up")
    assert_asked(job, root)
    job.told("not started: :cd to a project")
    assert job.inspect()["connections"] == []


@pytest.mark.parametrize("job", [{"ui": {"sessions": "pick"}}], indirect=True)
def test_a_kept_session_of_it_asks_again(job: MainJob) -> None:
    chooses(job, YES)
    root = enter(job, "home")
    job.command("AcpStart scripted")
    agent = opened(job, root)
    prompt = job.turn(agent, "remember the milk")
    agent.say("I will", "wide")
    job.finish(agent, prompt)
    restart_host(job)
    chooses(job, NO)
    job.command("Acp sessions")  # its first row, and then No
    assert_asked(job, root)
    job.told("not started: :cd to a project")
    assert job.inspect()["connections"] == []


def restart_host(job: MainJob) -> None:
    """Do what another Neovim would find: the folders are the same, nothing runs."""
    folder = Path(job.nvim.eval("stdpath('state')"), "acp.nvim", "sessions")
    job.until(lambda: any('"running":true' not in it.read_text() for it in folder.glob("*.jsonl")))
    job.kill(job.host())
    job.until(lambda: not job.inspect()["host"]["running"])
    job.command("silent! %bwipeout!")
