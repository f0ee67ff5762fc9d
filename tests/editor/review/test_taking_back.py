"""`:Acp undo` and `:Acp redo`: a whole turn, over all its files, whatever has happened since."""

from __future__ import annotations

import stat
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.agents.agent_edits import (
    command,
    hunks,
    looked,
    put,
    signs,
    tool,
    until_files,
    write,
)
from tests.support.agents.stdio_agent import AgentStage, StdioAgent
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

LINES = "".join(f"line {number}\n" for number in range(1, 11))
THEIRS = LINES.replace("line 3\n", "line three\n").replace("line 8\n", "")


class Project:
    """Files that one turn has changed: one that is open, and others on disk."""

    def __init__(self, job: MainJob) -> None:
        self.job = job
        self.agent = job.start()
        self.opened = job.edit("opened.txt", LINES)
        self.closed, self.gone = job.work / "closed.txt", job.work / "gone.sh"
        self.new = job.work / "deep" / "new.txt"
        put(self.closed, LINES)
        put(self.gone, "#!/bin/sh\n")
        self.gone.chmod(0o755)
        prompt = job.turn(self.agent)
        write(self.agent, self.opened, THEIRS)
        files = {self.closed: THEIRS, self.new: "new\n", self.gone: None}
        command(self.agent, files, line="rm gone.sh; make closed.txt deep/new.txt")
        self.agent.say("done")
        job.finish(self.agent, prompt)
        looked(job)
        until_files(job, {"opened.txt": 2, "closed.txt": 2, "new.txt": 1, "gone.sh": 1})
        job.command("wincmd t")

    def is_before(self) -> bool:
        """Tell whether everything is as before the turn."""
        texts = (self.opened.read_text(), self.closed.read_text(), read(self.gone))
        return texts == (LINES, LINES, "#!/bin/sh\n") and not self.new.exists()

    def is_after(self) -> bool:
        """Tell whether everything is as the turn left it."""
        texts = (self.opened.read_text(), self.closed.read_text(), read(self.new))
        return texts == (THEIRS, THEIRS, "new\n") and not self.gone.exists()


def read(path: Path) -> str | None:
    return path.read_text() if path.exists() else None


@pytest.fixture
def project(job: MainJob) -> Project:
    return Project(job)


def turned(job: MainJob, agent: StdioAgent, path: Path, text: str) -> None:
    prompt = job.turn(agent)
    assert write(agent, path, text)["result"] == {}
    job.finish(agent, prompt)


def test_a_turn_is_taken_back_in_all_its_files_and_returned(job: MainJob, project: Project) -> None:
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in 4 files", ":Acp redo restores it")
    assert project.is_before()
    assert stat.S_IMODE(project.gone.stat().st_mode) == 0o755
    assert job.nvim.lines() == LINES.splitlines()
    assert job.nvim.eval("&modified") == 0
    until_files(job, {})
    job.command("checktime")
    job.command("Acp redo")
    job.told("turn 1 of scripted is back in 4 files")
    assert project.is_after()
    until_files(job, {"opened.txt": 2, "closed.txt": 2, "new.txt": 1, "gone.sh": 1})
    job.command("Acp redo")
    job.told("nothing to redo")
    assert "W1" not in job.nvim.messages()


def test_an_undo_is_a_step_in_the_buffer(job: MainJob, project: Project) -> None:
    job.command("Acp undo")
    job.told("undid")
    job.nvim.input("u")
    assert job.nvim.lines() == THEIRS.splitlines()
    until_files(job, {"opened.txt": 2})
    job.nvim.input("u")
    assert job.nvim.lines() == LINES.splitlines()
    until_files(job, {})


def test_what_the_user_has_brought_back_right_before_is_taken_back_anew(
    job: MainJob, project: Project
) -> None:
    """Nobody waits until the host has looked at what was typed."""
    job.command("Acp undo")
    job.told("undid")
    job.nvim.input("u:Acp undo<CR>")
    job.until(lambda: job.nvim.messages().count("undid turn 1") == 2)
    assert job.nvim.lines() == LINES.splitlines()


def test_what_was_decided_on_is_taken_back_all_the_same(job: MainJob, project: Project) -> None:
    job.command("Acp keep all")
    job.told("kept 6 hunks, none is left")
    job.command("Acp undo 1")
    job.told("undid turn 1")
    assert project.is_before()


