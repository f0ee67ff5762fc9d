-- What commands, mappings and the Lua API do with agents: start one or go to its session, end it,
-- start it anew, look at its log. Gathers what only the editor knows, opens the windows at once, and
-- tells the host.

local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')
local options = require('acp.host.options')
local project = require('acp.chat.project')
local window = require('acp.chat.window')

local api = vim.api

local M = {}

M.TUTOR = 'tutor'
M.NO_SESSION = 'there is no session: :AcpStart opens one'

--- The agent of the configuration.
---@return string?
function M.default()
  local agent = options.value('default_agent')
  return type(agent) == 'string' and agent ~= '' and agent or nil
end

--- The agent with which a session of this project is opened: that of the configuration, else the one
--- last used there.
---@param done fun(agent: string?, is_late?: boolean) late: the host was asked
function M.usual(done)
  local default, file = M.default(), project.file()
  if default or file == '' then
    return done(default)
  end
  bridge.call('last_agent', { file = file, cwd = vim.fn.getcwd() }, function(_, agent)
    done(agent, true)
  end)
end

--- The file that the user works on; one in a git folder as if it were in the work tree.
---@return string path '' if there is none
function M.file()
  local buffer = api.nvim_get_current_buf()
  if vim.bo[buffer].buftype ~= '' then
    local other = layout.file_window()
    if not other then
      return ''
    end
    buffer = api.nvim_win_get_buf(other)
  end
  local name = api.nvim_buf_get_name(buffer)
  return name == '' and '' or project.place(vim.fn.fnamemodify(name, ':p'))
end

--- Tell the caller of the Lua API the outcome.
---@param opts { on_done?: acp.Done }
function M.finish(opts, err, result)
  if opts.on_done then
    opts.on_done(err, result)
  end
end

--- The host could not be asked to start: say so in the chat, which the host will never draw.
---@param chat integer
local function show_failure(chat, agent, err)
  if bridge.running() or not api.nvim_buf_is_loaded(chat) then
    return
  end
  local mark = { 0, 0, { line_hl_group = 'AcpWarning' } }
  require('acp.ui.apply').draw(chat, { { 0, -1, { err }, { mark } } })
  chats.tell(chat, { agent = agent, state = 'closed' })
  require('acp.prompt.attachment').draw(assert(chats.of(chat)))
end

---@class acp.StartOptions
---@field new? boolean open one more session
---@field talk? boolean with `new`: what was said in the current session goes on in it
---@field hidden? boolean show no windows
---@field mods? vim.api.keyset.cmd_mods where its windows open
---@field on_done? acp.Done result: { agent, session? }; no session while that is being opened

--- The chat whose talk is to go on in a new session.
---@param opts acp.StartOptions
---@return acp.Chat? source
---@return string? problem why there is none
local function source_of(opts)
  local chat = opts.talk and chats.current()
  if not chat then
    return nil, opts.talk and M.NO_SESSION or nil
  end
  local state = chat.status.state
  if state == 'running' or state == 'cancelling' then
    return nil, 'a turn is running: :Acp cancel ends it, then :Acp new! continues it'
  end
  return chat
end

--- Open a session in windows of its own.
---@param opts acp.StartOptions
function M.open(agent, opts)
  local file, cwd = M.file(), vim.fn.getcwd()
  local source, problem = source_of(opts)
  if problem then
    notice.warn(problem)
    return M.finish(opts, problem)
  end
  local root = source and source.root or project.root(file, cwd)
  local opened = window.open_session(agent, opts.mods, opts.hidden, root)
  local payload =
    { agent = agent, chat = opened.chat, prompt = opened.prompt, file = file, cwd = cwd }
  payload.source = source and source.chat
  bridge.call('start', payload, function(err, result)
    if err then
      show_failure(opened.chat, agent, err)
      bridge.warn(err)
    end
    M.finish(opts, err, result)
  end)
end

--- The agent of that name, else that of the configuration, else the one that the user picks.
---@param agent? string
---@param done fun(agent: string?, problem: string?) without an agent: the user was told why
function M.named(agent, done)
  agent = agent or M.default()
  if agent then
    return done(agent)
  end
  bridge.call('pick_agent', nil, function(err, name)
    if err and bridge.running() then
      notice.notice(err)
    end
    done(name, err or 'no agent was chosen')
  end)
end

--- Open a session, or go to the open one of that agent.
---@param agent? string nil: `default_agent`, else the user picks
---@param opts? acp.StartOptions
function M.start(agent, opts)
  opts = opts or {}
  M.named(agent, function(name, problem)
    if not name then
      return M.finish(opts, problem)
    end
    local chat = not opts.new and chats.find(name)
    if not chat then
      return M.open(name, opts)
    end
    window.show(chat.chat, opts.mods)
    M.finish(opts, nil, { agent = name, session = chat.status.session })
  end)
end

--- The chat whose agent is meant, which may have ended: the one here, else the one used last.
---@return acp.Chat? chat nil if there is none; the user was told
function M.chat()
  local chat = chats.current()
  if not chat then
    notice.warn(M.NO_SESSION)
  end
  return chat
end

--- The agent that is meant: the one named, else that of the current session.
---@param agent? string
---@return table? payload
local function target(agent)
  if agent then
    return { agent = agent }
  end
  local chat = M.chat()
  return chat and { chat = chat.chat }
end

--- End an agent.
---@param agent? string
---@param bang? boolean kill it
function M.stop(agent, bang)
  local payload = target(agent)
  if payload then
    bridge.notify('stop', vim.tbl_extend('force', payload, { bang = bang or false }))
  end
end

--- The sessions of an agent are opened again, or that is over: their prompts' bars say so.
---@param reopens true?
local function reopen(agent, reopens)
  for _, chat in ipairs(chats.reopen(agent, reopens)) do
    require('acp.prompt.attachment').draw(chat)
  end
end

--- Start an agent anew, with its sessions where it can.
---@param agent? string
function M.restart(agent)
  local payload = target(agent)
  if not payload then
    return
  end
  agent = agent or assert(chats.of(payload.chat)).agent
  reopen(agent, true)
  bridge.call('restart', payload, function(err)
    reopen(agent, nil)
    if err then
      bridge.warn(err)
    end
  end)
end

--- List the sessions of this project; or let the user pick one, to go on with it or to do that to it.
---@param action? 'close'|'delete'|'archive'|'unarchive'
function M.sessions(action)
  local file, cwd = M.file(), vim.fn.getcwd()
  if not action and options.value('ui', 'sessions') ~= 'pick' then
    return require('acp.chat.sessions').open(file, cwd)
  end
  bridge.notify('sessions', { action = action, file = file, cwd = cwd })
end

--- Show the log of a connection in a window of its own.
---@param agent? string
function M.log(agent)
  local payload = target(agent)
  if not payload then
    return
  end
  bridge.ask('log', payload, function(path)
    require('acp.files.hands').calmly('the log', function()
      require('acp.command.report').log(path)
    end)
  end)
end

return M
