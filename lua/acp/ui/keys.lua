-- Keys of the buffers that the plugin makes.

local options = require('acp.host.options')

local M = {}

--- Map a key of a buffer of ours, unless the user wants none.
---@param buffer integer
---@param mode string
---@param key string
---@param desc string
---@param run fun()
function M.map(buffer, mode, key, desc, run)
  if options.value('default_keys') ~= false then
    vim.keymap.set(mode, key, run, { buffer = buffer, nowait = true, desc = desc })
  end
end

return M
