-- The table of sub-commands: names, arguments, completion, and what each does. The help file and the
-- completion are tested against it; acp.command.invoke runs what is in it.

local M = {}

---@class acp.Invocation
---@field text string what stands after the sub-command, verbatim
---@field word? string its first word
---@field bang boolean
---@field range? { [1]: integer, [2]: integer } lines of the current buffer, 1-based, inclusive
---@field mods? vim.api.keyset.cmd_mods where windows open: `:vertical`, `:tab`, …

---@alias acp.Completion
---| 'agent' | 'open_agent' | 'chat_agent' | 'turn' | 'part' | 'review' | 'keep' | 'reject'
---| 'mention' | 'mode' | 'model' | 'option' | 'command' | 'login' | 'worktree' | 'race' | 'compare'

---@class acp.SubCommand
---@field name string
---@field args? string how the help shows its arguments
---@field desc string
---@field bang? boolean
---@field range? boolean
---@field words? string[] the only words that it takes
---@field complete? acp.Completion where its words come from: acp.command.complete
---@field run fun(invoked: acp.Invocation)

local function agent()
  return require('acp.command.agent')
end

local function session()
  return require('acp.command.session')
end

local function arguments()
  return require('acp.command.arguments')
end

---@type acp.SubCommand[]
M.list = {
  {
    name = 'start',
    args = '[agent]',
    desc = 'open a session with an agent, or go to its open session',
    complete = 'agent',
    run = function(invoked)
      agent().start(invoked.word, { mods = invoked.mods })
    end,
  },
  {
    name = 'new',
    args = '[agent]',
    desc = 'open another session; ! continues this conversation in it',
    bang = true,
    complete = 'agent',
    run = function(invoked)
      local chat = require('acp.chat.registry').current()
      local name = invoked.word or (chat and chat.agent)
      agent().start(name, { new = true, talk = invoked.bang, mods = invoked.mods })
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
        return session().compose(invoked.range, invoked.mods)
      end
      session().prompt(invoked.text, { bang = invoked.bang, range = invoked.range })
    end,
  },
  {
    name = 'add',
    args = '[what]',
    desc = 'attach this file, lines, a path or a mention to the next prompt',
    range = true,
    complete = 'mention',
    run = function(invoked)
      local what = vim.trim(invoked.text)
      local words = what ~= '' and what or nil
      session().add(not words and invoked.range and { range = invoked.range } or words)
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
    words = { 'open', 'close', 'toggle' },
    run = function(invoked)
      require('acp.chat.window').chat(invoked.word or 'toggle', invoked.mods)
    end,
  },
  {
    name = 'permit',
    args = '[number]',
    desc = 'go to the oldest question of the agent, or answer it',
    run = function(invoked)
      arguments().permit(invoked.word)
    end,
  },
  {
    name = 'sessions',
    args = '[close|delete|archive|unarchive]',
    desc = 'list the sessions of now and of earlier days; or close, delete or archive one',
    words = { 'close', 'delete', 'archive', 'unarchive' },
    run = function(invoked)
      agent().sessions(invoked.word)
    end,
  },
  {
    name = 'worktree',
    args = '[agent]',
    desc = 'open a session in a git worktree of its own; or merge or remove such a worktree',
    complete = 'worktree',
    run = function(invoked)
      require('acp.command.worktrees').run(invoked.text)
    end,
  },
  {
    name = 'race',
    args = '{agent} {agent}… {prompt}',
    desc = 'send a prompt to several agents, each in a worktree of its own',
    complete = 'race',
    run = function(invoked)
      require('acp.command.worktrees').race(invoked.text)
    end,
  },
  {
    name = 'compare',
    args = '[name…]',
    desc = 'compare what came of worktrees, and take single hunks',
    complete = 'compare',
    run = function(invoked)
      local names = vim.split(invoked.text, '%s+', { trimempty = true })
      require('acp.command.worktrees').compare(names)
    end,
  },
  {
    name = 'forget',
    args = '[session|all]',
    desc = 'remove what is kept of the session, or all that is kept',
    words = { 'session', 'all' },
    run = function(invoked)
      session().forget(invoked.word or 'session')
    end,
  },
  {
    name = 'rename',
    args = '{title}',
    desc = 'give the session another title',
    run = function(invoked)
      session().tell('rename', { title = invoked.text })
    end,
  },
  {
    name = 'export',
    args = '[file]',
    desc = 'write what was said as markdown, or show it',
    run = function(invoked)
      require('acp.command.talk').export(vim.trim(invoked.text))
    end,
  },
  {
    name = 'outline',
    desc = 'list the prompts, tool calls, code and failures of the chat',
    run = function()
      require('acp.command.talk').outline()
    end,
  },
  {
    name = 'steer',
    args = '{text}',
    desc = 'steer the running turn; an agent that cannot be steered gets it as the next prompt',
    run = function(invoked)
      session().tell('steer', { text = invoked.text })
    end,
  },
  {
    name = 'rewind',
    args = '[turn]',
    desc = 'go back to before a prompt, files and conversation; its text is in the prompt again',
    complete = 'turn',
    run = function(invoked)
      require('acp.command.talk').rewind(invoked.word)
    end,
  },
  {
    name = 'mode',
    args = '[id]',
    desc = 'switch the session mode',
    complete = 'mode',
    run = function(invoked)
      session().tell('mode', { mode = invoked.word })
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
    name = 'model',
    args = '[value]',
    desc = 'set the model of the session',
    complete = 'model',
    run = function(invoked)
      local value = vim.trim(invoked.text)
      session().tell('config', { category = 'model', value = value ~= '' and value or nil })
    end,
  },
  {
    name = 'next',
    desc = 'go to the next session',
    run = function()
      session().step(1)
    end,
  },
  {
    name = 'previous',
    desc = 'go to the previous session',
    run = function()
      session().step(-1)
    end,
  },
  {
    name = 'queue',
    desc = 'list the prompts that wait: take one back, drop it, change the order',
    run = function()
      session().queue()
    end,
  },
  {
    name = 'resend',
    desc = 'bring the prompt that was sent last back into the prompt',
    run = function()
      session().resend()
    end,
  },
  {
    name = 'agents',
    desc = 'list the agents that are here and those that can be installed; ! fetches the list anew',
    bang = true,
    run = function(invoked)
      require('acp.command.agents').open(invoked.bang, invoked.mods)
    end,
  },
  {
    name = 'terminals',
    desc = 'pick among the terminals of the agents',
    run = function()
      require('acp.chat.terminal').pick()
    end,
  },
  {
    name = 'tools',
    args = '[on|off]',
    desc = 'which tools of the editor the agent may call; turn them on or off',
    words = { 'on', 'off' },
    run = function(invoked)
      session().tell('tools', { to = invoked.word or '' })
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
    desc = 'follow the agent in a window, or stop following',
    words = { 'on', 'off', 'toggle' },
    run = function(invoked)
      require('acp.follow.follower').turn(invoked.word or 'toggle')
    end,
  },
}

