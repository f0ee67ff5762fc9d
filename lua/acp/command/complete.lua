-- Completion of `:Acp` and its arguments. Nothing here waits, and nothing starts the host: what it
-- offers is in tables and in `b:acp_status`.

local chats = require('acp.chat.registry')

local M = {}

--- The presets of python/acp_nvim/agents.py and the tutor; a test compares them.
M.agents = {
  'auggie',
  'claude',
  'cline',
  'codebuddy',
  'codex',
  'copilot',
  'cursor',
  'droid',
  'fast-agent',
  'gemini',
  'goose',
  'kilo',
  'kimi',
  'kiro',
  'mistral-vibe',
  'opencode',
  'pi',
  'qwen',
  'tutor',
}

---@param candidates string[]
---@param lead string
---@return string[]
local function starting_with(candidates, lead)
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

---@param items table[]?
---@param key string
---@return string[]
local function pluck(items, key)
  return vim.tbl_map(function(item)
    return item[key]
  end, items or {})
end

local sources = {
  agent = function()
    local own = require('acp.host.options').value('agents')
    local all = vim.list_extend(type(own) == 'table' and vim.tbl_keys(own) or {}, M.agents)
    table.sort(all)
    return vim.fn.uniq(all)
  end,
  mode = function()
    return pluck(chats.status().modes, 'id')
  end,
  login = function()
    return chats.status().logins or {}
  end,
  ---@param before? string the option whose values are wanted
  option = function(before)
    local config = chats.status().config or {}
    if not before then
      return pluck(config, 'id')
    end
    local option = vim.iter(config):find(function(it)
      return it.id == before
    end)
    return option and option.values or {}
  end,
  command = function()
    return require('acp.prompt.complete').commands()
  end,
}

---@param sub acp.SubCommand?
---@param rest string what stands before the cursor, after the sub-command
---@param lead string
---@return string[]
local function arguments(sub, rest, lead)
  local source = sub and (sub.words or sub.complete)
  local before = rest:match('^%s*(%S+)%s')
  local second = before and not rest:match('^%s*%S+%s+%S+%s')
  if not source or before and not (second and source == 'option') then
    return {}
  end
  if type(source) == 'table' then
    return starting_with(source, lead)
  end
  return starting_with(sources[source](before), lead)
end

--- Complete `:Acp …` and its shorthands.
---@param lead string
---@param line string
---@param position integer
---@return string[]
function M.command(lead, line, position)
  local commands = require('acp.command.subcommands')
  local name, rest = line:sub(1, position):match('%f[%a](Acp%a*)!?%s(.*)$')
  if not name then
    return {}
  end
  local shorthand = vim.fn.fullcommand(name):match('^Acp(%a+)$')
  if shorthand then
    return arguments(commands.find(shorthand:lower()), rest, lead)
  end
  local sub, after = rest:match('^%s*([%a]+)!?%s(.*)$')
  if sub then
    return arguments(commands.find(sub), after, lead)
  end
  return starting_with(pluck(commands.list, 'name'), lead)
end

return M
