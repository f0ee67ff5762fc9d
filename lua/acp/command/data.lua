-- Tables that both sides of the plugin read: they lie with the host.

local M = {}

---@type string?
local folder
---@type table<string, any>
local known = {}

---@param name string of a file of `python/acp_nvim`, without its ending
---@return any
function M.read(name)
  folder = folder or vim.fs.joinpath(require('acp.host.interpreter').root(), 'python', 'acp_nvim')
  if not known[name] then
    local lines = vim.fn.readfile(('%s/%s.json'):format(folder, name))
    known[name] = vim.json.decode(table.concat(lines, '\n'))
  end
  return known[name]
end

return M
