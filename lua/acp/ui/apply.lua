-- Carries out what the host has drawn: ops on buffers, their status and winbar, then events. It
-- decides nothing. The shapes are in doc/messages.md, "Host → Lua"; windows and floats of the
-- plugin draw their text with `draw` too.

local bar = require('acp.ui.bar')
local chats = require('acp.chat.registry')
local life = require('acp.ui.life')
local tail = require('acp.ui.tail')
local unseen = require('acp.ui.unseen')

local api = vim.api

require('acp.host.lazy').interpreted()

local M = {}

M.namespace = api.nvim_create_namespace('acp')

local FEW = 8 -- lines whose marks are taken away one by one
local EXPECTED = 1 -- the mark that tells of what is not drawn yet

---@alias acp.Mark { [1]: integer, [2]: integer, [3]: vim.api.keyset.set_extmark }
---@alias acp.Kind vim.api.keyset.set_extmark
---@alias acp.Op { [1]: integer, [2]: integer, [3]: string[], [4]: acp.Mark[]|integer[], [5]?: acp.Kind[] }
---@alias acp.BufferFrame table see doc/messages.md, "Host → Lua"
---@alias acp.Frame table see doc/messages.md, "Host → Lua"

--- Replace lines.
---@return vim.api.keyset.get_extmark_item[] gone marks of the lines that went, which are to go, too
local function set_lines(buffer, first, last, lines)
  local gone = {}
  if last > first and last - first <= FEW then
    local range = { { first, 0 }, { last - 1, -1 } }
    gone = api.nvim_buf_get_extmarks(buffer, M.namespace, range[1], range[2], {})
  elseif last ~= first then
    api.nvim_buf_clear_namespace(buffer, M.namespace, first, last)
  end
  api.nvim_buf_set_lines(buffer, first, last, true, lines)
  return gone
end

---@type table<string, true>
local logged = {}

--- Tell the log, once, of what Neovim does not show.
local function log(what, err)
  local text = ('%s: %s'):format(what, err)
  if not logged[text] then
    logged[text] = true
    require('acp.host.log').line(text)
  end
end

--- Put lines in place of others; one that Neovim never takes becomes a row that says so.
---@return vim.api.keyset.get_extmark_item[] gone
local function put_lines(buffer, first, last, lines)
  local ok, found = pcall(set_lines, buffer, first, last, lines)
  if ok then
    return found
  end
  local shown = vim.tbl_map(function(line)
    local fits = type(line) == 'string' and not line:find('\n', 1, true)
    return fits and line or '! this cannot be shown (Neovim does not take it)'
  end, lines)
  if vim.deep_equal(shown, lines) then
    error(found, 0)
  end
  log('a line was not drawn', found)
  return set_lines(buffer, first, last, shown)
end

---@param options vim.api.keyset.set_extmark
local function set_mark(buffer, row, column, options)
  if options.hl_eol then -- the whole line, with its end
    options.end_row, options.end_col = row + 1, 0
  end
  local ok, err = pcall(api.nvim_buf_set_extmark, buffer, M.namespace, row, column, options)
  if not ok then
    log('a mark was not drawn', err)
  end
end

---@param due { op: acp.Op, gone: vim.api.keyset.get_extmark_item[] } its lines are there, but not its marks
local function paint(buffer, due)
  local first, _, _, marks, kinds = unpack(due.op, 1, 5)
  for _, mark in ipairs(due.gone) do
    api.nvim_buf_del_extmark(buffer, M.namespace, mark[1])
  end
  if not kinds then
    for _, mark in ipairs(marks) do
      mark[3].strict = false
      set_mark(buffer, first + mark[1], mark[2], mark[3])
    end
    return
  end
  for _, kind in ipairs(kinds) do
    kind.strict = false
  end
  for at = 1, #marks, 4 do -- numbers: a table each would cost as much as the mark
    local kind, last_column = kinds[marks[at + 3]], marks[at + 2]
    kind.end_col = last_column >= 0 and last_column or nil
    set_mark(buffer, first + marks[at], marks[at + 1], kind)
  end
end

--- Carry out ops. Where lines come or go Neovim must not hear of marks before it does of them: it would
--- draw all of the window anew, for rows that are to be drawn may be others by then.
local function replace(buffer, ops)
  local due, reached = {}, 0
  local function paint_all()
    for _, it in ipairs(due) do
      paint(buffer, it)
    end
    due = {}
  end
  for _, op in ipairs(ops) do
    if op[1] < reached then
      paint_all() -- their rows become others
    end
    table.insert(due, { op = op, gone = put_lines(buffer, op[1], op[2], op[3]) })
    reached = op[1] + #op[3]
  end
  paint_all()
end

--- Carry out ops on a buffer that the user cannot modify. Raises when Neovim refuses (E565), and
--- the ops may then be half done.
function M.draw(buffer, ops)
  local here = { buf = buffer }
  unseen.quietly(function()
    api.nvim_set_option_value('modifiable', true, here)
    local ok, err = pcall(replace, buffer, ops)
    api.nvim_set_option_value('modifiable', false, here)
    api.nvim_set_option_value('modified', false, here)
    if not ok then
      error(err, 0)
    end
  end)
end

--- Say what comes in a buffer in which nothing is drawn yet, or why it does not; the first drawing
--- takes that away.
---@param buffer? integer
function M.expect(buffer, text)
  if buffer and api.nvim_buf_is_valid(buffer) and api.nvim_buf_get_offset(buffer, 1) <= 1 then
    local said = { { text, 'AcpDim' } }
    local options = { id = EXPECTED, virt_text = said, virt_text_pos = 'overlay' }
    api.nvim_buf_set_extmark(buffer, M.namespace, 0, 0, options)
  end
end

