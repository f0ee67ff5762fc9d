-- The prompts that wait, in a buffer: a line each, which begins with its place in the queue. What the
-- user makes of the lines, the queue becomes. The host knows a prompt by a number of its own.

local bridge = require('acp.host.bridge')
local bar = require('acp.ui.bar')
local chats = require('acp.chat.registry')
local dress = require('acp.ui.dress')
local history = require('acp.prompt.history')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')
local unseen = require('acp.ui.unseen')
local window = require('acp.chat.window')

local api = vim.api

local M = {}

local KEYS = '<CR> takes it back · dd drops it · g? all keys'

---@class acp.Waiting
---@field number integer
---@field text string

---@class acp.QueueView
---@field chat integer
---@field buffer integer
---@field texts table<integer, string> by number: all that it has shown
---@field shown integer[] the host's numbers, by their places
---@field is_drawing boolean

---@param text string
---@return string as it stands in a line
local function words_of(text)
  return vim.trim((text:gsub('%s+', ' ')))
end

--- The host's number of the prompt in a line: that of its words, be the line from before, else that of
--- its place.
---@param view acp.QueueView
---@param line string
---@param used? table<integer, true> those of other lines
---@return integer?
local function number_in(view, line, used)
  used = used or {}
  local place, words = line:match('^%s*(%d+)%s+(.-)%s*$')
  local there = view.shown[tonumber(place) or 0]
  if there and not used[there] and words_of(view.texts[there]) == words then
    return there
  end
  local numbers = vim.tbl_keys(view.texts)
  table.sort(numbers)
  local named = vim.iter(numbers):find(function(number)
    return place and not used[number] and words_of(view.texts[number]) == words
  end)
  return named or (not used[there] and there or nil)
end

---@param view acp.QueueView
---@return integer[] the host's numbers of its lines, each once
local function numbers(view)
  local found, used = {}, {}
  for _, line in ipairs(api.nvim_buf_get_lines(view.buffer, 0, -1, true)) do
    local number = number_in(view, line, used)
    if number then
      used[number] = true
      table.insert(found, number)
    end
  end
  return found
end

--- Put lines in the buffer; `u` takes them back together with what the user has done.
---@param view acp.QueueView
---@param lines string[]
---@param is_first boolean
local function put(view, lines, is_first)
  local levels = vim.bo[view.buffer].undolevels
  if is_first then
    vim.bo[view.buffer].undolevels = -1 -- nothing waits before there is a text
  end
  view.is_drawing = true
  api.nvim_buf_call(view.buffer, function()
    pcall(vim.cmd.undojoin)
    api.nvim_buf_set_lines(view.buffer, 0, -1, true, lines)
  end)
  view.is_drawing = false
  vim.bo[view.buffer].undolevels = levels
end

---@param view acp.QueueView
---@param rows acp.Waiting[]
local function draw(view, rows)
  if not api.nvim_buf_is_loaded(view.buffer) then
    return
  end
  local is_first, lines = vim.tbl_isempty(view.texts), {}
  view.shown = {}
  for place, row in ipairs(rows) do
    view.texts[row.number] = row.text
    view.shown[place] = row.number
    lines[place] = ('%d  %s'):format(place, words_of(row.text))
  end
  if not vim.deep_equal(api.nvim_buf_get_lines(view.buffer, 0, -1, true), lines) then
    put(view, lines, is_first)
  end
  local count = #rows == 0 and 'no prompt waits'
    or #rows == 1 and '1 prompt waits'
    or ('%d prompts wait'):format(#rows)
  bar.set(view.buffer, {
    { group = 'AcpWinbarState', text = count, need = 0, right = false },
    { group = 'AcpWinbarUsage', text = KEYS, short = 'g? keys', need = 1, right = true },
  })
end

---@param view acp.QueueView
local function refresh(view)
  bridge.call('queue', { chat = view.chat }, function(_, rows)
    if rows then
      draw(view, rows)
    end
  end)
end

---@param view acp.QueueView
---@param order integer[]
---@param taken? integer number of one that the user takes back
---@param on_done? fun()
local function arrange(view, order, taken, on_done)
  local seen = vim.tbl_keys(view.texts)
  local payload = { chat = view.chat, seen = seen, order = order, taken = taken }
  bridge.call('arrange', payload, function(err, rows)
    if err then
      refresh(view)
      return notice.warn(err)
    end
    draw(view, rows)
    if on_done then
      on_done()
    end
  end)
end

---@param view acp.QueueView
local function changed(view)
  local order = numbers(view)
  if not view.is_drawing and not vim.deep_equal(order, view.shown) then
    arrange(view, order)
  end
end

--- Take the prompt under the cursor out of the queue, into the prompt buffer.
---@param view acp.QueueView
local function take_back(view)
  local number = number_in(view, api.nvim_get_current_line())
  local text = number and view.texts[number]
  local chat = chats.of(view.chat)
  if not text or not chat then
    return notice.notice('no prompt waits here')
  end
  local order = vim.tbl_filter(function(other)
    return other ~= number
  end, numbers(view))
  arrange(view, order, number, function()
    history.add(chat, text)
    window.show(chat.chat)
  end)
end

---@param view acp.QueueView
local function watch(view)
  local group = api.nvim_create_augroup('acp.queue.' .. view.buffer, {})
  api.nvim_create_autocmd({ 'TextChanged', 'InsertLeave' }, {
    group = group,
    buffer = view.buffer,
    callback = function()
      changed(view)
    end,
  })
  api.nvim_create_autocmd('User', {
    group = group,
    pattern = { 'AcpTurnStarted', 'AcpTurnEnded' },
    callback = function()
      refresh(view)
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    group = group,
    buffer = view.buffer,
    callback = function()
      api.nvim_del_augroup_by_id(group)
      bar.forget(view.buffer)
    end,
  })
end

---@param chat acp.Chat
---@return acp.QueueView
local function make(chat)
  local buffer = unseen.buffer(function(it)
    chats.name(it, 'acp-queue')
    vim.b[it].acp_list = true
    vim.b[it].acp_chat = chat.chat
    vim.bo[it].bufhidden = 'wipe'
    vim.bo[it].filetype = 'acp-queue'
  end)
  local view = { chat = chat.chat, buffer = buffer, texts = {}, shown = {}, is_drawing = false }
  local function map(key, desc, plug, run)
    keys.map(buffer, 'n', key, desc, run, plug)
  end
  map('<CR>', 'Take it back into the prompt', 'take-back', function()
    take_back(view)
  end)
  map('q', 'Close the window', 'close', function()
    vim.cmd.close()
  end)
  watch(view)
  return view
end

---@param chat acp.Chat
---@param rows acp.Waiting[]
local function show(chat, rows)
  local view = make(chat)
  draw(view, rows)
  layout.leave_float()
  local height = math.max(3, math.min(#rows + 1, 10))
  layout.keeping_views(function()
    api.nvim_open_win(view.buffer, true, { split = 'below', win = -1, height = height })
  end)
  dress.window(0, dress.LIST)
end

--- Show what waits in the session of a chat, in a window of its own.
---@param chat acp.Chat
function M.open(chat)
  bridge.call('queue', { chat = chat.chat }, function(err, rows)
    if err or #rows == 0 then
      return notice.notice(err or 'no prompt waits')
    end
    require('acp.files.hands').calmly('the queue', function()
      show(chat, rows)
    end)
  end)
end

return M
