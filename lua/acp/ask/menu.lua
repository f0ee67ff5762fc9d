-- One menu: its buffer, its window, its keys and its details; the keys of a form are in `acp.ask.form`.
-- `acp.ask.menus` decides when it opens and closes.

local apply = require('acp.ui.apply')
local bridge = require('acp.host.bridge')
local evidence = require('acp.ask.evidence')
local float = require('acp.ui.float')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')
local place = require('acp.ui.place')

local api = vim.api

local M = {}

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
---@field comparable? integer number of files that can be shown side by side
---@field form? acp.FormRow[] of an elicitation; empty for a permission

---@class acp.Menu
---@field ask acp.Ask
---@field bufnr integer
---@field winid integer 0 while it could not be opened
---@field detail? integer window of the details
---@field drawn? integer the buffer that has its text and keys
---@field back? integer window to go back to
---@field file? integer number of the file that is shown side by side, from 0
---@field settle fun() puts all menus where they belong
---@field refused? boolean Neovim has refused to open it at least once

--- Leave the menu as it is and go back to where the user came from.
---@param menu acp.Menu
function M.leave(menu)
  float.close(menu.detail)
  if evidence.is_here(menu) then
    return evidence.close(menu)
  end
  local current = api.nvim_get_current_win()
  if current ~= menu.winid then
    return
  end
  if float.is_open(menu.back) and menu.back ~= current then
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
    M.leave(menu)
    bridge.notify('respond', { ask = menu.ask.id, option = option })
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
  local map = keys.map
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
    return require('acp.ui.notice').notice('there is no more to show')
  end
  local buffer = float.fill(menu.ask.detail_ops, menu.ask.chat)
  if menu.ask.detail_filetype ~= 'diff' then -- the marks of a diff come from the host
    vim.bo[buffer].syntax = menu.ask.detail_filetype
  end
  map_keys(menu, buffer, function()
    float.close(menu.detail)
    if float.is_open(menu.winid) then
      api.nvim_set_current_win(menu.winid)
    end
  end)
  menu.detail = float.open(buffer, true, place.detail(menu.ask.title, buffer))
end

--- Map the keys that show what it is about.
---@param menu acp.Menu
---@param buffer integer of the menu, or a side of a comparison
local function map_shows(menu, buffer)
  local map = keys.map
  map(buffer, 'n', 'd', 'Show the files side by side, or the details', function()
    if (menu.ask.comparable or 0) == 0 then
      return show_detail(menu)
    end
    evidence.show(menu, function(side)
      map_shows(menu, side)
      map_keys(menu, side, function()
        evidence.close(menu)
      end)
    end)
  end)
  map(buffer, 'n', 'D', 'Show the details', function()
    show_detail(menu)
  end)
end

---@param menu acp.Menu
local function map_menu(menu)
  if #(menu.ask.form or {}) > 0 then
    return require('acp.ask.form').map(menu, function()
      M.leave(menu)
    end)
  end
  local function map(key, desc, run)
    keys.map(menu.bufnr, 'n', key, desc, run)
  end
  map_keys(menu, menu.bufnr, function()
    M.leave(menu)
  end)
  map('<CR>', 'Choose the option under the cursor', function()
    local number = option_here(menu)
    if number then
      answer(menu, number)
    end
  end)
  map_shows(menu, menu.bufnr)
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

--- Make its buffer, as far as it is not made.
---@param menu acp.Menu
function M.fill(menu)
  if not api.nvim_buf_is_valid(menu.bufnr) then
    menu.bufnr = api.nvim_create_buf(false, true)
    vim.b[menu.bufnr].acp_chat = menu.ask.chat
  end
  if menu.drawn ~= menu.bufnr then
    apply.draw(menu.bufnr, menu.ask.ops)
    map_menu(menu)
    watch(menu)
    menu.drawn = menu.bufnr
  end
end

--- Show what it looks like now; the cursor goes along with its row.
---@param menu acp.Menu
---@param ask acp.Ask the same, drawn anew
function M.redraw(menu, ask)
  local number = float.is_open(menu.winid)
    and api.nvim_win_call(menu.winid, function()
      return option_here(menu)
    end)
  menu.ask = ask
  if menu.drawn == menu.bufnr and api.nvim_buf_is_valid(menu.bufnr) then
    apply.draw(menu.bufnr, ask.ops)
  end
  if number and ask.option_rows[number] then
    api.nvim_win_set_cursor(menu.winid, { ask.option_rows[number] + 1, 0 })
    mark_selected(menu)
  end
end

--- Open its window, which gets no focus, with the cursor on the first option.
---@param menu acp.Menu
---@param index integer
function M.open(menu, index)
  local is_below = evidence.is_here(menu)
  local config = is_below and evidence.window(menu) or place.menu(menu.ask, menu.bufnr, index)
  local window = vim.tbl_extend('error', config, { noautocmd = true })
  menu.winid = float.open(menu.bufnr, false, window)
  if is_below then
    local bare = { number = false, relativenumber = false, signcolumn = 'no', foldcolumn = '0' }
    layout.dress(menu.winid, bare)
    layout.dress(menu.winid, { winbar = evidence.winbar(menu), winfixheight = true })
  end
  M.show_options(menu)
end

--- Put the cursor on the first option, with all of them to be seen: what is above them may not fit.
---@param menu acp.Menu
function M.show_options(menu)
  local rows = menu.ask.option_rows
  if #rows > 0 and api.nvim_get_current_win() ~= menu.winid then
    local topline = layout.topline_for(menu.winid, rows[#rows] + 1)
    api.nvim_win_call(menu.winid, function()
      vim.fn.winrestview({ topline = topline, lnum = rows[1] + 1, col = 0 })
    end)
  end
end

--- Close its windows and wipe its buffer. Raises when Neovim refuses now; may be called again.
---@param menu acp.Menu
function M.destroy(menu)
  M.leave(menu)
  evidence.close(menu)
  float.close(menu.winid)
  if api.nvim_buf_is_valid(menu.bufnr) then
    api.nvim_buf_delete(menu.bufnr, { force = true })
  end
end

return M
