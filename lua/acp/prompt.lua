-- The prompt buffer: written like any text, sent by <CR>, <C-s> or `:w`, never `modified`, kept on
-- disk while it is unsent; and the selections that go along with a prompt.

local chats = require('acp.chats')
local draft = require('acp.draft')
local layout = require('acp.layout')
local notice = require('acp.notice')
local options = require('acp.options')
local prompt_marks = require('acp.prompt_marks')

local api = vim.api

local M = {}

local selection_namespace = api.nvim_create_namespace('acp_selection')
local SAVE_AFTER_MS = 500

---@class acp.Selection
---@field buffer integer
---@field mark integer extmark in `acp_selection`, from the first line to the end of the last
---@field path? string absolute; nil for a buffer without a file
---@field first integer 1-based
---@field last integer 1-based, inclusive
---@field lines string[]
---@field filetype string

---@type table<integer, acp.Selection[]> by chat: what goes along with its next prompt
local attached = {}

--- Take lines of the current buffer; their mark follows them until the prompt is sent.
---@param first integer 1-based
---@param last integer 1-based, inclusive
---@return acp.Selection
function M.select(first, last)
  local buffer = api.nvim_get_current_buf()
  local lines = api.nvim_buf_get_lines(buffer, first - 1, last, false)
  local name = api.nvim_buf_get_name(buffer)
  local is_file = vim.bo[buffer].buftype == '' and name ~= ''
  return {
    buffer = buffer,
    mark = api.nvim_buf_set_extmark(buffer, selection_namespace, first - 1, 0, {
      end_row = first + #lines - 2,
      end_col = #(lines[#lines] or ''),
      right_gravity = false,
      end_right_gravity = true,
    }),
    path = is_file and vim.fn.fnamemodify(name, ':p') or nil,
    first = first,
    last = first + #lines - 1,
    lines = lines,
    filetype = vim.bo[buffer].filetype,
  }
end

---@param selection acp.Selection
---@return string
local function label(selection)
  local name = selection.path and vim.fn.fnamemodify(selection.path, ':~:.')
    or ('buffer %d'):format(selection.buffer)
  local lines = selection.first == selection.last and tostring(selection.first)
    or ('%d-%d'):format(selection.first, selection.last)
  return ('@%s:%s'):format(name, lines)
end

--- What goes along with the prompt; else, how to send it.
---@param chat acp.Chat
---@return string winbar
local function winbar(chat)
  local labels = vim.tbl_map(label, attached[chat.chat] or {})
  if #labels == 0 then
    local key = options.value('default_keys') == false and ':w' or '<CR>'
    return ('%%#AcpWinbarUsage# %s sends to %s%%*'):format(key, (chat.agent:gsub('%%', '%%%%')))
  end
  local names = table.concat(labels, '  '):gsub('%%', '%%%%')
  return ('%%#AcpMention# %%<%s %%#AcpWinbarUsage# <C-x> removes%%*'):format(names)
end

---@param chat acp.Chat
local function show_attached(chat)
  vim.b[chat.prompt].acp_winbar = winbar(chat)
  for _, window in ipairs(vim.fn.win_findbuf(chat.prompt)) do
    api.nvim__redraw({ win = window, winbar = true })
  end
end

---@param selection acp.Selection
local function drop_mark(selection)
  if api.nvim_buf_is_valid(selection.buffer) then
    api.nvim_buf_del_extmark(selection.buffer, selection_namespace, selection.mark)
  end
end

--- Let a selection go along with the next prompt that is sent from the prompt buffer.
---@param chat integer
---@param selection acp.Selection
function M.attach(chat, selection)
  attached[chat] = attached[chat] or {}
  table.insert(attached[chat], selection)
  show_attached(assert(chats.of(chat)))
end

---@param chat acp.Chat
local function detach_last(chat)
  local selection = table.remove(attached[chat.chat] or {})
  if selection then
    drop_mark(selection)
    show_attached(chat)
  end
end

---@param chat acp.Chat
---@return string[]
local function lines_of(chat)
  return api.nvim_buf_get_lines(chat.prompt, 0, -1, true)
end

--- Forget what was sent; `u` brings the text back.
---@param chat acp.Chat
local function clear(chat)
  attached[chat.chat] = nil
  api.nvim_buf_set_lines(chat.prompt, 0, -1, true, {})
  vim.bo[chat.prompt].modified = false
  draft.save(chat, {})
  show_attached(chat)
end

--- Whether a prompt waits that the agent has refused for want of a login: sending nothing sends it.
---@param chat acp.Chat
---@return boolean
local function is_held(chat)
  local status = vim.b[chat.chat].acp_status or {}
  return status.state == 'idle' and (status.queue or 0) > 0
