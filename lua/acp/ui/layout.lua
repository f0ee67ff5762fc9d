-- Opens and closes the windows of a chat, as `ui.layout` and `ui.width` say. Other windows keep
-- their views. Every function works on the current tabpage.

local chats = require('acp.chat.registry')
local file_buffers = require('acp.files.buffers')
local options = require('acp.host.options')

local api = vim.api

local M = {}

local PROMPT_HEIGHT = 6

-- Local to the window *and* the buffer: Neovim drops them when another buffer takes the window.
local COMMON = {
  wrap = true,
  linebreak = true,
  number = false,
  relativenumber = false,
  signcolumn = 'no',
  foldcolumn = '0',
  statuscolumn = '',
  colorcolumn = '',
  foldmethod = 'manual',
  foldenable = false,
  list = false,
  winbar = '%{%get(b:,"acp_winbar","")%}',
}

M.CHAT = vim.tbl_extend('error', COMMON, {
  breakindent = true,
  conceallevel = 2,
  concealcursor = 'nc',
  spell = false,
})
M.PROMPT = vim.tbl_extend('error', COMMON, { winfixheight = true })

--- Set window options for the buffer that the window shows now.
---@param window integer
---@param values table<string, any>
function M.dress(window, values)
  local no_tildes = vim.go.fillchars == '' and 'eob: ' or vim.go.fillchars .. ',eob: '
  values = vim.tbl_extend('keep', values, { fillchars = no_tildes })
  for name, value in pairs(values) do
    api.nvim_set_option_value(name, value, { win = window, scope = 'local' })
  end
end

---@param window integer
---@return boolean
function M.is_float(window)
  return api.nvim_win_get_config(window).relative ~= ''
end

---@param buffer integer
---@return integer? window of the current tabpage
function M.window_of(buffer)
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    if api.nvim_win_get_buf(window) == buffer then
      return window
    end
  end
end

--- Whether a file may be shown in the window.
---@param window integer 0 for none
---@return boolean
function M.takes_files(window)
  if window == 0 or M.is_float(window) then
    return false
  end
  local buffer = api.nvim_win_get_buf(window)
  return not chats.of(buffer) and vim.bo[buffer].buftype == ''
end

--- The view that shows a line at the bottom of a window, with as much as fits above it. Asks only:
--- `zb` would let the cursor be seen in that window for a moment.
---@param window integer
---@param last integer 1-based
---@return integer topline
function M.topline_for(window, last)
  local height, top = vim.fn.getwininfo(window)[1].height, last -- without the winbar
  while top > 1 do
    local rows = { start_row = top - 2, end_row = last - 1 }
    if api.nvim_win_text_height(window, rows).all > height then
      break
    end
    top = top - 1
  end
  return top
end

--- A window in which a file may be shown: the previous one if it is such, else the first.
---@return integer?
function M.file_window()
  local previous = vim.fn.win_getid(vim.fn.winnr('#'))
  return M.takes_files(previous) and previous
    or vim.iter(api.nvim_tabpage_list_wins(0)):find(M.takes_files)
end

--- Run something that opens or closes windows; the others show the same lines afterwards.
---@param change fun()
local function keeping_views(change)
  local views = {}
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    if not M.is_float(window) then
      views[window] = api.nvim_win_call(window, vim.fn.winsaveview)
    end
  end
  change()
  for window, view in pairs(views) do
    if api.nvim_win_is_valid(window) then
      api.nvim_win_call(window, function()
        vim.fn.winrestview(view)
      end)
    end
  end
end

---@param whole integer columns or lines of the editor
---@return integer
local function share(whole)
  local width = options.value('ui', 'width')
  width = type(width) == 'number' and width or 0.4
  local size = width <= 1 and math.floor(whole * width) or math.floor(width)
  return math.max(1, math.min(math.max(size, 20), whole - 10))
end

---@return vim.api.keyset.win_config
local function float_config()
  local width, height = share(vim.o.columns), vim.o.lines - vim.o.cmdheight - 3
  return {
    relative = 'editor',
    row = 0,
    col = vim.o.columns - width - 2,
    width = width,
    height = math.max(height - PROMPT_HEIGHT - 2, 1),
    border = 'rounded',
  }
end

---@param window integer of the chat
---@return vim.api.keyset.win_config for its prompt
local function prompt_config(window)
  local height = api.nvim_win_get_height(window)
  if not M.is_float(window) then
    return {
      split = 'below',
      win = window,
      height = math.max(1, math.min(PROMPT_HEIGHT, math.floor(height / 3))),
    }
  end
  return vim.tbl_extend('force', float_config(), { row = height + 2, height = PROMPT_HEIGHT })
