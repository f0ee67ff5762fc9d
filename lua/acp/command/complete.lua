-- Completion of `:Acp` and its arguments. Nothing here waits, and nothing starts the host: what it
-- offers is in tables and in `b:acp_status`.

local chats = require('acp.chat.registry')

local M = {}

---@param items table[]?
local function pluck(items, key)
  return vim.tbl_map(function(item)
    return item[key]
  end, items or {})
end

---@return string[] names of the agents that were installed by us
local function installed()
  local data = vim.fn.stdpath('data') --[[@as string]]
  local path = vim.fs.joinpath(data, 'acp.nvim', 'agents', 'installed.json')
  return pluck(require('acp.command.data').decoded(path), 'name')
end

---@param candidates string[]
local function starting_with(candidates, lead)
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

---@param is_open? boolean
---@return string[] names of the agents that have a chat, or an open one; the one used last first
local function with_chats(is_open)
  local names = {}
  for _, chat in ipairs(chats.all()) do
    local is_wanted = not is_open or chats.is_open(chat)
    if is_wanted and not vim.list_contains(names, chat.agent) then
      table.insert(names, chat.agent)
    end
  end
  return names
end

---@return string[] numbers of the turns of the current session, the last one first
local function turns()
  local numbers = {}
  for number = chats.status().turn or 0, 1, -1 do
    table.insert(numbers, tostring(number))
  end
  return numbers
end

--- What the option of the agent can be that has this.
---@param key 'id'|'category'
---@param wanted string
local function values(key, wanted)
  local option = vim.iter(chats.status().config or {}):find(function(it)
    return it[key] == wanted
  end)
  return option and option.values or {}
end

---@param turn? string its number; the last one that has some without it
---@return string[] names of the sub-agents in that turn
local function sub_agents(turn)
  local all = chats.status().sub_agents or {}
  local number = tonumber(turn) or (#all > 0 and all[#all].turn)
  return pluck(
    vim.tbl_filter(function(it)
      return it.turn == number
    end, all),
    'name'
  )
end

---@return string[] names of all agents that are known
local function agents()
  local own = require('acp.host.options').value('agents')
  local all = type(own) == 'table' and vim.tbl_keys(own) or {}
  table.insert(all, require('acp.command.agent').TUTOR)
  vim.list_extend(all, pluck(require('acp.command.data').read('agents'), 'name'))
  vim.list_extend(all, installed())
  table.sort(all)
  return vim.fn.uniq(all)
end

local sources = {
  agent = agents,
  race = agents,
  open_agent = function()
    return with_chats(true)
  end,
  chat_agent = with_chats,
  turn = turns,
  part = function(before) -- a turn, then a sub-agent in it; or a sub-agent alone
    return before and sub_agents(before) or vim.list_extend(turns(), sub_agents())
  end,
  sub_agent = sub_agents,
  mode = function()
    return pluck(chats.status().modes, 'id')
  end,
  model = function()
    return values('category', 'model')
  end,
  login = function()
    return chats.status().logins or {}
  end,
  ---@param before? string the option whose values are wanted
  option = function(before)
    return before and values('id', before) or pluck(chats.status().config, 'id')
  end,
  worktree = function(before)
    local words = require('acp.command.worktrees').complete(before)
    return before and words or vim.list_extend(words, agents())
  end,
  compare = function()
    return require('acp.command.worktrees').complete('merge')
  end,
  mention = function()
    return vim.tbl_map(function(special)
      return '@' .. special[1]
    end, require('acp.prompt.mention').specials())
  end,
  command = function()
    return require('acp.prompt.complete').commands()
  end,
}

--- Sources that know a second word, too, and those that know all.
local seconds = { option = true, worktree = true, part = true }
local all = { race = true, compare = true }

---@param sub acp.SubCommand?
---@param rest string what stands before the cursor, after the sub-command
local function arguments(sub, rest, lead)
  local source = sub and sub.complete
  local before = rest:match('^%s*(%S+)%s')
  local second = before and not rest:match('^%s*%S+%s+%S+%s')
  if not sub or before and not (all[source] or second and seconds[source]) then
    return {}
  end
  local found = source and sources[source](before) or {}
  return starting_with(vim.list_extend(found, sub.words or {}), lead)
end

--- Complete `:Acp …` and its shorthands.
---@param lead string
---@param line string
---@param position integer
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
