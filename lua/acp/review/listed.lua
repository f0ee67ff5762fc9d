-- Deciding in a quickfix list of the review: each row is a hunk, and keys and commands mean the row, or
-- the selected ones. The keys are there as long as the window shows a list of ours.

local bridge = require('acp.host.bridge')
local lists = require('acp.review.lists')
local notice = require('acp.ui.notice')
local options = require('acp.host.options')

local api = vim.api

local M = {}

local NONE = 'no hunk in this row: :Acp %s all decides on all files'

--- Whether the current window shows a list of a review.
---@return boolean
function M.is_here()
  return vim.bo.buftype == 'quickfix'
    and vim.fn.getwininfo(api.nvim_get_current_win())[1].loclist == 0
    and lists.is_ours()
end

---@param first integer 1-based row
---@param last integer inclusive
---@return table[] hunks of these rows, as the host has told them, the last one first
local function hunks_in(first, last)
  local items, found = vim.fn.getqflist({ items = 1 }).items, {}
  for row = last, first, -1 do
    local hunk = items[row] and items[row].user_data
    if type(hunk) == 'table' and hunk.path then
      table.insert(found, hunk)
    end
  end
  return found
end

---@param err any
---@param outcome? string
local function tell(err, outcome)
  if err then
    return notice.warn(err)
  end
  notice.notice(outcome or '')
end

--- Keep or reject the hunks in these rows, or all of the file that the first of them is in.
---@param verdict acp.Verdict
---@param scope 'lines'|'file'
---@param range? { [1]: integer, [2]: integer } 1-based, inclusive; nil: the row of the cursor
---@param because? string
function M.decide(verdict, scope, range, because)
  local line = api.nvim_win_get_cursor(0)[1]
  local hunks = hunks_in(range and range[1] or line, range and range[2] or line)
  if #hunks == 0 then
    return notice.notice(NONE:format(verdict))
  end
  if scope == 'file' then
    local payload = { verdict = verdict, scope = 'file', path = hunks[#hunks].path }
    payload.because = because
    return bridge.call('decide', payload, tell)
  end
  local parts = vim.tbl_filter(function(hunk)
    return hunk.key ~= ''
  end, hunks)
  for _, hunk in ipairs(hunks) do
    if hunk.key == '' then -- a conflict
      local payload = { verdict = verdict, scope = 'lines', path = hunk.path }
      payload.first, payload.last = hunk.line, hunk.last
      bridge.call('decide', payload, tell)
    end
  end
  if #parts > 0 then
    local payload = { verdict = verdict, scope = 'lines', because = because }
    payload.parts = vim.tbl_map(function(hunk)
      return { path = hunk.path, key = hunk.key, line = hunk.line }
    end, parts)
    bridge.call('decide_parts', payload, tell)
  end
end

--- Write a comment on the hunk in the row, and come back.
local function comment()
  local line = api.nvim_win_get_cursor(0)[1]
  local hunk = hunks_in(line, line)[1]
  if not hunk then
    return notice.notice('no hunk in this row')
  end
  require('acp.review.comments').write_on(hunk.path, { hunk.line, hunk.last })
end

---@param verdict acp.Verdict
---@return fun()
local function deciding(verdict)
  return function()
    local mode = api.nvim_get_mode().mode
    local range
    if mode:find('^[vV\22]') then
      local first, last = vim.fn.line('v'), vim.fn.line('.')
      range = { math.min(first, last), math.max(first, last) }
      api.nvim_feedkeys(vim.keycode('<Esc>'), 'nx', false)
    end
    M.decide(verdict, 'lines', range)
  end
end

---@type { [1]: string[], [2]: string, [3]: string, [4]: fun() }[] modes, key, what it does
local KEYS = {
  { { 'n', 'x' }, 'a', 'Keep the hunk', deciding('keep') },
  { { 'n', 'x' }, 'x', 'Reject the hunk', deciding('reject') },
  { { 'n' }, 'c', 'Comment on the hunk', comment },
  { { 'n' }, 'dd', 'Nothing: a list is not a text', function() end },
}

---@type table<integer, true> buffers that have the keys
local mapped = {}

---@param buffer integer
local function add(buffer)
  for _, row in ipairs(KEYS) do
    for _, mode in ipairs(row[1]) do
      if vim.fn.maparg(row[2], mode, false, true).buffer ~= 1 then
        local function run()
          return notice.attempt(row[2], row[4])
        end
        vim.keymap.set(mode, row[2], run, { buffer = buffer, nowait = true, desc = row[3] })
      end
    end
  end
  mapped[buffer] = true
end

---@param buffer integer
local function remove(buffer)
  for _, row in ipairs(KEYS) do
    for _, mode in ipairs(row[1]) do
      local found = vim.fn.maparg(row[2], mode, false, true)
      if found.buffer == 1 and found.desc == row[3] then
        vim.keymap.del(mode, row[2], { buffer = buffer })
      end
    end
  end
  mapped[buffer] = nil
end

--- Give the quickfix window its keys, or take them away, by what it shows.
function M.sync()
  local window = vim.fn.getqflist({ winid = 0 }).winid
  if window == 0 then
    return
  end
  local buffer = api.nvim_win_get_buf(window)
  local is_wanted = lists.is_ours() and options.value('default_keys') ~= false
  if is_wanted == (mapped[buffer] ~= nil) then
    return
  end
  api.nvim_buf_call(buffer, function()
    (is_wanted and add or remove)(buffer)
  end)
end

local group = api.nvim_create_augroup('acp.listed', {})

api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = 'qf',
  desc = 'The quickfix window shows another list',
  callback = vim.schedule_wrap(M.sync),
})

api.nvim_create_autocmd('BufWipeout', {
  group = group,
  desc = 'The number may come again',
  callback = function(event)
    mapped[event.buf] = nil
  end,
})

return M
