-- The chat buffer: how it is made, and how it goes. What is in it comes from the host.

local apply = require('acp.ui.apply')
local attachment = require('acp.prompt.attachment')
local bar = require('acp.ui.bar')
local bridge = require('acp.host.bridge')
local cells = require('acp.ui.cells')
local chat_keys = require('acp.chat.keys')
local chats = require('acp.chat.registry')
local events = require('acp.ui.events')
local guard = require('acp.ui.guard')
local life = require('acp.ui.life')
local dress = require('acp.ui.dress')
local layout = require('acp.ui.layout')
local question = require('acp.ask.window')
local tail = require('acp.ui.tail')
local unseen = require('acp.ui.unseen')
require('acp.ui.attention') -- whether the user is here is known from now on
require('acp.files.deferred') -- what the user reads and writes is known as soon as there is a chat

local api = vim.api

local M = {}

local function gone(chat, was_running)
  chats.remove(chat.chat)
  if vim.v.exiting ~= vim.NIL then
    return
  end
  vim.schedule(function()
    if was_running then
      local form = 'the turn of %s ended with its chat: :Acp sessions opens what was said'
      require('acp.ui.notice').notice(form:format(chat.agent))
    end
    bridge.tell_running('chat_wiped', { chat = chat.chat })
    question.close_of(chat.chat)
    if api.nvim_buf_is_valid(chat.prompt) then
      unseen.delete(chat.prompt)
    end
  end)
end

--- A chat that is unloaded and stays so (`:bdelete`) is not wanted any more, unless `:q!` has done it:
--- then it is read again.
local function wipe_unloaded(buffer)
  local is_quit = guard.is_quitting(buffer)
  vim.schedule(function()
    if api.nvim_buf_is_valid(buffer) and not api.nvim_buf_is_loaded(buffer) then
      if is_quit then
        unseen.read(api.nvim_buf_get_name(buffer))
      else
        unseen.delete(buffer)
      end
    end
  end)
end

local function watch(chat)
  local listen = events.group('acp.chat.' .. chat.chat)
  local function on(event, run)
    listen(event, 'What becomes of a chat', run, { buffer = chat.chat })
  end
  on('BufWinEnter', function()
    dress.window(0, dress.CHAT)
    tail.enter(api.nvim_get_current_win())
  end)
  on('BufWinLeave', function()
    tail.leave(chat.chat)
  end)
  on('CursorMoved', function()
    tail.settle(api.nvim_get_current_win())
  end)
  on('WinEnter', function()
    vim.wo[0][0].cursorline = vim.go.cursorline
  end)
  on('WinLeave', function()
    vim.wo[0][0].cursorline = false
  end)
  on('BufEnter', function()
    chats.entered(chat)
  end)
  local was_running = false
  on('BufUnload', function()
    local state = chat.status.state
    was_running = state == 'running' or state == 'cancelling'
    wipe_unloaded(chat.chat)
  end)
  on('BufWipeout', function()
    gone(chat, was_running)
  end)
end

--- Set what makes a buffer a chat; `:edit` may have undone it.
function M.set_options(buffer)
  local values = {
    buftype = 'nofile',
    bufhidden = 'hide',
    swapfile = false,
    buflisted = false,
    undolevels = -1,
    modifiable = false,
    filetype = 'acp_chat',
    formatlistpat = dress.CONTAINERS,
  }
  unseen.quietly(unseen.set, buffer, values)
  unseen.fire(buffer, 'FileType', values.filetype)
end

--- Bring its keys to life and show the first line.
function M.begin(chat)
  local form = bridge.is_installing()
      and 'Starting %s as soon as :Acp install has made the Python environment …'
    or 'Starting %s …'
  apply.draw(chat.chat, { { 0, -1, { form:format(chat.agent) }, {} } })
  chat_keys.map(chat)
  watch(chat)
end

-- Chats outlive their host: they stay to be read, `inspect()` lists them, and the next host is told of
-- them, so that it can go on with their sessions.
bridge.on_end(function()
  for _, chat in ipairs(chats.all()) do
    chat.room, chat.stayed = nil, true
    local ending = { agent = chat.agent, state = 'closed', pending = 0 }
    local status = vim.tbl_extend('force', chat.status, ending)
    status.doing = nil
    life.set(chat.chat, status)
    chats.tell(chat.chat, status)
    attachment.lose(chat)
    local ended = 'the host ended: :Acp restart goes on'
    bar.set(chat.chat, { { group = 'AcpError', text = ended, need = 0, right = false } })
  end
  vim.cmd.redrawstatus({ bang = true })
end)

bridge.chats = function()
  return vim.tbl_map(function(chat)
    local status = chat.status
    local it = { id = status.session, agent = chat.agent, title = status.title, cwd = chat.root }
    it.state, it.turn = 'closed', status.turn or 0
    it.bufnr, it.prompt_bufnr = chat.chat, chat.prompt
    for _, name in ipairs({ 'modes', 'config', 'commands', 'plan', 'queue', 'entries' }) do
      it[name] = {}
    end
    return it
  end, chats.all())
end

bridge.on_start(function()
  local stayed = {}
  for _, chat in ipairs(chats.all()) do
    if chat.stayed then
      chat.stayed = nil
      local told = { chat = chat.chat, prompt = chat.prompt, agent = chat.agent }
      told.session, told.cwd = chat.status.session, chat.root
      table.insert(stayed, told)
    end
  end
  if #stayed > 0 then
    bridge.notify('stayed', { chats = stayed })
  end
end)

local on = events.group('acp.chat')

on({ 'VimResized', 'WinResized', 'TabEnter' }, 'Chats keep their share of the editor', function()
  require('acp.ui.size').settle()
  vim.tbl_map(layout.fit, chats.all())
end)

local function is_chat(buffer)
  local chat = chats.of(buffer)
  return chat ~= nil and chat.chat == buffer
end

on('WinResized', 'The end of a chat fills its window', function()
  for _, window in ipairs(vim.v.event.windows) do
    local is_there = api.nvim_win_is_valid(window) and is_chat(api.nvim_win_get_buf(window))
    if is_there and tail.is_at(window) then
      tail.fill(window)
    end
  end
end)

on({ 'WinResized', 'BufWinEnter' }, 'Tables of a chat are laid out for its window', function()
  for _, chat in ipairs(bridge.running() and chats.all() or {}) do
    local found = vim.tbl_map(cells.room, vim.fn.win_findbuf(chat.chat))
    local room = #found > 0 and math.max(1, math.min(unpack(found))) or chat.room
    if room ~= chat.room then
      chat.room = room
      bridge.tell_running('chat_room', { chat = chat.chat, room = room })
    end
  end
end)

local function look()
  tail.look(is_chat)
end

on({ 'WinResized', 'TabEnter', 'WinClosed' }, 'What has come below', look, { later = true })
on('WinScrolled', 'What has come below', function()
  if not tail.is_settled() then -- it is, in most frames
    vim.schedule(look)
  end
end)

return M
