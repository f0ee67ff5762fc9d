-- The user's configuration, raw: vim.g.acp under setup(). Validation is the host's work.

if jit then -- what runs a few times a minute is not worth what LuaJIT tries with it
  jit.off(true, true)
end

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

--- Headers of remote agents are secrets: their values stay here, and are handed out one connection
--- at a time. What is no string goes on, to be told.
---@param agents any
local function hide(agents)
  for _, agent in pairs(type(agents) == 'table' and agents or {}) do
    local headers = type(agent) == 'table' and agent.headers
    if type(headers) == 'string' then
      agent.headers = ''
    end
    for name, value in pairs(type(headers) == 'table' and headers or {}) do
      headers[name] = type(value) == 'string' and '' or value
    end
  end
end

--- Find one of the options, without what all of them would cost; it may have functions in it.
---@param ... string keys, outermost first
local function given(...)
  local base, over = vim.tbl_get((global()), ...), vim.tbl_get(from_setup, ...)
  if over == nil then
    return base
  elseif type(base) == 'table' and type(over) == 'table' then
    return vim.tbl_deep_extend('force', { at = base }, { at = over }).at
  end
  return over
end

---@type { base: table, setup: table, options: table }?
local last

--- The merged configuration as it stands now, without secrets.
---@return table options plain data, the same table as before unless the user has changed something
---@return string? problem a sentence, when vim.g.acp is no table
function M.get()
  local base, problem = global()
  local is_same = last
    and vim.deep_equal(last.base, base)
    and vim.deep_equal(last.setup, from_setup)
  if not is_same then
    local options = plain(vim.tbl_deep_extend('force', base, from_setup))
    hide(options.agents)
    options = last and vim.deep_equal(last.options, options) and last.options or options
    last = { base = vim.deepcopy(base), setup = vim.deepcopy(from_setup), options = options }
  end
  return last.options, problem
end

--- The headers of a remote agent as they are now; a function is called for each connection.
function M.headers(name)
  local headers = given('agents', name, 'headers')
  local key = ('agents.%s.headers'):format(name)
  if type(headers) == 'function' then
    local ok, result = pcall(headers)
    if not ok then
      return { problem = ('%s is a function that fails: %s'):format(key, result) }
    end
    headers = result
  end
  if headers ~= nil and type(headers) ~= 'table' then
    return { problem = ('%s must be a table, or a function that returns one'):format(key) }
  end
  local plain_headers = vim.empty_dict()
  for header, value in pairs(headers or {}) do
    if type(header) ~= 'string' or type(value) ~= 'string' then
      return { problem = ('%s: the value of %s must be a string'):format(key, header) }
    end
    plain_headers[header] = value
  end
  return { headers = plain_headers }
end

--- The user's own bar of chats.
---@return (fun(status: table): string)? make
function M.winbar()
  local make = given('ui', 'winbar')
  return type(make) == 'function' and make or nil
end

---@param ... string keys, outermost first
---@return any value at that place, that of `vim.b.acp` of the current buffer before all; or nil
function M.value(...)
  local own = vim.b.acp
  if type(own) == 'table' and vim.tbl_get(own, ...) ~= nil then
    return vim.tbl_get(own, ...)
  end
  return plain(given(...))
end

return M
