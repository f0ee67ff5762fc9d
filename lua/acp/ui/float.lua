-- Floats of text that the host has drawn and nobody can change: how they are made, look and go.

local apply = require('acp.ui.apply')
local layout = require('acp.ui.layout')

local api = vim.api

local M = {}

local OPTIONS = {
  wrap = true,
  linebreak = true,
  conceallevel = 2,
  concealcursor = 'nc',
  foldenable = false,
  list = false,
  spell = false,
  winbar = '',
  winhighlight = table.concat({
    'NormalFloat:AcpFloat',
    'FloatBorder:AcpFloatBorder',
    'FloatTitle:AcpFloatTitle',
    'FloatFooter:AcpFloatBorder',
    'CursorLine:AcpSelected',
  }, ','),
}

--- Make a buffer with that text; it goes with its window.
---@param ops acp.Op[]
---@param chat? integer the chat that it belongs to
---@return integer buffer
function M.fill(ops, chat)
  local buffer = api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.b[buffer].acp_chat = chat
  apply.draw(buffer, ops)
  return buffer
end

--- Let a window look like a float of ours.
---@param window integer
function M.dress(window)
  layout.dress(window, OPTIONS)
end

--- Show a buffer in a float.
---@param buffer integer
---@param enter boolean
---@param config vim.api.keyset.win_config
---@return integer window
function M.open(buffer, enter, config)
  local window = api.nvim_open_win(buffer, enter, config)
  M.dress(window)
  return window
end

---@param window integer?
---@return boolean
function M.is_open(window)
  return window ~= nil and window ~= 0 and api.nvim_win_is_valid(window)
end

--- Close a window; nothing if it is closed.
---@param window integer?
function M.close(window)
  if M.is_open(window) then
    api.nvim_win_close(window --[[@as integer]], true)
  end
end

return M
