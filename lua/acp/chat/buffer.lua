-- The chat buffer: how it is made, and its keys. What is in it comes from the host.

local apply = require('acp.ui.apply')
local attachment = require('acp.prompt.attachment')
local bar = require('acp.ui.bar')
local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local guard = require('acp.ui.guard')
local keys = require('acp.ui.keys')
local life = require('acp.ui.life')
local layout = require('acp.ui.layout')
local question = require('acp.ask.window')
local tail = require('acp.ui.tail')

local api = vim.api

local M = {}

---@return integer row 0-based
local function row()
  return api.nvim_win_get_cursor(0)[1] - 1
end

---@param chat acp.Chat
---@param action string
local function fold(chat, action)
  bridge.notify('toggle', { chat = chat.chat, row = row(), action = action })
end

--- Go on in the prompt with the same key; in an empty one they all mean the same.
---@param chat acp.Chat
---@param key string
local function write(chat, key)
  layout.open(chat)
  local empty = vim.deep_equal(api.nvim_buf_get_lines(chat.prompt, 0, -1, true), { '' })
  api.nvim_feedkeys(empty and 'i' or key, 'ni', false) -- before what is typed already
end

--- The tool call's file; else a file whose name is under the cursor. Whether it may be opened is for
--- the host to say: the agent has named it.
---@param chat acp.Chat
---@param split boolean
local function follow_link(chat, split)
  local payload = { chat = chat.chat, row = row(), name = vim.fn.expand('<cfile>') }
  bridge.call('follow_link', payload, function(err, link)
    if link and link.path then
      layout.show_file(link.path, link.line, split)
    elseif not link then
      require('acp.ui.notice').warn(err or 'no file here')
    end
  end)
end

local PORTION = 200

---@param buffer integer
---@param first integer row
---@param last integer row; less than `first` to search backwards
---@return integer[] rows of the user's lines, nearest to `first` first
local function user_rows(buffer, first, last)
  local from, to = { first, 0 }, { last, -1 }
  if last < first then
    from, to = { first, -1 }, { last, 0 }
  end
  local rows = {}
  local marks = api.nvim_buf_get_extmarks(buffer, apply.namespace, from, to, { details = true })
  for _, mark in ipairs(marks) do
    if mark[4].line_hl_group == 'AcpUser' then
      table.insert(rows, mark[2])
    end
  end
  return rows
end

--- Search in portions: a chat may be long.
---@param buffer integer
---@param start integer row
---@param step 1|-1
---@return integer? row where the next prompt in that direction begins
local function find_prompt(buffer, start, step)
  local last = step == 1 and api.nvim_buf_line_count(buffer) - 1 or 0
  for first = start, last, step * PORTION do
    for _, line in ipairs(user_rows(buffer, first, math.max(first + step * PORTION, 0))) do
      if line == 0 or #user_rows(buffer, line - 1, line - 1) == 0 then
        return line
      end
    end
  end
end

---@param step 1|-1
local function jump(step)
  for _ = 1, vim.v.count1 do
    local target = find_prompt(api.nvim_get_current_buf(), row() + step, step)
    if not target then
      return
    end
    vim.cmd("normal! m'")
    api.nvim_win_set_cursor(0, { target + 1, 0 })
  end
end

--- Go to the question; without one the key is what it was: <C-i>.
function M.to_ask()
  if not question.focus() then
    api.nvim_feedkeys(vim.v.count1 .. vim.keycode('<C-i>'), 'ni', false)
  end
end

---@param chat acp.Chat
local function map_keys(chat)
  local function map(key, desc, run)
    keys.map(chat.chat, 'n', key, desc, run)
  end
  for _, key in ipairs({ 'i', 'a', 'o', 'I', 'A', 'O' }) do
    map(key, 'Write a prompt', function()
      write(chat, key)
    end)
  end
  local folds = {
    ['<CR>'] = 'toggle',
    za = 'toggle',
    zo = 'open',
    zc = 'close',
    zR = 'open_all',
    zM = 'close_all',
  }
  for key, action in pairs(folds) do
    map(key, 'Fold: ' .. action, function()
      fold(chat, action)
    end)
  end
  for key, split in pairs({ gf = false, gF = false, ['<C-w>f'] = true }) do
    map(key, 'Go to the file', function()
      follow_link(chat, split)
    end)
  end
  map(']]', 'Next prompt', function()
    jump(1)
  end)
  map('[[', 'Previous prompt', function()
    jump(-1)
  end)
  map('<Tab>', 'Go to the question', M.to_ask)
  map('q', 'Close the chat', function()
    layout.close(chat)
  end)
end

