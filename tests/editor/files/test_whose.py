"""Whose a change of the disk is: what the editor wrote is the user's, what was only found is asked
about before anything of it is taken out."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.agents.agent_edits import (
    answer,
    asked,
    command,
    conflicts,
    files,
    hunks,
    looked,
    put,
    tool,
    until_files,
    write,
)
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob

TEXT = "one\ntwo\nthree\n"
MINE = "one\ntwo\nthree\nmine\n"
TYPED = "Gomine<Esc>"
ON_LEAVE = "autocmd InsertLeave * silent! update"

# name: keys, and what the files hold then
WRITES: dict[str, tuple[str, dict[str, str]]] = {
    "write": (f"{TYPED}:w<CR>", {"a.txt": MINE}),
    "x": (f"{TYPED}:x<CR>", {"a.txt": MINE}),
    "ZZ": (f"{TYPED}ZZ", {"a.txt": MINE}),
    "wall": (f"{TYPED}:wall<CR>", {"a.txt": MINE}),
    "bufdo": (
        f"{TYPED}:enew<CR>:bufdo if &bt == '' <Bar> silent! update <Bar> endif<CR>",
        {"a.txt": MINE},
    ),
    "autowrite": (f":set nohidden autowriteall<CR>{TYPED}:edit b.txt<CR>", {"a.txt": MINE}),
    "wiped": (f"{TYPED}:w <Bar> bwipeout<CR>", {"a.txt": MINE}),
    "backupcopy yes": (f":set backup bkc=yes<CR>{TYPED}:w<CR>", {"a.txt": MINE}),
    "backup and undo file": (
        f":set backup bsk= bdir=. undofile udir=. dir=.<CR>{TYPED}:w<CR>",
        {"a.txt": MINE, "a.txt~": TEXT},
    ),
    "backup elsewhere": (
        f":call mkdir('old')<CR>:exe 'set backup bsk= bdir='..getcwd()..'/old'<CR>{TYPED}:w<CR>",
        {"a.txt": MINE, "old/a.txt~": TEXT},
    ),
    "patchmode": (
        f":set patchmode=.orig bsk=<CR>{TYPED}:w<CR>",
        {"a.txt": MINE, "a.txt.orig": TEXT},
    ),
    "noautocmd": (f"{TYPED}:noautocmd w<CR>", {"a.txt": MINE}),
    "noautocmd, going on": (f"{TYPED}:noautocmd w<CR>Gomore<Esc>", {"a.txt": MINE}),
    "noautocmd, wiped": (f"{TYPED}:noautocmd w<CR>:bwipeout<CR>", {"a.txt": MINE}),
    "noautocmd wall": (f"{TYPED}:enew<CR>:noautocmd wall<CR>", {"a.txt": MINE}),
    "noautocmd twice": (f"{TYPED}:noautocmd w<CR>gg:d<CR>:noautocmd w<CR>", {"a.txt": MINE[4:]}),
    "eventignore": (f":set ei=BufWritePost<CR>{TYPED}:w<CR>:set ei=<CR>", {"a.txt": MINE}),
    "eventignore all": (f":set ei=all<CR>{TYPED}:w<CR>:set ei=<CR>", {"a.txt": MINE}),
    "eventignore all, going on": (
        f":set ei=all<CR>{TYPED}:w<CR>Gomore<Esc>:set ei=<CR>",
        {"a.txt": MINE},
    ),
    "autocommand": (f":{ON_LEAVE}<CR>{TYPED}", {"a.txt": MINE}),
    "autocommand, going on": (f":{ON_LEAVE}<CR>{TYPED}Gomore", {"a.txt": MINE}),
    "typing": (":autocmd TextChangedI * silent! update<CR>Gomine", {"a.txt": MINE}),
    "other": (":w other.txt<CR>", {"a.txt": TEXT, "other.txt": TEXT}),
    "modified to other": (f"{TYPED}:w other.txt<CR>", {"a.txt": TEXT, "other.txt": MINE}),
    "over other": (":w! b.txt<CR>", {"a.txt": TEXT, "b.txt": TEXT}),
    "part": (":2,3w part.txt<CR>", {"part.txt": "two\nthree\n"}),
    "part of itself": (":2,3w! a.txt<CR>", {"a.txt": "two\nthree\n"}),
    "append": (":w >> b.txt<CR>", {"b.txt": "b\n" + TEXT}),
    "append to a new one": (":w! >> log<CR>", {"log": TEXT}),
    "saveas": (f"{TYPED}:saveas c.txt<CR>", {"a.txt": TEXT, "c.txt": MINE}),
    "saveas, noautocmd": (f"{TYPED}:noautocmd saveas c.txt<CR>", {"a.txt": TEXT, "c.txt": MINE}),
    "new": (":new new.txt<CR>imine<Esc>:w<CR>", {"new.txt": "mine\n"}),
    "new, noautocmd": (":new new.txt<CR>imine<Esc>:noautocmd w<CR>", {"new.txt": "mine\n"}),
    "enew and w": (":enew<CR>imine<Esc>:w new.txt<CR>", {"new.txt": "mine\n"}),
    "in a new folder": (
        ":call mkdir('d')<CR>:e d/x.txt<CR>imine<Esc>:w<CR>",
        {"d/x.txt": "mine\n"},
    ),
    "by a link": (":e link.txt<CR>Gomine<Esc>:w<CR>", {"b.txt": "b\nmine\n"}),
    "by a link, noautocmd": (":e link.txt<CR>Gomine<Esc>:noautocmd w<CR>", {"b.txt": "b\nmine\n"}),
    "to a link": (":w! link.txt<CR>", {"b.txt": TEXT}),
    "latin1": (
        ":e ++enc=latin1 latin.txt<CR>Go\xe4<Esc>:noautocmd w<CR>",
        {"latin.txt": "\xe9\n\xe4\n"},
    ),
    "no last line end": (f"{TYPED}:set noeol<CR>:noautocmd w<CR>", {"a.txt": MINE}),
    "dos": (":set ff=dos<CR>:noautocmd w<CR>", {"a.txt": "one\r\ntwo\r\nthree\r\n"}),
}

CLOSED = ("x", "ZZ", "autowrite")


class Turn:
    """A turn in which an agent has written `theirs.txt`, and the user is in `a.txt`."""

    def __init__(self, job: MainJob) -> None:
        self.job = job
        (job.work / "b.txt").write_text("b\n")
        (job.work / "latin.txt").write_bytes(b"\xe9\n")
        (job.work / "link.txt").symlink_to("b.txt")
        self.agent: StdioAgent = job.start()
        self.path = job.edit("a.txt", TEXT)
        self._prompt = job.turn(self.agent)
        tool(self.agent, job.work / "theirs.txt", "theirs\n")
        until_files(job, {"theirs.txt": 1})
        job.command("wincmd t | set hidden")

    def keys(self, keys: str) -> None:
        self.job.nvim.input(keys)
        self.job.until(lambda: not self.job.nvim.mode()["blocking"])

    def end(self) -> None:
        """Have the agent end the turn."""
        self.agent.end(self._prompt)

    def over(self) -> None:
        """End the turn, with a command that may have changed anything."""
        command(self.agent, {})
        self.job.finish(self.agent, self._prompt)
        if self.job.nvim.mode()["mode"] == "i":
            self.keys("<C-c>")  # no InsertLeave
        self.job.command("Acp review")
        self.job.told("hunk")

    def holds(self, name: str, text: str) -> bool:
        path = self.job.work / name
        encoding = "latin-1" if name == "latin.txt" else "utf-8"
        return path.exists() and path.read_bytes().decode(encoding) == text


@pytest.fixture
def turn(job: MainJob) -> Turn:
    return Turn(job)


@pytest.mark.parametrize("case", WRITES)
def test_what_the_editor_wrote_is_the_users(job: MainJob, turn: Turn, case: str) -> None:
    keys, expected = WRITES[case]
    answer(job, to_take=True)
    turn.keys(keys)
    job.until(lambda: all(turn.holds(*it) for it in expected.items()))
    buffer = job.nvim.eval("bufnr()")
    shown = job.nvim.lines(buffer)
    turn.over()
    assert files(job) == {"theirs.txt": 1}, hunks(job)
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in theirs.txt")
    assert all(turn.holds(*it) for it in expected.items())
    assert not (job.work / "theirs.txt").exists()
    assert asked(job) == []
    if case not in CLOSED:
        assert job.nvim.lines(buffer) == (["two", "three"] if case == "part of itself" else shown)


SCRIPTS = {
    "writefile": "call writefile(['mine'], 'notes.txt')",
    "io.open": "lua local f = io.open('notes.txt', 'w') f:write('mine\\n') f:close()",
    "redir": "redir! > notes.txt | silent echo 'mine' | redir END",
    "shell": "silent !echo mine > notes.txt",
    "job": "call jobwait([jobstart(['sh', '-c', 'echo mine > notes.txt'])])",
    "noautocmd to another": "noautocmd w notes.txt",
}


@pytest.mark.parametrize("case", SCRIPTS)
def test_what_was_only_found_is_asked_about(job: MainJob, turn: Turn, case: str) -> None:
    notes = job.work / "notes.txt"
    job.command(SCRIPTS[case])
    text = notes.read_text()
    answer(job, to_take=False)
    turn.over()
    assert files(job) == {"theirs.txt": 1, "notes.txt": 1}
    job.command("Acp undo")
    job.until(lambda: asked(job))
    assert (
        "1 file was changed while scripted worked, but no tool call named it: notes.txt"
        in (asked(job)[0])
    )
    assert not (job.work / "theirs.txt").exists()
    assert notes.read_text() == text
    job.command("Acp undo")
    job.until(lambda: len(asked(job)) == 2)
    assert notes.read_text() == text
    answer(job, to_take=True)
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in notes.txt")
    assert not notes.exists()
    job.command("Acp redo")
    job.until(notes.exists)
    assert notes.read_text() == text


def test_after_a_no_the_next_undo_goes_on_to_the_turn_before(job: MainJob, turn: Turn) -> None:
    turn.over()
    prompt = job.turn(turn.agent, "more")
    command(turn.agent, {job.work / "notes.txt": "found\n"})
    job.finish(turn.agent, prompt)
    until_files(job, {"theirs.txt": 1, "notes.txt": 1})
    job.nvim.lua("vim.ui.select = function(_, _, done) _G.escaped = true done() end")
    job.command("Acp undo")
    job.until(lambda: job.nvim.lua("return _G.escaped"))
    answer(job, to_take=False)
    job.command("Acp undo")
    job.until(lambda: asked(job))
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in theirs.txt")
    assert len(asked(job)) == 1 and (job.work / "notes.txt").exists()
    answer(job, to_take=True)
    job.command("Acp undo 2")
    job.told("undid turn 2 of scripted in notes.txt")


def test_what_was_found_and_what_was_named_are_one_undo(job: MainJob, turn: Turn) -> None:
    notes, both = job.work / "notes.txt", job.work / "b.txt"
    write(turn.agent, both, "b\nnamed\n")
    command(turn.agent, {notes: "found\n", both: "found\nb\nnamed\n"})
    turn.over()
    answer(job, to_take=True)
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in 3 files")
    assert job.nvim.messages().count("undid") == 1 and not notes.exists()
    assert len(asked(job)) == 1 and "2 files were changed" in asked(job)[0]
    assert both.read_text() == "b\n"
    job.command("Acp redo")
    job.told("turn 1 of scripted is back in 3 files")
    assert (notes.read_text(), both.read_text()) == ("found\n", "found\nb\nnamed\n")
    assert (job.work / "theirs.txt").read_text() == "theirs\n"


GONE = {
    "delete": ("call delete('b.txt')", {"b.txt"}),
    "rename": ("lua vim.fn.rename('b.txt', 'moved.txt')", {"b.txt", "moved.txt"}),
    "shell": ("silent !rm b.txt", {"b.txt"}),
    "lines": ("silent !sed -i 2d a.txt", {"a.txt"}),
}


@pytest.mark.parametrize("case", GONE)
def test_what_was_only_found_gone_is_asked_about(job: MainJob, turn: Turn, case: str) -> None:
    how, names = GONE[case]
    paths = [job.work / name for name in ("a.txt", "b.txt", "moved.txt")]

    def texts() -> list[str | None]:
        return [path.read_text() if path.exists() else None for path in paths]

    before = texts()
    job.command(how)
    after = texts()
    assert after != before
    answer(job, to_take=False)
    turn.over()
    assert set(files(job)) == {"theirs.txt", *names}
    job.command("Acp undo")
    job.until(lambda: asked(job))
    assert all(name in asked(job)[0] for name in names)
    assert texts() == after and not (job.work / "theirs.txt").exists()
    answer(job, to_take=True)
    job.command("Acp undo")
    job.until(lambda: texts() == before)


@pytest.mark.parametrize("to_take", [False, True])
def test_reject_all_asks_about_what_was_found(job: MainJob, turn: Turn, to_take: bool) -> None:
    notes = job.work / "notes.txt"
    command(turn.agent, {notes: "found\n"})
    turn.over()
    answer(job, to_take=to_take)
    job.command("Acp reject all")
    job.told("rejected 2 hunks" if to_take else "rejected 1 hunk, 1 left")
    assert not (job.work / "theirs.txt").exists()
    assert notes.exists() != to_take
    assert len(asked(job)) == 1


def test_a_hunk_that_the_user_sees_is_rejected_without_a_question(job: MainJob, turn: Turn) -> None:
    command(turn.agent, {turn.path: TEXT + "found\n"})
    turn.over()
    answer(job, to_take=False)
    job.command("Acp reject file")
    job.until(lambda: asked(job))
    assert turn.path.read_text() == TEXT + "found\n"
    job.command("wincmd t | 4 | Acp reject")
    job.told("rejected 1 hunk")
    assert turn.path.read_text() == TEXT
    assert len(asked(job)) == 1


@pytest.mark.parametrize(
    "line", ["echo x > notes.txt", "sh -c 'date >> ./notes.txt'", 'cp x "{work}/notes.txt"']
)
def test_a_command_that_names_the_file_is_sure(job: MainJob, turn: Turn, line: str) -> None:
    notes = job.work / "notes.txt"
    command(turn.agent, {notes: "x\n"}, line=line.format(work=job.work))
    turn.over()
    answer(job, to_take=False)
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in 2 files")
    assert not notes.exists() and asked(job) == []


def test_the_review_says_what_was_only_found(job: MainJob, turn: Turn) -> None:
    command(turn.agent, {turn.path: TEXT + "found\n"})
    turn.over()
    texts = [it["text"] for it in job.nvim.eval("getqflist()")]
    assert ["found, not named" in it for it in texts] == [True, False]
    job.command("wincmd t | 4 | Acp why")
    job.until(lambda: "found, not named" in job.nvim.lines()[0])


def test_what_the_agent_did_after_the_users_write_is_the_agents(job: MainJob, turn: Turn) -> None:
    answer(job, to_take=True)  # asked if it was found before its tool call has named it
    turn.keys(f"{TYPED}:noautocmd w<CR>")
    until_unmodified(job)
    tool(turn.agent, turn.path, MINE + "theirs\n", call="edit-2")
    until_files(job, {"theirs.txt": 1, "a.txt": 1})
    turn.over()
    job.command("Acp undo")
    job.told("undid turn 1 of scripted in 2 files")
    assert turn.path.read_text() == MINE
    assert job.nvim.lines() == MINE.splitlines()


QUIET = {
    "as it was": ("", TEXT),
    "with more": (TYPED, MINE),
    "after an undo": (f"{TYPED}:noautocmd w<CR>u", TEXT),
    "amid an insert": ("Gomine<C-o>", MINE),
}


@pytest.mark.parametrize("case", QUIET)
def test_where_the_user_types_after_a_quiet_write_an_agents_line_is_a_conflict(
    job: MainJob, turn: Turn, case: str
) -> None:
    before, written = QUIET[case]
    turn.keys(f"{before}:noautocmd w<CR><Esc>ggAmine<Esc>")
    job.until(lambda: job.nvim.lines()[0] == "onemine" and job.nvim.mode()["mode"] == "n")
    assert turn.path.read_text() == written
    theirs = written.replace("one", "theirs")
    tool(turn.agent, turn.path, theirs, call="edit-2")
    job.until(lambda: conflicts(job))
    assert job.nvim.lines() == theirs.replace("theirs", "onemine").splitlines()


@contextmanager
def stopped(job: MainJob) -> Iterator[None]:
    """Let the host sleep."""
    pid = job.inspect()["host"]["pid"]
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize("keys", [":w<CR>", ":wall<CR>", ":x<CR>"])
def test_what_comes_while_neovim_asks_and_the_user_says_no_is_the_agents(
    job: MainJob, turn: Turn, keys: str
) -> None:
    looked(job)
    buffer, answers = job.nvim.api.nvim_get_current_buf(), job.nvim.answers_while_it_asks
    turn.keys(TYPED)
    put(turn.path, "ONE\ntwo\nthree\n")
    with stopped(job):  # else it comes first, and nothing is asked
        job.nvim.input(keys)
        while not job.nvim.mode()["mode"].startswith("r"):
            pass
    tool(turn.agent, turn.path, "one\nTWO\nthree\n", call="edit-2")
    turn.agent.quiet()
    job.nvim.rpc.request("nvim_input", "n<CR>")
    while not answers and job.nvim.mode()["blocking"]:  # its message waits for a key
        job.nvim.rpc.request("nvim_input", "<CR>")
    job.until(lambda: job.nvim.lines(buffer) == ["one", "TWO", "three", "mine"])
    assert turn.path.read_text() == "one\nTWO\nthree\n"
    until_files(job, {"theirs.txt": 1, "a.txt": 1})


LATE = """
local flag, late = ...
local function changed(path)
  local time = vim.uv.fs_stat(path).ctime
  return time.sec + time.nsec / 1e9
end
vim.schedule(function()
  while not vim.uv.fs_stat(flag) do
    vim.uv.sleep(1)
  end
  repeat -- until the clock of the file system has gone on
    vim.fn.writefile({ 'mine' }, late)
  until changed(late) > changed(flag)
end)
"""


def test_what_comes_between_a_turns_end_and_the_look_is_none_of_its(
    job: MainJob, turn: Turn
) -> None:
    flag, late, last = job.folder / "flag", job.work / "late.txt", job.work / "last.txt"
    job.nvim.lua(LATE, str(flag), str(late))
    put(last, "found\n")
    turn.end()
    for _ in range(5):  # it is answered some turns of the loop after the barrier behind it
        turn.agent.quiet()
    # the host has seen the end, and waits for Neovim to look
    flag.touch()
    job.until(lambda: job.session()["state"] == "idle")
    looked(job)
    assert late.exists() and files(job) == {"theirs.txt": 1, "last.txt": 1}


def until_unmodified(job: MainJob) -> None:
    job.until(lambda: job.nvim.eval("&modified") == 0)