end

---@param buffer integer a chat
---@return integer window
local function open_chat(buffer)
  local layout = options.value('ui', 'layout')
  if layout == 'tab' then
    vim.cmd('tab split')
    api.nvim_win_set_buf(0, buffer)
    return api.nvim_get_current_win()
  elseif layout == 'float' then
    return api.nvim_open_win(buffer, true, float_config())
  elseif layout == 'bottom' then
    local height = share(vim.o.lines)
    return api.nvim_open_win(buffer, true, { split = 'below', win = -1, height = height })
  end
  local split = layout == 'left' and 'left' or 'right'
  local width = share(vim.o.columns)
  local window = api.nvim_open_win(buffer, true, { split = split, win = -1, width = width })
  M.dress(window, { winfixwidth = true })
  return window
end

--- A split cannot be made from a float.
local function leave_float()
  if not M.is_float(0) then
    return
  end
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    if not M.is_float(window) then
      return api.nvim_set_current_win(window)
    end
  end
end

--- Another chat that is on screen gives its windows.
---@param chat acp.Chat
local function take_windows(chat)
  for _, window in ipairs(api.nvim_tabpage_list_wins(0)) do
    local buffer = api.nvim_win_get_buf(window)
    local other = chats.of(buffer)
    if other and other ~= chat and (buffer == other.chat or buffer == other.prompt) then
      api.nvim_win_set_buf(window, buffer == other.chat and chat.chat or chat.prompt)
    end
  end
end

--- Show chat and prompt, as far as they are not to be seen, and put the cursor into the prompt.
---@param chat acp.Chat
function M.open(chat)
  keeping_views(function()
    if not M.window_of(chat.chat) and not M.window_of(chat.prompt) then
      take_windows(chat)
    end
    leave_float()
    local above, below = M.window_of(chat.chat), M.window_of(chat.prompt)
    if not above and below then
      local config = M.is_float(below) and float_config() or { split = 'above', win = below }
      above = api.nvim_open_win(chat.chat, false, config)
    end
    above = above or open_chat(chat.chat)
    below = below or api.nvim_open_win(chat.prompt, false, prompt_config(above))
    -- BufWinEnter does so, but not inside of another autocommand (VimEnter, for instance)
    M.dress(above, M.CHAT)
    M.dress(below, M.PROMPT)
    api.nvim_set_current_win(below)
  end)
  vim.cmd.stopinsert()
end

---@param window integer
local function close_window(window)
  local others = vim.tbl_filter(function(other)
    return other ~= window and not M.is_float(other)
  end, api.nvim_tabpage_list_wins(0))
  if #others == 0 and #api.nvim_list_tabpages() == 1 and not M.is_float(window) then
    api.nvim_win_call(window, vim.cmd.enew) -- the last window of Neovim cannot be closed
  else
    api.nvim_win_close(window, true)
  end
end

--- Close the windows of a chat; its buffers stay.
---@param chat acp.Chat
function M.close(chat)
  keeping_views(function()
    local back = chats.of(api.nvim_get_current_buf()) and M.file_window()
    if back then
      api.nvim_set_current_win(back)
    end
    for _, buffer in ipairs({ chat.prompt, chat.chat }) do
      local window = M.window_of(buffer)
      if window then
        close_window(window)
      end
    end
  end)
end

--- Floats do not follow the size of the editor by themselves.
---@param chat acp.Chat
function M.fit(chat)
  local above, below = M.window_of(chat.chat), M.window_of(chat.prompt)
  if above and M.is_float(above) then
    api.nvim_win_set_config(above, float_config())
    if below then
      api.nvim_win_set_config(below, prompt_config(above))
    end
  end
end

--- Show a file at a line, not in a window of ours.
---@param path string
---@param line integer? 1-based
---@param split boolean in a new window
function M.show_file(path, line, split)
  if not file_buffers.opens(path) then
    return require('acp.ui.notice').warn(('%s is not opened: it is no file'):format(path))
  end
  local window = M.file_window()
  if window then
    api.nvim_set_current_win(window)
    vim.cmd("normal! m'")
  end
  if split then
    vim.cmd.split()
  elseif not window then
    leave_float()
    vim.cmd('topleft vsplit')
  end
  file_buffers.show(path)
  if line then
    api.nvim_win_set_cursor(0, { math.max(math.min(line, api.nvim_buf_line_count(0)), 1), 0 })
  end
end

return M
