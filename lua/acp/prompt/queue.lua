-- The prompts that wait, in a buffer: a line each, which begins with its place in the queue. What the
-- user makes of the lines, the queue becomes: the host says which line is which prompt.

local bridge = require('acp.host.bridge')
local bar = require('acp.ui.bar')
local chats = require('acp.chat.registry')
local events = require('acp.ui.events')
local history = require('acp.prompt.history')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')
local unseen = require('acp.ui.unseen')
local window = require('acp.chat.window')

local api = vim.api

local M = {}

local KEYS = '<CR> takes it back · dd drops it · g? all keys'

---@alias acp.Waiting table the answer of the verb `queue`: see doc/messages.md

local function lines_of(view)
  return api.nvim_buf_get_lines(view.buffer, 0, -1, true)
end

--- Put lines in the buffer; `u` takes them back together with what the user has done.
local function put(view, lines)
  local levels = vim.bo[view.buffer].undolevels
  if not view.drawn then
    vim.bo[view.buffer].undolevels = -1 -- nothing waits before there is a text
  end
  api.nvim_buf_call(view.buffer, function()
    pcall(vim.cmd.undojoin)
    api.nvim_buf_set_lines(view.buffer, 0, -1, true, lines)
  end)
  vim.bo[view.buffer].undolevels = levels
end

---@param found acp.Waiting
local function draw(view, found)
  if not api.nvim_buf_is_loaded(view.buffer) then
    return
  end
  found.lines = #found.lines > 0 and found.lines or { '' } -- as a buffer has it
  if not vim.deep_equal(lines_of(view), found.lines) then
    put(view, found.lines)
  end
  view.drawn = found
  bar.set(view.buffer, {
    { group = 'AcpWinbarState', text = found.title, need = 0, right = false },
    { group = 'AcpWinbarUsage', text = KEYS, short = 'g? keys', need = 1, right = true },
  })
end

local function refresh(view)
  bridge.call('queue', { chat = view.chat }, function(_, found)
    if found then
      draw(view, found)
    end
  end)
end

--- Let the queue become what the user has made of the lines.
---@param taken? integer line of a prompt that the user takes back
---@param on_done? fun(text: string)
local function arrange(view, taken, on_done)
  local payload = { chat = view.chat, shown = view.drawn.numbers, lines = lines_of(view) }
  payload.taken = taken
  bridge.call('arrange', payload, function(err, found)
    if err then
      refresh(view)
      return notice.warn(err)
    end
    draw(view, found)
    if on_done then
      on_done(found.taken)
    end
  end)
end

--- Take the prompt under the cursor out of the queue, into the prompt buffer.
local function take_back(view)
  arrange(view, api.nvim_win_get_cursor(0)[1], function(text)
    local chat = chats.of(view.chat)
    if chat then
      history.add(chat, text)
      window.show(chat.chat)
    end
  end)
end

local function watch(view)
  local name = 'acp.queue.' .. view.buffer
  local on = events.group(name)
  on({ 'TextChanged', 'InsertLeave' }, 'The queue becomes what the lines are', function()
    if not vim.deep_equal(lines_of(view), view.drawn.lines) then
      arrange(view)
    end
  end, { buffer = view.buffer })
  on('User', 'What waits is another', function()
    refresh(view)
  end, { pattern = { 'AcpTurnStarted', 'AcpTurnEnded' } })
  on('BufWipeout', 'The queue is closed', function()
    events.leave(name)
  end, { buffer = view.buffer })
end

local function make(chat)
  local buffer = unseen.buffer(function(it)
    chats.name(it, 'acp-queue')
    vim.b[it].acp_list = true
    vim.b[it].acp_chat = chat.chat
    vim.bo[it].bufhidden = 'wipe'
    vim.bo[it].filetype = 'acp-queue'
  end)
  local view = { chat = chat.chat, buffer = buffer }
  local function take()
    take_back(view)
  end
  keys.map_all(buffer, {
    { '<CR>', 'Take it back into the prompt', take, 'take-back' },
    { 'q', 'Close the window', layout.close_here, 'close' },
  })
  watch(view)
  return view
end

--- Show what waits in the session of a chat, in a window of its own.
function M.open(chat)
  bridge.ask('queue', { chat = chat.chat }, function(found)
    if #found.lines == 0 then
      return notice.notice('no prompt waits')
    end
    require('acp.files.hands').calmly('the queue', function()
      local view = make(chat)
      draw(view, found)
      layout.open_list(view.buffer, math.max(3, math.min(#found.lines + 1, 10)))
    end)
  end)
end

return M
