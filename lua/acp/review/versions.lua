-- `:Acp compare`: what several worktrees have made of the same files, in a tabpage of its own. A list
-- of the agents and files, and beside it, or below where there is little room, columns in diff mode:
-- the user's own file first, then the versions. The host knows what is in them.

local apply = require('acp.ui.apply')
local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local cells = require('acp.ui.cells')
local dress = require('acp.ui.dress')
local events = require('acp.ui.events')
local hands = require('acp.files.hands')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')
local removed_lines = require('acp.review.removed_lines')
local sides = require('acp.ui.sides')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

local LIST, LONGEST, COLUMN, WIDE, ROWS = 34, 40, 40, 120, 8
local namespace = api.nvim_create_namespace('acp_versions')

---@class acp.Versions
---@field number integer the host's
---@field files integer how many there are
---@field first integer 0-based row of the first file
---@field list integer buffer
---@field window integer of the list
---@field file integer 0-based, the one that is shown
---@field shown? table what the host has told of it
---@field offset integer versions that are left of the first column
---@field columns integer[] windows, the user's own first
---@field names table<integer, string> worktrees by buffers
---@field layout? string for what it was laid out last

---@type acp.Versions?
local this

local function is_wide()
  return vim.o.columns >= WIDE
end

---@return integer columns of the list, as its rows need them
local function list_width()
  local width = LIST
  for _, line in ipairs(api.nvim_buf_get_lines(this.list, 0, -1, true)) do
    width = math.max(width, math.min(LONGEST, api.nvim_strwidth(line)))
  end
  return width
end

---@return integer how many versions there is room for
local function room()
  local width = vim.o.columns - (is_wide() and list_width() or 0)
  return math.max(1, math.floor(width / COLUMN) - 1)
end

--- Where lines between two rows of a text stand in another one.
---@param above integer rows above them
---@param changes integer[][] as `vim.diff` tells them, of both texts
local function across(above, changes)
  local shift = 0
  for _, it in ipairs(changes) do
    local first = it[2] > 0 and it[1] - 1 or it[1]
    local there = it[4] > 0 and it[3] - 1 or it[3]
    if above <= first then
      break
    elseif above < first + it[2] then
      return there + math.min(above - first, it[4])
    end
    shift = there + it[4] - first - it[2]
  end
  return above + shift
end

local function text_of(buffer)
  return table.concat(api.nvim_buf_get_lines(buffer, 0, -1, true), '\n') .. '\n'
end

--- Called when the marks of a review were drawn: where removed lines stand in the user's own column,
--- the versions have fillers, as Neovim puts them for lines that are only on one side.
---@param own integer buffer
function M.fill(own)
  local window = this and this.columns[1]
  if not window or not api.nvim_win_is_valid(window) or api.nvim_win_get_buf(window) ~= own then
    return
  end
  local sign = vim.opt.fillchars:get().diff or '-'
  local review = api.nvim_create_namespace('acp_review')
  local options = { details = true, type = 'virt_lines' }
  local marks = api.nvim_buf_get_extmarks(own, review, 0, -1, options)
  for buffer in pairs(this.names) do
    api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
    local how = { result_type = 'indices' }
    local changes = #marks > 0 and vim.diff(text_of(own), text_of(buffer), how) or {}
    local on_top = 0
    for _, mark in ipairs(marks) do
      local above, count = mark[2] + (mark[4].virt_lines_above and 0 or 1), #mark[4].virt_lines
      above = across(above, changes --[[@as integer[][] ]])
      local filler = { { sign:rep(vim.o.columns), 'DiffDelete' } }
      local fillers = { virt_lines = {}, virt_lines_above = above == 0 }
      for index = 1, count do
        fillers.virt_lines[index] = filler
      end
      pcall(api.nvim_buf_set_extmark, buffer, namespace, math.max(above - 1, 0), 0, fillers)
      on_top = on_top + (above == 0 and count or 0)
    end
    removed_lines.set_above(buffer, on_top)
  end
end

local function close_columns()
  for _, window in ipairs(this.columns) do
    if api.nvim_win_is_valid(window) then
      sides.undress(window)
      pcall(api.nvim_win_close, window, true)
    end
  end
  this.columns = {}
end

