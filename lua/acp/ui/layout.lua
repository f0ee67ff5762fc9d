-- Only the editor opens windows, knows how wide they are, and what the user is in the middle of.
--
-- Opens and closes the windows of a chat, as `ui.layout` and `ui.width` say. Other windows keep
-- their views. Every function works on the current tabpage.

local chats = require('acp.chat.registry')
local dress = require('acp.ui.dress')
local file_buffers = require('acp.files.buffers')
local options = require('acp.host.options')
local size = require('acp.ui.size')
local tail = require('acp.ui.tail')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

function M.is_float(window)
  return api.nvim_win_get_config(window).relative ~= ''
end

---@return integer? window of the current tabpage
function M.window_of(buffer)
  local window = vim.fn.bufwinid(buffer)
  return window ~= -1 and window or nil
end

--- The chat or prompt for which a window is kept, whatever it shows at the moment.
---@return integer? buffer
function M.held(window)
  return vim.w[window].acp_holds
end

--- Keep a window for a chat or prompt; without a buffer it is kept no longer.
---@param buffer integer?
function M.hold(window, buffer)
  vim.w[window].acp_holds = buffer
end

--- Whether a file may be shown in the window.
---@param window integer 0 for none
function M.takes_files(window)
  if window == 0 or M.is_float(window) or M.held(window) or vim.wo[window].winfixbuf then
    return false
  end
  local buffer = api.nvim_win_get_buf(window)
  return not chats.of(buffer) and vim.bo[buffer].buftype == ''
end

--- Take note that the user has worked on a file in this window.
---@param window integer of the current tabpage
function M.remember_files(window)
  if M.takes_files(window) then
    vim.t.acp_files = window
  end
end

--- A window in which a file may be shown: the previous one if it is such, else the one in which the
--- user was last on a file, else the first.
---@return integer?
function M.file_window()
  local windows = api.nvim_tabpage_list_wins(0)
  local wanted = { vim.fn.win_getid(vim.fn.winnr('#')), vim.t.acp_files or 0 }
  local known = vim.iter(wanted):find(function(window)
    return vim.list_contains(windows, window) and M.takes_files(window)
  end)
  return known or vim.iter(windows):find(M.takes_files)
end

--- Run something that opens or closes windows; those that show the same buffer afterwards show the
--- same lines, and share the room as before.
---@param change fun()
function M.keeping_views(change)
  local views = {}
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    if not M.is_float(window) then
      local view = api.nvim_win_call(window, vim.fn.winsaveview)
      views[window] = { buffer = api.nvim_win_get_buf(window), view = view }
    end
  end
  size.keeping_shares(change)
  for window, was in pairs(views) do
    if api.nvim_win_is_valid(window) and api.nvim_win_get_buf(window) == was.buffer then
      unseen.scroll(window, was.view)
    end
  end
end

---@param rows integer of its prompt
local function float_config(rows)
  local width, height = size.share(vim.o.columns), vim.o.lines - vim.o.cmdheight - 3
  return {
    relative = 'editor',
    row = 0,
    col = vim.o.columns - width - 2,
    width = width,
    height = math.max(height - rows - 2, 1),
    border = require('acp.ui.float').border(),
  }
end

---@param window integer of the chat
---@param rows integer of its prompt
---@return vim.api.keyset.win_config for its prompt
local function prompt_config(window, rows)
  local height = api.nvim_win_get_height(window)
  if not M.is_float(window) then
    rows = math.max(1, math.min(rows, math.floor(height / 2)))
    return { split = 'below', win = window, height = rows }
  end
  return vim.tbl_extend('force', float_config(rows), { row = height + 2, height = rows })
end

---@param buffer integer a chat
---@param side 'left'|'right'
local function open_column(buffer, side, width)
  local window = api.nvim_open_win(buffer, true, { split = side, win = -1, width = width })
  api.nvim_win_set_width(window, width) -- 'equalalways' has made it as wide as the others
  dress.window(window, { winfixwidth = true })
  size.keep(window, true)
  return window
end

--- Show a buffer of ours as a column at the left that keeps its width, and go there. The window holds it:
--- no file is shown in it.
function M.open_sidebar(buffer, width)
  M.keeping_views(function()
    M.leave_float()
    local window = api.nvim_open_win(buffer, true, { split = 'left', win = -1, width = width })
    unseen.shown(buffer)
    dress.window(window, dress.SIDEBAR)
    M.hold(window, buffer)
    vim.w[window].acp_sidebar = width
  end)
  unseen.stop_insert()
end

--- Show a list below all windows, and go there.
function M.open_list(buffer, height)
  M.leave_float()
  M.keeping_views(function()
    api.nvim_open_win(buffer, true, { split = 'below', win = -1, height = height })
  end)
  dress.window(0, dress.LIST)
