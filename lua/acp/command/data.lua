-- Tables that both sides of the plugin read: they lie with the host, or are kept by it.

local M = {}

---@type string?
local folder
---@type table<string, any>
local known = {}

---@return table? nil if it cannot be read
function M.decoded(path)
  local ok, found = pcall(function()
    return vim.json.decode(table.concat(vim.fn.readfile(path), '\n'))
  end)
  return ok and type(found) == 'table' and found or nil
end

---@param name string of a file of `python/acp_nvim`, without its ending
---@return any
function M.read(name)
  folder = folder or vim.fs.joinpath(require('acp.host.interpreter').root(), 'python', 'acp_nvim')
  if not known[name] then
    known[name] = M.decoded(('%s/%s.json'):format(folder, name))
  end
  return known[name]
end

return M
