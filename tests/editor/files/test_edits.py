"""What an agent reads and writes, and what it changes on disk, while the user has files open."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.files import disk
from tests.support.agents.agent_edits import looked
from tests.support.agents.stdio_agent import StdioAgent
from tests.support.main_job import MainJob
from tests.support.nvim import Neovim

LINES = "".join(f"line {number}\n" for number in range(1, 11))
SET_MARKS = """
local space = vim.api.nvim_create_namespace('test')
vim.api.nvim_buf_set_mark(0, 'a', 8, 0, {})
return vim.api.nvim_buf_set_extmark(0, space, 7, 2, {})
"""
EXTMARK = """
local space = vim.api.nvim_create_namespace('test')
return vim.api.nvim_buf_get_extmark_by_id(0, space, ..., {})
"""
BEHIND = """
_G.asked = {}
vim.o.autoread = false
vim.api.nvim_create_autocmd('FileChangedShell', {
  callback = function() table.insert(_G.asked, vim.v.fcs_reason) end,
})
"""


def read(agent: StdioAgent, path: Path, **window: Any) -> str:
    """Return the text that the agent gets."""
    return str(agent.ask("fs/read_text_file", path=str(path), **window)["result"]["content"])


def write(agent: StdioAgent, path: Path, text: str) -> dict[str, Any]:
    """Return the answer that the agent gets."""
    return agent.ask("fs/write_text_file", path=str(path), content=text)


FORMS = [
    b"",
    b"\n",
    b"no end",
    b"a\r\nb\r\n",
    b"a\rb\r",
    b"\xef\xbb\xbfa\n",
    b"\xe4\n",
    b"a\0b\n",
    b"\n\n",
]


def change_on_disk(path: Path, text: str) -> None:
    """Change the file as a command of the agent's would; its time is another one for certain."""
    path.write_text(text)
    later = time.time() + 10
    os.utime(path, (later, later))


