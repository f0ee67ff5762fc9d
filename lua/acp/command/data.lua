-- Tables that both sides of the plugin read: they lie with the host.

local M = {}

---@param name string of a file of `python/acp_nvim`, without its ending
---@return any
function M.read(name)
  local folder = vim.fs.joinpath(require('acp.host.interpreter').root(), 'python', 'acp_nvim')
  local lines = vim.fn.readfile(vim.fs.joinpath(folder, name .. '.json'))
  return vim.json.decode(table.concat(lines, '\n'))
end

return M