def test_what_the_user_changed_since_stays(job: MainJob, project: Project) -> None:
    job.nvim.input("ggOmine<Esc>3jAtoo<Esc>:write<CR>")
    put(project.closed, "mine\n" + THEIRS)
    put(project.new, "new\nmine\n")
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in 4 files", "opened.txt:4 left as it is")
    job.usable()
    expected = "mine\n" + LINES.replace("line 3\n", "line threetoo\n")
    assert project.opened.read_text() == expected
    assert project.closed.read_text() == "mine\n" + LINES
    assert project.new.read_text() == "mine\n"
    job.command("Acp redo")
    job.told("turn 1 of scripted is back")
    assert project.opened.read_text() == expected.replace("line 8\n", "")
    assert project.closed.read_text() == "mine\n" + THEIRS
    assert project.new.read_text() == "new\nmine\n"


def test_unsaved_edits_stay_unsaved(job: MainJob, project: Project) -> None:
    job.nvim.input("Gomine<Esc>")
    job.command("Acp undo")
    job.told("undid turn 1", "not saved: opened.txt")
    assert job.nvim.lines() == [*LINES.splitlines(), "mine"]
    assert (job.nvim.eval("&modified"), project.opened.read_text()) == (1, THEIRS)
    job.nvim.input(":write<CR>")
    assert project.opened.read_text() == LINES + "mine\n"
    job.usable()