---@param line integer 1-based
---@return integer line where that line is after the ops
local function moved(line, ops)
  for _, op in ipairs(ops) do
    local first, last, count = op[1], op[2], #op[3]
    if last >= 0 and line > last then
      line = line + count - (last - first)
    elseif line > first then
      line = math.max(math.min(line, first + count), 1)
    end
  end
  return line
end

---@class acp.View
---@field window integer
---@field follows boolean the cursor was on the last line, so it goes to the new one
---@field cursor? integer[] if it does not
---@field topline? integer

local function views(buffer, is_list)
  local selecting = api.nvim_get_mode().mode:find('^[vVsS\22\19]') and api.nvim_get_current_win()
  local found = vim.fn.win_findbuf(buffer)
  for index, window in ipairs(found) do
    local view = { window = window }
    view.follows = not is_list and window ~= selecting and tail.is_at(window)
    if not view.follows then
      view.cursor, view.topline = api.nvim_win_get_cursor(window), vim.fn.line('w0', window)
    end
    found[index] = view
  end
  return found
end

--- A replaced line would take the cursor and the top line away with it: put them back.
local function keep(view, ops)
  local line, topline = moved(view.cursor[1], ops), moved(view.topline, ops)
  local cursor = api.nvim_win_get_cursor(view.window)
  if cursor[1] == line and vim.fn.line('w0', view.window) == topline then
    return
  end
  unseen.scroll(view.window, { lnum = line, col = view.cursor[2], topline = topline })
end

--- Whether ops only add lines, or more text to some: then no row of the text goes.
---@param buffer integer as it is before them
local function only_grows(buffer, ops)
  local first, last, lines, _, kinds = unpack(ops[1], 1, 5)
  for row, line in ipairs(api.nvim_buf_get_lines(buffer, first, last, true)) do
    if not lines[row] or not vim.startswith(lines[row], line) then
      return false
    end
  end
  for _, kind in ipairs(kinds or {}) do
    if kind.virt_text_pos == 'inline' then
      return false
    end
  end
  return #ops == 1
end

local function draw_in_windows(buffer, ops, is_list)
  local before = views(buffer, is_list)
  local old_count = api.nvim_buf_line_count(buffer)
  local has_grown = not is_list and #before > 0 and only_grows(buffer, ops)
  M.draw(buffer, ops)
  for _, view in ipairs(before) do
    if view.follows then
      tail.follow(view.window, has_grown)
    else
      keep(view, ops)
      if not is_list then
        tail.settle(view.window, old_count)
      end
    end
  end
end

--- Draw a buffer as a whole; its windows show what they showed.
function M.draw_whole(buffer, ops)
  draw_in_windows(buffer, ops, true)
end

local function set_status(buffer, status)
  if chats.tell(buffer, status) then
    bar.rename(assert(chats.of(buffer)))
  end
  life.set(buffer, status)
end

--- Do what can fail by itself: the text of the chat is on screen all the same. What Neovim only
--- refuses now is raised, to be done again.
---@param run function
local function try(what, run, ...)
  local ok, err = pcall(run, ...)
  if not ok and tostring(err):find('E565', 1, true) then
    error(err, 0)
  elseif not ok then
    log(what, err)
  end
end

---@param part acp.BufferFrame
local function draw_buffer(part)
  local is_drawn = part.ops ~= nil and #part.ops > 0
  if is_drawn then
    draw_in_windows(part.bufnr, part.ops, vim.b[part.bufnr].acp_list ~= nil)
  end
  if is_drawn and not part.status then -- which draws its row, or takes it away
    life.follow(part.bufnr)
  end
  if part.status then
    try('a status was not set', set_status, part.bufnr, part.status)
  end
  if part.winbar then
    try('a bar was not drawn', bar.set, part.bufnr, part.winbar, is_drawn)
  end
end

--- Show what was drawn where Neovim itself would show it only after the next key: while it reads a
--- command line, an answer or a key. Not over a list that the user is to read.
function M.redraw()
  local state = vim.fn.state('sS')
  local reads = api.nvim_get_mode().mode:find('^[cr]') or state:find('S', 1, true)
  if reads and not state:find('s', 1, true) then
    vim.cmd.redraw()
  end
end

---@type table<string, true>
local reported = {}

--- Fire one User autocommand. A handler that fails is the user's: told once, and never as the error
--- of several lines that Neovim would make of it, which waits for <CR>.
---@param data table
local function fire(name, data)
  if data.ask and vim.endswith(name, 'Requested') then
    require('acp.ask.answer').came(data.ask, true)
  end
  local arguments = { 'User', { pattern = name, data = data, modeline = false } }
  local ok, err = pcall(api.nvim_call_function, 'nvim_exec_autocmds', arguments)
  if not ok and not reported[name] then
    reported[name] = true
    require('acp.ui.notice').warn(('a handler of User %s failed: %s'):format(name, err))
  end
end

---@param events { name: string, data: table }[]
local function fire_later(events)
  if #events == 0 then
    return
  end
  vim.schedule(function()
    for _, event in ipairs(events) do
      fire(event.name, event.data)
    end
  end)
end

--- Draw a frame of the host.
---@return { failed: integer[], gone: integer[] } to be sent again whole; to be forgotten
function M.frame(frame)
  local result = { failed = {}, gone = {} }
  for _, part in ipairs(frame.buffers) do
    if not api.nvim_buf_is_loaded(part.bufnr) then
      table.insert(result.gone, part.bufnr)
    else
      local ok, err = pcall(unseen.quietly, draw_buffer, part)
      if not ok then
        table.insert(result.failed, part.bufnr)
        require('acp.host.log').line(('buffer %d was not drawn: %s'):format(part.bufnr, err))
      end
    end
  end
  M.redraw()
  fire_later(frame.events)
  return result
end

return M
