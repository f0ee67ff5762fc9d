"""`:Acp worktree`: a session in a worktree of its own, merged back as hunks under review."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.editor.review.test_rewind import AGREE
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob
from tests.unit.worktrees.test_making import run, state

BASE = "".join(f"line {number}\n" for number in range(1, 10))


@pytest.fixture
def project(job: MainJob) -> Path:
    """Return the project, a repository; questions are answered with their last choice."""
    run(job.work, "init", "-q", "-b", "main")
    run(job.work, "config", "user.name", "me")
    run(job.work, "config", "user.email", "me@here")
    (job.work / "code.py").write_text(BASE)
    run(job.work, "add", ".")
    run(job.work, "commit", "-qm", "x")
    job.nvim.lua(AGREE)
    return job.work


def asked(job: MainJob) -> list[str]:
    return list(job.nvim.lua("return _G.asked"))


def begin(job: MainJob) -> tuple[StdioAgent, Path]:
    """Make a worktree; return its agent and its folder."""
    job.command("Acp worktree scripted")
    agent = job.stage.accept()
    agent.initialize()
    folder = Path(agent.open()["params"]["cwd"])
    job.until(lambda: job.session().get("state") == "idle")
    return agent, folder


def edit(job: MainJob, agent: StdioAgent, path: Path, text: str, said: str = "go") -> None:
    """Play a turn in which the agent writes a file."""
    job.command(f"call win_gotoid(bufwinid({job.session()['bufnr']}))")
    prompt = job.turn(agent, said)
    agent.ask("fs/write_text_file", path=str(path), content=text)
    job.finish(agent, prompt)


def pending(job: MainJob, path: Path) -> int:
    edits = [it for it in job.inspect()["edits"] if it["path"] == str(path)]
    return sum(hunk["state"] == "pending" for it in edits for hunk in it["hunks"])


def test_a_worktree_is_merged_into_unsaved_text_undone_and_removed(
    job: MainJob, project: Path
) -> None:
    path = job.edit("code.py", BASE)
    before = state(project)
    agent, folder = begin(job)
    (title,) = asked(job)
    assert str(folder) in title and "branch acp/scripted-1" in title
    assert f"what {project} has on the disk; what is not saved stays here" in title
    theirs = BASE.replace("line 2\n", "TWO\n").replace("line 8\n", "")
    edit(job, agent, folder / "code.py", theirs, "make it shorter")
    (folder / "new.py").write_text("new\n")
    job.command(f"wincmd t | edit {path}")
    job.nvim.api.nvim_buf_set_lines(0, 4, 5, True, ["mine"])
    job.command("Acp worktree merge scripted-1")
    job.told("merged scripted-1: 2 files +2 −2 to review")
    mine = BASE.replace("line 5", "mine")
    merged = theirs.replace("line 5", "mine")
    assert job.nvim.lines(job.nvim.eval("bufnr('code.py')")) == merged.splitlines()
    assert path.read_text() == BASE
    assert (pending(job, path), pending(job, folder / "code.py")) == (2, 0)
    assert (project / "new.py").read_text() == "new\n"
    job.command("2 | Acp why")
    job.until(lambda: "make it shorter" in str(job.nvim.lua(FLOATS)))
    job.command("Acp undo")
    job.told("undid turn 1 of scripted")
    assert job.nvim.lines(job.nvim.eval("bufnr('code.py')")) == mine.splitlines()
    assert not (project / "new.py").exists()
    job.command("Acp worktree remove")
    job.told("worktree scripted-1 removed, with its branch acp/scripted-1")
    assert state(project) == before
    assert not list(folder.parent.iterdir())
    job.until(lambda: job.session()["state"] == "closed")


FLOATS = """
local found = {}
for _, window in ipairs(vim.api.nvim_list_wins()) do
  if vim.api.nvim_win_get_config(window).relative ~= '' then
    local buffer = vim.api.nvim_win_get_buf(window)
    vim.list_extend(found, vim.api.nvim_buf_get_lines(buffer, 0, -1, true))
  end
