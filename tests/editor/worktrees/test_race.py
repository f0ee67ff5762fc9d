"""A race of agents in worktrees, and `:Acp compare` of what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.editor.worktrees.test_worktrees import BASE, asked, pending, project
from tests.support.agents.stdio_agent import AgentStage, StdioAgent
from tests.support.main_job import MainJob
from tests.unit.worktrees.test_making import state

__all__ = ["project"]

CHECK = {"race": {"check": "grep -q TWO code.py"}}
FIRST = BASE.replace("line 2", "TWO").replace("line 8\n", "")
SECOND = BASE.replace("line 5", "FIVE")


@pytest.fixture
def stages(job: MainJob) -> Iterator[list[AgentStage]]:
    """Yield the stages of two agents, "scripted" and "other"."""
    folder = job.folder / "other"
    folder.mkdir()
    stage = AgentStage(folder)
    job.nvim.lua("local acp = vim.g.acp acp.agents.other = ... vim.g.acp = acp", stage.options())
    yield [job.stage, stage]
    stage.close()


def raced(job: MainJob, stages: list[AgentStage], prompt: str = "make it better") -> list[Path]:
    """Let both agents write a file in their worktrees; return these."""
    job.command(f"Acp race scripted other {prompt}")
    job.told("2 agents race: :Acp sessions lists them, :Acp compare shows the changes of each")
    agents: list[StdioAgent] = []
    folders = []
    for number, stage in enumerate(stages):
        agent = stage.accept()
        agent.initialize()
        folders.append(Path(agent.open(f"sess {number}")["params"]["cwd"]))
        agents.append(agent)
    prompts = [it.prompted() for it in agents]
    assert {it["params"]["prompt"][0]["text"] for it in prompts} == {prompt}
    for number, (agent, text) in enumerate(zip(agents, (FIRST, SECOND), strict=True)):
        path = str(folders[number] / "code.py")
        agent.ask("fs/write_text_file", path=path, content=text, sessionId=f"sess {number}")
        agent.end(prompts[number])
    job.until(lambda: [it["state"] for it in job.inspect()["sessions"]] == ["idle", "idle"])
    return folders


def columns(job: MainJob) -> list[str]:
    """Return the bars above the columns of the comparison."""
    bars = job.nvim.lua(
        "return vim.tbl_map(function(it) return vim.wo[it].winbar end, "
        "vim.api.nvim_tabpage_list_wins(0))"
    )
    return [it.split(" %=")[0].split("# ")[1].replace(" %*%#AcpDim#%<", " ") for it in bars if it]


@pytest.mark.parametrize("job", [CHECK], indirect=True)
def test_the_best_hunks_of_each_are_taken_undone_and_nothing_is_left(
    job: MainJob, project: Path, stages: list[AgentStage]
) -> None:
    path = job.edit("code.py", BASE)
    before = state(project)
    folders = raced(job, stages)
    (title,) = asked(job)
    assert all(f"{it} (branch acp/" in title for it in folders)
    job.command(f"tabnew {path} | Acp compare")
    job.until(lambda: len(columns(job)) == 2)
    assert "grep -q TWO code.py` in 2 worktrees" in asked(job)[1]
    names = ["yours code.py", "scripted-1 +1 −2 code.py"]
    assert columns(job) == names
    rows = job.until(lambda: [it for it in listed(job) if "✗ 1" in it] and listed(job))
    assert rows[0].startswith("scripted-1 +1 −2 ✓ 0 0:0")
    assert rows[1].startswith("other-1    +1 −1 ✗ 1 0:0")
    assert rows[3] == "code.py  2 of 2"
    job.command("wincmd l | wincmd l")
    job.nvim.input("2Gdo")
    job.told("taken from scripted-1: :Acp keep keeps it")
    job.nvim.input("<Tab>")
    job.until(lambda: columns(job) == ["yours code.py", "other-1 +1 −1 code.py"])
    job.nvim.input("5Gdo")
    job.told("taken from other-1")
    taken = BASE.replace("line 2", "TWO").replace("line 5", "FIVE")
    job.until(lambda: path.read_text() == taken)
    assert pending(job, path) == 2
    job.nvim.input("q")
    job.until(lambda: len(columns(job)) == 0)
    job.command(f"tabonly | edit {path} | Acp undo")
    job.told("undid turn 1 of other")
    job.command("Acp undo")
    job.told("undid turn 1 of scripted")
    assert path.read_text() == BASE
    for name in ("scripted-1", "other-1"):
        job.command(f"Acp worktree remove {name}")
        job.told(f"worktree {name} removed")
    assert state(project) == before


def listed(job: MainJob) -> list[str]:
    for buffer in job.nvim.lua("return vim.api.nvim_list_bufs()"):
        if job.nvim.eval(f"getbufvar({buffer}, '&filetype')") == "acp-versions":
            return job.nvim.lines(buffer)
    return []


def test_a_race_says_what_it_takes(job: MainJob, project: Path) -> None:
    for text in ("scripted fix it", "scripted scripted", ""):
        job.command("messages clear")
        job.command(f"Acp race {text}")
        job.told(":Acp race takes two agents or more, then the prompt")
    completed: list[Any] = job.nvim.lua(
        "return vim.fn.getcompletion('Acp race scripted scr', 'cmdline')"
    )
    assert completed == ["scripted"]


def test_without_worktrees_compare_says_what_to_do(job: MainJob, project: Path) -> None:
    job.command("Acp compare")
    job.told("there is no worktree of this project: :Acp worktree makes one; :Acp diff")
