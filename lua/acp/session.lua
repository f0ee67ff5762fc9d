-- What commands, mappings and the Lua API do with sessions: gathers what only the editor knows, opens
-- the windows at once, and tells the host. One function for each deed, so that all doors agree.

local bridge = require('acp.bridge')
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

---@class acp.StartOptions
---@field new? boolean open one more session
---@field on_done? acp.Done result: { agent, session }

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
    if opts.on_done then
      opts.on_done(err, result)
    end
  end)
end

---@param row { name: string, title: string, found: boolean, install: string }
---@return string
local function label(row)
  if row.found then
    return row.title == row.name and row.name or ('%s — %s'):format(row.name, row.title)
  end
  local how = row.install ~= '' and row.install or 'its program is missing'
  return ('%s — not installed: %s'):format(row.name, how)
end

---@param rows table[]
---@param opts acp.StartOptions
local function pick(rows, opts)
  if api.nvim_get_mode().mode ~= 'n' then
    return notice.notice('the agents are known now: :AcpStart again shows them')
  end
  vim.ui.select(
    rows,
    { prompt = 'Start an agent', kind = 'acp.agent', format_item = label },
    function(row)
      if not row then
        return
      end
      if row.found then
        open(row.name, opts)
      else
        notice.notice(('%s is not installed. Install it with: %s'):format(row.name, row.install))
      end
    end
  )
end

--- Open a session, or go to the open one of that agent.
---@param agent? string nil: `default_agent`, else the user picks
---@param opts? acp.StartOptions
function M.start(agent, opts)
  opts = opts or {}
  agent = agent or options.value('default_agent')
  if not agent then
    return bridge.call('agents', nil, function(err, rows)
      if err then
        warn(err)
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
  if opts.on_done then
    opts.on_done(nil, { agent = agent, session = (vim.b[chat].acp_status or {}).session })
  end
end

--- The chat to act on; without one the default agent is started, if `starts`.
---@param starts? boolean
---@return integer?
local function target(starts)
  local chat = window.current()
  if not chat and starts and options.value('default_agent') then
    open(options.value('default_agent'), {})
    chat = window.current()
  end
  if not chat then
    notice.warn('there is no session: :AcpStart opens one')
  end
  return chat
end

---@class acp.PromptOptions
---@field bang? boolean cancel the running turn and send now
---@field selections? acp.Selection[]
---@field on_done? acp.Done called when the host has taken the prompt

--- Send a prompt to the current session.
---@param content string|table[] text, or content blocks of ACP
---@param opts? acp.PromptOptions
function M.prompt(content, opts)
  opts = opts or {}
  local chat = target(true)
  if not chat then
    return opts.on_done and opts.on_done('there is no session', nil)
  end
  local is_text = type(content) == 'string'
  local payload = {
    chat = chat,
    text = is_text and content or '',
    blocks = is_text and {} or content,
    selections = opts.selections or {},
    bang = opts.bang or false,
  }
  bridge.call('prompt', payload, function(err, result)
    if err then
      warn(err)
    end
    if opts.on_done then
      opts.on_done(err, result)
    end
  end)
end

--- Go to the prompt; lines of the current buffer go along with what will be written there.
---@param range? { [1]: integer, [2]: integer } 1-based, inclusive
function M.compose(range)
  local selection = range and prompt.select(range[1], range[2])
  local chat = target(true)
  if not chat then
    return
  end
  if selection then
    prompt.attach(chat, selection)
  end
  window.focus_prompt(chat)
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
