-- The table of sub-commands: names, arguments, completion, and what each does. The help file and the
-- completion are tested against it.

local notice = require('acp.notice')

local M = {}

---@class acp.Invocation
---@field text string what stands after the sub-command, verbatim
---@field bang boolean
---@field range? { [1]: integer, [2]: integer } lines of the current buffer, 1-based, inclusive

---@class acp.SubCommand
---@field name string
---@field args? string how the help shows its arguments
---@field desc string
---@field bang? boolean
---@field range? boolean
---@field complete? 'agent'|'mode'|'option'|'command'|'login'|string[]
---@field run fun(invoked: acp.Invocation)

local function agent()
  return require('acp.agent')
end

local function session()
  return require('acp.session')
end

---@param text string
---@return string? the first word, nil if there is none
local function word(text)
  return text:match('^%s*(%S+)')
end

---@type acp.SubCommand[]
M.list = {
  {
    name = 'start',
    args = '[agent]',
    desc = 'open a session with an agent, or go to its open session',
    complete = 'agent',
    run = function(invoked)
      agent().start(word(invoked.text))
    end,
  },
  {
    name = 'new',
    args = '[agent]',
    desc = 'open one more session',
    complete = 'agent',
    run = function(invoked)
      local chat = require('acp.chats').current()
      agent().start(word(invoked.text) or (chat and chat.agent), { new = true })
    end,
  },
  {
    name = 'prompt',
    args = '[text]',
    desc = 'send a prompt, or go to the prompt buffer',
    bang = true,
    range = true,
    complete = 'command',
    run = function(invoked)
      if vim.trim(invoked.text) == '' then
        return session().compose(invoked.range)
      end
      session().prompt(invoked.text, { bang = invoked.bang, range = invoked.range })
    end,
  },
  {
    name = 'cancel',
    desc = 'cancel the running turn',
    run = function()
      session().tell('cancel')
    end,
  },
  {
    name = 'chat',
    args = '[open|close|toggle]',
    desc = 'open or close the chat window',
    complete = { 'open', 'close', 'toggle' },
    run = function(invoked)
      M.chat(word(invoked.text) or 'toggle')
    end,
  },
  {
    name = 'permit',
    args = '[number]',
    desc = 'go to the oldest question of the agent, or answer it',
    run = function(invoked)
      M.permit(word(invoked.text))
    end,
  },
  {
    name = 'sessions',
    args = '[close|delete]',
    desc = 'pick a session, of now or of earlier days; or close or delete one',
    complete = { 'close', 'delete' },
    run = function(invoked)
      M.sessions(word(invoked.text))
    end,
  },
  {
    name = 'mode',
    args = '[id]',
    desc = 'switch the session mode',
    complete = 'mode',
    run = function(invoked)
      session().tell('mode', { mode = word(invoked.text) })
    end,
  },
  {
    name = 'config',
    args = '[id] [value]',
    desc = 'set an option of the session: the model, the thought level, …',
    complete = 'option',
    run = function(invoked)
      local option, value = invoked.text:match('^%s*(%S*)%s*(.-)%s*$')
      session().tell('config', {
        option = option ~= '' and option or nil,
        value = value ~= '' and value or nil,
      })
    end,
  },
  {
    name = 'terminals',
    desc = 'pick among the terminals of the agents',
    run = function()
      require('acp.terminal').pick()
    end,
  },
  {
    name = 'login',
    args = '[method]',
    desc = 'log in to the agent of the session',
    complete = 'login',
    run = function(invoked)
      local method = vim.trim(invoked.text)
      session().tell('login', { method = method ~= '' and method or nil })
    end,
  },
  {
    name = 'logout',
    desc = 'log out of the agent of the session',
    run = function()
      session().tell('logout')
    end,
  },
  {
    name = 'follow',
    args = '[on|off|toggle]',
    desc = 'let a window go along with the agent, or no longer',
    complete = { 'on', 'off', 'toggle' },
    run = function(invoked)
      require('acp.follow').turn(word(invoked.text) or 'toggle')
    end,
  },
  {
    name = 'stop',
    args = '[agent]',
    desc = 'close the sessions of an agent and end it; ! kills it',
    bang = true,
    complete = 'agent',
    run = function(invoked)
      agent().stop(word(invoked.text), invoked.bang)
    end,
  },
  {
    name = 'restart',
    args = '[agent]',
    desc = 'end an agent and start it anew',
    complete = 'agent',
    run = function(invoked)
      agent().restart(word(invoked.text))
    end,
  },
  {
    name = 'log',
    args = '[agent]',
    desc = 'show what went over the wire',
    complete = 'agent',
    run = function(invoked)
      agent().log(word(invoked.text))
    end,
  },
  {
    name = 'inspect',
    desc = 'show all that the plugin knows',
    run = function()
      require('acp.report').inspect()
    end,
  },
  {
    name = 'tutor',
    desc = 'start the built-in tutorial agent',
    run = function()
      agent().start(agent().TUTOR)
    end,
  },
  {
    name = 'install',
    desc = "create or update the plugin's own Python environment",
    run = function()
      require('acp.install').run()
    end,
  },
}

---@param name string
---@return acp.SubCommand?
function M.find(name)
  return vim.iter(M.list):find(function(sub)
    return sub.name == name
  end)
end

--- Open or close the chat.
---@param what string
function M.chat(what)
  if not vim.list_contains(M.find('chat').complete, what) then
    return notice.warn((':Acp chat takes open, close or toggle, not %s'):format(what))
  end
  require('acp.window').chat(what)
end

--- Let the user pick a session.
---@param action? string
function M.sessions(action)
  if action and not vim.list_contains(M.find('sessions').complete, action) then
    return notice.warn((':Acp sessions takes close or delete, not %s'):format(action))
  end
  agent().sessions(action)
end

--- Focus the oldest question, or answer it by the number of an option.
---@param text? string
function M.permit(text)
  if text and not text:match('^[1-9]%d*$') then
    return notice.warn(('%s is no number: :Acp permit 2 takes the second option'):format(text))
  end
  session().permit({ number = tonumber(text or 0) })
end

--- Run `:Acp`, or a shorthand of it.
---@param name string? the sub-command of a shorthand
---@param invoked vim.api.keyset.create_user_command.command_args
function M.run(name, invoked)
  local text, bang = invoked.args, invoked.bang
  if not name then
    local head, rest = text:match('^%s*(%S+)%s?(.*)$')
    if not head then
      return notice.notice('which sub-command? :Acp <Tab> lists them, :help acp explains them')
    end
    bang = bang or vim.endswith(head, '!')
    name, text = head:gsub('!$', ''), rest
  end
  local sub = M.find(name)
  if not sub then
    local names = vim.tbl_map(function(it)
      return it.name
    end, M.list)
    local near = require('acp.nearest').of(name, names)
    return notice.warn(('no sub-command %s: did you mean :Acp %s?'):format(name, near))
  end
  if invoked.range > 0 and not sub.range then
    return notice.warn((':Acp %s takes no range'):format(name))
  end
  if bang and not sub.bang then
    return notice.warn((':Acp %s takes no !'):format(name))
  end
  if not sub.args and vim.trim(text) ~= '' then
    return notice.warn((':Acp %s takes no argument'):format(name))
  end
  local range = invoked.range > 0 and { invoked.line1, invoked.line2 } or nil
  sub.run({ text = text, bang = bang, range = range })
end

return M
