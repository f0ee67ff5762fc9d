-- The menus of pending asks: one float each. A menu opens without taking focus, changes no mode,
-- and lives exactly as long as its request: what the user closes comes back.

local apply = require('acp.apply')
local chats = require('acp.chats')
local layout = require('acp.layout')
local place = require('acp.place')

local api = vim.api

local M = {}

local RETRY_MS = 50
local HIGHLIGHTS = table.concat({
  'NormalFloat:AcpFloat',
  'FloatBorder:AcpFloatBorder',
  'FloatTitle:AcpFloatTitle',
  'FloatFooter:AcpFloatBorder',
  'CursorLine:AcpSelected',
}, ',')

---@class acp.Ask
---@field id string
---@field chat integer
---@field title string
---@field footer string
---@field ops acp.Op[]
---@field option_rows integer[] 0-based
---@field options string[] option ids, in the order of the rows
---@field detail_ops acp.Op[]
---@field detail_filetype string

---@class acp.Menu
---@field ask acp.Ask
---@field bufnr integer
---@field winid integer 0 while it could not be opened
---@field detail? integer window of the details
---@field back? integer window to go back to

---@type acp.Menu[] oldest first
local menus = {}

---@param id string?
---@return acp.Menu? menu the oldest without an id
---@return integer? index
local function find(id)
  for index, menu in ipairs(menus) do
    if id == nil or menu.ask.id == id then
      return menu, index
    end
  end
end

---@param window integer?
---@return boolean
local function valid(window)
  return window ~= nil and window ~= 0 and api.nvim_win_is_valid(window)
end

---@param window integer?
local function close_window(window)
  if valid(window) then
    api.nvim_win_close(window --[[@as integer]], true)
  end
end

---@param window integer
local function dress(window)
  layout.dress(window, {
    wrap = true,
    linebreak = true,
    conceallevel = 2,
    concealcursor = 'nc',
    foldenable = false,
    list = false,
    spell = false,
    winhighlight = HIGHLIGHTS,
    winbar = '',
  })
end

--- Leave the menu as it is and go back to where the user came from.
---@param menu acp.Menu
local function leave(menu)
  close_window(menu.detail)
  local current = api.nvim_get_current_win()
  if current ~= menu.winid then
    return
  end
  if valid(menu.back) and menu.back ~= current then
    api.nvim_set_current_win(menu.back)
  else
    vim.cmd.wincmd('p')
  end
end

---@param menu acp.Menu
---@param number integer 1-based
local function answer(menu, number)
  local option = menu.ask.options[number]
  if option then
    leave(menu)
    require('acp.bridge').notify('respond', { ask = menu.ask.id, option = option })
  end
end

---@param menu acp.Menu
---@return integer? number of the option under the cursor
local function option_here(menu)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  for number, option_row in ipairs(menu.ask.option_rows) do
    if option_row == row then
      return number
    end
  end
end

