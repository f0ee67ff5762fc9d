-- The sub-commands: what `python/acp_nvim/commands.json` says of each (arguments, completion, help), and
-- what it does. A row with `tell` has the host told, by the verb of its name: `tell` is the field for its
-- argument.

local M = {}

---@class acp.Invocation
---@field text string what stands after the sub-command, verbatim
---@field trimmed string the same without blanks around it
---@field word? string its first word
---@field number? integer which that is
---@field bang boolean
---@field range? { [1]: integer, [2]: integer } lines of the current buffer, 1-based, inclusive
---@field mods? vim.api.keyset.cmd_mods where windows open: `:vertical`, `:tab`, …

---@alias acp.SubCommand table a row of commands.json (doc/messages.md), and `run`, which takes an invocation

---@return string?
local function given(text)
  text = vim.trim(text)
  return text ~= '' and text or nil
end

local function agent()
  return require('acp.command.agent')
end

local function session()
  return require('acp.command.session')
end

local function review()
  return require('acp.command.reviewing')
end

-- A function of a module, and what it is called with: parts of the invocation, or in braces itself; `chat`:
-- the one that is meant, without which nothing is done.
---@type table<string, any[]>
M.calls = {
  sessions = { 'acp.command.agent', 'sessions', 'word' },
  stop = { 'acp.command.agent', 'stop', 'word', 'bang' },
  restart = { 'acp.command.agent', 'restart', 'word' },
  log = { 'acp.command.agent', 'log', 'word' },
  agents = { 'acp.command.agents', 'open', 'bang', 'mods' },
  worktree = { 'acp.command.worktrees', 'run', 'text' },
  race = { 'acp.command.worktrees', 'race', 'text' },
  compare = { 'acp.command.worktrees', 'compare', 'text' },
  forget = { 'acp.command.session', 'forget', 'word' },
  export = { 'acp.command.session', 'export', 'chat', 'trimmed' },
  outline = { 'acp.command.session', 'outline', 'chat' },
  rewind = { 'acp.command.session', 'rewind', 'chat', 'number' },
  resend = { 'acp.command.session', 'resend', 'chat' },
  next = { 'acp.command.session', 'step', { 1 } },
  previous = { 'acp.command.session', 'step', { -1 } },
  queue = { 'acp.prompt.queue', 'open', 'chat' },
  terminals = { 'acp.chat.terminal', 'pick' },
  reject = { 'acp.command.reviewing', 'reject', 'text', 'range' },
  keep = { 'acp.command.reviewing', 'decide', { 'keep' }, 'word', 'range' },
  redo = { 'acp.review.decide', 'rewind', { 'redo' } },
  comment = { 'acp.command.reviewing', 'comment', 'trimmed', 'range', 'bang' },
  comments = { 'acp.review.comments', 'list' },
  edit = { 'acp.command.reviewing', 'edit', 'trimmed', 'range' },
  why = { 'acp.review.why', 'show' },
  inspect = { 'acp.command.report', 'inspect' },
  tutor = { 'acp.command.tutor', 'open', 'mods' },
  install = { 'acp.host.install', 'run' },
}

---@return fun(invoked: acp.Invocation) calls the function of such a row
local function calling(row)
  return function(invoked)
    local chat = vim.list_contains(row, 'chat') and agent().chat()
    if chat == nil then
      return
    end
    local parts = {}
    for index = 3, #row do
      local part = row[index]
      parts[index] = type(part) == 'table' and part[1] or part == 'chat' and chat or invoked[part]
    end
    require(row[1])[row[2]](unpack(parts, 3, #row))
  end
end

---@type table<string, fun(invoked: acp.Invocation)>
local deeds = {
  start = function(invoked)
    agent().start(invoked.word, { mods = invoked.mods })
  end,
  new = function(invoked)
    local chat = require('acp.chat.registry').current()
    local name = invoked.word or (chat and chat.agent)
    agent().start(name, { new = true, talk = invoked.bang, mods = invoked.mods })
  end,
  prompt = function(invoked)
    if invoked.trimmed == '' then
      return session().compose(invoked.range, invoked.mods)
    end
    session().prompt(invoked.text, { bang = invoked.bang, range = invoked.range })
  end,
  add = function(invoked)
    local words = given(invoked.trimmed)
    session().add(not words and invoked.range and { range = invoked.range } or words)
  end,
  chat = function(invoked)
    require('acp.chat.window').chat(invoked.word or 'toggle', invoked.mods)
  end,
  permit = function(invoked)
    session().permit({ number = invoked.number or 0 })
  end,
  config = function(invoked)
    local option, value = invoked.text:match('^%s*(%S*)%s*(.-)%s*$')
    session().tell('config', { option = given(option), value = given(value) })
  end,
  model = function(invoked)
    session().tell('config', { category = 'model', value = given(invoked.text) })
  end,
  follow = function(invoked)
    require('acp.follow.follower').turn(invoked.word or 'toggle')
  end,
  review = function(invoked)
    local is_off = invoked.trimmed == 'off'
    review().part(is_off and '' or invoked.text, function(part)
      require('acp.review.decide').review(part, is_off)
    end)
  end,
  diff = function(invoked)
    review().part(invoked.text, require('acp.review.overview').open)
  end,
  undo = function(invoked)
    review().part(invoked.text, function(part)
      require('acp.review.decide').rewind('undo', part)
    end)
  end,
}

---@param sub acp.SubCommand with `tell`
---@return fun(invoked: acp.Invocation)
local function telling(sub)
  return function(invoked)
    local is_verbatim = sub.args and vim.startswith(sub.args, '{')
    local value = is_verbatim and invoked.text or given(invoked.text)
    session().tell(sub.name, sub.tell ~= true and { [sub.tell] = value } or nil)
  end
end

---@type acp.SubCommand[]
M.list = require('acp.command.data').read('commands')
for _, sub in ipairs(M.list) do
  local row = M.calls[sub.name]
  sub.run = sub.tell and telling(sub) or row and calling(row) or deeds[sub.name]
end

---@return acp.SubCommand?
function M.find(name)
  return vim.iter(M.list):find(function(sub)
    return sub.name == name
  end)
end

return M
