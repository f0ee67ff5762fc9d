-- `:Acp diff`: all that agents have changed in one buffer, where keeping and rejecting work as they do
-- in the files. The host draws it and decides; here are the rows that the user means.

local apply = require('acp.ui.apply')
local bridge = require('acp.host.bridge')
local buffers = require('acp.files.buffers')
local chats = require('acp.chat.registry')
local hunks = require('acp.review.hunks')
local keys = require('acp.ui.keys')
local notice = require('acp.ui.notice')
local unseen = require('acp.ui.unseen')

local api = vim.api

local M = {}

local WHOLE = -1
local PAUSE_MS = 100

---@class acp.ShownHunk
---@field row integer 0-based, of its first row
---@field path string
---@field key string
---@field line integer 1-based, in the file
---@field offsets integer[] for each row the 0-based line of the hunk; -1: the whole, -2: none
---@field is_pending boolean

---@class acp.Overview
---@field turn? integer
---@field by? string the sub-agent
---@field chat? integer
---@field path string where the user was
---@field hunks acp.ShownHunk[]
---@field coming? acp.ShownHunk[] of the rows that were drawn, until all are
---@field is_late? boolean it is drawn again soon

---@type table<integer, acp.Overview> by buffer
local overviews = {}

---@param buffer integer
local function refresh(buffer)
  local shown = overviews[buffer]
  local payload = { buffer = buffer, chat = shown.chat, path = shown.path }
  payload.turn, payload.by = shown.turn, shown.by
  bridge.call('diff', payload, function(err)
    if err then
      notice.warn(err)
    end
  end)
end

--- Draw some rows in place of those that stand there; `op[2]` of the last ones is -1. Until then
--- nobody knows which row is which hunk.
---@param buffer integer
---@param op acp.Op
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

-- Whoever has changed a file, or taken a turn back: what is on screen is what there is.
hunks.listen(function()
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
end)

---@param hunk acp.ShownHunk
---@param first integer 0-based row
---@param last integer inclusive
---@return table? part nil if no line of it is in these rows
local function part_of(hunk, first, last)
  local part = { path = hunk.path, key = hunk.key, line = hunk.line }
  local lines, meant, least, most = 0, 0, math.huge, WHOLE
  for index, offset in ipairs(hunk.offsets) do
    local row = hunk.row + index - 1
    local is_in = first <= row and row <= last
    if is_in and offset == WHOLE then
      return part
    end
    lines = lines + (offset >= 0 and 1 or 0)
    if is_in and offset >= 0 then
      meant = meant + 1
      least, most = math.min(least, offset), math.max(most, offset)
    end
  end
  if meant > 0 and meant < lines then
    part.first, part.last = least, most
  end
  return meant > 0 and part or nil
end

---@param all acp.ShownHunk[]
---@param row integer 0-based
---@return acp.ShownHunk?
local function hunk_at(all, row)
  return vim.iter(all):find(function(hunk)
    return hunk.row <= row and row < hunk.row + #hunk.offsets
  end)
end

--- What the user means: lines, the hunk there, all of its file, or all that is shown.
---@param all acp.ShownHunk[]
---@param scope 'lines'|'hunk'|'file'|'all'
---@param range? integer[] 1-based, inclusive
---@return table[] parts the last one first, so that the others stay where they are
local function meant_by(all, scope, range)
  local here = hunk_at(all, api.nvim_win_get_cursor(0)[1] - 1)
  local parts = {}
  for _, hunk in ipairs(all) do
    local is_meant = scope == 'all'
      or hunk == here
      or scope == 'file' and here ~= nil and hunk.path == here.path
    local part = is_meant and { path = hunk.path, key = hunk.key, line = hunk.line }
    if scope == 'lines' and range then
      part = part_of(hunk, range[1] - 1, range[2] - 1)
    end
    if part and hunk.is_pending then
      table.insert(parts, 1, part)
    end
  end
  return parts
end

