-- What goes along with the next prompt of a chat: selections, by the user's command, and notes, which
-- the host finds out; and the winbar of the prompt, which shows them.

local chats = require('acp.chat.registry')
local layout = require('acp.ui.layout')
local notes = require('acp.prompt.notes')
local options = require('acp.host.options')

local api = vim.api

local M = {}

local namespace = api.nvim_create_namespace('acp_selection')

---@class acp.Selection
---@field buffer integer
---@field mark integer extmark in `acp_selection`, from the first line to the end of the last
---@field path? string absolute; nil for a buffer without a file
---@field first integer 1-based
---@field last integer 1-based, inclusive
---@field lines string[]
---@field filetype string

---@type table<integer, acp.Selection[]> by chat
local selections = {}

---@param number integer the chat
---@return acp.Selection[]
function M.selections(number)
  return selections[number] or {}
end

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
    mark = api.nvim_buf_set_extmark(buffer, namespace, first - 1, 0, {
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

---@param group string
---@param text string
---@return string item of a winbar
local function item(group, text)
  return ('%%#%s# %s'):format(group, (text:gsub('%%', '%%%%')))
end

--- What to press, as far as there is room for it.
---@param room integer cells
---@param has_notes boolean
---@return string
local function hint(room, has_notes)
  local texts = has_notes and { '<C-x> removes · K shows', 'K shows' } or { '<C-x> removes' }
  local fits = vim.iter(texts):find(function(text)
    return api.nvim_strwidth(text) <= room
  end)
  return options.value('default_keys') ~= false and fits or ''
end

--- What the notes are called; in a narrow window only what they are.
---@param chat acp.Chat
---@param room integer cells
---@return string
local function noted(chat, room)
  local found = {}
  for _, name in ipairs({ 'label', 'key' }) do
    found = vim.tbl_map(function(note)
      return note[name]
    end, notes.of(chat.chat))
    if api.nvim_strwidth(table.concat(found, '  ')) <= room then
      break
    end
  end
  return table.concat(found, '  ')
end

--- How to send the prompt in this mode, or why it cannot be sent.
---@param chat acp.Chat
---@return string winbar
local function usage(chat)
  if not chats.is_open(chat) then
    local form = 'closed: :AcpStart %s begins anew, :Acp restart %s goes on'
    return item('AcpWarning', form:format(chat.agent, chat.agent)) .. '%*'
  end
  local has_keys = options.value('default_keys') ~= false
  local is_insert = api.nvim_get_mode().mode:find('^i')
    and api.nvim_get_current_buf() == chat.prompt
  local key = not has_keys and ':w' or is_insert and '<C-s>' or '<CR>'
  return item('AcpWinbarUsage', ('%s sends to %s'):format(key, chat.agent)) .. '%*'
end

--- What goes along with the prompt; else, how to send it.
---@param chat acp.Chat
---@return string winbar
local function winbar(chat)
  local window = layout.window_of(chat.prompt)
  local room = window and api.nvim_win_get_width(window) or vim.o.columns
  local parts, has_notes = {}, #notes.of(chat.chat) > 0
  local function add(group, text)
    if text ~= '' then
      table.insert(parts, item(group, text))
      room = room - api.nvim_strwidth(text) - 2
    end
  end
  add('AcpMention', table.concat(vim.tbl_map(label, M.selections(chat.chat)), '  '))
  add('AcpNote', noted(chat, room - 2))
  if #parts == 0 then
    return usage(chat)
  end
  add('AcpWinbarUsage', hint(room - 1, has_notes))
  return '%<' .. table.concat(parts, ' ') .. '%*'
end

--- Show in the prompt of a chat what goes along.
---@param chat acp.Chat
function M.draw(chat)
  if not api.nvim_buf_is_valid(chat.prompt) then
    return
  end
  vim.b[chat.prompt].acp_winbar = winbar(chat)
  for _, window in ipairs(vim.fn.win_findbuf(chat.prompt)) do
    api.nvim__redraw({ win = window, winbar = true })
  end
end

--- Let a selection go along with the next prompt that is sent from the prompt buffer.
---@param number integer the chat
---@param selection acp.Selection
function M.attach(number, selection)
  selections[number] = selections[number] or {}
  table.insert(selections[number], selection)
  M.draw(assert(chats.of(number)))
end

--- Called by the host: these notes go along with the next prompt.
---@param number integer the chat
---@param list acp.Note[]
function M.note(number, list)
  local chat = chats.of(number)
  if chat then
    notes.set(number, list)
    M.draw(chat)
  end
end

--- Let what is shown last not go along.
---@param chat acp.Chat
function M.drop_last(chat)
  if not notes.drop_last(chat.chat) then
    local selection = table.remove(M.selections(chat.chat))
    if selection and api.nvim_buf_is_valid(selection.buffer) then
      api.nvim_buf_del_extmark(selection.buffer, namespace, selection.mark)
    end
  end
  M.draw(chat)
end

--- Forget the selections: they were sent. What is noted, the host knows.
---@param chat acp.Chat
function M.clear(chat)
  selections[chat.chat] = nil
  M.draw(chat)
end

--- Forget a chat that is gone.
---@param number integer
function M.forget(number)
  selections[number] = nil
  notes.forget(number)
end

local group = api.nvim_create_augroup('acp.attachment', {})

---@param events string|string[]
---@param pattern string|string[]|nil
---@param desc string
---@param run fun()
local function on(events, pattern, desc, run)
  local options_of_it = { group = group, pattern = pattern, desc = desc, callback = run }
  api.nvim_create_autocmd(events, options_of_it)
end

on('ModeChanged', { '*:i*', 'i*:*' }, 'The bar names the key of this mode', function()
  local chat = chats.of(api.nvim_get_current_buf())
  if chat and chat.prompt == api.nvim_get_current_buf() then
    M.draw(chat)
  end
end)

local SESSION = { 'AcpSessionStarted', 'AcpSessionClosed', 'AcpConnected', 'AcpDisconnected' }

on('User', SESSION, 'The bar says whether anything can be sent', function()
  vim.tbl_map(M.draw, chats.all())
end)

--- The winbar of a prompt has more room, or less.
api.nvim_create_autocmd('WinResized', {
  group = group,
  callback = function()
    for _, window in ipairs(vim.v.event.windows or {}) do
      local chat = api.nvim_win_is_valid(window) and chats.of(api.nvim_win_get_buf(window))
      if chat and #M.selections(chat.chat) + #notes.of(chat.chat) > 0 then
        M.draw(chat)
      end
    end
  end,
})

return M
