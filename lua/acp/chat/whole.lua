-- All of what a chat shows the beginning of, in a buffer of its own that nobody can change. It comes
-- in portions, so that keys are answered meanwhile.

local keys = require('acp.ui.keys')

local api = vim.api

local M = {}

--- Open an empty one in a tabpage of its own.
---@return integer buffer
function M.open()
  vim.cmd('tab split')
  local buffer = api.nvim_create_buf(false, true)
  api.nvim_win_set_buf(0, buffer)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].undolevels = -1
  vim.bo[buffer].modifiable = false
  vim.wo[0][0].wrap = false
  keys.map(buffer, 'n', 'q', 'Close it', function()
    api.nvim_buf_delete(buffer, { force = true })
  end)
  return buffer
end

---@param buffer integer
---@param first integer 0-based row at which they stand
---@param lines string[]
---@return boolean there the user has not closed it
function M.append(buffer, first, lines)
  if not api.nvim_buf_is_valid(buffer) then
    return false
  end
  vim.bo[buffer].modifiable = true
  api.nvim_buf_set_lines(buffer, first, -1, true, lines)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  return true
end

return M