---@type acp.SubCommand[]
local rest = {
  {
    name = 'stop',
    args = '[agent]',
    desc = 'close the sessions of an agent and end it; ! kills it',
    bang = true,
    complete = 'open_agent',
    run = function(invoked)
      agent().stop(invoked.word, invoked.bang)
    end,
  },
  {
    name = 'restart',
    args = '[agent]',
    desc = 'end an agent and start it anew',
    complete = 'chat_agent',
    run = function(invoked)
      agent().restart(invoked.word)
    end,
  },
  {
    name = 'log',
    args = '[agent]',
    desc = 'show what went over the wire',
    complete = 'chat_agent',
    run = function(invoked)
      agent().log(invoked.word)
    end,
  },
  {
    name = 'inspect',
    desc = 'show all that the plugin knows',
    run = function()
      require('acp.command.report').inspect()
    end,
  },
  {
    name = 'tutor',
    desc = 'learn the plugin in seven short lessons, on a copy of the file on screen',
    run = function(invoked)
      require('acp.command.tutor').open(invoked.mods)
    end,
  },
  {
    name = 'install',
    desc = "create or update the plugin's own Python environment",
    run = function()
      require('acp.host.install').run()
    end,
  },
}

vim.list_extend(M.list, require('acp.command.reviewing'))
vim.list_extend(M.list, rest)

---@param name string
---@return acp.SubCommand?
function M.find(name)
  return vim.iter(M.list):find(function(sub)
    return sub.name == name
  end)
end

return M
