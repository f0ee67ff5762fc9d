-- Chats that are only a name yet: `:edit acp://AGENT/SESSION`, what was open at the end, and what a file of
-- :mksession brings back: names, in windows. Chats and prompts are opened there again, all others of our
-- buffers go, with their windows.

local bridge = require('acp.host.bridge')
local chat_buffer = require('acp.chat.buffer')
local chats = require('acp.chat.registry')
local dress = require('acp.ui.dress')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')
local options = require('acp.host.options')
local project = require('acp.chat.project')
local prompt = require('acp.prompt.buffer')
local size = require('acp.ui.size')
local tail = require('acp.ui.tail')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

--- Show in the chat why there will be nothing more.
---@param line string
local function say(buffer, line)
  require('acp.ui.apply').draw(buffer, { { 0, -1, { line }, {} } })
end

--- Make a chat of a buffer, and let the host open its session.
local function reopen(buffer, name)
  local agent, session = name:match('^acp://([^/ ]+)/([^/ ]+)') -- a repeated one ends in ` (2)`
  if not agent then
    return say(buffer, 'This name is not a session: :Acp sessions lists those that exist')
  end
  agent, session = vim.uri_decode(agent), vim.uri_decode(session)
  local chat = { chat = buffer, agent = agent, cwd = vim.fn.getcwd(), root = vim.fn.getcwd() }
  chats.add(chat)
  prompt.create(chat)
  chat_buffer.begin(chat)
  local payload =
    { chat = buffer, prompt = chat.prompt, agent = agent, session = session, cwd = chat.cwd }
  bridge.call('reopen', payload, function(err)
    if not err then
      return
    end
    bridge.warn(err)
    if not bridge.running() and api.nvim_buf_is_loaded(buffer) then
      say(buffer, err)
    end
  end)
end

--- `:edit` of an acp:// name: a chat that is alive is drawn again, one of another time is opened, and
--- so is what a tool call has printed.
function M.read(buffer, name)
  if require('acp.chat.output').read(name) then
    return
  end
  chat_buffer.set_options(buffer)
  if chats.of(buffer) then
    bridge.notify('repaint', { chat = buffer })
  else
    reopen(buffer, name)
  end
end

-- Whether something is being brought back, and what is done then.
local is_restoring = false
local waiting ---@type fun()?

--- Have something called when what was open is there again; false: nothing is being brought back.
---@param listener fun()
---@return boolean
function M.on_restored(listener)
  waiting = listener
  return is_restoring
end

---@return boolean whether a Neovim has left anything open, in whatever project
local function is_left()
  local folder = vim.fs.joinpath(vim.fn.stdpath('state') --[[@as string]], 'acp.nvim', 'open')
  return vim.iter(vim.fs.dir(folder)):any(function(name)
    return vim.endswith(name, '.open')
  end)
end

--- Bring back what was open when the last Neovim of this project ended, if that is wanted. It opens
--- no window; without anything that was left there is no host.
function M.restore()
  if options.value('restore') ~= true or not is_left() then
    return
  end
  local payload = { file = project.file(), cwd = vim.fn.getcwd() }
  is_restoring, waiting = true, nil
  bridge.call('left_open', payload, function(err, left)
    is_restoring = false
    if err then
      return bridge.warn(err)
    end
    for _, it in ipairs(left) do
      chats.read(it.agent, it.session)
    end
    if #left > 0 then
      local what = #left == 1 and '1 session is' or ('%d sessions are'):format(#left)
      notice.notice(('%s open again: :Acp chat'):format(what))
    end
    if waiting then
      waiting()
    end
  end)
end

-- Without a scheme Neovim takes them for files of the working directory.
local LISTS = { 'acp-sessions', 'acp-queue', 'acp-agents' }

--- Where 'sessionoptions' has "localoptions", such a buffer looks like one of ours, and is dead.
---@return integer[] buffers of ours that are only names yet
local function names()
  return vim.tbl_filter(function(buffer)
    local name = api.nvim_buf_get_name(buffer)
    local base = vim.fs.basename(name):gsub(' %(%d+%)$', '')
    local is_list = vim.list_contains(LISTS, base) and not vim.uv.fs_stat(name)
    local is_ours = is_list or name:find('^acp://') or name:find('^acp%-%l+://')
    local is_more = vim.b[buffer].acp_own or vim.bo[buffer].modified
    return is_ours and not is_more and not chats.of(buffer)
  end, api.nvim_list_bufs())
end

--- The windows of prompts keep their places, with nothing in them yet.
---@param buffer integer of a prompt, only a name
local function emptied(buffer)
  local windows = vim.fn.win_findbuf(buffer)
  for _, window in ipairs(windows) do
    api.nvim_win_set_buf(window, unseen.buffer(nil, { bufhidden = 'wipe' }))
  end
  return windows
end

--- Make a window what it was to a chat.
---@param prompts integer[] windows of prompts that have none yet; its own is taken out
local function furnish(window, chat, prompts)
  dress.window(window, dress.CHAT)
  layout.hold(window, chat.chat)
  local is_width = api.nvim_win_get_width(window) < vim.o.columns
  vim.wo[window].winfixwidth = is_width
  size.keep(window, is_width)
  tail.enter(window)
  for place, below in ipairs(prompts) do
    if api.nvim_win_get_tabpage(below) == api.nvim_win_get_tabpage(window) then
      table.remove(prompts, place)
      api.nvim_win_set_buf(below, chat.prompt)
      dress.window(below, dress.PROMPT)
      return layout.hold(below, chat.prompt)
    end
  end
end

--- Let all go that is no chat.
---@param buffers integer[]
---@return integer[] chats
---@return integer[] windows of prompts
local function cleared(buffers)
  local found, prompts = {}, {}
  for _, buffer in ipairs(buffers) do
    local name = api.nvim_buf_get_name(buffer)
    if vim.startswith(name, 'acp://') then
      table.insert(found, buffer)
    else
      if vim.startswith(name, 'acp-prompt://') then
        vim.list_extend(prompts, emptied(buffer))
      end
      api.nvim_buf_delete(buffer, { force = true })
    end
  end
  return found, prompts
end

--- Bring back what the names stand for.
function M.load()
  local found, prompts = cleared(names())
  for _, buffer in ipairs(found) do
    M.read(buffer, api.nvim_buf_get_name(buffer))
    local chat = chats.of(buffer)
    for _, window in ipairs(chat and vim.fn.win_findbuf(buffer) or {}) do
      furnish(window, assert(chat), prompts)
    end
  end
  for _, window in ipairs(prompts) do
    pcall(api.nvim_win_close, window, true) -- not the last one
  end
  vim.tbl_map(layout.fit, chats.all())
end

return M
