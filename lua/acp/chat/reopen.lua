-- Chats that are only a name yet: `:edit acp://AGENT/SESSION`, and what :mksession has kept of one.

local bridge = require('acp.host.bridge')
local chat_buffer = require('acp.chat.buffer')
local chats = require('acp.chat.registry')
local notice = require('acp.ui.notice')
local options = require('acp.host.options')
local project = require('acp.chat.project')
local prompt = require('acp.prompt.buffer')

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
---@param buffer integer
---@param name string
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

--- Who waits for what is being brought back; nil: nothing is.
---@type (fun())[]?
local waiting

--- Have something called when what was open is there again; false: nothing is being brought back.
---@param listener fun()
---@return boolean
function M.on_restored(listener)
  if waiting then
    table.insert(waiting, listener)
  end
  return waiting ~= nil
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
  waiting = {}
  bridge.call('left_open', payload, function(err, left)
    local listeners = waiting or {}
    waiting = nil
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
    for _, listener in ipairs(listeners) do
      listener()
    end
  end)
end

return M
