"""Buffers that another plugin reads or writes in a form of its own: encrypted, packed, a notebook.
What they show never goes to their files by us, and is no agent's to read."""

from __future__ import annotations

import codecs
import gzip
from pathlib import Path

import pytest

from tests.support.agents.agent_edits import answer, asked, files, looked, tool, until_files, write
from tests.support.main_job import MainJob

PLAIN = "one\n\ntwo\nthree\n"
SHOWN = PLAIN.splitlines()
TR = "tr a-zA-Z n-za-mN-ZA-M"
COMMANDS = f"""
local buftype = ...
local function coded(lines)
  return vim.split(vim.fn.system('{TR}', table.concat(lines, '\\n')), '\\n')
end
vim.api.nvim_create_autocmd('BufReadCmd', {{
  pattern = '*.{{sec,key}}',
  callback = function(event)
    vim.api.nvim_buf_set_lines(event.buf, 0, -1, false, coded(vim.fn.readfile(event.match)))
    vim.bo[event.buf].buftype = buftype
    vim.bo[event.buf].modified = false
  end,
}})
vim.api.nvim_create_autocmd('BufWriteCmd', {{
  pattern = '*.{{sec,key}}',
  callback = function(event)
    local lines = vim.api.nvim_buf_get_lines(event.buf, 0, -1, false)
    vim.fn.writefile(coded(lines), event.match)
    vim.bo[event.buf].modified = false
  end,
}})
"""
FILTERS = f"""
augroup sec
  autocmd BufReadPre *.sec setlocal bin
  autocmd BufReadPost *.sec silent '[,']!{TR}
  autocmd BufReadPost *.sec setlocal nobin
  autocmd BufWritePre *.sec silent '[,']!{TR}
  autocmd BufWritePost *.sec silent undo | setlocal nomodified
augroup END
"""
KINDS = ("command", "acwrite", "filter", "gzip")


def coded(text: str) -> str:
    return codecs.encode(text, "rot13")


def opened(job: MainJob, kind: str) -> Path:
    """Show a file by that plugin, of which the disk has nothing in the clear."""
    path = job.work / ("a.gz" if kind == "gzip" else "a.sec")
    path.write_bytes(gzip.compress(PLAIN.encode()) if kind == "gzip" else coded(PLAIN).encode())
    if kind == "gzip":
        job.command("runtime plugin/gzip.vim")
    elif kind == "filter":
        for line in FILTERS.strip().splitlines():
            job.command(line.strip())
    else:
        job.nvim.lua(COMMANDS, kind if kind == "acwrite" else "")
    job.command(f"wincmd t | edit {path}")
    assert job.nvim.lines() == SHOWN
    return path


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_late", [False, True])
def test_what_an_agent_does_elsewhere_leaves_it_alone(
    job: MainJob, kind: str, is_late: bool
) -> None:
    """`is_late`: the plugin starts when the file is open, and edited."""
    if is_late:
        path = opened(job, kind)
        job.nvim.input("Gomine<Esc>")
    agent = job.start()
    if not is_late:
        path = opened(job, kind)
        job.nvim.input("Gomine<Esc>")
    data = path.read_bytes()
    prompt = job.turn(agent)
    tool(agent, job.work / "other.txt", "theirs\n")
    until_files(job, {"other.txt": 1})
    read = agent.ask("fs/read_text_file", path=str(path))
    assert "mine" not in str(read) and "three" not in str(read)
    assert "error" in write(agent, path, coded("ONE\n"))
    job.finish(agent, prompt)
    job.command("Acp undo")
    job.told("undid turn 1")
    job.command("wincmd t")
    assert (job.nvim.lines(), job.nvim.eval("&modified")) == ([*SHOWN, "mine"], 1)
    assert path.read_bytes() == data
    job.command("write")
    assert job.nvim.eval("&modified") == 0
    if kind != "gzip":
        assert path.read_text() == coded(PLAIN + "mine\n")


@pytest.mark.parametrize("kind", KINDS[:3])
def test_an_agent_changes_the_file_and_the_user_takes_it_back(job: MainJob, kind: str) -> None:
    agent = job.start()
    path = opened(job, kind)
    prompt = job.turn(agent)
    read = agent.ask("fs/read_text_file", path=str(path))
    assert read["result"] == {"content": coded(PLAIN)}
    assert "error" not in write(agent, path, coded("ONE\n\ntwo\nthree\n"))
    until_files(job, {path.name: 1})
    said = job.told("a.sec was changed, its buffer does not show it")
    assert "error" not in write(agent, path, coded("ONE\n\ntwo\nTHREE\n"))
    until_files(job, {path.name: 2})
    job.finish(agent, prompt)
    assert job.nvim.messages().splitlines().count(said) == 1
    job.command("wincmd t")
    assert (job.nvim.lines(), job.nvim.eval("&modified")) == (SHOWN, 0)
    job.command("Acp undo")
    job.told("undid turn 1")
    assert path.read_text() == coded(PLAIN)
    assert (job.nvim.lines(), job.nvim.eval("&modified")) == (SHOWN, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_what_the_other_plugin_writes_amid_a_turn_is_the_users(job: MainJob, kind: str) -> None:
    agent = job.start()
    path = opened(job, kind)
    prompt = job.turn(agent)
    tool(agent, job.work / "other.txt", "theirs\n")
    until_files(job, {"other.txt": 1})
    job.command("wincmd t")
    job.nvim.input("Gomine<Esc>:w<CR>")
    job.until(lambda: not job.nvim.eval("&modified"))
    data = path.read_bytes()
    job.finish(agent, prompt)
    looked(job)
    assert files(job) == {"other.txt": 1}
    answer(job, to_take=True)
    job.command("Acp undo")
    job.told("undid turn 1")
    assert asked(job) == [] and path.read_bytes() == data


PLAIN_FILES = ("one", "\ufeffone\n", "one\r\ntwo\r\n", "\xe9\n", "x" * 20_000, "", "\n\n")


def test_a_plain_file_is_none_of_these(job: MainJob) -> None:
    agent = job.start()
    job.command("autocmd BufReadPost *.txt let b:is_read = 1")
    paths = [job.work / f"{number}.txt" for number in range(len(PLAIN_FILES))]
    for path, text in zip(paths, PLAIN_FILES, strict=True):
        path.write_bytes(text.encode("latin-1" if text == "\xe9\n" else "utf-8"))
        job.command(f"wincmd t | hide edit {path}")
        job.command("normal! Omine")
    prompt = job.turn(agent)
    for path in paths:
        read = agent.ask("fs/read_text_file", path=str(path))["result"]["content"]
        assert "mine" in read, path
    job.finish(agent, prompt)