end

--- A sidebar stays the first column, whatever was opened left of it.
function M.keep_sidebar_first()
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    if vim.w[window].acp_sidebar and api.nvim_win_get_position(window)[2] > 0 then
      local width = api.nvim_win_get_width(window)
      if width > vim.o.columns / 3 then
        width = vim.w[window].acp_sidebar -- it was alone
      end
      api.nvim_win_call(window, function()
        vim.cmd.wincmd('H')
      end)
      return api.nvim_win_set_width(window, width)
    end
  end
end

---@param buffer integer a chat
local function open_row(buffer)
  local height = size.share(vim.o.lines)
  local window = api.nvim_open_win(buffer, true, { split = 'below', win = -1, height = height })
  api.nvim_win_set_height(window, height)
  size.keep(window, false)
  return window
end

---@param buffer integer a chat
local function open_chat(buffer)
  local layout = options.value('ui', 'layout')
  if layout == 'tab' then
    return M.split(buffer, { tab = vim.fn.tabpagenr() })
  elseif layout == 'float' then
    return api.nvim_open_win(buffer, true, float_config((size.prompt_rows())))
  elseif layout == 'bottom' then
    return open_row(buffer)
  end
  return open_column(buffer, layout == 'left' and 'left' or 'right', size.share(vim.o.columns))
end

--- Open a chat as the modifiers of a command say (`:vertical`, `:tab`, …), beside what is there.
---@param buffer integer a chat
local function open_as(buffer, mods)
  if (mods.tab or -1) >= 0 then
    return M.split(buffer, { tab = vim.fn.tabpagenr() })
  elseif not mods.vertical then
    return open_row(buffer)
  end
  local files = M.file_window()
  local room = files and math.floor(api.nvim_win_get_width(files) / 2) or vim.o.columns
  local is_left = mods.split == 'topleft' or mods.split == 'aboveleft'
  local width = math.max(math.min(size.share(vim.o.columns), room), 1)
  return open_column(buffer, is_left and 'left' or 'right', width)
end

---@return boolean whether the command says where
function M.says_where(mods)
  return mods ~= nil and (mods.vertical or (mods.tab or -1) >= 0 or (mods.split or '') ~= '')
end

--- A split cannot be made from a float.
function M.leave_float()
  if not M.is_float(0) then
    return
  end
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    if not M.is_float(window) then
      return api.nvim_set_current_win(window)
    end
  end
end

--- Fire events of a buffer for the user's configuration, which may go elsewhere.
---@param events string[]
local function fire(window, buffer, events)
  for _, event in ipairs(events) do
    if api.nvim_win_is_valid(window) and api.nvim_buf_is_loaded(buffer) then
      pcall(api.nvim_win_call, window, function()
        api.nvim_exec_autocmds(event, { buffer = buffer, modeline = false })
      end)
    end
  end
end

