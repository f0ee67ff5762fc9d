"""Prints what an agent's edit of a long file costs the editor: ms of Neovim, medians and worst.

Run as `python bench/edit.py`. README.md says what is measured.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.nvim import Neovim

SIZES = (1_000, 10_000, 100_000)
RUNS = 21
EXTMARKS = 1_000
MEASURE = """
local size, runs, extmarks = ...
local api, uv, buffer = vim.api, vim.uv, require('acp.files.live')
local path = api.nvim_buf_get_name(0)
local space = api.nvim_create_namespace('bench')

local function mark()
  api.nvim_buf_clear_namespace(0, space, 0, -1)
  for number = 1, extmarks do
    local row = 20 + math.floor((number - 1) * (size / 2 - 40) / extmarks)
    api.nvim_buf_set_extmark(0, space, row, 2, {})
  end
end

local function time(action)
  local began = uv.hrtime()
  local result = action()
  return (uv.hrtime() - began) / 1e6, result
end

local function hunks(run)
  local half = math.floor(size / 2)
  return {
    { 10, 11, { 'changed ' .. run } },
    { half, half + 1, { 'changed ' .. run, 'and one more' } },
    { size - 10, size - 8, { 'changed ' .. run } },
  }
end

-- Above the second hunk and below the first: nothing moves them.
local function others()
  return #api.nvim_buf_get_extmarks(0, space, { 20, 0 }, { size / 2 - 20, 0 }, {})
end

local cases = {}

function cases.edit(run)
  local tick = api.nvim_buf_get_changedtick(0)
  local wanted = hunks(run)
  return time(function()
    assert(buffer.edit(api.nvim_get_current_buf(), tick, wanted, nil, false).ok)
  end)
end

function cases.rewrite(run)
  local tick, wanted = api.nvim_buf_get_changedtick(0), {}
  for number = 1, api.nvim_buf_line_count(0) do
    wanted[number] = 'run ' .. run .. ' has rewritten line ' .. number
  end
  return time(function()
    local all = { { 0, #wanted, wanted } }
    assert(buffer.edit(api.nvim_get_current_buf(), tick, all, nil, false).ok)
  end)
end

cases['plain rewrite'] = function(run)
  local wanted = {}
  for number = 1, api.nvim_buf_line_count(0) do
    wanted[number] = 'run ' .. run .. ' has plainly rewritten line ' .. number
  end
  return time(function()
    api.nvim_buf_set_lines(0, 0, -1, true, wanted)
  end)
end

function cases.whole(run)
  local lines = api.nvim_buf_get_lines(0, 0, -1, true)
  lines[11] = 'changed ' .. run
  lines[size] = 'changed ' .. run
  return time(function()
    api.nvim_buf_set_lines(0, 0, -1, true, lines)
  end)
end

function cases.write(run)
  local tick = api.nvim_buf_get_changedtick(0)
  local wanted = hunks(run)
  local options =
    { fileformat = 'unix', fileencoding = 'utf-8', bomb = false, endofline = true }
  local lines = api.nvim_buf_get_lines(0, 0, -1, true)
  for _, hunk in ipairs(vim.iter(wanted):rev():totable()) do
    for _ = hunk[1], hunk[2] - 1 do
      table.remove(lines, hunk[1] + 1)
    end
    for number, line in ipairs(hunk[3]) do
      table.insert(lines, hunk[1] + number, line)
    end
  end
  return time(function()
    vim.fn.writefile(lines, path .. '.made') -- by the host
    local made = path .. '.made'
    assert(buffer.write(api.nvim_get_current_buf(), tick, wanted, options, made, path).ok)
  end)
end

cases['plain :write'] = function(run)
  api.nvim_buf_set_lines(0, 10, 11, true, { 'changed ' .. run })
  return time(function()
    vim.cmd('silent noautocmd write!')
  end)
end

function cases.read()
  return time(function()
    return buffer.read(path)
  end)
end

function cases.again()
  local number, tick = api.nvim_get_current_buf(), api.nvim_buf_get_changedtick(0)
  return time(function()
    return buffer.read(path, number, tick)
  end)
end

local times, kept = {}, {}
for name, case in pairs(cases) do
  times[name] = {}
  mark()
  for run = 1, runs do
    collectgarbage()
    table.insert(times[name], (case(run)))
  end
  kept[name] = others()
end
return { times, kept }
"""
NAMES = {
    "edit": "three hunks",
    "whole": "the whole buffer by nvim_buf_set_lines",
    "rewrite": "every line another",
    "plain rewrite": "the same by nvim_buf_set_lines",
    "write": "three hunks, and saved",
    "plain :write": "plain :write",
    "read": "reading the buffer",
    "again": "reading it again, unchanged",
}


def measured(size: int) -> tuple[dict[str, list[float]], dict[str, int]]:
    """Return the times of each case, and the extmarks that it has left between the hunks."""
    with Neovim() as nvim:
        path = nvim.cwd / "long.txt"
        path.write_text(
            "".join(f"line {number} of some forty characters\n" for number in range(size))
        )
        nvim.command(f"set undolevels=1000 | edit {path}")
        result: Any = nvim.lua(MEASURE, size, RUNS, EXTMARKS, timeout=300)
        return result[0], result[1]


def main() -> None:
    print(f"{'lines':>8}  {'':42}{'median':>9}{'worst':>9}{'× edit':>9}{'extmarks kept':>15}")
    for size in SIZES:
        times, kept = measured(size)
        edit = median(times["edit"])
        for case, name in NAMES.items():
            usual, worst = median(times[case]), max(times[case])
            row = f"{usual:9.3f}{worst:9.3f}{usual / edit:9.1f}"
            print(f"{size:8,}  {name:42}{row}{kept[case]:15,}")


if __name__ == "__main__":
    main()