def test_of_several_turns_one_is_taken_back(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    turned(job, agent, path, LINES.replace("line 3\n", "three\n"))
    turned(job, agent, path, LINES.replace("line 3\n", "three\n").replace("line 7\n", "seven\n"))
    job.command("Acp undo 1")
    job.told("undid turn 1")
    assert path.read_text() == LINES.replace("line 7\n", "seven\n")
    job.command("Acp undo")
    job.told("undid turn 2")
    assert path.read_text() == LINES
    job.command("Acp redo")
    job.told("turn 2 of scripted is back")
    job.command("Acp redo")
    job.told("turn 1 of scripted is back")
    assert path.read_text() == LINES.replace("line 3\n", "three\n").replace("line 7\n", "seven\n")
    job.command("Acp undo 5")
    job.told("turn 5 has not changed")


def test_a_locked_file_is_told_and_the_others_are_done(job: MainJob, project: Project) -> None:
    project.closed.chmod(0o444)
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in 3 files", "closed.txt cannot be written")
    assert (project.closed.read_text(), project.opened.read_text()) == (THEIRS, LINES)
    project.closed.chmod(0o644)
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in closed.txt")
    assert project.is_before()
    for count in (1, 2):
        job.command("Acp redo")
        job.until(
            lambda count=count: job.nvim.messages().count("turn 1 of scripted is back") == count
        )
    assert project.is_after()


def test_a_turn_is_taken_back_while_the_next_one_runs(job: MainJob, project: Project) -> None:
    prompt = job.turn(project.agent, "more")
    tool(project.agent, project.closed, THEIRS + "more\n")
    until_files(job, {"opened.txt": 2, "closed.txt": 3, "new.txt": 1, "gone.sh": 1})
    job.command("Acp undo 1")
    job.told("undid turn 1")
    assert project.closed.read_text() == LINES + "more\n"
    job.finish(project.agent, prompt)
    assert hunks(job) == [(2, "closed.txt", 11, 11, 1, 0)]


def test_two_sessions_on_the_same_file_have_turns_of_their_own(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    turned(job, agent, path, LINES.replace("line 3\n", "three\n"))
    job.command("Acp new scripted")
    agent.open("second")
    job.until(lambda: len(job.inspect()["sessions"]) == 2)
    job.until(lambda: job.session()["state"] == "idle")
    prompt = job.turn(agent, "other")
    text = path.read_text().replace("line 7\n", "seven\n")
    assert write(agent, path, text, sessionId="second")["result"] == {}
    job.finish(agent, prompt)
    assert [it["session"] for it in job.inspect()["edits"]] == ["sess 1/ü", "second"]
    job.command("Acp undo")
    job.told("undid turn 1")
    assert path.read_text() == LINES.replace("line 3\n", "three\n")
    job.command("Acp undo")
    job.told("no turn has changed anything")
    job.command("Acp redo")
    job.told("turn 1 of scripted is back")
    assert path.read_text() == text


def test_where_u_has_undone_it_and_nothing_is_saved_undo_says_so(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    turned(job, agent, path, THEIRS)
    job.command("wincmd t")
    job.nvim.input("u")
    job.command("Acp undo")
    job.told("already undone in a.txt, but not saved: :write")
    assert path.read_text() == THEIRS
    job.command("write")
    job.command("Acp undo")
    job.told("no turn has changed anything that can be undone")


def test_acts_are_carried_out_in_the_order_of_their_commands(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    for text in (THEIRS, "new\n" + THEIRS):
        prompt = job.turn(agent)
        write(agent, path, text)
        job.finish(agent, prompt)
    job.command("wincmd t")
    for verb in ("undo", "undo", "redo", "redo", "undo"):
        job.command(f"Acp {verb}")
    job.told("undid turn 2")
    job.until(lambda: job.nvim.messages().count("undid turn") == 3)
    assert [line.split()[1:4] for line in job.nvim.messages().splitlines()] == [
        ["undid", "turn", "2"],
        ["undid", "turn", "1"],
        ["turn", "1", "of"],
        ["turn", "2", "of"],
        ["undid", "turn", "2"],
    ]
    assert path.read_text() == THEIRS
    for verb in ("undo", "redo", "keep all"):
        job.command(f"Acp {verb}")
    job.told("kept 2 hunks")


def test_two_agents_on_the_same_file_are_told_apart(tmp_path: Path) -> None:
    stage = AgentStage(tmp_path)
    with closing(stage), MainJob({"agents": {"other": stage.options()}}) as job:
        agent = job.start()
        path = job.edit("a.txt", LINES)
        job.command("AcpStart other")
        other = stage.accept()
        other.initialize()
        other.open()
        job.until(lambda: len(job.inspect()["sessions"]) == 2)
        job.until(lambda: job.session()["state"] == "idle")
        prompt = job.turn(other)
        write(other, path, LINES.replace("line 7\n", "seven\n"))
        read = agent.ask("fs/read_text_file", path=str(path))["result"]["content"]
        write(agent, path, read.replace("line 1\n", "of no turn\n"))
        job.finish(other, prompt)
        assert hunks(job) == [(0, "a.txt", 1, 1, 1, 1), (1, "a.txt", 7, 7, 1, 1)]
        job.command("wincmd t | 7 | Acp why")
        job.until(lambda: job.nvim.eval("nvim_win_get_config(0).relative") != "")
        assert "other" in job.nvim.lines()[0]
        job.nvim.input("q")
        job.command("7 | Acp reject")
        job.told("rejected 1 hunk")
        assert path.read_text() == LINES.replace("line 1\n", "of no turn\n")
        job.command("1 | Acp why")
        job.until(lambda: "scripted · turn 0" in job.nvim.lines()[0])
        job.nvim.input("q")
        job.command("Acp reject file")
        job.until(lambda: path.read_text() == LINES)


# --- restarts


def kill_host(job: MainJob) -> None:
    """Kill the host once the histories are written; the next command starts another."""
    state = Path(str(job.nvim.eval("stdpath('state')"))) / "acp.nvim" / "edits"
    job.until(lambda: len(list(state.glob("*.history"))) == 4)
    job.kill(job.host())
    job.until(lambda: not job.inspect()["host"]["running"])


def test_a_killed_host_forgets_nothing(job: MainJob, project: Project) -> None:
    kill_host(job)
    job.nvim.input("ggOmine<Esc>")
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in 4 files")
    assert job.nvim.lines() == ["mine", *LINES.splitlines()]
    assert (project.closed.read_text(), project.new.exists()) == (LINES, False)
    job.command("Acp redo")
    job.told("turn 1 of scripted is back")
    assert project.closed.read_text() == THEIRS


def test_a_review_goes_on_in_another_neovim(job: MainJob, project: Project) -> None:
    state = str(job.nvim.folder / "state")
    job.nvim.rpc.notify("nvim_command", "qall!")
    job.nvim.exit_code()
    put(project.closed, "mine\n" + THEIRS)
    with Neovim({"agents": {}}, cwd=job.work, env={"XDG_STATE_HOME": state}) as later:
        later.command(f"edit {project.opened}")
        later.command("Acp review")
        later.wait(lambda: "6 hunks in 4 files" in later.messages())
        assert later.eval("line('.')") == 3
        later.command("Acp keep")
        later.wait(lambda: "kept 1 hunk, 5 left" in later.messages())
        later.command("Acp why")
        later.wait(lambda: "go" in later.lines()[-1])
        assert "scripted" in later.lines()[0]
        later.input("q")
        later.command("Acp undo")
        later.wait(lambda: "undid turn 1 of scripted in 4 files" in later.messages())
        assert later.lines() == LINES.splitlines()
        assert project.closed.read_text() == "mine\n" + LINES
        later.command("Acp redo")
        later.wait(lambda: "turn 1 of scripted is back" in later.messages())
        assert project.closed.read_text() == "mine\n" + THEIRS


def test_signs_come_back_with_the_books(job: MainJob, project: Project) -> None:
    kill_host(job)
    job.command("Acp review")
    job.told("6 hunks in 4 files")
    job.command("Acp review off")
    job.until(lambda: signs(job) == [2, 7])


@pytest.mark.parametrize("fixes", [True, False], ids=["fixeol", "nofixeol"])
def test_the_line_end_of_the_users_write_stays_and_no_line_of_the_agent_does(
    job: MainJob, fixes: bool
) -> None:
    agent = job.start()
    path = job.edit("a.txt", "one\ntwo")
    job.command(f"set {'' if fixes else 'no'}fixendofline")
    turned(job, agent, path, "one\ntwo\nagent's")
    assert path.read_text() == "one\ntwo\nagent's"
    job.command("wincmd t")
    job.nvim.input("ggOmine<Esc>:write<CR>")
    end = "\n" if fixes else ""
    job.until(lambda: path.read_text() == "mine\none\ntwo\nagent's" + end)
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in a.txt")
    assert path.read_text() == "mine\none\ntwo" + end
    assert job.nvim.eval("[&modified, &endofline]") == [0, int(fixes)]
    job.command("Acp redo")
    job.told("turn 1 of scripted is back in a.txt")
    assert path.read_text() == "mine\none\ntwo\nagent's" + end


def test_the_users_fileformat_stays_when_all_is_taken_back(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    turned(job, agent, path, THEIRS)
    job.command("wincmd t | set fileformat=dos | write")
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in a.txt")
    assert path.read_bytes() == LINES.replace("\n", "\r\n").encode()
    assert job.nvim.eval("&fileformat") == "dos"


def test_a_turn_that_cannot_go_does_not_keep_the_one_before_it(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    turned(job, agent, path, LINES.replace("line 3\n", "line three\n"))
    two = LINES.replace("line 3\n", "line three\n").replace("line 8\n", "line eight\n")
    turned(job, agent, path, two)
    job.command("Acp keep all")
    job.told("kept 2 hunks")
    job.command("wincmd t")
    job.nvim.input("8GAmine<Esc>:write<CR>")
    job.until(lambda: "eightmine" in path.read_text())
    job.command("Acp undo")
    job.told("a.txt:8 left as it is")
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in a.txt")
    assert path.read_text() == LINES.replace("line 8\n", "line eightmine\n")
    job.command("Acp undo")
    job.told("no turn has changed anything that can be undone")


def test_a_file_that_the_user_took_away_is_named_and_not_made_of_scraps(
    job: MainJob, project: Project
) -> None:
    project.closed.rename(job.work / "moved.txt")
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in 3 files", "closed.txt is gone: moved or deleted")
    assert not project.closed.exists()
    assert (job.work / "moved.txt").read_text() == THEIRS


@pytest.mark.parametrize("first", ["scripted", "other"])
@pytest.mark.parametrize("mine", ["", "mine"])
def test_what_an_agent_has_written_over_anothers_is_taken_back_on_disk_too(
    tmp_path: Path, first: str, mine: str
) -> None:
    """The buffer, which keeps what the second did not know, is modified, and not by the user."""
    stage = AgentStage(tmp_path)
    with closing(stage), MainJob({"agents": {"other": stage.options()}}) as job:
        agent = job.start()
        path = job.edit("a.txt", LINES)
        job.command("AcpStart other")
        other = stage.accept()
        other.initialize()
        other.open()
        job.until(lambda: len(job.inspect()["sessions"]) == 2)
        job.until(lambda: job.session()["state"] == "idle")
        prompt = job.turn(other)
        for each in (agent, other):
            each.ask("fs/read_text_file", path=str(path))
        write(agent, path, LINES.replace("line 2\n", "line two\n"))
        tool(other, path, LINES.replace("line 7\n", "seven\n"))
        other.quiet()
        looked(job)
        job.finish(other, prompt)
        job.command("wincmd t")
        both = LINES.replace("line 2\n", "line two\n").replace("line 7\n", "seven\n")
        assert (job.nvim.lines(), job.nvim.eval("&modified")) == (both.splitlines(), 1)
        if mine:
            job.nvim.input(f"Go{mine}<Esc>")
        for name in (first, "other" if first == "scripted" else "scripted"):
            job.command(f"AcpStart {name}")
            job.command("Acp undo")
            job.told("undid", f"of {name} in a.txt")
        job.command("wincmd t")
        assert job.nvim.lines() == [*LINES.splitlines(), *filter(None, [mine])]
        assert (path.read_text() == LINES) == (job.nvim.eval("&modified") == 0) == (not mine)