---@param chat acp.Chat
---@param was_running boolean
local function gone(chat, was_running)
  chats.remove(chat.chat)
  require('acp.prompt.mention').forget(chat.chat)
  attachment.forget(chat.chat)
  tail.forget(chat.chat)
  bar.forget(chat.chat)
  if vim.v.exiting ~= vim.NIL then
    return
  end
  vim.schedule(function()
    if was_running then
      local form = 'the turn of %s ended with its chat: :Acp sessions opens what was said'
      require('acp.ui.notice').notice(form:format(chat.agent))
    end
    if bridge.running() then
      bridge.notify('chat_wiped', { chat = chat.chat })
    end
    question.close_of(chat.chat)
    if api.nvim_buf_is_valid(chat.prompt) then
      api.nvim_buf_delete(chat.prompt, { force = true })
    end
  end)
end

--- A chat that is unloaded and stays so (`:bdelete`) is not wanted any more, unless `:q!` has done it:
--- then it is read again.
---@param buffer integer
local function wipe_unloaded(buffer)
  local is_quit = guard.is_quitting(buffer)
  vim.schedule(function()
    if api.nvim_buf_is_valid(buffer) and not api.nvim_buf_is_loaded(buffer) then
      if is_quit then
        vim.fn.bufload(buffer)
      else
        api.nvim_buf_delete(buffer, { force = true })
      end
    end
  end)
end

---@param chat acp.Chat
local function watch(chat)
  local group = api.nvim_create_augroup('acp.chat.' .. chat.chat, {})
  local function on(event, run)
    api.nvim_create_autocmd(event, { group = group, buffer = chat.chat, callback = run })
  end
  on('BufWinEnter', function()
    layout.dress(0, layout.CHAT)
    tail.enter(api.nvim_get_current_win())
  end)
  on('BufWinLeave', function()
    tail.leave(chat.chat)
  end)
  on('CursorMoved', function()
    tail.settle(api.nvim_get_current_win())
  end)
  on('BufEnter', function()
    chats.touch(chat.chat)
  end)
  local was_running = false
  on('BufUnload', function()
    local state = (vim.b[chat.chat].acp_status or {}).state
    was_running = state == 'running' or state == 'cancelling'
    wipe_unloaded(chat.chat)
  end)
  on('BufWipeout', function()
    gone(chat, was_running)
  end)
end

--- Set what makes a buffer a chat; `:edit` may have undone it.
---@param buffer integer
function M.set_options(buffer)
  local values = {
    buftype = 'nofile',
    bufhidden = 'hide',
    swapfile = false,
    buflisted = false,
    undolevels = -1,
    modifiable = false,
    filetype = 'acp_chat',
  }
  for name, value in pairs(values) do
    vim.bo[buffer][name] = value
  end
end

--- Make the buffer; its number is the chat's.
---@return integer buffer
function M.create_buffer()
  local buffer = api.nvim_create_buf(false, true)
  M.set_options(buffer)
  return buffer
end

--- Bring its keys to life and show the first line.
---@param chat acp.Chat
function M.begin(chat)
  apply.draw(chat.chat, { { 0, -1, { ('Starting %s …'):format(chat.agent) }, {} } })
  map_keys(chat)
  watch(chat)
end

bridge.on_end(function()
  for _, chat in ipairs(chats.all()) do
    local status = vim.b[chat.chat].acp_status or { agent = chat.agent }
    status.state, status.pending, status.doing = 'closed', 0, nil
    life.set(chat.chat, status)
    vim.b[chat.chat].acp_status = status
    attachment.note(chat.chat, {}) -- nobody remembers what they were about
    local ended = 'the host ended: this session is closed'
    bar.set(chat.chat, { { group = 'AcpError', text = ended, need = 0, right = false } })
  end
  vim.cmd.redrawstatus({ bang = true })
end)

api.nvim_create_autocmd({ 'VimResized', 'WinResized', 'TabEnter' }, {
  group = api.nvim_create_augroup('acp.chat', {}),
  desc = 'The windows of chats keep their share of the editor',
  callback = function()
    require('acp.ui.size').settle()
    vim.tbl_map(layout.fit, chats.all())
  end,
})

api.nvim_create_autocmd({ 'WinScrolled', 'WinResized', 'TabEnter', 'WinClosed' }, {
  group = api.nvim_create_augroup('acp.chat.tail', {}),
  desc = 'What has come below the part of a chat that is shown',
  callback = vim.schedule_wrap(function()
    tail.look(function(buffer)
      local chat = chats.of(buffer)
      return chat ~= nil and chat.chat == buffer
    end)
  end),
})

return M
