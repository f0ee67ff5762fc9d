-- The user's own tools: Lua functions that agents may call (`:help acp-tools-own`).

local bridge = require('acp.host.bridge')

local M = {}

---@class acp.ToolContext
---@field agent string
---@field session string the agent's id of it
---@field cwd string the folder of the session
---@field reply fun(result: string|table) for who returns nothing: the result, later
---@field fail fun(message: string) the same for what went wrong
---@field on_cancel fun(callback: fun()) called when nobody waits for the result any more

---@class acp.OwnTool
---@field name string letters, digits and _
---@field description string what it does and when to use it, for the agent
---@field parameters? table JSON schema of an object; nil: it takes nothing
---@field run fun(args: table, ctx: acp.ToolContext): string|table|nil
---@field asks? boolean the user is asked each time

---@type table<string, acp.OwnTool>
local tools = {}

local function changed()
  bridge.tell_running('tools_changed')
end

---@param parameters? table
---@return table schema in which an empty table is what it must be
local function schema(parameters)
  local whole = vim.tbl_extend('force', { type = 'object' }, vim.deepcopy(parameters or {}))
  whole.properties = vim.tbl_map(function(it)
    return vim.tbl_isempty(it) and vim.empty_dict() or it
  end, whole.properties or {})
  if vim.tbl_isempty(whole.properties) then
    whole.properties = vim.empty_dict()
  end
  return whole
end

--- Whether each agent understands it: a list of tools with one that is none is refused as a whole.
---@param parameters any
local function is_schema(parameters)
  return pcall(function()
    local whole = schema(parameters)
    assert(whole.type == 'object' and not vim.islist(whole.properties))
    vim.json.encode(whole)
  end)
end

--- Make a function a tool of every agent.
---@return fun() remove takes it away
function M.add(tool)
  local given = type(tool) == 'table' and tool or {}
  local is_named = type(given.name) == 'string'
    and given.name:match('^[%w_]+$')
    and #given.name <= 60
  local is_described = type(given.description) == 'string' and given.description ~= ''
  local problem = not is_named and 'a tool has a name of letters, digits and _'
    or not is_described and 'the tool %s has no description'
    or type(given.run) ~= 'function' and 'the tool %s has no function `run`'
    or not is_schema(given.parameters)
      and 'the parameters of the tool %s are not the schema of an object'
  if problem then
    error('acp: ' .. problem:format(given.name), 0)
  end
  tools[tool.name] = tool
  changed()
  return function()
    if tools[tool.name] == tool then
      tools[tool.name] = nil
      changed()
    end
  end
end

--- What there is, by name.
function M.list(_, reply)
  local found = {}
  for name, tool in vim.spairs(tools) do
    table.insert(found, {
      name = name,
      description = tool.description,
      parameters = schema(tool.parameters),
      asks = tool.asks == true,
    })
  end
  reply(nil, found)
end

---@return string|table text, or plain data
local function as_plain(result)
  if type(result) == 'table' then
    return vim.json.decode(vim.json.encode(result))
  end
  return tostring(result)
end

--- Run one.
function M.run(arguments, reply)
  local tool = tools[arguments.name]
  if not tool then
    return reply(('there is no tool %s any more'):format(arguments.name))
  end
  local cancel
  local context = {
    agent = arguments.agent,
    session = arguments.session,
    cwd = arguments.cwd,
    reply = function(result)
      local ok, plain = pcall(as_plain, result)
      reply(not ok and 'its result is not plain data' or nil, ok and plain or nil)
    end,
    fail = function(message)
      reply(tostring(message))
    end,
    on_cancel = function(callback)
      cancel = callback
    end,
  }
  local ok, result = pcall(tool.run, arguments.arguments, context)
  if not ok then
    reply(tostring(result))
  elseif result ~= nil then
    context.reply(result)
  end
  return function()
    if cancel then
      cancel()
    end
  end
end

return M
