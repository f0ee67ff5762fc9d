-- What commands, mappings and the Lua API do with sessions: gathers what only the editor knows, opens
-- the windows at once, and tells the host. One function for each deed, so that all doors agree.

local bridge = require('acp.bridge')
local chats = require('acp.chats')
local layout = require('acp.layout')
local notice = require('acp.notice')
local options = require('acp.options')
local prompt = require('acp.prompt')
local window = require('acp.window')

local api = vim.api

local M = {}

M.TUTOR = 'tutor'

---@return string path of the file that the user works on, '' if there is none
local function current_file()
  local buffer = api.nvim_get_current_buf()
  if vim.bo[buffer].buftype ~= '' then
    local other = layout.file_window()
    if not other then
      return ''
    end
    buffer = api.nvim_win_get_buf(other)
  end
  local name = api.nvim_buf_get_name(buffer)
  return name == '' and '' or vim.fn.fnamemodify(name, ':p')
end

--- Say what the host could not do; that there is no host, the bridge has said already.
---@param err string
local function warn(err)
  if bridge.running() then
    notice.warn(err)
  end
end

--- The host could not be asked to start: say so in the chat, which the host will never draw.
---@param chat integer
---@param err string
local function show_failure(chat, err)
  if not api.nvim_buf_is_loaded(chat) or bridge.running() then
    return
  end
  require('acp.apply').draw(
    chat,
    { { 0, -1, { err }, { { 0, 0, { line_hl_group = 'AcpWarning' } } } } }
  )
  vim.b[chat].acp_status = { agent = (vim.b[chat].acp_status or {}).agent, state = 'closed' }
end

---@param buffer integer
---@param range { [1]: integer, [2]: integer } 1-based, inclusive
---@return acp.Selection
local function select(buffer, range)
  return api.nvim_buf_call(buffer, function()
    return prompt.select(range[1], range[2])
  end)
end

---@class acp.StartOptions
---@field new? boolean open one more session
---@field on_done? acp.Done result: { agent, session }

--- Tell the caller of the Lua API the outcome.
---@param opts { on_done?: acp.Done }
---@param err? string
---@param result? any
local function finish(opts, err, result)
  if opts.on_done then
    opts.on_done(err, result)
  end
end

---@param agent string
---@param opts acp.StartOptions
local function open(agent, opts)
  local file, cwd = current_file(), vim.fn.getcwd()
  local opened = window.open_session(agent)
  local payload =
    { agent = agent, chat = opened.chat, prompt = opened.prompt, file = file, cwd = cwd }
  bridge.call('start', payload, function(err, result)
    if err then
      show_failure(opened.chat, err)
      warn(err)
    end
    finish(opts, err, result)
  end)
end

---@param row { name: string, title: string, found: boolean, install: string, command: string }
---@return string
local function label(row)
  if row.found then
    return row.title == row.name and row.name or ('%s — %s'):format(row.name, row.title)
  end
  local how = row.install ~= '' and row.install or ('no %s on PATH'):format(row.command)
  return ('%s — not installed: %s'):format(row.name, how)
end

---@param row { name: string, install: string, command: string }
---@return string
local function advice(row)
  local how = row.install ~= '' and 'Install it with: ' .. row.install
    or ('There is no %s on PATH'):format(row.command)
  return ('%s is not installed. %s'):format(row.name, how)
end

--- Let the user pick, who may have begun to type meanwhile: then the next key would choose.
---@param rows table[]
---@param opts acp.StartOptions
local function pick(rows, opts)
  local function give_up(reason)
    notice.notice(reason)
    finish(opts, reason)
  end
  if api.nvim_get_mode().mode ~= 'n' then
    return give_up('the agents are known now: :AcpStart again shows them')
  end
  local how = { prompt = 'Start an agent', kind = 'acp.agent', format_item = label }
  vim.ui.select(rows, how, function(row)
    if not row then
      finish(opts, 'no agent was chosen')
    elseif row.found then
      M.start(row.name, opts)
    else
      give_up(advice(row))
    end
  end)
end

---@return string?
local function default_agent()
  local agent = options.value('default_agent')
  return type(agent) == 'string' and agent ~= '' and agent or nil
end

