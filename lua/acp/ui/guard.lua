-- The windows of a chat hold: what a command shows in one of them goes to a window for files, and
-- `:q` closes both. 'winfixbuf' would only refuse (E1513), where the user wants to see the file.

local chats = require('acp.chat.registry')
local events = require('acp.ui.events')
local layout = require('acp.ui.layout')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

local on = events.group('acp.guard')

---@return boolean? is_chat nil: neither chat nor prompt
local function role(buffer)
  local chat = chats.of(buffer)
  if chat and (buffer == chat.chat or buffer == chat.prompt) then
    return buffer == chat.chat
  end
end

--- Whether the window shows something that does not belong there. Another chat may take the window
--- of a chat, and another prompt that of a prompt.
local function has_stray(window)
  local own, buffer = layout.held(window), api.nvim_win_get_buf(window)
  if not own or own == buffer then
    return false
  end
  if not api.nvim_buf_is_loaded(own) then
    layout.hold(window, nil)
    return false
  end
  if role(buffer) ~= nil and role(buffer) == role(own) then
    layout.hold(window, buffer)
    return false
  end
  return true
end

--- Show a buffer in a window for files, the last one that was used, or a new one.
---@param view table where the cursor was
local function show_elsewhere(buffer, enter, view)
  local window = layout.file_window()
  if not window or not pcall(api.nvim_win_set_buf, window, buffer) then
    layout.leave_float()
    window = api.nvim_open_win(buffer, enter, { split = 'left', win = -1 })
    layout.keep_sidebar_first()
  end
  if enter then
    api.nvim_set_current_win(window)
  end
  api.nvim_win_call(window, function()
    vim.fn.winrestview({ lnum = view.lnum, col = view.col, curswant = view.curswant })
    vim.cmd('normal! zv')
  end)
end

--- Give a window back to its chat; first of all the other buffer must be on screen, or it may be
--- wiped.
local function restore(window)
  local own, buffer = layout.held(window), api.nvim_win_get_buf(window)
  local is_here = window == api.nvim_get_current_win()
  show_elsewhere(buffer, is_here, api.nvim_win_call(window, vim.fn.winsaveview))
  layout.put(window, own)
  local view = vim.w[window].acp_view -- how it showed its chat or prompt last
  if view then
    unseen.scroll(window, view)
  end
end

--- Look after all windows of this tabpage.
local function look()
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    if api.nvim_win_is_valid(window) and has_stray(window) then
      local ok, err = pcall(restore, window)
      if not ok or (api.nvim_win_is_valid(window) and has_stray(window)) then
        -- Neovim does not let the buffer go, or the user's autocommands bring it back: once more
        -- would be without an end
        pcall(layout.hold, window, nil)
        require('acp.host.log').line('a window of a chat was taken: ' .. tostring(err))
      end
    end
  end
end

--- Not in the middle of the command that shows the buffer: it has more to do there.
local look_later = unseen.soon(function()
  if vim.v.exiting == vim.NIL then
    look()
  end
end)

on({ 'BufEnter', 'BufWinEnter' }, 'What comes into the window of a chat goes elsewhere', function()
  if vim.iter(api.nvim_tabpage_list_wins(0)):any(has_stray) then
    look_later()
  end
end)

on('BufLeave', 'How the window of a chat showed it', function(event)
  local window = api.nvim_get_current_win()
  if layout.held(window) == event.buf then
    vim.w[window].acp_view = vim.fn.winsaveview()
  end
end)

on('WinLeave', 'Which window files go to', function()
  layout.remember_files(api.nvim_get_current_win())
end)

---@type table<integer, true> chats whose window is being closed by `:q`
local quitting = {}

--- Whether `:q!` unloads the chat: it closes a window, and is not meant to end the session.
function M.is_quitting(buffer)
  return quitting[buffer] == true
end

on('QuitPre', 'Chat and prompt close together', function()
  local window = api.nvim_get_current_win()
  local own = layout.held(window)
  local chat = own and chats.of(own)
  if not chat then
    return
  end
  quitting[own] = true
  vim.schedule(function()
    quitting[own] = nil
    if vim.v.exiting == vim.NIL and not api.nvim_win_is_valid(window) then
      layout.close(chat)
    end
  end)
end)

layout.remember_files(api.nvim_get_current_win())

return M
