-- The user's configuration, raw: vim.g.acp under setup(). Validation is the host's work.

local M = {}

---@type table
local from_setup = {}

--- Merge options over what earlier calls gave.
---@param options? table
function M.setup(options)
  from_setup = vim.tbl_deep_extend('force', from_setup, options or {})
end

---@return table options of vim.g.acp
---@return string? problem a sentence, when the user made a mistake
local function global()
  local value = vim.g.acp
  if type(value) == 'function' then
    local ok, result = pcall(value)
    if not ok then
      return {}, ('vim.g.acp is a function that fails: %s'):format(result)
    end
    value = result
  end
  if value ~= nil and type(value) ~= 'table' then
    local form = 'vim.g.acp is a %s: it must be a table, or a function that returns one'
    return {}, form:format(type(value))
  end
  return value or {}
end

--- What can travel to the host: without functions; a table that is list and map at once is a map.
---@param value any
---@return any
local function plain(value)
  if type(value) == 'function' then
    return nil
  end
  if type(value) ~= 'table' or vim.tbl_isempty(value) then
    return value
  end
  if vim.islist(value) then
    return vim.iter(value):map(plain):totable()
  end
  local map = {}
  for key, item in pairs(value) do
    map[tostring(key)] = plain(item)
  end
  return map
end

--- The merged configuration as it stands now.
---@return table options plain data
---@return string? problem a sentence, when vim.g.acp is no table
function M.get()
  local base, problem = global()
  return plain(vim.tbl_deep_extend('force', base, from_setup)), problem
end

---@param ... string keys, outermost first
---@return any value at that place, or nil
function M.value(...)
  return vim.tbl_get((M.get()), ...)
end

return M
