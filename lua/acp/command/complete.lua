-- Completion: of `:Acp` and its arguments, and of slash commands in the prompt. Nothing here waits,
-- and nothing starts the host: what it offers is in tables and in `b:acp_status`.

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

---@return table status of the current session, empty if there is none
local function status()
  local chat = require('acp.chat.window').current()
  return chat and vim.b[chat].acp_status or {}
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
    return pluck(status().modes, 'id')
  end,
  login = function()
    return status().logins or {}
  end,
  ---@param before? string the option whose values are wanted
  option = function(before)
    local config = status().config or {}
    if not before then
      return pluck(config, 'id')
    end
    local option = vim.iter(config):find(function(it)
      return it.id == before
    end)
    return option and option.values or {}
  end,
  command = function()
    return vim.tbl_map(function(name)
      return '/' .. name
    end, pluck(status().commands, 'name'))
  end,
}

---@param sub acp.SubCommand?
---@param rest string what stands before the cursor, after the sub-command
---@param lead string
---@return string[]
local function arguments(sub, rest, lead)
  local source = sub and sub.complete
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

---@param before string
---@return boolean whether it is the beginning of a command; some names have spaces
local function begins_command(before)
  return before:match('^/%S*$') ~= nil
    or before:match('^/') ~= nil and #starting_with(sources.command(), before) > 0
end

--- 'omnifunc' of the prompt: the agent's slash commands at the start of the text, and mentions.
---@param findstart integer
---@param base string
---@return integer|table
function M.omnifunc(findstart, base)
  local mention = require('acp.prompt.mention')
  if findstart == 1 then
    local row, column = unpack(vim.api.nvim_win_get_cursor(0))
    local before = vim.api.nvim_get_current_line():sub(1, column)
    return row == 1 and begins_command(before) and 0 or mention.start(before) or -3
  end
  local chat = require('acp.chat.registry').current()
  if chat and vim.startswith(base, '@') then
    return { words = mention.complete(chat, base), refresh = 'always' }
  end
  local found = {}
  for _, command in ipairs(status().commands or {}) do
    if vim.startswith('/' .. command.name, base) then
      local menu = command.hint and ('<%s>'):format(command.hint) or ''
      table.insert(found, { word = '/' .. command.name, menu = menu, info = command.description })
    end
  end
  return found
end

return M