end

--- Send what the prompt buffer of a chat holds, with its selections. What cannot be sent stays.
---@param number integer the chat
---@return boolean sent
function M.send(number)
  local chat = assert(chats.of(number), 'no such chat')
  local text = table.concat(lines_of(chat), '\n')
  if vim.trim(text) == '' and not is_held(chat) then
    notice.notice('the prompt is empty: nothing was sent')
    return false
  end
  if not chats.is_open(chat) then
    notice.warn(('this session is closed: :AcpStart %s begins a new one'):format(chat.agent))
    return false
  end
  chats.touch(number)
  local selections = attached[number] or {}
  local payload = { chat = number, text = text, selections = selections, bang = false }
  local sent = require('acp.bridge').notify('prompt', payload) ~= false
  if sent then
    clear(chat)
  end
  return sent
end

---@param chat acp.Chat
local function save_draft(chat)
  if api.nvim_buf_is_loaded(chat.prompt) then
    draft.save(chat, lines_of(chat))
  end
end

---@param chat acp.Chat
local function watch_text(chat)
  local timer = assert(vim.uv.new_timer())
  local save = vim.schedule_wrap(function()
    save_draft(chat)
  end)
  api.nvim_buf_attach(chat.prompt, false, {
    on_lines = function()
      vim.bo[chat.prompt].modified = false -- or `:wa` would send it half-written
      timer:start(SAVE_AFTER_MS, 0, save)
      prompt_marks.touch(chat)
    end,
    on_detach = function()
      timer:stop()
      if not timer:is_closing() then
        timer:close()
      end
    end,
  })
end

--- `:w` sends, `:w name` writes a file as everywhere.
---@param chat acp.Chat
---@param name string
local function write(chat, name)
  if name == api.nvim_buf_get_name(chat.prompt) then
    M.send(chat.chat)
  else
    vim.fn.writefile(lines_of(chat), name)
  end
end

---@param chat acp.Chat
local function watch(chat)
  local group = api.nvim_create_augroup('acp.prompt.' .. chat.prompt, {})
  local function on(event, run)
    api.nvim_create_autocmd(event, { group = group, buffer = chat.prompt, callback = run })
  end
  on('BufWriteCmd', function(event)
    write(chat, event.match)
  end)
  on('BufReadCmd', function()
    api.nvim_buf_set_lines(chat.prompt, 0, -1, true, draft.restore(chat))
    watch_text(chat)
  end)
  on('BufModifiedSet', function()
    vim.bo[chat.prompt].modified = false
  end)
  on({ 'InsertLeave', 'BufLeave', 'BufUnload' }, function()
    save_draft(chat)
  end)
  on('BufWinEnter', function()
    layout.dress(0, layout.PROMPT)
  end)
  on('BufEnter', function()
    chats.touch(chat.chat)
  end)
  on('InsertEnter', function()
    prompt_marks.prepare(chat)
  end)
  api.nvim_create_autocmd('VimLeavePre', {
    group = group,
    callback = function()
      save_draft(chat)
    end,
  })
end

---@param chat acp.Chat
local function map_keys(chat)
  local map = require('acp.chat').map
  local function send()
    M.send(chat.chat)
  end
  map(chat.prompt, 'n', '<CR>', 'Send the prompt', send)
  map(chat.prompt, 'i', '<C-s>', 'Send the prompt', send)
  map(chat.prompt, 'n', '<C-x>', 'Remove the last selection', function()
    detach_last(chat)
  end)
  map(chat.prompt, 'n', '<Tab>', 'Go to the oldest question', require('acp.chat').to_ask)
end

--- Make the prompt buffer of a chat (`chat.prompt` is set) with the draft that a crash has left.
---@param chat acp.Chat
function M.create(chat)
  local buffer = api.nvim_create_buf(false, true)
  chat.prompt = buffer
  vim.b[buffer].acp_chat = chat.chat
  chats.name(buffer, ('acp-prompt://%s/%d'):format(chats.encode(chat.agent), chat.chat))
  api.nvim_buf_set_lines(buffer, 0, -1, true, draft.restore(chat))
  local values = {
    buftype = 'acwrite',
    bufhidden = 'hide',
    swapfile = false,
    omnifunc = "v:lua.require'acp.complete'.omnifunc",
    modified = false,
    filetype = 'acp_prompt',
  }
  for name, value in pairs(values) do
    vim.bo[buffer][name] = value
  end
  watch_text(chat)
  watch(chat)
  map_keys(chat)
  show_attached(chat)
end

return M