---@param menu acp.Menu
---@param buffer integer
---@param run_escape fun()
local function map_keys(menu, buffer, run_escape)
  local map = require('acp.chat').map
  for number = 1, math.min(9, #menu.ask.options) do
    map(buffer, 'n', tostring(number), 'Choose this option', function()
      answer(menu, number)
    end)
  end
  for _, key in ipairs({ 'q', '<Esc>' }) do
    map(buffer, 'n', key, 'Leave it pending', run_escape)
  end
end

---@param menu acp.Menu
local function show_detail(menu)
  if #menu.ask.detail_ops == 0 then
    return require('acp.notice').notice('there is no more to show')
  end
  local buffer = api.nvim_create_buf(false, true)
  vim.bo[buffer].bufhidden = 'wipe'
  vim.b[buffer].acp_chat = menu.ask.chat
  apply.draw(buffer, menu.ask.detail_ops)
  if menu.ask.detail_filetype ~= 'diff' then -- the marks of a diff come from the host
    vim.bo[buffer].syntax = menu.ask.detail_filetype
  end
  map_keys(menu, buffer, function()
    close_window(menu.detail)
    if valid(menu.winid) then
      api.nvim_set_current_win(menu.winid)
    end
  end)
  menu.detail = api.nvim_open_win(buffer, true, place.detail(menu.ask.title))
  dress(menu.detail)
end

---@param menu acp.Menu
local function map_menu(menu)
  local function map(key, desc, run)
    require('acp.chat').map(menu.bufnr, 'n', key, desc, run)
  end
  map_keys(menu, menu.bufnr, function()
    leave(menu)
  end)
  map('<CR>', 'Choose the option under the cursor', function()
    local number = option_here(menu)
    if number then
      answer(menu, number)
    end
  end)
  map('d', 'Show the details', function()
    show_detail(menu)
  end)
end

--- The line of the cursor is shown as selected only where <CR> would choose something.
---@param menu acp.Menu
local function mark_selected(menu)
  local here = api.nvim_get_current_win() == menu.winid and option_here(menu) ~= nil
  layout.dress(menu.winid, { cursorline = here })
end

---@param menu acp.Menu
local function watch(menu)
  api.nvim_create_autocmd({ 'CursorMoved', 'WinEnter' }, {
    buffer = menu.bufnr,
    callback = function()
      mark_selected(menu)
    end,
  })
  api.nvim_create_autocmd('WinLeave', {
    buffer = menu.bufnr,
    callback = function()
      layout.dress(0, { cursorline = false })
    end,
  })
end

---@param menu acp.Menu
local function fill(menu)
  if api.nvim_buf_is_valid(menu.bufnr) then
    return
  end
  local buffer = api.nvim_create_buf(false, true)
  vim.b[buffer].acp_chat = menu.ask.chat
  apply.draw(buffer, menu.ask.ops)
  menu.bufnr = buffer
  map_menu(menu)
  watch(menu)
end

---@param menu acp.Menu
---@param index integer
local function open(menu, index)
  local config = place.menu(menu.ask, menu.bufnr, index)
  local window = vim.tbl_extend('error', config, { noautocmd = true })
  menu.winid = api.nvim_open_win(menu.bufnr, false, window)
  dress(menu.winid)
  local first = menu.ask.option_rows[1]
  if first then
    api.nvim_win_set_cursor(menu.winid, { first + 1, 0 })
  end
end

--- Put one menu where it belongs.
---@param menu acp.Menu
---@param index integer
---@return boolean opened
local function settle(menu, index)
  fill(menu)
  local tab = api.nvim_get_current_tabpage()
  if valid(menu.winid) and api.nvim_win_get_tabpage(menu.winid) ~= tab then
    close_window(menu.winid)
  end
  if valid(menu.winid) then
    api.nvim_win_set_config(menu.winid, place.menu(menu.ask, menu.bufnr, index))
    return false
  end
  open(menu, index)
  return true
end

--- Put all menus where they belong. Neovim may refuse now (E565, E11): then soon again.
---@param silent? boolean the host need not be told of the window: it is in the answer
local function settle_all(silent)
  local refused = false
  for index, menu in ipairs(menus) do
    local ok, opened = pcall(settle, menu, index)
    if not ok then
      refused = true
    elseif opened and not (silent and index == #menus) then
      local payload = { ask = menu.ask.id, bufnr = menu.bufnr, winid = menu.winid }
      require('acp.bridge').notify('ask_window', payload)
    end
  end
  if refused then
    vim.defer_fn(function()
      settle_all()
    end, RETRY_MS)
  end
  apply.redraw()
end

---@type integer?
local group

--- Look after the menus while there are any.
local function attend()
  if #menus == 0 then
    group = group and api.nvim_del_augroup_by_id(group) --[[@as nil]]
  elseif not group then
    group = api.nvim_create_augroup('acp.ask', {})
    local events = { 'WinClosed', 'WinResized', 'VimResized', 'TabEnter', 'BufWinEnter' }
    api.nvim_create_autocmd(events, {
      group = group,
      callback = function()
        if vim.v.exiting == vim.NIL then
          vim.schedule(function()
            settle_all()
          end)
        end
      end,
    })
  end
end

--- Open the menu of an ask, or return the one that is open.
---@param ask acp.Ask
---@return { bufnr: integer, winid: integer } 0 while Neovim refuses; told later by `ask_window`
function M.open_ask(ask)
  local menu = find(ask.id)
  if not menu then
    menu = { ask = ask, bufnr = -1, winid = 0 }
    table.insert(menus, menu)
    settle_all(true)
    attend()
  end
  return { bufnr = math.max(menu.bufnr, 0), winid = menu.winid }
end

--- Close the menu of an ask; nothing if there is none.
---@param id string
function M.close_ask(id)
  local menu, index = find(id)
  if not menu then
    return
  end
  table.remove(menus, index)
  attend()
  leave(menu)
  close_window(menu.winid)
  if api.nvim_buf_is_valid(menu.bufnr) then
    api.nvim_buf_delete(menu.bufnr, { force = true })
  end
  settle_all()
end

--- Close the menus of a chat, or all.
---@param chat integer?
function M.close_of(chat)
  for _, menu in ipairs(vim.list_slice(menus)) do
    if chat == nil or menu.ask.chat == chat then
      M.close_ask(menu.ask.id)
    end
  end
end

--- Move the cursor into a menu, as the result of a user's command.
---@param id string? without it the oldest, of the current chat if it has one
---@return boolean found
function M.focus_ask(id)
  local chat = chats.of(api.nvim_get_current_buf())
  local own = chat
    and vim.iter(menus):find(function(menu)
      return menu.ask.chat == chat.chat
    end)
  local menu = id and find(id) or own or find()
  if not menu then
    return false
  end
  settle_all()
  if valid(menu.winid) and api.nvim_get_current_win() ~= menu.winid then
    menu.back = api.nvim_get_current_win()
    vim.cmd.stopinsert()
    api.nvim_set_current_win(menu.winid)
  end
  return true
end

return M
