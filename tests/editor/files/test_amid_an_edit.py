"""What fails in the middle of an edit: another plugin that listens, <C-c>, Neovim itself. The edit
is made as a whole, or the buffer is as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.editor.files.test_buffer import change, open_file, read, write
from tests.support.nvim import Neovim

LINES = [f"line {number}" for number in range(1, 11)]
HUNKS = [[1, 3, ["two"]], [5, 6, ["six", "and more", "and more"]], [8, 8, ["above nine"]]]
AFTER = [
    *("line 1", "two", "line 4", "line 5", "six", "and more", "and more"),
    *("line 7", "line 8", "above nine", "line 9", "line 10"),
]
LISTEN = "vim.api.nvim_buf_attach(0, false, { [...] = function() error('not ours') end })"
BREAK = """
local name, at = ...
local call, count = vim.api[name], 0
vim.api[name] = function(...)
  count = count + 1
  if count == at then
    error('broken')
  end
  return call(...)
end
"""
INTERRUPT = """
local name, at = ...
local call, count = vim.api[name], 0
vim.api[name] = function(...)
  count = count + 1
  if count == at then
    vim.api.nvim_input('<C-c>')
  end
  return call(...)
end
"""


def opened(nvim: Neovim) -> Path:
    path = open_file(nvim, "".join(f"{line}\n" for line in LINES).encode())
    nvim.command("4mark a | normal! Gomine")
    return path


@pytest.mark.parametrize("event", ["on_lines", "on_bytes"])
def test_a_listener_that_fails_does_not_break_an_edit(nvim: Neovim, event: str) -> None:
    path = opened(nvim)
    nvim.lua(LISTEN, event)
    assert "ok" in write(nvim, path, HUNKS)
    assert nvim.lines() == [*AFTER, "mine"]
    assert path.read_text().splitlines() == [*AFTER, "mine"]
    assert nvim.api.nvim_buf_get_mark(0, "a") == [3, 0]
    nvim.command("silent! undo")
    assert nvim.lines() == [*LINES, "mine"]


@pytest.mark.parametrize(
    ("call", "at"),
    [("nvim_buf_set_text", 2), ("nvim_buf_set_lines", 1), ("nvim_buf_set_lines", 3)],
)
def test_what_cannot_be_done_as_a_whole_is_taken_back(nvim: Neovim, call: str, at: int) -> None:
    path = opened(nvim)
    nvim.lua(BREAK, call, at)
    assert "broken" in write(nvim, path, HUNKS)["error"]
    assert nvim.lines() == [*LINES, "mine"]
    assert nvim.eval("&modified") == 1
    assert path.read_text().splitlines() == LINES
    assert nvim.api.nvim_buf_get_mark(0, "a") == [4, 0]


@pytest.mark.parametrize(("call", "at"), [("nvim_buf_set_text", 1), ("nvim_set_option_value", 5)])
def test_an_interrupt_does_not_break_an_edit(
    nvim: Neovim, call: str, at: int, tmp_path: Path
) -> None:
    nvim.command(f"set undofile undodir={tmp_path}")
    path = opened(nvim)
    nvim.lua(INTERRUPT, call, at)
    answer = write(nvim, path, HUNKS)
    if "error" in answer and not nvim.eval(
        "has('nvim-0.11')"
    ):  # there each call of the API ends by it
        assert (nvim.lines(), path.read_text().splitlines()) == ([*LINES, "mine"], LINES)
        return
    assert "ok" in answer
    assert nvim.lines() == path.read_text().splitlines() == [*AFTER, "mine"]
    assert nvim.eval("&modified") == 0


def test_an_interrupt_while_the_disk_is_followed(nvim: Neovim) -> None:
    path = open_file(nvim, b"one\ntwo\n")
    path.write_bytes(b"one\n2\n")
    nvim.lua(INTERRUPT, "nvim_set_option_value", 3)
    answer = change(nvim, "follow", path, [[1, 2, ["2"]]])
    if "error" in answer and not nvim.eval("has('nvim-0.11')"):
        assert (nvim.lines(), nvim.eval("&modified")) == (["one", "two"], 0)
        return
    assert "ok" in answer
    assert (nvim.lines(), nvim.eval("&modified")) == (["one", "2"], 0)


def test_what_is_written_stays_written_whatever_another_plugin_says(nvim: Neovim) -> None:
    path = opened(nvim)
    read(nvim, path)
    nvim.lua(BREAK, "nvim_create_autocmd", 1)
    assert "ok" in write(nvim, path, HUNKS)
    assert nvim.lines() == path.read_text().splitlines() == [*AFTER, "mine"]
    assert nvim.eval("&modified") == 0
    assert read(nvim, path)["unchanged"]
