-- The sub-commands: what `python/acp_nvim/commands.json` says of each (arguments, completion, help), and
-- what it does. A row with `tell` has the host told, by the verb of its name: `tell` is the field for its
-- argument.

local M = {}

---@class acp.Invocation
---@field text string what stands after the sub-command, verbatim
---@field word? string its first word
---@field bang boolean
---@field range? { [1]: integer, [2]: integer } lines of the current buffer, 1-based, inclusive
---@field mods? vim.api.keyset.cmd_mods where windows open: `:vertical`, `:tab`, …

---@class acp.SubCommand
---@field name string
---@field args? string how the help shows its arguments; in braces, they must be there
---@field desc string
---@field bang? boolean
---@field range? boolean
---@field words? string[] the only words that it takes
---@field number? string what the number is that it takes
---@field named? string what else it takes: the name of a sub-agent
---@field complete? string where its words come from: acp.command.complete
---@field tell? string|true
---@field run fun(invoked: acp.Invocation)

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

---@param run fun(chat: acp.Chat, invoked: acp.Invocation)
---@return fun(invoked: acp.Invocation) does it with the chat that is meant, if there is one
local function with_chat(run)
  return function(invoked)
    local chat = agent().chat()
    if chat then
      run(chat, invoked)
    end
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
    if not given(invoked.text) then
      return session().compose(invoked.range, invoked.mods)
    end
    session().prompt(invoked.text, { bang = invoked.bang, range = invoked.range })
  end,
  add = function(invoked)
    local words = given(invoked.text)
    session().add(not words and invoked.range and { range = invoked.range } or words)
  end,
  chat = function(invoked)
    require('acp.chat.window').chat(invoked.word or 'toggle', invoked.mods)
  end,
  permit = function(invoked)
    session().permit({ number = tonumber(invoked.word or 0) })
  end,
  sessions = function(invoked)
    agent().sessions(invoked.word)
  end,
  worktree = function(invoked)
    require('acp.command.worktrees').run(invoked.text)
  end,
  race = function(invoked)
    require('acp.command.worktrees').race(invoked.text)
  end,
  compare = function(invoked)
    local names = vim.split(invoked.text, '%s+', { trimempty = true })
    require('acp.command.worktrees').compare(names)
  end,
  forget = function(invoked)
    session().forget(invoked.word or 'session')
  end,
  export = with_chat(function(chat, invoked)
    session().export(chat, vim.trim(invoked.text))
  end),
  outline = with_chat(function(chat)
    session().outline(chat)
  end),
  rewind = with_chat(function(chat, invoked)
    session().rewind(chat, tonumber(invoked.word))
  end),
  config = function(invoked)
    local option, value = invoked.text:match('^%s*(%S*)%s*(.-)%s*$')
    session().tell('config', { option = given(option), value = given(value) })
  end,
  model = function(invoked)
    session().tell('config', { category = 'model', value = given(invoked.text) })
  end,
  next = function()
    session().step(1)
  end,
  previous = function()
    session().step(-1)
  end,
  queue = with_chat(function(chat)
    require('acp.prompt.queue').open(chat)
  end),
  resend = with_chat(function(chat)
    require('acp.prompt.history').resend(chat, function()
      require('acp.chat.window').show(chat.chat)
    end)
  end),
  agents = function(invoked)
    require('acp.command.agents').open(invoked.bang, invoked.mods)
  end,
  terminals = function()
    require('acp.chat.terminal').pick()
  end,
  follow = function(invoked)
    require('acp.follow.follower').turn(invoked.word or 'toggle')
  end,
  review = function(invoked)
    local is_off = vim.trim(invoked.text) == 'off'
    review().part(is_off and '' or invoked.text, function(part)
      require('acp.review.decide').review(part, is_off)
    end)
  end,
  diff = function(invoked)
    review().part(invoked.text, require('acp.review.overview').open)
  end,
  keep = function(invoked)
    review().decide('keep', invoked.word, invoked.range)
  end,
  reject = function(invoked)
    review().reject(invoked.text, invoked.range)
  end,
  comment = function(invoked)
    review().comment(vim.trim(invoked.text), invoked.range, invoked.bang)
  end,
  comments = function()
    require('acp.review.comments').list()
  end,
  edit = function(invoked)
    review().edit(vim.trim(invoked.text), invoked.range)
  end,
  undo = function(invoked)
    review().part(invoked.text, function(part)
      require('acp.review.decide').rewind('undo', part)
    end)
  end,
  redo = function()
    require('acp.review.decide').rewind('redo')
  end,
  why = function()
    require('acp.review.why').show()
  end,
  stop = function(invoked)
    agent().stop(invoked.word, invoked.bang)
  end,
  restart = function(invoked)
    agent().restart(invoked.word)
  end,
  log = function(invoked)
    agent().log(invoked.word)
  end,
  inspect = function()
    require('acp.command.report').inspect()
  end,
  tutor = function(invoked)
    require('acp.command.tutor').open(invoked.mods)
  end,
  install = function()
    require('acp.host.install').run()
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
  sub.run = sub.tell and telling(sub) or deeds[sub.name]
end

---@param name string
---@return acp.SubCommand?
function M.find(name)
  return vim.iter(M.list):find(function(sub)
    return sub.name == name
  end)
end

return M