--- Open a session, or go to the open one of that agent.
---@param agent? string nil: `default_agent`, else the user picks
---@param opts? acp.StartOptions
function M.start(agent, opts)
  opts = opts or {}
  agent = agent or default_agent()
  if not agent then
    return bridge.call('agents', nil, function(err, rows)
      if err then
        warn(err)
        finish(opts, err)
      else
        pick(rows, opts)
      end
    end)
  end
  local chat = not opts.new and window.find(agent)
  if not chat then
    return open(agent, opts)
  end
  window.show(chat)
  finish(opts, nil, { agent = agent, session = (vim.b[chat].acp_status or {}).session })
end

local NO_SESSION = 'there is no session: :AcpStart opens one'

--- The chat whose agent is meant, which may have ended: the one here, else the one used last.
---@return integer?
local function target()
  local chat = window.current()
  if not chat then
    notice.warn(NO_SESSION)
  end
  return chat
end

--- The chat to prompt: the one here, else the open one used last, else a new one.
---@return acp.Chat?
---@return string? err why there is none; the user was told
local function open_chat()
  local chat = chats.of(api.nvim_get_current_buf()) or vim.iter(chats.all()):find(chats.is_open)
  if not chat and default_agent() then
    open(default_agent() --[[@as string]], {})
    chat = chats.current()
  end
  chat = chat or chats.current()
  local err = not chat and NO_SESSION
    or not chats.is_open(chat)
      and ('this session is closed: :AcpStart %s begins a new one'):format(chat.agent)
  if err then
    notice.warn(err)
    return nil, err
  end
  chats.touch(chat.chat)
  return chat
end

---@class acp.PromptOptions
---@field bang? boolean cancel the running turn and send now
---@field range? { [1]: integer, [2]: integer } lines of the current buffer that go along
---@field on_done? acp.Done called when the host has taken the prompt

--- Send a prompt to the current session.
---@param content string|table[] text, or content blocks of ACP
---@param opts? acp.PromptOptions
function M.prompt(content, opts)
  opts = opts or {}
  local origin = api.nvim_get_current_buf()
  local chat, problem = open_chat()
  if not chat then
    return finish(opts, problem)
  end
  local is_text = type(content) == 'string'
  local payload = {
    chat = chat.chat,
    text = is_text and content or '',
    blocks = is_text and {} or content,
    selections = { opts.range and select(origin, opts.range) },
    bang = opts.bang or false,
  }
  bridge.call('prompt', payload, function(err, result)
    if err then
      warn(err)
    end
    finish(opts, err, result)
  end)
end

--- Go to the prompt; lines of the current buffer go along with what will be written there.
---@param range? { [1]: integer, [2]: integer } 1-based, inclusive
function M.compose(range)
  local origin = api.nvim_get_current_buf()
  local chat = open_chat()
  if not chat then
    return
  end
  if range then
    prompt.attach(chat.chat, select(origin, range))
  end
  window.focus_prompt(chat.chat)
end

--- Tell the host something about the current session.
---@param verb string
---@param payload? table
function M.tell(verb, payload)
  local chat = target()
  if chat then
    bridge.notify(verb, vim.tbl_extend('force', { chat = chat }, payload or {}))
  end
end

--- Answer the oldest question by the kind of its option; without such an option its menu is focused.
---@param kind 'allow_once'|'reject_once'
function M.permit(kind)
  if bridge.running() then
    bridge.notify('permit', { kind = kind })
  else
    notice.notice('no agent is asking for anything')
  end
end

--- The agent that is meant: the one named, else that of the current session.
---@param agent? string
---@return table? payload
local function agent_payload(agent)
  if agent then
    return { agent = agent }
  end
  local chat = target()
  return chat and { chat = chat }
end

--- End an agent.
---@param agent? string
---@param bang? boolean kill it
function M.stop(agent, bang)
  local payload = agent_payload(agent)
  if payload then
    bridge.notify('stop', vim.tbl_extend('force', payload, { bang = bang or false }))
  end
end

--- Start an agent anew, with its sessions where it can.
---@param agent? string
function M.restart(agent)
  local payload = agent_payload(agent)
  if payload then
    bridge.notify('restart', payload)
  end
end

--- Show the log of a connection in a window of its own.
---@param agent? string
function M.log(agent)
  local payload = agent_payload(agent)
  if not payload then
    return
  end
  bridge.call('log', payload, function(err, path)
    if err then
      return warn(err)
    end
    require('acp.report').log(path)
  end)
end

return M