--- Show a buffer of ours in a window. The user's autocommands come before and after it: one that
--- goes to another window in the middle would have Neovim show the buffer there, lose count of its
--- windows, and crash once it is wiped.
function M.put(window, buffer)
  local before = api.nvim_win_get_buf(window)
  fire(window, before, api.nvim_get_current_win() == window and { 'BufLeave' } or {})
  fire(window, before, #vim.fn.win_findbuf(before) == 1 and { 'BufWinLeave' } or {})
  if api.nvim_win_is_valid(window) then
    unseen.quietly(api.nvim_win_set_buf, window, buffer)
    fire(window, buffer, { 'BufEnter', 'BufWinEnter' })
  end
end

--- Show a buffer of ours in a split of the current window, and go there.
---@return integer window the current one
function M.split(buffer, mods)
  local known = api.nvim_list_wins()
  vim.cmd.split({ mods = mods })
  local window = vim.iter(api.nvim_list_wins()):find(function(it)
    return not vim.list_contains(known, it)
  end) or api.nvim_get_current_win()
  M.put(window, buffer)
  api.nvim_set_current_win(window)
  return window
end

--- The chat on screen that was used last gives its windows.
local function take_windows(chat)
  local other = vim.iter(chats.all()):find(function(it)
    return it ~= chat and (M.window_of(it.chat) or M.window_of(it.prompt)) ~= nil
  end)
  for _, part in ipairs(other and { 'chat', 'prompt' } or {}) do
    local window = M.window_of(other[part])
    if window then
      M.hold(window, chat[part])
      M.put(window, chat[part])
    end
  end
end

---@return integer above window of the chat
---@return integer below window of the prompt
local function open_windows(chat, mods)
  local is_beside = M.says_where(mods)
  local is_shown = M.window_of(chat.chat) or M.window_of(chat.prompt)
  if not is_beside and not is_shown and options.value('ui', 'layout') ~= 'tab' then
    take_windows(chat)
  end
  M.leave_float()
  local above, below = M.window_of(chat.chat), M.window_of(chat.prompt)
  if not above and below then
    local config = M.is_float(below) and float_config(api.nvim_win_get_height(below))
      or { split = 'above', win = below }
    above = api.nvim_open_win(chat.chat, false, config)
  end
  above = above or (is_beside and open_as or open_chat)(chat.chat, mods)
  local config = prompt_config(above, (size.prompt_rows()))
  return above, below or api.nvim_open_win(chat.prompt, false, config)
end

--- Where each session has a tabpage of its own, go to that of a chat.
local function go_to_tab(chat)
  if M.window_of(chat.chat) or options.value('ui', 'layout') ~= 'tab' then
    return
  end
  local window = vim.fn.win_findbuf(chat.chat)[1]
  if window then
    api.nvim_set_current_tabpage(api.nvim_win_get_tabpage(window))
  end
end

--- Show chat and prompt, as far as they are not to be seen, and put the cursor into the prompt.
function M.open(chat, mods)
  if not M.says_where(mods) then
    go_to_tab(chat)
  end
  local shown = M.window_of(chat.chat)
  M.keeping_views(function()
    local above, below = open_windows(chat, mods)
    -- BufWinEnter does so, but not inside of another autocommand (VimEnter, for instance)
    unseen.shown(chat.chat)
    unseen.shown(chat.prompt)
    dress.window(above, dress.CHAT)
    dress.window(below, dress.PROMPT)
    M.hold(above, chat.chat)
    M.hold(below, chat.prompt)
    M.keep_sidebar_first()
    M.fit(chat)
    if above ~= shown then
      tail.enter(above)
    end
    api.nvim_set_current_win(below)
  end)
  unseen.stop_insert()
end

--- Close a window of ours; beside it a sidebar alone is not enough to work in.
function M.close_window(window)
  local others = vim.tbl_filter(function(other)
    return other ~= window and not M.is_float(other) and not vim.w[other].acp_sidebar
  end, api.nvim_tabpage_list_wins(0))
  if #others == 0 and #api.nvim_list_tabpages() == 1 and not M.is_float(window) then
    M.hold(window, nil)
    vim.w[window].acp_sidebar = nil
    api.nvim_win_call(window, vim.cmd.enew) -- the last window of Neovim cannot be closed
  else
    api.nvim_win_close(window, true)
  end
end

--- Close the current window, a list of ours, unless Neovim refuses.
function M.close_here()
  pcall(api.nvim_win_close, 0, false)
end

--- Close the windows of a chat; its buffers stay.
function M.close(chat)
  M.keeping_views(function()
    local back = chats.of(api.nvim_get_current_buf()) and M.file_window()
    if back then
      api.nvim_set_current_win(back)
    end
    for _, buffer in ipairs({ chat.prompt, chat.chat }) do
      local window = M.window_of(buffer)
      if window then
        M.close_window(window)
      end
    end
  end)
end

--- Fit the windows of a chat to the editor and to what is written in the prompt.
function M.fit(chat)
  local above, below = M.window_of(chat.chat), M.window_of(chat.prompt)
  if not below then
    return above and M.is_float(above) and api.nvim_win_set_config(above, float_config(0))
  end
  local room = api.nvim_win_get_height(below) + (above and api.nvim_win_get_height(above) or 0)
  local rows = size.prompt_height(below, room)
  if above and M.is_float(above) then
    api.nvim_win_set_config(above, float_config(rows))
    api.nvim_win_set_config(below, prompt_config(above, rows))
  elseif above and rows ~= api.nvim_win_get_height(below) then
    api.nvim_win_set_height(below, rows)
  end
  vim.w[below].acp_height = { room = room, height = api.nvim_win_get_height(below) }
end

--- Show a file at a line, not in a window of ours.
---@param line integer? 1-based
---@param split boolean in a new window
function M.show_file(path, line, split)
  if not file_buffers.opens(path) then
    return require('acp.ui.notice').warn(('%s is not opened: it is not a file'):format(path))
  end
  local window = M.file_window()
  if window then
    api.nvim_set_current_win(window)
    vim.cmd("normal! m'")
  end
  if split then
    vim.cmd.split()
  elseif not window then
    M.leave_float()
    vim.cmd('topleft vsplit')
    M.keep_sidebar_first()
  end
  file_buffers.show(path)
  if line then
    api.nvim_win_set_cursor(0, { math.max(math.min(line, api.nvim_buf_line_count(0)), 1), 0 })
  end
end

return M