def test_an_agent_reads_what_is_not_saved(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", "one\ntwo\n")
    assert read(agent, path) == "one\ntwo\n"
    job.nvim.input("A, unsaved")
    assert read(agent, path) == "one, unsaved\ntwo\n"
    assert read(agent, path, line=2, limit=1) == "two\n"
    assert job.nvim.mode()["mode"] == "i"


def test_c233_an_edit_arrives_in_a_modified_buffer(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    mark = job.nvim.lua(SET_MARKS)
    base = read(agent, path)
    job.nvim.input("2GA, mine<Esc>")
    theirs = base.replace("line 5\n", "line five\nand more\n")
    assert write(agent, path, theirs)["result"] == {}
    merged = theirs.replace("line 2\n", "line 2, mine\n")
    assert job.nvim.lines() == merged.splitlines()
    assert path.read_text() == merged
    assert job.nvim.eval('[&modified, line("\'a")]') == [0, 9]
    assert job.nvim.lua(EXTMARK, mark) == [8, 2]
    job.command("checktime")
    job.nvim.input("u")
    assert job.nvim.lines() == LINES.replace("line 2\n", "line 2, mine\n").splitlines()
    job.nvim.input("u")
    assert job.nvim.lines() == LINES.splitlines()
    assert "W1" not in job.nvim.messages()


def test_an_edit_arrives_while_the_user_types(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    base = read(agent, path)
    job.nvim.input("7GA, mine")
    theirs = base.replace("line 1\n", "line one\n").replace("line 10\n", "line ten\nand more\n")
    assert write(agent, path, theirs)["result"] == {}
    assert job.nvim.mode()["mode"] == "i"
    job.nvim.input(" too<Esc>")
    assert job.nvim.lines()[0] == "line one"
    assert job.nvim.lines()[6] == "line 7, mine too"
    assert job.nvim.lines()[9:] == ["line ten", "and more"]
    job.nvim.input("u")
    assert job.nvim.lines()[6] == "line 7, mine"
    assert read(agent, path).startswith("line one\n")


def test_c234_a_conflict_is_the_agents_problem(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    base = read(agent, path)
    job.nvim.input("5Gccmine<Esc>")
    before = job.nvim.lines()
    error = write(agent, path, base.replace("line 5", "theirs"))["error"]
    assert "at line 5" in error["message"] and "read it again" in error["message"]
    assert job.nvim.lines() == before
    assert job.nvim.eval("&modified") == 1
    assert path.read_text() == LINES
    again = read(agent, path)
    assert write(agent, path, again.replace("mine", "mine and theirs"))["result"] == {}
    assert job.nvim.lines()[4] == "mine and theirs"
    job.usable()


def test_a_hidden_and_a_new_file_are_written(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    job.command("set hidden | enew")
    window = job.nvim.eval("[win_getid(), bufnr()]")
    assert write(agent, path, "short\n")["result"] == {}
    new = job.work / "deep" / "new.txt"
    assert write(agent, new, "x")["result"] == {}
    assert new.read_bytes() == b"x"
    assert path.read_text() == "short\n"
    assert job.nvim.eval("[win_getid(), bufnr()]") == window
    assert job.nvim.eval(f"getbufline('{path}', 1, '$')") == ["short"]


@pytest.mark.parametrize("locked", ["readonly", "nomodifiable"])
def test_a_locked_buffer_is_left_alone(job: MainJob, locked: str) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    job.command(f"set {locked}")
    assert str(path) in write(agent, path, "theirs\n")["error"]["message"]
    assert job.nvim.lines() == LINES.splitlines()
    assert path.read_text() == LINES
    job.usable()


def test_nothing_outside_of_the_project_is_touched(job: MainJob) -> None:
    agent = job.start()
    path = job.folder / "outside.txt"
    job.command(f"wincmd t | edit {path}")
    job.nvim.input("isecret<Esc>")
    job.command("write")
    (job.work / "link").symlink_to(path)
    for name in (path, job.work / "link", f"{job.work}/../outside.txt"):
        assert "outside" in write(agent, Path(name), "x")["error"]["message"]
        assert agent.ask("fs/read_text_file", path=str(name))["error"]["code"] == -32602
    assert path.read_text() == "secret\n"


def test_an_open_buffer_follows_the_disk_at_a_tool_call(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    mark = job.nvim.lua(BEHIND + SET_MARKS)
    job.turn(agent)
    change_on_disk(path, "new\n" + LINES)
    call = {"toolCallId": "1", "title": "sed", "status": "completed"}
    agent.update("tool_call", **call, locations=[{"path": str(path)}])
    job.until(lambda: job.nvim.lines()[0] == "new")
    follows_in_silence(job, mark)


def test_an_open_buffer_follows_the_disk_at_the_end_of_a_turn(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    mark = job.nvim.lua(BEHIND + SET_MARKS)
    prompt = job.turn(agent)
    change_on_disk(path, "new\n" + LINES)
    agent.quiet()
    assert job.nvim.lines() == LINES.splitlines()
    agent.end(prompt)
    job.until(lambda: job.nvim.lines()[0] == "new")
    follows_in_silence(job, mark)


@pytest.mark.parametrize("text", ["", "new\n"])
def test_a_file_that_an_agent_makes_where_a_buffer_has_its_name_asks_nothing(
    job: MainJob, text: str
) -> None:
    agent = job.start()
    path = job.edit("a.txt", "")
    path.unlink()
    job.command("bwipeout | edit a.txt | edit b.txt")
    job.nvim.lua(BEHIND)
    prompt = job.turn(agent)
    path.write_text(text)
    agent.update("tool_call", toolCallId="1", title="touch", locations=[{"path": str(path)}])
    job.finish(agent, prompt)
    looked(job)
    job.command(f"wincmd t | buffer {path} | checktime")
    assert job.nvim.lines() == [text.rstrip("\n")]
    assert job.nvim.lua("return _G.asked") == []
    job.usable()


def follows_in_silence(job: MainJob, mark: int) -> None:
    """Assert that everything moved along, and that Neovim has no question."""
    assert job.nvim.lines() == ["new", *LINES.splitlines()]
    job.command("checktime")
    assert job.nvim.eval('[&modified, line("\'a")]') == [0, 9]
    assert job.nvim.lua(EXTMARK, mark) == [8, 2]
    job.nvim.input("Goand mine<Esc>:write<CR>")
    assert job.nvim.lua("return _G.asked") == []
    assert "W1" not in job.nvim.messages()
    job.nvim.input("uu")
    assert job.nvim.lines() == LINES.splitlines()
    job.usable()


def test_where_both_changed_the_same_place_the_unsaved_edit_stays(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    job.finish(agent, job.turn(agent))
    job.nvim.input("ggImine: <Esc>")
    before = job.nvim.lines()
    change_on_disk(path, "theirs\n")
    job.finish(agent, job.turn(agent))
    other = job.edit("b.txt", "old\n")
    change_on_disk(other, "new\n")
    job.finish(agent, job.turn(agent))
    job.until(lambda: job.nvim.eval(f"getbufline('{other}', 1)") == ["new"])
    assert job.nvim.eval(f"getbufline('{path}', 1, '$')") == before
    assert path.read_text() == "theirs\n"


def test_unsaved_edits_get_what_the_agent_wrote_to_disk(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    job.finish(agent, job.turn(agent))
    mark = job.nvim.lua(BEHIND + SET_MARKS)
    job.nvim.input("2GA, mine<Esc>")
    prompt = job.turn(agent)
    change_on_disk(path, "new\n" + LINES.replace("line 10\n", "line ten\n"))
    agent.end(prompt)
    job.until(lambda: job.nvim.lines()[0] == "new")
    merged = ("new\n" + LINES).replace("line 10\n", "line ten\n")
    merged = merged.replace("line 2\n", "line 2, mine\n")
    assert job.nvim.lines() == merged.splitlines()
    assert job.nvim.eval('[&modified, line("\'a")]') == [1, 9]
    assert job.nvim.lua(EXTMARK, mark) == [8, 2]
    job.command("checktime")
    job.nvim.input(":write<CR>")
    assert path.read_text() == merged
    assert job.nvim.lua("return _G.asked") == []
    job.nvim.input("u")
    assert job.nvim.lines() == LINES.replace("line 2\n", "line 2, mine\n").splitlines()
    job.usable()


def test_an_agent_that_writes_the_disk_and_then_through_us_writes_once(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", LINES)
    job.finish(agent, job.turn(agent))
    job.nvim.input("2GA, mine<Esc>")
    theirs = LINES.replace("line 9\n", "line nine\n")
    change_on_disk(path, theirs)
    assert write(agent, path, theirs)["result"] == {}
    merged = theirs.replace("line 2\n", "line 2, mine\n")
    assert job.nvim.lines() == merged.splitlines()
    assert path.read_text() == merged
    job.command("checktime")
    assert job.nvim.eval("&modified") == 0
    job.usable()


def test_of_a_deleted_file_the_buffer_keeps_the_text(job: MainJob) -> None:
    agent = job.start()
    path, other = job.edit("a.txt", LINES), job.edit("b.txt", "old\n")
    path.unlink()
    change_on_disk(other, "new\n")
    job.finish(agent, job.turn(agent))
    job.until(lambda: job.nvim.eval(f"getbufline('{other}', 1)") == ["new"])
    assert job.nvim.eval(f"getbufline('{path}', 1, '$')") == LINES.splitlines()
    assert "E211" not in job.nvim.messages()
    change_on_disk(path, "again\n")
    job.finish(agent, job.turn(agent))
    job.until(lambda: job.nvim.eval(f"getbufline('{path}', 1, '$')") == ["again"])


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"old\n", b"new\n"), (b"\xe4\r\n", b"\xf6\r\n"), (b"old", b"old\n"), (b"", b"new\n")],
)
def test_what_has_changed_before_the_plugin_came_is_followed(
    job: MainJob, old: bytes, new: bytes
) -> None:
    path = job.work / "a.txt"
    path.write_bytes(old)
    job.command(f"edit {path}")
    path.write_bytes(new)
    later = time.time() + 10
    os.utime(path, (later, later))
    agent = job.start()
    job.finish(agent, job.turn(agent))
    job.until(lambda: job.nvim.eval(f"getbufline('{path}', 1)") == [new.decode("latin-1").strip()])
    assert job.nvim.eval(f"getbufvar('{path}', '&modified')") == 0


@pytest.mark.parametrize("held", FORMS)
def test_what_was_read_before_the_plugin_came_is_in_step(job: MainJob, held: bytes) -> None:
    path = job.work / "a.txt"
    path.write_bytes(held)
    job.command(f"edit ++bad=keep {path}")
    known = "return require('acp.files.stamps').synced(...)"
    assert job.nvim.lua(known, job.nvim.eval("bufnr()")) == disk.stamp(str(path))


AT_ONCE = """
vim.cmd('silent noautocmd write')
assert(vim.uv.fs_rename(...))
"""


def test_a_file_that_takes_the_place_of_a_quiet_write_is_not_the_users(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", "one\n")
    theirs = job.work / "b.txt"
    theirs.write_text("theirs\n")
    prompt = job.turn(agent)
    job.command("wincmd t | call append('$', 'mine')")
    job.nvim.lua(AT_ONCE, str(theirs), str(path))
    job.until(lambda: not job.nvim.eval(f"getbufvar('{path}', '&modified')"))
    job.finish(agent, prompt)
    job.until(lambda: job.nvim.eval(f"getbufline('{path}', 1, '$')") == ["theirs"])


def test_the_user_is_told_what_the_agent_could_not_write(job: MainJob) -> None:
    agent = job.start()
    path = job.work / "locked.txt"
    path.write_text("mine\n")
    path.chmod(0o444)
    assert "read-only" in write(agent, path, "theirs\n")["error"]["message"]
    told = "scripted could not write locked.txt: it is read-only"
    job.until(lambda: any(told in line for line in job.chat()))
    assert path.read_text() == "mine\n"


def test_a_message_tells_once_what_is_refused_again_and_again(job: MainJob) -> None:
    agent = job.start()
    path = job.edit("a.txt", "mine\n")
    job.command("setlocal readonly | Acp chat close")
    told = "acp: scripted could not write a.txt: its buffer is read-only"
    for _ in range(3):
        assert "error" in write(agent, path, "theirs\n")
    job.told(told)
    job.command("setlocal noreadonly")
    assert "result" in write(agent, path, "theirs\n")
    job.command("setlocal readonly")
    assert "error" in write(agent, path, "more\n")
    job.until(lambda: job.nvim.messages().splitlines() == [told, told])
    job.usable()


def test_a_file_that_another_neovim_holds_is_left_to_it(job: MainJob) -> None:
    agent = job.start()
    path = job.work / "held.txt"
    path.write_text("mine\n")
    job.command("set directory=.")
    with Neovim(cwd=job.work) as other:
        other.command(f"set directory=. updatecount=200 | edit {path}")
        other.input("Ax<Esc>")
        other.command("preserve")
        message = write(agent, path, "theirs\n")["error"]["message"]
        assert f"another Neovim (process {other.eval('getpid()')})" in message
    assert path.read_text() == "mine\n"
    job.until(lambda: any("could not write held.txt" in line for line in job.chat()))


def test_an_agent_reads_a_long_file_as_it_is(job: MainJob) -> None:
    agent = job.start()
    lines = [f"line {number} is some ten words long\n" for number in range(12_000)]
    path = job.edit("long.txt", "".join(lines))
    job.nvim.input("A, unsaved")
    assert read(agent, path) == "".join([lines[0][:-1] + ", unsaved\n", *lines[1:]])
    job.nvim.input("x")
    assert read(agent, path, limit=1) == lines[0][:-1] + ", unsavedx\n"
