-- `:Acp tutor`: lessons on a copy of the file on screen, beside a sample, in a tabpage of their own. The
-- lessons are the agent's.

local agents = require('acp.command.agent')
local chats = require('acp.chat.registry')
local interpreter = require('acp.host.interpreter')
local layout = require('acp.ui.layout')
local window = require('acp.chat.window')

local api = vim.api

local M = {}

local SAMPLE = { 'stats.py', 'README.md' }
local MOST_LINES = 1000
local WIDEST, SHARE = 62, 0.6 -- cells of a lesson; of the screen
local FIRST = 'Show me around'

--- The file on screen, if it is one to copy.
---@return string? name
---@return string[] lines
local function on_screen()
  local buffer = api.nvim_get_current_buf()
  local name = vim.fs.basename(api.nvim_buf_get_name(buffer))
  local is_text = vim.bo[buffer].buftype == '' and not vim.bo[buffer].binary
  if name == '' or not is_text or api.nvim_buf_line_count(buffer) > MOST_LINES then
    return nil, {}
  end
  return name, api.nvim_buf_get_lines(buffer, 0, -1, false)
end

--- Make the folder in which the lessons are; it goes with Neovim.
---@return string path of the file that is to be on screen
local function make()
  local own, lines = on_screen()
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, 'p', tonumber('700', 8))
  folder = assert(vim.uv.fs_realpath(folder))
  for _, name in ipairs(SAMPLE) do
    local source = vim.fs.joinpath(interpreter.root(), 'python', 'acp_tutor', 'sample', name)
    vim.fn.writefile(vim.fn.readfile(source), vim.fs.joinpath(folder, name))
  end
  if own then
    vim.fn.writefile(lines, vim.fs.joinpath(folder, own))
  end
  return vim.fs.joinpath(folder, own or SAMPLE[1])
end

--- Begin the lessons, or go on with them.
function M.open(mods)
  local chat = vim.iter(chats.all()):find(function(it)
    return it.agent == agents.TUTOR and chats.is_open(it)
  end)
  if chat then
    return window.show(chat.chat, mods)
  end
  local path = make()
  vim.cmd.tabnew()
  vim.cmd.tcd({ vim.fn.fnameescape(vim.fs.dirname(path)), mods = { silent = true } })
  vim.cmd.edit(vim.fn.fnameescape(path))
  agents.open(agents.TUTOR, {
    mods = mods,
    on_done = function(err)
      if not err then
        require('acp.command.session').prompt(FIRST)
      end
    end,
  })
  local above = layout.window_of(chats.all()[1].chat) -- in which a lesson needs room
  local wanted = math.min(math.floor(vim.o.columns * SHARE), WIDEST)
  if above and not layout.is_float(above) and api.nvim_win_get_width(above) < wanted then
    api.nvim_win_set_width(above, wanted)
  end
end

return M
