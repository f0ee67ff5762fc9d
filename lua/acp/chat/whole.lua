-- All of what a chat shows the beginning of, or what a tool call has printed, in a buffer of its own
-- that nobody can change. It comes in portions, so that keys are answered meanwhile.

local apply = require('acp.ui.apply')
local hands = require('acp.files.hands')
local keys = require('acp.ui.keys')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

local function set_up(buffer)
  require('acp.ui.highlights').define()
  unseen.set(buffer, { buftype = 'nofile', swapfile = false, undolevels = -1, modifiable = false })
  vim.bo[buffer].bufhidden = 'wipe'
  keys.map(buffer, 'n', 'q', 'Close it', function()
    api.nvim_buf_delete(buffer, { force = true })
  end)
end

--- The buffer of what a tool call has printed, empty.
---@param cwd string where the files are that it names
---@return integer buffer
local function of_output(name, cwd)
  local buffer = vim.iter(api.nvim_list_bufs()):find(function(it)
    return api.nvim_buf_get_name(it) == name
  end) or unseen.buffer()
  if api.nvim_buf_get_name(buffer) ~= name then
    api.nvim_buf_set_name(buffer, name)
  end
  set_up(buffer)
  vim.b[buffer].acp_cwd = cwd
  vim.bo[buffer].filetype = 'acp-output'
  keys.map(buffer, 'n', 'yq', 'Places in it into the quickfix list', function()
    local lines = api.nvim_buf_get_lines(buffer, 0, -1, true)
    require('acp.chat.output').to_quickfix(lines, cwd, name)
  end, 'output-to-quickfix')
  apply.draw(buffer, { { 0, -1, {}, {} } })
  return buffer
end

--- Show it where it is on screen already, else in a tabpage of its own.
---@param cwd string
---@return integer buffer
local function open(name, cwd)
  local buffer = name == '' and unseen.buffer(set_up) or of_output(name, cwd)
  local window = vim.fn.win_findbuf(buffer)[1]
  if window then
    api.nvim_set_current_win(window)
  else
    vim.cmd('tab split')
    api.nvim_win_set_buf(0, buffer)
  end
  vim.wo[0][0].wrap = false
  return buffer
end

--- Called by the host, at the user's command: open an empty one; one of that name is emptied.
---@param name string '' for none
---@param cwd string
---@return integer buffer -1: it is not shown now
function M.open(name, cwd)
  local buffer = -1
  hands.calmly('all of it', function()
    buffer = open(name, cwd)
  end)
  return buffer
end

---@param buffer integer
---@param op acp.Op
---@return boolean there the user has not closed it
function M.append(buffer, op)
  if not api.nvim_buf_is_valid(buffer) then
    return false
  end
  apply.draw(buffer, { op })
  return true
end

return M