--- Close it: the tabpage goes, but for windows that the user has opened in it.
local function close()
  if not this then
    return
  end
  events.leave('acp_versions')
  if #api.nvim_list_tabpages() == 1 then
    vim.cmd('tab split | tabprevious')
  end
  close_columns()
  if api.nvim_win_is_valid(this.window) then
    pcall(api.nvim_win_close, this.window, true)
  end
  unseen.delete(this.list)
  bridge.tell_running('versions_closed', { number = this.number })
  this = nil
end

---@return string by what its windows are others
local function layout_of()
  return ('%s %d'):format(is_wide(), room())
end

local show

---@param step integer
local function turn(step)
  return function()
    local hidden = this and this.shown and #this.shown.columns - room() or 0
    if not this or hidden <= 0 then
      return notice.notice('all versions of this file are on the screen')
    end
    this.offset = (this.offset + step) % (hidden + 1)
    show(this.shown, 1)
  end
end

---@param file integer
---@param column? integer where the cursor goes
local function load(file, column)
  local mine = this
  bridge.ask('versions_file', { number = this.number, file = file }, function(found)
    if this == mine then
      this.file, this.offset = file, this.file == file and this.offset or 0
      hands.calmly('the comparison', show, found, column)
    end
  end)
end

--- Bring the hunk at the cursor into the user's file.
local function take()
  local name = this and this.names[api.nvim_get_current_buf()]
  if not this or not name then
    return notice.notice('do takes a hunk in the column of a version')
  end
  local line = api.nvim_win_get_cursor(0)[1]
  local mine = this
  local payload = { number = this.number, file = this.file, name = name, line = line }
  bridge.ask('versions_take', payload, function(said)
    notice.notice(said)
    if this == mine and this.shown.path == '' then
      load(this.file, 1) -- it is there now
    end
  end)
end

---@param step integer
local function go(step)
  return function()
    if this and this.files > 0 then
      load((this.file + step) % this.files, 1)
    end
  end
end

local function map(buffer)
  keys.map(buffer, 'n', 'do', 'Take the hunk into your own file', take, 'take-version')
  keys.map(buffer, 'n', '<Tab>', 'Next version', turn(1), 'next-version')
  keys.map(buffer, 'n', '<S-Tab>', 'Previous version', turn(-1), 'previous-version')
  keys.map(buffer, 'n', ']f', 'Next file', go(1), 'next-compared')
  keys.map(buffer, 'n', '[f', 'Previous file', go(-1), 'previous-compared')
  keys.map(buffer, 'n', 'q', 'Close the comparison', close, 'close')
end

