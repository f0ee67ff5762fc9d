-- `:Acp diff`: all that agents have changed in one buffer, where keeping and rejecting work as they do
-- in the files. The host draws it and decides; here are the rows that the user means.

local apply = require('acp.ui.apply')
local bridge = require('acp.host.bridge')
local chats = require('acp.chat.registry')
local events = require('acp.ui.events')
local hunks = require('acp.review.hunks')
local keys = require('acp.ui.keys')
local layout = require('acp.ui.layout')
local notice = require('acp.ui.notice')
local places = require('acp.review.place')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

local PAUSE_MS = 100

---@alias acp.ShownHunk table of the verb `diff`: see doc/messages.md

---@class acp.Overview
---@field turn? integer
---@field by? string the sub-agent
---@field chat? integer
---@field path string where the user was
---@field hunks acp.ShownHunk[]
---@field coming? acp.ShownHunk[] of the rows that were drawn, until all are
---@field is_late? boolean it is drawn again soon

---@type table<integer, acp.Overview> by buffer
local overviews = events.by_buffer()

local function refresh(buffer)
  local shown = overviews[buffer]
  local payload = { buffer = buffer, chat = shown.chat, path = shown.path }
  payload.turn, payload.by = shown.turn, shown.by
  apply.expect(buffer, 'Reading the changes …')
  bridge.ask('diff', payload, nil, function(err)
    apply.expect(buffer, err)
  end)
end

--- Draw some rows in place of those that stand there; `op[2]` of the last ones is -1. Until then
--- nobody knows which row is which hunk.
---@param found acp.ShownHunk[] that begin in these rows
---@return boolean there the user has not closed it
function M.draw(buffer, op, found)
  local shown = overviews[buffer]
  if not shown or not api.nvim_buf_is_loaded(buffer) then
    return false
  end
  local coming, is_last = op[1] > 0 and shown.coming or {}, op[2] < 0
  vim.list_extend(coming, found)
  shown.coming, shown.hunks = coming, is_last and coming or {}
  op[2] = is_last and -1 or math.min(op[2], api.nvim_buf_line_count(buffer))
  apply.draw_whole(buffer, { op })
  return true
end

--- Whoever has changed a file, or taken a turn back: what is on screen is what there is.
function M.follow()
  for buffer, shown in pairs(overviews) do
    if not shown.is_late and vim.fn.bufwinid(buffer) ~= -1 then
      shown.is_late = true
      vim.defer_fn(function()
        shown.is_late = nil
        if overviews[buffer] then
          refresh(buffer)
        end
      end, PAUSE_MS)
    end
  end
end

