-- The float in which `g?` shows the keys of a buffer.

local api = vim.api

local M = {}

---@type integer?
local window

local function close()
  if window and api.nvim_win_is_valid(window) then
    api.nvim_win_close(window, true)
  end
  window = nil
end

---@param lines string[]
---@param title string
---@return vim.api.keyset.win_config
local function config(lines, title)
  local width = api.nvim_strwidth(title) + 2
  for _, line in ipairs(lines) do
    width = math.max(width, api.nvim_strwidth(line))
  end
  width = math.max(math.min(width, vim.o.columns - 4), 1)
  local height = math.max(math.min(#lines, vim.o.lines - vim.o.cmdheight - 4), 1)
  return {
    relative = 'editor',
    row = math.max(math.floor((vim.o.lines - height) / 2) - 1, 0),
    col = math.max(math.floor((vim.o.columns - width) / 2) - 1, 0),
    width = width,
    height = height,
    zindex = 80,
    style = 'minimal',
    border = require('acp.ui.float').border(),
    title = { { (' %s '):format(title), 'AcpFloatTitle' } },
    footer = { { ' q closes ', 'AcpFloatFooter' } },
  }
end

--- Show lines until `q`, <Esc>, `g?` or another window.
---@param title string
---@param lines string[]
---@param marks acp.Mark[]
function M.open(title, lines, marks)
  close()
  require('acp.ui.highlights').define()
  local buffer = require('acp.ui.float').fill({ { 0, -1, lines, marks } }, 'acp-keys')
  for _, key in ipairs({ 'q', '<Esc>', 'g?' }) do
    vim.keymap.set('n', key, close, { buffer = buffer, nowait = true, desc = 'Close' })
  end
  window = require('acp.ui.float').open(buffer, true, config(lines, title))
  api.nvim_create_autocmd('WinLeave', { buffer = buffer, once = true, callback = close })
end

return M