end
return found
"""


def test_rejected_hunks_do_not_come_again_and_conflicts_stand(job: MainJob, project: Path) -> None:
    path = job.edit("code.py", BASE)
    agent, folder = begin(job)
    edit(job, agent, folder / "code.py", BASE.replace("line 2", "TWO"))
    job.command("Acp worktree merge")
    job.told("merged scripted-1: 1 file +1 −1 to review")
    job.command("wincmd t | 2 | Acp reject")
    job.until(lambda: path.read_text() == BASE)
    job.command("Acp worktree merge")
    job.told("nothing is new in scripted-1")
    job.nvim.api.nvim_buf_set_lines(0, 8, 9, True, ["nine of mine"])
    job.command("write")
    theirs = BASE.replace("line 2", "TWO").replace("line 5", "FIVE").replace("line 9", "NINE")
    edit(job, agent, folder / "code.py", theirs)
    job.command("Acp worktree merge")
    job.told("you have changed the same places of code.py")
    expected = BASE.replace("line 5", "FIVE").replace("line 9", "nine of mine")
    assert path.read_text() == expected


def test_what_would_be_lost_is_named(job: MainJob, project: Path) -> None:
    (project / ".git/info/exclude").write_text("build/\n*.env\n")
    agent, folder = begin(job)
    edit(job, agent, folder / "new.py", "new\n")
    run(folder, "add", ".")
    run(folder, "commit", "-qm", "theirs")
    (folder / "code.py").write_text("stashed\n")
    run(folder, "stash", "push", "-m", "for later")
    (folder / "build").mkdir()
    for name in ("build/a.o", "build/b.o", "x.env"):
        (folder / name).write_text("")
    prompt = job.turn(agent, "serve")
    agent.ask("terminal/create", command="sleep", args=["100"])
    job.finish(agent, prompt)
    job.nvim.lua("vim.ui.select = function(_, how, done) _G.title = how.prompt done(nil) end")
    job.command("Acp worktree remove scripted-1")
    title = job.until(lambda: job.nvim.lua("return _G.title"))
    assert title == "Remove the worktree scripted-1? Lost with it: " + "; ".join(
        (
            "changes of 1 file not merged (new.py)",
            "1 commit on no other branch",
            "On acp/scripted-1: for later in git stash",
            "3 files that git ignores (build/, x.env)",
            "1 running terminal (sleep 100)",
        )
    )
    assert folder.exists()
    job.nvim.lua(AGREE)
    job.command("Acp worktree remove scripted-1")
    job.told("worktree scripted-1 removed")
    assert run(project, "stash", "list") == ""


@pytest.mark.parametrize("job", [{"worktree": {"copy": ["conf", "*.env", "no"]}}], indirect=True)
def test_what_git_does_not_track_comes_along_where_it_is_named(job: MainJob, project: Path) -> None:
    (project / ".git/info/exclude").write_text("conf/\n*.env\n")
    (project / "conf").mkdir()
    for name in ("conf/a", "conf/b", "x.env"):
        (project / name).write_text("")
    _, folder = begin(job)
    assert "on the disk; copied with it: conf (2 files), *.env (1 file); what" in asked(job)[0]
    assert {it.name for it in folder.iterdir()} == {".git", "code.py", "conf", "x.env"}
    job.nvim.lua("_G.asked = {}")
    job.command("Acp worktree remove scripted-1")
    job.told("worktree scripted-1 removed")
    assert asked(job) == []


def test_by_git_it_is_committed_and_merged(job: MainJob, project: Path) -> None:
    path = job.edit("code.py", BASE)
    agent, folder = begin(job)
    edit(job, agent, folder / "code.py", BASE.replace("line 2", "TWO"))
    job.command("wincmd t")
    job.nvim.api.nvim_buf_set_lines(0, 4, 5, True, ["mine"])
    job.command("Acp worktree merge! scripted-1")
    job.told("code.py is not saved: :write it, then merge")
    job.command("write")
    job.command("Acp worktree merge! scripted-1")
    job.told("git merges nothing: ", "would be overwritten by merge")
    run(project, "commit", "-qam", "mine")
    for hook in ("pre-commit", "post-merge", "commit-msg", "prepare-commit-msg"):
        (project / ".git/hooks" / hook).write_text(f"#!/bin/sh\ntouch {job.folder}/ran\n")
        (project / ".git/hooks" / hook).chmod(0o755)
    job.command("Acp worktree merge! scripted-1")
    job.told("merged acp/scripted-1: 1 file changed, 1 insertion(+), 1 deletion(-)")
    merged = BASE.replace("line 2", "TWO").replace("line 5", "mine")
    assert path.read_text() == merged
    job.until(lambda: job.nvim.lines(job.nvim.eval("bufnr('code.py')")) == merged.splitlines())
    assert run(project, "log", "--format=%an %s", "-1", "acp/scripted-1") == "me go\n"
    assert not (job.folder / "ran").exists()
    job.command("Acp worktree merge")
    job.told("nothing is new in scripted-1")


def test_conflicts_of_git_leave_all_as_it_is(job: MainJob, project: Path) -> None:
    agent, folder = begin(job)
    edit(job, agent, folder / "code.py", BASE.replace("line 2", "TWO"))
    (project / "code.py").write_text(BASE.replace("line 2", "mine"))
    run(project, "commit", "-qam", "mine")
    job.command("Acp worktree merge!")
    job.told("conflicts in code.py, nothing is merged")
    assert run(project, "status", "--porcelain") == ""


def test_it_comes_back_with_the_next_neovim(job: MainJob, project: Path) -> None:
    agent, folder = begin(job)
    edit(job, agent, folder / "code.py", BASE.replace("line 2", "TWO"), "my task")
    job.kill(job.host())
    job.until(lambda: not job.inspect()["host"]["running"])
    job.command("Acp sessions")
    rows = job.until(lambda: [it for it in job.nvim.lines(0) if "my task" in it])
    assert "work ⎇ scripted-1" in rows[0]
    found: list[dict[str, Any]] = job.nvim.lua("return vim.b.acp_status.rows")
    assert found
    assert job.nvim.lua("return vim.fn.getcompletion('Acp worktree merge ', 'cmdline')") == [
        "scripted-1"
    ]


def test_what_is_half_made_is_offered_to_be_removed(job: MainJob, project: Path) -> None:
    before = state(project)
    _, folder = begin(job)
    record = folder.with_name(f"{folder.name}.json")
    folder.with_name("new").write_text(
        json.dumps(json.loads(record.read_text()) | {"is_made": False})
    )
    folder.with_name("new").rename(record)
    job.nvim.lua("_G.asked = {}")
    job.nvim.lua(AGREE.replace("#items", "how.prompt:find('whole') and 2 or 1"))
    job.command("Acp worktree")
    job.until(lambda: len(asked(job)) == 2)
    assert "The worktree scripted-1 is not whole" in asked(job)[0]
    assert state(project) == before


def test_without_a_repository_it_says_so(job: MainJob) -> None:
    job.nvim.lua(AGREE)
    job.command("Acp worktree scripted")
    job.told(f"{job.work} has no work tree of git")
    job.command("Acp worktree merge")
    job.told("there is no worktree of this project: :Acp worktree makes one")


def test_what_the_users_tools_obey_is_asked_for(job: MainJob, project: Path) -> None:
    _, folder = begin(job)
    (folder / ".envrc").write_text("evil\n")
    (folder / "new.py").write_text("new\n")
    choose = "local n = ... vim.ui.select = function(items, how, done) "
    choose += "_G.title = how.prompt done(items[n], n) end"
    job.nvim.lua(choose, 1)
    job.command("Acp worktree merge")
    job.told("merged scripted-1: 1 file +1 −0 to review")
    assert job.nvim.lua("return _G.title") == (
        "scripted-1 has changed what your tools obey: .envrc. Merge it as well?"
    )
    assert not (project / ".envrc").exists()
    job.nvim.lua(choose, 2)
    job.command("messages clear | Acp worktree merge")
    job.told("merged scripted-1: 1 file +1 −0 to review")
    assert (project / ".envrc").read_text() == "evil\n"


def test_by_git_it_is_asked_for_too(job: MainJob, project: Path) -> None:
    """Also what git's configuration names, and three files that are a folder of git together."""
    (project / "tools").mkdir()
    (project / "tools/pre-commit").write_text("#!/bin/sh\n")
    run(project, "add", ".")
    run(project, "commit", "-qm", "hooks")
    run(project, "config", "core.hooksPath", "tools")
    _, folder = begin(job)
    for name in ("tools/pre-commit", "new.py", "m/HEAD", "m/objects/a", "m/refs/a"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("evil\n")
    choose = "local n = ... vim.ui.select = function(items, how, done) "
    choose += "_G.title = how.prompt done(items[n], n) end"
    job.nvim.lua(choose, 1)
    title = "scripted-1 has changed what your tools obey: m/HEAD, m/objects/a, m/refs/a, "
    title += "tools/pre-commit. Merge it as well?"
    job.command("Acp worktree merge! scripted-1")
    job.told("nothing is merged: :Acp worktree merge can leave files out")
    assert job.nvim.lua("return _G.title") == title
    assert not (project / "new.py").exists()
    job.nvim.lua("_G.title = nil")
    job.command("Acp worktree merge scripted-1")
    job.told("merged scripted-1: 1 file +1 −0 to review")
    assert job.nvim.lua("return _G.title") == title
    assert not (project / "m").exists()
    assert (project / "tools/pre-commit").read_text() == "#!/bin/sh\n"


def test_another_agent_goes_on_in_the_same_worktree(job: MainJob, project: Path) -> None:
    agent, folder = begin(job)
    edit(job, agent, folder / "code.py", BASE.replace("line 2", "TWO"), "first half")
    job.command("Acp new! scripted")
    assert agent.open("sess 2")["params"]["cwd"] == str(folder)
    job.until(lambda: len(job.inspect()["sessions"]) == 2 and job.session()["state"] == "idle")
    assert "first half" in "\n".join(job.chat())
    job.command("Acp undo")
    job.told("undid turn 1 of scripted")
    assert (folder / "code.py").read_text() == BASE


def test_a_worktree_that_git_has_removed_is_forgotten(job: MainJob, project: Path) -> None:
    before = state(project)
    agent, folder = begin(job)
    edit(job, agent, folder / "code.py", BASE.replace("line 2", "TWO"))
    run(project, "worktree", "remove", "--force", str(folder))
    job.command("Acp worktree merge")
    job.told("the folder of scripted-1 is gone: :Acp worktree remove scripted-1")
    job.command("Acp worktree remove")
    job.told("worktree scripted-1 removed")
    assert state(project) == before


def test_undo_in_a_chat_of_the_project_takes_back_what_was_merged(
    job: MainJob, project: Path
) -> None:
    path = job.edit("code.py", BASE)
    agent, folder = begin(job)
    edit(job, agent, folder / "code.py", BASE.replace("line 2", "TWO"))
    job.command("wincmd t | Acp new scripted")
    assert agent.open("sess 2")["params"]["cwd"] == str(project)
    job.until(lambda: job.session()["state"] == "idle")
    job.command("Acp worktree merge")
    job.told("merged scripted-1: 1 file +1 −1 to review")
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in code.py")
    assert path.read_text() == BASE
    job.command("Acp redo")
    job.until(lambda: path.read_text() == BASE.replace("line 2", "TWO"))
    assert (folder / "code.py").read_text() == BASE.replace("line 2", "TWO")


def test_all_means_all_where_one_is(job: MainJob, project: Path) -> None:
    path = job.edit("code.py", BASE)
    agent, folder = begin(job)
    edit(job, agent, folder / "code.py", BASE.replace("line 2", "TWO"))
    job.command("wincmd t | Acp reject all")
    job.told("nothing")
    assert (folder / "code.py").read_text() == BASE.replace("line 2", "TWO")
    job.command("Acp worktree merge")
    job.told("merged scripted-1")
    job.command(f"call win_gotoid(bufwinid({job.session()['bufnr']}))")
    job.until(lambda: "1 hunk" in str(job.nvim.lua("return vim.b.acp_status.changes or {}")))
    job.command("Acp reject all")
    job.told("rejected 1 hunk")
    assert path.read_text() == BASE