---@return table? part nil if no row of it is in that range
local function part_of(hunk, range)
  local part = { path = hunk.path, key = hunk.key, line = hunk.line }
  if range then
    local first, last = range[1] - hunk.row, range[2] - hunk.row
    part.offsets = vim.list_slice(hunk.offsets, math.max(first, 1), last)
  end
  return (not range or #part.offsets > 0) and part or nil
end

---@return acp.ShownHunk? hunk under the cursor
---@return integer offset 0-based line of it
local function hunk_here()
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local hunk = vim.iter(overviews[api.nvim_get_current_buf()].hunks):find(function(it)
    return it.row <= row and row < it.row + #it.offsets
  end)
  return hunk, hunk and math.max(hunk.offsets[row - hunk.row + 1], 0) or 0
end

--- What the user means: lines, the hunk there, all of its file, or all that is shown.
---@param scope 'lines'|'hunk'|'file'|'all'
---@return table[] parts the last one first, so that the others stay where they are
local function meant_by(scope, range)
  local here, parts = hunk_here(), {}
  for _, hunk in ipairs(overviews[api.nvim_get_current_buf()].hunks) do
    local is_meant = scope == 'all'
      or scope == 'lines'
      or hunk == here
      or scope == 'file' and here ~= nil and hunk.path == here.path
    local part = is_meant and hunk.is_pending and part_of(hunk, scope == 'lines' and range or nil)
    if part then
      table.insert(parts, 1, part)
    end
  end
  return parts
end

--- Keep or reject what the current buffer, one of ours, shows in these rows.
---@param scope 'lines'|'hunk'|'file'|'all'
---@param because? string
function M.decide(verdict, scope, range, because)
  local buffer, parts = api.nvim_get_current_buf(), meant_by(scope, range)
  if #parts == 0 then
    return notice.notice('no hunk here that waits')
  end
  local said = scope == 'hunk' and 'lines' or scope
  local payload = { verdict = verdict, parts = parts, scope = said, because = because }
  bridge.call('decide_parts', payload, function(err, outcome)
    refresh(buffer)
    notice.notice(err or outcome, err ~= nil)
  end)
end

---@return string? path of the hunk under the cursor
---@return integer[]? lines
function M.place()
  local hunk = hunk_here()
  if hunk then
    return hunk.path, { hunk.line, hunk.line + vim.iter(hunk.offsets):fold(0, math.max) }
  end
end

local function jump(step)
  return function()
    local rows = vim.tbl_map(function(hunk)
      return hunk.row
    end, overviews[api.nvim_get_current_buf()].hunks)
    local row = hunks.nearest(rows, step)
    if row then
      return api.nvim_win_set_cursor(0, { row + 1, 0 })
    end
    notice.notice(('no hunk %s this'):format(step == 1 and 'after' or 'before'))
  end
end

--- Go to the line of the file.
local function go()
  local hunk, offset = hunk_here()
  if hunk then
    require('acp.review.motion').go(hunk.path, hunk.line + offset)
  end
end

local function map_keys(buffer)
  for verdict, names in pairs({ Keep = { 'a', 'gh' }, Reject = { 'x', 'gH' } }) do
    local command = ('Acp %s<CR>'):format(verdict:lower())
    for _, key in ipairs(names) do
      keys.map(buffer, 'n', key, verdict .. ' the hunk', '<Cmd>' .. command)
      keys.map(buffer, 'x', key, verdict .. ' the selected lines', "<Esc><Cmd>'<,'>" .. command)
    end
  end
  keys.map_all(buffer, {
    { 'c', 'Comment on the hunk', '<Cmd>Acp comment<CR>' },
    { 'dd', 'Nothing: a list is not a text', '<Nop>' },
    { ']h', 'Next hunk', jump(1) },
    { '[h', 'Previous hunk', jump(-1) },
    { '<CR>', 'Go to the line of the file', go },
    { 'q', 'Close the window', layout.close_here },
  })
end

---@param shown acp.Overview
local function make(shown)
  local turn = shown.turn and ('turn %d'):format(shown.turn) or 'session'
  local name = ('acp-diff://%s%s'):format(turn, shown.by and ' ' .. shown.by or '')
  local buffer = unseen.buffer(function(it)
    vim.b[it].acp_diff = true
    chats.name(it, name)
  end, { bufhidden = 'wipe', modifiable = false })
  overviews[buffer] = shown
  map_keys(buffer)
  events.on('BufEnter', 'All changes as they are now', function()
    refresh(buffer)
  end, { buffer = buffer })
  return buffer
end

--- Show all changes of the session, or of one of its turns, in a window of their own.
---@param part { turn?: integer, by?: string }
function M.open(part)
  local chat = chats.current()
  local path = places.file_here() or ''
  local shown = { chat = chat and chat.chat, path = path, hunks = {} }
  shown.turn, shown.by = part.turn, part.by
  local buffer = make(shown)
  local files = layout.file_window()
  if files and not layout.takes_files(api.nvim_get_current_win()) then
    api.nvim_set_current_win(files)
  end
  local window = layout.split(buffer)
  for option, value in pairs({ number = false, relativenumber = false, signcolumn = 'no' }) do
    api.nvim_set_option_value(option, value, { win = window, scope = 'local' })
  end
end

return M