--- Keep or reject what the current buffer, one of ours, shows in these rows.
---@param verdict acp.Verdict
---@param scope 'lines'|'hunk'|'file'|'all'
---@param range? integer[] 1-based, inclusive
---@param because? string
function M.decide(verdict, scope, range, because)
  local buffer = api.nvim_get_current_buf()
  local parts = meant_by(overviews[buffer].hunks, scope, range)
  if #parts == 0 then
    return notice.notice('no hunk here that waits')
  end
  local said = scope == 'hunk' and 'lines' or scope
  local payload = { verdict = verdict, parts = parts, scope = said, because = because }
  bridge.call('decide_parts', payload, function(err, outcome)
    refresh(buffer)
    if err then
      return notice.warn(err)
    end
    notice.notice(outcome)
  end)
end

---@param step 1|-1
local function jump(step)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local all = overviews[api.nvim_get_current_buf()].hunks
  for index = step == 1 and 1 or #all, step == 1 and #all or 1, step do
    if (all[index].row - row) * step > 0 then
      return api.nvim_win_set_cursor(0, { all[index].row + 1, 0 })
    end
  end
  notice.notice(('no hunk %s this'):format(step == 1 and 'after' or 'before'))
end

--- Go to the line of the file.
local function go()
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local hunk = hunk_at(overviews[api.nvim_get_current_buf()].hunks, row)
  if hunk then
    local offset = math.max(hunk.offsets[row - hunk.row + 1], 0)
    require('acp.review.motion').go(hunk.path, hunk.line + offset)
  end
end

--- Write a comment on the hunk, and come back.
local function comment()
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local hunk = hunk_at(overviews[api.nvim_get_current_buf()].hunks, row)
  if not hunk then
    return notice.notice('no hunk here')
  end
  local most = vim.iter(hunk.offsets):fold(0, math.max)
  require('acp.review.comments').write_on(hunk.path, { hunk.line, hunk.line + most })
end

---@param buffer integer
local function map_keys(buffer)
  local map = keys.map
  for _, key in ipairs({ { 'a', 'gh', 'Keep' }, { 'x', 'gH', 'Reject' } }) do
    local command = ('Acp %s'):format(key[3]:lower())
    for _, each in ipairs({ key[1], key[2] }) do
      map(buffer, 'n', each, key[3] .. ' the hunk', function()
        vim.cmd(command)
      end)
      map(buffer, 'x', each, key[3] .. ' the selected lines', function()
        vim.cmd(('execute "normal! \\<Esc>" | \'<,\'>%s'):format(command))
      end)
    end
  end
  map(buffer, 'n', 'c', 'Comment on the hunk', comment)
  map(buffer, 'n', 'dd', 'Nothing: a list is not a text', function() end)
  map(buffer, 'n', ']h', 'Next hunk', function()
    jump(1)
  end)
  map(buffer, 'n', '[h', 'Previous hunk', function()
    jump(-1)
  end)
  map(buffer, 'n', '<CR>', 'Go to the line of the file', go)
  map(buffer, 'n', 'q', 'Close the window', function()
    pcall(api.nvim_win_close, 0, false)
  end)
end

---@param shown acp.Overview
---@return integer buffer
local function make(shown)
  local turn = shown.turn and ('turn %d'):format(shown.turn) or 'session'
  local name = ('acp-diff://%s%s'):format(turn, shown.by and ' ' .. shown.by or '')
  local buffer = unseen.buffer(function(it)
    vim.b[it].acp_diff = true
    vim.bo[it].bufhidden = 'wipe'
    vim.bo[it].modifiable = false
    chats.name(it, name)
  end)
  overviews[buffer] = shown
  map_keys(buffer)
  api.nvim_create_autocmd('BufEnter', {
    buffer = buffer,
    callback = function()
      refresh(buffer)
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    buffer = buffer,
    callback = function()
      overviews[buffer] = nil
    end,
  })
  return buffer
end

--- Show all changes of the session, or of one of its turns, in a window of their own.
---@param part { turn?: integer, by?: string }
function M.open(part)
  local chat = chats.current()
  local name = vim.bo.buftype == '' and api.nvim_buf_get_name(0) or ''
  local path = name ~= '' and buffers.resolve(name) or ''
  local shown = { chat = chat and chat.chat, path = path, hunks = {} }
  shown.turn, shown.by = part.turn, part.by
  local buffer = make(shown)
  local layout = require('acp.ui.layout')
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