---@param side { title: string }
---@param note string what can be done there
local function add_column(buffer, side, note)
  local beside = this.columns[#this.columns] or is_wide() and this.window
  local config = { win = beside or this.window, split = beside and 'right' or 'below' }
  local window = api.nvim_open_win(buffer, false, config)
  local form = '%%#AcpFloatTitle# %s %%*%%#AcpDim#%%<%s %%=%s '
  vim.wo[window][0].winbar = form:format(unpack(vim.tbl_map(cells.literal, {
    side.title,
    this.shown.name,
    note,
  })))
  table.insert(this.columns, window)
end

local function level()
  if is_wide() then
    api.nvim_win_set_width(this.window, list_width())
  else
    local rows = math.min(api.nvim_buf_line_count(this.list), ROWS)
    api.nvim_win_set_height(this.window, math.max(rows, 1) + 1)
  end
  local width = vim.o.columns - (is_wide() and list_width() + 1 or 0)
  for _, window in ipairs(this.columns) do
    api.nvim_win_set_width(window, math.floor(width / #this.columns) - 1)
    api.nvim_win_call(window, vim.cmd.diffthis)
  end
end

--- Show a file: the user's own, and as many versions as there is room for.
---@param found table as `versions_file` answers
---@param column? integer where the cursor goes, 0 the user's own, 1 the first version; nil: it stays in the list
---@param line? integer where it goes there; nil: to the first change
function show(found, column, line)
  this.shown, this.names, this.layout = found, {}, layout_of()
  api.nvim_set_current_win(this.window)
  close_columns()
  local key = 'versions'
  local own = { name = found.name .. ': ' .. found.title }
  own.path = found.path ~= '' and found.path or nil
  own.file = found.file
  local users = sides.buffer(key, own, map)
  local count = math.min(room(), #found.columns)
  local hidden = #found.columns - count
  this.offset = math.min(this.offset, hidden)
  add_column(users, found, '')
  for index = 1, count do
    local version = found.columns[this.offset + index]
    local name = ('%s: %s'):format(found.name, version.name)
    local side = { name = name, lines = version.lines, file = found.file }
    local buffer = sides.buffer(key, side, map)
    sides.dress(side, buffer, users)
    this.names[buffer] = version.name
    local note = index == 1 and 'do takes it' or ''
    if index == count and hidden > 0 then
      note = ('%d more: <Tab>'):format(hidden)
    end
    add_column(buffer, version, note)
  end
  level()
  M.fill(users)
  local index = math.min(column or 1, #this.columns - 1)
  api.nvim_set_current_win(this.columns[index + 1])
  local first = index > 0 and found.columns[this.offset + index].line or 1
  pcall(api.nvim_win_set_cursor, 0, { line or first, 0 })
  vim.cmd('normal! zvzz')
  vim.cmd('syncbind')
  api.nvim_win_set_cursor(this.window, { this.first + this.file + 1, 0 })
  if not column then
    api.nvim_set_current_win(this.window)
  end
end

--- Lay it out for the size that Neovim has now; the cursor stays in its column.
local function lay_out()
  if not this.shown then
    return
  end
  this.columns = vim.tbl_filter(api.nvim_win_is_valid, this.columns)
  if this.layout == layout_of() then
    return level()
  end
  local column
  for index, window in ipairs(this.columns) do
    column = window == api.nvim_get_current_win() and index - 1 or column
  end
  show(this.shown, column, column and api.nvim_win_get_cursor(0)[1])
end

--- Neovim aligns what is above the first line by what differs only: here are removed lines, too.
local function align_top()
  local window = api.nvim_get_current_win()
  if vim.tbl_contains(this.columns, window) and vim.fn.line('w0') == 1 then
    local top = vim.fn.winsaveview().topfill
    for _, other in ipairs(this.columns) do
      if api.nvim_win_is_valid(other) and vim.fn.line('w0', other) == 1 then
        unseen.scroll(other, { topfill = top })
      end
    end
  end
end

--- Follow the size of Neovim's window, and windows that come and go beside the columns; what the
--- user makes wider or narrower among them stays.
local function follow()
  local on, size = events.group('acp_versions'), nil
  on('WinScrolled', 'What is above the first line is level', align_top)
  on({ 'VimResized', 'WinResized', 'TabEnter' }, 'The columns fit', function()
    if not this or not api.nvim_win_is_valid(this.window) or not hands.are_off() then
      return
    end
    local tabpage = api.nvim_win_get_tabpage(this.window)
    local windows = #api.nvim_tabpage_list_wins(tabpage)
    local now = { vim.o.columns, vim.o.lines, windows, list_width() }
    if tabpage == api.nvim_get_current_tabpage() and not vim.deep_equal(now, size) then
      size = now
      lay_out()
    end
  end, { later = true })
end

---@param found table as `versions` answers
local function begin(found)
  close()
  vim.cmd('tab split')
  local window, list = api.nvim_get_current_win(), chats.list('acp-versions')
  api.nvim_win_set_buf(window, list)
  dress.window(window, dress.LIST)
  vim.wo[window][0].winbar = ''
  local mine = { number = found.number, files = found.files, first = found.first, list = list }
  this = mine
  this.window, this.file, this.offset, this.columns, this.names = window, 0, 0, {}, {}
  apply.draw_whole(list, found.ops)
  map(list)
  keys.map(list, 'n', '<CR>', 'Compare the versions of this file', function()
    local file = api.nvim_win_get_cursor(0)[1] - 1 - this.first
    if file < 0 or file >= this.files then
      return notice.notice('there is no file in this row')
    end
    load(file, 1)
  end, 'open-compared')
  events.on('BufWipeout', 'The comparison is closed', function()
    if this == mine then
      close()
    end
  end, { buffer = list, once = true, later = true })
  follow()
  if this.files > 0 then
    load(0)
  end
  bridge.ask('versions_checked', { number = this.number }, function(checked)
    if checked and this == mine and api.nvim_buf_is_loaded(list) then
      apply.draw_whole(list, checked.ops)
      api.nvim_exec_autocmds('TabEnter', { group = 'acp_versions' }) -- the rows are longer now
    end
  end)
end

--- Compare worktrees of the project.
---@param payload { names: string[], file: string, cwd: string, chat?: integer } no names: all
function M.open(payload)
  bridge.ask('versions', payload, function(found)
    hands.calmly('the comparison', function()
      layout.leave_float()
      begin(found)
    end)
  end)
end

return M
